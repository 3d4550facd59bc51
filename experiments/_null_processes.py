"""Registry of null processes: annotators who share nothing except what the process states.

A measure of agreement should find nothing in them. Some processes share more than a name: a word, a
pause, a tilt or a copy, which `shares` says. A small p is then true of what is shared, and no
evidence that anybody read the text. Makers are those of the studies of zero and of the benchmarks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from experiments import (
    _crowds,
    _independent_coders,
    _independent_corpora,
    _independent_lexica,
    _independent_pauses,
    _independent_tilt,
    _independent_trees,
    zero_corpora,
    zero_links,
    zero_links_given,
)
from experiments._independent import PROCESSES, Habits, continuum
from gammacp.continuum import Continuum, Corpus, Unit

Rng = np.random.Generator

KINDS = (
    "text", "corpus", "places", "codes", "links", "own links", "segmentation", "trees", "crowd",
    "readers",
)  # fmt: skip
"""Kinds of data, each with its measures."""

UNITS = 20
"""Number of units per annotator of one text, on average."""


@dataclass(frozen=True)
class NullProcess:
    """Annotators without agreement.

    Attributes
    ----------
    kind
        One of `KINDS`, which decides what is measured.
    says
        One sentence that describes what annotators do.
    make
        Generator of a set → continuum, corpus, treebank, or documents by name.
    shares
        What the annotators have in common, if anything.
    """

    kind: str
    says: str
    make: Callable[[Rng], object]
    shares: str = ""


def _people(name: str, *, declared: bool = True) -> Callable[[Rng], Continuum]:
    """Return the maker of two annotators of one text from `_independent`."""
    return lambda rng: continuum(PROCESSES[name](2), UNITS, rng, declared=declared)


def touching(make: Callable[[Rng], Continuum]) -> Callable[[Rng], Continuum]:
    """Return the maker of the same units, which end exactly where the next one begins.

    Units that overlap by a rounding error are refused by measures that know no overlap.
    """

    def made(rng: Rng) -> Continuum:
        drawn = make(rng)
        units: list[Unit] = []
        for name in drawn.annotators:
            mine = sorted((u for u in drawn if u.annotator == name), key=lambda u: u.start)
            ends = [*(u.start for u in mine[1:]), *(u.end for u in mine[-1:])]
            units += [replace(u, end=end) for u, end in zip(mine, ends, strict=True)]
        return Continuum.from_units(units, annotators=drawn.annotators, bounds=drawn.bounds)

    return made


def _recording(name: str, kind: str, *, is_declared: bool) -> Callable[[Rng], Continuum]:
    """Return the maker of two annotators of a recording; its stretches are told or not."""

    def make(rng: Rng) -> Continuum:
        continuum, stretches = _independent_pauses.drawn(
            _independent_pauses.PROCESSES[name], kind, 2, rng
        )
        return continuum.with_markable(stretches) if is_declared else continuum

    return make


def copied_text(rng: Rng) -> Continuum:
    """Draw three annotators of one text; the third's units are those of the second."""
    drawn = continuum(PROCESSES["like"](2), UNITS, rng, declared=True)
    second = [u for u in drawn if u.annotator == drawn.annotators[1]]
    copies = [Unit("A3", u.start, u.end, u.category) for u in second]
    return Continuum.from_units(
        [*drawn, *copies], annotators=("A1", "A2", "A3"), bounds=drawn.bounds
    )


def corpus_of_cell(cell: str) -> Callable[[Rng], Corpus]:
    """Return a function that draws a corpus of a cell of `zero_corpora`."""
    return lambda rng: zero_corpora.corpus_of(zero_corpora.drawn(cell, rng))


def corpus_of_teams(rng: Rng, *, teams: int = 4, documents: int = 8) -> Corpus:
    """Draw documents that are assigned to teams of two, who share habits but ignore the text.

    Both members of a team have the same density, length and prevalence of labels.
    """
    habits = [
        Habits(
            density=float(np.clip(rng.lognormal(-0.125, 0.5), 0.4, 1.8)),
            length=float(rng.uniform(0.5, 1.5)),
            prevalence=tuple(rng.dirichlet((0.7, 0.7, 0.7)).tolist()),
        )
        for _ in range(teams)
    ]
    continua = {}
    for k in range(documents):
        team = k % teams
        drawn = continuum([habits[team]] * 2, 10, rng, declared=True)
        names = {"A1": f"team {team} a", "A2": f"team {team} b"}
        units = [Unit(names[u.annotator], u.start, u.end, u.category) for u in drawn]
        continua[f"d{k}"] = Continuum.from_units(
            units, annotators=[*names.values()], bounds=drawn.bounds
        )
    return Corpus.from_continua(continua)


