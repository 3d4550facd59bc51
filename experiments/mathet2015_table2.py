"""2015, Table 2: which measure satisfies which requirement, from the registry and by probes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from experiments._common import MATHET_2015, Span, continuum, model_of, write_csv
from gammacp.base.plots import COLOURS, figure
from gammacp.continuum import Continuum, Unit
from gammacp.continuum.needs import Need
from gammacp.dissimilarity import Combined
from gammacp.measures.measuring import measure
from gammacp.measures.registry import MEASURES, Measure
from gammacp.pools import open_pool
from shuffling import ReferenceModel, Uniform

LENGTH = 100
BASE: list[Span] = [(4, 14, "1"), (20, 32, "2"), (40, 50, "3"), (60, 75, "1"), (84, 94, "4")]
TILES: list[Span] = [(0, 20, "1"), (20, 45, "2"), (45, 60, "3"), (60, 80, "1"), (80, 100, "4")]
YES, PARTLY, NO = "yes", "partly", "no"
# What chance-corrected measures may be off by over the random sets of the probe.
NEAR_ZERO = 0.1


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Write a row per measure and requirement: what the registry says, what a probe finds."""
    del data
    # Measures of units; those with one value per category have none to probe.
    measures = [MEASURES[name] for name in sorted(MEASURES)]
    names = [m.name for m in measures if m.applies_to == "continuum" and not m.per_category]
    with open_pool() as pool:
        rows_by_measure = pool.executor.map(probed, names, [12 if quick else 20] * len(names))
        rows = [row for mine in rows_by_measure for row in mine]
    write_csv(out / "requirements.csv", rows)
    _draw(out, rows)


def probed(name: str, draws: int) -> list[dict[str, Any]]:
    """Return a row per requirement: what the registry says of a measure, what a probe finds."""
    m, rows = MEASURES[name], []
    for requirement, probe in PROBES.items():
        value = probe(m, draws)
        registered, verdict = _from_registry(m, requirement), _verdict(requirement, value)
        rows.append(
            {
                "measure": name,
                "requirement": requirement,
                "registry": registered,
                "probe": verdict,
                "value": value,
                "consistent": str(
                    registered is None or (registered == NO) == (verdict == NO)
                ).lower(),
            }
        )
    return rows


def _from_registry(m: Measure, requirement: str) -> str | None:
    """Return the verdict of a measure's needs and options; None where they have none."""
    excluded = {
        "gaps": {Need.FULL_COVERING},
        "embedding": {Need.NO_OVERLAP, Need.FULL_COVERING},
        "free overlap": {Need.NO_OVERLAP, Need.FULL_COVERING},
        "several annotators": {Need.TWO_ANNOTATORS},
    }
    if requirement == "boundaries" and m.needs & {Need.PREDEFINED, Need.PLACES}:
        return NO
    if requirement in excluded:
        return NO if m.needs & excluded[requirement] else YES
    if requirement == "chance correction":
        return YES if m.chance_corrected else NO
    if requirement == "weighted categories":
        return YES if m.options & {"metric", "dissimilarity"} else NO
    return None


def _verdict(requirement: str, value: float) -> str:
    """Return the verdict of the probe's value; NaN is a measure that does not apply."""
    if math.isnan(value):
        return NO
    if requirement in ("gaps", "embedding", "free overlap", "several annotators"):
        # Identical annotators: a measure that copes finds perfect agreement.
        return YES if abs(value - 1) < 1e-9 else PARTLY
    if requirement == "chance correction":
        return YES if abs(value) <= NEAR_ZERO else NO
    if requirement == "weighted categories":
        return YES if value > 1e-9 else NO
    return YES if value < 1 - 1e-9 else NO


def _value(m: Measure, c: Continuum, **options: Any) -> float:
    all_options = {"samples": 30, **MATHET_2015} | options
    score = measure(c, [m.name], **{k: v for k, v in all_options.items() if k in m.options})[m.name]
    return score.value if score.defined else math.nan


def _two(first: list[Span], second: list[Span]) -> Continuum:
    return continuum(LENGTH, A=first, B=second)


def _reacts(sporadic: list[Span], tiled: list[Span]) -> Callable[[Measure, int], float]:
    """Agreement with the base when one annotator errs; on segmentations where only they do."""

    def probe(m: Measure, draws: int) -> float:  # noqa: ARG001
        if Need.FULL_COVERING in m.needs:
            return _value(m, _two(TILES, tiled))
        return _value(m, _two(BASE, sporadic))

    return probe


