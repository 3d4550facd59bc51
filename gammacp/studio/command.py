"""`gammacp studio`: the local page to drop exports on, to review, to take a gold standard from."""

from pathlib import Path

from gammacp.cli.options.groups import argument, option
from gammacp.cli.options.settings import GammaFlags
from gammacp.cli.output import message


def studio(
    settings: GammaFlags,
    folder: Path = argument(
        "The campaign's folder, where dropped files and decisions go.",
        default=Path("gammacp-campaign"),
    ),
    port: int = option("Port on 127.0.0.1; 0 for any free port.", default=0, min=0, max=65535),
    no_browser: bool = option("Only print the address.", default=False),
) -> None:
    """Open a local page to drop exports on, review, and export.

    Example: gammacp studio exports/

    Most used: --port, --no-browser and --categorial.
    """
    import webbrowser

    from gammacp.errors import GammacpError
    from gammacp.measures.settings import Settings as Measuring

    try:
        from gammacp.studio.server import serve
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "uvicorn"):
            raise
        raise GammacpError(
            f"the studio needs {error.name}: pip install 'gammacp[studio]'"
        ) from None
    options = settings.options()
    Measuring.of(**options).check_names()
    if no_browser:
        open_page = None
    else:
        open_page = webbrowser.open
    serve(folder, options, port=port, tell=_tell, warn=message, open_page=open_page)
    message("the studio is closed; your files and decisions are in the folder")


def _tell(address: str) -> None:
    print(address, flush=True)
    message("this link gives access: do not share it; Ctrl-C closes the studio")
