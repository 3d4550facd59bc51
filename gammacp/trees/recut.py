"""Documents whose annotators cut the same characters into different sentences.

The program of the shared task of CoNLL 2018 compares whole files: it identifies sentences by their
first and last character, and aligns words across sentence boundaries. Here sentences are paired
first. What remains are stretches that begin and end with a sentence of both annotators, but are no
pair of sentences. Each of them is compared as one long sentence with several roots, so that the
sums are those of the whole document.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, chain, combinations
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from gammacp.trees.measures.annotations import Dependencies, Treebank

if TYPE_CHECKING:
    from collections.abc import Mapping

Stretch: TypeAlias = tuple[tuple[Dependencies, ...], tuple[Dependencies, ...]]
_COLUMNS = ("forms", "lemmas", "upos", "xpos", "features")


class SentenceComparison(NamedTuple):
    """Comparison of the sentences of two annotators of one document.

    Attributes
    ----------
    same
        Number of sentences that have the same first and last character.
    sizes
        Number of sentences of each annotator.
    stretches
        Sentences of both annotators between successive common ends, except where these are a pair
        of sentences.
    """

    same: int
    sizes: tuple[int, int]
    stretches: tuple[Stretch, ...]


def documents_of(treebank: Treebank) -> Mapping[str, Mapping[str, list[Dependencies]]]:
    """Return the sentences by document and annotator, in the order of the files.

    Parameters
    ----------
    treebank
        Dependency treebank; sentences that are left out of it are missing here, too.
    """
    documents: dict[str, dict[str, list[Dependencies]]] = {}
    for item in treebank.items:
        for annotator, sentence in item.annotations.items():
            if isinstance(sentence, Dependencies):
                sentences_of_annotator = documents.setdefault(item.document, {}).setdefault(
                    annotator, []
                )
                sentences_of_annotator.append(sentence)
    for document in documents.values():
        for sentences in document.values():
            # Sentences that only one annotator has may stand elsewhere among the items.
            if all(s.lines for s in sentences):
                sentences.sort(key=lambda s: s.lines[0])
    return documents


def segmentations(
    treebank: Treebank, texts: Mapping[int, str]
) -> Iterator[list[SentenceComparison | None]]:
    """Yield per document the segmentations of all pairs of annotators; None if texts differ.

    Parameters
    ----------
    treebank
        Dependencies.
    texts
        Characters of the words of each sentence, without blanks. The key is the `id` of the object.
    """
    paired = {
        (id(a), id(b))
        for item in treebank.shared_items
        for a, b in combinations(item.annotations.values(), 2)
    }
    for document in documents_of(treebank).values():
        pairs = list(combinations(document.values(), 2))
        if pairs:
            yield [_segmentation(a, b, texts, paired) for a, b in pairs]


def _segmentation(
    a: Sequence[Dependencies],
    b: Sequence[Dependencies],
    texts: Mapping[int, str],
    paired: set[tuple[int, int]],
) -> SentenceComparison | None:
    first, second = ([texts[id(s)] for s in side] for side in (a, b))
    if "".join(first) != "".join(second) or not any(first):
        return None
    ends = [list(accumulate(map(len, side))) for side in (first, second)]
    spans = [set(zip([0, *side], side, strict=False)) for side in ends]
    common = set(ends[0]) & set(ends[1])
    blocks = zip(_blocks(a, ends[0], common), _blocks(b, ends[1], common), strict=True)
    stretches = tuple(
        (x, y)
        for x, y in blocks
        if not (len(x) == len(y) == 1 and {(id(x[0]), id(y[0])), (id(y[0]), id(x[0]))} & paired)
    )
    return SentenceComparison(len(spans[0] & spans[1]), (len(a), len(b)), stretches)


def _blocks(
    sentences: Sequence[Dependencies], ends: Sequence[int], common: set[int]
) -> list[tuple[Dependencies, ...]]:
    """Group sentences into blocks that end at the common ends of both annotators.

    A sentence without characters belongs to the block of the sentence before it.
    """
    blocks: list[list[Dependencies]] = [[]]
    last = -1
    for sentence, end in zip(sentences, ends, strict=True):
        if last in common and end != last:
            blocks.append([])
        blocks[-1].append(sentence)
        last = end
    return [tuple(block) for block in blocks]


def joined(sentences: Sequence[Dependencies]) -> Dependencies:
    """Join several sentences into one, which has the root of each of them.

    Parameters
    ----------
    sentences
        Sentences with words.

    >>> one = Dependencies((2, 0), ("subj", "root"), ("I", "go"))
    >>> joined([one, one]).heads
    (2, 0, 4, 0)
    """
    if len(sentences) == 1:
        return sentences[0]
    offsets = [0, *accumulate(s.n_tokens for s in sentences)]
    columns: dict[str, Any] = {}
    for name in _COLUMNS:
        values = [getattr(s, name) or ("_",) * s.n_tokens for s in sentences]
        columns[name] = tuple(chain.from_iterable(values))
    parts = list(zip(sentences, offsets, strict=False))
    return replace(
        sentences[0],
        heads=tuple(_moved_head(h, s.n_tokens, by) for s, by in parts for h in s.heads),
        relations=tuple(chain.from_iterable(s.relations for s in sentences)),
        lines=(),
        **columns,
        multiword=tuple((x + by, y + by, form) for s, by in parts for x, y, form in s.multiword),
        enhanced=tuple(
            (_moved(head, by), label, _moved(dependent, by))
            for s, by in parts
            for head, label, dependent in s.enhanced
        ),
    )


def _moved_head(head: int, tokens: int, by: int) -> int:
    """Return a head's number after its sentence is joined to others.

    The root stays 0, and a head out of range becomes −1.
    """
    if not 0 <= head <= tokens:
        return -1
    if head:
        return head + by
    return 0


def _moved(node: str, by: int) -> str:
    """Return the id of a node of the enhanced graph after its sentence is joined to others.

    The root stays 0.
    """
    if node == "0":
        return node
    number, point, empty = node.partition(".")
    return f"{int(number) + by}{point}{empty}"
