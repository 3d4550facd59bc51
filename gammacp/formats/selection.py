"""Selection from the continua that were read: categories, annotators, bounds, over all at once."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from gammacp.base.validation import Row, Text, Texts, WrittenTable
from gammacp.continuum import Bounds, Continuum, Corpus
from gammacp.continuum.columns import all_names, check_known
from gammacp.continuum.declaring import (
    declare_annotators,
    declare_bounds,
    declare_grid,
    declare_read_until,
)
from gammacp.continuum.document_table import DocumentTable
from gammacp.continuum.grid import Grid
from gammacp.continuum.label import category_of, feature_names, plain
from gammacp.continuum.renaming import (
    adopt_categories,
    rename_annotators,
    rename_categories,
    rename_categories_of,
)
from gammacp.continuum.selecting import (
    drop_short_units,
    keep_annotators,
    keep_categories,
    keep_features,
)
from gammacp.errors import DataError
from gammacp.formats.boundary import place_errors
from gammacp.formats.merging import categories_of
from gammacp.formats.positions import LARGEST

if TYPE_CHECKING:
    from gammacp.formats.markable_file import MarkableFile


def says(what: str) -> Any:
    """Return a model field for a key that may be left out, with its description."""
    return Field(None, description=what)


def _check_order(bounds: Bounds) -> Bounds:
    if bounds[0] > bounds[1]:
        raise PydanticCustomError("order", "is not [START, END] with START <= END")
    return bounds


_Position = Annotated[float, Field(ge=-LARGEST, le=LARGEST)]
_Length = Annotated[float, Field(ge=0, le=LARGEST), Field(examples=["a number >= 0"])]
_Bounds = Annotated[
    Row[tuple[_Position, _Position]], AfterValidator(_check_order), Field(examples=["[START, END]"])
]
_Places = Annotated[dict[str, _Position], Field(examples=["a number"])]
Names = Annotated[dict[str, Text], Field(examples=['"a"'])]


class Selection(WrittenTable):
    """Keys of a campaign.toml that every format has: units to keep, and their names.

    Applied in this order; what is not said is None.
    """

    map: Names = says(
        "Categories: name in the files = name to use; two may become one. 'ANNOTATOR:name' is "
        "about one annotator alone."
    )
    only: Texts = says("Categories to keep, by their names after [map].")
    rename: Names = says("Annotators: name in the files = name to use.")
    exclude: Texts = says("Annotators to leave out, by their names after [rename].")
    annotators: Texts = says("Annotators who count also where they have no units.")
    min_length: _Length = says("Units that are shorter are left out.")
    bounds: _Bounds = says("Where every document begins and ends.")
    read_until: _Places = says(
        "How far annotators read who did not finish; DOCUMENT/ANNOTATOR is about one document."
    )


def with_features(
    continua: Mapping[str, Continuum], names: Sequence[str]
) -> Mapping[str, Continuum]:
    """Return the continua with these features of their units, as `keep_features`.

    Parameters
    ----------
    continua
        Continua by name; a table that has no others is returned as it is.
    names
        Features to keep.
    """
    if isinstance(continua, DocumentTable) and {*names}.issuperset(
        feature_names(continua.categories)
    ):
        return continua
    return {name: keep_features(c, names) for name, c in continua.items()}


def select(
    continua: Mapping[str, Continuum],
    selection: Selection,
    grids: Mapping[str, Grid] | None = None,
    markable: "MarkableFile | None" = None,
) -> dict[str, Continuum]:
    """Return the continua as selected, with the categories of all of them.

    Parameters
    ----------
    continua
        Continua by name.
    selection
        Parts to keep, rename, declare and leave out.
    grids
        Grids of boundaries, by document; "" is that of all others.
    markable
        Stretches of documents in which something can be marked.

    Raises
    ------
    DataError
        A category or annotator occurs in none of the continua, or units lie outside the bounds.
    """
    corpus = Corpus.from_continua(continua, categories=categories_of(continua.values()))
    categories = plain(corpus.categories)[0]
    mapped, maps_by_annotator = maps_of(selection.map or {}, categories, corpus.annotators)
    renamed = selection.rename or {}
    check_known(mapped, categories, "category")
    labels = (*(mapped.get(c, c) for c in categories), *corpus.categories)
    if maps_by_annotator:
        corpus = _with_own_maps(corpus, mapped, maps_by_annotator)
        labels = (*labels, *corpus.categories, *plain(corpus.categories)[0])
        selection = selection.model_copy(update={"map": None})
    check_known(selection.only or (), tuple(dict.fromkeys(labels)), "category")
    check_known(renamed, corpus.annotators, "annotator")
    people = [renamed.get(a, a) for a in corpus.annotators]
    check_known(selection.exclude or (), people, "annotator")
    if selection.read_until:
        check_known(_whom(selection.read_until, continua.values(), {*people}), people, "annotator")
    selected = {}
    for name, c in continua.items():
        chosen = _one(corpus[name], selection, c.name)
        if grids:
            grid = grids.get(c.name, grids.get(""))
        else:
            grid = None
        selected[name] = chosen if grid is None else declare_grid(chosen, grid)
        if markable is not None:
            # Ask the document as it was read: once units are left out, bounds differ from the
            # extent of the units even if nobody declared them.
            bounded = corpus[name].declared or selection.bounds is not None
            selected[name] = markable.declare(selected[name], c.name, bounded=bounded)
    adopted = {
        key: adopt_categories(c, c.categories, name=continua[key].name)
        for key, c in selected.items()
    }
    if selection.exclude:
        return _without_unused(corpus, adopted)
    return adopted


def maps_of(
    said: Mapping[str, str], categories: Collection[str], annotators: Collection[str]
) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """Return the new names of categories for everybody, and those by annotator.

    Parameters
    ----------
    said
        Old names to new ones. `ANNOTATOR:OLD` is about one annotator, unless a category is so
        called.
    categories, annotators
        Categories and annotators that there are.

    Raises
    ------
    DataError
        An entry could be about several annotators.
    """
    everybody: dict[str, str] = {}
    maps_by_annotator: dict[str, dict[str, str]] = {}
    for old, new in said.items():
        whose = [a for a in annotators if old.startswith(f"{a}:") and old not in categories]
        if len(whose) > 1:
            both = " and ".join(repr(name) for name in whose)
            raise DataError(f"`map=` {old!r} could be about {both}, whose names begin alike")
        if whose:
            maps_by_annotator.setdefault(whose[0], {})[old[len(whose[0]) + 1 :]] = new
        else:
            everybody[old] = new
    return everybody, maps_by_annotator


def used_by_annotator(continua: Iterable[Continuum]) -> set[tuple[str, str]]:
    """Return (annotator, category) of all units, without their features."""
    used = set()
    for c in continua:
        codes = zip(c.annotator_codes.tolist(), c.category_codes.tolist(), strict=True)
        for whose, which in {*codes}:
            if which >= 0:
                used.add((c.annotators[whose], category_of(c.categories[which]) or ""))
    return used


def _with_own_maps(
    corpus: Corpus, mapping: Mapping[str, str], maps_by_annotator: Mapping[str, Mapping[str, str]]
) -> Corpus:
    """Return the corpus with categories renamed, without those that are no longer used."""
    used = used_by_annotator(corpus.continua.values())
    for annotator, names in maps_by_annotator.items():
        categories = sorted(category for whose, category in used if whose == annotator)
        check_known(names, categories, f"annotator {annotator!r}: category")
    renamed = {
        name: rename_categories_of(c, mapping, maps_by_annotator)
        for name, c in corpus.continua.items()
    }
    gone = _used(corpus.continua) - _used(renamed)
    adopted = {
        name: adopt_categories(c, tuple(x for x in c.categories if x not in gone))
        for name, c in renamed.items()
    }
    return Corpus.from_continua(adopted, left_out=corpus.left_out)


def _whom(names: Iterable[str], continua: Collection[Continuum], people: set[str]) -> set[str]:
    """Return the annotators that are named, without DOCUMENT/ if it is one of these documents."""
    annotator_by_name = {f"{c.name}/{a}": a for c in continua for a in people}
    return {annotator_by_name.get(name, name) for name in names}


def _without_unused(corpus: Corpus, continua: dict[str, Continuum]) -> dict[str, Continuum]:
    """Drop labels that only excluded annotators used, as they would change ranks and ranges.

    A declared scale is kept: its labels are in an order of their own, or nobody used one of them.
    """
    labels = corpus.categories
    if labels != all_names(None, labels, "") or {*labels} != _used(corpus.continua):
        return continua
    used = _used(continua)
    return {
        name: adopt_categories(c, tuple(label for label in c.categories if label in used))
        for name, c in continua.items()
    }


def _used(continua: Mapping[str, Continuum]) -> set[str]:
    return {c.categories[k] for c in continua.values() for k in {*c.category_codes.tolist()} - {-1}}


def _one(continuum: Continuum, selection: Selection, document: str) -> Continuum:
    if selection.map:
        c = rename_categories(continuum, selection.map)
    else:
        c = continuum
    if selection.only:
        c = keep_categories(c, selection.only)
    if selection.rename:
        names = selection.rename.items()
        c = rename_annotators(c, {a: n for a, n in names if a in c.annotators})
    if selection.exclude:
        c = keep_annotators(c, [a for a in c.annotators if a not in selection.exclude])
    c = declare_annotators(c, selection.annotators or ())
    if selection.min_length is not None:
        c = drop_short_units(c, selection.min_length)
    if selection.bounds is not None:
        c = declare_bounds(c, selection.bounds)
    if selection.read_until:
        entries = selection.read_until
        until = {a: entries.get(f"{document}/{a}", entries.get(a)) for a in c.annotators}
        with place_errors(None, part=f"document {document!r}"):
            c = declare_read_until(c, {a: place for a, place in until.items() if place is not None})
    return c
