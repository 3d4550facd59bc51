"""Scores of Universal Dependencies between annotators, words aligned by their characters.

The F₁ of the shared task of CoNLL 2018 (Zeman et al. 2018, §4): of two annotators neither is gold,
and F₁ is the same either way. Annotations of a sentence may differ in their words as long as the
characters are the same: words are aligned where they are the same stretch of text; inside of tokens
of several words (`1-2`), or of what such tokens of both overlap to, by a longest common subsequence
of their forms.

Tokens and words are compared by their first and last character, sentences, too, in documents whose
characters are the same (`gammacp.trees.recut`). UPOS, XPOS, features (universal ones), all three
together (AllTags) and lemmas are the shares of words that agree in them; UAS and LAS in head, head
and relation; CLAS, MLAS and BLEX count words with a content relation, MLAS with part of speech,
features and function words below, BLEX with lemma, ELAS and EULAS enhanced dependencies
(`gammacp.trees.enhanced`). A value that one of the two has not given (`_`) is not compared, but for
features, of which a word may have none; AllTags leave XPOS out where one of the two has none at
all.

References
----------
Zeman et al. 2018. CoNLL 2018 shared task: multilingual parsing from raw text to Universal
Dependencies. CoNLL.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.trees.enhanced import edge_counts, several_edges
from gammacp.trees.measures.annotations import Dependencies, Treebank
from gammacp.trees.recut import joined, segmentations

UD_SCORES = (
    "tokens", "sentences", "words", "upos", "xpos", "features", "alltags", "lemma", "uas", "las",
    "clas", "mlas", "blex", "elas", "eulas",
)  # fmt: skip
OF_UD = (
    "compared", "other_text", "no_words", "several_edges", "recut", "other_documents",
)  # fmt: skip
_SENTENCES = UD_SCORES.index("sentences")
_CONTENT, _FUNCTION, _FEATURES = (
    frozenset(names.split())
    for names in (
        "nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod "
        "appos nummod acl amod conj fixed flat compound list parataxis orphan goeswith reparandum "
        "root dep",
        "aux cop mark det clf case cc",
        "PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree "
        "VerbForm Mood Tense Aspect Voice Evident Polarity Person Polite",
    )
)
Span: TypeAlias = tuple[int, int]
Pairs: TypeAlias = dict[int, int]


@dataclass(frozen=True)
class Words:
    """The words of an annotation, and their places among the characters of the sentence.

    Attributes
    ----------
    text
        The characters without blanks.
    spans
        Index of the first character of each word or of its token, and of the one after its last.
    several
        Spans of the tokens that consist of several words.
    """

    sentence: Dependencies
    text: str
    spans: tuple[Span, ...]
    several: tuple[Span, ...]

    @staticmethod
    def of(sentence: Dependencies) -> Words:
        """Return the words of a sentence with their places."""
        ranges = {first: (last, form) for first, last, form in sentence.multiword}
        text = ""
        spans = list[Span]()
        several = list[Span]()
        word = 1
        while word <= sentence.n_tokens:
            last, form = ranges.get(word, (word, sentence.forms[word - 1]))
            span = len(text), len(text := text + _without_blanks(form))
            spans += [span] * (last - word + 1)
            several += [span] * (word in ranges)
            word = last + 1
        return Words(sentence, text, tuple(spans), tuple(several))

    def numbers_in(self, first: Words) -> dict[str, str]:
        """Return the number of each word in another annotation of the text, primed if it has none.

        Parameters
        ----------
        first
            The other annotation.
        """
        if first.text == self.text:
            same = aligned_words(first, self)
        else:
            same = {}
        number_by_partner = {j: i for i, j in same.items()}
        return {
            str(j + 1): str(number_by_partner[j] + 1) if j in number_by_partner else f"{j + 1}′"
            for j in range(self.sentence.n_tokens)
        }

    @cached_property
    def relations(self) -> tuple[str, ...]:
        """Return the relations without subtypes."""
        return tuple(r.split(":")[0] for r in self.sentence.relations)

    @cached_property
    def features(self) -> tuple[str, ...]:
        """Return the universal features of each word, sorted."""
        return tuple(
            "|".join(sorted(f for f in all_of.split("|") if f.split("=")[0] in _FEATURES))
            for all_of in self.sentence.features
        )


def _without_blanks(form: str) -> str:
    return "".join(c for c in form if unicodedata.category(c) != "Zs")


def aligned_words(a: Words, b: Words) -> Pairs:
    """Return the aligned words of b, numbered from 0, by the number of the word in a.

    Parameters
    ----------
    a, b
        Annotations of the same characters.
    """
    zones: list[Span] = []
    for start, end in sorted((*a.several, *b.several)):
        if zones and start < zones[-1][1]:
            zones[-1] = zones[-1][0], max(end, zones[-1][1])
        else:
            zones.append((start, end))
    pairs: Pairs = {}
    places = {span: j for j, span in enumerate(b.spans)}
    for i, (start, end) in enumerate(a.spans):
        if (start, end) in places and not any(s < end and start < e for s, e in zones):
            pairs[i] = places[start, end]
    for low, high in zones:
        inside = [
            [k for k, (start, end) in enumerate(w.spans) if low <= start and end <= high]
            for w in (a, b)
        ]
        forms = [
            [w.sentence.forms[k].lower() for k in ks] for w, ks in zip((a, b), inside, strict=True)
        ]
        pairs.update((inside[0][i], inside[1][j]) for i, j in _common(*forms))
    return pairs


def _common(x: Sequence[str], y: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield a longest common subsequence, as places in both."""
    longest = np.zeros((len(x) + 1, len(y) + 1), np.int64)
    for i in range(len(x) - 1, -1, -1):
        for j in range(len(y) - 1, -1, -1):
            longest[i, j] = (
                1 + longest[i + 1, j + 1]
                if x[i] == y[j]
                else max(longest[i + 1, j], longest[i, j + 1])
            )
    i = j = 0
    while i < len(x) and j < len(y):
        if x[i] == y[j]:
            yield i, j
            i = i + 1
            j = j + 1
        elif longest[i, j] == longest[i + 1, j]:
            i += 1
        else:
            j += 1


