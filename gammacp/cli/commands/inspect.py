"""`gammacp inspect`: what is in a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gammacp.base.record_tables import Column, Table, count, permille
from gammacp.base.text import group_by_text, visible
from gammacp.cli import output
from gammacp.cli.options.loading import Loaded, left_out_lines, load
from gammacp.cli.options.reading import Files, Reading
from gammacp.cli.output import AsJson, print_json, say, show

if TYPE_CHECKING:
    from gammacp.formats.summary import Summary


_ANNOTATORS = (
    Column("annotator", "annotator"),
    Column("units", "units", count),
    Column("gaps", "gaps", count),
    Column("coverage", "covered", permille),
    Column("overlaps", "overlapping", count),
    Column("duplicates", "repeated", count),
)
_CATEGORIES = (
    Column("category", "category"),
    Column("units", "units", count),
    Column("share", "share", permille),
)


def inspect(reading: Reading, files: Files = None, as_json: AsJson = False) -> None:
    """Show what is in the files, and what to look at.

    Annotators, categories, lengths, gaps and overlaps, with a warning for what looks wrong; with
    -v before the command also how each file was understood: people, states of work, conventions.

    Example: gammacp inspect exports/

    Most used: --layout, --layer and --json.
    """
    from gammacp.formats.summary import alike_names, summary

    loaded = load(files, reading, tell_left_out=False, links=True)
    people = alike_names(name for c in loaded.continua.values() for name in c.annotators)
    summaries = {name: summary(continuum, people) for name, continuum in loaded.continua.items()}
    if as_json:
        print_json(_document(loaded, summaries))
        return
    for name, content in summaries.items():
        _print(name, loaded.formats.get(name, ""), content)
    if len(summaries) > 1:
        units = sum(s.units for s in summaries.values())
        say(f"{len(summaries)} continua, {units} units")
    for line in left_out_lines(loaded.left_out):
        say(line)
    for applied, mark in ((True, "convention:"), (False, "!")):
        noted = ((n.evidence, n.file) for n in loaded.conventions if n.applied is applied)
        for text, names in group_by_text(noted):
            say(f"{mark} {names}: {text}")
    if output.verbosity > 0:
        for line in _understood_lines(loaded):
            say(line)


def _understood_lines(loaded: Loaded) -> Iterator[str]:
    """Yield lines on the people, states of work, conventions and columns of each file."""
    from gammacp.formats.understood import by_file

    for file, kinds in by_file(loaded.remarks).items():
        yield visible(f"{file}: understood as")
        for kind, count_by_text in kinds.items():
            listed = ", ".join(
                f"{text} ({count})" if count > 1 else text for text, count in count_by_text.items()
            )
            yield visible(f"  {kind:<11} {listed}")


def _document(loaded: Loaded, summaries: dict[str, Summary]) -> dict[str, object]:
    from gammacp.formats.understood import by_file

    results = [
        {"file": name, "format": loaded.formats.get(name), **content.as_dict()}
        for name, content in summaries.items()
    ]
    noted = [note.as_dict() for note in loaded.conventions]
    understood = [
        {
            "file": file,
            **{
                kind: [{"name": n, "count": k} for n, k in count_by_name.items()]
                for kind, count_by_name in of.items()
            },
        }
        for file, of in by_file(loaded.remarks).items()
    ]
    return {
        "results": results,
        "conventions": noted,
        "understood": understood,
        **loaded.json,
    }


def _print(name: str, format: str, s: Summary) -> None:
    say(name)
    for label, text in _lines(format, s):
        say(f"  {label:<10} {text}")
    people = [{"annotator": name, **vars(counts)} for name, counts in s.annotators.items()]
    show(Table(_ANNOTATORS, people))
    if any(s.categories.values()):
        used = {name: count for name, count in s.categories.items() if count}
        shares = [{"category": c, "units": n, "share": s.prevalence(c)} for c, n in used.items()]
        show(Table(_CATEGORIES, shares))
    for warning in s.warnings:
        say(f"  ! {warning}")
    say("")


def _lines(format: str, s: Summary) -> Iterator[tuple[str, str]]:
    if s.offset_unit:
        unit = f" {s.offset_unit}"
    else:
        unit = ""
    if format:
        yield "format", format
    yield "bounds", f"{s.bounds[0]:.15g} to {s.bounds[1]:.15g}{unit}"
    yield "units", f"{s.units}, {s.unlabelled} unlabelled, {s.zero_length} of zero length"
    unused = [category for category, count in s.categories.items() if not count]
    if unused:
        yield "unused", f"categories without a unit here: {', '.join(unused)}"
    if s.lengths:
        spread = s.lengths
        yield (
            "lengths",
            f"{spread.minimum:.6g} to {spread.maximum:.6g}, median {spread.median:.6g}, "
            f"mean {spread.mean:.6g}{unit}",
        )
