"""What is wrong with a treebank: where, and what the published conventions make of it.

None of these stops the computation unless it is asked to be strict: Skjærholt's corpora have them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum

from gammacp.errors import DataError
from gammacp.syntax.annotations import Dependencies, Item, Sentence, Treebank
from gammacp.syntax.trees import unreachable_tokens


class Kind(StrEnum):
    """What can be wrong."""

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


# After these sentences cannot be counted.
UNCOUNTED = (Kind.STRAY, Kind.LIMITS)
UNREAD = (Kind.GRAPH, Kind.SENTENCE, *UNCOUNTED)
UNSOUND = "it is not sound (see the defects)"


@dataclass(frozen=True)
class Defect:
    """One thing that is wrong, and its place."""

    kind: Kind
    file: str
    line: int | None
    message: str

    def __str__(self) -> str:
        """`file:line: kind: message`."""
        place = self.file + (f":{self.line}" if self.line is not None else "")
        return f"{place}: {self.kind}: {self.message}" if place else f"{self.kind}: {self.message}"

    def as_dict(self) -> dict[str, object]:
        """The JSON of a defect."""
        return {**asdict(self), "kind": str(self.kind)}


def find_defects(treebank: Treebank) -> list[Defect]:
    """Everything wrong inside sentences and between the annotations of a sentence.

    Parameters
    ----------
    treebank
        It stays as it is.
    """
    found: list[Defect] = []
    for item in treebank.items:
        for sentence in item.annotations.values():
            if isinstance(sentence, Dependencies) and treebank.kind == "dependency":
                found += _inside(sentence)
        found += _between(item) if treebank.kind != "graph" else ()
    return found


def _line(sentence: Dependencies, token: int) -> int | None:
    return sentence.lines[token - 1] if sentence.lines else None


def _inside(sentence: Dependencies) -> Iterator[Defect]:
    n = sentence.n_tokens
    for token, head in enumerate(sentence.heads, start=1):
        if not 0 <= head <= n:
            yield Defect(
                Kind.BAD_HEAD,
                sentence.file,
                _line(sentence, token),
                f"head {head} of token {token} in a sentence of {n} tokens",
            )
    for cycle in _cycles(sentence.heads):
        path = " → ".join(str(token) for token in (*cycle, cycle[0]))
        yield Defect(Kind.CYCLE, sentence.file, _line(sentence, cycle[0]), f"tokens {path}")
    roots = [token for token, head in enumerate(sentence.heads, start=1) if head == 0]
    if len(roots) > 1:
        yield Defect(
            Kind.SEVERAL_ROOTS,
            sentence.file,
            _line(sentence, roots[1]),
            f"tokens {', '.join(map(str, roots))} all have head 0",
        )


def _cycles(heads: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The cycles of a sentence, each from its first token on."""
    lost = set(unreachable_tokens(heads))
    while lost:
        path: list[int] = []
        token = min(lost)
        while token in lost:
            lost.discard(token)
            path.append(token)
            token = heads[token - 1]
        if token in path:
            cycle = path[path.index(token) :]
            start = cycle.index(min(cycle))
            yield (*cycle[start:], *cycle[:start])


def _between(item: Item) -> Iterator[Defect]:
    (first_name, first), *others = item.annotations.items()
    for name, sentence in others:
        if sentence.n_tokens != first.n_tokens:
            yield Defect(
                Kind.TOKEN_COUNT,
                sentence.file,
                sentence.line,
                f"{sentence.n_tokens} tokens by {name}, {first.n_tokens} by {first_name} "
                f"({_place(first)})",
            )
        elif sentence.forms and first.forms and sentence.forms != first.forms:
            k = _difference(first.forms, sentence.forms)
            line = sentence.lines[k] if isinstance(sentence, Dependencies) else sentence.line
            yield Defect(
                Kind.FORM,
                sentence.file,
                line,
                f"token {k + 1} is {sentence.forms[k]!r} by {name}, {first.forms[k]!r} by "
                f"{first_name} ({_place(first)})",
            )


def _place(sentence: Sentence) -> str:
    return sentence.file if sentence.line is None else f"{sentence.file}:{sentence.line}"


def _difference(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    pairs = zip(a, b, strict=False)
    return next((k for k, (x, y) in enumerate(pairs) if x != y), min(len(a), len(b)) - 1)


def require_sound(defects: Iterable[Defect]) -> None:
    """Strict mode: DataError at the first defect, with the number of all.

    Parameters
    ----------
    defects
        What `find_defects` returned.
    """
    listed = list(defects)
    if listed:
        rest = len(listed) - 1
        more = f"; {rest} more defect{'s' * (rest != 1)}" if rest else ""
        raise DataError(
            f"{listed[0].kind}: {listed[0].message}{more}",
            file=listed[0].file or None,
            line=listed[0].line,
            hint="Without --strict it is reported, and the rest is compared.",
        )
