"""Build HTML from Python values, and escape everything that is not `Markup`.

Annotators, categories, file names and texts come from users and may contain anything, including
`</script>`. They reach the page only through `element`, which escapes HTML, or `json_script`, which
escapes JSON inside a script element.
"""

import json
import math
from collections.abc import Callable
from html import escape
from typing import Any

from gammacp.base import record_tables
from gammacp.base.record_tables import Column, Record, Table
from gammacp.base.text import visible
from gammacp.cli.wording import TEXT_KEYS, options_for_parameters


class Markup(str):
    """Text that is already HTML."""

    __slots__ = ()


# Tables with more rows than this can be searched.
_SEARCHED = 20

Content = str | Markup | None


def element(tag: str, *content: Content, **attributes: object) -> Markup:
    """Return `<tag attributes>content</tag>`; None is left out of the content.

    Attribute names take underscores for hyphens, and a trailing one where Python needs it
    (`class_`, `data_part`). True gives an attribute without a value, None and False give none.

    >>> element("td", "a < b", class_="x")
    '<td class="x">a &lt; b</td>'
    """
    head = tag
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        key = name.rstrip("_").replace("_", "-")
        text = escape(visible(str(value)))
        if value is True:
            head += f" {key}"
        else:
            head += f' {key}="{text}"'
    return Markup(f"<{head}>{join(*content)}</{tag}>")


def join(*content: Content) -> Markup:
    """Return the parts concatenated; plain text is escaped and made `visible`.

    In plain text, marked parameters of the library are replaced by options of the command line.
    """
    return Markup("".join(_shown(c) for c in content if c is not None))


def _shown(content: str) -> str:
    if isinstance(content, Markup):
        return content
    return verbatim(options_for_parameters(content))


def verbatim(text: str) -> Markup:
    """Return a text escaped and `visible`, with marked parameters kept.

    This suits data, and texts for users of the library.
    """
    return Markup(escape(visible(text)))


def hint(*content: Content) -> Markup:
    """Return a paragraph of explanation, styled less prominently than others."""
    return element("p", *content, class_="hint")


def json_script(document: object) -> Markup:
    """Return a JSON document in an inert script element.

    `<`, `>` and `&` are written as escapes, so that the content cannot end the element or open a
    comment. Numbers that JSON lacks become null.
    """
    text = json.dumps(_plain(document), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(f'<script type="application/json">{text}</script>')


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, str):
        # A lone surrogate (from a broken file name) cannot be encoded.
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        if value.is_integer() and abs(value) < 2**53:
            return int(value)
        return value
    return value


def table(
    listed: Table,
    *,
    digits: int = 3,
    first: Callable[[Record], Content] | None = None,
    long: bool = False,
    seeks: str | None = None,
) -> Markup:
    """Return a table; `first` makes the content of an additional first column, such as buttons.

    The first column of `listed` is the row header. A `long` table scrolls within the page, and one
    of more than `_SEARCHED` rows can be searched. On a narrow screen each row becomes a block,
    except in a matrix. If `seeks` is "annotators" or "categories", cells link to the unitary
    alignments behind them. Numbers have `digits` decimals.
    """
    matrix = any(c.tint for c in listed.columns)
    if first:
        heads = [element("td")]
    else:
        heads = []
    heads += [
        element("th", _title(c.header), scope="col", class_="number" if k and c.numeric else None)
        if c.tint is None
        else element("th", c.header, scope="col", class_="cell")
        for k, c in enumerate(listed.columns)
    ]
    rows = []
    for i, record in enumerate(listed.records):
        if first:
            cells = [element("td", first(record))]
        else:
            cells = []
        for k, c in enumerate(listed.columns):
            cells.append(
                _cell(c, record, digits, row=listed.columns[0] if k else None, seeks=seeks)
            )
        if i >= len(listed.records) - listed.total:
            kind = "total"
        else:
            kind = None
        rows.append(element("tr", *cells, class_=kind))
    shown = element(
        "div",
        element(
            "table",
            element("thead", element("tr", *heads)),
            element("tbody", *rows),
            class_=None if matrix else "records",
        ),
        class_="scroll long" if long else "scroll",
        tabindex="0" if long else None,
    )
    if not long or len(rows) <= _SEARCHED:
        return shown
    field = element("input", type="search", data_search=True, aria_label="Search this table")
    label = element("label", "Search ", field, " ", element("output"), class_="screen")
    return element("div", label, shown)


def _cell(
    column: Column, record: Record, digits: int, *, row: Column | None, seeks: str | None
) -> Markup:
    """Return a cell; `row` is the column with the row header, or None if this is it."""
    text = column.cell(record, digits)
    if row is None:
        return element("th", verbatim(text), scope="row", class_="name")
    if column.numeric:
        text = text.replace("-", "−")
    if column.key in TEXT_KEYS:
        content: Content = text
    else:
        content = verbatim(text)
    label = _title(column.header)
    if column.tint is None:
        if column.numeric:
            kind = "number"
        elif column.wrapped:
            kind = "wrapped"
        else:
            kind = None
        return element("td", content, class_=kind, data_label=label)
    tint = column.tint(record)
    if seeks and column.of(record):
        names = row.cell(record), column.header
        content = element(
            "button",
            content,
            type="button",
            class_="link",
            data_seek=seeks,
            data_first=names[0],
            data_second=names[1],
            aria_label=f"{text}: show where it is {names[0]} and {names[1]}",
        )
    if tint is None:
        return element("td", content or "·", class_="cell")
    strength = f"--share:{tint.share:.2f}"
    return element("td", content, class_=f"cell {tint.kind}", style=strength)


def _title(header: str) -> str:
    """Capitalise a title if it is a word; symbols such as γ and p are unchanged."""
    word = header[:1].isascii() and header.split()[:1] != ["p"]
    if word:
        return header[:1].upper() + header[1:]
    return header


def number(value: float | None, digits: int = 3) -> str:
    """Return a number for the page, with a minus sign as wide as a digit."""
    return record_tables.number(value, digits).replace("-", "−")
