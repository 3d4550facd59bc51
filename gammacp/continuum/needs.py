"""Requirements of measures and chance models on a continuum, with reasons when unmet."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from enum import StrEnum
from itertools import pairwise

import numpy as np

from gammacp.base.left_out import Tally
from gammacp.base.subjects import advice
from gammacp.base.text import first_names
from gammacp.continuum import Continuum
from gammacp.continuum.anonymous import unnamed_readers
from gammacp.continuum.links import whole_links
from gammacp.errors import DataError

OTHERS = "other annotators"
"""Key in `About.facts`, of a document of one annotator: where the files of the others may be."""


def links_unused() -> str:
    """Return why links are left out where nothing compares them."""
    return advice("links unused", otherwise="not compared here")


class Need(StrEnum):
    """A property that a measure needs of a continuum; an unmet one skips the measure."""

    CATEGORIES = "categories"  # every unit is labelled
    NO_OVERLAP = "no overlap"  # units of one annotator do not overlap
    INTEGERS = "integers"  # positions are whole numbers
    FULL_COVERING = "full covering"  # every annotator's units tile the bounds without gaps
    PREDEFINED = "predefined units"  # all annotators have units at the same places
    PLACES = "places"  # no two units overlap unless they have the same place
    TWO_ANNOTATORS = "two annotators"


def where_others_are(continua: Iterable[Continuum]) -> str:
    """Return advice on how to read the other annotators' files; "" if none are known.

    Parameters
    ----------
    continua
        Continua that were read.
    """
    return next((str(advice) for c in continua if (advice := c.about.fact(OTHERS))), "")


def too_few_annotators(
    continua: Iterable[Continuum], what: str = "agreement needs two annotators", who: str = ""
) -> DataError:
    """Return an error for documents with too few annotators, with advice on how to add some.

    Parameters
    ----------
    continua
        Continua that were read.
    what
        The requirement, as a sentence.
    who
        Names of the annotators that were read; "" for none.
    """
    others = where_others_are(continua)
    return DataError(
        f"{what}, but there is {f'only {who}' if who else 'none'}",
        hint=others
        or "Read the other annotators' files with this one; declare annotators who found nothing "
        "with `annotators=A,B`",
    )


def unmet_need(continuum: Continuum, needs: Iterable[Need]) -> str | None:
    """Return why a measure with these needs does not apply to the continuum; None if it does."""
    for need in sorted(needs):
        reason = _CHECKS[need](continuum)
        if reason is not None:
            return reason
    return None


def require(continuum: Continuum, needs: Iterable[Need] = (), *, fragments: bool = False) -> None:
    """Raise a DataError unless there is something to compare and all needs are met.

    Parameters
    ----------
    continuum
        Continuum that is to be measured.
    needs
        Needs of the measure.
    fragments
        Whether the measure supports units of several fragments.
    """
    unnamed = unnamed_readers(continuum)
    if unnamed:
        raise DataError(
            f"this needs to know who drew what, but the {unnamed} readers have no names",
            hint=advice("anonymous readers") or None,
        )
    if continuum.n_annotators < 2:
        # Advice names the annotators; the reason then omits the name, so that files share it.
        others = where_others_are([continuum])
        raise too_few_annotators(
            [continuum], who="one" if others else (*continuum.annotators, "")[0]
        )
    if not continuum.n_units:
        raise DataError(
            "there is no unit at all, so there is nothing to agree on",
            hint="Check what the file contains, and which units your options keep",
        )
    if not fragments:
        require_whole(continuum)
    reason = unmet_need(continuum, needs)
    if reason is not None:
        raise DataError(reason)


def require_whole(continuum: Continuum) -> None:
    """Raise a DataError for units of several fragments, or with shapes.

    Parameters
    ----------
    continuum
        Continuum that is used as if every unit were of one piece.
    """
    if continuum.inside is not None:
        fragments = "`read(discontinuous=split)` or cover (in Python: c.atoms() or c.hulls())"
        shapes = "`read(shapes=no)`, which leaves the first axis (in Python: c.hulls())"
        if continuum.shapes is None:
            how = fragments
        else:
            how = shapes
        raise DataError(in_pieces(continuum), hint=f"Read them with {how}")


def with_links(continuum: Continuum, *, needed: bool) -> Continuum:
    """Return the continuum with the usable links; dropped links are counted in `left_out`.

    Parameters
    ----------
    continuum
        Continuum as it was read and selected.
    needed
        Whether links are used; if so, only those at a unit that was left out are dropped.
    """
    if not continuum.links:
        return continuum
    units = {(u.annotator, u.id) for u in continuum if u.id}
    if needed:
        links = whole_links(continuum.links, units)
    else:
        links = ()
    if len(links) == len(continuum.links):
        return continuum
    tally = Tally(continuum.name)
    if needed:
        reason = "ends at a unit that was left out"
    else:
        reason = links_unused()
    tally.add("link", reason, len(continuum.links) - len(links))
    about = replace(continuum.about, left_out=(*continuum.left_out, *tally.entries()))
    return replace(continuum, links=links, about=about)


def in_pieces(continuum: Continuum) -> str:
    """Return the error of a measure that supports neither fragments nor shapes.

    Parameters
    ----------
    continuum
        Continuum with such units.
    """
    if continuum.axes > 1:
        return f"shapes are not supported here, but {continuum.n_units} units have them"
    first = next(i for i, u in enumerate(continuum) if u.fragments)
    return (
        f"units of several fragments are not supported here, and there are {continuum.n_broken}: "
        f"the first is {_unit(continuum, first)}"
    )


def _why_unlabelled(c: Continuum) -> str | None:
    rows = np.flatnonzero(c.category_codes < 0)
    if len(rows):
        return f"{_unit(c, rows[0])} has no category"
    return None


def _overlap(c: Continuum) -> str | None:
    for a in range(c.n_annotators):
        lo = c.offsets[a]
        hi = c.offsets[a + 1]
        reached = np.maximum.accumulate(c.ends[lo:hi])
        rows = np.flatnonzero(c.starts[lo + 1 : hi] < reached[:-1])
        if len(rows):
            i = int(lo + rows[0] + 1)
            earlier = int(lo + np.argmax(reached[: rows[0] + 1]))
            return f"{_unit(c, i)} overlaps {_unit(c, earlier)}"
    return None


def _fractional(c: Continuum) -> str | None:
    rows = np.flatnonzero((c.starts % 1 != 0) | (c.ends % 1 != 0))
    if len(rows):
        return f"{_unit(c, rows[0])} has a position that is not a whole number"
    return None


def _why_uncovered(c: Continuum) -> str | None:
    if c.inside is not None:
        return in_pieces(c)
    lo, hi = c.bounds
    for a, name in enumerate(c.annotators):
        starts = c.starts[c.offsets[a] : c.offsets[a + 1]]
        ends = c.ends[c.offsets[a] : c.offsets[a + 1]]
        if not len(starts):
            return f"{name} has no units, so nothing is covered"
        edges = np.concatenate(([lo], ends)), np.concatenate((starts, [hi]))
        rows = np.flatnonzero(edges[0] != edges[1])
        if len(rows):
            end = edges[0][rows[0]]
            start = edges[1][rows[0]]
            if end < start:
                what = "gap"
            else:
                what = "overlap"
            return f"{what} between {end:.15g} and {start:.15g} in the units of {name}"
    return None


def _not_predefined(c: Continuum) -> str | None:
    first = slice(0, int(c.offsets[1]) if c.annotators else 0)
    for a in range(1, c.n_annotators):
        other = slice(int(c.offsets[a]), int(c.offsets[a + 1]))
        if not (
            np.array_equal(c.starts[first], c.starts[other])
            and np.array_equal(c.ends[first], c.ends[other])
            and (c.inside is None or c.inside[first].tolist() == c.inside[other].tolist())
        ):
            return f"{c.annotators[0]} and {c.annotators[a]} have units at different places"
    return None


def _not_places(c: Continuum) -> str | None:
    if _not_predefined(c) is None:
        return None
    order = np.lexsort((c.ends, c.starts))
    starts = c.starts[order]
    ends = c.ends[order]
    inside = [tuple(c.inside[i]) if c.inside is not None else () for i in order]
    new = np.array([a != b for a, b in pairwise(inside)], np.bool_)
    new |= (starts[1:] != starts[:-1]) | (ends[1:] != ends[:-1])
    reached = np.maximum.accumulate(ends)[:-1]
    for i in np.flatnonzero(new & (starts[1:] < reached))[:1]:
        later = int(order[i + 1])
        earlier = int(order[np.argmax(ends[: i + 1] == reached[i])])
        first, second = sorted((earlier, later))
        names = c.annotators[c.annotator_codes[first]], c.annotators[c.annotator_codes[second]]
        if names[0] == names[1]:
            return f"{_unit(c, first)} and {_unit(c, second)} overlap in different places"
        return (
            f"{names[0]} and {names[1]} have units at different places that overlap: "
            f"{_place(c, first)} and {_place(c, second)}"
        )
    return None


def _place(c: Continuum, row: int) -> str:
    u = c.unit(row)
    return f"{u.start:.15g}-{u.end:.15g}"


def _not_two(c: Continuum) -> str | None:
    if c.n_annotators == 2:
        return None
    return f"{c.n_annotators} annotators, but two are needed"


def _unit(c: Continuum, row: int) -> str:
    u = c.unit(row)
    return f"unit {u.start:.15g}-{u.end:.15g} of {u.annotator}"


_CHECKS: dict[Need, Callable[[Continuum], str | None]] = {
    Need.CATEGORIES: _why_unlabelled,
    Need.NO_OVERLAP: _overlap,
    Need.INTEGERS: _fractional,
    Need.FULL_COVERING: _why_uncovered,
    Need.PREDEFINED: _not_predefined,
    Need.PLACES: _not_places,
    Need.TWO_ANNOTATORS: _not_two,
}


def check_one_team(document: str, annotators: Iterable[str], teams: Mapping[str, str]) -> None:
    """Check that the annotators of a document are of one team.

    Parameters
    ----------
    document
        Name of the document.
    annotators
        Annotators of the document.
    teams
        The team of each.

    Raises
    ------
    DataError
        They are of several.
    """
    mixed = [*dict.fromkeys(teams[a] for a in annotators)]
    if len(mixed) > 1:
        raise DataError(
            f"its annotators are of {len(mixed)} teams ({first_names(mixed, 3)}): an interval "
            "over teams takes documents by one team each",
            file=document,
        )
