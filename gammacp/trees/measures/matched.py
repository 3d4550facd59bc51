"""Chance between sentences of one length: what independent annotators of a treebank would give.

Trees of different sentences differ by their sizes already. Over all pairs, D_e therefore mostly
measures how sentence lengths vary: it makes δ_plain and δ_norm look better than chance, and δ_diff
worse.

Here each annotation is compared, for *each other annotator of its sentence*, with a *band* of trees
that this annotator made for *other sentences of similar length*. The band has the least width that
holds `LEAST` trees, and contains all trees within this width, or an evenly spread selection where
they are very many. D_e averages first over each band, then over the other annotators, then over all
annotations. So annotators keep their own habits, as in D_o: where lengths are equal and annotators
independent, the tree that B made for one sentence is distributed like the tree that B made for
another, whatever the habits of A and B. If a sentence has too few others within a quarter of its
length, it is left out of both D_o and D_e.

The same bands serve the three δ (D = δ²) and the accuracies (D = 1 − accuracy, weighted by length
as in eq. 3). Sentences of a band whose lengths differ are compared as if they were equally long.
For trees of n and m nodes, TED is divided by the power mean of both sizes and multiplied by n; the
exponent is 2 where the other tree is shorter, and 4 where it is longer. The size of the other tree
is multiplied by n/m. For accuracies, the first half of the shorter sentence is aligned with the
beginning of the longer one, its second half with the end.

Whether agreement above 0 is significant is told by p, for which only sentences of exactly equal
length are permuted (`gammacp.trees.measures.permuted`).
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gammacp.base.arrays import Bools, Floats, Indices
from gammacp.base.signature import signature
from gammacp.base.text import counted
from gammacp.chance.beyond import BeyondChance, Computed, against_chance
from gammacp.errors import DataError
from gammacp.inference.contributions import Contributions
from gammacp.inference.resampling import DRAWS, bootstrap
from gammacp.measures.beyond_chance import OTHER_DATA
from gammacp.trees.measures.accuracy import SCORES, disagreements
from gammacp.trees.measures.alpha import DELTAS, TreeObservations, deltas
from gammacp.trees.measures.annotations import Treebank
from gammacp.trees.measures.observations import Observations
from gammacp.trees.measures.permuted import PERMUTATIONS, permutation_p

LENGTH_MATCHED = "length-matched"
LEAST = 3
MOST = 60
# Lengths in a band may differ by at most one part in `WITHIN`: scaling makes trees of different
# sizes comparable, but only if the sizes are close.
WITHIN = 4
_MOST_PARTS = 500
NOTHING = "the expected disagreement is 0: sentences of equal length are all annotated alike"
NOT_COMPARED = "the annotators' token counts differ in every sentence"
_TOLD = ("equal_length", "widest", "annotators_left_out", "sentences_left_out")


@dataclass(frozen=True)
class Bands:
    """For each annotation, trees that the sentence's other annotators made for other sentences.

    Attributes
    ----------
    first, second
        Pairs of an annotation and a tree of its bands, sorted by the annotation. Each annotation
        has at least one pair.
    weights
        Weights of the pairs in the mean of their first annotation; they sum to 1 for each
        annotation.
    exact
        For each annotation, the share of its bands in which all trees have exactly its length.
    widths
        Largest difference of length, in tokens, in the widest band of each annotation.
    annotators, sentences
        Annotators that are left out, and number of sentences that are left out, for lack of a band.
    """

    first: Indices
    second: Indices
    weights: Floats
    exact: Floats
    widths: Indices
    annotators: tuple[str, ...] = ()
    sentences: int = 0

    @property
    def details(self) -> dict[str, Any]:
        """Return the facts about the bands that every measure reports."""
        exact = float(self.exact.mean())
        widest = int(self.widths.max())
        return dict(zip(_TOLD, (exact, widest, self.annotators, self.sentences), strict=True))

    def means(self, values: Floats) -> Floats:
        """Average values of the pairs, along the last axis, for each annotation."""
        starts = np.flatnonzero(np.diff(self.first, prepend=-1))
        band_means: Floats = np.add.reduceat(values * self.weights, starts, axis=-1)
        return band_means


def bands(lengths: Indices, items: Indices, people: Indices, *, most: int = MOST) -> Bands:
    """Pair each annotation with trees by its sentence's other annotators for similar lengths.

    Parameters
    ----------
    lengths, items, people
        Number of tokens, sentence and annotator of each annotation; everybody has more than
        `LEAST` sentences, and every sentence two annotations.
    most
        Largest number of pairs per annotation; each other annotator gives at least one.

    >>> lengths, items = np.array([2, 2, 2, 4, 5] * 2), np.arange(10) % 5
    >>> found = bands(lengths, items, np.arange(10) // 5)
    >>> found.second[found.first == 0].tolist(), found.second[found.first == 4].tolist()
    ([6, 7, 8], [5, 6, 7, 8])
    >>> found.exact.tolist()[:2], found.widths.tolist()[:5]
    ([0.0, 0.0], [2, 2, 2, 2, 3])
    """
    rows_by_person = {person: np.flatnonzero(people == person) for person in np.unique(people)}
    by_length = {
        b: rows[np.lexsort((items[rows], lengths[rows]))] for b, rows in rows_by_person.items()
    }
    order = np.argsort(items, kind="stable")
    begins = np.searchsorted(items[order], np.arange(items.max(initial=0) + 2))
    seconds = []
    weights = []
    firsts = []
    exact = np.zeros(len(items))
    widths = np.zeros(len(items), np.int64)
    for x, (length, item) in enumerate(zip(lengths.tolist(), items.tolist(), strict=True)):
        people_of_item = people[order[begins[item] : begins[item + 1]]]
        partners = people_of_item[people_of_item != people[x]]
        cap = max(1, most // len(partners))
        for person in partners:
            mine = by_length[person]
            lengths_of_person = lengths[mine]
            low, high = np.searchsorted(lengths_of_person, (length, length + 1)).tolist()
            # These hold the `LEAST` nearest trees; one more on each side, as one may be of the
            # sentence itself.
            near = mine[max(0, low - LEAST - 1) : high + LEAST + 1]
            near = near[items[near] != item]
            width = int(np.sort(np.abs(lengths[near] - length))[LEAST - 1])
            low, high = np.searchsorted(
                lengths_of_person, (length - width, length + width + 1)
            ).tolist()
            band = mine[low:high]
            band = band[items[band] != item]
            if len(band) > cap:  # at equal steps, from the sentence's own place on and round
                place = int(np.searchsorted(items[band], item))
                band = band[(place + np.arange(cap) * len(band) // cap) % len(band)]
            seconds.append(band)
            firsts.append(np.full(len(band), x))
            weights.append(np.full(len(band), 1 / len(band) / len(partners)))
            exact[x] += (width == 0) / len(partners)
            widths[x] = max(widths[x], width)
    return Bands(
        np.concatenate(firsts), np.concatenate(seconds), np.concatenate(weights), exact, widths
    )


def matched(
    observations: Observations, lengths: Indices, chosen: Bools, *, most: int = MOST
) -> tuple[Bands, Bools]:
    """Return the bands of the chosen annotations, and which annotations have bands.

    Two kinds of annotations are left out: those by annotators of too few sentences, and those of
    sentences whose length is too far from that of others.

    Parameters
    ----------
    observations
        Annotations of sentences by annotators.
    lengths
        Number of tokens, or the size, of each annotation.
    chosen
        True for annotations that take part, shape (annotations,).
    most
        As for `bands`.

    Raises
    ------
    DataError
        No two annotators have enough sentences of like length.
    """
    people = observations.annotator
    items = observations.item
    is_matched = chosen
    while True:
        counts = np.bincount(people[is_matched], minlength=len(observations.treebank.annotators))
        few = is_matched & (counts <= LEAST)[people]
        if not few.any():
            break
        is_matched = is_matched & ~few
        is_matched = is_matched & (observations.counts(is_matched)[items] >= 2)
    where = np.flatnonzero(is_matched)
    if is_matched.any():
        sentence_bands = bands(lengths[where], items[where], people[where], most=most)
    else:
        sentence_bands = None
    near = is_matched.copy()
    if sentence_bands is not None:
        far = where[sentence_bands.widths * WITHIN > lengths[where] + 1]
        near[np.isin(items, items[far])] = False
    if sentence_bands is None or not near.any():
        sentences = len(np.unique(items[chosen]))
        raise DataError(
            f"{counted(sentences, 'sentence')} with {np.count_nonzero(chosen)} "
            "annotations are too few for length-matched chance: each needs "
            f"{LEAST} sentences of similar length (within a quarter) by every other annotator"
        )
    lost = sorted({*people[chosen].tolist()} - {*people[is_matched].tolist()})
    pairs = near[where[sentence_bands.first]]
    rows = near[where]
    return Bands(
        where[sentence_bands.first[pairs]],
        where[sentence_bands.second[pairs]],
        sentence_bands.weights[pairs],
        sentence_bands.exact[rows],
        sentence_bands.widths[rows],
        tuple(observations.treebank.annotators[a] for a in lost),
        len(np.unique(items[is_matched & ~near])),
    ), near


def beyond_length_matched(
    observations: TreeObservations, chosen: Bools, *, seed: int = 0
) -> dict[str, BeyondChance]:
    """Return 1 − D_o/D_e of δ and accuracies, against other sentences of similar length.

    Parameters
    ----------
    observations
        Trees to compare.
    chosen
        True for annotations that take part, shape (annotations,).
    seed
        Seed of the bootstrap over sentences that the interval comes from, and of p.

    Returns
    -------
    Results by name. Where chance cannot be determined, values are NaN and `reason` says why.
    """
    treebank = observations.treebank
    try:
        sentence_bands, chosen = matched(observations, observations.tokens, chosen)
    except DataError as error:
        return untold((*DELTAS, *SCORES[treebank.kind]), error)
    counts = observations.counts(chosen)
    n = np.count_nonzero(chosen)
    pairs = np.maximum(counts * (counts - 1) / 2, 1)
    place = observations.item[observations.first]
    parts = {}
    weights = []
    observed = observations.item_disagreement(chosen)
    for name, d, squares in zip(
        DELTAS, observed, _squares(observations, sentence_bands), strict=True
    ):
        expected = observations.sums(sentence_bands.means(squares), chosen)
        parts[name] = Contributions(d / n, expected / n, "sentences")
        weights.append((counts / pairs)[place])
    compared = observations.compared(chosen)
    errors = disagreements(observations.sentences, sentence_bands.first, sentence_bands.second)
    for (name, part), wrong in zip(observations.wrong_tokens(chosen).items(), errors, strict=True):
        sums = observations.sums(sentence_bands.means(wrong), chosen)
        tokens = part.expected
        expected = tokens * sums[compared] / counts[compared]
        parts[name] = Contributions(
            part.observed / tokens.sum(), expected / tokens.sum(), "sentences"
        )
        of_items = np.zeros(len(counts))
        of_items[compared] = tokens / pairs[compared]
        weights.append(of_items[place])
    p = permutation_p(observations, chosen, observations.compare, np.array(weights), seed=seed)
    return against_bands(
        treebank, parts, sentence_bands, dict(zip(parts, p, strict=True)), seed=seed
    )


def measures_beyond_chance(
    treebank: Treebank, names: Iterable[str], *, seed: int
) -> dict[str, BeyondChance]:
    """Return registered measures of trees, against other sentences of similar length.

    Parameters
    ----------
    treebank
        Treebank that was measured.
    names
        Names of measures; any that is neither an α nor an accuracy of these trees is ignored.
    seed
        Seed of the bootstrap over sentences that the interval comes from.
    """
    name_by_measure = {_measure(name): name for name in (*DELTAS, *SCORES.get(treebank.kind, ()))}
    if not (wanted := [name for name in names if name in name_by_measure]):
        return {}
    observations = TreeObservations.of(treebank)
    scores = beyond_length_matched(observations, observations.everything, seed=seed)
    return {name: scores[name_by_measure[name]] for name in wanted}


def _measure(name: str) -> str:
    """Return the name under which a δ or an accuracy is registered as a measure."""
    if name in DELTAS:
        return f"alpha-{name}"
    return name


def _squares(observations: TreeObservations, met: Bands) -> Floats:
    """Return the squared δ of the pairs, with the second tree scaled to the first: (3, pairs)."""
    packed = observations.packed
    lengths = observations.tokens + 1
    x = packed.codes[met.first]
    y = packed.codes[met.second]
    n = lengths[met.first]
    m = lengths[met.second]
    # For a longer tree, TED grows more than the quadratic mean of both sizes: use a larger
    # exponent.
    power = np.where(m > n, 4.0, 2.0)
    ted = packed.distances(x, y) * (2 / (1 + (m / n) ** power)) ** (1 / power)
    squares: Floats = deltas(ted, packed.sizes[x], packed.sizes[y] * (n / m)) ** 2
    return squares


def interval_over_sentences(
    parts: Contributions, *, draws: int = DRAWS, seed: int
) -> tuple[float, float] | None:
    """Return the bootstrap interval over sentences, or None if they are too few.

    If there are more than `_MOST_PARTS` sentences, neighbouring ones are drawn together, which
    bounds the memory.

    Parameters
    ----------
    parts
        Contributions of the sentences, one each.
    draws, seed
        Number of draws and seed of the bootstrap.

    >>> ones = np.ones(1000)
    >>> interval_over_sentences(Contributions(ones / 4, ones, "sentences"), draws=9, seed=0)
    (0.75, 0.75)
    """
    starts = np.arange(0, len(parts), math.ceil(len(parts) / _MOST_PARTS) or 1)
    if len(starts) < len(parts):
        observed, expected = (np.add.reduceat(p, starts) for p in (parts.observed, parts.expected))
        parts = Contributions(observed, expected, parts.kind)
    return bootstrap(parts, draws=draws, seed=seed).interval


def against_bands(
    treebank: Treebank,
    parts: Mapping[str, Contributions],
    found: Bands,
    p: Mapping[str, float],
    *,
    seed: int,
) -> dict[str, BeyondChance]:
    """Return 1 − D_o/D_e of each measure, with bootstrap intervals over sentences.

    D_e needs no random draws: `samples` is the number of pairs compared. `interval` tells how far
    the value would vary with other sentences of the same kind (`gammacp.inference.resampling`). The
    chance model reports `equal_length`, the share of bands whose sentences all have exactly the
    same length; `widest`, the largest difference of length in a band; and the annotators and the
    number of sentences that are left out.

    Parameters
    ----------
    treebank
        Treebank of the annotations.
    parts
        Contributions of each sentence to D_o and to D_e, by name; empty if nothing is compared.
    found
        Bands that were compared.
    p
        p of the permutation test, by name; may be empty.
    seed
        Seed of the bootstrap and of the permutations.
    """
    computed = {}
    signed = {}
    for name, part in parts.items():
        mean = float(part.expected.sum())
        computed[name] = Computed(
            mean=mean,
            pairs=len(found.first),
            interval=interval_over_sentences(part, seed=seed) if mean > 0 else None,
            nothing=NOTHING,
            p=p.get(name),
            least_p=1 / (1 + PERMUTATIONS),
        )
        signed[name] = signature(
            _measure(name),
            selection=treebank.selection,
            trees=treebank.kind,
            band=f"{LEAST}..{MOST}",
            bootstrap=DRAWS,
            permutations=PERMUTATIONS if p else None,
            seed=seed,
        )
    return against_chance(
        {name: float(p.observed.sum()) if len(p) else math.nan for name, p in parts.items()},
        None,
        LENGTH_MATCHED,
        signed=signed,
        missing=NOT_COMPARED,
        computed=computed,
        details=found.details,
    )


def untold(names: Iterable[str], why: DataError) -> dict[str, BeyondChance]:
    """Return results without a value, for data in which annotations have no bands.

    Parameters
    ----------
    names
        Names that were asked for.
    why
        Error that `matched` raised.
    """
    details = dict(zip(_TOLD, (math.nan, 0, (), 0), strict=True))
    lost = BeyondChance(value=math.nan, chance=LENGTH_MATCHED, reason=str(why), details=details)
    return dict.fromkeys(names, lost)


OTHER_DATA.register("trees", measures_beyond_chance)