def ud_counts(a: Words, b: Words) -> Floats:
    """Count agreeing words, and compared words of both annotators: shape (2, scores).

    Sentences are not counted here, as annotations of the same characters say nothing about them.

    Parameters
    ----------
    a, b
        Annotations of the same characters.
    """
    matched = aligned_words(a, b)
    in_a = {-1: -1, **{j: i for i, j in matched.items()}}  # the root is the root
    tagged = all(set(w.sentence.xpos) - {"_"} for w in (a, b))
    sides = [
        _keys(a, lambda i: i, xpos=tagged),
        _keys(b, lambda j: in_a.get(j), xpos=tagged),
    ]
    counts = np.zeros((2, len(UD_SCORES)))
    counts[:, 0] = len(set(a.spans) & set(b.spans)), len(set(a.spans)) + len(set(b.spans))
    # Columns of tokens and sentences come before these, those of elas and eulas after them.
    for k, (x, y) in enumerate(zip(*sides, strict=True), start=_SENTENCES + 1):
        if any("_" in side and all(v in (None, "_") for v in side) for side in (x, y)):
            # One of the two annotations lacks this column altogether.
            continue
        missing = {i for i, j in matched.items() if "_" in (x[i], y[j])}
        gone = {matched[i] for i in missing}
        counts[0, k] = sum(
            x[i] is not None and x[i] == y[j] for i, j in matched.items() if i not in missing
        )
        counted = [v not in (None, "_") and i not in missing for i, v in enumerate(x)]
        counted += [v not in (None, "_") and j not in gone for j, v in enumerate(y)]
        counts[1, k] = sum(counted)
    counts[:, -2:] = edge_counts(a.sentence, b.sentence, matched)
    return counts


