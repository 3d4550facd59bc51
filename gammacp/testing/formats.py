"""Check of a file format's promises on reading, counting, refusing and writing.

`check_format` is public as `gammacp.testing.check_format`.
"""

import os
import random
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.errors import GammacpError
from gammacp.formats.boundary import unforeseen_raised
from gammacp.formats.reading import collect, read_corpus
from gammacp.formats.registry import FORMATS, Format
from gammacp.formats.spans import MILLISECONDS, SECONDS
from gammacp.formats.times import in_seconds
from gammacp.formats.writing import write

_NAMES = ("Ann", "Zoë B.")  # the second has a blank and a letter beyond ASCII
_N_DAMAGED = 60  # damaged copies of the example, a third of each kind (`_damage`)
_DAMAGES = ("cut off", "overwritten", "repeated")


def check_format(
    name: str,
    example: str | os.PathLike[str],
    units: Sequence[Unit],
    *,
    left_out: Mapping[str, int] | None = None,
    refused: Mapping[str | bytes, int | None] | None = None,
    options: Mapping[str, object] | None = None,
    seed: int = 0,
) -> None:
    r"""Raise an AssertionError that names the first promise a format breaks.

    The format must recognise a file, read its units, and read the same ones each time. It counts
    content that is not a unit. A bad file raises an error of gammacp that names the place. Damaged
    files raise such an error or give valid continua, but never raise another exception. A continuum
    that is written is read back unchanged, or writing it is refused.

    Parameters
    ----------
    name
        The format's name in the registry.
    example
        A file or folder that the format reads.
    units
        Units that the file holds, of all its documents together, in any order.
    left_out
        Number of items in the file that are not units, by kind; None: none.
    refused
        Contents of bad files, each with the line that the error must name (None: no line).
    options
        Options for the reader.
    seed
        Seed of the random damages.

    Raises
    ------
    AssertionError
        A promise is broken; the message says which one, and on which content.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "a.csv"
    ...     _ = file.write_text("Ann,a,2,9\nBob,a,3,9\n")
    ...     check_format("csv", file, [Unit("Ann", 2, 9, "a"), Unit("Bob", 3, 9, "a")])
    """
    path = Path(example)
    checked = _Checked(FORMATS[name], dict(options or {}))
    checked.check_reading(path, units, dict(left_out or {}))
    with TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        _copy(path, copy)
        file = checked.one_file(copy)
        original = file.read_bytes()
        for content, line in (refused or {}).items():
            checked.check_refusal(copy, file, content, line)
        for number in range(_N_DAMAGED):
            rng = random.Random(f"{seed} {number}")
            file.write_bytes(_damage(original, rng, _DAMAGES[number % len(_DAMAGES)]))
            checked.read_or_error(copy, f"its example with damage {number} (seed {seed})")
    if checked.entry.writer is not None:
        for example_continuum in (
            *read_corpus(path, format=name, **checked.options).values(),
            *_variants(),
        ):
            checked.check_round_trip(example_continuum)


