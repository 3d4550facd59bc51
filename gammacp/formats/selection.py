"""Choosing among what was read: categories, annotators, bounds, over all continua at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gammacp.continuum import Bounds, Continuum, Corpus
from gammacp.continuum.columns import all_names, check_known
from gammacp.continuum.grid import Grid
from gammacp.continuum.label import plain
from gammacp.formats.merging import categories_of


@dataclass(frozen=True, kw_only=True)
class Selection:
    """What to keep and how to call it; applied in the order of the fields.

    Attributes
    ----------
    map
        Old category → new category; several may become one.
    only
        Categories to keep (names after `map`); unlabelled units are then left out. Empty: all.
    rename
        Annotator in the files → name to use; two never become one in the same continuum.
    exclude
        Annotators to leave out (names after `rename`).
    annotators
        Annotators to declare, who count also where they have no units.
    min_length
        Units that are shorter are left out.
    bounds
        Bounds of every continuum.
    read_until
        How far annotators read, by name or by `document/name`.
    grid
        What boundaries lie on, by document; "" is that of all others.
    """

    map: Mapping[str, str] = field(default_factory=dict)
    only: Sequence[str] = ()
    rename: Mapping[str, str] = field(default_factory=dict)
    exclude: Sequence[str] = ()
    annotators: Sequence[str] = ()
    min_length: float | None = None
    bounds: Bounds | None = None
    read_until: Mapping[str, float] = field(default_factory=dict)
    grid: Mapping[str, Grid] = field(default_factory=dict)


def select(continua: Mapping[str, Continuum], selection: Selection) -> dict[str, Continuum]:
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
    check_known(selection.map, categories, "category")
    mapped = (*(selection.map.get(c, c) for c in categories), *corpus.categories)
    check_known(selection.only, tuple(dict.fromkeys(mapped)), "category")
    check_known(selection.rename, corpus.annotators, "annotator")
    people = [selection.rename.get(a, a) for a in corpus.annotators]
    check_known(selection.exclude, people, "annotator")
    known = (*people, *(f"{c.name}/{a}" for c in continua.values() for a in people))
    check_known(selection.read_until, known, "annotator")
    made = {name: _one(corpus[name], selection, c.name) for name, c in continua.items()}
    found = {name: c.named(continua[name].name, c.categories) for name, c in made.items()}
    return _without_unused(corpus, found) if selection.exclude else found


def _without_unused(corpus: Corpus, found: dict[str, Continuum]) -> dict[str, Continuum]:
    """Without labels that only excluded annotators had: they are part of no rank and no range.

    A declared scale stays as it is: labels in an order of their own, or with one that nobody used.
    """
    labels = corpus.categories
    if labels != all_names(None, labels, "") or {*labels} != _used(corpus.continua):
        return found
    used = _used(found)
    return {
        name: c.named(c.name, tuple(label for label in c.categories if label in used))
        for name, c in found.items()
    }


def _used(continua: Mapping[str, Continuum]) -> set[str]:
    return {c.categories[k] for c in continua.values() for k in {*c.category_codes.tolist()} - {-1}}


def _one(continuum: Continuum, selection: Selection, document: str) -> Continuum:
    c = continuum.renamed(selection.map) if selection.map else continuum
    if selection.only:
        c = c.only_categories(selection.only)
    c = c.renamed_annotators({a: n for a, n in selection.rename.items() if a in c.annotators})
    if selection.exclude:
        c = c.only_annotators([a for a in c.annotators if a not in selection.exclude])
    c = c.with_annotators(selection.annotators)
    if selection.min_length is not None:
        c = c.only_lengths(selection.min_length)
    if selection.bounds is not None:
        c = c.with_bounds(selection.bounds)
    until = {a: selection.read_until.get(f"{document}/{a}") for a in c.annotators}
    until |= {a: p for a, p in selection.read_until.items() if a in c.annotators}
    c = c.with_read_until({a: place for a, place in until.items() if place is not None})
    grid = selection.grid.get(document, selection.grid.get(""))
    return c if grid is None else c.with_grid(grid)