def corpus_of_recordings(rng: Rng) -> Corpus:
    """Draw six recordings with declared pauses, and units that are moved to edges of pauses."""
    make = _recording("moved to an edge", "many short", is_declared=True)
    return Corpus.from_continua({f"d{k}": make(rng) for k in range(6)})


def _places(name: str) -> Callable[[Rng], Corpus]:
    return lambda rng: _independent_corpora.PROCESSES[name].corpus(rng)


def _links(cell: str) -> Callable[[Rng], Continuum]:
    return lambda rng: zero_links_given.drawn(cell, rng)


def _coders(cell: str) -> Callable[[Rng], Continuum]:
    return lambda rng: _independent_coders.drawn(cell, rng)


def _trees(cell: str) -> Callable[[Rng], object]:
    return lambda rng: _independent_trees.drawn(cell, rng)


def _crowd(name: str) -> Callable[[Rng], Mapping[str, Continuum]]:
    return lambda rng: _crowds.HONEST[name].draw(rng)


def _readers(name: str, documents: int) -> Callable[[Rng], Sequence[Continuum]]:
    reading, thinning, shape = _independent_tilt.CELLS[name]
    return lambda rng: _independent_tilt.corpus(reading, thinning, shape, documents, rng)


TEXTS: Mapping[str, NullProcess] = {
    "like": NullProcess(
        "text", "Two annotators with the same habits mark what they like.", _people("like")
    ),
    "unlike": NullProcess(
        "text",
        "One makes few long units, the other many short ones, mostly of other labels.",
        _people("unlike"),
    ),
    "adjacent": NullProcess(
        "text",
        "Units of unequal lengths follow each other without a gap.",
        touching(_people("tiled")),
    ),
    "tiles": NullProcess(
        "text",
        "Units of nearly equal lengths cover the whole text; its bounds cut the outer ones.",
        touching(_people("even tiles cut off")),
    ),
    "bursts": NullProcess(
        "text", "Units come in bursts, each annotator's at other places.", _people("bursts")
    ),
    "rhythm": NullProcess("text", "Units of one length come at even distances.", _people("rhythm")),
    "overlaps": NullProcess("text", "Units begin anywhere and overlap.", _people("overlaps")),
    "one sparse": NullProcess(
        "text", "One annotator marks a tenth of what the other does.", _people("one sparse")
    ),
    "pauses told": NullProcess(
        "text",
        "Tiles end at thirteen short pauses that are declared.",
        _recording("tiles cut at pauses", "many short", is_declared=True),
        "the pauses, which chance knows",
    ),
    "pauses": NullProcess(
        "text",
        "Nobody marks anything in three long pauses that nobody declared.",
        _recording("none across", "three long", is_declared=False),
        "the pauses",
    ),
    "tilt": NullProcess(
        "text",
        "Three annotators mark less and less: at the end a quarter of the beginning.",
        lambda rng: _independent_tilt.thinning_text(0.75, rng),
        "the tilt",
    ),
    "quota": NullProcess(
        "text",
        "Both stop when they have made twenty units, after two thirds of the text.",
        _people("quota"),
        "where they stop",
    ),
    "lexica": NullProcess(
        "text",
        "Two word lists, drawn on their own, mark every occurrence of their words.",
        lambda rng: _independent_lexica.annotated(rng, 2, bursts=False),
        "words of a text",
    ),
    "lexica, bursts": NullProcess(
        "text",
        "The same, and words come again soon after they came.",
        lambda rng: _independent_lexica.annotated(rng, 2, bursts=True),
        "words of a text",
    ),
    "copies": NullProcess(
        "text",
        "The third annotator copies the second; the first is independent.",
        copied_text,
        "a copy",
    ),
}
CORPORA: Mapping[str, NullProcess] = {
    "documents": NullProcess(
        "corpus",
        "Eight documents of two annotators with the same habits.",
        corpus_of_cell("like 8x2x10"),
    ),
    "unlike documents": NullProcess(
        "corpus",
        "Each document has a density and a topic that both annotators follow.",
        corpus_of_cell("unlike documents 8x2x10"),
        "density and topic of a document",
    ),
    "recordings": NullProcess(
        "corpus",
        "Units across one of the declared pauses go to its edge.",
        corpus_of_recordings,
        "the pauses, which chance knows",
    ),
    "teams": NullProcess(
        "corpus",
        "Documents are dealt to four teams of two; a team has habits of its own.",
        corpus_of_teams,
        "habits of a team",
    ),
}
LABELS: Mapping[str, NullProcess] = {
    "runs of a label": NullProcess(
        "places", "Seven in ten places get the label of the one before.",
        _places("places, runs of a label"),
    ),
    "rare labels": NullProcess(
        "places", "Nearly all labels are the same.", _places("places, rare labels")
    ),
    "own prevalences": NullProcess(
        "places", "Three annotators prefer other labels each.", _places("places, own prevalences")
    ),
    "documents of own prevalence": NullProcess(
        "places", "Labels of a document follow shares of its own.",
        _places("places, documents of own prevalence"), "topic of a document",
    ),
    "codes": NullProcess("codes", "Each code is found in a document or not.", _places("codes")),
    "rare codes": NullProcess("codes", "Codes are found in few documents.", _places("codes, rare")),
}  # fmt: skip
LINKS: Mapping[str, NullProcess] = {
    "adjacent links": NullProcess(
        "links", "Eight in ten units link to the one before.", _links("mostly previous 2x20")
    ),
    "links beside": NullProcess(
        "links", "Each unit links to the one before or after.", _links("one beside 2x20")
    ),
    "backward links": NullProcess(
        "links", "Each unit links to any earlier one.", _links("any earlier 2x20")
    ),
    "hubs": NullProcess(
        "links", "Each annotator has favourite units to link to.", _links("own hubs 2x20")
    ),
    "first hubs": NullProcess(
        "links", "Units are linked to the more often, the earlier they come.",
        _links("first hubs 2x20"), "earlier units as hubs",
    ),
    "link trees": NullProcess(
        "links", "Links are trees over neighbouring parts.", _links("left tree 2x20")
    ),
    "links of own units": NullProcess(
        "own links", "Each annotator links units of one's own to near ones.",
        lambda rng: zero_links.drawn("one near like 2x20", rng),
    ),
}  # fmt: skip
OTHERS: Mapping[str, NullProcess] = {
    "regular segments": NullProcess(
        "segmentation", "Four coders make segments of nearly one length.", _coders("regular")
    ),
    "two states": NullProcess(
        "segmentation", "Runs of short segments follow runs of long ones.", _coders("two states")
    ),
    "segments, own density": NullProcess(
        "segmentation", "Items have denser boundaries for all coders.",
        _coders("density of items"), "density of an item",
    ),
    "from the start": NullProcess(
        "segmentation", "All coders count their segments from the item's start.",
        _coders("from the start"), "the first boundary",
    ),
    "trees": NullProcess(
        "trees", "Trees over sentences of 3 to 30 words, drawn by each annotator.",
        _trees("like 3-30 x40"),
    ),
    "trees of teams": NullProcess(
        "trees", "Annotators of trees work in teams with tastes of their own.",
        _trees("teams 3-30 x60"),
    ),
    "chains of words": NullProcess(
        "trees", "Nearly every word depends on the one before.", _trees("chains gamma x40")
    ),
    "attractive mistakes": NullProcess(
        "crowd", "Five who read well fall for the same mistakes; nobody copies.",
        _crowd("attractive mistakes .9"), "the truth and mistakes",
    ),
    "schools of mistakes": NullProcess(
        "crowd", "Two schools have mistakes of their own; nobody copies.",
        _crowd("two schools .8, of two and three"), "the truth and mistakes of a school",
    ),
    "thinning texts": NullProcess(
        "readers", "Three read texts that thin out, equally well.",
        _readers("careful, thinning out, bursts", 12), "the truth",
    ),
    "unequal readers": NullProcess(
        "readers", "Three find other shares of texts that thin out.",
        _readers("unequal numbers, thinning out", 12), "the truth",
    ),
}  # fmt: skip
NULL_PROCESSES: Mapping[str, NullProcess] = {**TEXTS, **CORPORA, **LABELS, **LINKS, **OTHERS}
