"""Coverage of intervals of personal magnitudes: python benchmarks/magnitudes.py [--campaigns N].

The Corpus Shuffling Tool plants magnitudes that are known: campaigns of eight documents with 25
units, whose boundaries everybody shifts by up to 9 % of the unit's length besides. Prints a line
per number of annotators, design, error and planted amount: how many intervals hold it, the median
estimate, and in how many campaigns there was an interval. Lines of amount 0 are of people and
errors that were not planted: their intervals hold 0 where nobody is accused of anything.

Designs:

- *own*: the first three annotators each make one mistake (joins, cuts, misses; additions, confused
  labels, shifts), the others none;
- *same*: everybody makes the same mistake;
- *all*: everybody joins, cuts, misses and adds, a third to all of the amount each.
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from gammacp.alignment import align
from gammacp.campaign.calibrate.magnitudes import ERRORS, magnitudes_in
from gammacp.continuum import Continuum, Unit
from shuffling import Position, ReferenceModel, reference_set, shuffle

DOCUMENTS = 8
PEOPLE = (3, 4, 5)
AMOUNTS = (0.04, 0.12, 0.28)
BACKGROUND = 0.09
LARGEST = 0.3  # of shifts: beyond, neighbours change places
Plan = Mapping[str, Mapping[str, float]]
_FACTORS = {"split": 2.0, "position": 3.0}
_PREVALENCE = ReferenceModel().prevalence


def magnitude_of(error: str, amount: float) -> float:
    """The magnitude of the tool that makes an amount on average."""
    if error == "category":
        return math.sqrt(amount / float(1 - (_PREVALENCE**2).sum()))
    return amount / _FACTORS.get(error, 1.0)


def campaign(plan: Plan, seed: Sequence[int]) -> list[Continuum]:
    """Documents by annotators who make the mistakes of the plan on one reference."""
    model = ReferenceModel()
    # Units may overlap after a shift, so that no shift is shortened by a neighbour.
    free = Position(overlap=True)
    entropy = np.random.SeedSequence([*seed])
    documents = []
    for number in range(DOCUMENTS):
        reference = reference_set(model, index=number, seed=entropy)
        units = []
        for person, (name, amounts) in enumerate(plan.items()):
            annotation = reference
            for k, (error, amount) in enumerate(amounts.items()):
                child = np.random.SeedSequence([*seed, number, person, k])
                kind = free if error == "position" else error
                annotation = shuffle(
                    annotation, kind, magnitude_of(error, amount), 1, model=model, seed=child
                )
                annotation = Continuum.from_units(
                    [replace(u, annotator="reference") for u in annotation],
                    annotators=["reference"],
                    categories=reference.categories,
                    bounds=reference.bounds,
                )
            units += [Unit(name, u.start, u.end, u.category) for u in annotation]
        documents.append(
            Continuum.from_units(
                units,
                annotators=list(plan),
                categories=reference.categories,
                bounds=reference.bounds,
            )
        )
    return documents


def plans(people: int, amount: float) -> Iterator[tuple[str, Plan]]:
    """Designs with what each annotator does, by error in the order in which it is done."""
    names = [f"annotator-{k + 1}" for k in range(people)]
    for triple in (ERRORS[:3], ERRORS[3:]):
        error_of_annotator = dict(zip(names, triple, strict=False))
        yield (
            "own",
            {
                n: _with_background(
                    {error_of_annotator[n]: amount} if n in error_of_annotator else {}
                )
                for n in names
            },
        )
    for error in ERRORS:
        yield "same", {n: _with_background({error: amount}) for n in names}
    # The tool makes whole numbers of mistakes: one, two or three in 25 units.
    several = dict.fromkeys(ERRORS[:4], {0.04: 0.04, 0.12: 0.08, 0.28: 0.12}.get(amount, amount))
    yield "all", {n: _with_background(several) for n in names}


def _with_background(amounts: dict[str, float]) -> dict[str, float]:
    shift = min(LARGEST, amounts.get("position", BACKGROUND))
    return {"position": shift, **{e: a for e, a in amounts.items() if e != "position"}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=100)
    parser.add_argument("--people", type=int, nargs="*", default=PEOPLE)
    parser.add_argument("--design", nargs="*", default=("own", "same", "all"))
    parser.add_argument("--amount", type=float, nargs="*", default=AMOUNTS)
    options = parser.parse_args()
    print("annotators,design,error,planted,held,of,median,missing")
    for people in options.people:
        for amount in options.amount:
            for number, (design, plan) in enumerate(plans(people, amount)):
                if design in options.design:
                    cells = study(plan, options.campaigns, [people, round(1000 * amount), number])
                    for (error, planted), (held, values, missing) in cells.items():
                        print(
                            f"{people},{design},{error},{planted:g},{held},{len(values)},"
                            f"{np.median(values) if values else math.nan:.3f},{missing}",
                            flush=True,
                        )


def study(
    plan: Plan, campaigns: int, seed: Sequence[int]
) -> dict[tuple[str, float], tuple[int, list[float], int]]:
    """Intervals that hold what was planted, by error and amount."""
    held: defaultdict[tuple[str, float], int] = defaultdict(int)
    values: defaultdict[tuple[str, float], list[float]] = defaultdict(list)
    missing: defaultdict[tuple[str, float], int] = defaultdict(int)
    for run in range(campaigns):
        magnitudes = magnitudes_in([align(c) for c in campaign(plan, [*seed, run])])
        for person in magnitudes.people:
            planted = plan[person.annotator].get(person.error, 0.0)
            key = person.error, planted
            missing[key] += person.interval is None
            if person.interval is not None and person.amount is not None:
                low, high = person.interval
                held[key] += low - 1e-9 <= planted <= high + 1e-9
                values[key].append(person.amount)
    keys = sorted(set(values) | set(missing))
    return {key: (held[key], values[key], missing[key]) for key in keys}


if __name__ == "__main__":
    main()
