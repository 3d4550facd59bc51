"""Beyond the papers: how often every measure that prints a p finds agreement where there is none.

The processes are those of `_null_processes`. A row has the share of sets with p ≤ .05, its upper
95 % limit (Clopper & Pearson, one-sided), and the mean of what is compared with 0: γ, or another
measure beyond chance. For a search that names annotators or pairs the share is that of sets in
which anybody is named.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from experiments._common import write_csv
from experiments._independent_coders import codings_of
from experiments._null_processes import NULL_PROCESSES, NullProcess
from experiments.tests_hold import LEVEL, Row, upper
from gammacp.base.files import write_text
from gammacp.campaign.copies import copies
from gammacp.chance.direction import direction
from gammacp.chance.expected import SampleRule
from gammacp.inference.contrasts import contrasts
from gammacp.measures.gamma_corpus import gamma_corpus
from gammacp.measures.measuring import measure
from gammacp.segmentation import measures_beyond_chance

SAMPLES = 19
"""Random sets: p ≤ .05 means that all of them agree less."""


@dataclass(frozen=True)
class Found:
    """Outcome of one measure on one set.

    Attributes
    ----------
    value
        Agreement beyond chance; NaN for a search.
    small
        Whether p ≤ .05, or somebody is named; None where no p is printed.
    """

    value: float
    small: bool | None


Outcomes = Mapping[str, Found]


def found(value: float, p: float | None) -> Found:
    """Return the outcome of a measure with this p."""
    if p is None or math.isnan(p):
        return Found(value, None)
    return Found(value, p <= LEVEL)


def by_measure(data: Any, names: Sequence[str], seed: int, chance: str) -> Outcomes:
    """Return the outcomes of measures beyond chance."""
    scores = measure(data, names, beyond_chance=True, chance=chance, samples=SAMPLES, seed=seed)
    outcomes = {}
    for name, score in scores.items():
        beyond = score.beyond_chance
        if beyond is None:
            outcomes[name] = found(score.value, getattr(score, "p", None))
        else:
            outcomes[name] = found(beyond.value, beyond.p)
    return outcomes


def of_gamma(data: Any, seed: int) -> Outcomes:
    """Return γ and γ_cat of one text, and the test of direction."""
    outcomes = dict(by_measure(data, ("gamma", "gamma-cat"), seed, "cut"))
    towards = direction([data])
    p = None if towards is None else towards.p
    return {**outcomes, "units lie nearer one end": found(math.nan, p)}


OF_TEXTS = ("soft-gamma", "u-alpha", "cu-alpha", "kappa-d", "ser", "f1-overlap", "soft-f1")


def of_text(data: Any, seed: int) -> Outcomes:
    """Return other measures of one text beyond chance."""
    return by_measure(data, OF_TEXTS, seed, "cut")


def of_corpus(data: Any, seed: int) -> Outcomes:
    """Return γ of a corpus by its default chance, and its two factors."""
    score = gamma_corpus(data, samples=SAMPLES, seed=seed)
    parts = {
        "gamma of a corpus": score,
        "gamma within documents": score.within,
        "gamma about documents": score.between,
    }
    return {name: found(part.value, part.p) for name, part in parts.items() if part is not None}


def of_documents(data: Any, seed: int) -> Outcomes:
    """Return measures of a corpus beyond chance, each document's units turned."""
    scores = by_measure(data, ("u-alpha", "f1-overlap"), seed, "cut")
    return {f"{name} of a corpus": outcome for name, outcome in scores.items()}


def of_places(data: Any, seed: int) -> Outcomes:
    """Return measures of labels at given places."""
    return by_measure(data, ("alpha", "kappa", "gwet-ac"), seed, "fixed-positions")


def of_codes(data: Any, seed: int) -> Outcomes:
    """Return the presence of codes in documents."""
    return by_measure(data, ("presence",), seed, "documents")


def of_links(data: Any, seed: int) -> Outcomes:
    """Return γ of links between units that all annotators have."""
    score = measure(data, ["gamma-link-given-units"], samples=SAMPLES, seed=seed)
    gamma = score["gamma-link-given-units"]
    return {"gamma-link-given-units": found(gamma.value, getattr(gamma, "p", None))}


def of_own_links(data: Any, seed: int) -> Outcomes:
    """Return measures of links between units of one's own."""
    return by_measure(data, ("gamma-link", "relation-f1-relaxed"), seed, "cut")


def of_segmentations(data: Any, seed: int) -> Outcomes:
    """Return every measure of segmentation beyond chance."""
    rule = SampleRule(samples=SAMPLES)
    measures = measures_beyond_chance(codings_of(data), rule=rule, seed=seed)
    beyond = {name: m.beyond_chance for name, m in measures.items()}
    return {f"{name} of codings": found(b.value, b.p) for name, b in beyond.items()}


