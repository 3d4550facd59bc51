"""Conventions of counting characters, against encoders and replacements in texts."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable

import pytest

from gammacp.formats.offsets import Convention, conventions

# The text as a tool of each convention sees it, made without our code.
RETOLD: dict[str, Callable[[str], str]] = {
    "from-1": lambda text: "\ufeff" + text,
    "no-mark": lambda text: text.removeprefix("\ufeff"),
    "crlf-as-one": lambda text: text.replace("\r\n", "\n"),
    "crlf-as-two": lambda text: re.sub("(?<!\r)\n", "\r\n", text),
    "nfc": lambda text: unicodedata.normalize("NFC", text),
    "nfd": lambda text: unicodedata.normalize("NFD", text),
    "blanks": lambda text: re.sub(r"\s+", " ", text),
    "trimmed": lambda text: re.sub(r"\s+", " ", text).strip(),
}
ENCODINGS = {"utf-16": ("utf-16-le", 2), "utf-8": ("utf-8", 1)}
CHARACTERS = ["a", "b", " ", "\n", "\r\n", "😊", "é", "한", "e\u0301", "\ufeff", "ο\u0308", "각"]


def as_told(text: str, convention: Convention) -> tuple[Callable[[int, int], str], int]:
    """Return the tool's text between two of its offsets, and the number of its positions."""
    for part in convention.parts:
        text = RETOLD.get(part.name, str)(text)
    coding, width = next(
        (ENCODINGS[part.name] for part in convention.parts if part.name in ENCODINGS),
        ("utf-32-le", 4),
    )
    content = text.encode(coding)
    return lambda s, e: content[s * width : e * width].decode(coding), len(content) // width


def plain(text: str) -> str:
    text = re.sub(r"\s+", " ", text)
    return unicodedata.normalize("NFC", text).replace("\ufeff", "")


@pytest.mark.parametrize("convention", [*conventions()], ids=lambda c: c.name)
def test_text_between_two_offsets_is_that_of_the_tool(convention: Convention) -> None:
    draw = random.Random(convention.name)
    for _ in range(25):
        text = "".join(draw.choices(CHARACTERS, k=draw.randint(0, 9)))
        between, length = as_told(text, convention)
        counted = convention.of(text)
        places = [counted.place(k) for k in range(length + 1)]
        sure = [(k, place) for k, place in enumerate(places) if place is not None]
        assert [place for _, place in sure] == sorted(place for _, place in sure)
        assert sure[-1][0] == length
        for k, start in sure:
            for m, end in (later for later in sure if later[0] >= k):
                assert plain(text[start:end]) == plain(between(k, m)), (text, k, m)


def test_offsets_beyond_the_text_stay_beyond() -> None:
    for convention in conventions():
        _, length = as_told("a😊\r\nb", convention)
        assert convention.of("a😊\r\nb").place(length + 3) == 8, convention.name
        assert convention.of("a😊\r\nb").place(-1) == -1


def test_conventions_of_one_part_come_first() -> None:
    sizes = [len(convention.parts) for convention in conventions()]
    assert sizes == sorted(sizes)
    assert len({convention.name for convention in conventions()}) == len(sizes)
