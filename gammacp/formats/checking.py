"""Does a file format keep its promises: what it reads, counts, refuses and writes.

`gammacp.testing.check_format` is this function.
"""

import os
import random
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
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

_NAMES = ("Ann", "Zoë B.")
_DAMAGED = 60


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
    """AssertionError that names the first promise a format breaks.

    A file is recognised, gives its units, and the same ones each time; what is no unit is counted;
    a bad file is a DataError that says where; damaged files are DataErrors or sound continua, never
    another exception; what is written is read back as it was, or refused.

    Parameters
    ----------
    name
        The format's name in the registry.
    example
        A file or folder that the format reads.
    units
        What it holds, of all its documents together, in any order.
    left_out
        How many things of each kind it holds that are no units; None: none.
    refused
        Contents of bad files with the line the error must name (None: no line).
    options
        What the reader is given.
    seed
        Of the damages.

    Raises
    ------
    AssertionError
        A promise is broken: which, and on what.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "a.csv"
    ...     _ = file.write_text("Ann,a,2,9\\nBob,a,3,9\\n")
    ...     check_format("csv", file, [Unit("Ann", 2, 9, "a"), Unit("Bob", 3, 9, "a")])
    """
    entry, path, given = FORMATS[name], Path(example), dict(options or {})
    _check_reading(entry, path, units, dict(left_out or {}), given)
    with TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        _copy(path, copy)
        file = _one_file(entry, copy)
        for content, line in (refused or {}).items():
            _check_refusal(entry, copy, file, content, line, given)
        _copy(path, copy)
        _check_damages(entry, copy, file, given, seed)
    if entry.write is not None:
        for made in (*read_corpus(path, format=name, **given).values(), *_varied()):
            _check_writing(entry, made)


def _require(condition: bool, entry: Format, broken: str) -> None:
    if not condition:
        raise AssertionError(f"format {entry.name!r} {broken}")


def _check_reading(
    entry: Format,
    path: Path,
    units: Sequence[Unit],
    left_out: Mapping[str, int],
    options: Mapping[str, object],
) -> None:
    found = collect([path], format=None, **options)
    _require(not found.failures, entry, f"fails on its example: {found.failures[:1]}")
    taken = set(found.formats.values())
    _require(taken == {entry.name}, entry, f"is recognised as {', '.join(sorted(taken))}")
    theirs = Counter(unit for c in found.continua.values() for unit in c)
    missing, more = Counter(units) - theirs, theirs - Counter(units)
    _require(not missing, entry, f"does not read {next(iter(missing), None)}")
    _require(not more, entry, f"reads {next(iter(more), None)}, which is not there")
    counts: Counter[str] = Counter()
    for e in found.left_out:
        counts[e.kind] += e.count
    _require(counts == Counter(left_out), entry, f"leaves out {dict(counts)} instead of {left_out}")
    again = collect([path], format=None, **options)
    _require(again.continua == found.continua, entry, "reads another continuum each time")


def _check_refusal(
    entry: Format,
    path: Path,
    file: Path,
    content: str | bytes,
    line: int | None,
    options: Mapping[str, object],
) -> None:
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    what = f"{content[:60]!r}"
    _, error = _read(entry, path, options, what)
    if error is None:
        raise AssertionError(f"format {entry.name!r} accepts {what}")
    where = getattr(error, "line", None)
    _require(where == line, entry, f"puts the error of {what} in line {where}, not {line}: {error}")
    _require(file.name in str(error), entry, f"does not name the file in {error}")


def _check_damages(
    entry: Format, path: Path, file: Path, options: Mapping[str, object], seed: int
) -> None:
    whole = file.read_bytes()
    for number in range(_DAMAGED):
        r = random.Random(f"{seed} {number}")
        damaged = bytearray(whole)
        at = r.randrange(len(damaged) + 1)
        match number % 3:
            case 0:
                del damaged[at:]
            case 1:
                damaged[at : at + r.randint(1, 9)] = r.randbytes(r.randint(0, 4))
            case _:
                damaged[at:at] = damaged[max(0, at - r.randint(1, 40)) : at]
        file.write_bytes(bytes(damaged))
        _read(entry, path, options, f"its example with damage {number} (seed {seed})")
    file.write_bytes(whole)