def _identical(*spans: Span, n: int = 2) -> Callable[[Measure, int], float]:
    def probe(m: Measure, draws: int) -> float:  # noqa: ARG001
        base = TILES if Need.FULL_COVERING in m.needs and n > 2 else [*BASE, *spans]
        return _value(m, continuum(LENGTH, **{"ABCD"[i]: base for i in range(n)}))

    return probe


def _at_random(m: Measure, draws: int) -> float:
    """Return the mean agreement of independent annotators, where it is farthest from 0.

    The models have long units, four categories, few boundaries or many.
    """
    means = [_mean_at_random(m, model, draws) for model in _random_models(m)]
    return max(means, key=abs)


def _random_models(m: Measure) -> tuple[ReferenceModel, ...]:
    if m.needs & {Need.PREDEFINED, Need.PLACES}:
        return ReferenceModel(n_units=40).fixed(), _crowded().fixed()
    if Need.FULL_COVERING in m.needs:
        covering = replace(ReferenceModel().laid_out("covering"), n_units=14, length=1400.0)
        return covering, replace(_crowded().laid_out("covering"), length=120.0)
    return replace(ReferenceModel(), length=2000.0, n_units=14), replace(_crowded(), length=150.0)


def _crowded() -> ReferenceModel:
    """Short units close together, nine of ten of one category."""
    return replace(model_of((0.9, 0.1), 2, 4), n_units=40, gaps=Uniform(0, 1))


def _mean_at_random(m: Measure, model: ReferenceModel, draws: int) -> float:
    values = []
    for i in range(draws):
        units = [
            Unit(name, u.start, u.end, u.category)
            for k, name in enumerate("AB")
            for u in model.draw(np.random.default_rng((i, k)))
        ]
        values.append(_value(m, Continuum.from_units(units)))
    return float(np.nanmean(values)) if not np.isnan(values).all() else math.nan


def _weighted(m: Measure, draws: int) -> float:  # noqa: ARG001
    """Return the extra cost of a far confusion (1 for 4) over a near one (1 for 2)."""
    options = {"metric": "interval"}
    if "dissimilarity" in m.options:
        options = {"dissimilarity": Combined(categorial="interval")}  # type: ignore[dict-item]
    elif "metric" not in m.options:
        options = {}
    near, far = ([(4, 14, label), *BASE[1:]] for label in "24")
    return _value(m, _two(BASE, near), **options) - _value(m, _two(BASE, far), **options)


PROBES: dict[str, Callable[[Measure, int], float]] = {
    "categories": _reacts([(4, 14, "2"), *BASE[1:]], [(0, 20, "2"), *TILES[1:]]),
    "weighted categories": _weighted,
    "boundaries": _reacts([(5, 15, "1"), *BASE[1:]], [(0, 22, "1"), (22, 45, "2"), *TILES[2:]]),
    "missing units": _reacts(BASE[1:], [(0, 45, "1"), *TILES[2:]]),
    "splits": _reacts(
        [(4, 9, "1"), (9, 14, "1"), *BASE[1:]], [(0, 10, "1"), (10, 20, "1"), *TILES[1:]]
    ),
    "gaps": _identical(),
    "embedding": _identical((42, 46, "2")),
    "free overlap": _identical((45, 55, "2")),
    "several annotators": _identical(n=4),
    "chance correction": _at_random,
}


def met(row: dict[str, Any]) -> str:
    """Return how far a requirement is met: as the probe finds, unless the registry denies it.

    A measure can be near 0 for annotators at random without a correction: exact F₁ is .09 there,
    because two of them hardly ever place the same unit.
    """
    return NO if row["registry"] == NO else str(row["probe"])


def _draw(out: Path, rows: list[dict[str, Any]]) -> None:
    names = list(dict.fromkeys(r["measure"] for r in rows))
    colour = {YES: COLOURS[0], PARTLY: COLOURS[4], NO: "#eeeeee"}
    with figure(out / "requirements", width=6.5, height=0.24 * len(names) + 1.2) as axes:
        for r in rows:
            x, y = list(PROBES).index(r["requirement"]), names.index(r["measure"])
            axes.scatter(x, -y, marker="s", s=90, color=colour[met(r)])
        axes.set(
            xticks=range(len(PROBES)),
            yticks=[-i for i in range(len(names))],
            yticklabels=names,
            title="Requirements met (blue), in part (orange), not (grey)",
        )
        axes.set_xticks(range(len(PROBES)), list(PROBES), rotation=30, ha="right")
        axes.grid(visible=False)
