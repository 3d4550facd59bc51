"""Conventions of treebanks that decide what counts: subtypes, function tags, punctuation, traces.

Universal Dependencies compares relations without subtypes (`nsubj:pass` is `nsubj`), the Penn
Treebank categories without function tags and indices (`NP-SBJ-1`, `NP=2` are `NP`). Punctuation is
what consists of characters that Unicode calls so, as in the shared tasks of CoNLL: its tokens are
taken out of dependency trees, and what hangs on them hangs on their heads then. Traces are
constituents without words, `(-NONE- *T*-1)`, and what has only such below it.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gammacp.base.arguments import one_of
from gammacp.base.left_out import Tally
from gammacp.errors import UsageError
from gammacp.trees.measures.annotations import Dependencies, error_in

_EVERY = ("dependency", "enhanced", "phrase", "graph")
# What each option may be, its default first, and for which kinds of trees.
CONVENTIONS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "leaves": {"auto": _EVERY, "words": ("phrase",), "labels": ("phrase",)},
    "size": {"leaves": _EVERY, "nodes": ("phrase",)},
    "ignore": {"": _EVERY, "punct": ("dependency", "enhanced"), "traces": ("phrase",)},
    "labels": {"all": _EVERY, "universal": ("dependency",), "categories": ("phrase",)},
}
_TAGS = re.compile(r"(?<=.)[-=].*", re.DOTALL)
_COLUMNS = ("relations", "forms", "lemmas", "upos", "xpos", "features", "lines")
TRACE = "-NONE-"


def check_conventions(kind: str, how: Mapping[str, str]) -> None:
    """Raise UsageError for a convention that is unknown or for other kinds of trees.

    Parameters
    ----------
    kind
        One of `gammacp.trees.treebank.KINDS`.
    how
        A value of each option of `CONVENTIONS`.
    """
    for option, value in how.items():
        kinds_by_value = CONVENTIONS[option]
        if value:
            one_of(option, value, filter(None, kinds_by_value))
        if kind not in kinds_by_value[value]:
            raise UsageError(f"{option} {value!r} is not for {kind} trees")


def by_convention(
    sentence: Dependencies, *, labels: str = "all", ignore: str = "", tally: Tally | None = None
) -> Dependencies:
    """Return the sentence reduced to what counts under the conventions.

    Parameters
    ----------
    sentence
        Sentence as it was read.
    labels
        "universal": without subtypes of relations.
    ignore
        "punct": without punctuation.
    tally
        Counts what is ignored.

    Raises
    ------
    DataError
        Punctuation of a sentence without words is not known.
    """
    if ignore == "punct":
        converted = without_punctuation(sentence, tally)
    else:
        converted = sentence
    if labels == "universal":
        converted = replace(
            converted, relations=tuple(r.split(":")[0] for r in converted.relations)
        )
    return converted


def is_punctuation(form: str) -> bool:
    """Return whether all characters are punctuation in Unicode (categories P…).

    Parameters
    ----------
    form
        A word.

    >>> is_punctuation("…"), is_punctuation("'s"), is_punctuation("$")
    (True, False, False)
    """
    return form != "_" and all(unicodedata.category(c).startswith("P") for c in form)


def without_punctuation(sentence: Dependencies, tally: Tally | None = None) -> Dependencies:
    """Return the sentence without punctuation, unless it consists of nothing else.

    Parameters
    ----------
    sentence
        Sentence with its words.
    tally
        Counts the tokens.

    Raises
    ------
    DataError
        The sentence has no words.

    >>> s = Dependencies((2, 0, 2, 3), ("subj", "root", "punct", "obj"), ("I", "say", ":", "no"))
    >>> without_punctuation(s).heads
    (2, 0, 2)
    """
    if set(sentence.forms) <= {"_"}:
        fault = "punctuation is recognised by the words, and this sentence has none"
        raise error_in(sentence, fault, hint="Leave out `ignore=punct`.")
    word_numbers = [t for t, form in enumerate(sentence.forms, start=1) if not is_punctuation(form)]
    if not word_numbers or len(word_numbers) == sentence.n_tokens:
        return sentence
    if tally is not None:
        tally.add("token", "punctuation", sentence.n_tokens - len(word_numbers))
    number = {token: k for k, token in enumerate(word_numbers, start=1)}

    def head_of(token: int) -> int:
        passed = {token}
        head = sentence.heads[token - 1]
        while 0 < head <= sentence.n_tokens and head not in number and head not in passed:
            passed.add(head)
            head = sentence.heads[head - 1]
        # A token attached to a cycle of punctuation has no head left: it becomes a cycle of its
        # own.
        inside = 0 < head <= sentence.n_tokens
        return number.get(head, number.get(token, 0) if inside else head)

    columns: dict[str, Any] = {}
    for name in _COLUMNS:
        values = getattr(sentence, name)
        columns[name] = tuple(values[t - 1] for t in word_numbers) if values else ()
    # Edges use the new numbers of their words; those of empty nodes do not change.
    new = {str(t): str(number.get(t, head_of(t))) for t in range(1, sentence.n_tokens + 1)}
    gone = {t for t in new if int(t) not in number}
    edges = ((new.get(h, h), r, new.get(d, d)) for h, r, d in sentence.enhanced if d not in gone)
    ranges = [
        ([number[t] for t in range(a, b + 1) if t in number], form)
        for a, b, form in sentence.multiword
    ]
    return replace(
        sentence,
        heads=tuple(map(head_of, word_numbers)),
        **columns,
        enhanced=tuple(dict.fromkeys(edges)),
        multiword=tuple((inside[0], inside[-1], form) for inside, form in ranges if inside),
    )


def category(label: str) -> str:
    """Return a Penn label without function tags and indices; `-LRB-` and `-NONE-` are kept.

    >>> category("NP-SBJ-1"), category("NP=2"), category("-LRB-")
    ('NP', 'NP', '-LRB-')
    """
    if label.startswith("-"):
        return label
    return _TAGS.sub("", label)
