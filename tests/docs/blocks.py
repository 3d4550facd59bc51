"""Code blocks of README and docs, with the notes in comments above them.

A block that begins with `$ ` is a session: its gammacp commands run and print what it shows. Other
blocks with gammacp commands have to parse. Blocks of Python run, in one namespace per page. A
comment directly above a block adds a note:

`<!-- file: NAME -->`
    the block is the content of that file, which later blocks use
`<!-- output: COMMAND -->`
    the block is the output of the command
`<!-- data: FOLDER as NAME -->`
    the block needs a folder of `shared/data`, which does not ship; without it the block is skipped
`<!-- slow -->`
    the block is run by `pytest -m slow` only
`<!-- measured -->`
    times differ from run to run: any number matches a number with a decimal point
`<!-- not run: REASON -->`
    the commands of the block have to parse, and are not run
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
PAGES = tuple(
    str(path.relative_to(ROOT))
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if path.is_file()
)
_NOTE = re.compile(r"<!--\s*(file|output|data|slow|measured|not run)(?::\s*(.*?))?\s*-->", re.S)
# Placeholders for anything, and parts that differ from run to run.
_ANY = re.compile(
    r"(?P<any>…)"
    r"|(?P<seconds>\b\d+(\.\d+)? s\b)"
    r"|(?P<date>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)"
    r"|(?P<rule>─+)"
)
_MEASURED = re.compile(rf"{_ANY.pattern}|(?P<number>\b\d+\.\d+\b)")
_PATTERNS = {
    "any": ".*?",
    "seconds": r"[\d.]+ s",
    "date": r"[-\d]+ [:\d]+",
    "rule": "─+",
    "number": r"[\d.,]+",
}


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    page: str
    line: int
    language: str
    text: str
    notes: tuple[tuple[str, str], ...]

    def note(self, kind: str) -> str | None:
        """Return the text of a note of that kind, or None without such a note."""
        return next((text for name, text in self.notes if name == kind), None)

    @property
    def is_session(self) -> bool:
        return self.text.startswith("$ ")

    @property
    def location(self) -> str:
        return f"{self.page}:{self.line}"


@cache
def blocks(page: str) -> tuple[Block, ...]:
    """Return the fenced blocks of a page, without those of Sphinx's directives."""
    tokens = MarkdownIt().parse((ROOT / page).read_text(encoding="utf-8"))
    page_blocks = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type != "fence" or token.info.startswith("{"):
            continue
        above = before.content if before is not None and before.type == "html_block" else ""
        notes = tuple((kind, text or "") for kind, text in _NOTE.findall(above))
        line = token.map[0] + 1 if token.map else 0
        page_blocks.append(Block(page, line, token.info.strip(), token.content, notes))
    return tuple(page_blocks)


def session(text: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a session and the output shown below it."""
    for part in re.split(r"^\$ ", text.replace("\\\n", " "), flags=re.M)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def commands(text: str) -> Iterator[list[str]]:
    """Yield the words of the gammacp commands in a text, without redirections and comments."""
    for line in text.replace("\\\n", " ").splitlines():
        for part in re.split(r"&&|;|\|(?!\w)", line):
            match = re.search(r"(?:^|[\s/:$])(gammacp\s+[a-z-].*)", part)
            if match:
                yield words(match[1])


def words(command: str) -> list[str]:
    """Return the words of a command, without redirections, comments and signs for "and so on"."""
    tokens = [token for token in shlex.split(command, comments=True) if token != "…"]
    return [token.removesuffix("…") for token in tokens if not re.match(r"\d?>", token)]


def pattern(shown: str, *, measured: bool = False) -> re.Pattern[str]:
    """Return the pattern that output must match: the words shown, however lines are broken."""
    text = " ".join(shown.split())
    parts, last = [], 0
    for match in (_MEASURED if measured else _ANY).finditer(text):
        parts += [re.escape(text[last : match.start()]), _PATTERNS[match.lastgroup or "any"]]
        last = match.end()
    return re.compile("".join(parts) + re.escape(text[last:]), re.S)


def matches(shown: str, printed: str, *, measured: bool = False) -> bool:
    """Return whether the output matches what is shown; a line with the seed may be left out."""
    if not re.search(r"^seed \d", shown, re.M):
        printed = re.sub(r"^seed \d.*$", "", printed, flags=re.M)
    return bool(pattern(shown, measured=measured).fullmatch(" ".join(printed.split())))
