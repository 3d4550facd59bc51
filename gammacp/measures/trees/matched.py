"""Chance between sentences of one length: what independent annotators of a treebank would give.

Two trees of unlike sentences differ by their sizes already, so that over all pairs D_e is mostly
the spread of sentence lengths: δ_plain and δ_norm look better than chance for it, δ_diff worse.
Here each annotation meets *other sentences of its own length*: those with as many tokens and, while
they are fewer than `FEWEST` annotations of FEWEST/2 sentences, those that are one token longer or
shorter, two, …; of very many, `MOST` that are spread evenly over them. D_e is the mean over
annotations of their mean disagreement with their band.

The same bands serve the three δ (D = δ²) and the accuracies (D = 1 − accuracy, weighted by length
as in eq. 3). Two sentences of a band that are not of one length are compared as if they were. The
squared distance of unlike trees grows with the mean of their squared lengths, n and m with the
root, so that TED is taken times √(2n²/(n² + m²)), and the other size times n/m; for accuracies the
shorter one's first half stands beside the beginning of the longer one, its second half beside the
end.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from gammacp.arrays import Bools, Floats, Indices
from gammacp.chance.beyond import BeyondChance, ratio
from gammacp.errors import DataError
from gammacp.measures.contributions import Contributions
from gammacp.measures.resampling import DRAWS, bootstrap
from gammacp.measures.trees.accuracy import SCORES, accuracies, disagreements
from gammacp.measures.trees.alpha import DELTAS, TreeObservations, deltas
from gammacp.measures.trees.annotations import Treebank
from gammacp.measures.trees.ted import PackedTrees
from gammacp.signature import signature

LENGTH_MATCHED = "length-matched"
FEWEST, MOST = 6, 60
_MOST_PARTS = 500
NOTHING = "the expected disagreement is 0: sentences of one length are all annotated alike"
NOT_COMPARED = "the annotators' token counts differ in every sentence"


@dataclass(frozen=True)
class Bands:
    """For each annotation those of other sentences that it is compared with.

    Attributes
    ----------
    first, second
        The pairs, sorted by their first annotation.
    counts
        Size of each annotation's band.
    widths
        How many tokens longer or shorter a band goes.
    """

    first: Indices
    second: Indices
    counts: Indices
    widths: Indices

    def means(self, values: Floats) -> Floats:
        """The mean of each band, of values of the pairs on the last axis."""
        starts = np.cumsum(self.counts) - self.counts
        found: Floats = np.add.reduceat(values, starts, axis=-1) / self.counts
        return found


def bands(lengths: Indices, items: Indices, *, fewest: int = FEWEST, most: int = MOST) -> Bands:
    """Bands of annotations of other sentences of the same or nearest length.

    Parameters
    ----------
    lengths, items
        Number of tokens and sentence of each annotation.
    fewest, most
        Annotations in a band; of at least half as many sentences as the fewest.

    Raises
    ------
    DataError
        There are not that many annotations of other sentences.

    >>> found = bands(np.array([2, 2, 3, 5]), np.array([0, 1, 2, 3]), fewest=1)
    >>> found.second.tolist(), found.widths.tolist()
    ([1, 0, 0, 1, 2], [0, 0, 1, 2])
    """
    needed = math.ceil(fewest / 2)
    own = int(np.bincount(items).max(initial=0))
    sentences = len(np.unique(items))
    if len(items) - own < fewest or sentences <= needed:
        raise DataError(
            f"{sentences} sentence{'s' * (sentences != 1)} with {len(items)} annotations are too "
            f"few for length-matched chance, which compares each with {fewest} annotations of "
            f"{needed} other sentences"
        )
    order = np.lexsort((items, lengths))
    in_order = lengths[order]
    reach = int(in_order[-1] - in_order[0])
    found, widths = [], []
    for x, (length, item) in enumerate(zip(lengths, items, strict=True)):
        for width in range(reach + 1):
            low = int(np.searchsorted(in_order, length - width))
            high = int(np.searchsorted(in_order, length + width, side="right"))
            # Where there are this many, the sentence's own ones cannot make them too few.
            if high - low < fewest:
                continue
            inside = order[low:high]
            if high - low >= own * (needed + fewest):
                break
            others = inside[items[inside] != item]
            if len(others) >= fewest and len(np.unique(items[others])) >= needed:
                break
        found.append(_spread(inside, items, x, most))
        widths.append(width)
    counts = np.array([len(band) for band in found])
    return Bands(
        np.repeat(np.arange(len(items)), counts), np.concatenate(found), counts, np.array(widths)
    )


def _spread(inside: Indices, items: Indices, x: int, most: int) -> Indices:
    """Up to `most` of other sentences, at equal steps from x on and round."""
    place = int(np.flatnonzero(inside == x)[0])
    n = len(inside)
    own = int(np.count_nonzero(items[inside] == items[x]))
    if n - own <= most:
        turned = np.roll(inside, -place)
    else:
        turned = inside[(place + 1 + np.arange(most + own) * n // (most + own)) % n]
    others: Indices = turned[items[turned] != items[x]][:most]
    return others


@dataclass(frozen=True, kw_only=True)
class LengthMatched(BeyondChance):
    """A disagreement against that with other sentences of the same length.

    Nothing is drawn for D_e: `samples` are the pairs compared, and `interval` tells how far the
    value would move with other sentences of the kind (`gammacp.measures.resampling`).

    Attributes
    ----------
    equal_length
        Share of annotations whose band has sentences of exactly their length.
    widest
        How many tokens longer or shorter the widest band goes.
    """

    chance: str = LENGTH_MATCHED
    equal_length: float = math.nan
    widest: int = 0


@dataclass(frozen=True)
class Matched:
    """What is observed and what length-matched chance gives, sentence by sentence.

    Attributes
    ----------
    parts
        By δ and accuracy; a part is a sentence, the ratio of the sums the agreement.
    totals
        What D_o and D_e are means over: annotations for a δ, tokens for an accuracy.
    bands
        What was compared.
    """

    parts: Mapping[str, Contributions]
    totals: Mapping[str, float]
    bands: Bands


def matched(observations: TreeObservations, chosen: Bools) -> Matched:
    """Disagreements of some annotations, and those with their bands.

    Parameters
    ----------
    observations
        Whose trees are compared.
    chosen
        Which annotations take part, shape (annotations,).

    Raises
    ------
    DataError
        There are too few annotations.
    """
    where = np.flatnonzero(chosen)
    sentences = [observations.sentences[x] for x in where]
    item = observations.item[where]
    lengths = np.array([s.n_tokens for s in sentences], np.int64)
    found = bands(lengths, item)
    squares = _as_of_one_length(
        observations.packed, observations.packed.codes[where], lengths + 1, found
    )
    observed = observations.item_disagreement(chosen)
    parts, totals = {}, {}
    for d, name in enumerate(DELTAS):
        expected = observations.by_item(found.means(squares[d]), chosen)
        parts[name] = Contributions(observed[d], expected, "sentences")
        totals[name] = float(len(where))
    people = np.unique(observations.annotator[where])
    treebank = observations.treebank
    scores = accuracies(treebank, tuple(treebank.annotators[a] for a in people))
    _, row, counts = np.unique(item, return_inverse=True, return_counts=True)
    errors = found.means(disagreements(sentences, found.first, found.second))
    compared = ~np.isnan(scores.values[0])
    for (name, part), error in zip(scores.parts().items(), errors, strict=True):
        chance = (np.bincount(row, error) / counts)[compared]
        parts[name] = replace(part, expected=part.expected * chance)
        totals[name] = float(part.expected.sum())
    return Matched(parts, totals, found)


def _as_of_one_length(
    packed: PackedTrees, codes: Indices, lengths: Indices, found: Bands
) -> Floats:
    """The squared δ of the pairs, the second brought to the first one's length: (3, pairs)."""
    x, y = codes[found.first], codes[found.second]
    n, m = lengths[found.first], lengths[found.second]
    ted = packed.distances(x, y).astype(np.float64) * np.sqrt(2 * n**2 / (n**2 + m**2))
    squares: Floats = deltas(ted, packed.sizes[x], packed.sizes[y] * (n / m)) ** 2
    return squares


