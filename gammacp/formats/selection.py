"""Choosing among what was read: categories, annotators, bounds, over all continua at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from gammacp.continuum import Bounds, Continuum, Corpus
from gammacp.continuum.columns import check_known
from gammacp.continuum.label import plain
from gammacp.formats.merging import categories_of


@dataclass(frozen=True, kw_only=True)
class Selection:
    """What to keep and how to call it; applied in the order of the fields.

    Attributes
    ----------
    rename
        Old category → new category; several may become one.
    only
        Categories to keep (names after renaming); unlabelled units are then left out. Empty: all.
    exclude
        Annotators to leave out.
    annotators
        Annotators to declare, who count also where they have no units.
    bounds
        Bounds of every continuum.
    """

    rename: Mapping[str, str] = field(default_factory=dict)
    only: Sequence[str] = ()
    exclude: Sequence[str] = ()
    annotators: Sequence[str] = ()
    bounds: Bounds | None = None


def selected(continua: Mapping[str, Continuum], selection: Selection) -> dict[str, Continuum]:
    """The continua as selected, with the categories of all of them.

    Parameters
    ----------
    continua
        By name.
    selection
        What to keep, rename, declare and leave out.

    Raises
    ------
    DataError
        A category or annotator occurs in none of the continua, or units lie outside the bounds.
    """
    corpus = Corpus.from_continua(continua, categories=categories_of(continua.values()))
    categories = plain(corpus.categories)[0]
    check_known(selection.rename, categories, "category")
    check_known(selection.exclude, corpus.annotators, "annotator")
    renamed = [*(selection.rename.get(c, c) for c in categories), *corpus.categories]
    check_known(selection.only, renamed, "category")
    return {
        name: replace(_one(corpus[name], selection), name=c.name, left_out=c.left_out)
        for name, c in continua.items()
    }


def _one(continuum: Continuum, selection: Selection) -> Continuum:
    c = continuum.renamed(selection.rename) if selection.rename else continuum
    if selection.only:
        c = c.only_categories(selection.only)
    if selection.exclude:
        c = c.only_annotators([a for a in c.annotators if a not in selection.exclude])
    c = c.with_annotators(selection.annotators)
    return c if selection.bounds is None else c.with_bounds(selection.bounds)
