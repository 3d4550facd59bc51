"""`gammacp segmentation`: S or B, π, κ, bias and WindowDiff per item, per group and overall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gammacp.cli.groups import flatten
from gammacp.cli.output import AsJson, message, number, print_json, print_table
from gammacp.errors import UsageError

if TYPE_CHECKING:
    from gammacp.segmentation import (
        CandidateDrop,
        CodingAgreement,
        Codings,
        Coefficients,
        Comparison,
        GroupAgreement,
        ItemAgreement,
    )

_ITEM = ("item", "π*", "κ*", "bias", "1−WD", "± sd", "coders", "boundaries", "mass", "full", "near")
_GROUP = ("group", "π*", "κ*", "bias", "full", "near")
_CANDIDATE = ("candidate", "items", "π* without", "π* with", "drop of π*", "95 %", "drop of κ*")


@dataclass(frozen=True)
class Comparing:
    """How two segmentations are compared."""

    mode: Annotated[
        str,
        typer.Option(
            help="equations: as the 2012 paper defines the coefficients; published: as the values "
            "of its Table 2 were computed."
        ),
    ] = "equations"
    similarity: Annotated[
        str, typer.Option(help="s: segmentation similarity (2012); b: boundary similarity (2013).")
    ] = "s"
    edit: Annotated[
        str, typer.Option(help="Near misses of S: the published search, or the optimal edit.")
    ] = "published"
    n: Annotated[
        int, typer.Option("--n", help="Places a near miss may span; 2: next to each other.")
    ] = 2
    w_sub: Annotated[float, typer.Option(help="Cost of a full miss, 0 to 1.")] = 1.0
    w_trp: Annotated[float, typer.Option(help="Weight of a near miss, 0 to 1.")] = 1.0
    te: Annotated[
        bool, typer.Option("--te/--no-te", help="Weight near misses of S by te(n, b).")
    ] = True


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("segmentation")(flatten(segmentation))


def segmentation(
    comparing: Comparing,
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="segeval JSON, TSV, or any continuum without gaps; files, folders or globs.",
            show_default=False,
        ),
    ] = None,
    dataset: Annotated[
        str | None,
        typer.Option(help="moonstone or hearst1997, which ship with gammacp.", metavar="NAME"),
    ] = None,
    item: Annotated[
        list[str] | None,
        typer.Option(help="Rename an item; two may become one (repeatable).", metavar="OLD=NEW"),
    ] = None,
    candidate: Annotated[
        list[str] | None,
        typer.Option(
            help="A coder that is an automatic segmenter: how far agreement drops with it "
            "(repeatable: a ranking).",
            metavar="NAME",
        ),
    ] = None,
    bootstrap: Annotated[
        int, typer.Option(help="Draws of items for 95 % intervals; 0: none.", min=0)
    ] = 0,
    seed: Annotated[int, typer.Option(help="Seed of the draws.")] = 0,
    json: AsJson = False,
) -> None:
    """How far coders agree on segment boundaries: per item, per group of coders, overall."""
    from gammacp.segmentation import candidate_drops, coding_agreement

    comparison = _comparison(comparing)
    codings = _renamed(_read(files or [], dataset), item or [])
    names = list(dict.fromkeys(candidate or []))
    drops = candidate_drops(codings, names, comparison=comparison, bootstrap=bootstrap, seed=seed)
    people = codings.without(names)
    found = coding_agreement(people, comparison=comparison, bootstrap=bootstrap, seed=seed)
    if json:
        print_json(_document(found, drops, comparing, seed if bootstrap else None))
    else:
        _print(found, drops)
        if bootstrap:
            message(f"seed {seed}")
    _warn(found)


def _comparison(comparing: Comparing) -> Comparison:
    from gammacp.segmentation import Basis, Comparison, EditCosts, EditSearch, Mode

    costs = EditCosts(substitution=comparing.w_sub, transposition=comparing.w_trp, te=comparing.te)
    return Comparison(
        basis=Basis(comparing.similarity),
        n=comparing.n,
        costs=costs,
        search=EditSearch(comparing.edit),
        mode=Mode(comparing.mode),
    )


def _read(files: Sequence[Path], dataset: str | None) -> Codings:
    from gammacp.segmentation import load_codings, read_codings

    if bool(files) == (dataset is not None):
        raise UsageError("give files, or a dataset with --dataset NAME (one of the two)")
    return load_codings(dataset) if dataset is not None else read_codings(files)


def _renamed(codings: Codings, entries: Sequence[str]) -> Codings:
    from gammacp.segmentation import Codings, merged

    names = {}
    for entry in entries:
        old, sign, new = entry.partition("=")
        if not (old and sign and new):
            raise UsageError(f"--item {entry!r} is not OLD=NEW")
        if old not in codings:
            raise UsageError(f"item {old!r} does not occur; items are: {', '.join(codings)}")
        names[old] = new
    parts = (
        Codings({names.get(item, item): coders}, codings.types) for item, coders in codings.items()
    )
    return merged(parts) if names else codings


def _document(
    found: CodingAgreement,
    drops: Sequence[CandidateDrop],
    comparing: Comparing,
    seed: int | None,
) -> Mapping[str, Any]:
    from gammacp.signature import signature

    reasons = {
        **{i: a.coefficients.reason for i, a in found.items.items()},
        "corpus": found.pooled.reason,
    }
    return {
        "items": {item: _item(agreement) for item, agreement in found.items.items()},
        "groups": [_group(group) for group in found.groups],
        "corpus": _corpus(found),
        "candidates": [_candidate(drop) for drop in drops],
        "undefined": {name: reason for name, reason in reasons.items() if reason is not None},
        "suboptimal_pairs": found.suboptimal,
        "signature": signature(
            "segmentation",
            mode=comparing.mode,
            similarity=comparing.similarity,
            edit=comparing.edit,
            n=comparing.n,
            sub=comparing.w_sub,
            trp=comparing.w_trp,
            te="yes" if comparing.te else "no",
            seed=seed,
        ),
    }


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


def _print(found: CodingAgreement, drops: Sequence[CandidateDrop]) -> None:
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


def _warn(found: CodingAgreement) -> None:
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