def _keys(words: Words, place: Callable[[int], int | None], *, xpos: bool) -> list[list[object]]:
    """Return, for each score, the key of each word that is compared.

    The key is None if a word does not count, and "_" if the value is missing. `xpos` tells whether
    AllTags include XPOS.
    """
    s = words.sentence
    relations = words.relations
    n = words.sentence.n_tokens
    unknown = ("_",) * n
    upos = s.upos or unknown
    own_tags = s.xpos or unknown
    features = words.features or unknown
    lemmas = s.lemmas or unknown
    heads: list[object] = [place(h - 1) if 0 <= h <= n else None for h in s.heads]
    heads = [object() if h is None else h for h in heads]  # like no other
    below: list[list[object]] = [[] for _ in range(n)]
    for t, (head, relation) in enumerate(zip(s.heads, relations, strict=True)):
        if relation in _FUNCTION and 0 < head <= n:
            below[head - 1].append((place(t), relation, upos[t], features[t]))
    content = [r in _CONTENT for r in relations]
    labelled = list(zip(heads, relations, strict=True))

    def only(values: Sequence[object]) -> list[object]:
        return [v if c else None for v, c in zip(values, content, strict=True)]

    tagged = zip(labelled, upos, features, below, strict=True)
    mlas = ["_" if tag == "_" else (label, tag, f, *b) for label, tag, f, b in tagged]
    all_tags: list[object] = [
        "_" if tag == "_" or (xpos and own_tag == "_") else (tag, xpos and own_tag, f)
        for tag, own_tag, f in zip(upos, own_tags, features, strict=True)
    ]
    named = zip(labelled, lemmas, strict=True)
    blex = ["_" if lemma == "_" else (label, lemma) for label, lemma in named]
    return [
        [0] * n, list(upos), list(own_tags), list(features), all_tags, list(lemmas), heads,
        list(labelled), only(labelled), only(mlas), only(blex),
    ]  # fmt: skip


def ud_scores(treebank: Treebank) -> dict[str, float]:
    """Return the F₁ of the shared task over all pairs of annotations of a sentence.

    A sentence counts once, however many annotators it has: its counts are means over their pairs.
    NaN where nothing is compared. Beside the scores it is told how many pairs were `compared`, how
    many were not since their characters differ (`other_text`), how many sentences have no two
    annotations with words (`no_words`), how many words EULAS counts otherwise than the shared
    task's program (`several_edges`, see `gammacp.trees.enhanced`), how many stretches of text were
    cut into different sentences and are compared as a whole (`recut`), and for how many documents
    of two annotators sentences are not counted, since their texts differ (`other_documents`).

    Parameters
    ----------
    treebank
        Dependencies with words.
    """
    total = np.zeros((2, len(UD_SCORES)))
    words = {
        id(s): Words.of(s)
        for item in treebank.items
        for s in item.annotations.values()
        if isinstance(s, Dependencies) and s.forms
    }
    compared = other = no_words = several = 0
    recut, settled, other_documents = _recut(treebank, words, total)
    for item in treebank.shared_items:
        both = (pair for pair in item.pairs(Dependencies) if all(s.forms for s in pair))
        pairs = [(words[id(a)], words[id(b)]) for a, b in both]
        no_words += not pairs
        sentences = (s for s in item.annotations.values() if isinstance(s, Dependencies))
        several += sum(map(several_edges, sentences))
        same = [ud_counts(a, b) for a, b in pairs if a.text == b.text]
        compared += len(same)
        other += sum(
            a.text != b.text and not {id(a.sentence), id(b.sentence)} <= settled for a, b in pairs
        )
        if same:
            total += np.mean(same, axis=0)
    with np.errstate(invalid="ignore"):
        values = 2 * total[0] / total[1]
    numbers = (compared, other, no_words, several, recut, other_documents)
    counts = zip(OF_UD, numbers, strict=True)
    return {**dict(zip(UD_SCORES, values.tolist(), strict=True)), **dict(counts)}


def _recut(
    treebank: Treebank, words: Mapping[int, Words], total: Floats
) -> tuple[int, set[int], int]:
    """Add the sentences of documents, and the words of stretches that are no pair of sentences.

    Parameters
    ----------
    treebank, words
        Dependencies, and their words by `id`.
    total
        Array to which the counts are added, shape (2, scores).

    Returns
    -------
    tuple
        Number of stretches, the `id` of their sentences, and number of documents of two annotators
        with different texts.
    """
    stretches = others = 0
    settled: set[int] = set()
    wordless = any(
        isinstance(s, Dependencies) and not s.forms
        for item in treebank.items
        for s in item.annotations.values()
    )
    if wordless:
        return 0, settled, 0
    texts = {key: one.text for key, one in words.items()}
    for pairs in segmentations(treebank, texts):
        counts = []
        for one in pairs:
            if one is None:
                others += 1
                continue
            count = np.zeros((2, len(UD_SCORES)))
            count[:, _SENTENCES] = one.same, sum(one.sizes)
            for sides in one.stretches:
                count += ud_counts(*(Words.of(joined(side)) for side in sides))
                settled |= {id(s) for side in sides for s in side}
            stretches += len(one.stretches)
            counts.append(count)
        if counts:
            total += np.mean(counts, axis=0)
    return stretches, settled, others
