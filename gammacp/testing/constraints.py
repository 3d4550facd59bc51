"""Checks of a constraint's claims: hereditary, structural, and with consistent answers.

Part of `gammacp.testing`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from gammacp.alignment.align import align
from gammacp.alignment.constraints.base import Constraint
from gammacp.base.arrays import Bools, Codes
from gammacp.continuum import Continuum, Unit
from gammacp.errors import DataError

# Numbers of annotators and units of the texts: small enough to try every partition.
_SIZES = ((2, 9), (3, 9), (4, 9), (5, 8))
# Largest number of groups, or pairs of groups, that are examined in each text.
_MOST = 400


def check_constraint(
    constraint: Constraint | Callable[[Continuum], Constraint],
    *,
    texts: int = 20,
    seed: int = 0,
    categories: Sequence[str] = ("a", "b", "c"),
) -> None:
    """Raise an AssertionError that names the first broken claim of a constraint, with the units.

    The claims are checked on small random texts. *Hereditary*: single units are allowed, and so is
    every part of an allowed group; two groups that are allowed together stay so if one of them is
    split. *Structural*: the constraint answers for any text, and its answers do not change if all
    units are moved and annotators are renamed. Answers must be one truth value for each pair or
    group, and the same with both sides exchanged. `largest` and `places` must be consistent with
    the other methods. The solvers `auto` and `brute` must find equally good alignments. A
    constraint that forbids and links nothing in any of the texts cannot be checked, so that it
    fails, too.

    Parameters
    ----------
    constraint
        The constraint. If it refers to particular units, a function that makes the constraint for a
        text; a DataError from this function means that the text has no such units.
    texts
        Number of texts.
    seed
        Seed of the texts.
    categories
        Categories of the units; give those that the constraint names, if any.

    Examples
    --------
    >>> from gammacp.alignment.constraints import AtMost
    >>> check_constraint(AtMost(2), texts=4)
    """
    n_tried = 0
    binding = False
    for number in range(texts):
        rng = np.random.default_rng([seed, number])
        text = _text(rng, *_SIZES[number % len(_SIZES)], tuple(categories))
        try:
            bound = constraint if isinstance(constraint, Constraint) else constraint(text)
        except DataError:
            continue
        n_tried += 1
        binding = binding or _binds(bound, text, np.random.default_rng([seed, number, 1]))
        _check_answers(bound, text, rng)
        if bound.hereditary:
            _check_hereditary(bound, text, rng)
        if bound.structural:
            _check_structural(bound, text, rng)
        _check_places(bound, text, rng)
        _check_best(bound, text)
    if not n_tried:
        raise AssertionError("the constraint was not tried: no text had the units that it names")
    if not binding:
        named = ", ".join(categories)
        raise AssertionError(
            f"the constraint was not tried: it forbids and links nothing in {n_tried} texts with "
            f"the categories {named}. Name others by categories="
        )


def _binds(constraint: Constraint, text: Continuum, rng: np.random.Generator) -> bool:
    """Return whether the constraint forbids a pair, a group or two groups, or links units."""
    groups = _groups(text, rng)
    questions: dict[str, tuple[Any, ...]] = {
        "allows_pairs": _pairs(text),
        "allows_groups": (np.concatenate((groups, _single(text))),),
        "allows_both": _disjoint(groups, rng),
    }
    forbids = any(
        not _truths(constraint, method, len(arguments[0]), text, *arguments).all()
        for method, arguments in questions.items()
    )
    try:
        return forbids or len(constraint.links(text)) > 0
    except DataError:  # the text does not have the units that it names
        return forbids


def _check_answers(constraint: Constraint, text: Continuum, rng: np.random.Generator) -> None:
    """Check the shapes of answers, their symmetry, and their consistency with `largest`."""
    first, second = _pairs(text)
    pairs = _truths(constraint, "allows_pairs", len(first), text, first, second)
    if not np.array_equal(
        pairs, _truths(constraint, "allows_pairs", len(first), text, second, first)
    ):
        raise AssertionError(f"{constraint}: allows_pairs differs with both units exchanged")
    groups = _groups(text, rng)
    allowed = _truths(constraint, "allows_groups", len(groups), text, groups)
    largest = constraint.largest()
    sizes = (groups >= 0).sum(axis=1)
    if largest is not None and (allowed & (sizes > largest)).any():
        raise AssertionError(f"{constraint}: allows_groups allows more than largest() units")
    one, other = _disjoint(groups, rng)
    both = _truths(constraint, "allows_both", len(one), text, one, other)
    if not np.array_equal(both, _truths(constraint, "allows_both", len(one), text, other, one)):
        raise AssertionError(f"{constraint}: allows_both differs with both groups exchanged")


def _check_hereditary(constraint: Constraint, text: Continuum, rng: np.random.Generator) -> None:
    """Split allowed groups in all ways, and check that the parts are allowed."""
    if len(constraint.links(text)):
        raise AssertionError(f"{constraint}: links are not hereditary, as splitting breaks them")
    single = _single(text)
    alone = _truths(constraint, "allows_groups", len(single), text, single)
    for row in np.flatnonzero(~alone)[:1]:
        raise AssertionError(f"{constraint} is not hereditary: {_said(text, single[row])} alone")
    groups = _groups(text, rng)
    groups = groups[_truths(constraint, "allows_groups", len(groups), text, groups)]
    for group in groups:
        parts = np.array(list(_parts(group)), np.int32).reshape(-1, text.n_annotators)
        is_allowed = _truths(constraint, "allows_groups", len(parts), text, parts)
        for part in parts[~is_allowed][:1]:
            raise AssertionError(
                f"{constraint} is not hereditary: {_said(text, group)} may be a group, and "
                f"{_said(text, part)} may not"
            )
    one, other = _disjoint(groups, rng)
    both = _truths(constraint, "allows_both", len(one), text, one, other)
    for first_group, second_group in zip(one[both], other[both], strict=True):
        parts = np.array(list(_parts(first_group)), np.int32).reshape(-1, text.n_annotators)
        seconds = np.repeat(second_group[None], len(parts), axis=0)
        is_allowed = _truths(constraint, "allows_both", len(parts), text, parts, seconds)
        # `_parts` is symmetric: reversed, it has the complement of each part in its place.
        halves = _truths(constraint, "allows_both", len(parts), text, parts, parts[::-1])
        # Solvers never call `allows_both` for single units.
        large = (parts >= 0).sum(axis=1) > 1
        is_allowed |= ~large
        halves |= ~(large & large[::-1])
        for part in parts[~(is_allowed & halves)][:1]:
            raise AssertionError(
                f"{constraint} is not hereditary: {_said(text, first_group)} may be beside "
                f"{_said(text, second_group)}, and its part {_said(text, part)} may not be beside "
                "that or the rest"
            )


def _check_structural(constraint: Constraint, text: Continuum, rng: np.random.Generator) -> None:
    """Check that no answer changes if all units are moved and annotators are renamed."""
    names = [f"other {name}" for name in text.annotators]
    rename = dict(zip(text.annotators, names, strict=True))
    units = [
        replace(u, annotator=rename[u.annotator], start=u.start + 1024, end=u.end + 1024)
        for u in text
    ]
    other_text = Continuum.from_units(units, annotators=names, categories=text.categories)
    groups = _groups(text, rng)
    one, other = _disjoint(groups, rng)
    questions: dict[str, tuple[Any, ...]] = {
        "allows_pairs": _pairs(text),
        "allows_groups": (groups,),
        "allows_both": (one, other),
    }
    for method, arguments in questions.items():
        size = len(arguments[0])
        answers = _truths(constraint, method, size, text, *arguments)
        moved_answers = _truths(constraint, method, size, other_text, *arguments)
        if not np.array_equal(answers, moved_answers):
            raise AssertionError(
                f"{constraint} is not structural: {method} changes when all units are moved along "
                "and annotators are renamed"
            )


def _check_places(constraint: Constraint, text: Continuum, rng: np.random.Generator) -> None:
    """Compare `places` with `allows_both` on pairs of units of two annotators."""
    places = constraint.places(text)
    if places is None or text.n_annotators != 2:
        return
    groups = _groups(text, rng)
    one, other = _disjoint(groups[(groups >= 0).all(axis=1)], rng)
    if not len(one):
        return
    order = np.sign(places[one] - places[other])
    is_allowed = _truths(constraint, "allows_both", len(one), text, one, other)
    if not np.array_equal(is_allowed, order[:, 0] == order[:, 1]):
        raise AssertionError(f"{constraint}: allows_both is not the order that places() gives")


def _check_best(constraint: Constraint, text: Continuum) -> None:
    """Compare the alignment by `auto` with the best one of all partitions."""
    alignments: dict[str, Any] = {}
    for method in ("auto", "brute"):
        try:
            alignments[method] = align(text, method=method, constraints=[constraint])
        except DataError:
            alignments[method] = None
    if None in alignments.values():
        alike = alignments["auto"] is alignments["brute"]
    else:
        apart = abs(alignments["auto"].disorder - alignments["brute"].disorder)
        alike = apart <= 1e-7 and alignments["auto"].status == "optimal"
    if not alike:
        values_in_words = ", ".join(f"{method} {which!r}" for method, which in alignments.items())
        raise AssertionError(f"{constraint}: the best alignments differ: {values_in_words}")


def _truths(constraint: Constraint, method: str, size: int, *arguments: Any) -> Bools:
    """Return the answers of a method as truth values; all true if it returns None."""
    answer = getattr(constraint, method)(*arguments)
    if answer is None:
        return np.ones(size, np.bool_)
    answers = np.asarray(answer)
    if answers.dtype != np.bool_ or answers.shape != (size,):
        raise AssertionError(
            f"{constraint}: {method} returns {answers.dtype} of shape {answers.shape}, not a truth "
            f"value for each of {size}"
        )
    return answers


def _pairs(text: Continuum) -> tuple[Codes, Codes]:
    first, second = (rows.astype(np.int32) for rows in np.triu_indices(text.n_units, 1))
    apart = text.annotator_codes[first] != text.annotator_codes[second]
    return first[apart], second[apart]


def _groups(text: Continuum, rng: np.random.Generator) -> Codes:
    """Draw groups of two and more units."""
    columns = [[-1, *np.flatnonzero(text.annotator_codes == a)] for a in range(text.n_annotators)]
    drawn = np.array([[rng.choice(c) for c in columns] for _ in range(_MOST)], np.int32)
    return np.unique(drawn[(drawn >= 0).sum(axis=1) > 1], axis=0)


def _single(text: Continuum) -> Codes:
    """Return groups of one unit each, for all units."""
    groups = np.full((text.n_units, text.n_annotators), -1, np.int32)
    groups[np.arange(text.n_units), text.annotator_codes] = np.arange(text.n_units)
    return groups


def _disjoint(groups: Codes, rng: np.random.Generator) -> tuple[Codes, Codes]:
    """Draw pairs of groups that share no unit."""
    if not len(groups):
        return groups, groups
    first, second = rng.integers(0, len(groups), (2, _MOST))
    one, other = groups[first], groups[second]
    apart = ~((one == other) & (one >= 0)).any(axis=1)
    return one[apart], other[apart]


def _parts(group: Codes) -> Iterator[Codes]:
    """Yield all proper parts of a group, so that the reverse order yields their complements."""
    inside = np.flatnonzero(group >= 0)
    for size in range(1, len(inside)):
        for chosen in combinations(inside.tolist(), size):
            part = np.full_like(group, -1)
            part[[*chosen]] = group[[*chosen]]
            yield part


def _said(text: Continuum, group: Codes) -> str:
    units: list[Unit] = [text.unit(int(row)) for row in group[group >= 0]]
    return " + ".join(f"{u.annotator} {u.start:g}–{u.end:g} {u.category}" for u in units)


def _text(
    rng: np.random.Generator, n_annotators: int, n_units: int, categories: tuple[str, ...]
) -> Continuum:
    """Draw dense or sparse units, with points, duplicates and unlabelled ones."""
    starts = rng.integers(0, rng.integers(3, 30), n_units).astype(float)
    return Continuum.from_codes(
        tuple(f"A{i}" for i in range(n_annotators)),
        categories,
        starts,
        starts + np.append(rng.integers(0, 8, n_units - 1), 3),
        rng.integers(0, n_annotators, n_units, np.int32),
        rng.integers(-1, len(categories), n_units, np.int32),
    )
