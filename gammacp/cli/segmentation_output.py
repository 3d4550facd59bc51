"""What `gammacp segmentation` prints: the JSON document, the tables, and warnings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gammacp.cli.output import message, number, print_table

if TYPE_CHECKING:
    from gammacp.segmentation import (
        CandidateDrop,
        CodingAgreement,
        Coefficients,
        GroupAgreement,
        ItemAgreement,
        PairwiseRow,
    )

_ITEM = ("item", "π*", "κ*", "bias", "1−WD", "± sd", "coders", "boundaries", "mass", "full", "near")
_GROUP = ("group", "π*", "κ*", "bias", "full", "near")
_CANDIDATE = ("candidate", "items", "π* without", "π* with", "drop of π*", "95 %", "drop of κ*")
_PAIR = ("S", "B", "1−WD", "1−P_k", "1−GHD", "precision", "recall", "F₁", "R_FN", "R_FP")


def document(
    found: CodingAgreement,
    drops: Sequence[CandidateDrop],
    rows: Sequence[PairwiseRow] | None,
) -> dict[str, Any]:
    """The JSON document, without its signature; `rows` are what `--pairs` asks for."""
    reasons = {
        **{i: a.coefficients.reason for i, a in found.items.items()},
        **{", ".join(g.group.items): g.coefficients.reason for g in found.groups},
        "all items": found.pooled.reason,
    }
    return {
        "items": {item: _item(agreement) for item, agreement in found.items.items()},
        "groups": [_group(group) for group in found.groups],
        "corpus": _corpus(found),
        "candidates": [_candidate(drop) for drop in drops],
        **({} if rows is None else _pairs(rows)),
        "undefined": {name: reason for name, reason in reasons.items() if reason is not None},
        "suboptimal_pairs": found.suboptimal,
    }


def _pairs(rows: Sequence[PairwiseRow]) -> dict[str, Any]:
    from gammacp.segmentation import means

    items = dict.fromkeys(row.item for row in rows)
    return {
        "pairs": [
            {
                "item": row.item,
                "reference": row.reference,
                "hypothesis": row.hypothesis,
                **row.values,
                "full": row.full,
                "near": row.near,
            }
            for row in rows
        ],
        "means": {
            "items": {
                item: _spreads(means(row for row in rows if row.item == item)) for item in items
            },
            "corpus": _spreads(means(rows)),
        },
    }


def _spreads(found: Mapping[str, tuple[float, float]]) -> dict[str, dict[str, float]]:
    return {name: _spread(values) for name, values in found.items()}


def _of(found: Coefficients) -> dict[str, Any]:
    return {"pi_s": found.pi, "kappa_s": found.kappa, "bias": found.bias}


def _spread(values: tuple[float, float]) -> dict[str, float]:
    return {"mean": values[0], "sd": values[1]}


def _item(found: ItemAgreement) -> dict[str, Any]:
    row = found.statistics
    return {
        **_of(found.coefficients),
        "windowdiff": _spread(found.windowdiff),
        "coders": len(row.coders),
        "boundaries": row.boundaries,
        "mass": row.mass,
        "full": row.full,
        "near": row.near,
    }


def _group(found: GroupAgreement) -> dict[str, Any]:
    return {
        "items": found.group.items,
        "coders": found.group.coders,
        **_of(found.coefficients),
        "full": found.full,
        "near": found.near,
    }


def _corpus(found: CodingAgreement) -> dict[str, Any]:
    rows = [item.statistics for item in found.items.values()]
    intervals = found.intervals
    return {
        "pi_s": _spread(found.pi),
        "kappa_s": _spread(found.kappa),
        "bias": _spread(found.bias),
        "windowdiff": _spread(found.windowdiff),
        "pooled": _of(found.pooled),
        "bootstrap": None
        if intervals is None
        else {"pi_s": intervals.pi, "kappa_s": intervals.kappa, "draws": intervals.draws},
        "items": len(rows),
        "groups": len(found.groups),
        "coders": sum(len(group.group.coders) for group in found.groups),
        "boundaries": sum(row.boundaries for row in rows),
        "mass": sum(row.mass for row in rows),
        "full": found.full,
        "near": found.near,
    }


def _candidate(drop: CandidateDrop) -> dict[str, Any]:
    return {
        "candidate": drop.candidate,
        "items": drop.items,
        "without": _of(drop.without),
        "with": _of(drop.with_candidate),
        "drop": {"pi_s": drop.pi_drop, "kappa_s": drop.kappa_drop},
        "interval": {"pi_s": drop.pi_interval, "kappa_s": drop.kappa_interval},
    }


def print_tables(found: CodingAgreement, drops: Sequence[CandidateDrop]) -> None:
    """Items, groups with the corpus, and candidates, each a table."""
    rows = []
    for item, a in found.items.items():
        s = a.statistics
        counts = (len(s.coders), s.boundaries, s.mass, s.full, s.near)
        values = (*_of(a.coefficients).values(), *a.windowdiff)
        rows.append((item, *map(number, values), *map(str, counts)))
    print_table(_ITEM, rows, numeric=_ITEM[1:])
    groups = [
        (
            ", ".join(g.group.items),
            *map(number, _of(g.coefficients).values()),
            str(g.full),
            str(g.near),
        )
        for g in found.groups
    ]
    overall = ("mean of groups", *(number(v[0]) for v in (found.pi, found.kappa, found.bias)))
    spread = ("± sd", *(number(v[1]) for v in (found.pi, found.kappa, found.bias)))
    pooled = ("all items pooled", *map(number, _of(found.pooled).values()))
    totals = (str(found.full), str(found.near))
    end = [(*overall, *totals), (*spread, "", ""), (*pooled, *totals)]
    print_table(_GROUP, [*groups, *end], numeric=_GROUP[1:])
    if found.intervals is not None:
        print(f"95 % over {found.intervals.draws} draws of items, pooled:", end=" ")
        print(f"π* {_interval(found.intervals.pi)}, κ* {_interval(found.intervals.kappa)}\n")
    if drops:
        print_table(_CANDIDATE, map(_drop_row, drops), numeric=_CANDIDATE[1:])


def print_pairs(rows: Sequence[PairwiseRow]) -> None:
    """Every ordered pair, then the means per item and over all pairs."""
    from gammacp.segmentation import means

    columns = ("item", "reference", "hypothesis", *_PAIR)
    cells = [
        (row.item, row.reference, row.hypothesis, *map(number, row.values.values())) for row in rows
    ]
    print_table(columns, cells, numeric=_PAIR)
    averages = []
    for item in (*dict.fromkeys(row.item for row in rows), None):
        found = means(row for row in rows if item in (None, row.item))
        averages.append(
            (item or "all pairs", *(f"{number(m)} ± {number(sd)}" for m, sd in found.values()))
        )
    print_table(("mean ± sd", *_PAIR), averages, numeric=_PAIR)


def _drop_row(drop: CandidateDrop) -> tuple[str, ...]:
    return (
        drop.candidate,
        str(drop.items),
        number(drop.without.pi),
        number(drop.with_candidate.pi),
        number(drop.pi_drop),
        _interval(drop.pi_interval),
        number(drop.kappa_drop),
    )


def _interval(interval: tuple[float, float] | None) -> str:
    return "–" if interval is None else f"{number(interval[0])} to {number(interval[1])}"


def warn(found: CodingAgreement) -> None:
    """On stderr: edits that are not the cheapest, undefined values, missing intervals."""
    missed = {i: a.statistics.suboptimal for i, a in found.items.items()}
    where = ", ".join(f"{item} ({pairs})" for item, pairs in missed.items() if pairs)
    if where:
        message(
            "warning: S is lower than it need be, because the published search does not find the "
            f"cheapest edits; in pairs of codings of {where}; see --edit optimal"
        )
    for name, agreement in found.items.items():
        if agreement.coefficients.reason is not None:
            message(f"{name}: π and κ are undefined: {agreement.coefficients.reason}")
    if found.intervals is not None and found.intervals.pi is None:
        message("no interval: a bootstrap over items needs two items")
