"""The options with which every command reads its data."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from gammacp.base.csv_files import rows_of
from gammacp.cli.options.groups import option
from gammacp.cli.options.names import plain_name
from gammacp.errors import UsageError

if TYPE_CHECKING:
    from gammacp.continuum import Bounds

Files = Annotated[
    list[Path] | None,
    typer.Argument(help="Files, folders or globs, or a campaign.toml.", show_default=False),
]
File = Annotated[
    Path | None,
    typer.Argument(
        help="A file, a folder with a file per annotator, or a campaign.toml.", show_default=False
    ),
]


WRITE_OPTION = option("Set an option of the format that is written (repeatable).", "NAME=VALUE")


ALLOW_UNREAD = option("Do not exit with 3 because some files could not be read.", default=False)


HEADING = "Input and selection"


@dataclass(frozen=True)
class CountedData:
    """The units and annotators that count, and their names."""

    heading = HEADING

    only: list[str] | None = option("Keep only these categories (A,B; repeatable).", "CATEGORIES")
    map: list[str] | None = option(
        "Rename a category, or merge it with another, for everybody or for one annotator "
        "(repeatable).",
        "[ANNOTATOR:]OLD=NEW",
    )
    rename: list[str] | None = option("Rename an annotator (repeatable).", "OLD=NEW")
    exclude: list[str] | None = option("Leave these annotators out (A,B; repeatable).", "ANNOTATOR")
    bounds: str | None = option(
        "Where each continuum begins and ends.  [default: first start and last end]",
        "START:END",
    )
    read_until: list[str] | None = option(
        "Where an annotator who did not finish stopped reading (repeatable).", "ANNOTATOR=POSITION"
    )
    grid: str | None = option(
        "Grid of tokens or frames that all boundaries lie on: the length of one, or a CSV file of "
        "them (start,end).",
        "FILE|NUMBER",
    )
    markable: str | None = option(
        "Stretches in which something can be marked, of recordings with pauses: a CSV file "
        "(document,start,end).",
        "FILE",
    )
    annotators: list[str] | None = option("Declare annotators who found nothing (A,B).", "A,B")
    min_length: float | None = option("Leave out shorter units.", "LENGTH", min=0)


@dataclass(frozen=True)
class FilePlaces:
    """The places of units, categories and names in the files."""

    heading = HEADING

    layer: str | None = option("Layer whose spans are the units (see gammacp formats).", "NAME")
    feature: str | None = option("Feature that gives the category (see gammacp formats).", "NAME")
    tier: str | None = option("Tiers to read, as a pattern (see gammacp formats).", "PATTERN")
    layout: str | None = option("Take names from paths, such as {annotator}/{document}.", "PATTERN")
    columns: list[str] | None = option(
        "Name the columns of a table, such as start=start_char,category=Code (repeatable).",
        "ROLE=COLUMN",
    )
    align_texts: bool | None = option(
        "Align the texts of a document where they differ between annotators (OCR, transcripts)."
    )
    positions: list[str] | None = option(
        "Move the positions of an annotator who counts differently (repeatable): 'Ann: end+1', "
        "'Ann: x1000', 'Ann: +250'.",
        "ANNOTATOR: MAP",
    )
    include: list[str] | None = option(
        "Count work that is unfinished, or a reference, too (A,B).", "unfinished,reference"
    )
    repeated: str | None = option(
        "Where one person answered a document more than once, count this answer.  "
        "[default: leave the document out]",
        "first|last|session",
    )


@dataclass(frozen=True)
class Reading:
    """The data of a command, and the part of them that counts."""

    heading = HEADING

    dataset: str | None = option(
        "Use a dataset that ships with gammacp (see gammacp datasets).", "NAME"
    )
    format: str | None = option(
        "Format of the files.  [default: recognised by content]", "NAME", complete_from="format"
    )
    document: list[str] | None = option(
        "Keep only these documents; * matches anything (A,B; repeatable).", "NAMES"
    )
    counting: CountedData = CountedData()
    places: FilePlaces = FilePlaces()
    round: str | None = option("Read only this round of a campaign.toml.", "NAME")
    option: list[str] | None = option(
        "Set another option of the format (repeatable).", "NAME=VALUE"
    )
    allow_unread: bool = ALLOW_UNREAD

    def of_files(self) -> Reading:
        """Return only the options on how files are read, without those that select data."""
        return Reading(
            format=self.format,
            places=self.places,
            option=self.option,
            allow_unread=self.allow_unread,
        )

    def values(self) -> dict[str, Any]:
        """Return the options that users set, under the keys of a campaign.toml."""
        values: dict[str, Any] = {
            "format": self.format,
            "document": self.document,
            **vars(self.counting),
            **vars(self.places),
            "option": self.option,
        }
        options: dict[str, Any] = {
            name: _converted(name, value) for name, value in values.items() if value is not None
        }
        weighed = "set in --dissimilarity FILE.toml, or with --beside NAME for convert"
        for name, right in (("format", "--format"), ("features", weighed)):
            if name in options.get("option", ()):
                raise UsageError(f"--option {name}=… is {right}")
        return options


@dataclass(frozen=True)
class Sampled:
    """Ways in which the documents were chosen."""

    cluster: str | None = option(
        "Which documents share an author, patient or video, and so are not independent: a "
        "feature of the units, a pattern of names such as '{cluster}-*', or a CSV file "
        "(document, cluster).",
        "FEATURE|PATTERN|FILE.csv",
    )
    weight: str | None = option(
        "How many documents each one stands for in a stratified sample: a feature of the units, "
        "or a CSV file (document, weight).",
        "FEATURE|FILE.csv",
    )

    def values(self) -> dict[str, str]:
        """Return the options that users set, under the keys of a campaign.toml."""
        return {name: value for name, value in vars(self).items() if value is not None}


NOT_SAID = Sampled()
TEAM = option(
    "Which annotators work in a team, and so are not independent: a CSV file (annotator, team). "
    "Intervals over annotators are over teams then.",
    "FILE.csv",
)


def write_options(entries: Sequence[str] | None) -> dict[str, Any]:
    """Return the options of a format's writer."""
    return dict(_pairs("--write-option", "NAME=VALUE")(entries or ()))


