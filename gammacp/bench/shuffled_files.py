"""Annotation sets as files: a reference and the annotators who err on it, in any format."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gammacp.bench.source import Shuffled
from gammacp.continuum import Continuum
from gammacp.errors import UsageError
from gammacp.formats import write
from gammacp.formats.registry import FORMATS, Format, format_for_writing
from gammacp.formats.writing import check_folder
from shuffling.reference import ReferenceModel
from shuffling.setting import fewer_errors
from shuffling.shuffle import reference_set


@dataclass(frozen=True, slots=True)
class WrittenSet:
    """A set that was written: number, units, paths, and errors made less often than requested."""

    number: int
    reference: Continuum
    reference_path: Path
    annotations: Continuum
    annotations_path: Path
    fewer: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the counts and paths for JSON."""
        return {
            "set": self.number,
            "reference": {"file": str(self.reference_path), "units": self.reference.n_units},
            "annotations": {
                "file": str(self.annotations_path),
                "units": self.annotations.n_units,
                "annotators": list(self.annotations.annotators),
            },
            "bounds": list(self.annotations.bounds),
            "fewer": list(self.fewer),
        }


def write_sets(
    source: Shuffled,
    error: str,
    magnitude: float,
    out: str | Path,
    *,
    n_annotators: int = 3,
    sets: int = 1,
    first_set: int = 0,
    seed: int = 0,
    format: str | None = None,
) -> list[WrittenSet]:
    """Make sets of a sweep and write them, with the same units that `bench` measures.

    Parameters
    ----------
    out
        A folder; or, for one set, the file of its annotators, beside which the reference is put.
    first_set
        Number of the first set.
    format
        Name of the format; default: that of the file's ending, CSV in a folder.

    Raises
    ------
    UsageError
        An unknown error, format or magnitude, or one file for several sets.
    DataError
        The reference does not fit the errors.
    """
    chosen, paths = _paths(Path(out), format, sets, first_set)
    written = []
    for number, (annotated_to, reference_to) in enumerate(paths, first_set):
        with fewer_errors() as fewer:
            annotated = source.draw(error, magnitude, number, n_annotators=n_annotators, seed=seed)
        if isinstance(source.origin, ReferenceModel):
            true = reference_set(source.origin, index=number, seed=seed)
        else:
            true = source.origin
        if reference_to.parent == Path(out):
            Path(out).mkdir(exist_ok=True)
        write(true, reference_to, format=chosen.name)
        write(annotated, annotated_to, format=chosen.name)
        written.append(
            WrittenSet(number, true, reference_to, annotated, annotated_to, tuple(map(str, fewer)))
        )
    return written


def _paths(
    out: Path, name: str | None, sets: int, first: int
) -> tuple[Format, list[tuple[Path, Path]]]:
    """Return the format, and (annotations, reference) of each set."""
    endings = {e for _, f in FORMATS.items() for e in f.extensions}
    if out.suffix.lower() in endings and not out.is_dir():
        if sets > 1:
            raise UsageError(f"`out=` {out} is one file, for {sets} sets: give a folder")
        reference_path = out.with_name(f"{out.stem}-reference{out.suffix}")
        return format_for_writing(out, name), [(out, reference_path)]
    chosen = format_for_writing(out, name or "csv")
    check_folder(out)
    return chosen, list(_in_folder(out, chosen.extensions[0], sets, first))


def _in_folder(out: Path, ending: str, sets: int, first: int) -> Iterator[tuple[Path, Path]]:
    digits = len(str(first + sets - 1))
    for number in range(first, first + sets):
        if sets > 1:
            begin = f"{number:0{digits}d}-"
        else:
            begin = ""
        yield out / f"{begin}annotations{ending}", out / f"{begin}reference{ending}"
