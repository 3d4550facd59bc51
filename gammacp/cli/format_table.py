"""Table and descriptions of the file formats, for the command line and the documentation."""

import re
from collections.abc import Iterator

from gammacp.base.record_tables import Column, Table, record_of, yes_no
from gammacp.base.subjects import advice
from gammacp.formats.registry import FORMATS, Format

_COLUMNS = (
    Column("name", "name"),
    Column("extensions", "endings", value=lambda r: " ".join(r["extensions"])),
    Column("writes", "writes", yes_no),
    Column("offset_unit", "positions", value=lambda r: re.split(r" \(|,", r["offset_unit"])[0]),
)


def record(entry: Format) -> dict[str, object]:
    """Return a format as a JSON object."""
    return {
        **record_of(entry, "name title extensions"),
        "reads": True,
        "writes": entry.writer is not None,
        "options": entry.reader.options,
        "write_options": entry.writer.options if entry.writer else (),
        "layout": entry.layout,
        **record_of(entry.conventions, "offset_unit annotators category policy"),
        "several_continua": entry.several_continua,
        "keeps_bounds": entry.keeps.bounds,
        "applies_to": ["units", "segmentations"]
        if entry.data_kind == "segmentations"
        else ["units"],
        "extra": entry.extra,
    }


def table() -> Table:
    """Return the table of all formats, which fits a terminal of 80 columns."""
    return Table(_COLUMNS, [record(entry) for _, entry in FORMATS.items()])


def facts(entry: Format) -> Iterator[str]:
    """Yield the properties of a format, each in one or two sentences."""
    yield f"Annotators: {entry.conventions.annotators}."
    if entry.data_kind == "segmentations" and (reader := advice("format of segmentations")):
        yield reader
    if entry.layout:
        yield f"Names from paths: `{entry.layout}`; `--layout` sets another."
    yield f"Category: {entry.conventions.category}."
    yield f"Spans: {entry.conventions.policy}."
    if writer := entry.writer:
        if entry.several_continua:
            several = "several continua in one file"
        else:
            several = "one continuum per file"
        if writer.per_annotator:
            where = "a file per annotator"
        else:
            where = several
        if writer.only_if_named:
            named = f"; choose it with `--to {entry.name}`"
        else:
            named = ""
        yield f"Written: {where}; bounds are {'' if entry.keeps.bounds else 'not '}kept{named}."
        if options := ", ".join(f"`--write-option {name}=`" for name in writer.options):
            yield f"Options for writing: {options}."


def prose(entry: Format) -> Iterator[str]:
    """Yield the description of a format, one paragraph at a time."""
    yield f"{entry.title} ({entry.name}): {' '.join(entry.extensions)}"
    yield f"Positions: {entry.conventions.offset_unit}."
    yield from facts(entry)
    if options := entry.reader.options:
        yield f"Options for reading: {', '.join(map(_on_the_command_line, options))}."
    if entry.extra:
        yield f"Needs: `pip install 'gammacp[{entry.extra}]'`."


def _on_the_command_line(option: str) -> str:
    if option == "features":
        return "`[features.NAME]`"
    direct = option in ("layer", "feature", "tier")
    if direct:
        return f"`--{option}`"
    return f"`--option {option}=`"
