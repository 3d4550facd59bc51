"""Copies of a continuum with other names for its annotators, its categories or itself."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gammacp.continuum.columns import check_known, recode
from gammacp.continuum.continuum import Continuum
from gammacp.continuum.label import category_of, distinct, features_of, plain, to_label
from gammacp.continuum.selecting import keep_rows, relabel
from gammacp.errors import DataError


def rename_categories(continuum: Continuum, mapping: Mapping[str, str]) -> Continuum:
    """Return the continuum with categories renamed; two categories may become one.

    Parameters
    ----------
    continuum
        Continuum whose categories are renamed.
    mapping
        New names by old names; other categories keep their names.

    Raises
    ------
    DataError
        An old name does not occur.
    """
    check_known(mapping, plain(continuum.categories)[0], "category")
    changed = {old: new for old, new in mapping.items() if old != new}
    if not changed:
        return continuum

    renamed = relabel(continuum, _renamed_labels(continuum.categories, changed))
    for old in sorted(changed):
        renamed = renamed.noting("map", old, changed[old])
    return renamed


def rename_categories_of(
    continuum: Continuum,
    mapping: Mapping[str, str],
    mapping_by_annotator: Mapping[str, Mapping[str, str]],
) -> Continuum:
    """Return the continuum with categories renamed, differently for some annotators.

    All renaming is done at once: a new name is not renamed again.

    Parameters
    ----------
    continuum
        Continuum whose categories are renamed.
    mapping
        New names by old names, for all annotators; other categories keep their names.
    mapping_by_annotator
        By annotator, new names by old names that replace those of `mapping` for this annotator's
        units. An annotator who does not occur changes no unit, but the new names are added to the
        categories.

    >>> from gammacp.continuum.unit import Unit
    >>> c = Continuum.from_units([Unit("Ann", 2, 9, "x"), Unit("Bob", 3, 9, "x")])
    >>> [u.category for u in rename_categories_of(c, {}, {"Bob": {"x": "y"}})]
    ['x', 'y']
    """
    old = continuum.categories
    labels = _renamed_labels(old, mapping)
    codes = continuum.category_codes.copy()
    labelled = codes >= 0
    about = continuum.about
    for name in sorted(mapping):
        if mapping[name] != name:
            about = about.noting("map", name, mapping[name])
    for annotator in sorted(mapping_by_annotator):
        if annotator in continuum.annotators:
            rows = continuum.annotator_codes == continuum.annotators.index(annotator)
            codes[rows & labelled] += len(labels)
        labels += _renamed_labels(old, {**mapping, **mapping_by_annotator[annotator]})
        for name in sorted(mapping_by_annotator[annotator]):
            about = about.noting(
                "map", f"{annotator}:{name}", mapping_by_annotator[annotator][name]
            )
    categories, new = distinct(labels)
    return keep_rows(continuum, categories=categories, category_codes=new[codes], about=about)


def _renamed_labels(labels: Sequence[str], mapping: Mapping[str, str]) -> list[str | None]:
    """Return the labels with their categories renamed and their features unchanged."""
    renamed = []
    for label in labels:
        category = category_of(label)
        renamed.append(to_label(mapping.get(category or "", category), features_of(label)))
    return renamed


def rename_annotators(continuum: Continuum, mapping: Mapping[str, str]) -> Continuum:
    """Return the continuum with annotators renamed; two annotators never become one.

    Parameters
    ----------
    continuum
        Continuum whose annotators are renamed.
    mapping
        New names by old names; other annotators keep theirs, and the order stays the same.

    Raises
    ------
    DataError
        An old name does not occur, or two annotators would have the same name.

    >>> from gammacp.continuum.unit import Unit
    >>> c = Continuum.from_units([Unit("1", 2, 9), Unit("2", 3, 9)])
    >>> rename_annotators(c, {"1": "Zoe"}).annotators
    ('Zoe', '2')
    """
    if not mapping:
        return continuum
    check_known(mapping, continuum.annotators, "annotator")
    names = tuple(mapping.get(a, a) for a in continuum.annotators)
    for name in names:
        if names.count(name) > 1:
            raise DataError(
                f"two annotators of {continuum.name or 'the continuum'} would be {name!r}",
                hint="Give them different names, or leave one out",
            )
    links = tuple(
        replace(x, annotator=mapping.get(x.annotator, x.annotator)) for x in continuum.links
    )
    until = sorted((mapping.get(a, a), position) for a, position in continuum.read_until)
    about = replace(continuum.about, read_until=tuple(until))
    for old, new in zip(continuum.annotators, names, strict=True):
        if old != new:
            about = about.noting("rename", old, new)
    return replace(continuum, annotators=names, links=links, about=about)


def adopt_categories(
    continuum: Continuum, categories: tuple[str, ...], *, name: str | None = None
) -> Continuum:
    """Return the continuum with more categories than its own, such as those of its corpus.

    Parameters
    ----------
    continuum
        Continuum that gets the categories.
    categories
        All categories, its own among them, in the order of their codes.
    name
        New name of the document; None to keep its name.
    """
    about = continuum.about
    if name not in (None, about.name):
        about = replace(about, name=name)
    if categories != continuum.categories:
        codes = recode(continuum.categories, categories)[continuum.category_codes]
        return keep_rows(continuum, categories=categories, category_codes=codes, about=about)
    if about is continuum.about:
        return continuum
    return replace(continuum, about=about)
