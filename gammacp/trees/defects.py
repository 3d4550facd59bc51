"""Defects of treebanks: where they are, and how the published conventions treat them.

None of these stops the computation unless it is asked to be strict: Skjærholt's corpora have them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum

from gammacp.errors import DataError
from gammacp.trees.measures.annotations import Dependencies, Item, Sentence, Treebank


class Kind(StrEnum):
    """Kinds of defects."""

    CYCLE = "cycle"
    BAD_HEAD = "head out of range"
    SEVERAL_ROOTS = "several roots"
    TOKEN_COUNT = "token count"
    FORM = "form"
    GRAPH = "graph"
    SENTENCE = "sentence"
    STRAY = "stray text"
    ENHANCED = "enhanced dependency"
    LIMITS = "limits of a sentence"


# Sentences with defects of these kinds are not counted.
UNCOUNTED = (Kind.STRAY, Kind.LIMITS)
UNREAD = (Kind.GRAPH, Kind.SENTENCE, *UNCOUNTED)
UNSOUND = "it is not sound (see the defects)"


@dataclass(frozen=True)
class Defect:
    """A defect, with its place."""

    kind: Kind
    file: str
    line: int | None
    message: str

    def __str__(self) -> str:
        """Return `file:line: kind: message`."""
        place = self.file + (f":{self.line}" if self.line is not None else "")
        if place:
            return f"{place}: {self.kind}: {self.message}"
        return f"{self.kind}: {self.message}"

    def as_dict(self) -> dict[str, object]:
        """Return the defect as JSON."""
        return {**asdict(self), "kind": str(self.kind)}


def find_defects(treebank: Treebank) -> list[Defect]:
    """Return all defects inside sentences and between the annotations of a sentence.

    Parameters
    ----------
    treebank
        Treebank; it is not changed.
    """
    defects: list[Defect] = []
    for item in treebank.items:
        for sentence in item.annotations.values():
            if isinstance(sentence, Dependencies) and treebank.kind == "dependency":
                defects += _inside(sentence)
        if treebank.kind != "graph":
            defects += _between(item)
        else:
            defects += ()
    return defects


def _inside(sentence: Dependencies) -> Iterator[Defect]:
    n = sentence.n_tokens

    def defect(kind: Kind, token: int, message: str) -> Defect:
        if sentence.lines:
            line = sentence.lines[token - 1]
        else:
            line = None
        return Defect(kind, sentence.file, line, message)

    for token, head in enumerate(sentence.heads, start=1):
        if not 0 <= head <= n:
            fault = f"head {head} of token {token} in a sentence of {n} tokens"
            yield defect(Kind.BAD_HEAD, token, fault)
    for cycle in _cycles(sentence.heads):
        path = " → ".join(str(token) for token in (*cycle, cycle[0]))
        yield defect(Kind.CYCLE, cycle[0], f"tokens {path}")
    roots = [token for token, head in enumerate(sentence.heads, start=1) if head == 0]
    if len(roots) > 1:
        fault = f"tokens {', '.join(map(str, roots))} all have head 0"
        yield defect(Kind.SEVERAL_ROOTS, roots[1], fault)


def _cycles(heads: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the cycles of a sentence, each from its first token on."""
    passed: set[int] = set()
    for token in range(1, len(heads) + 1):
        path: list[int] = []
        while 0 < token <= len(heads) and token not in passed:
            passed.add(token)
            path.append(token)
            token = heads[token - 1]
        if token in path:
            cycle = path[path.index(token) :]
            start = cycle.index(min(cycle))
            yield (*cycle[start:], *cycle[:start])


def _between(item: Item) -> Iterator[Defect]:
    (first_name, first), *others = item.annotations.items()
    for name, sentence in others:
        line = sentence.line
        by = f"by {first_name} ({_place(first)})"
        if sentence.n_tokens != first.n_tokens:
            message = f"{sentence.n_tokens} tokens by {name}, {first.n_tokens} {by}"
            yield Defect(Kind.TOKEN_COUNT, sentence.file, line, message)
        elif sentence.forms and first.forms and sentence.forms != first.forms:
            k = _difference(first.forms, sentence.forms)
            if isinstance(sentence, Dependencies):
                line = sentence.lines[k]
            message = f"token {k + 1} is {sentence.forms[k]!r} by {name}, {first.forms[k]!r} {by}"
            yield Defect(Kind.FORM, sentence.file, line, message)


def _place(sentence: Sentence) -> str:
    if sentence.line is None:
        return sentence.file
    return f"{sentence.file}:{sentence.line}"


def _difference(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    pairs = zip(a, b, strict=False)
    return next((k for k, (x, y) in enumerate(pairs) if x != y), min(len(a), len(b)) - 1)


def require_sound(defects: Iterable[Defect]) -> None:
    """Strict mode: DataError at the first defect, with the number of all.

    Parameters
    ----------
    defects
        Result of `find_defects`.
    """
    listed = list(defects)
    if listed:
        rest = len(listed) - 1
        if rest:
            more = f"; {rest} more defect{'s' * (rest != 1)}"
        else:
            more = ""
        raise DataError(
            f"{listed[0].kind}: {listed[0].message}{more}",
            file=listed[0].file or None,
            line=listed[0].line,
            hint="Without `require_complete()` it is reported, and the rest is compared.",
        )
