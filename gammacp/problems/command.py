"""`gammacp export`: the alignment problem of a continuum as a file for other solvers."""

from pathlib import Path

from gammacp.cli.options.groups import option
from gammacp.cli.options.loading import errors_of, load
from gammacp.cli.options.reading import File, Reading
from gammacp.cli.options.settings import Weighing
from gammacp.cli.output import AsJson, message, print_json


def export(
    reading: Reading,
    weighing: Weighing,
    file: File = None,
    to: str = option("Format to write: mps, lp, opb (pseudo-Boolean) or cpsat (text).", "FORMAT"),
    model: str = option(
        "What a variable stands for: a pair of units (pairs), or a unitary alignment that a best "
        "alignment could contain (sets).",
        "pairs|sets",
        default="pairs",
    ),
    out: Path | None = option("File to write.  [default: FILE.FORMAT]", names=("--out", "-o")),
    json: AsJson = False,
) -> None:
    """Write the alignment problem for other solvers.

    Costs are whole numbers. Comments in the file say how to turn the objective into the disorder,
    how exact that is, and which unit each number stands for.

    Example: gammacp export interview.eaf --to mps

    Most used: --to, --model and --out.
    """
    from gammacp.alignment import build_problem
    from gammacp.alignment.costs import disorder_scale
    from gammacp.base.files import write_text
    from gammacp.dissimilarity import bind
    from gammacp.errors import UsageError
    from gammacp.problems import export as write

    if to is None:
        raise UsageError("give a format: --to mps, lp, opb or cpsat")
    loaded = load(file, reading, weighing.features, writes=[] if out is None else [out])
    name, continuum = loaded.only()
    with errors_of(name):
        measured = bind(weighing.dissimilarity(), continuum)
        problem = build_problem(continuum, measured, prune=model == "sets")
        scale = disorder_scale(continuum.n_annotators, continuum.mean_units)
        comments = [f"disorder = cost * {scale:.17g}"]
        comments += [
            f"unit {row}: {u.annotator}, {u.start:g} to {u.end:g}, {u.category}"
            + (f", {u.json['shape']}" if u.shape else "")
            for row, u in enumerate(continuum)
        ]
        text, program = write(problem, to, model=model, comments=comments)
    if out is None:
        path = Path(f"{Path(name).name}.{to}")
    else:
        path = out
    write_text(path, text)
    rows, variables = program.matrix.shape
    if json:
        facts = {"file": str(path), "to": to, "model": model, "rows": rows, "variables": variables}
        exact = {"scale": program.scale, "error": program.error, "disorder_scale": scale}
        print_json({**facts, **exact, "cut": program.cut, **loaded.json})
    message(f"{path}: {variables} variables, {rows} rows, by {model}, as {to}")
