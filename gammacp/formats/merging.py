"""Parts of one document, each with some of its annotators, put together."""

from collections.abc import Iterable, Sequence
from os.path import commonprefix

from gammacp.base.left_out import gather
from gammacp.continuum import Continuum
from gammacp.continuum.anonymous import declare_unnamed_readers, unnamed_readers
from gammacp.continuum.columns import all_names
from gammacp.continuum.document_table import TableDocuments
from gammacp.continuum.shapes import SIZE
from gammacp.errors import DataError


def merge_parts(parts: Sequence[Continuum]) -> Continuum:
    """Merge parts that belong to the same document into one continuum.

    Raises
    ------
    DataError
        The texts or offset units differ, or two parts have the same annotator.
    """
    if len(parts) == 1:
        return parts[0]
    _check(parts)
    units = [unit for part in parts for unit in part]
    bounded = [p.bounds for p in parts if p.n_units or p.bounds != (0.0, 0.0)]
    together = Continuum.from_units(
        units,
        annotators=sorted(a for part in parts for a in part.annotators),
        categories=categories_of(parts),
        bounds=(min(b[0] for b in bounded), max(b[1] for b in bounded)) if bounded else None,
        name=parts[0].name,
        offset_unit=parts[0].offset_unit,
        text=next((p.text for p in parts if p.text is not None), None),
        links=[link for part in parts for link in part.links],
        grid=next((p.grid for p in parts if p.grid is not None), None),
        markable=next((p.markable for p in parts if p.markable), None),
        read_until={a: place for p in parts for a, place in p.read_until},
    )
    together = together.with_about(left_out=gather(p.left_out for p in parts))
    return declare_unnamed_readers(together, max(map(unnamed_readers, parts)))


def categories_of(continua: Iterable[Continuum]) -> list[str]:
    """Return the categories of all parts: in their order if all declare the same, else sorted."""
    if isinstance(continua, TableDocuments):
        return list(continua.table.categories)
    orders = list(dict.fromkeys(c.categories for c in continua))
    if len(orders) == 1:
        return list(orders[0])
    return list(all_names(None, (c for order in orders for c in order), "category"))


def _check(parts: Sequence[Continuum]) -> None:
    previous_names: set[str] = set()
    for part in parts:
        for annotator in part.annotators:
            if annotator in previous_names:
                raise DataError(
                    f"annotator {annotator!r} occurs in two files of document {part.name!r}",
                    hint="Keep one of the files, or say with `layout=` where paths hold names",
                )
            previous_names.add(annotator)
    units = {p.offset_unit for p in parts}
    if len(units) > 1:
        raise DataError(f"offset units differ: {', '.join(sorted(units))}")
    sizes = {size: p.annotators for p in parts if (size := p.about.fact(SIZE))}
    if len(sizes) > 1:
        listed = ", ".join(f"{size} by {' and '.join(who)}" for size, who in sizes.items())
        raise DataError(
            f"image {parts[0].name!r} has several sizes: {listed}",
            hint="Shapes can be compared only on the same image: export all at one size",
        )
    texts = [(p.annotators, p.text) for p in parts if p.text is not None]
    for annotators, text in texts[1:]:
        if text != texts[0][1]:
            at = len(commonprefix((text, texts[0][1])))  # noqa: RUF071  (characters are meant)
            raise DataError(
                f"text differs between {', '.join(texts[0][0])} and {', '.join(annotators)} "
                f"from character {at} on",
                hint="Positions are comparable only in the same text. Export both again, or give "
                "`align_texts=`",
            )
