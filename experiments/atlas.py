"""Beyond the papers: every measure on every real corpus at hand, and where they disagree."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from experiments._common import write_csv
from experiments._corpora import CORPORA, MODELS, Documents, RealCorpus, read
from experiments._treebanks import CORPORA as TREEBANKS
from experiments._treebanks import corpus as treebank
from gammacp.base.plots import can_plot, figure
from gammacp.bench.figures import measure_title
from gammacp.continuum import Continuum
from gammacp.continuum.selecting import keep_annotators, keep_categories
from gammacp.errors import GammacpError
from gammacp.inference.contributions import Contributions
from gammacp.inference.resampling import bootstrap
from gammacp.measures.measuring import measure
from gammacp.measures.registry import MEASURES
from gammacp.measures.score import Score
from gammacp.pools import open_pool
from gammacp.trees.measures.agreement import syntax_agreement

NEEDS_DATA = True
DOCUMENTS = 40  # of a larger corpus, drawn with a fixed seed
PEOPLE = 10  # of a document's annotators
PAIRED = 8  # documents in which annotators are compared pair by pair
KINDS = 3  # categories, the most frequent ones
SAMPLES = 10  # random sets of γ
# These have a value per category; those of trees come with the treebanks.
_APART = ("gamma-k", "ku-alpha", "alpha-plain", "alpha-diff", "alpha-norm", "las", "jaccard")


@dataclass(frozen=True)
class Item:
    """One continuum to measure: a document, or its part by a pair or of a category."""

    corpus: str
    document: str
    places: tuple[tuple[str, str], ...]  # level and name of what it tells of
    continuum: Continuum


Part = tuple[float, float]  # observed and expected disagreement, weighted
Row = dict[str, object]


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Values with bootstrap intervals over documents; how measures order the same things."""
    items: list[Item] = []
    about: list[Row] = []
    for corpus in CORPORA:
        documents = read(corpus, data)
        if isinstance(documents, str):
            print(f"atlas: {corpus.name} left out: {documents}", file=sys.stderr)
            continue
        chosen = sample_documents(documents, 3 if quick else DOCUMENTS)
        items += items_of(corpus, chosen, 1 if quick else PAIRED)
        about.append(_about(corpus, documents, chosen))
    with open_pool() as pool:
        values_by_item = list(pool.executor.map(measured, items))
    parts: dict[tuple[str, str, str, str], dict[str, Part]] = {}
    for item, values in zip(items, values_by_item, strict=True):
        for name, (observed, expected) in values.items():
            for place in item.places:
                mine = parts.setdefault((item.corpus, *place, name), {})
                before = mine.get(item.document, (0.0, 0.0))
                mine[item.document] = (before[0] + observed, before[1] + expected)
    asked: dict[tuple[str, ...], set[str]] = {}
    for i in items:
        for place in i.places:
            asked.setdefault((i.corpus, *place), set()).add(i.document)
    rows = [row_of(key, list(mine.values()), len(asked[key[:3]])) for key, mine in parts.items()]
    rows += _trees(TREEBANKS[2:3] if quick else TREEBANKS, data, 20 if quick else 100)
    write_csv(out / "corpora.csv", about or [{"corpus": None}])
    write_csv(out / "atlas.csv", rows)
    orders = orders_of(rows)
    write_csv(out / "orders.csv", orders)
    if can_plot():
        _draw(out / "atlas", rows, orders)


def sample_documents(documents: Documents, most: int) -> Documents:
    """Draw at most `most` documents with a unit and two annotators, with a fixed seed."""
    names = sorted(n for n, c in documents.items() if c.n_units and c.n_annotators > 1)
    if len(names) > most:
        drawn = np.random.default_rng(0).choice(len(names), most, replace=False)
        names = [names[i] for i in sorted(drawn)]
    return {name: _fewer(documents[name]) for name in names}


