"""Check of an error type, for the tests of whoever adds one."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gammacp.continuum.fragments import column
from gammacp.errors import DataError, UsageError
from shuffling.distribution import Uniform
from shuffling.placement import Layout
from shuffling.reference import CategoryModel, ReferenceModel
from shuffling.registry import ErrorType
from shuffling.setting import FewerErrors, Setting, Units

Kept = Literal["segmentation", "apart", "count"]
_MAGNITUDES = (0.05, 0.3, 0.7, 1.0)


def check_error(
    error: ErrorType,
    *,
    keeps: Sequence[Kept] = (),
    models: Sequence[ReferenceModel] | None = None,
    seed: int = 0,
) -> None:
    """Raise an AssertionError that names the first promise an error type breaks, with the units.

    At magnitude 0 nothing changes, the fragments of a unit included. At any magnitude the units are
    columns of one length, sorted, with start ≤ end and their fragments inside, inside the bounds,
    whole where the model's positions are whole, with known categories; the same random stream gives
    the same units, whatever else was drawn; the units that it receives are not modified; and it
    does not fail without units. A DataError or UsageError is taken for "does not apply to these
    units", as long as the error applies to some.

    Parameters
    ----------
    error
        An instance, with the parameters to try.
    keeps
        Properties that it claims to keep: "segmentation" (units that tile their bounds still do),
        "apart" (units that do not overlap still do not), "count" (no unit appears or goes).
    models
        Models that references are drawn from; default: all layouts, whole and real positions, some
        units unlabelled.
    seed
        Seed of the references and the errors.

    Examples
    --------
    >>> from shuffling import Split
    >>> check_error(Split(), keeps=("segmentation", "apart"))
    >>> check_error(Split(), keeps=("count",))
    Traceback (most recent call last):
        ...
    AssertionError: split at magnitude 0.05, layout apart, whole positions: 12 units become 13
    """
    _check_declaration(error)
    applied = 0
    none = _freeze(np.zeros(0), np.zeros(0), np.zeros(0, np.int32))
    for number, model in enumerate(_models() if models is None else models):
        reference = model.draw(np.random.default_rng((seed, number)))
        setting = Setting.of(reference, model)
        units = _freeze(reference.starts, reference.ends, reference.category_codes)
        broken = replace(units, breaks=column((1.0, 2.0) if n > 2 else () for n in units.lengths))
        for magnitude, tried in product((0.0, *_MAGNITUDES), (units, broken, none)):
            if model.integer:
                positions = "whole"
            else:
                positions = "real"
            place = (
                f"{error.name} at magnitude {magnitude:g}, layout {model.layout}, "
                f"{positions} positions"
            )
            changed = _apply(error, tried, magnitude, setting, seed, place)
            if changed is None:
                continue
            applied += len(tried) > 0
            _check_units(changed, setting, place)
            if magnitude == 0:
                _check_equal(tried, changed, f"{place}: is not 0 at magnitude 0")
            if len(tried):
                _check_kept(tried, changed, setting, keeps, place)
    _require(applied > 0, f"{error.name}: applies to none of the references")


def _models() -> Iterator[ReferenceModel]:
    lengths = Uniform(4, 30)
    shares = (("A", 0.5), ("B", 0.3), (None, 0.2))
    for integer in (True, False):
        model = ReferenceModel(
            n_units=12,
            categories=tuple(
                CategoryModel(name=name, prevalence=share, lengths=lengths)
                for name, share in shares
            ),
            gaps=Uniform(0, 9),
            integer=integer,
        )
        yield model
        yield replace(model, layout=Layout.OVERLAPPING, gaps=Uniform(-9, 9))
        yield model.laid_out("covering")
        yield model.laid_out("fixed")


def _freeze(*columns: NDArray[np.generic]) -> Units:
    copies: list[Any] = [np.array(column) for column in columns]
    for copy in copies:
        copy.flags.writeable = False
    return Units(*copies)


def _check_declaration(error: ErrorType) -> None:
    kind: Any = type(error)
    for name in ("name", "summary", "source"):
        _require(bool(getattr(kind, name, "")), f"{kind.__name__}: has no {name}")
    frozen = getattr(getattr(kind, "__dataclass_params__", None), "frozen", False)
    _require(frozen, f"{error.name}: is not a frozen dataclass")
    try:
        again = kind(**{f.name: getattr(error, f.name) for f in fields(error)})
        kind()
    except TypeError as fault:
        raise AssertionError(f"{error.name}: a parameter has no default ({fault})") from None
    _require(again == error, f"{error.name}: its parameters do not make it again")


def _apply(
    error: ErrorType, units: Units, magnitude: float, setting: Setting, seed: int, place: str
) -> Units | None:
    """Apply an error to units; return None if the error says that it does not apply."""
    shared = _shared_stream()
    try:
        with warnings.catch_warnings(action="ignore", category=FewerErrors):
            changed, again = (
                error.apply(units, magnitude, setting, np.random.default_rng(seed))
                for _ in range(2)
            )
    except (DataError, UsageError):
        return None
    except ValueError as fault:
        if "read-only" in str(fault):
            what = "changes the units that it is given"
        else:
            what = repr(fault)
        raise AssertionError(f"{place}, {len(units)} units: {what}") from fault
    _require(isinstance(changed, Units), f"{place}: returns {type(changed).__name__}, not Units")
    _check_equal(changed, again, f"{place}: the same random stream gives other units")
    _require(
        _shared_stream() == shared, f"{place}: draws from NumPy's shared stream, not from `rng`"
    )
    return changed


def _shared_stream() -> tuple[list[int], int]:
    """Return the state of NumPy's shared stream: its block of numbers, and the position in it."""
    state = np.random.get_state()  # noqa: NPY002
    return state[1].tolist(), int(state[2])  # type: ignore[index]