def _names(entries: Sequence[str] | None) -> list[str]:
    """Return the names of a repeatable list option; a name with a comma is quoted."""
    rows = (row for entry in entries or () for _, row in rows_of(entry, strict=False))
    return [name for row in rows for name in row if name]


def split_names(entries: Sequence[str] | None, option: str = "") -> tuple[str, ...]:
    """Return the names of a repeatable option that also accepts A,B.

    A UsageError says that the `option` is given without a name; without `option` there is no check.
    """
    names = tuple(n.strip() for entry in entries or () for n in entry.split(",") if n.strip())
    if option and entries:
        _check_not_empty(option, names)
    return names


def _check_not_empty(option: str, names: Collection[str]) -> None:
    """Raise a UsageError if an option that takes names is given without one."""
    if not names:
        raise UsageError(f"{option} is empty: give a name, or leave the option out")


def _converted(key: str, value: Any) -> Any:
    """Return the value of an option in the form that a campaign.toml has it."""
    if key not in _FORMS:
        return value
    converted = _FORMS[key](value)
    if isinstance(value, list) and value:
        _check_not_empty(f"--{key.replace('_', '-')}", cast(Collection[str], converted))
    return converted


def pair(option: str, entry: str, form: str) -> tuple[str, str]:
    """Return both sides of `entry`, the value LEFT=RIGHT of an option.

    A UsageError shows the expected `form`.
    """
    left, sign, right = entry.partition("=")
    if not (left and sign and right):
        raise UsageError(f"{option} {entry!r} is not {form}")
    return left, right


def _bounds(text: str) -> Bounds:
    from gammacp.formats.positions import position

    low, sign, high = text.partition(":")
    try:
        if not sign:
            raise ValueError(f"{text!r} has no colon")
        return position(low), position(high)
    except ValueError as error:
        raise UsageError(f"--bounds is not START:END: {error}") from None


def _grid(entry: str) -> float | str:
    from gammacp.formats.grid_file import grid_in

    return grid_in(entry)


def _read_until(entries: Sequence[str]) -> dict[str, float]:
    from gammacp.formats.positions import position

    place_by_name = {}
    for name, place in _pairs("--read-until", "ANNOTATOR=POSITION")(entries).items():
        try:
            place_by_name[name] = position(place)
        except ValueError as error:
            raise UsageError(f"--read-until is not ANNOTATOR=POSITION: {error}") from None
    return place_by_name


def _positions(entries: Sequence[str]) -> dict[str, str]:
    from gammacp.formats.position_maps import position_maps, written_positions

    maps_by_name = written_positions(entries)
    for maps in maps_by_name.values():
        position_maps(maps)
    return maps_by_name


def _pairs(option: str, form: str) -> Callable[[Sequence[str]], dict[str, str]]:
    def pairs(entries: Sequence[str]) -> dict[str, str]:
        name_by_old: dict[str, str] = {}
        for old, new in (pair(option, entry, form) for entry in entries):
            if name_by_old.setdefault(old, new) != new:
                raise UsageError(
                    f"{option} gives {old!r} two names, {name_by_old[old]!r} and {new!r}"
                )
        return name_by_old

    return pairs


def _columns(entries: Sequence[str]) -> dict[str, str]:
    return _pairs("--columns", "ROLE=COLUMN")(_names(entries))


_FORMS: Mapping[str, Callable[[Any], object]] = {
    "document": _names,
    "include": split_names,
    "only": _names,
    "exclude": _names,
    "annotators": _names,
    "bounds": _bounds,
    "read_until": _read_until,
    "positions": _positions,
    "grid": _grid,
    "feature": partial(plain_name, "--feature"),
    "map": _pairs("--map", "OLD=NEW"),
    "rename": _pairs("--rename", "OLD=NEW"),
    "columns": _columns,
    "option": _pairs("--option", "NAME=VALUE"),
}
