"""`gammacp formats`: the table of file formats, or one of them in words."""

from gammacp.cli.options.groups import argument
from gammacp.cli.output import AsJson, print_json, say, show


def formats(
    names: list[str] | None = argument("Formats to describe in full.", "NAME"),
    as_json: AsJson = False,
) -> None:
    """List the file formats; with a name, say everything about one."""
    from gammacp.cli.format_table import prose, record, table
    from gammacp.formats.registry import FORMATS

    chosen = [FORMATS[name] for name in names or FORMATS]
    if as_json:
        print_json({"formats": [record(entry) for entry in chosen]})
    elif names:
        say("\n\n".join("\n".join(prose(entry)) for entry in chosen), hang="  ")
    else:
        show(table())
