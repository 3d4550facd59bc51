"""Search for settings left open by 2015 §6.3 that make its sentences on Figures 24–30 true.

A coarse search on few sets: reference models around the default one (gaps, categories), factors and
growth of the errors, the order of shifted units, and both forms of uα. Every sentence is a paired
test (`gammacp.bench.trends`). The measures that cost little choose the model; γ follows on that
model and on the default one. The best configuration is then confirmed on fresh sets, and every
figure is predicted from the configuration that suits the other figures best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from experiments._common import MATHET_2015, model_of, write_csv
from experiments._sweep import swept
from gammacp.base.arrays import Floats
from gammacp.bench import trends
from gammacp.bench.curves import paired_values
from gammacp.bench.source import Shuffled
from gammacp.bench.sweep import Sweep
from gammacp.bench.trends import Trend, TrendVerdict
from gammacp.dissimilarity import Combined
from gammacp.errors import UsageError
from shuffling import ReferenceModel, Uniform

MAGNITUDES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)
X = np.array((0.0, *MAGNITUDES))
SETS, FRESH = 5, 5
RIVALS = ("u-alpha-2013", "u-alpha", "cu-alpha", "kappa-d", "ser")
FORMS = ("u-alpha-2013", "u-alpha")
FIGURES = ("24", "25", "26a", "26b", "27", "28a", "28b", "30")

# The first of each is the default.
SHIFTS = ("factor=3", "factor=1.5", "factor=5")
SPLITS = ("factor=2", "factor=5,growth=3", "factor=5", "factor=5,growth=2")
ADDED = ("factor=1", "factor=2", "factor=0.5")

_Found: TypeAlias = "Mapping[Configuration, Mapping[tuple[str, str], Trend]]"
Curve = Callable[[str, str], Floats]  # (error, measure) → (sets, magnitudes), from magnitude 0


MODELS: Mapping[str, ReferenceModel] = {
    "default": ReferenceModel(),
    "no gaps": replace(ReferenceModel(), gaps=Uniform(0, 0)),
    "gaps 0–150": replace(ReferenceModel(), gaps=Uniform(0, 150)),
    "2 categories": model_of((0.5, 0.5)),
}
# Gaps between the equal units of Figure 25, in positions (units are 100 long).
FIXED_GAPS = {"no gaps": 0, "gaps 0–150": 75}


@dataclass(frozen=True)
class Configuration:
    """One choice for everything that the paper leaves open."""

    model: str = "default"
    shifts: str = SHIFTS[0]
    splits: str = SPLITS[0]
    added: str = ADDED[0]
    form: str = FORMS[0]
    order: bool = False

    @property
    def distance(self) -> int:
        """Count the settings that are not the default's."""
        other = Configuration()
        return sum(getattr(self, k) != getattr(other, k) for k in vars(self))


def position(shifts: str, *, order: bool = False) -> str:
    """Return the error of position, whose units keep their order or may change places."""
    if order:
        return f"position:{shifts},order=true"
    return f"position:{shifts}"