def interval_over_sentences(
    parts: Contributions, *, draws: int, seed: int
) -> tuple[float, float] | None:
    """The house's bootstrap over sentences; None where they are too few.

    Of more than `_MOST_PARTS` sentences, neighbours are drawn together, so that memory is bounded.

    Parameters
    ----------
    parts
        A part per sentence.
    draws, seed
        Of the bootstrap.

    >>> ones = np.ones(1000)
    >>> interval_over_sentences(Contributions(ones / 4, ones, "sentences"), draws=9, seed=0)
    (0.75, 0.75)
    """
    starts = np.arange(0, len(parts), math.ceil(len(parts) / _MOST_PARTS) or 1)
    if len(starts) < len(parts):
        observed, expected = (np.add.reduceat(p, starts) for p in (parts.observed, parts.expected))
        parts = Contributions(observed, expected, parts.kind)
    return bootstrap(parts, draws=draws, block=1, seed=seed).interval


def beyond_length_matched(
    observations: TreeObservations, chosen: Bools, *, draws: int = DRAWS, seed: int = 0
) -> dict[str, LengthMatched]:
    """1 − D_o/D_e of the three δ and the accuracies, against other sentences of the same length.

    Parameters
    ----------
    observations
        Whose trees are compared.
    chosen
        Which annotations take part, shape (annotations,).
    draws
        Of the bootstrap over sentences that the interval comes from; 0: no interval.
    seed
        Of the bootstrap.

    Returns
    -------
    By name. Where chance cannot be told, values are NaN, and `reason` says why.
    """
    treebank = observations.treebank
    try:
        found = matched(observations, chosen)
    except DataError as error:
        lost = LengthMatched(value=math.nan, reason=str(error))
        return dict.fromkeys((*DELTAS, *SCORES[treebank.kind]), lost)
    return values(found, treebank, draws=draws, seed=seed)


def values(
    found: Matched, treebank: Treebank, *, draws: int = DRAWS, seed: int = 0
) -> dict[str, LengthMatched]:
    """1 − D_o/D_e of all that was compared, with intervals over sentences.

    Parameters
    ----------
    found
        What is observed, and what chance gives.
    treebank
        Whose annotations these are.
    draws, seed
        Of the bootstrap; 0 draws: no interval.
    """
    results = {}
    for name, parts in found.parts.items():
        total = found.totals[name]
        observed, expected = (
            float(p.sum()) / total if total else math.nan for p in (parts.observed, parts.expected)
        )
        value, reason = ratio(observed, expected, NOTHING if total else NOT_COMPARED)
        interval = None
        if draws and reason is None:
            interval = interval_over_sentences(parts, draws=draws, seed=seed)
        results[name] = LengthMatched(
            value=value,
            interval=interval,
            observed=observed,
            expected=expected,
            samples=len(found.bands.first),
            equal_length=float((found.bands.widths == 0).mean()),
            widest=int(found.bands.widths.max()),
            reason=reason,
            signature=signature(
                f"alpha-{name}" if name in DELTAS else name,
                selection=treebank.selection,
                trees=treebank.kind,
                chance=LENGTH_MATCHED,
                band=f"{FEWEST}..{MOST}",
                bootstrap=draws or None,
                seed=seed if draws else None,
            ),
        )
    return results
