"""B of several boundary types, and π, κ and bias on B, beside segeval's: how many values differ.

    python -m venv .venv-segeval && .venv-segeval/bin/pip install segeval==2.0.11 'setuptools<81'
    python benchmarks/segmentation_peer.py --segeval .venv-segeval/bin/python

segeval runs in an interpreter of its own. The cases are all there are of a size: every pair of
unequal segmentations of 3 units with any of 3 boundary types at each place (B), and every pair of
unequal segmentations of 2 to 5 units with one type (coefficients of one item and two coders), and
all of these pairs of 3 units with all of 4 (two items). Two values differ if they are more than
1e-9 apart, or if one program has none.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
from collections.abc import Iterator
from itertools import chain, combinations, product

from gammacp.segmentation import (
    Codings,
    CorrectedSimilarity,
    Criterion,
    Segmentation,
    boundary_similarity,
    coding_agreement,
    codings_from_json,
)

SAME = 1e-9
TYPES = (1, 2, 3)
PEER = """
import json, sys, segeval
from segeval.similarity.weight import weight_a, weight_s, weight_s_scale, weight_t_scale
typed, plain = json.load(sys.stdin)

def value(function, *arguments, **options):
    try:
        return float(function(*arguments, **options))
    except Exception:
        return None

def sets(places):
    return tuple(set(types) for types in places)

found = []
for a, b in typed:
    pair = sets(a), sets(b)
    about = {"boundary_format": segeval.BoundaryFormat.sets}
    found.append([
        value(segeval.boundary_similarity, *pair, weight=(weight_a, s, weight_t_scale), **about)
        for s in (weight_s, weight_s_scale)
    ])
coefficients = []
for items in plain:
    coded = {str(i): {"a": tuple(a), "b": tuple(b)} for i, (a, b) in enumerate(items)}
    data = segeval.Dataset(coded)
    functions = (segeval.fleiss_pi_linear, segeval.fleiss_kappa_linear,
                 segeval.artstein_poesio_bias_linear)
    coefficients.append([value(function, data) for function in functions])
print(json.dumps([found, coefficients]))
"""

Places = tuple[tuple[int, ...], ...]
Pair = tuple[tuple[int, ...], tuple[int, ...]]


def typed_pairs() -> list[tuple[Places, Places]]:
    """Return all pairs of segmentations of 3 units with any types at each of the 2 places."""
    each = chain.from_iterable(combinations(TYPES, n) for n in range(len(TYPES) + 1))
    return [*combinations(product(list(each), repeat=2), 2)]


def plain_pairs(mass: int) -> Iterator[Pair]:
    """Yield the masses of all pairs of segmentations of as many units."""
    strings = map("".join, product("01", repeat=mass - 1))
    yield from combinations([Segmentation.from_string(s).masses for s in strings], 2)


def typed_segmentation(places: Places) -> dict[str, object]:
    """Return a segmentation as segeval's JSON has it."""
    boundaries = {str(t): [i for i, p in enumerate(places, 1) if t in p] for t in TYPES}
    return {"mass": len(places) + 1, "boundaries": boundaries}


def our_similarities(pairs: list[tuple[Places, Places]]) -> list[list[float | None]]:
    """Return B with nominal and with ordinal types of each pair."""
    items = {
        str(i): {"a": typed_segmentation(a), "b": typed_segmentation(b)}
        for i, (a, b) in enumerate(pairs)
    }
    whole = {"items": items, "boundary_types": [str(t) for t in TYPES]}
    codings = codings_from_json(json.dumps(whole))
    return [
        [
            boundary_similarity(c["a"], c["b"], categorial=kind).value
            for kind in ("nominal", "ordinal=1<2<3")
        ]
        for c in codings.values()
    ]


def our_coefficients(items: tuple[Pair, ...]) -> list[float | None]:
    """Return π, κ and bias on B of items that two coders segmented."""
    coded = {
        str(i): {"a": Segmentation.from_masses(a), "b": Segmentation.from_masses(b)}
        for i, (a, b) in enumerate(items)
    }
    criterion = Criterion(basis=CorrectedSimilarity.B)
    coefficients = coding_agreement(Codings.of(coded), comparison=criterion).pooled
    return [coefficients.pi, coefficients.kappa, coefficients.bias]


def differ(ours: float | None, other: float | None) -> bool:
    """Tell whether two values differ; a value that is not there is NaN or None."""
    mine = None if ours is None or math.isnan(ours) else ours
    if mine is None or other is None:
        return mine is not other
    return abs(mine - other) > SAME


def main() -> None:
    """Print how many values differ."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--segeval", required=True, help="interpreter with segeval")
    options = parser.parse_args()
    typed = typed_pairs()
    alone = [(pair,) for mass in range(2, 6) for pair in plain_pairs(mass)]
    plain = [*alone, *product(plain_pairs(3), plain_pairs(4))]
    done = subprocess.run(
        [options.segeval, "-W", "ignore", "-c", PEER],
        input=json.dumps([typed, plain]),
        capture_output=True,
        text=True,
        check=True,
    )
    similarities, coefficients = json.loads(done.stdout)
    our_values = our_similarities(typed)
    compared = {
        f"B, {kind} types": ([x[i] for x in our_values], [x[i] for x in similarities])
        for i, kind in enumerate(("nominal", "ordinal"))
    }
    ours = [our_coefficients(items) for items in plain]
    for what, part in (("one item", slice(len(alone))), ("two items", slice(len(alone), None))):
        for i, name in enumerate(("pi", "kappa", "bias")):
            values = [x[i] for x in ours[part]], [x[i] for x in coefficients[part]]
            compared[f"{name} on B, {what}"] = values
    for name, (mine, peer_values) in compared.items():
        differing = [(m, t) for m, t in zip(mine, peer_values, strict=True) if differ(m, t)]
        missing = sum(t is None for _, t in differing)
        print(f"{name}: {len(differing)} of {len(mine)} differ, {missing} without segeval's value")
        print(f"  for example {differing[:3]}")


if __name__ == "__main__":
    main()
