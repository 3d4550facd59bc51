"""`gammacp formats`: the table of file formats."""

from __future__ import annotations

import typer

from gammacp.cli.options.groups import option
from gammacp.cli.output import AsJson, print_json, print_table


def formats(
    as_json: AsJson = False,
    markdown: bool = option("Print the documentation's table and sections.", default=False),
) -> None:
    """File formats: what is read and written, and what the positions, names and labels are."""
    from gammacp.formats.registry import FORMATS
    from gammacp.formats.table import COLUMNS, markdown_lines, record, row

    if markdown:
        typer.echo("\n".join(markdown_lines()))
        return
    entries = [entry for _, entry in FORMATS.items()]
    if as_json:
        print_json({"formats": [record(entry) for entry in entries]})
        return
    print_table(COLUMNS, (row(entry) for entry in entries))
