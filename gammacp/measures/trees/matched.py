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
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from gammacp.arrays import Bools, Floats, Indices
from gammacp.chance.beyond import BeyondChance, Computed, against_chance
from gammacp.errors import DataError
from gammacp.measures.contributions import Contributions
from gammacp.measures.resampling import DRAWS, bootstrap
from gammacp.measures.trees.accuracy import SCORES, disagreements
from gammacp.measures.trees.alpha import DELTAS, TreeObservations, deltas
from gammacp.measures.trees.annotations import Treebank
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


def beyond_length_matched(
    observations: TreeObservations, chosen: Bools, *, seed: int = 0
) -> dict[str, BeyondChance]:
    """1 − D_o/D_e of the three δ and the accuracies, against other sentences of the same length.

    Parameters
    ----------
    observations
        Whose trees are compared.
    chosen
        Which annotations take part, shape (annotations,).
    seed
        Of the bootstrap over sentences that the interval comes from.

    Returns
    -------
    By name. Where chance cannot be told, values are NaN, and `reason` says why.
    """
    treebank, where = observations.treebank, np.flatnonzero(chosen)
    try:
        found = bands(observations.tokens[where], observations.item[where])
    except DataError as error:
        return untold((*DELTAS, *SCORES[treebank.kind]), error)
    met = replace(found, first=where[found.first], second=where[found.second])
    observed = observations.item_disagreement(chosen)
    parts = {}
    for name, d, squares in zip(DELTAS, observed, _squares(observations, met), strict=True):
        expected = observations.sums(found.means(squares), chosen)
        parts[name] = Contributions(d / len(where), expected / len(where), "sentences")
    compared = observations.compared(chosen)
    errors = disagreements(observations.sentences, met.first, met.second)
    for (name, part), wrong in zip(observations.wrong_tokens(chosen).items(), errors, strict=True):
        sums, tokens = observations.sums(found.means(wrong), chosen), part.expected
        expected = tokens * sums[compared] / observations.counts(chosen)[compared]
        parts[name] = Contributions(
            part.observed / tokens.sum(), expected / tokens.sum(), "sentences"
        )
    return against_bands(treebank, parts, found, seed=seed)


def measures_beyond_chance(
    treebank: Treebank, names: Iterable[str], *, seed: int
) -> dict[str, BeyondChance]:
    """The registered measures of trees against other sentences of the same length.

    Parameters
    ----------
    treebank
        What they measured.
    names
        Of measures; those that are no α and no accuracy of these trees are left out.
    seed
        Of the bootstrap over sentences that the interval comes from.
    """
    known = {_measure(name): name for name in (*DELTAS, *SCORES.get(treebank.kind, ()))}
    if not (wanted := [name for name in names if name in known]):
        return {}
    observations = TreeObservations.of(treebank)
    found = beyond_length_matched(observations, observations.everything, seed=seed)
    return {name: found[known[name]] for name in wanted}


def _measure(name: str) -> str:
    """What a δ or an accuracy is called as a measure."""
    return f"alpha-{name}" if name in DELTAS else name


def _squares(observations: TreeObservations, met: Bands) -> Floats:
    """The squared δ of the pairs, the second brought to the first one's length: (3, pairs)."""
    packed, lengths = observations.packed, observations.tokens + 1
    x, y = packed.codes[met.first], packed.codes[met.second]
    n, m = lengths[met.first], lengths[met.second]
    ted = packed.distances(x, y).astype(np.float64) * np.sqrt(2 * n**2 / (n**2 + m**2))
    squares: Floats = deltas(ted, packed.sizes[x], packed.sizes[y] * (n / m)) ** 2
    return squares


def interval_over_sentences(
    parts: Contributions, *, draws: int = DRAWS, seed: int
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
    return bootstrap(parts, draws=draws, seed=seed).interval


def against_bands(
    treebank: Treebank, parts: Mapping[str, Contributions], found: Bands, *, seed: int
) -> dict[str, BeyondChance]:
    """1 − D_o/D_e of what was compared, with intervals over sentences.

    Nothing is drawn for D_e: `samples` are the pairs compared, and `interval` tells how far the
    value would move with other sentences of the kind (`gammacp.measures.resampling`). The model
    tells `equal_length`, the share of annotations whose band has sentences of exactly their length,
    and `widest`, how many tokens longer or shorter the widest band goes.

    Parameters
    ----------
    treebank
        Whose annotations these are.
    parts
        What each sentence adds to D_o and to D_e, by name; none where nothing is compared.
    found
        What was compared.
    seed
        Of the bootstrap.
    """
    computed, signed = {}, {}
    for name, part in parts.items():
        mean = float(part.expected.sum())
        computed[name] = Computed(
            mean=mean,
            pairs=len(found.first),
            interval=interval_over_sentences(part, seed=seed) if mean > 0 else None,
            nothing=NOTHING,
        )
        signed[name] = signature(
            _measure(name),
            selection=treebank.selection,
            trees=treebank.kind,
            band=f"{FEWEST}..{MOST}",
            bootstrap=DRAWS,
            seed=seed,
        )
    return against_chance(
        {name: float(p.observed.sum()) if len(p) else math.nan for name, p in parts.items()},
        None,
        LENGTH_MATCHED,
        signed=signed,
        missing=NOT_COMPARED,
        computed=computed,
        told={
            "equal_length": float((found.widths == 0).mean()),
            "widest": int(found.widths.max()),
        },
    )


def untold(names: Iterable[str], why: DataError) -> dict[str, BeyondChance]:
    """What has no value, since there is no band for every annotation.

    Parameters
    ----------
    names
        Of what was asked for.
    why
        What `bands` raised.
    """
    told = {"equal_length": math.nan, "widest": 0}
    lost = BeyondChance(value=math.nan, chance=LENGTH_MATCHED, reason=str(why), told=told)
    return dict.fromkeys(names, lost)
