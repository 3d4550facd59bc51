"""`gammacp solvers`: the solvers that `--method` chooses from."""

from gammacp.base.record_tables import Column, Table, yes_no
from gammacp.cli.output import AsJson, print_json, show

_COLUMNS = (
    Column("name", "solver"),
    Column("summary", "what it does", wrapped=True),
    Column("exact", "exact", yes_no),
)


def solvers(json: AsJson = False) -> None:
    """List the solvers of the alignment problem."""
    from gammacp.alignment import SOLVERS

    records = [{"name": s.name, "summary": s.summary, "exact": s.exact} for _, s in SOLVERS.items()]
    if json:
        print_json({"solvers": records})
    else:
        show(Table(_COLUMNS, records))
