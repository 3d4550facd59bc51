"""`gammacp verify`: check certificates, in exact arithmetic."""

from inspect import Parameter
from pathlib import Path

import typer

from gammacp.cli.options.groups import argument
from gammacp.cli.output import AsJson, message, print_json, say


def verify(
    files: list[Path] = argument("Certificates.", "FILES", default=Parameter.empty),
    json: AsJson = False,
) -> None:
    """Check certificates that align and gamma write: is what they claim proven?

    Costs are computed anew in whole numbers, by one file of plain Python that shares no code with
    the solver. Exit 0 if all of every claim is proven, 1 if less is, 3 for what is no certificate.
    """
    from gammacp.verify import Check, RefusedError

    code, records = 0, []
    for path in files:
        try:
            proven, said = Check(path.read_text(encoding="utf-8")).claim()
        except (RefusedError, OSError, OverflowError, UnicodeDecodeError) as error:
            message(f"gammacp: {path}: {error}", error=True)
            records.append({"file": str(path), "verified": False, "said": [], "error": str(error)})
            code = 3
            continue
        records.append({"file": str(path), "verified": proven, "said": said})
        code = max(code, 0 if proven else 1)
        for line in () if json else said:
            say(f"{path}: {line}")
    if json:
        print_json({"results": records})
    if code:
        raise typer.Exit(code)