def errors(shifts: str, splits: str, added: str, *, order: bool = False) -> dict[str, str]:
    """Return the errors of each figure; units that may overlap have no order to keep."""
    shift = position(shifts, order=order)
    return {
        "26a": shift,
        "26b": f"{shift}+category",
        "27": f"split:{splits}",
        "28a": f"false-positive:{added}",
        "28b": "false-negative",
        "30": f"position:{shifts},overlap=true+false-positive:overlap=true",
    }


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Write the search, the map, the confirmation and the predictions."""
    del data
    names = list(MODELS)[:1] if quick else list(MODELS)
    sets = 2 if quick else SETS
    few, many = (1, 1) if quick else (2, 4)
    cheap: dict[Configuration, dict[tuple[str, str], Trend]] = {}
    for name in names:
        cheap |= _verdicts(out, name, _choices(name, few), sets)
    leading = _best(cheap).model
    found: dict[Configuration, dict[tuple[str, str], Trend]] = {}
    for name in dict.fromkeys(("default", leading)):
        found |= _verdicts(out, name, _choices(name, many), sets, gamma=True)
    write_csv(out / "order.csv", _order_rows(found))
    _write_map(out / "models.csv", cheap)
    _write_map(out / "configurations.csv", found)
    _write_sentences(out, cheap, found)
    write_csv(out / "contradictions.csv", _contradictions(found))
    _write_predictions(out, found)
    fresh: dict[Configuration, dict[tuple[str, str], Trend]] = {}
    for chosen in dict.fromkeys((_best(found), Configuration())):
        number = 2 if quick else FRESH
        fresh |= _verdicts(out, chosen.model, [chosen], number, seed=1, gamma=True)
    _write_confirmed(out, found, fresh)


def _best(found: _Found) -> Configuration:
    return max(found, key=lambda c: (_score(found[c]), -c.distance))


def _choices(model: str, n: int) -> list[Configuration]:
    """Return the first values of everything for a model; the others on the default model alone."""
    n = n if model == "default" else min(n, 2)
    parts = product(SHIFTS[:n], SPLITS[:n], ADDED[:n], FORMS, (False, True))
    return [Configuration(model, *p) for p in parts]


def _verdicts(
    out: Path,
    model: str,
    choices: Sequence[Configuration],
    sets: int,
    *,
    seed: int = 0,
    gamma: bool = False,
) -> dict[Configuration, dict[tuple[str, str], Trend]]:
    """Every sentence under each configuration of one model; those on γ are open without it."""
    wanted = dict.fromkeys(
        e for c in choices for f, e in _errors_of(c).items() if gamma or f != "30"
    )
    stem = f"hidden_{list(MODELS).index(model)}_{seed}"
    with_gamma = ("gamma",) if gamma else ()
    chance: dict[str, Any] = {"samples": 10, **MATHET_2015}
    covering = replace(MODELS[model], length=None).laid_out("covering")
    fixed = MODELS[model].fixed(length=100, gap=FIXED_GAPS.get(model, 25))
    # Segmentations keep their order anyway.
    shifts = dict.fromkeys(position(c.shifts) for c in choices)
    parts: list[tuple[str, ReferenceModel, Sequence[str], Sequence[str], dict[str, Any]]] = [
        ("", MODELS[model], list(wanted), RIVALS, chance),
        (
            "_covering",
            covering,
            ["false-negative", *shifts],
            ("windowdiff", "ghd"),
            {"dissimilarity": Combined(beta=0), **chance},
        ),
        (
            "_fixed",
            fixed,
            ["category"],
            RIVALS,
            {"chance": "fixed-positions", "samples": 10},
        ),
    ]
    tables = []
    for part, origin, names, measures, options in parts:
        sweep = Sweep(
            source=Shuffled(origin),
            errors=tuple(names),
            measures=(*with_gamma, *measures),
            magnitudes=MAGNITUDES,
            sets=sets,
            seed=seed,
            options=options,
            experiment=stem + part,
        )
        with swept(out, sweep) as store:
            tables.append(store.values(store.begin(sweep), sets))

    def curve(table: int) -> Curve:
        def values(error: str, measure: str) -> Floats:
            try:
                _, rows = paired_values(tables[table], error, measure)
            except UsageError:
                return np.full((sets, len(X)), np.nan)
            return np.hstack([np.ones((len(rows), 1)), rows])  # magnitude 0: all alike

        return values

    return {c: dict(_sentences(c, curve(0), curve(1), curve(2))) for c in choices}


def _errors_of(c: Configuration) -> dict[str, str]:
    return errors(c.shifts, c.splits, c.added, order=c.order)


def _sentences(
    c: Configuration, units: Curve, covering: Curve, fixed: Curve
) -> Iterator[tuple[tuple[str, str], Trend]]:
    """((figure, sentence), its test) under a configuration."""
    e = _errors_of(c)
    yield from _segmentation(covering, position(c.shifts))
    yield from _categorisation(fixed, c.form)
    yield from _positions(units, e, c.form)
    yield from _splits(units, e["27"], c.form)
    yield from _counts(units, e, c.form)
    yield from _overlapping(units, e)


def _at(values: Floats, low: float, high: float) -> tuple[Floats, Floats]:
    rows = (low - 1e-9 <= X) & (high + 1e-9 >= X)
    return values[:, rows], X[rows]


def _near(values: Floats, at: float, target: float, margin: float) -> Trend:
    part, x = _at(values, at, at)
    return trends.near(part, target, margin=margin, magnitudes=x)


def _below(
    values: Floats, target: Floats | float, low: float, high: float, margin: float = 0
) -> Trend:
    part, x = _at(values, low, high)
    goal = target if isinstance(target, float) else _at(np.asarray(target), low, high)[0]
    return trends.below(part, goal, margin=margin, magnitudes=x)


def _above(values: Floats, target: float, low: float, high: float) -> Trend:
    return _below(-values, -target, low, high)


def _segmentation(curve: Curve, shifts: str) -> Iterator[tuple[tuple[str, str], Trend]]:
    wd, ghd, gamma = (curve("false-negative", m) for m in ("windowdiff", "ghd", "gamma"))
    yield (
        ("24", "FN: WD and GHD are quite close"),
        trends.near(wd, ghd, margin=0.1, magnitudes=X),
    )
    for name, values in (("WD", wd), ("GHD", ghd)):
        part, x = _at(values, 0, 0.6)
        yield ("24", f"FN: {name} is almost linear until .6"), trends.linear(part, x)
        yield (
            ("24", f"FN: {name} is limited by an asymptote"),
            _above(values, 0.1, 1, 1),
        )
    yield ("24", "FN: γ has the full range"), _near(gamma, 1, 0, 0.1)
    for name in ("windowdiff", "ghd"):
        yield (
            ("24", f"shifts: {name} has an asymptote near .4"),
            _near(curve(shifts, name), 1, 0.4, 0.1),
        )
    yield ("24", "shifts: γ goes from 1 to 0"), _near(curve(shifts, "gamma"), 1, 0, 0.1)


def _categorisation(curve: Curve, form: str) -> Iterator[tuple[tuple[str, str], Trend]]:
    gamma, cu, u, kd, ser = (
        curve("category", m) for m in ("gamma", "cu-alpha", form, "kappa-d", "ser")
    )
    yield ("25", "γ is almost c|uα"), trends.near(gamma, cu, margin=0.05, magnitudes=X)
    yield ("25", "uα goes below 0 at .5"), trends.below_from(u, X, 0, 0.5)
    yield ("25", "κ_d fails to reach 0"), _above(kd, 0.02, 1, 1)
    yield ("25", "SER is bounded below by .6"), _near(ser, 1, 0.6, 0.1)


def _positions(
    curve: Curve, e: Mapping[str, str], form: str
) -> Iterator[tuple[tuple[str, str], Trend]]:
    for figure in ("26a", "26b"):
        names = ("gamma", form, "cu-alpha", "kappa-d", "ser")
        values = {m: curve(e[figure], m) for m in names}
        falls = {m: trends.falls(v, X) for m, v in values.items()}
        u, kd = values[form], values["kappa-d"]
        yield (figure, "γ is strictly decreasing"), falls["gamma"]
        yield (figure, "κ_d is not strictly decreasing"), falls["kappa-d"].negate()
        rising = trends.falls(u, X, flat=0).negate()
        if figure == "26a":
            yield (figure, "γ reaches .1"), _near(values["gamma"], 1, 0.1, 0.05)
            yield (
                (figure, "γ is the only one strictly decreasing"),
                trends.only("gamma", falls),
            )
            yield (figure, "SER is at .5 at .05"), _near(values["ser"], 0.05, 0.5, 0.1)
            yield (figure, "SER goes below 0"), _below(values["ser"], 0.0, 1, 1)
            yield (figure, "SER is not strictly decreasing"), falls["ser"].negate()
            yield (figure, "uα has increasing parts"), rising
            yield (figure, "uα is negative from .6 to .9"), _below(u, 0.0, 0.6, 0.8)
            yield (
                (figure, "κ_d is too responsive at first"),
                _below(kd, values["gamma"], 0.05, 0.2),
            )
            yield (
                (figure, "c|uα starts to fall at once"),
                _below(values["cu-alpha"], 1.0, 0.05, 1),
            )
        else:
            yield (figure, "γ reaches 0"), _near(values["gamma"], 1, 0, 0.05)
            yield (figure, "uα is not strictly decreasing"), falls[form].negate()
            yield (
                (figure, "c|uα is not strictly decreasing"),
                falls["cu-alpha"].negate(),
            )
            yield (
                (figure, "uα is below 0 from .6"),
                trends.below_from(u, X, 0, 0.6, slack=0.2),
            )


def _splits(curve: Curve, error: str, form: str) -> Iterator[tuple[tuple[str, str], Trend]]:
    gamma, ser = curve(error, "gamma"), curve(error, "ser")
    yield ("27", "γ is strictly decreasing"), trends.falls(gamma, X)
    yield ("27", "γ ends at .2"), _near(gamma, 1, 0.2, 0.05)
    yield ("27", "γ is almost linear"), trends.linear(gamma, X)
    yield ("27", "SER is quite linear"), trends.linear(ser, X)
    yield (
        ("27", "SER is negative above .6"),
        trends.below_from(ser, X, 0, 0.7, slack=0.2),
    )
    for name in (form, "cu-alpha", "kappa-d"):
        title = "uα" if name == form else name
        yield (
            ("27", f"{title} is blocked at 1"),
            trends.near(curve(error, name), 1, margin=0.02),
        )


def _counts(
    curve: Curve, e: Mapping[str, str], form: str
) -> Iterator[tuple[tuple[str, str], Trend]]:
    gamma, cu, ser = (curve(e["28a"], m) for m in ("gamma", "cu-alpha", "ser"))
    yield ("28a", "γ is strictly decreasing"), trends.falls(gamma, X)
    yield ("28a", "c|uα is delayed"), _below(gamma, cu, 0.1, 0.4)
    yield ("28a", "SER is below 0 at the end"), _below(ser, 0.0, 1, 1)
    end, x = _at(ser, 0.6, 1)
    yield ("28a", "SER rises at the end"), trends.falls(end, x, flat=0).negate()
    names = ("gamma", form, "cu-alpha", "kappa-d", "ser")
    gamma, u, cu, kd, ser = (curve(e["28b"], m) for m in names)
    yield ("28b", "γ is strictly decreasing"), trends.falls(gamma, X)
    yield ("28b", "uα is not strictly decreasing"), trends.falls(u, X).negate()
    yield ("28b", "uα is at or below 0 from .3"), _below(u, 0.0, 0.3, 0.8, 0.02)
    yield (
        ("28b", "SER is below 0 from .4"),
        trends.below_from(ser, X, 0, 0.4, slack=0.2),
    )
    yield ("28b", "κ_d is not strictly decreasing"), trends.falls(kd, X).negate()
    part, x = _at(cu, 0, 0.6)
    yield ("28b", "c|uα is stuck at 1"), trends.near(part, 1, margin=0.02, magnitudes=x)


def _overlapping(curve: Curve, e: Mapping[str, str]) -> Iterator[tuple[tuple[str, str], Trend]]:
    gamma, cu = (curve(e["30"], m) for m in ("gamma", "cu-alpha"))
    yield ("30", "γ is strictly decreasing"), trends.falls(gamma, X)
    without = curve(e["26a"], "gamma")
    yield (
        ("30", "γ is as without overlaps"),
        trends.near(gamma, without, margin=0.15, magnitudes=X),
    )
    apart = curve(e["26a"], "cu-alpha")
    yield (
        ("30", "c|uα is as without overlaps"),
        trends.near(cu, apart, margin=0.15, magnitudes=X),
    )


def _score(verdicts: Mapping[tuple[str, str], Trend], figures: Sequence[str] = FIGURES) -> float:
    """Sentences that hold; those that are open count half."""
    points = {TrendVerdict.HOLDS: 1.0, TrendVerdict.OPEN: 0.5, TrendVerdict.FAILS: 0.0}
    return sum(points[t.verdict] for (figure, _), t in verdicts.items() if figure in figures)


def _write_map(path: Path, found: _Found) -> None:
    """Write configurations by score, in all and by figure."""
    write_csv(
        path,
        [
            {**vars(c), "score": _score(found[c])}
            | {f"figure {f}": _score(found[c], [f]) for f in FIGURES}
            for c in sorted(found, key=lambda c: (-_score(found[c]), c.distance))
        ],
    )


def _write_sentences(out: Path, cheap: _Found, found: _Found) -> None:
    """Write where each sentence holds, among all models or, with γ, those that have it."""
    rows = []
    best = _best(found)
    for key in found[best]:
        both: _Found = {**cheap, **found}
        verdicts = {c: tests[key].verdict for c, tests in both.items()}
        holding = [c for c, v in verdicts.items() if v is TrendVerdict.HOLDS]
        rows.append(
            {
                "figure": key[0],
                "sentence": key[1],
                "holds": len(holding),
                "fails": sum(v is TrendVerdict.FAILS for v in verdicts.values()),
                "of": len(verdicts),
                "default": str(verdicts[Configuration()]),
                "best": str(verdicts[best]),
                "needs": "; ".join(_where(holding, both)) if holding else "nothing tried",
            }
        )
    write_csv(out / "map.csv", rows)


def _where(holding: Sequence[Configuration], found: _Found) -> Iterator[str]:
    """Yield the settings that it needs: those of which only some values occur."""
    for key in vars(Configuration()):
        tried = dict.fromkeys(getattr(c, key) for c in found)
        values = [v for v in tried if any(getattr(c, key) == v for c in holding)]
        if len(values) < len(tried):
            yield f"{key}: {' | '.join(map(str, values))}"


def _contradictions(found: _Found) -> list[dict[str, object]]:
    """Pairs of sentences that each hold somewhere and nowhere together."""
    keys = list(next(iter(found.values())))
    holds = {k: {c for c in found if found[c][k].verdict is TrendVerdict.HOLDS} for k in keys}
    rows: list[dict[str, object]] = [
        {"one": " ".join(a), "other": " ".join(b)}
        for i, a in enumerate(keys)
        for b in keys[i + 1 :]
        if holds[a] and holds[b] and not holds[a] & holds[b]
    ]
    return rows or [{"one": "", "other": ""}]


def _order_rows(found: _Found) -> list[dict[str, object]]:
    """Return a row per sentence: its verdicts where nothing but the order of units differs."""
    pairs = [(c, replace(c, order=True)) for c in found if not c.order]
    rows: list[dict[str, object]] = []
    for key in next(iter(found.values())):
        verdicts = [(found[free][key].verdict, found[kept][key].verdict) for free, kept in pairs]
        changes = [(free, kept) for free, kept in verdicts if free is not kept]
        to_holds = sum(kept is TrendVerdict.HOLDS for _, kept in changes)
        from_holds = sum(free is TrendVerdict.HOLDS for free, _ in changes)
        default = Configuration()
        rows.append(
            {
                "figure": key[0],
                "sentence": key[1],
                "default": str(found[default][key].verdict),
                "default_in_order": str(found[replace(default, order=True)][key].verdict),
                "to_holds": to_holds,
                "from_holds": from_holds,
                "between_others": len(changes) - to_holds - from_holds,
                "of": len(pairs),
            }
        )
    return rows


def _write_predictions(out: Path, found: _Found) -> None:
    """Each figure under the configuration that suits the others best."""
    rows = []
    for figure in FIGURES:
        others = [f for f in FIGURES if f != figure]
        c = max(found, key=lambda c: (_score(found[c], others), -c.distance))
        mine = {k: t for k, t in found[c].items() if k[0] == figure}
        best = max(_score(found[d], [figure]) for d in found)
        rows.append(
            {
                "figure": figure,
                **vars(c),
                "predicted": _score(mine, [figure]),
                "fitted": best,
                "default": _score(found[Configuration()], [figure]),
                "sentences": len(mine),
            }
        )
    write_csv(out / "predictions.csv", rows)


def _write_confirmed(out: Path, found: _Found, fresh: _Found) -> None:
    """Every sentence on the sets that were searched and on fresh ones."""
    write_csv(
        out / "confirmed.csv",
        [
            {
                **vars(c),
                "figure": figure,
                "sentence": sentence,
                "searched": str(found[c][figure, sentence].verdict),
                "fresh": str(test.verdict),
                "p": test.p,
                "effect": test.effect,
                "detectable": test.detectable,
                "where": test.where,
            }
            for c, verdicts in fresh.items()
            for (figure, sentence), test in verdicts.items()
        ],
    )
