"""Reasons why chance models cannot be built from given continua."""

from collections.abc import Iterable, Sequence

from gammacp.continuum import Continuum
from gammacp.continuum.needs import Need, in_pieces, unmet_need
from gammacp.continuum.sequence import ContinuumSequence
from gammacp.errors import DataError


def check_time_axis(continua: Sequence[Continuum], model: str) -> None:
    """Raise a DataError for shapes whose first axis is not time.

    Chance moves units along the first axis. Objects crowd the middle of images, so shapes that are
    moved along an image meet too seldom, and independent annotators get a γ above 0
    (docs/shapes.md).

    Parameters
    ----------
    continua
        Continua that chance is modelled on.
    model
        Name of the chance model.
    """
    if any(c.in_space for c in continua):
        raise DataError(
            f"chance model {model!r} moves units along a time axis; in images and scans objects "
            "crowd the middle, so chance cannot be modelled inside one of them",
            hint="Give as many documents as there are annotators, or more (`chance=documents`); if "
            "the first axis is time, say so (in CSV with a line: # offset unit: s)",
        )


def check_enough(
    continua: Sequence[Continuum], n_annotators: int, model: str, *, noun: str, alternatives: str
) -> None:
    """Raise a DataError if there are fewer continua than annotators in a set.

    Parameters
    ----------
    continua, n_annotators, model
        Continua that chance is modelled on, the number of random annotators in a set, and the
        model's name.
    noun, alternatives
        Plural of what the model calls a continuum, and the models to use instead.
    """
    if len(continua) < n_annotators:
        raise DataError(
            f"chance model {model!r} needs at least {n_annotators} {noun} for {n_annotators} "
            f"annotators, and there are {len(continua)}",
            hint=f"Give more files, or use `chance={alternatives}`",
        )


def check_in_one_piece(continua: Sequence[Continuum], model: str) -> None:
    """Raise a DataError for units of several fragments, as random lengths and gaps have none.

    Parameters
    ----------
    continua
        Continua that chance is modelled on.
    model
        Name of the chance model.
    """
    # `inside` holds shapes and fragments; without it, all units are in one piece.
    _refuse_first((in_pieces(c) for c in continua if c.inside is not None), model)


def check_no_overlap(continuum: Continuum, model: str) -> None:
    """Raise a DataError if units of one annotator overlap.

    Parameters
    ----------
    continuum, model
        Continuum that chance is modelled on, and the model's name.
    """
    _refuse_first([unmet_need(continuum, [Need.NO_OVERLAP])], model)


def check_predefined(continua: Sequence[Continuum], model: str) -> None:
    """Raise a DataError if two annotators of a continuum have units at different places.

    Thus all annotators label the same units; `check_places` allows that some do not.

    Parameters
    ----------
    continua, model
        Continua that chance is modelled on, and the model's name.
    """
    reasons = (unmet_need(c, [Need.PREDEFINED]) for c in continua)
    _refuse_first(reasons, model, "needs predefined units, and")


def check_places(continua: Sequence[Continuum], model: str) -> None:
    """Raise a DataError if units of a continuum overlap without having the same place.

    Parameters
    ----------
    continua, model
        Continua that chance is modelled on, and the model's name.
    """
    reasons = (unmet_need(c, [Need.PLACES]) for c in continua)
    _refuse_first(reasons, model, "needs given places, and", "Leave these units or documents out")


def check_read_completely(continua: Sequence[Continuum], model: str) -> None:
    """Raise a DataError if an annotator stopped reading before the end.

    Parameters
    ----------
    continua, model
        Continua that chance is modelled on, and the model's name.
    """
    for continuum in ContinuumSequence.of(continua).structured:
        if continuum.read_until:
            name, _ = continuum.read_until[0]
            raise DataError(
                f"chance model {model!r} cannot model that {name!r} stopped reading early",
                hint="Use `chance=cut`, or drop `read_until=`",
            )


def check_no_pauses(continua: Sequence[Continuum], model: str) -> None:
    """Raise a DataError if nothing can be marked in some part of a continuum.

    Parameters
    ----------
    continua, model
        Continua that chance is modelled on, and the model's name.
    """
    if any(c.markable for c in ContinuumSequence.of(continua).structured):
        raise DataError(
            f"chance model {model!r} cannot model pauses, in which nothing can be marked",
            hint="Use `chance=cut`, or drop `markable=`",
        )


def single_continuum(continua: Sequence[Continuum], n_annotators: int, model: str) -> Continuum:
    """Return the only continuum, for a model that takes each of its annotators once.

    Raise a DataError unless its first axis is time and random sets have as many annotators as it.

    Parameters
    ----------
    continua
        The continuum that chance is modelled on, alone.
    n_annotators
        Number of random annotators in a set.
    model
        Name of the chance model.
    """
    check_time_axis(continua, model)
    (continuum,) = continua
    if n_annotators != continuum.n_annotators:
        raise DataError(
            f"chance model {model!r} takes every annotator once: {n_annotators} are asked for, and "
            f"there are {continuum.n_annotators}",
            hint="Use `chance=shift`",
        )
    return continuum


def _refuse_first(
    reasons: Iterable[str | None],
    model: str,
    verb: str = "cannot be used:",
    hint: str = "Use `chance=cut`",
) -> None:
    """Raise a DataError for the first reason that is not None."""
    reason = next(filter(None, reasons), None)
    if reason is not None:
        raise DataError(f"chance model {model!r} {verb} {reason}", hint=hint)