def _check_units(units: Units, setting: Setting, place: str) -> None:
    columns = units.starts, units.ends, units.codes
    sizes = [len(column) for column in columns]
    _require(len(set(sizes)) == 1, f"{place}: columns of {sizes} units")
    low, high = setting.bounds
    for row in range(sizes[0]):
        start, end, code = (column[row].item() for column in columns)
        unit = f"{place}: unit {start:g}–{end:g}, category {code},"
        edges = (0.0, *_breaks(units)[row], end - start)
        _require(bool(np.isfinite(start) and np.isfinite(end)), f"{unit} is not finite")
        _require(start <= end, f"{unit} ends before it starts")
        _require(sorted(edges) == list(edges), f"{unit} has fragments outside it")
        _require(low <= start and end <= high, f"{unit} leaves the bounds {low:g}–{high:g}")
        _require(-1 <= code < len(setting.categories) and code == int(code), f"{unit} is unknown")
        if setting.integer:
            _require(start % 1 == end % 1 == 0, f"{unit} is not whole")
    order = np.lexsort((units.ends, units.starts))
    _require(np.array_equal(order, np.arange(sizes[0])), f"{place}: units are not sorted")


def _check_equal(first: Units, second: Units, broken: str) -> None:
    pairs = [(getattr(first, c), getattr(second, c)) for c in ("starts", "ends", "codes")]
    if all(np.array_equal(a, b, equal_nan=True) for a, b in pairs):
        _require(_breaks(first) == _breaks(second), f"{broken}: fragments of units change")
        return
    if len(first) != len(second):
        raise AssertionError(f"{broken}: {len(first)} units and {len(second)}")
    row = int(np.flatnonzero(np.any([a != b for a, b in pairs], axis=0))[0])
    one, other = (
        f"{u.starts[row]:g}–{u.ends[row]:g}, category {u.codes[row]}" for u in (first, second)
    )
    raise AssertionError(f"{broken}: {one} and {other}")


def _breaks(units: Units) -> list[tuple[float, ...]]:
    return [()] * len(units) if units.breaks is None else units.breaks.tolist()


def _check_kept(
    before: Units, after: Units, setting: Setting, keeps: Sequence[Kept], place: str
) -> None:
    if "count" in keeps:
        _require(len(before) == len(after), f"{place}: {len(before)} units become {len(after)}")
    if "apart" in keeps and before.apart:
        _require(after.apart, f"{place}: units overlap that did not")
    if "segmentation" in keeps and setting.covering and len(after) and before.breaks is None:
        low, high = setting.bounds
        edges = np.append(low, after.ends) != np.append(after.starts, high)
        _require(not edges.any(), f"{place}: gap or overlap in a segmentation")


def _require(condition: bool, broken: str) -> None:
    if not condition:
        raise AssertionError(broken)
