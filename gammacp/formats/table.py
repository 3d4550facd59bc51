"""The table of file formats, for the command line and the documentation."""

from __future__ import annotations

from collections.abc import Iterator

from gammacp.formats.registry import FORMATS, Format

COLUMNS = ("name", "format", "endings", "writes", "options", "offset unit", "annotators from")


def row(entry: Format) -> tuple[str, ...]:
    """One format as cells under `COLUMNS`."""
    return (
        entry.name,
        entry.title,
        " ".join(entry.extensions),
        "yes" if entry.write else "",
        " ".join(_on_the_command_line(option) for option in entry.options),
        entry.offset_unit,
        entry.annotators,
    )


def _on_the_command_line(option: str) -> str:
    direct = option in ("layer", "feature", "tier")
    return f"--{option}" if direct else f"--option {option}="


def record(entry: Format) -> dict[str, object]:
    """One format as a JSON object."""
    return {
        "name": entry.name,
        "title": entry.title,
        "extensions": list(entry.extensions),
        "reads": True,
        "writes": entry.write is not None,
        "options": list(entry.options),
        "layout": entry.layout,
        "offset_unit": entry.offset_unit,
        "annotators": entry.annotators,
        "category": entry.category,
        "policy": entry.policy,
        "several_continua": entry.many,
        "keeps_bounds": entry.bounds,
        "applies_to": ["units", "segmentations"] if entry.codings else ["units"],
        "extra": entry.extra,
    }


def markdown_lines() -> Iterator[str]:
    """The lines of the documentation's table and of the section on each format."""
    yield "| name | format | endings | read | write | options | positions count | extra |"
    yield "|---|---|---|---|---|---|---|---|"
    entries = [entry for _, entry in FORMATS.items()]
    for e in entries:
        options = " ".join(f"`{_on_the_command_line(o)}`" for o in e.options)
        endings = " ".join(f"`{x}`" for x in e.extensions)
        extra = f"`gammacp[{e.extra}]`" if e.extra else ""
        yield (
            f"| `{e.name}` | {e.title} | {endings} | yes | {'yes' if e.write else 'no'} "
            f"| {options} | {e.offset_unit} | {extra} |"
        )
    for e in entries:
        yield ""
        yield f"### {e.title} (`{e.name}`)"
        yield ""
        yield f"- Annotators: {e.annotators}."
        if e.codings:
            yield "- Read by `gammacp segmentation` as codings, by other commands as units."
        if e.layout:
            yield f"- Names from paths: `{e.layout}`; another with `--layout`."
        yield f"- Category: {e.category}."
        yield f"- Spans: {e.policy}."
        if e.write:
            several = "several continua in one file" if e.many else "one continuum per file"
            bounds = "kept" if e.bounds else "not kept"
            yield f"- Written: {several}, bounds {bounds}."