def of_trees(data: Any, seed: int) -> Outcomes:
    """Return measures of trees against sentences of the same length."""
    names = ("alpha-plain", "alpha-diff", "alpha-norm", "las")
    options: dict[str, Any] = {"sample_pairs": 1000, "seed": seed}
    scores = measure(data, names, beyond_chance=True, **options)
    beyond = {name: score.beyond_chance for name, score in scores.items()}
    return {name: found(b.value, b.p) for name, b in beyond.items() if b is not None}


def of_crowd(data: Any, seed: int) -> Outcomes:
    """Return whether the search for copies names a pair."""
    del seed
    return {"a pair copied": Found(math.nan, bool(copies(data).pairs))}


def of_readers(data: Any, seed: int) -> Outcomes:
    """Return whether somebody is named as marking more towards one end."""
    del seed
    named = any(contrast.p <= LEVEL for contrast in contrasts(data))
    return {"somebody is nearer one end": Found(math.nan, named)}


@dataclass(frozen=True)
class Study:
    """Measures of one kind of data, and the number of sets to draw."""

    kind: str
    outcomes: Callable[[Any, int], Outcomes]
    sets: int


STUDIES = (
    Study("text", of_gamma, 200),
    Study("text", of_text, 40),
    Study("corpus", of_corpus, 40),
    Study("corpus", of_documents, 10),
    Study("places", of_places, 20),
    Study("codes", of_codes, 40),
    Study("links", of_links, 50),
    Study("own links", of_own_links, 30),
    Study("segmentation", of_segmentations, 100),
    Study("trees", of_trees, 30),
    Study("crowd", of_crowd, 100),
    Study("readers", of_readers, 200),
)


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """`catalogue.csv`: a row per process and measure; `worst.md`: each measure's worst rows."""
    del data
    rows: list[Row] = []
    for study in STUDIES:
        sets = 2 if quick else study.sets
        for name, process in NULL_PROCESSES.items():
            if process.kind == study.kind:
                rows += rows_of(name, process, study.outcomes, sets)
                # An interrupted run has left its finished rows.
                write_csv(out / "catalogue.csv", rows)
    write_text(out / "worst.md", worst(rows))


def rows_of(
    name: str, process: NullProcess, outcomes: Callable[[Any, int], Outcomes], sets: int
) -> list[Row]:
    """Return a row per measure of one process."""
    by_name: dict[str, list[Found]] = defaultdict(list)
    for k in range(sets):
        # The seed of a set does not depend on what else is run.
        seed = np.random.SeedSequence([59, crc32(name.encode()), k])
        for key, outcome in outcomes(process.make(np.random.default_rng(seed)), k).items():
            by_name[key].append(outcome)
    return [row(name, process, key, mine) for key, mine in by_name.items()]


def row(name: str, process: NullProcess, measured: str, outcomes: Iterable[Found]) -> Row:
    """Return the row of one process and measure."""
    every = list(outcomes)
    small = [f.small for f in every if f.small is not None]
    values = np.array([f.value for f in every if not math.isnan(f.value)])
    error = float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else None
    return {
        "process": name,
        "kind": process.kind,
        "shares": process.shares,
        "measure": measured,
        "sets": len(every),
        "with_p": len(small),
        "significant": sum(small) / len(small) if small else None,
        "upper": upper(sum(small), len(small)) if small else None,
        "mean": float(values.mean()) if len(values) else None,
        "standard_error": error,
        "says": process.says,
    }


def worst(rows: Sequence[Row]) -> str:
    """Return a table of each measure's worst process: of those that share nothing, and others."""
    lines = [
        "| measure | worst of annotators who share nothing | worst of those who share something |",
        "|---|---|---|",
    ]
    for name in dict.fromkeys(str(r["measure"]) for r in rows):
        mine = [r for r in rows if r["measure"] == name and r["significant"] is not None]
        alone = [r for r in mine if not r["shares"]]
        sharing = [r for r in mine if r["shares"]]
        lines.append(f"| {name} | {_worst_of(alone)} | {_worst_of(sharing)} |")
    return "\n".join(lines) + "\n"


def _worst_of(rows: Sequence[Row]) -> str:
    """Describe the row with the most small p; of several, the one with the highest mean."""
    if not rows:
        return "–"
    most = max(rows, key=lambda r: (_number(r["significant"]), _number(r["mean"])))
    share, limit = _number(most["significant"]), _number(most["upper"])
    text = f"{most['process']}: {share:.0%} of {most['with_p']} (≤ {limit:.0%})"
    if most["mean"] is None:
        return text
    error = _number(most["standard_error"])
    return f"{text}, {_number(most['mean']):+.3f} ± {error:.3f}"


def _number(cell: object) -> float:
    """Return a number of a row; what is missing is below all others."""
    return float(cell) if isinstance(cell, int | float) else -math.inf
