"""Helpers of the studies of zero: each measure on independent annotators, cell by cell.

A study is a sweep whose "errors" are cells; each cell is a process that differs from all chance
models. The findings of a measure on a set are stored separately: value, disagreement and its
expectation, whether the printed interval covers 0, and whether "agreement above 0" is significant
at 5 %. The mean position of a cell is 1 − Σ D_o / Σ E[D] over its sets, for which two random sets
each are enough. Shares of significant sets need as many random sets as a test. Sets are added to
cells that are not yet precise, so that an interrupted study can resume.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from pathlib import Path
from zlib import crc32

import numpy as np

from experiments._common import write_csv
from experiments._sweep import swept
from gammacp.base.arrays import Floats
from gammacp.base.plots import COLOURS, MARKERS, figure
from gammacp.bench.figures import measure_title
from gammacp.bench.sweep import Sweep
from gammacp.chance.beyond import BeyondChance
from gammacp.continuum import Continuum
from gammacp.measures.registry import MEASURES, Measure
from gammacp.measures.score import Score
from gammacp.trees.measures.annotations import Treebank

# Smallest number of random sets with which a value above all of them is significant at 5 %.
SAMPLES = 19
# Number of random sets that is enough if only the ratio of two means is needed.
FEWEST_SAMPLES = 2
FAR = 0.05
STEPS = (25, 50, 100, 200, 400, 800, 1600, 3200)
NORMAL = 1.96

Row = dict[str, object]
Values = dict[tuple[str, str], Mapping[int, float]]


@dataclass(frozen=True)
class StudyPart:
    """Measures that are computed together on as many sets as they need.

    Attributes
    ----------
    measure
        The study's own measure, whose categories are findings.
    cells
        Names of the cells.
    most
        Largest number of sets.
    shown
        Names ("gamma by cut") of the measures whose zero must be precise; none: all sets are
        computed.
    limit
        Largest accepted distance of a cell from 0; it determines the required width of the interval
        of its zero.
    """

    measure: str
    cells: tuple[str, ...]
    most: int
    shown: tuple[str, ...] = ()
    limit: Callable[[str], float] = lambda _: 0.01


def limit_of(units: int) -> float:
    """Return the largest accepted distance from 0 for independent annotators of `units` units."""
    return 0.01 if units >= 20 else 0.02


def study_measure(
    name: str, function: Callable[..., Mapping[str, float]], kind: str = "continuum"
) -> None:
    """Register a measure of a study: its findings by name are its categories."""

    def found(data: object, *, seed: int = 0) -> Score:
        return Score(value=nan, by_category=function(data, seed))

    found.__module__ = function.__module__
    if name in MEASURES:
        # A study that another study has imported is executed again when it is run itself.
        MEASURES.unregister(name)
    MEASURES.register(
        name,
        Measure(
            name=name,
            summary="of a study of zero",
            reference="",
            function=found,
            per_category=True,
            applies_to=kind,
        ),
    )


def findings(name: str, score: Score | BeyondChance, p: float | None = None) -> dict[str, float]:
    """Return the entries of one score in the study of zero."""
    value = score.value
    values: dict[str, float] = {f"{name}: value": value}
    if score.interval is not None and not isnan(value):
        low, high = score.interval
        values[f"{name}: covers 0"] = low <= 0 <= high
    if p is not None:
        values[f"{name}: significant"] = p <= 0.05
    return {key: float(v) for key, v in values.items()}


def ratio(name: str, score: Score | BeyondChance) -> dict[str, float]:
    """Return disagreement and its expectation, for 1 − Σ D_o / Σ E[D] over many sets."""
    observed, expected = score.observed, score.expected
    if observed is None or expected is None or isnan(observed) or isnan(expected):
        observed = expected = nan
    return {f"{name}: observed": observed, f"{name}: expected": expected}


@dataclass(frozen=True)
class Independent:
    """Independent annotators by the cell's name.

    Attributes
    ----------
    kind
        Kind of data; the study is called `zero_KIND`.
    make
        (cell, generator of the set) → what the annotators of the cell did.
    """

    kind: str
    make: Callable[[str, np.random.Generator], Continuum | Treebank]

    def configuration(self) -> Mapping[str, object]:
        """Return the kind of data alone, as the name of a cell determines the rest."""
        return {"independent annotators": self.kind}

    def draw(
        self, error: str, magnitude: float, set_number: int, *, n_annotators: int, seed: int
    ) -> Continuum | Treebank:
        """Draw one set of a cell."""
        del magnitude, n_annotators
        seeds = np.random.SeedSequence([seed, crc32(error.encode()), set_number])
        return self.make(error, np.random.default_rng(seeds))


def study(
    out: Path,
    source: Independent,
    parts: Sequence[StudyPart],
    about: Callable[[str], Row],
    shown: Sequence[str],
    *,
    quick: bool,
) -> None:
    """Add sets to cells that are not yet precise, round by round; write table and figure."""
    values_by_cell: Values = {}
    for sets in (2,) if quick else STEPS:
        for part in parts:
            cells = tuple(c for c in part.cells if not _precise(values_by_cell, c, part))
            if not cells or sets > part.most:
                continue
            sweep = Sweep(
                source=source,
                errors=cells,
                measures=(part.measure,),
                magnitudes=(0.0,),
                sets=sets,
                experiment=f"zero_{source.kind}",
            )
            with swept(out, sweep) as store:
                stored = store.values(store.begin(sweep))
            for (cell, measure, _), values in stored.items():
                values_by_cell[cell, measure.partition("[")[2].removesuffix("]")] = values
    rows = _table(values_by_cell, about)
    write_csv(out / "zero.csv", rows)
    _draw(out / "zero", rows, shown)


def _precise(values_by_cell: Values, cell: str, part: StudyPart) -> bool:
    halves = [zero_of(values_by_cell, cell, name)[1] for name in part.shown]
    return bool(halves) and max(halves) <= part.limit(cell) / 2


def zero_of(values_by_cell: Values, cell: str, name: str) -> tuple[float, float]:
    """Return 1 − Σ D_o / Σ E[D] of a cell, or its mean value, with half the 95 % interval."""
    observed = _array(values_by_cell, cell, f"{name}: observed")
    expected = _array(values_by_cell, cell, f"{name}: expected")
    if not len(observed):
        values = _array(values_by_cell, cell, f"{name}: value")
        return (float(values.mean()), _half(values)) if len(values) else (nan, math.inf)
    share = observed.sum() / expected.sum()
    return 1 - float(share), _half((observed - share * expected) / expected.mean())


def _array(values_by_cell: Values, cell: str, finding: str) -> Floats:
    values = np.array(list(values_by_cell.get((cell, finding), {}).values()), np.float64)
    return values[~np.isnan(values)]


def _half(values: Floats) -> float:
    # Fewer sets are not enough to estimate their spread.
    if len(values) < 20:
        return math.inf
    return NORMAL * float(values.std(ddof=1)) / math.sqrt(len(values))


def _table(values_by_cell: Values, about: Callable[[str], Row]) -> list[Row]:
    """Return a row per cell and measure: its zero with half an interval, and the shares."""
    names = dict.fromkeys((cell, finding.rpartition(": ")[0]) for cell, finding in values_by_cell)
    rows: list[Row] = []
    for cell, name in sorted(key for key in names if key[1]):
        zero, half = zero_of(values_by_cell, cell, name)
        values = _array(values_by_cell, cell, f"{name}: value")
        drawn = max(
            len(values_by_cell.get((cell, f"{name}: {k}"), ())) for k in ("value", "observed")
        )
        measure, _, model = name.partition(" by ")
        defined = max(len(values), len(_array(values_by_cell, cell, f"{name}: observed")))
        rows.append(
            {
                "cell": cell,
                **about(cell),
                "measure": measure,
                "chance": model or None,
                "zero": zero,
                "half_width": None if math.isinf(half) else half,
                "sets": drawn,
                "undefined": drawn - defined,
                "tested": len(values),
                "sd": float(values.std(ddof=1)) if len(values) > 1 else None,
                "far": float((np.abs(values) > FAR).mean()) if len(values) else None,
                "covers_0": _share(values_by_cell, cell, f"{name}: covers 0"),
                "significant": _share(values_by_cell, cell, f"{name}: significant"),
            }
        )
    return rows


def _share(values_by_cell: Values, cell: str, finding: str) -> float | None:
    values = _array(values_by_cell, cell, finding)
    return float(values.mean()) if len(values) else None


def _title(name: str) -> str:
    """Return the name of a measure with its chance model: "γ by cut"."""
    measure, by, model = name.partition(" by ")
    return f"{measure_title(measure.replace('_', '-'))}{by}{model}"


def _draw(stem: Path, rows: Sequence[Row], shown: Sequence[str]) -> None:
    """Plot zeros with their intervals, a line per cell."""
    named = [(r, f"{r['measure']} by {r['chance']}" if r["chance"] else r["measure"]) for r in rows]
    cells = list(dict.fromkeys(str(r["cell"]) for r, row_measure in named if row_measure in shown))
    with figure(stem, width=6.4, height=2 + 0.25 * len(cells)) as axes:
        for k, name in enumerate(shown):
            mine = [r for r, row_measure in named if row_measure == name]
            axes.errorbar(
                [float(str(r["zero"])) for r in mine],
                [-cells.index(str(r["cell"])) for r in mine],
                xerr=[float(str(r["half_width"] or 0)) for r in mine],
                fmt=MARKERS[k],
                color=COLOURS[k],
                label=_title(name),
                linewidth=1.0,
            )
        axes.axvline(0, color="black", linewidth=0.6)
        axes.set_yticks([-i for i in range(len(cells))], cells)
        axes.set_xlabel("what independent annotators get, with its 95 % interval")
        # Two columns, because a legend wider than the axes would squeeze them.
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
