"""Copies of a continuum with some of its units, annotators, categories or features."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypedDict, Unpack

import numpy as np

from gammacp.base.arguments import several
from gammacp.base.arrays import Bools, Codes
from gammacp.base.left_out import LeftOut
from gammacp.base.signature import shortest
from gammacp.continuum.about import About
from gammacp.continuum.columns import check_known, recode, sort_columns
from gammacp.continuum.continuum import Continuum
from gammacp.continuum.label import category_of, distinct, features_of, plain, to_label
from gammacp.continuum.links import Link
from gammacp.errors import DataError


class Changes(TypedDict, total=False):
    """Changed attributes of a copy: names, the codes that index them, links, statements."""

    annotators: tuple[str, ...]
    annotator_codes: Codes
    categories: tuple[str, ...]
    category_codes: Codes
    links: tuple[Link, ...]
    about: About


def keep_rows(
    continuum: Continuum, rows: Bools | slice = slice(None), **changes: Unpack[Changes]
) -> Continuum:
    """Return a copy with the units of some rows, in order.

    Parameters
    ----------
    continuum
        Continuum to select from.
    rows
        A mask or a slice.
    changes
        Names, codes that index them, links or statements that replace those of the continuum.
    """
    columns = sort_columns(
        continuum.starts[rows],
        continuum.ends[rows],
        changes.get("annotator_codes", continuum.annotator_codes)[rows],
        changes.get("category_codes", continuum.category_codes)[rows],
        None if continuum.inside is None else continuum.inside[rows],
        None if continuum.ids is None else continuum.ids[rows],
    )
    # The codes of the units that are kept come from the columns.
    changed: dict[str, Any] = {**changes, **columns}
    return replace(continuum, **changed)


def keep_annotators(continuum: Continuum, names: Iterable[str]) -> Continuum:
    """Return the units of these annotators, within the same bounds.

    Parameters
    ----------
    continuum
        Continuum to select from.
    names
        Annotators to keep.

    Raises
    ------
    DataError
        An annotator is unknown.
    """
    keep = set(several("annotators", names))
    check_known(keep, continuum.annotators, "annotator")
    annotators = tuple(a for a in continuum.annotators if a in keep)
    if annotators == continuum.annotators:
        return continuum
    codes = recode(continuum.annotators, annotators)[continuum.annotator_codes]
    about = continuum.about.noting("exclude", *(a for a in continuum.annotators if a not in keep))
    if about.read_until:
        until = tuple((a, position) for a, position in about.read_until if a in keep)
        about = replace(about, read_until=until)
    return keep_rows(
        continuum,
        codes >= 0,
        annotators=annotators,
        annotator_codes=codes,
        links=tuple(x for x in continuum.links if x.annotator in keep),
        about=about,
    )


def keep_categories(continuum: Continuum, names: Iterable[str]) -> Continuum:
    """Return the units of these categories, within the same bounds; unlabelled ones are left out.

    Parameters
    ----------
    continuum
        Continuum to select from.
    names
        Categories to keep, with whatever features, or labels.

    Raises
    ------
    DataError
        A category is unknown.
    """
    keep = set(several("categories", names))
    check_known(keep, (*plain(continuum.categories)[0], *continuum.categories), "category")
    categories = tuple(c for c in continuum.categories if c in keep or category_of(c) in keep)
    if categories == continuum.categories and (continuum.category_codes >= 0).all():
        return continuum
    codes = recode(continuum.categories, categories)[continuum.category_codes]
    return keep_rows(
        continuum,
        codes >= 0,
        categories=categories,
        category_codes=codes,
        about=continuum.about.noting("only", *categories),
    )


def drop_short_units(continuum: Continuum, least: float) -> Continuum:
    """Drop units that are shorter than `least`, and count them in `left_out`.

    Parameters
    ----------
    continuum
        Continuum to select from.
    least
        Length in the positions of the continuum, >= 0.

    Raises
    ------
    DataError
        Units are points, or have several fragments or shapes: their lengths do not say what
        they cover.

    >>> from gammacp.continuum.unit import Unit
    >>> c = Continuum.from_units([Unit("Ann", 2, 9), Unit("Bob", 3, 4), Unit("Bob", 5, 9)])
    >>> drop_short_units(c, 4).n_units
    2
    """
    points = np.flatnonzero(continuum.lengths == 0)
    if len(points) or continuum.inside is not None:
        what = f"{len(points)} units are points"
        if not len(points):
            what = "units have fragments or shapes"
        hint = "Leave `min_length=` out, or those units (`only=CATEGORIES`)"
        raise DataError(f"{what}, so a least length does not apply to them", hint=hint)
    long_enough = continuum.lengths >= least
    if long_enough.all():
        return continuum
    reason = f"shorter than {shortest(least)} (`min_length=`)"
    lost = LeftOut(continuum.name, "unit", int((~long_enough).sum()), reason)
    rest = keep_rows(continuum, long_enough).with_about(left_out=(*continuum.left_out, lost))
    return rest.noting("min-length", shortest(least))


def keep_features(continuum: Continuum, names: Iterable[str] = ()) -> Continuum:
    """Return a copy whose labels have only some features; without names, the categories alone.

    Parameters
    ----------
    continuum
        Continuum whose features are selected.
    names
        Features to keep.
    """
    keep = set(several("features", names))
    if keep.issuperset(continuum.features):
        return continuum

    def reduce(label: str) -> str | None:
        features: Mapping[str, str] = features_of(label)
        return to_label(category_of(label), {k: v for k, v in features.items() if k in keep})

    return relabel(continuum, [reduce(label) for label in continuum.categories])


def relabel(continuum: Continuum, labels: Sequence[str | None]) -> Continuum:
    """Return a copy with other labels.

    Parameters
    ----------
    continuum
        Continuum whose units get other labels.
    labels
        New label for each of `categories`, in their order; None is unlabelled.
    """
    categories, codes = distinct(labels)
    return keep_rows(
        continuum, categories=categories, category_codes=codes[continuum.category_codes]
    )
