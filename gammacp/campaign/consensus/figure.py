"""Gold standards as pictures: lanes with the consensus below them, or bars of documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from gammacp.alignment.problem import Status
from gammacp.base.lane_pictures import lane_panels
from gammacp.base.lanes import Lanes
from gammacp.base.pictures import Panel, Picture, short_names
from gammacp.base.plots import COLOURS, SHADES
from gammacp.base.text import counted, sentence, visible, with_commas
from gammacp.campaign.consensus.consensus import Consensus, ConsensusUnit
from gammacp.campaign.consensus.several import CorpusConsensus
from gammacp.errors import DataError

MOST_DOCUMENTS = 20
"""Largest number of documents in the picture."""
_OPEN = "?"
_BAR = 0.22
_AROUND = 0.75
# Places of the parts of a bar in the colour map.
_AGREED = 0.25
_REVIEWED = 0.75


def picture_of(consensus: Consensus, width: float) -> Picture:
    """Return the picture of one document: a lane per annotator, and the gold standard below.

    Parameters
    ----------
    consensus
        The consensus to draw.
    width
        Width of the figure, in inches.

    Raises
    ------
    DataError
        There are no units.
    """
    if not consensus.units:
        raise DataError("there is nothing to draw: no unit")
    panels, notes, add_scale = lane_panels(_lanes(consensus), width)
    people = len(consensus.units[0].units)
    name = consensus.continuum.name
    begin = f"{visible(name)}: " if name else ""
    words = [
        f"{begin}{_counts([consensus])}, by {counted(people, 'annotator')}.",
        f"A unit is kept if {consensus.needed} of {people} marked it.",
    ]
    if consensus.threshold is not None:
        words.append(f"Its posterior must be {consensus.threshold:.2f}, too.")
    words.append("The darker, the more disorder.")
    if len(consensus.kept) < len(consensus.units):
        words.append("Dashed: left out.")
    if any(unit.vote.tied for unit in consensus.units):
        words.append(f"{_OPEN}: no category has most votes.")
    review = [unit for unit in consensus.units if unit.reasons]
    if review:
        words.append("Triangles: to review.")
    finish = partial(_mark_review, units=review, add_scale=add_scale)
    return Picture(panels, " ".join([*words, *notes]), finish=finish)


def picture_of_all(gold: CorpusConsensus, width: float) -> Picture:
    """Return the picture of several documents: numbers of units agreed on, to review and left out.

    Parameters
    ----------
    gold
        The consensus of several documents; a single document is drawn as by `picture_of`.
    width
        Width of the figure, in inches.

    Raises
    ------
    DataError
        There are no units.
    """
    if len(gold.documents) == 1:
        ((name, consensus),) = gold.documents.items()
        picture = picture_of(consensus, width)
        words = [] if consensus.continuum.name else [f"{visible(name)}:"]
        caption = " ".join([*words, picture.caption, *_about(gold)])
        return Picture(picture.panels, caption, finish=picture.finish)
    counts = {name: _parts(each) for name, each in gold.documents.items()}
    worst = sorted(counts, key=lambda name: (-sum(counts[name][1:]), name))[:MOST_DOCUMENTS]
    if not any(sum(parts) for parts in counts.values()):
        raise DataError("there is nothing to draw: no unit")
    labels, cut_names = short_names(worst)
    panel = Panel(
        _AROUND + _BAR * len(worst),
        partial(_draw_bars, labels=labels, counts=[counts[name] for name in worst]),
    )
    words = [
        f"{counted(len(counts), 'document')} by {_people(gold)} each: "
        f"{_counts(gold.documents.values())}."
    ]
    if len(worst) < len(counts):
        words.append(
            f"Shown are the {len(worst)} of {with_commas(len(counts))} documents with most to "
            "review."
        )
    words += [cut_names] * bool(cut_names)
    return Picture((panel,), " ".join([*words, *_about(gold)]))


def _people(consensus: CorpusConsensus) -> str:
    """Return the number of annotators of a document in words, a range if documents differ."""
    numbers = [int(n) for n in consensus.cells.continua.n_annotators]
    if min(numbers) == max(numbers):
        return counted(max(numbers), "annotator")
    return f"{min(numbers)} to {max(numbers)} annotators"


def _about(consensus: CorpusConsensus) -> list[str]:
    """Return sentences on how the annotators were weighed, and on documents with problems."""
    words = [f"Weights: {consensus.belief.weights}.", *map(sentence, consensus.belief.notes)]
    if consensus.status is not Status.OPTIMAL:
        words.append("Some alignments are not proven to be the best.")
    if consensus.failures:
        words.append(f"{counted(len(consensus.failures), 'document')} without a gold standard.")
    return words


def _parts(consensus: Consensus) -> tuple[int, int, int]:
    """Return the numbers of units that are agreed on, that are kept but to review, and left out."""
    reviewed = sum(bool(unit.reasons) for unit in consensus.kept)
    total = len(consensus.kept)
    return total - reviewed, reviewed, len(consensus.units) - total


def _counts(each: Any) -> str:
    agreed, reviewed, out = np.sum([_parts(consensus) for consensus in each], axis=0).tolist()
    total = with_commas(agreed + reviewed)
    units = "unit" if agreed + reviewed == 1 else "units"
    return f"{total} {units} kept ({with_commas(reviewed)} to review), {with_commas(out)} left out"


def _lanes(consensus: Consensus) -> Lanes:
    """Return lanes for the units of the annotators, and a lane below for the consensus units."""
    names = list(consensus.units[0].units)
    rows: list[tuple[int, float, float, str | None, bool]] = []
    pieces = {}
    groups = np.full((len(consensus.units), len(names) + 1), -1, np.int32)
    for k, joint in enumerate(consensus.units):
        marked: list[Any] = [*joint.units.values(), joint]
        for lane, unit in enumerate(marked):
            if unit is None:
                continue
            groups[k, lane] = len(rows)
            if unit.fragments:
                pieces[len(rows)] = tuple((float(a), float(b)) for a, b in unit.fragments)
            label = None if unit.category is None else str(unit.category)
            if unit is joint and joint.vote.tied:
                label = _OPEN
            rows.append((lane, unit.start, unit.end, label, not joint.kept))
    lanes, starts, ends, labels, hollow = zip(*rows, strict=True)
    disorder = np.array([unit.disorder for unit in consensus.units])
    gold_names = consensus.continuum.annotators
    return Lanes(
        names=(*names, gold_names[0] if gold_names else "consensus"),
        lane=np.array(lanes, np.int32),
        start=np.array(starts, np.float64),
        end=np.array(ends, np.float64),
        labels=labels,
        pieces=pieces,
        groups=groups,
        cost=disorder,
        hollow=np.array(hollow, np.bool_),
        offset_unit=consensus.continuum.offset_unit,
        scale=("disorder / Δ", max(1.0, float(disorder.max()))),
        always_drawn=(len(names),),
    )


def _mark_review(
    figure: Any,
    axes: list[Any],
    *,
    units: Sequence[ConsensusUnit],
    add_scale: Callable[[Any, list[Any]], None],
) -> None:
    """Mark the consensus units that a person should review."""
    middles = np.array([(unit.start + unit.end) / 2 for unit in units])
    for panel in axes:
        low, high = panel.get_xlim()
        inside = middles[(middles >= low) & (middles <= high)]
        bottom = max(panel.get_ylim())
        (marks,) = panel.plot(
            inside, np.full(len(inside), bottom - 0.07), "^", color=COLOURS[1], ms=4.5, zorder=5
        )
        marks.set_markeredgecolor("black")
        marks.set_markeredgewidth(0.5)
        marks.set_gid("review")
    add_scale(figure, axes)


def _draw_bars(axes: Any, *, labels: Sequence[str], counts: Sequence[Sequence[int]]) -> None:
    import matplotlib as mpl
    from matplotlib.ticker import MaxNLocator

    shades = mpl.colormaps[SHADES]
    parts: dict[str, dict[str, Any]] = {
        "agreed": {"color": shades(_AGREED), "edgecolor": "#222222"},
        "kept, to review": {"color": shades(_REVIEWED), "edgecolor": "#222222"},
        "left out": {"color": "white", "edgecolor": "#222222", "hatch": "////"},
    }
    places = np.arange(len(labels))
    offsets = np.zeros(len(labels))
    for k, (name, style) in enumerate(parts.items()):
        widths = np.array([row[k] for row in counts], np.float64)
        axes.barh(places, widths, left=offsets, height=0.7, label=name, linewidth=0.5, **style)
        offsets += widths
    axes.set_yticks(places, labels)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    axes.set_axisbelow(True)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    axes.tick_params(axis="y", length=0, labelsize=8)
    axes.tick_params(axis="x", labelsize=7.5)
    axes.set_xlabel("units", fontsize=8)
    axes.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=3, fontsize=7.5)
