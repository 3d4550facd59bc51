"""Phrase structure from Penn Treebank brackets, with words or without.

With words, `(S (NP (PRP I)) (VP (VBD saw) (NP (DT the) (NN dog))))`: every word is alone in its
bracket and is taken off the tree, since only the structure is compared (Skjærholt 2014, §2).
Delexicalised, `(S (NP P) (VP V (NP D N)))`: bare labels are leaves and are kept. `leaves="auto"`
decides by siblings, which words never have. A treebank whose bare symbols have no siblings has
words. One in which at least a quarter of the bare symbols have siblings is delexicalised. A smaller
share is an error. An unlabelled outer bracket, `( (S …))`, is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from gammacp.base.arguments import one_of
from gammacp.base.left_out import Tally
from gammacp.errors import DataError
from gammacp.formats.boundary import guard
from gammacp.trees.conventions import CONVENTIONS, TRACE, category
from gammacp.trees.measures.annotations import Phrase
from gammacp.trees.measures.tree import Nested
from gammacp.trees.text import read_lines

# Least share of bare symbols with a sibling if they are labels. In phrase structure of any depth
# the share is at least a half; typing errors give far less.
_LABELS_FROM = 0.25
_ENOUGH = 20  # bare symbols of a file that would not all be alone by accident
_SYMBOL = re.compile(r"[()]|[^\s()]+")


@dataclass
class _Bracket:
    label: str
    line: int
    children: list[_Bracket | str] = field(default_factory=list)


@dataclass(frozen=True)
class BracketFile:
    """The bracketings of a file, before the meaning of bare symbols is decided."""

    path: Path
    roots: tuple[_Bracket, ...]

    @cached_property
    def bare(self) -> tuple[int, tuple[tuple[str, int], ...]]:
        """Count the bare symbols; list those with a sibling, with their lines."""
        count = 0
        beside: list[tuple[str, int]] = []
        for bracket in (b for root in self.roots for b in _below(root)):
            symbols = [child for child in bracket.children if isinstance(child, str)]
            count += len(symbols)
            if len(bracket.children) > 1:
                beside += [(symbol, bracket.line) for symbol in symbols]
        return count, tuple(beside)

    def phrases(
        self,
        *,
        words: bool,
        size: str = "leaves",
        labels: str = "all",
        ignore: str = "",
        tally: Tally | None = None,
    ) -> list[Phrase]:
        """Return the trees of the file.

        Bare symbols are words if `words` is true, or else labels of leaves. `labels` and `ignore`
        are described in `gammacp.trees.conventions`; `tally` counts traces.
        """
        if ignore == "traces":
            for root in self.roots:
                _drop_traces(root, tally)
        change = category if labels == "categories" else str
        return [self._phrase(root, words, size, change) for root in self.roots]

    def _phrase(
        self, root: _Bracket, words: bool, size: str, change: Callable[[str], str]
    ) -> Phrase:
        # Build children before their bracket, the last one first, so that the first one is on top
        # of the stack.
        built: list[Nested] = []
        for bracket in reversed(list(_below(root))):
            children: list[Nested] = []
            for child in bracket.children:
                if isinstance(child, _Bracket):
                    children.append(built.pop())
                elif not words:
                    children.append((change(child), ()))
            built.append((change(bracket.label), tuple(children)))
        if words:
            forms = _words(root, self.path)
        else:
            forms = []
        (nested,) = built
        return Phrase(nested, tuple(forms), str(self.path), root.line, None, size)


def _below(root: _Bracket) -> Iterator[_Bracket]:
    """Yield a bracket and all brackets inside it, each before its children."""
    pending = [root]
    while pending:
        bracket = pending.pop()
        yield bracket
        pending += [c for c in reversed(bracket.children) if isinstance(c, _Bracket)]


def _drop_traces(root: _Bracket, tally: Tally | None) -> None:
    """Remove traces, and brackets that contain nothing else.

    A sentence that consists of traces alone is kept.
    """
    empty: list[bool] = []  # a stack, as in `_phrase`
    for bracket in reversed(list(_below(root))):
        gone = [c == TRACE or (isinstance(c, _Bracket) and empty.pop()) for c in bracket.children]
        children = [c for c, lost in zip(bracket.children, gone, strict=True) if not lost]
        dropped = sum(c == TRACE for c in bracket.children) + (bracket.label == TRACE)
        if tally is not None:
            tally.add("trace", "nothing of the text", dropped)
        empty.append(bracket.label == TRACE or not children)
        if not empty[-1]:
            bracket.children[:] = children


def _words(root: _Bracket, path: Path) -> list[str]:
    words: list[str] = []
    for bracket in _below(root):
        bare = [child for child in bracket.children if isinstance(child, str)]
        if bare and len(bracket.children) > 1:
            raise DataError(
                f"word {bare[0]!r} is not alone in its bracket",
                file=path,
                line=bracket.line,
                hint="If such symbols are labels, say `leaves=labels`.",
            )
        words += bare
    return words


@guard
def read_brackets(path: Path, *, encoding: str = "utf-8") -> BracketFile:
    """Parse a file of bracketed trees, of one or several lines each.

    Unbalanced brackets, text outside of brackets and brackets without a label raise DataError.
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
                if symbol == ")":
                    what = "')' without its '('"
                else:
                    what = f"{symbol!r} outside of brackets"
                raise DataError(
                    what, file=path, line=number, hint="A tree is one balanced pair of brackets."
                )
            if symbol == ")":
                closed = open_brackets.pop()
                if not closed.label and not closed.children:
                    raise DataError("brackets with nothing in them", file=path, line=number)
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
    return BracketFile(path, tuple(_unwrap(root) for root in roots))


def _unwrap(root: _Bracket) -> _Bracket:
    if len(root.children) == 1:
        only = root.children[0]
    else:
        only = None
    if not root.label and isinstance(only, _Bracket):
        return only
    return root


def settle_leaves(files: Sequence[BracketFile], leaves: str = "auto") -> bool:
    """Decide for all files of a treebank together whether bare symbols are words.

    Parameters
    ----------
    files
        Files of all annotators.
    leaves
        "words", "labels", or "auto": as the module says.

    Raises
    ------
    UsageError
        `leaves` is unknown.
    DataError
        With "auto", few bare symbols have a sibling: either they are slips among words, or most
        files have words and a few have none.
    """
    one_of("leaves", leaves, CONVENTIONS["leaves"])
    if leaves != "auto":
        return leaves == "words"
    count = sum(file.bare[0] for file in files)
    odd = [(file, *place) for file in files for place in file.bare[1]]
    if not odd:
        return True
    if len(odd) < _LABELS_FROM * count:
        file, symbol, line = min(odd, key=lambda place: (files.index(place[0]), place[2]))
        raise DataError(
            f"{symbol!r} has a sibling in its bracket, but a word has none ({len(odd)} of "
            f"{count} bare symbols of the treebank have one)",
            file=file.path,
            line=line,
            hint="Put each word into a bracket of its own, or say `leaves=labels`.",
        )
    mixed = next((f for f in files if f.bare[0] >= _ENOUGH and not f.bare[1]), None)
    if mixed is not None:
        raise DataError(
            f"every bare symbol is alone in its bracket, like a word, but not in {odd[0][0].path}",
            file=mixed.path,
            line=mixed.roots[0].line,
            hint="Take the words off everywhere or nowhere, or say `leaves=labels`.",
        )
    return False