@dataclass(frozen=True)
class _Checked:
    """The format under test, with the options for its reader."""

    entry: Format
    options: Mapping[str, object]

    def require(self, condition: bool, broken: str) -> None:
        """Raise an AssertionError that says what is `broken`, unless the condition holds."""
        if not condition:
            raise AssertionError(f"format {self.entry.name!r} {broken}")

    def check_reading(self, path: Path, units: Sequence[Unit], left_out: dict[str, int]) -> None:
        """Check that the example is recognised, and that its units and other items are read."""
        collected = collect([path], format=None, **self.options)
        self.require(not collected.failures, f"fails on its example: {collected.failures[:1]}")
        formats = set(collected.formats.values())
        self.require(formats == {self.entry.name}, f"is recognised as {', '.join(sorted(formats))}")
        # The ids, by which links refer to units, do not count in the comparison.
        read_units = Counter(replace(u, id="") for c in collected.continua.values() for u in c)
        missing = Counter(units) - read_units
        more = read_units - Counter(units)
        self.require(not missing, f"does not read {next(iter(missing), None)}")
        self.require(not more, f"reads {next(iter(more), None)}, which is not there")
        counts: Counter[str] = Counter()
        for e in collected.left_out:
            counts[e.kind] += e.count
        self.require(counts == left_out, f"leaves out {dict(counts)} instead of {left_out}")
        second_reading = collect([path], format=None, **self.options)
        self.require(
            second_reading.continua == collected.continua, "reads another continuum each time"
        )

    def check_refusal(self, path: Path, file: Path, content: str | bytes, line: int | None) -> None:
        """Check that bad content of a file is refused, with its name and the expected line."""
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        shown_content = f"{content[:60]!r}"
        error = self.read_or_error(path, shown_content)
        self.require(isinstance(error, GammacpError), f"accepts {shown_content}")
        where = getattr(error, "line", None)
        self.require(
            where == line,
            f"puts the error of {shown_content} in line {where}, not {line}: {error}",
        )
        self.require(file.name in str(error), f"does not name the file in {error}")

    def read_or_error(self, path: Path, what: str) -> Corpus | GammacpError:
        """Return what is read or the error of gammacp; no other exception may be raised."""
        try:
            with unforeseen_raised():
                return read_corpus(path, format=self.entry.name, **self.options)
        except GammacpError as error:
            return error
        except Exception as error:
            broken = f"raises {type(error).__name__} on {what}: {error}"
            raise AssertionError(f"format {self.entry.name!r} {broken}") from error

    def check_round_trip(self, before: Continuum) -> None:
        """Check that units, annotators, declared bounds and text survive writing and reading."""
        with TemporaryDirectory() as folder:
            target = self.path_to_write(Path(folder), before)
            try:
                write(before, target, format=self.entry.name)
            except GammacpError:
                leaves_files = target.is_file() or (
                    target == Path(folder) and any(target.iterdir())
                )
                self.require(not leaves_files, f"leaves half a file of {before.name!r}")
                return
            read_back = replace(self, options={}).read_or_error(target, "what it wrote")
        if isinstance(read_back, GammacpError):
            raise AssertionError(
                f"format {self.entry.name!r} cannot read what it wrote: {read_back}"
            )
        self.require(len(read_back) == 1, f"gives back {len(read_back)} continua instead of one")
        (after,) = read_back.values()
        if {before.offset_unit, after.offset_unit} == {MILLISECONDS, SECONDS}:
            before = in_seconds(before)
            after = in_seconds(after)
        wrote = Counter(before)
        read = Counter(after)
        self.require(wrote == read, f"writes {set(wrote - read)} and reads {set(read - wrote)}")
        survives = set(after.annotators) == set(before.annotators)
        self.require(survives, f"loses annotators: {before.annotators} became {after.annotators}")
        survives = not self.entry.keeps.bounds or before.bounds == after.bounds
        self.require(survives, f"loses the bounds {before.bounds}")
        self.require(not self.entry.keeps.text or before.text == after.text, "loses the text")

    def path_to_write(self, folder: Path, continuum: Continuum) -> Path:
        """Return a path to write to, with the names that the format takes from a path."""
        if self.entry.writer and self.entry.writer.per_annotator:
            return folder
        who = next(iter(continuum.annotators), "nobody")
        stem = (self.entry.layout or "{document}").format(annotator=who, document="document")
        target = folder / (stem + self.entry.extensions[0])
        target.parent.mkdir(parents=True, exist_ok=True)
        return target

    def one_file(self, path: Path) -> Path:
        """Return the file of the example to damage: the first one with the format's extension."""
        if path.is_file():
            files = [path]
        else:
            files = sorted(path.rglob("*"))
        return next(f for f in files if f == path or (f.is_file() and self.entry.has_ending(f)))


def _damage(content: bytes, rng: random.Random, kind: str) -> bytes:
    """Return content that is cut off, overwritten in one place, or has a part repeated."""
    damaged = bytearray(content)
    at = rng.randrange(len(damaged) + 1)
    match kind:
        case "cut off":
            del damaged[at:]
        case "overwritten":
            damaged[at : at + rng.randint(1, 9)] = rng.randbytes(rng.randint(0, 4))
        case "repeated":
            damaged[at:at] = damaged[max(0, at - rng.randint(1, 40)) : at]
    return bytes(damaged)


def _variants() -> list[Continuum]:
    """Return continua with features that formats may not support, one feature in each."""
    a, b = _NAMES
    spans = {
        "plain": [Unit(a, 0, 3, "x"), Unit(a, 5, 9, "y"), Unit(b, 0, 4, "x")],
        "overlapping": [Unit(a, 0, 5, "x"), Unit(a, 3, 9, "y"), Unit(b, 0, 4, "x")],
        "repeated": [Unit(a, 0, 5, "x"), Unit(a, 0, 5, "x"), Unit(b, 0, 4, "x")],
        "without length": [Unit(a, 3, 3, "x"), Unit(b, 0, 4, "x")],
        "unlabelled": [Unit(a, 0, 3), Unit(b, 0, 4, "x")],
        "odd label": [Unit(a, 0, 3, '=1+"x",\t;|<&>'), Unit(b, 0, 4, "x")],
        "line break in label": [Unit(a, 0, 3, "first\nsecond"), Unit(b, 0, 4, "x")],
        "fractions": [Unit(a, 0.1, 3.25, "x"), Unit(b, 0, 4, "x")],
        "annotator without units": [Unit(a, 0, 3, "x")],
    }
    # Some formats allow only one annotator, some only seconds.
    return [
        Continuum.from_units(
            [u for u in units if u.annotator in names],
            annotators=names,
            bounds=(0, 10),
            name=name,
            offset_unit=offset_unit,
        )
        for name, units in spans.items()
        for names, offset_unit in ((_NAMES, ""), (_NAMES[:1], MILLISECONDS))
    ]


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        shutil.copyfile(source, target)
