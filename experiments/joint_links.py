"""Beyond the papers: what changes if units are aligned together with their links.

γ aligns units first, and links stand on that alignment. Joint alignment minimises the sum of the
disorder of units and w times the disorder of links; which units meet then also hangs on who links
what, so costs are products of two choices. Two annotators, small texts: CP-SAT proves each optimum.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from experiments._common import write_csv
from gammacp.continuum import Continuum, Link, Unit
from gammacp.dissimilarity import Combined, bind, unit_columns

SETS, UNITS, LINKS = 40, 10, 9
WEIGHTS = (0.25, 0.5, 1.0, 2.0)
# Standard deviation of the second annotator's positions; there is a unit of length 10 every 20.
SHIFTS = (1.0, 4.0, 8.0, 12.0)
# Share of the second annotator's links that join other units than the first annotator's.
ELSEWHERE = 0.2
SCALE = 1_000_000


def drawn(shift: float, rng: np.random.Generator) -> Continuum:
    """Draw a text with links by one annotator, and another's version of its units and links."""
    starts = 20.0 * np.arange(UNITS) + rng.uniform(0, 4, UNITS)
    moved = np.maximum(0.0, starts + rng.normal(0, shift, UNITS))
    units = [Unit("A", s, s + 10, "u", id=str(i)) for i, s in enumerate(starts)]
    units += [Unit("B", s, s + 10, "u", id=str(i)) for i, s in enumerate(moved)]
    links = []
    for _ in range(LINKS):
        ends = rng.choice(UNITS, 2, replace=False)
        other = rng.choice(UNITS, 2, replace=False) if rng.random() < ELSEWHERE else ends
        links += [Link("A", "r", *map(str, ends)), Link("B", "r", *map(str, other))]
    return Continuum.from_units(units, links=links)


def aligned(c: Continuum, weight: float) -> tuple[float, float, list[tuple[int, int]]]:
    """Return the best alignment of units and links: both disorders, and the pairs of units.

    A pair of units costs its dissimilarity, a unit alone ½ Δ in the sum over pairs of annotators
    (Δ for the two that are apart), a pair of links ½ for each end that does not meet, a link alone
    the same as a unit alone; links without a common end are not joined.
    """
    from ortools.sat.python import cp_model

    bound = bind(Combined(), c)
    a, b = (np.arange(c.n_units)[c.rows_of(name)] for name in c.annotators)
    columns, (i, j) = unit_columns(c), np.meshgrid(a, b, indexing="ij")
    costs = bound.pairwise(columns[i.ravel()], columns[j.ravel()]).reshape(i.shape)
    ends = list(zip(c.link_rows.sources.tolist(), c.link_rows.targets.tolist(), strict=True))
    first, second = ([x for x in ends if x[0] in rows] for rows in ({*a.tolist()}, {*b.tolist()}))
    model = cp_model.CpModel()
    pair: Any = {
        (int(i), int(j)): model.new_bool_var("")
        for (k, i), (m, j) in product(enumerate(a), enumerate(b))
        if costs[k, m] < 2
    }
    for rows, side in ((a, 0), (b, 1)):
        for row in rows.tolist():
            model.add_at_most_one(v for key, v in pair.items() if key[side] == row)
    place = {int(i): k for rows in (a, b) for k, i in enumerate(rows)}
    # Joining two units costs their dissimilarity, and saves Δ for each, which would else be alone.
    of_units = [(v, round(SCALE * (2 - costs[place[i], place[j]]))) for (i, j), v in pair.items()]
    of_links = []
    joined: Any = {}
    for (k, x), (m, y) in product(enumerate(first), enumerate(second)):
        met = [pair[x[s], y[s]] for s in (0, 1) if (x[s], y[s]) in pair]
        if not met:
            continue
        v = joined[k, m] = model.new_bool_var("")
        model.add_bool_or([v.negated(), *met])
        of_links.append((v, SCALE))
        for one in met:
            both = model.new_bool_var("")
            model.add_implication(both, v)
            model.add_implication(both, one)
            of_links.append((both, SCALE // 2))
    for side in (0, 1):
        for row in range(len((first, second)[side])):
            model.add_at_most_one(v for key, v in joined.items() if key[side] == row)
    saved = [(v, s) for v, s in of_units]
    saved += [(v, round(weight * s)) for v, s in of_links]
    model.maximize(sum(v * s for v, s in saved))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    if solver.solve(model) != cp_model.OPTIMAL:
        raise RuntimeError("an alignment of a small text was not proven")
    gain = [sum(s for v, s in terms if solver.value(v)) / SCALE for terms in (of_units, of_links)]
    chosen_pairs = [key for key, v in pair.items() if solver.value(v)]
    total = c.n_units, len(ends)
    mean = c.n_units / 2, len(ends) / 2
    units, links = ((t - g) / m for t, g, m in zip(total, gain, mean, strict=True))
    return units, links, sorted(chosen_pairs)


def row_of(shift: float, weight: float) -> dict[str, object]:
    """Return the effect of joint alignment over the sets of a cell, against w = 0."""
    changed, apart, units, links = 0, 0, [], []
    for k in range(SETS):
        c = drawn(shift, np.random.default_rng([k, int(shift)]))
        # The weight of links is too small to change any pair of units.
        first, joint = aligned(c, 1e-5), aligned(c, weight)
        moved = {*first[2]} ^ {*joint[2]}
        changed += bool(moved)
        apart += len(moved)
        units.append(joint[0] - first[0])
        links.append(joint[1] - first[1])
    return {
        "shift": shift,
        "weight": weight,
        "sets": SETS,
        "texts_changed": changed / SETS,
        "pairs_changed": apart / (2 * SETS * UNITS),
        "units_disorder_more": float(np.mean(units)),
        "links_disorder_less": -float(np.mean(links)),
    }


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Each cell: how many texts and pairs of units change, and by how much both disorders do."""
    del data
    cells = list(product(SHIFTS, WEIGHTS))[: 1 if quick else None]
    write_csv(out / "joint.csv", [row_of(*cell) for cell in cells])
