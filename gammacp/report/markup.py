"""HTML from Python values; everything that is not `Markup` is escaped.

Annotators, categories, file names and texts come from users and may hold anything, `</script>`
included. They reach the page through `element` (escaped) or `json_script` (escaped for JSON inside
a script element) and by no other way.
"""

from __future__ import annotations

import json
import math
from html import escape
from typing import Any


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


Content = str | Markup | None


def element(tag: str, *content: Content, **attributes: object) -> Markup:
    """`<tag attributes>content</tag>`; None is left out.

    Attribute names take underscores for hyphens, and a trailing one where Python needs it
    (`class_`, `data_part`); True is a bare attribute, None and False none.

    >>> element("td", "a < b", class_="x")
    '<td class="x">a &lt; b</td>'
    """
    head = tag
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        key = name.rstrip("_").replace("_", "-")
        head += f" {key}" if value is True else f' {key}="{escape(str(value))}"'
    return Markup(f"<{head}>{join(*content)}</{tag}>")


def join(*content: Content) -> Markup:
    """The parts one after the other, escaped where they are plain text."""
    return Markup(
        "".join(c if isinstance(c, Markup) else escape(c) for c in content if c is not None)
    )


def json_script(document: object) -> Markup:
    """A JSON document in an inert script element.

    `<`, `>` and `&` are written as escapes, so that nothing in it can end the element or open a
    comment; numbers that JSON does not have are null.
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
        # Half of a surrogate pair (from a broken file name) cannot be encoded.
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    return value


def table(
    columns: list[str],
    rows: list[list[Content]],
    *,
    caption: Content = None,
    numeric: tuple[int, ...] = (),
    long: bool = False,
) -> Markup:
    """A table whose first column is the row's header; `numeric` columns are right-aligned.

    A `long` one scrolls in a window of its own on screen.
    """
    head = element(
        "tr",
        *(
            element("th", name, scope="col", class_="number" if i in numeric else None)
            for i, name in enumerate(columns)
        ),
    )
    body = [
        element(
            "tr",
            *(
                element("th", cell, scope="row", class_="name")
                if i == 0
                else element("td", cell, class_="number" if i in numeric else None)
                for i, cell in enumerate(row)
            ),
        )
        for row in rows
    ]
    return element(
        "div",
        element(
            "table",
            element("caption", caption) if caption else None,
            element("thead", head),
            element("tbody", *body),
        ),
        class_="scroll long" if long else "scroll",
        tabindex="0" if long else None,
    )


def number(value: float | None, digits: int = 3) -> str:
    """A number for the page; "–" where there is none."""
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:.{digits}f}".replace("-", "−")


def between(interval: tuple[float, float] | None, digits: int = 3) -> str:
    """An interval for the page."""
    return "–" if interval is None else " to ".join(number(v, digits) for v in interval)
