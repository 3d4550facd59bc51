"""Corpora of annotators who err, made from a reference (Mathet et al. 2015, §6.3.1).

"This reference is used by the shuffling tool to generate a multi-annotator corpus, simulating the
fact that each annotator makes mistakes of a certain type, and of a certain magnitude. […] The
generated corpus does not include the reference it is built from."

Every draw has a random stream of its own, keyed by its purpose: the reference of a set, or the n-th
error of an annotator in a set. So a set can be made alone, in any order and by any worker, with the
same bits. The magnitude is not part of the key. All magnitudes of a set use the same random
numbers, and only scale or threshold them, so that the values of a set can be compared from
magnitude to magnitude. With the magnitude shifts grow, missed and confused units stay so, and
further splits, merges and new units are added to those before. Each magnitude by itself is
distributed as if it had its own random numbers.
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias
from zlib import crc32

import numpy as np

from gammacp.base.arguments import MOST_ANNOTATORS, whole
from gammacp.continuum import Continuum
from gammacp.continuum.about import About
from gammacp.continuum.fragments import together
from gammacp.continuum.selecting import keep_annotators
from gammacp.errors import DataError, UsageError
from shuffling.fitting import fit_hulls
from shuffling.panel import Panel, magnitude_at
from shuffling.reference import ReferenceModel
from shuffling.registry import ErrorType, parse_errors
from shuffling.setting import Setting, Units

Errors: TypeAlias = str | ErrorType | Sequence[ErrorType]
Seed: TypeAlias = int | np.random.SeedSequence

# First words of the keys of random streams.
_REFERENCE = 0
_SHUFFLE = 1
# Key of the streams of schools, far above the numbers of annotators.
_SCHOOL = 2**32 - 1


def shuffle(
    reference: Continuum,
    errors: Errors,
    magnitude: float,
    n_annotators: int | Panel = 3,
    *,
    model: ReferenceModel | None = None,
    seed: Seed = 0,
) -> Continuum:
    """Annotators who each make the same kind of errors on one reference, independently.

    Parameters
    ----------
    reference
        A continuum with exactly one annotator (see `reference_of`).
    errors
        An error, several in the order in which they are made, or a text (`position+category`).
    magnitude
        m in [0, 1]: 0 changes nothing, 1 is the worst; the same for all errors.
    n_annotators
        ≥ 1; they are called annotator-1, annotator-2, … A panel has annotators who err in other
        ways, to other degrees, or together.
    model
        Model that new units, prevalence and layout come from; default: learnt from the reference.
    seed
        The same seed gives the same bits; each annotator and each error has its own stream, so
        annotator 1 errs the same way beside one other annotator or ten.

    Returns
    -------
    Continuum
        The annotators without the reference, within the reference's bounds.

    Raises
    ------
    UsageError
        The magnitude lies outside [0, 1], there are fewer than one or more than a million
        annotators, or an error is unknown.
    DataError
        The reference has not exactly one annotator, or does not fit the model or the errors.
    """
    magnitude = check_magnitude(magnitude)
    errors = resolve_errors(errors)
    if isinstance(n_annotators, Panel):
        number = n_annotators.n_annotators
    else:
        number = n_annotators
    whole("number of annotators", number, 1, MOST_ANNOTATORS)
    if reference.n_annotators != 1:
        raise DataError(
            f"reference has {reference.n_annotators} annotators, but one is needed",
            hint="Choose the annotator to take as the reference",
        )
    setting = Setting.of(reference, model or fit_hulls(reference))
    units = Units(reference.starts, reference.ends, reference.category_codes, reference.inside)
    if isinstance(n_annotators, Panel):
        drawn = list(_drawn_by(n_annotators, units, errors, magnitude, setting, seed))
    else:
        people = (_child(seed, annotator) for annotator in range(n_annotators))
        drawn = [_with_errors(units, errors, magnitude, setting, stream) for stream in people]
    return _continuum_of(drawn, setting, reference)


def _continuum_of(drawn: Sequence[Units], setting: Setting, reference: Continuum) -> Continuum:
    """Return a continuum of the units of each annotator, within the bounds of the reference."""
    return Continuum.from_codes(
        tuple(f"annotator-{i + 1}" for i in range(len(drawn))),
        setting.categories,
        np.concatenate([u.starts for u in drawn]),
        np.concatenate([u.ends for u in drawn]),
        np.repeat(np.arange(len(drawn), dtype=np.int32), [len(u) for u in drawn]),
        np.concatenate([u.codes for u in drawn]),
        inside=together([(u.breaks, len(u)) for u in drawn]),
        bounds=reference.bounds,
        about=About(reference.name, reference.offset_unit),
    )


def _with_errors(
    units: Units,
    errors: Sequence[ErrorType],
    magnitude: float,
    setting: Setting,
    seed: np.random.SeedSequence,
) -> Units:
    """Apply these errors to units, each with a stream of its own."""
    for i, error in enumerate(errors):
        units = error.apply(units, magnitude, setting, np.random.default_rng(_child(seed, i)))
    return units


def _drawn_by(
    panel: Panel,
    units: Units,
    errors: Sequence[ErrorType],
    magnitude: float,
    setting: Setting,
    seed: Seed,
) -> Iterator[Units]:
    """Yield the units of each annotator of a panel.

    Annotators have the same streams as without a panel, so that those at the magnitude of the sweep
    make the same errors.
    """
    taught: dict[str | None, Units] = {None: units}
    for name, school in panel.schools.items():
        stream = _child(seed, _SCHOOL, crc32(name.encode()))
        if school.errors is None:
            error_list = errors
        else:
            error_list = parse_errors(school.errors)
        reached = magnitude_at(school.magnitude, magnitude)
        taught[name] = _with_errors(units, error_list, reached, setting, stream)
    for number, group in enumerate(panel.people()):
        if group.errors is None:
            error_list = errors
        else:
            error_list = parse_errors(group.errors)
        reached = magnitude_at(group.magnitude, magnitude)
        stream = _child(seed, number)
        drawn = _with_errors(taught[group.school], error_list, reached, setting, stream)
        yield from [drawn] * group.copies


def shuffled_set(
    source: ReferenceModel | Continuum,
    errors: Errors,
    magnitude: float,
    n_annotators: int | Panel = 3,
    *,
    index: int = 0,
    model: ReferenceModel | None = None,
    seed: Seed = 0,
) -> Continuum:
    """Return the set number `index` (from 0) of a sweep; other arguments as for `shuffle`.

    With a model as `source`, each set has its own reference, the same for every error and
    magnitude, so that a sweep compares like with like. With a continuum, that is the reference of
    every set. The magnitudes of a set also share their random numbers, as the module explains.
    """
    magnitude = check_magnitude(magnitude)
    if index < 0:
        raise UsageError(f"set index {index} < 0")
    if isinstance(source, ReferenceModel):
        reference = reference_set(source, index=index, seed=seed)
        model = model or source
    else:
        reference = source
    child = _child(seed, _SHUFFLE, index)
    return shuffle(reference, errors, magnitude, n_annotators, model=model, seed=child)


def shuffled_sets(
    source: ReferenceModel | Continuum,
    errors: Errors,
    magnitude: float,
    n_annotators: int | Panel = 3,
    *,
    sets: int = 40,
    seed: Seed = 0,
) -> Iterator[Continuum]:
    """Yield the sets 0 … sets − 1 of one magnitude, each as `shuffled_set` makes it alone.

    Parameters
    ----------
    source, errors, magnitude, n_annotators, seed
        As for `shuffled_set`.
    sets
        Number of sets.
    """
    resolved = resolve_errors(errors)
    for index in range(sets):
        yield shuffled_set(source, resolved, magnitude, n_annotators, index=index, seed=seed)


def reference_set(model: ReferenceModel, *, index: int = 0, seed: Seed = 0) -> Continuum:
    """Return the reference of set `index` of a sweep.

    Parameters
    ----------
    model
        Model that it is drawn from.
    index
        Number of the set, from 0.
    seed
        Seed of the sweep.
    """
    return model.draw(np.random.default_rng(_child(seed, _REFERENCE, index)))


def reference_of(continuum: Continuum, annotator: str | None = None) -> Continuum:
    """One annotator's units of a continuum as the reference, within its bounds.

    Raises DataError where there are several annotators and none is named, the name is unknown,
    or the annotator has no unit.
    """
    if annotator is None:
        if continuum.n_annotators != 1:
            raise DataError(
                f"{continuum.n_annotators} annotators, but a reference has one",
                hint=f"Name one of: {', '.join(continuum.annotators)}",
            )
        annotator = continuum.annotators[0]
    reference = keep_annotators(continuum, [annotator])
    if not len(reference):
        raise DataError(f"annotator {annotator!r} has no unit to take as the reference")
    return reference


def resolve_errors(errors: Errors) -> tuple[ErrorType, ...]:
    """Return the errors as objects, at least one."""
    if isinstance(errors, str):
        return parse_errors(errors)
    if not isinstance(errors, ErrorType) and not hasattr(errors, "__iter__"):
        raise UsageError(f"errors {errors!r} are neither names nor error types")
    resolved = (errors,) if isinstance(errors, ErrorType) else tuple(errors)
    if not resolved:
        raise UsageError("no error type is given")
    return resolved


def check_magnitude(magnitude: float) -> float:
    """Return the magnitude, or UsageError where it lies outside [0, 1]."""
    if not 0 <= magnitude <= 1:
        raise UsageError(f"magnitude {magnitude:g} is outside [0, 1]")
    return magnitude


def _child(seed: Seed, *key: int) -> np.random.SeedSequence:
    if isinstance(seed, np.random.SeedSequence):
        return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *key))
    if seed < 0:
        raise UsageError(f"seed {seed} < 0")
    return np.random.SeedSequence(seed, spawn_key=key)
