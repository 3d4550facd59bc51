"""Beyond the papers: are planted kinds of differences found, and is anybody told of without reason?

`innocent.csv`: campaigns in which nobody differs from the others, or nobody agrees with anybody,
and in how many of them a sentence is made. `confusion.csv`: one of the annotators makes errors of
the Corpus Shuffling Tool on top of everybody's light ones; the share of the culprit's disorder by
kind, and what is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from experiments._common import write_csv
from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.kinds.codes import DIFFERENCE_KINDS
from gammacp.kinds.kinds import Kinds, kinds_of
from gammacp.kinds.sentences import LEVEL
from gammacp.pools import open_pool
from shuffling import CategoryModel, ReferenceModel, Uniform, reference_set, shuffle

Row = dict[str, object]

MODEL = ReferenceModel()
LIGHT = "position+category+false-negative+false-positive"
SIZES = ((3, 1, 60), (3, 6, 20), (4, 20, 10))
"""Annotators, documents, units of each."""
RUNS = {SIZES[0]: (25, 5), SIZES[1]: (25, 5), SIZES[2]: (3, 2)}
"""Campaigns of each size: of a process, and of a planted error."""


def _of_length(low: int, high: int, units: int) -> ReferenceModel:
    categories = tuple(
        CategoryModel(name=c.name, prevalence=c.prevalence, lengths=Uniform(low, high))
        for c in MODEL.categories
    )
    return replace(MODEL, categories=categories, n_units=units, gaps=Uniform(0, low))


def _named(continuum: Continuum, name: str) -> list[Unit]:
    return [replace(unit, annotator=name) for unit in continuum]


def _names(people: int) -> list[str]:
    return [f"P{k + 1}" for k in range(people)]


def independent(people: int, units: int, seed: Sequence[int]) -> list[Unit]:
    """Draw annotators who know nothing of each other."""
    model = replace(MODEL, n_units=units)
    return [
        unit
        for k, name in enumerate(_names(people))
        for unit in _named(reference_set(model, seed=np.random.SeedSequence([*seed, k])), name)
    ]


def long_and_short(people: int, units: int, seed: Sequence[int]) -> list[Unit]:
    """Draw one annotator of few long units, independent of others who mark many short ones."""
    drawn: list[Unit] = []
    for k, name in enumerate(_names(people)):
        model = _of_length(200, 400, max(2, units // 4)) if k == 0 else _of_length(30, 90, units)
        drawn += _named(reference_set(model, seed=np.random.SeedSequence([*seed, k])), name)
    return drawn


def shuffled(
    people: int,
    units: int,
    seed: Sequence[int],
    errors: str = LIGHT,
    magnitude: float = 0.1,
    planted: tuple[str, float] | None = None,
) -> list[Unit]:
    """Draw annotators of one truth who err alike; the first one plants errors on top."""
    model = replace(MODEL, n_units=units)
    truth = reference_set(model, seed=np.random.SeedSequence([*seed, 0]))
    drawn: list[Unit] = []
    for k, name in enumerate(_names(people)):
        own_truth = truth
        if planted is not None and k == 0:
            own_truth = _planted(truth, *planted, np.random.SeedSequence([*seed, 1]))
        annotation = shuffle(
            own_truth, errors, magnitude, 1, model=model, seed=np.random.SeedSequence([*seed, 2, k])
        )
        drawn += _named(annotation, name)
    return drawn


def _planted(
    truth: Continuum, error: str, magnitude: float, seed: np.random.SeedSequence
) -> Continuum:
    """Return the truth as the culprit takes it, of one annotator."""
    if error == "level":
        rng = np.random.default_rng(seed)
        units = list(truth)
        for unit in list(truth):
            if rng.random() < magnitude:
                length = unit.end - unit.start
                low = unit.start + round(0.1 * length)
                units.append(replace(unit, start=low, end=low + round(0.6 * length)))
        return Continuum.from_units(units, bounds=truth.bounds, categories=truth.categories)
    annotation = shuffle(truth, error, magnitude, 1, model=MODEL, seed=seed)
    return Continuum.from_units(
        [replace(u, annotator="reference") for u in annotation],
        bounds=truth.bounds,
        categories=truth.categories,
        annotators=["reference"],
    )


def alike(people: int, units: int, seed: Sequence[int]) -> list[Unit]:
    """Draw annotators who make the same light errors."""
    return shuffled(people, units, seed)


def moved(people: int, units: int, seed: Sequence[int]) -> list[Unit]:
    """Draw annotators who move boundaries alike, by a magnitude of .3."""
    return shuffled(people, units, seed, "position", 0.3)


def joined_alike(people: int, units: int, seed: Sequence[int]) -> list[Unit]:
    """Draw annotators who cut and join units alike."""
    return shuffled(people, units, seed, "split+merge", 0.1)


INNOCENT: Mapping[str, Callable[[int, int, Sequence[int]], list[Unit]]] = {
    "independent": independent,
    "long and short": long_and_short,
    "alike": alike,
    "position .3": moved,
    "cut and joined alike": joined_alike,
}
# Error of the shuffling tool, magnitude, and the kind that it should be read as.
PLANTED = (
    ("position", 0.4, "position"),
    ("category", 0.5, "category"),
    ("split", 0.15, "split"),
    ("merge", 0.3, "merged"),
    ("false-negative", 0.3, "missing"),
    ("false-positive", 0.3, "extra"),
    ("level", 0.3, "level"),
)


def campaign(draw: Callable[..., list[Unit]], size: tuple[int, int, int], seed: int) -> Corpus:
    """Return the documents of a campaign."""
    people, documents, units = size
    names = _names(people)
    continua = {
        f"d{d}": Continuum.from_units(draw(people, units, [seed, d]), annotators=names)
        for d in range(documents)
    }
    return Corpus.from_continua(continua)


@dataclass(frozen=True)
class SimulatedCampaign:
    """A campaign that is judged: a process or a planted error, a size and a seed."""

    process: str
    magnitude: float
    size: tuple[int, int, int]
    seed: int


def judged(task: SimulatedCampaign) -> Kinds:
    """Return the kinds of differences of one campaign."""
    if task.process in INNOCENT:
        corpus = campaign(INNOCENT[task.process], task.size, task.seed)
    else:

        def draw(people: int, units: int, seed: Sequence[int]) -> list[Unit]:
            planted = (task.process, task.magnitude)
            return shuffled(people, units, seed, LIGHT, 0.05, planted)

        corpus = campaign(draw, task.size, task.seed)
    return kinds_of(corpus, seed=task.seed)


def told(task: SimulatedCampaign) -> Row:
    """Return what is said of an innocent campaign."""
    judgement = judged(task)
    telling = [r for r in judgement.people if r["p"] is not None and r["p"] <= LEVEL]
    raw = {
        r["kind"] for r in judgement.people if r["kind"] in ("split", "merged") and r["count"] >= 2
    }
    return {
        "sentences": len(judgement.sentences),
        "kinds": [r["kind"] for r in telling],
        "raw": bool(raw),
    }


def read_as(task: SimulatedCampaign) -> Row:
    """Return the kinds that the culprit is charged with, and who is told of what."""
    judgement = judged(task)
    mine = {r["kind"]: r["charged"] for r in judgement.people if r["annotator"] == "P1"}
    telling = [r for r in judgement.people if r["p"] is not None and r["p"] <= LEVEL]
    return {
        "charged": mine,
        "told": [r["kind"] for r in telling if r["annotator"] == "P1"],
        "others": sum(r["annotator"] != "P1" for r in telling),
        "shares": {
            kind: mine[kind] / judgement.parts[kind]["observed"]
            if judgement.parts[kind]["observed"]
            else 0.0
            for kind in DIFFERENCE_KINDS
        },
    }


def _innocent(rows: Sequence[tuple[SimulatedCampaign, Row]]) -> Iterator[Row]:
    cells: dict[tuple[str, tuple[int, int, int]], list[Row]] = {}
    for task, row in rows:
        cells.setdefault((task.process, task.size), []).append(row)
    for (process, (people, documents, units)), process_rows in cells.items():
        kinds = Counter(kind for row in process_rows for kind in row["kinds"])  # type: ignore[attr-defined]
        yield {
            "process": process,
            "annotators": people,
            "documents": documents,
            "units": units,
            "campaigns": len(process_rows),
            "with_sentences": sum(bool(row["sentences"]) for row in process_rows),
            "looking_cut_or_joined": sum(bool(row["raw"]) for row in process_rows),
            **{kind: kinds[kind] for kind in DIFFERENCE_KINDS},
        }


def _confusion(rows: Sequence[tuple[SimulatedCampaign, Row]]) -> Iterator[Row]:
    cells: dict[tuple[str, tuple[int, int, int]], list[Row]] = {}
    for task, row in rows:
        cells.setdefault((task.process, task.size), []).append(row)
    expected = {error: kind for error, _, kind in PLANTED}
    for (process, (people, documents, units)), process_rows in cells.items():
        charged = {k: sum(r["charged"][k] for r in process_rows) for k in DIFFERENCE_KINDS}  # type: ignore[index]
        whole = sum(charged.values())
        kind = expected[process]
        yield {
            "planted": process,
            "annotators": people,
            "documents": documents,
            "units": units,
            "campaigns": len(process_rows),
            **{k: value / whole for k, value in charged.items()},
            "share_of_kind": float(np.mean([r["shares"][kind] for r in process_rows])),  # type: ignore[index]
            "told": sum(kind in r["told"] for r in process_rows),  # type: ignore[operator]
            "told_others": sum(bool(r["others"]) for r in process_rows),
        }


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Judge innocent campaigns, and campaigns with one culprit."""
    del data
    sizes = SIZES[1:2] if quick else SIZES
    runs = {sizes[0]: (2, 1)} if quick else RUNS
    innocent = [
        SimulatedCampaign(name, 0.0, size, seed)
        for name in INNOCENT
        for size in sizes
        for seed in range(runs[size][0])
    ]
    planted = [
        SimulatedCampaign(error, magnitude, size, 1000 + seed)
        for error, magnitude, _ in PLANTED
        for size in sizes
        for seed in range(runs[size][1])
    ]
    with open_pool() as pool:
        innocent_rows = list(pool.executor.map(told, innocent))
        read = list(pool.executor.map(read_as, planted))
    write_csv(out / "innocent.csv", _innocent(list(zip(innocent, innocent_rows, strict=True))))
    write_csv(out / "confusion.csv", _confusion(list(zip(planted, read, strict=True))))
