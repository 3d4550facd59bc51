"""`gammacp shuffle`: a reference and annotators who err on it, to files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from gammacp.base.record_tables import Column, Table, count
from gammacp.bench.commands.options import source_of
from gammacp.bench.commands.references import Annotators, References
from gammacp.cli.options.groups import option
from gammacp.cli.options.loading import reading_json
from gammacp.cli.options.settings import Seed
from gammacp.cli.output import AsJson, message, messages, print_json, show
from gammacp.cli.sparing import spare_files

if TYPE_CHECKING:
    from shuffling import ReferenceModel


@dataclass(frozen=True)
class Errors:
    """Options for the errors that annotators make."""

    error: str | None = option(
        "Error: {errors}, or several in order (position+category); with parameters: "
        "split:factor=3.",
        "NAME",
    )
    magnitude: float | None = option("From 0 (nothing happens) to 1 (the worst).")
    sets: int = option("How many annotation sets.", default=1, min=1)
    first_set: int = option(
        "Number of the first set, to make a set of a sweep again.", default=0, min=0
    )


@dataclass(frozen=True)
class Output:
    """Options for the files that are written."""

    out: Path = option(
        "Folder, or a file for the annotators of one set (its reference goes beside it).",
        default=Path("shuffle-out"),
    )
    to: str | None = option("Format to write.  [default: by the ending of OUT, or csv]")


def shuffle(
    errors: Errors,
    annotators: Annotators,
    references: References,
    output: Output,
    seed: Seed = 0,
    print_model: bool = option("Print the reference model as TOML and stop.", default=False),
    json: AsJson = False,
) -> None:
    """Make a reference and annotators who err on it.

    This is the Corpus Shuffling Tool.

    Example: gammacp shuffle --error position --magnitude 0.2 --out shuffled/

    Most used: --error, --magnitude and --out.
    """
    from gammacp.bench.shuffled_files import write_sets
    from gammacp.errors import UsageError

    if print_model:
        _print_model(references.source().reference_model, as_json=json)
        return
    if errors.error is None or errors.magnitude is None:
        raise UsageError("give --error and --magnitude, such as --error split --magnitude 0.3")
    out = [output.out]
    if output.out.name:  # else it is the working folder or the root
        out.append(output.out.with_name(f"{output.out.stem}-reference{output.out.suffix}"))
    sources = (references.reference, references.model, annotators.panel)
    read = [*filter(None, sources), *(references.learn or ())]
    spare_files(out, read)
    source, n_annotators = source_of(annotators, references)
    written = write_sets(
        source,
        errors.error,
        errors.magnitude,
        output.out,
        n_annotators=n_annotators,
        sets=errors.sets,
        first_set=errors.first_set,
        seed=seed,
        format=output.to,
    )
    message(f"seed {seed}")
    messages(((line, str(each.number)) for each in written for line in each.fewer), before="set ")
    sets = [each.as_dict() for each in written]
    if json:
        document = {"error": errors.error, "magnitude": errors.magnitude, "seed": seed}
        print_json({**document, "sets": sets, **reading_json(source.left_out)})
        return
    parts = ("reference", "annotations")
    rows = [{"what": part, **e[part]} for e in sets for part in parts]
    columns = Column("file", "file"), Column("what", "what"), Column("units", "units", count)
    show(Table(columns, rows))


def _print_model(model: ReferenceModel, *, as_json: bool) -> None:
    from shuffling import model_text

    text = model_text(model)
    if as_json:
        import tomllib

        print_json(tomllib.loads(text))
    else:
        typer.echo(text, nl=False)
