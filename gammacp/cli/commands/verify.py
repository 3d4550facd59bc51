"""`gammacp verify`: check certificates, in exact arithmetic."""

from inspect import Parameter
from pathlib import Path

import typer

from gammacp.cli.options.groups import argument
from gammacp.cli.output import AsJson, message, print_json, say


def verify(
    files: list[Path] = argument("Certificates to check.", "FILES", default=Parameter.empty),
    json: AsJson = False,
) -> None:
    """Check the certificates that align and gamma write.

    The check is one file of plain Python that shares no code with the solver. It recomputes all
    costs in whole numbers. Exit 0: every claim is proven; 1: some are not; 3: a file is not a
    certificate.
    """
    from gammacp.verify import Check, RefusedError

    code = 0
    records = []
    for path in files:
        try:
            proven, statements = Check(path.read_text(encoding="utf-8")).claim()
        except (RefusedError, OSError, OverflowError, UnicodeDecodeError) as error:
            message(f"gammacp: {path}: {error}", error=True)
            records.append({"file": str(path), "verified": False, "said": [], "error": str(error)})
            code = 3
            continue
        records.append({"file": str(path), "verified": proven, "said": statements})
        code = max(code, 0 if proven else 1)
        for line in () if json else statements:
            say(f"{path}: {line}")
    if json:
        print_json({"results": records})
    if code:
        raise typer.Exit(code)
