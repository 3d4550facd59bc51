"""Phrase structure from Penn Treebank brackets, with words or without.

With words, `(S (NP (PRP I)) (VP (VBD saw) (NP (DT the) (NN dog))))`: every word is alone in its
bracket and is taken off the tree, since only the structure is compared (Skjærholt 2014, §2).
Delexicalised, `(S (NP P) (VP V (NP D N)))`: bare labels are leaves and stay. `leaves="auto"` takes
a file as delexicalised as soon as one bare label has a sibling. An unlabelled outer bracket,
`( (S …))`, is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gammacp.errors import DataError, UsageError
from gammacp.syntax.annotations import Phrase
from gammacp.syntax.text import read_lines
from gammacp.syntax.trees import Nested

LEAVES = ("auto", "words", "labels")
_SYMBOL = re.compile(r"[()]|[^\s()]+")


@dataclass
class _Bracket:
    label: str
    line: int
    children: list[_Bracket | str] = field(default_factory=list)


@dataclass(frozen=True)
class BracketFile:
    """The bracketings of a file before it is settled what a bare symbol is."""

    path: Path
    roots: tuple[_Bracket, ...]

    @property
    def delexicalised(self) -> bool:
        """Whether a bare symbol has a sibling, as words never have."""
        pending = list(self.roots)
        while pending:
            bracket = pending.pop()
            inner = [child for child in bracket.children if isinstance(child, _Bracket)]
            if len(inner) < len(bracket.children) and len(bracket.children) > 1:
                return True
            pending += inner
        return False

    def phrases(self, *, words: bool, size: str = "leaves") -> list[Phrase]:
        """The trees; bare symbols are `words`, or else labels of leaves."""
        return [self._phrase(root, words, size) for root in self.roots]

    def _phrase(self, root: _Bracket, words: bool, size: str) -> Phrase:
        # Children first, so that a node can be built when its children are there.
        built: dict[int, Nested] = {}
        order, pending = [], [root]
        while pending:
            bracket = pending.pop()
            order.append(bracket)
            pending += [c for c in bracket.children if isinstance(c, _Bracket)]
        for bracket in reversed(order):
            children: list[Nested] = []
            for child in bracket.children:
                if isinstance(child, _Bracket):
                    children.append(built[id(child)])
                elif not words:
                    children.append((child, ()))
            built[id(bracket)] = (bracket.label, tuple(children))
        forms = _words(root, self.path) if words else []
        nested = built[id(root)]
        return Phrase(nested, tuple(forms), str(self.path), root.line, None, size)


def _words(root: _Bracket, path: Path) -> list[str]:
    words: list[str] = []
    pending = [root]
    while pending:
        bracket = pending.pop()
        inner = [child for child in bracket.children if isinstance(child, _Bracket)]
        bare = [child for child in bracket.children if isinstance(child, str)]
        if bare and len(bracket.children) > 1:
            raise DataError(
                f"word {bare[0]!r} is not alone in its bracket",
                file=path,
                line=bracket.line,
                hint="If such symbols are labels, say --leaves labels.",
            )
        words += bare
        pending += reversed(inner)
    return words


def read_brackets(path: Path, *, encoding: str = "utf-8") -> BracketFile:
    """Parse a file of bracketed trees, one or several lines each.

    Unbalanced brackets, text outside of them and brackets without a label raise DataError.
    """
    roots: list[_Bracket] = []
    open_brackets: list[_Bracket] = []
    expects_label = False
    for number, line in enumerate(read_lines(path, encoding=encoding), start=1):
        for symbol in _SYMBOL.findall(line):
            if symbol == "(":
                bracket = _Bracket("", number)
                if open_brackets:
                    open_brackets[-1].children.append(bracket)
                else:
                    roots.append(bracket)
                open_brackets.append(bracket)
                expects_label = True
                continue
            if not open_brackets:
                what = "')' without its '('" if symbol == ")" else f"{symbol!r} outside of brackets"
                raise DataError(
                    what, file=path, line=number, hint="A tree is one balanced pair of brackets."
                )
            if symbol == ")":
                _close(open_brackets.pop(), path, number)
            elif expects_label:
                open_brackets[-1].label = symbol
            else:
                open_brackets[-1].children.append(symbol)
            expects_label = False
    if open_brackets:
        raise DataError(
            f"'(' of {open_brackets[0].label!r} is never closed",
            file=path,
            line=open_brackets[0].line,
            hint=f"{len(open_brackets)} ')' are missing at the end of the file or before.",
        )
    if not roots:
        raise DataError("no tree found", file=path, hint="Is this a file of bracketed trees?")
    return BracketFile(path, tuple(_unwrapped(root) for root in roots))


def _close(bracket: _Bracket, path: Path, line: int) -> None:
    if not bracket.label and not bracket.children:
        raise DataError("brackets with nothing in them", file=path, line=line)


def _unwrapped(root: _Bracket) -> _Bracket:
    only = root.children[0] if len(root.children) == 1 else None
    return only if not root.label and isinstance(only, _Bracket) else root


def settle_leaves(files: Sequence[BracketFile], leaves: str = "auto") -> bool:
    """Whether bare symbols are words, for all files of a treebank alike."""
    if leaves not in LEAVES:
        raise UsageError(f"leaves {leaves!r} is not one of: {', '.join(LEAVES)}")
    if leaves == "auto":
        return not any(file.delexicalised for file in files)
    return leaves == "words"
