"""`gammacp shuffle`: a reference and annotators who err on it, to files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gammacp.cli.options.groups import flatten
from gammacp.cli.options.settings import Seed
from gammacp.cli.output import AsJson, message, print_json, print_table

if TYPE_CHECKING:
    from gammacp.continuum import Continuum
    from gammacp.formats.registry import Format
    from shuffling import ReferenceModel


@dataclass(frozen=True)
class Source:
    """Where the reference comes from."""

    model: Annotated[
        Path | None, typer.Option(help="Reference model as TOML (see --print-model).")
    ] = None
    learn: Annotated[
        list[Path] | None,
        typer.Option(help="Learn the reference model from these annotations (repeatable)."),
    ] = None
    layout: Annotated[
        str | None,
        typer.Option(
            help="apart, overlapping, covering or fixed: units of drawn references.",
            metavar="NAME",
        ),
    ] = None
    reference: Annotated[
        Path | None, typer.Option(help="A file whose units are the reference, instead of drawing.")
    ] = None
    annotator: Annotated[
        str | None, typer.Option(help="Whose units of that file, where it has several annotators.")
    ] = None


@dataclass(frozen=True)
class Errors:
    """What is done to it."""

    error: Annotated[
        str | None,
        typer.Option(
            help="position, category, split, false-positive, false-negative, merge, or several in "
            "order (position+category); with parameters: split:factor=3.",
            metavar="NAME",
        ),
    ] = None
    magnitude: Annotated[
        float | None, typer.Option(help="From 0 (nothing happens) to 1 (the worst).")
    ] = None
    n_annotators: Annotated[int, typer.Option(help="Annotators who err independently.")] = 3
    sets: Annotated[int, typer.Option(help="How many annotation sets.", min=1)] = 1
    first_set: Annotated[
        int, typer.Option(help="Number of the first set, to make one of a sweep again.", min=0)
    ] = 0


@dataclass(frozen=True)
class Output:
    """Where it goes."""

    out: Annotated[
        Path,
        typer.Option(
            help="Folder, or a file for one set's annotators (its reference is put beside it)."
        ),
    ] = Path("shuffle-out")
    to: Annotated[
        str | None,
        typer.Option(help="Format to write; by default that of OUT's ending, or csv."),
    ] = None


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("shuffle")(flatten(shuffle))


def shuffle(
    errors: Errors,
    source: Source,
    output: Output,
    seed: Seed = 0,
    print_model: Annotated[
        bool, typer.Option("--print-model", help="Print the reference model as TOML and stop.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Draw a reference and annotators who err on it (the Corpus Shuffling Tool)."""
    from gammacp.errors import UsageError

    if print_model:
        _print_model(_print_source(source), as_json=json)
        return
    if errors.error is None or errors.magnitude is None:
        raise UsageError("give --error and --magnitude, such as --error split --magnitude 0.3")
    origin, model = _origin(source)
    written = _write(errors, origin, model, output, seed)
    message(f"seed {seed}")
    if json:
        print_json(
            {"error": errors.error, "magnitude": errors.magnitude, "seed": seed, "sets": written}
        )
        return
    rows = [[e[part]["file"], part, str(e[part]["units"])] for e in written for part in _PARTS]
    print_table(("file", "what", "units"), rows, numeric=("units",))


_PARTS = ("reference", "annotations")


def _print_model(model: ReferenceModel, *, as_json: bool) -> None:
    from shuffling.model_file import model_text

    text = model_text(model)
    if as_json:
        import tomllib

        print_json(tomllib.loads(text))
    else:
        typer.echo(text, nl=False)


def _print_source(source: Source) -> ReferenceModel:
    from shuffling import ReferenceModel

    origin, model = _origin(source)
    return model or (origin if isinstance(origin, ReferenceModel) else ReferenceModel.fit(origin))


def _origin(source: Source) -> tuple[ReferenceModel | Continuum, ReferenceModel | None]:
    """What references come from, and the model of errors on a reference that is taken."""
    from gammacp.bench.source import source_from
    from gammacp.cli.options.reading import Reading, load
    from gammacp.errors import UsageError
    from shuffling import ReferenceModel

    if source.model is not None and source.learn:
        raise UsageError("give --model or --learn, not both")
    learnt = source.learn and ReferenceModel.fit(load(source.learn, Reading()).continua.values())
    shuffled = source_from(
        reference=source.reference,
        annotator=source.annotator,
        model=learnt or source.model,
        layout=source.layout,
    )
    return shuffled.origin, shuffled.model


def _write(
    errors: Errors,
    origin: ReferenceModel | Continuum,
    model: ReferenceModel | None,
    output: Output,
    seed: int,
) -> list[dict[str, Any]]:
    from gammacp.formats import write
    from shuffling import ReferenceModel, parse_errors, reference_set, shuffled_set

    assert errors.error is not None
    assert errors.magnitude is not None
    mix = parse_errors(errors.error)
    chosen, paths = _paths(output, errors.sets, errors.first_set)
    written = []
    for index, (annotated_to, reference_to) in enumerate(paths, errors.first_set):
        annotated = shuffled_set(
            origin, mix, errors.magnitude, errors.n_annotators, index=index, model=model, seed=seed
        )
        true = (
            reference_set(origin, index=index, seed=seed)
            if isinstance(origin, ReferenceModel)
            else origin
        )
        write(true, reference_to, format=chosen.name)
        write(annotated, annotated_to, format=chosen.name)
        written.append(
            {
                "set": index,
                "reference": {"file": str(reference_to), "units": true.n_units},
                "annotations": {
                    "file": str(annotated_to),
                    "units": annotated.n_units,
                    "annotators": list(annotated.annotators),
                },
                "bounds": list(annotated.bounds),
            }
        )
    return written


def _paths(output: Output, sets: int, first: int) -> tuple[Format, list[tuple[Path, Path]]]:
    """The format, and (annotations, reference) of each set."""
    from gammacp.errors import UsageError
    from gammacp.formats.registry import FORMATS, format_for_writing

    endings = {e for _, f in FORMATS.items() for e in f.extensions}
    out = output.out
    if out.suffix.lower() in endings and not out.is_dir():
        if sets > 1:
            raise UsageError(f"--out {out} is one file, for {sets} sets: give a folder")
        beside = out.with_name(f"{out.stem}-reference{out.suffix}")
        return format_for_writing(out, output.to), [(out, beside)]
    chosen = format_for_writing(out, output.to or "csv")
    digits = len(str(first + sets - 1))
    names = [f"{n:0{digits}d}-" if sets > 1 else "" for n in range(first, first + sets)]
    ending = chosen.extensions[0]
    pairs = [
        (out / f"{name}annotations{ending}", out / f"{name}reference{ending}") for name in names
    ]
    return chosen, pairs
