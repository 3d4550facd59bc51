"""Pairing of the same sentences of several annotators by their words, whatever their order.

Two annotators' sentences of a document are paired in four steps. Each step pairs what the steps
before it have left:

1. *Number.* Where both have the same running text in equally many sentences, the k-th belongs to
   the k-th: so published values were paired, where the text is split at different places, too.
2. *Equal words.* A sentence that occurs once on either side is paired; from a pair on, equal
   neighbours are paired outwards (Heckel 1978), which settles most sentences that occur more than
   once, and what is moved is found. Of equal sentences those with one name (`# sent_id`) go first,
   the others by their order.
3. *Similar words.* Pairs with more than half of their words in common (Dice over multisets) are
   assigned so that the sum of what they have beyond that half is largest; one name, and neighbours
   that are paired with each other, add a little.
4. The rest has no partner. It is counted, never paired by position.

Words are compared without regard to case and Unicode composition (NFC). Further annotators are
paired with the sentences found so far, after the one with the most sentences. Without words,
sentences are paired by name, if at least half of the names occur on the other side. Otherwise they
are paired by order; if the numbers of sentences differ, sentences with equal numbers of tokens are
aligned.

References
----------
Heckel 1978. A technique for isolating differences between files. CACM 21(4).
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import chain
from typing import TypeAlias

import numpy as np

from gammacp.base.arguments import one_of
from gammacp.base.left_out import LeftOut
from gammacp.base.matching import largest_matching
from gammacp.errors import DataError
from gammacp.trees.measures.annotations import Item, Sentence

PAIRINGS = ("auto", "order", "id")
MORE_THAN = 0.5
_SAME_NAME = 0.1
_NEIGHBOUR = 0.02
_ORDER = 1e-6
_BLOCK = 512

Words: TypeAlias = tuple[str, ...]
Pairs: TypeAlias = dict[int, int]


@dataclass(frozen=True)
class SentenceSide:
    """Sentences on one side of a pairing: words (empty if unknown), names and lengths."""

    words: tuple[Words, ...]
    names: tuple[str | None, ...]
    lengths: tuple[int, ...]

    @classmethod
    def of(cls, sentences: Sequence[Sentence]) -> SentenceSide:
        """Return the side of these sentences, with words in lower case and composed form."""
        return cls(
            tuple(_words(s) for s in sentences),
            tuple(s.name for s in sentences),
            tuple(s.n_tokens for s in sentences),
        )

    def __len__(self) -> int:
        """Return the number of sentences."""
        return len(self.words)

    @property
    def has_names(self) -> bool:
        """Return whether each sentence has a name of its own."""
        return None not in self.names and len(set(self.names)) == len(self.names)


def pair_sentences(
    document: str, annotations: Mapping[str, Sequence[Sentence]], *, pairing: str = "auto"
) -> tuple[list[Item], list[LeftOut]]:
    """Pair the sentences of a document's annotators, and count those without a partner.

    Parameters
    ----------
    document
        Name of the document.
    annotations
        Sentences by annotator, in the order of their file.
    pairing
        "auto": by words, see above; "order": the k-th with the k-th; "id": equal `# sent_id`.

    Returns
    -------
    Items in the order of the annotator with the most sentences, with any others after their
    predecessors; and the number of sentences that only one annotator has, per file.

    Raises
    ------
    UsageError
        `pairing` is unknown.
    DataError
        Sentences are paired by id, but have no sent_id or share one.

    >>> from gammacp.trees.measures.annotations import Dependencies
    >>> a, b = (Dependencies((0,), ("root",), (word,)) for word in ("yes", "no"))
    >>> items, left = pair_sentences("d", {"Ann": [a, b], "Ben": [b]})
    >>> [list(item.annotations) for item in items], left[0].count
    ([['Ann'], ['Ann', 'Ben']], 1)
    """
    one_of("pairing", pairing, PAIRINGS)
    longest = max(annotations, key=lambda a: len(annotations[a]))
    rows: list[dict[str, int]] = [{longest: k} for k in range(len(annotations[longest]))]
    for annotator, sentences in annotations.items():
        if annotator == longest:
            continue
        side = SentenceSide.of([_first(row, annotations) for row in rows])
        pairs = _pair(side, SentenceSide.of(sentences), pairing, document, sentences)
        _join(rows, pairs, annotator, len(sentences))
    items = []
    for row in rows:
        k = next(iter(row.values()))
        ordered = {a: sentences[row[a]] for a, sentences in annotations.items() if a in row}
        items.append(Item(document, next(iter(ordered.values())).name or str(k + 1), ordered))
    return items, without_partner(items, len(annotations))


def _first(row: Mapping[str, int], annotations: Mapping[str, Sequence[Sentence]]) -> Sentence:
    annotator, place = next(iter(row.items()))
    return annotations[annotator][place]


def _join(rows: list[dict[str, int]], pairs: Pairs, annotator: str, count: int) -> None:
    """Add the sentences of an annotator to the rows they are paired with.

    Sentences without a partner get a new row after that of their predecessor.
    """
    row_of = {place: row_number for row_number, place in pairs.items()}
    following: dict[int, list[dict[str, int]]] = defaultdict(list)
    before = -1
    for place in range(count):
        if place in row_of:
            before = row_of[place]
            rows[before][annotator] = place
        else:
            following[before].append({annotator: place})
    joined = list(following[-1])
    for k, row in enumerate(rows):
        joined += [row, *following[k]]
    rows[:] = joined


def without_partner(items: Sequence[Item], annotators: int) -> list[LeftOut]:
    """Count the sentences of a document that only one of its annotators has, per file."""
    reason = "no other annotator has the sentence"
    if annotators == 1:
        reason = "nobody else annotated the document"
    single = (item.annotations.values() for item in items if len(item.annotations) == 1)
    alone = Counter(sentence.file for (sentence,) in single)
    return [LeftOut(file, "sentence", count, reason) for file, count in alone.items()]


def _pair(
    a: SentenceSide, b: SentenceSide, pairing: str, document: str, sentences: Sequence[Sentence]
) -> Pairs:
    if pairing == "order":
        return {k: k for k in range(min(len(a), len(b)))}
    if pairing == "id":
        if not (a.has_names and b.has_names):
            raise DataError(
                f"sentences{f' of document {document!r}' if document else ''} have no or the same "
                "sent_id",
                file=sentences[0].file or None,
                hint="Pair them by order, or by their words (auto).",
            )
        return _by_name(a, b)
    if any(a.words) and any(b.words):
        return _by_words(a, b)
    return _without_words(a, b)


def _by_words(a: SentenceSide, b: SentenceSide) -> Pairs:
    if len(a) == len(b) and list(chain(*a.words)) == list(chain(*b.words)):
        return {k: k for k in range(len(a))}
    pairs = _equal(a, b)
    return pairs | _similar(a, b, pairs)


def _without_words(a: SentenceSide, b: SentenceSide) -> Pairs:
    if a.has_names and b.has_names and a.names != b.names:
        pairs = _by_name(a, b)
        if 2 * len(pairs) >= min(len(a), len(b)):
            return pairs
    if len(a) == len(b):
        return {k: k for k in range(len(a))}
    blocks = SequenceMatcher(None, a.lengths, b.lengths, autojunk=False).get_matching_blocks()
    return {block.a + k: block.b + k for block in blocks for k in range(block.size)}


def _by_name(a: SentenceSide, b: SentenceSide) -> Pairs:
    place = {name: j for j, name in enumerate(b.names)}
    return {i: place[name] for i, name in enumerate(a.names) if name in place}


def _equal(a: SentenceSide, b: SentenceSide) -> Pairs:
    """Pair sentences with equal words, each with at most one other."""
    left = _places(a)
    right = _places(b)
    pairing = _EqualSentences(a, b)
    for words, ks in left.items():
        if len(ks) == 1 and len(right[words]) == 1:
            pairing.take(ks[0], right[words][0])
    if a.has_names and b.has_names:
        for i, j in _by_name(a, b).items():
            pairing.take(i, j)
    # The ends of both documents are neighbours, too.
    for step, outside in ((1, (-1, -1)), (-1, (len(a), len(b)))):
        for i, j in [outside, *pairing.pairs.items()]:
            while pairing.take(i + step, j + step):
                i = i + step
                j = j + step
    for words, ks in left.items():
        if not words and len(ks) != len(right[words]):
            continue  # without words and in other numbers nothing tells which they are
        free = [j for j in right[words] if j not in pairing.paired_in_b]
        for i, j in zip([i for i in ks if i not in pairing.pairs], free, strict=False):
            pairing.take(i, j)
    return pairing.pairs


def _places(side: SentenceSide) -> dict[Words, list[int]]:
    places: dict[Words, list[int]] = defaultdict(list)
    for k, words in enumerate(side.words):
        places[words].append(k)
    return places


@dataclass(frozen=True)
class _EqualSentences:
    """Pairs of equal sentences, as far as they are known."""

    a: SentenceSide
    b: SentenceSide
    pairs: Pairs = field(default_factory=dict)
    paired_in_b: set[int] = field(default_factory=set)

    def take(self, i: int, j: int) -> bool:
        """Pair two sentences if both exist, are free and have equal words; return success."""
        is_inside = 0 <= i < len(self.a) and 0 <= j < len(self.b)
        if (
            not is_inside
            or i in self.pairs
            or j in self.paired_in_b
            or self.a.words[i] != self.b.words[j]
        ):
            return False
        self.pairs[i] = j
        self.paired_in_b.add(j)
        return True


def _similar(a: SentenceSide, b: SentenceSide, pairs: Pairs) -> Pairs:
    """Pair the other sentences that share more than half of their words, by best assignment."""
    paired = set(pairs.values())
    rows = [i for i in range(len(a)) if i not in pairs]
    columns = [j for j in range(len(b)) if j not in paired]
    edges = [
        (r, c, gain - MORE_THAN + _hint(a, b, pairs, rows[r], columns[c]))
        for r, c, gain in _common([a.words[i] for i in rows], [b.words[j] for j in columns])
    ]
    if not edges:
        return {}
    chosen = largest_matching(*(np.array(side) for side in zip(*edges, strict=True)))
    return {rows[r]: columns[c] for r, c, _ in (edges[k] for k in chosen)}


def _hint(a: SentenceSide, b: SentenceSide, pairs: Pairs, i: int, j: int) -> float:
    """Return the bonus of a pair for an equal name, paired neighbours and a similar place."""
    named = a.names[i] is not None and a.names[i] == b.names[j]
    beside = (pairs.get(i - 1) == j - 1) + (pairs.get(i + 1) == j + 1)
    return _SAME_NAME * named + _NEIGHBOUR * beside - _ORDER * abs(i / len(a) - j / len(b))


def _common(a: Sequence[Words], b: Sequence[Words]) -> Iterator[tuple[int, int, float]]:
    """Yield pairs with Dice similarity 2·|x ∩ y|/(|x| + |y|) above `MORE_THAN`, with its value."""
    from scipy.sparse import csr_array

    code: dict[tuple[str, int], int] = {}
    cells = [
        # Number the occurrences of a word in a sentence, so that multisets become sets.
        np.array(
            [
                (k, code.setdefault((word, nth), len(code)))
                for k, words in enumerate(side)
                for word, times in Counter(words).items()
                for nth in range(times)
            ],
            np.int64,
        ).reshape(-1, 2)
        for side in (a, b)
    ]
    x, y = (
        csr_array((np.ones(len(c)), (c[:, 0], c[:, 1])), shape=(len(side), len(code)))
        for c, side in zip(cells, (a, b), strict=True)
    )
    sizes = np.array([len(words) for words in b])
    turned = y.T.tocsc()
    for start in range(0, len(a), _BLOCK):
        both = (x[start : start + _BLOCK] @ turned).tocoo()
        own_lengths = np.array([len(words) for words in a[start : start + _BLOCK]])
        dice = 2 * both.data / (own_lengths[both.row] + sizes[both.col])
        for k in np.flatnonzero(dice > MORE_THAN):
            yield start + int(both.row[k]), int(both.col[k]), float(dice[k])


def _words(sentence: Sentence) -> Words:
    if not any(form not in ("", "_") for form in sentence.forms):
        return ()
    return tuple(unicodedata.normalize("NFC", form).casefold() for form in sentence.forms)