def _read(
    entry: Format, path: Path, options: Mapping[str, object], what: str
) -> tuple[Corpus | None, GammacpError | None]:
    try:
        with unforeseen_raised():
            return read_corpus(path, format=entry.name, **options), None
    except GammacpError as error:
        return None, error
    except Exception as error:
        kind = type(error).__name__
        raise AssertionError(f"format {entry.name!r} raises {kind} on {what}: {error}") from error


def _check_writing(entry: Format, continuum: Continuum) -> None:
    """What is written is read back: units, annotators, and bounds and text where it says so."""
    with TemporaryDirectory() as folder:
        target = _target(entry, Path(folder), continuum)
        try:
            write(continuum, target, format=entry.name)
        except GammacpError:
            left = target.is_file() or (target == Path(folder) and any(target.iterdir()))
            _require(not left, entry, f"leaves half a file of {continuum.name!r}")
            return
        back, error = _read(entry, target, {}, "what it wrote")
        if back is None:
            raise AssertionError(f"format {entry.name!r} cannot read what it wrote: {error}")
        _require(len(back) == 1, entry, f"gives back {len(back)} continua instead of one")
        _compare(entry, continuum, next(iter(back.values())))


def _target(entry: Format, folder: Path, continuum: Continuum) -> Path:
    """Where to write, so that a format that has names from the path finds them there."""
    if entry.per_annotator:
        return folder
    who = next(iter(continuum.annotators), "nobody")
    place = (entry.layout or "{document}").format(annotator=who, document="document")
    target = folder / (place + entry.extensions[0])
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def _compare(entry: Format, before: Continuum, after: Continuum) -> None:
    if {before.offset_unit, after.offset_unit} == {MILLISECONDS, SECONDS}:
        before, after = in_seconds(before), in_seconds(after)
    wrote, read = Counter(before), Counter(after)
    _require(wrote == read, entry, f"writes {set(wrote - read)} and reads {set(read - wrote)}")
    kept = set(after.annotators) == set(before.annotators)
    _require(kept, entry, f"loses annotators: {before.annotators} became {after.annotators}")
    if entry.bounds:
        _require(before.bounds == after.bounds, entry, f"loses the bounds {before.bounds}")
    if entry.text:
        _require(before.text == after.text, entry, "loses the text")


def _varied() -> list[Continuum]:
    """What formats stumble over, each for itself: a format that cannot hold it has to say so."""
    a, b = _NAMES
    spans = {
        "plain": [Unit(a, 0, 3, "x"), Unit(a, 5, 9, "y"), Unit(b, 0, 4, "x")],
        "overlapping": [Unit(a, 0, 5, "x"), Unit(a, 3, 9, "y"), Unit(b, 0, 4, "x")],
        "repeated": [Unit(a, 0, 5, "x"), Unit(a, 0, 5, "x"), Unit(b, 0, 4, "x")],
        "without length": [Unit(a, 3, 3, "x"), Unit(b, 0, 4, "x")],
        "unlabelled": [Unit(a, 0, 3), Unit(b, 0, 4, "x")],
        "odd label": [Unit(a, 0, 3, '=1+"x",\t;|<&>'), Unit(b, 0, 4, "x")],
        "one line": [Unit(a, 0, 3, "first\nsecond"), Unit(b, 0, 4, "x")],
        "fractions": [Unit(a, 0.1, 3.25, "x"), Unit(b, 0, 4, "x")],
        "one empty": [Unit(a, 0, 3, "x")],
    }
    # Some formats hold one annotator, some count seconds.
    return [
        Continuum.from_units(
            [u for u in units if u.annotator in names],
            annotators=names,
            bounds=(0, 10),
            name=name,
            offset_unit=counted,
        )
        for name, units in spans.items()
        for names, counted in ((_NAMES, ""), (_NAMES[:1], MILLISECONDS))
    ]


def _one_file(entry: Format, path: Path) -> Path:
    """The file of the example that is damaged: the first with the format's ending."""
    if path.is_file():
        return path
    return next(f for f in sorted(path.rglob("*")) if f.is_file() and entry.has_ending(f))


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        shutil.copyfile(source, target)