def _fewer(c: Continuum) -> Continuum:
    """Keep at most `PEOPLE` annotators: all models, and every so many-th person."""
    models = [a for a in c.annotators if a.startswith(MODELS)]
    others = [a for a in c.annotators if a not in models]
    room = PEOPLE - len(models)
    if len(others) <= room:
        return c
    return keep_annotators(c, [*models, *(others[i * len(others) // room] for i in range(room))])


def items_of(corpus: RealCorpus, documents: Documents, paired: int) -> Iterable[Item]:
    """Return the documents; their annotators two by two; their categories one by one."""
    kinds = Counter(u.category for c in documents.values() for u in c if u.category)
    for number, (name, c) in enumerate(documents.items()):
        yield Item(corpus.name, name, (("corpus", ""),), c)
        for kind, _ in kinds.most_common(KINDS) if len(kinds) > 1 else ():
            if kind in c.categories:
                yield Item(corpus.name, name, (("category", kind),), keep_categories(c, [kind]))
        if corpus.people and number < paired:
            for pair in combinations(c.annotators, 2):
                both = keep_annotators(c, pair)
                places = [("annotator", one) for one in pair]
                if any(a.startswith(MODELS) for a in c.annotators):
                    places.append(("party", _party(pair)))
                if both.n_units:
                    yield Item(corpus.name, name, tuple(places), both)


def _party(pair: tuple[str, str]) -> str:
    models = sum(a.startswith(MODELS) for a in pair)
    return ("people among themselves", "people with models", "models among themselves")[models]


def measured(item: Item) -> dict[str, Part]:
    """Return each measure's observed and expected disagreement, times the mean number of units.

    Without a chance model, the expected disagreement is 1. So the agreement of a corpus is
    1 − Σ observed / Σ expected, as for γ, and documents are weighted by their units.
    """
    names = [n for n in MEASURES if n not in _APART]
    if item.places[0][0] != "corpus":
        names = [n for n in names if n not in ("soft-gamma", "gamma-cat")]
    try:
        scores = measure(item.continuum, names, samples=SAMPLES)
    except GammacpError:
        return {}
    weight = item.continuum.n_units / item.continuum.n_annotators
    return {
        name: (weight * part[0], weight * part[1])
        for name, score in scores.items()
        if score.defined and (part := disagreement(score)) is not None
    }


def disagreement(score: Score) -> Part | None:
    """Return (D_o, D_e) with value = 1 − D_o/D_e, also for measures that count agreement."""
    o, e = score.observed, score.expected
    if o is None or e is None:
        return 1 - score.value, 1.0
    for part in ((o, e), (1 - o, 1 - e)):
        if part[1] > 0 and abs(1 - part[0] / part[1] - score.value) < 1e-6:
            return part
    return None if not e else (1 - score.value, 1.0)


def row_of(key: tuple[str, str, str, str], parts: Sequence[Part], n_asked: int) -> Row:
    """Return the row of a measure of a corpus by one chance model, with its interval."""
    observed, expected = np.array(parts).T
    together = Contributions(observed, expected, "documents")
    interval = bootstrap(together, draws=400).interval or (None, None)
    corpus, level, name, measure_name = key
    return {
        "corpus": corpus,
        "level": level,
        "name": name,
        "measure": measure_name,
        "value": together.gamma if expected.sum() > 0 else None,
        "low": interval[0],
        "high": interval[1],
        "defined": len(parts),
        "of": n_asked,
    }


def _about(corpus: RealCorpus, documents: Documents, chosen: Documents) -> Row:
    return {
        "corpus": corpus.name,
        "about": corpus.about,
        "documents": len(documents),
        "sampled": len(chosen),
        "annotators": len({a for c in documents.values() for a in c.annotators}),
        "units": sum(c.n_units for c in chosen.values()),
        "licence": corpus.licence,
        "source": corpus.source,
    }


def _trees(names: Sequence[str], data: Path | None, draws: int) -> list[Row]:
    """Return rows of treebanks by α and LAS, with intervals over sentences."""
    rows: list[Row] = []
    for name in names:
        agreement = syntax_agreement(treebank(name, data).treebank, bootstrap=draws)
        assert agreement.bootstrap is not None
        values = {**agreement.total.alpha, **agreement.total.scores}
        label = {"corpus": f"CDT {name}", "level": "corpus", "name": ""}
        for kind in ("plain", "diff", "norm", "las"):
            low, high = agreement.bootstrap[kind] or (None, None)
            spread: Row = {"value": values[kind], "low": low, "high": high}
            counts: Row = {"defined": agreement.total.items, "of": agreement.total.items}
            title = kind if kind == "las" else f"alpha-{kind}"
            rows.append({**label, "measure": title, **spread, **counts})
    return rows


def orders_of(rows: Sequence[Row]) -> list[Row]:
    """Return Kendall's τ_b of every two measures on the same items, and their contradictions.

    A measure that is undefined on more than half of the documents is left out.

    Two measures contradict each other on two items if one puts the first item above the second, and
    the other the second above the first, each with intervals that do not touch.
    """
    from scipy.stats import kendalltau

    orders: list[Row] = []
    for level in ("corpus", "annotator", "category"):
        table: dict[str, dict[tuple[object, object], Row]] = {}
        for r in rows:
            if r["level"] == level and _known(r):
                table.setdefault(str(r["measure"]), {})[r["corpus"], r["name"]] = r
        for first, second in combinations(table, 2):
            common = sorted(table[first].keys() & table[second].keys(), key=str)
            if level != "corpus":  # compared within a corpus
                groups = [
                    [k for k in common if k[0] == c] for c in dict.fromkeys(k[0] for k in common)
                ]
            else:
                groups = [common]
            pairs = [p for g in groups for p in combinations(g, 2)]
            if len(pairs) < 3:
                continue
            a, b = (
                np.array([_sides(table[m][x], table[m][y]) for x, y in pairs])
                for m in (first, second)
            )
            taus = [
                kendalltau([_v(table[first][k]) for k in g], [_v(table[second][k]) for k in g])[0]
                for g in groups
                if len(g) > 2
            ]
            orders.append(
                {
                    "level": level,
                    "first": first,
                    "second": second,
                    "tau": float(np.nanmean(taus)) if taus and not np.isnan(taus).all() else None,
                    "pairs": len(pairs),
                    "contradicting": int((a * b < 0).sum()),
                }
            )
    return orders


def _known(row: Row) -> bool:
    return row["value"] is not None and 2 * int(str(row["defined"])) >= int(str(row["of"]))


def _v(row: Row, key: str = "value") -> float:
    return float(str(row[key]))


def _sides(x: Row, y: Row) -> int:
    """Return 1 or −1 if the interval of x is entirely above or below that of y, else 0."""
    if None in (x["low"], y["low"]):
        return 0
    (a, b), (c, d) = ((_v(r, "low"), _v(r, "high")) for r in (x, y))
    return int(a > d) - int(b < c)


def _draw(stem: Path, rows: Sequence[Row], orders: Sequence[Row]) -> None:
    """Values by corpus and measure; below, how alike measures order things, level by level."""
    whole = [r for r in rows if r["level"] == "corpus" and _known(r)]
    names = [n for n in MEASURES if any(r["measure"] == n for r in whole)]
    corpora = list(dict.fromkeys(str(r["corpus"]) for r in whole))
    with figure(stem, width=9.0, height=0.42 * len(names), rows=2, columns=1) as axes:
        _values(axes[0], whole, names, corpora)
        _likeness(axes[1], orders, names)


def _values(axes: Any, rows: Sequence[Row], names: Sequence[str], corpora: Sequence[str]) -> None:
    cells = {}
    for r in rows:
        text = "" if r["low"] is None else f" ({_v(r, 'low'):.2f}, {_v(r, 'high'):.2f})"
        cells[names.index(str(r["measure"])), corpora.index(str(r["corpus"]))] = (_v(r), text)
    axes.set_title("Agreement of each corpus (95 % bootstrap interval over documents)")
    _heat(axes, cells, [measure_title(n) for n in names], corpora)


def _likeness(axes: Any, orders: Sequence[Row], names: Sequence[str]) -> None:
    """τ over annotators above the diagonal, over categories below; number: contradictions."""
    within = [o for o in orders if o["level"] != "corpus" and o["tau"] is not None]
    shown = [n for n in names if any(n in (o["first"], o["second"]) for o in within)]
    cells = {}
    for o in within:
        i, j = sorted((shown.index(str(o["first"])), shown.index(str(o["second"]))))
        text = f"\n{o['contradicting']} of {o['pairs']}" if o["contradicting"] else ""
        cells[(i, j) if o["level"] == "annotator" else (j, i)] = (_v(o, "tau"), text)
    axes.set_title(
        "Kendall's τ over annotators (upper right) and the frequent categories (lower left)"
    )
    titles = [measure_title(n) for n in shown]
    _heat(axes, cells, titles, titles)


def _heat(
    axes: Any,
    cells: Mapping[tuple[int, int], tuple[float, str]],
    names: Sequence[str],
    columns: Sequence[str],
) -> None:
    """Draw a table of values, coloured from −1 to 1, with a text below each."""
    if not cells:
        axes.set_axis_off()
        return
    grid = np.full((len(names), len(columns)), np.nan)
    for (i, j), (value, text) in cells.items():
        grid[i, j] = value
        label = f"{value:.2f}{text}".replace("-0.00", "0.00").replace("0.", ".")
        label = label.replace("-", "−")
        axes.text(j, i, label, ha="center", va="center", fontsize=5.3)
    axes.imshow(grid, cmap="RdYlBu", vmin=-1, vmax=1, aspect="auto", alpha=0.6)
    axes.set_xticks(range(len(columns)), columns, rotation=30, ha="right")
    axes.set_yticks(range(len(names)), names)
    axes.grid(visible=False)
