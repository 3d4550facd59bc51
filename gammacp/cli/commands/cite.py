"""`gammacp cite`: what to cite, for gammacp and for the measures used."""

from importlib.resources import files

from gammacp.base.version import __version__
from gammacp.cli.output import AsJson, print_json, say


def cite(json: AsJson = False) -> None:
    """Print what to cite: the software and its papers."""
    import tomllib

    text = files("gammacp.cli").joinpath("citations.toml").read_text(encoding="utf-8")
    references = tomllib.loads(text)
    software = references["software"].format(version=__version__)
    if json:
        print_json({"software": software, "papers": references["papers"]})
        return
    say(software)
    for what, reference in references["papers"].items():
        say(f"\n{what}\n  {reference}")
