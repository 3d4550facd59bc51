"""Collectors of units for readers: each unit is checked while its place in the file is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, TypeVar, cast

from gammacp.base.arguments import one_of
from gammacp.base.left_out import LeftOut, Tally, gather
from gammacp.continuum import Bounds, Continuum, Corpus, Link, Unit
from gammacp.continuum.columns import all_names
from gammacp.continuum.fragments import Fragments, join
from gammacp.continuum.label import to_label
from gammacp.continuum.links import CHAIN, whole_links
from gammacp.continuum.outlines import n_mended
from gammacp.continuum.reshaping import enclose_in_boxes, reduce_to_hulls, split_into_atoms
from gammacp.continuum.shapes import Shape, box, in_cell, outline
from gammacp.errors import DataError
from gammacp.formats.positions import LARGEST
from gammacp.formats.source import Source

D = TypeVar("D", bound=Continuum | Corpus)
CHARACTERS = "characters"
SECONDS = "s"
MILLISECONDS = "ms"
TOKENS = "tokens"
_NUMBERS = (int, float)
_DISCONTINUOUS = ("keep", "cover", "split")
GAP = "inside a discontinuous annotation, covered by its unit"
MENDED = "crosses or touches itself, repaired with shapely's make_valid"
NO_UNIT = "joins units that were not read"


@dataclass
class _Counting:
    """Base of objects that a reader fills from a file while it counts what is left out."""

    source: Source

    def __post_init__(self) -> None:
        """Start with an empty tally of items that are left out."""
        self._left_out = Tally(self.source.place)

    def leave_out(self, kind: str, reason: str, count: int = 1, state: str = "") -> None:
        """Count items of the file that do not become units (see `LeftOut`).

        Items of one document are counted on its `Spans`, others on the `Documents` of the file.
        """
        self._left_out.add(kind, reason, count, state)


@dataclass
class Spans(_Counting):
    """The units of one document while its file is being read, and what is left out of it.

    Parameters
    ----------
    source
        The file.
    name
        The document's name.
    offset_unit
        Unit of positions: `CHARACTERS`, `SECONDS`, `MILLISECONDS`, `TOKENS` or another word.
    text
        The annotated text, where there is one; units must lie inside.
    bounds
        Beginning and end of the document, and the line that says so, if any.
    facts
        Further statements about it (`About.facts`).
    """

    name: str
    offset_unit: str
    text: str | None = None
    bounds: tuple[Bounds, int | None] | None = None
    annotators: dict[str, None] = field(default_factory=dict)
    facts: dict[str, str | int] = field(default_factory=dict)
    _units: list[Unit] = field(default_factory=list)
    _links: list[Link] = field(default_factory=list)

    @classmethod
    def of(cls, source: Source, offset_unit: str, text: str | None = None) -> Spans:
        """Return the document that the path names, which the annotator of the path annotated.

        Parameters
        ----------
        source, offset_unit, text
            As for `Spans`.
        """
        spans = cls(source, source.document, offset_unit, text)
        spans.declare(source.annotator)
        return spans

    def declare(self, annotator: str) -> None:
        """Declare an annotator of the document, who may have no units."""
        if not annotator:
            raise self.source.error("annotator has no name")
        self.annotators[annotator] = None

    def add(
        self,
        annotator: str,
        category: str | None,
        start: object,
        end: object,
        *,
        line: int | None = None,
        what: str = "unit",
        features: Mapping[str, str | None] | None = None,
        fragments: Sequence[tuple[object, object]] = (),
        shape: Shape | None = None,
        key: str = "",
    ) -> None:
        """Add a unit; an empty category is none.

        Parameters
        ----------
        annotator, category
            Names; the annotator is declared.
        start, end
            Numbers in the document's offset unit, whatever the file had in their place.
        line, what
            Line of the unit, and its name in an error.
        features
            Features of the unit beside the category, by name; empty values are none.
        fragments
            (start, end) of each of several; those that touch are one.
        shape
            Shape of the unit on further axes.
        key
            Name of the unit in links of the annotator.

        Raises
        ------
        DataError
            Positions are not finite numbers in order, or lie outside the text; a fragment is empty,
            overlaps another, or they do not reach from start to end.
        """
        low, high = self._place(start, end, line, what)
        inside: Fragments = ()
        if fragments:
            parts = [self._place(*f, line, what) for f in fragments]
            with self.source.place_errors(line, what):
                inside = join(parts, (low, high))
        self.declare(annotator)
        label = to_label(category or None, features or {})
        self._units.append(Unit(annotator, low, high, label, inside, shape, key))

    def add_shape(
        self, annotator: str, category: str | None, kind: str, rows: Iterable[Any], **about: Any
    ) -> None:
        """Add a unit with a shape.

        Parameters
        ----------
        annotator, category, about
            As for `add`.
        kind, rows
            As in `Shape.json`: "box" with (low, high) on each axis, others with parts' points.

        Raises
        ------
        DataError
            As for `add`, and of `continuum.shapes`.
        """
        with self.source.place_errors(about.get("line"), about.get("what", "unit")):
            (start, end), shape = box(*rows) if kind == "box" else outline(kind, rows)
        self.add(annotator, category, start, end, shape=shape, **about)

    def link(self, annotator: str, type: str, source: str, target: str, kind: str) -> None:
        """Add a link between two units by their keys; `continuum` drops and counts loose links.

        Parameters
        ----------
        annotator, type, source, target, kind
            As for `Link`.
        """
        self._links.append(Link(annotator, type, source, target, kind))

    def chain(self, annotator: str, type: str, keys: Sequence[str]) -> None:
        """Add a chain of units, by their keys in its order.

        Parameters
        ----------
        annotator, type
            Annotator and type of the chain.
        keys
            Keys of its units; one alone is a unit without a link.
        """
        for source, target in pairwise(keys):
            self.link(annotator, type, source, target, CHAIN)

    def add_parts(
        self,
        annotator: str,
        category: str | None,
        parts: Sequence[tuple[object, object]],
        discontinuous: str,
        **about: Any,
    ) -> None:
        """Add a unit that is marked in several places.

        Parameters
        ----------
        annotator, category, about
            As for `add`.
        parts
            (start, end) of each place.
        discontinuous
            "keep" (a unit of several fragments), "cover" (one from the first start to the last end,
            what lies between is counted) or "split" (a unit for each).

        Raises
        ------
        DataError
            As for `add`.
        """
        one_of("discontinuous", discontinuous, _DISCONTINUOUS)
        if discontinuous == "split" or len(parts) < 2:
            if len(parts) > 1:
                about |= {"key": ""}
            else:
                about |= {}
            for start, end in parts:
                self.add(annotator, category, start, end, **about)
            return
        line = about.get("line")
        what = about.get("what", "unit")
        places = sorted(self._place(*part, line, what) for part in parts)
        if discontinuous == "keep":
            about["fragments"] = parts
        else:
            self.leave_out("gap", GAP, sum(a[1] < b[0] for a, b in pairwise(places)))
        self.add(annotator, category, places[0][0], max(e for _, e in places), **about)

    def _place(
        self, start: object, end: object, line: int | None, what: str
    ) -> tuple[float, float]:
        low = self._number(start, line, what)
        high = self._number(end, line, what)
        if high < low:
            raise self.source.error(f"{what}: end {high:.15g} < start {low:.15g}", line=line)
        if self.offset_unit == CHARACTERS:
            self._check_characters(low, high, line, what)
        return low, high

    def _number(self, value: object, line: int | None, what: str) -> float:
        if isinstance(value, bool) or not isinstance(value, _NUMBERS):
            raise self.source.error(f"{what}: position {value!r} is not a number", line=line)
        if not -LARGEST <= value <= LARGEST:
            raise self.source.error(
                f"{what}: position {value!r} is not a finite number up to 2^53", line=line
            )
        return value

    def _check_characters(self, low: float, high: float, line: int | None, what: str) -> None:
        if low < 0 or low % 1 or high % 1:
            raise self.source.error(
                f"{what}: {low:.15g}-{high:.15g} are not character positions",
                line=line,
            )
        if self.text is not None and high > len(self.text):
            raise self.source.error(
                f"{what}: end {high:.15g} lies beyond the text of {len(self.text)} characters",
                line=line,
                hint="Check that it is the text that was annotated",
            )

    def continuum(self, categories: Sequence[str] | None = None) -> Continuum:
        """Return a continuum of the units so far; default categories are those that occur."""
        bounds, line = self.bounds or (None, None)
        unit_ids = {(u.annotator, u.id) for u in self._units if u.id}
        whole = whole_links(self._links, unit_ids)
        self.leave_out("link", NO_UNIT, len(self._links) - len(whole))
        if whole:
            units = self._units
        else:
            units = [replace(u, id="") if u.id else u for u in self._units]
        with self.source.place_errors(line):
            built = Continuum.from_units(
                units,
                annotators=sorted(self.annotators),
                categories=categories,
                bounds=bounds,
                name=self.name,
                offset_unit=self.offset_unit,
                text=self.text,
                links=whole,
            )
        about = built.about
        for fact, value in self.facts.items():
            about = about.with_fact(fact, value)
        return replace(built, about=about).with_about(left_out=self._left_out.entries())


def shape_of(extents: Sequence[tuple[float, float]], given: str | None) -> Shape | None:
    """Return the shape in a row of a table; None without one.

    Parameters
    ----------
    extents
        (start, end), then (low, high) on each further axis that the row has a box on.
    given
        Cell of a column of shapes: text of JSON; empty for none.

    Raises
    ------
    DataError
        It is no shape, or does not reach from start to end.
    """
    if len(extents) == 1 and not given:
        return None
    try:
        return (in_cell(given, *extents[0]) if given else box(*extents))[1]
    except DataError as error:
        hint = "If the column holds something else, ignore it with `read(shapes=no)`"
        raise DataError(error.message, hint=error.hint or hint) from None


def with_shapes(document: D, shapes: str, place: str) -> D:
    """Return the document with shapes treated as the option says, and count mended ones.

    Parameters
    ----------
    document
        Document as it is in the file.
    shapes
        "keep", "box" (the box around each) or "no" (the extent on the first axis alone).
    place
        Name of the file for messages.
    """
    one_of("shapes", shapes, ("keep", "box", "no"))
    continua = by_name(document)
    mended = Tally(place)
    if shapes == "keep":
        for c in continua.values():
            mended.add("outline", MENDED, 0 if c.shapes is None else n_mended(c.shapes))
        return with_continua(document, continua, mended)
    if shapes == "box":
        one = enclose_in_boxes
    else:
        one = reduce_to_hulls
    # Fragments stay.
    shaped = {name: c if c.axes == 1 else one(c) for name, c in continua.items()}
    return with_continua(document, shaped, mended)


def in_pieces(document: D, discontinuous: str, place: str) -> D:
    """Return the document with its units of several fragments as `Spans.add_parts` makes them.

    Parameters
    ----------
    document
        Document of a format that has units in pieces.
    discontinuous
        As for `Spans.add_parts`.
    place
        Name of the file, or document, whose gaps are counted.
    """
    one_of("discontinuous", discontinuous, _DISCONTINUOUS)
    if discontinuous == "split":
        one = split_into_atoms
    else:
        one = reduce_to_hulls
    if discontinuous == "keep":
        return document
    gaps = Tally(place)
    continua = by_name(document)
    if any(c.axes > 1 for c in continua.values()):
        return document
    cut = {name: one(c) for name, c in continua.items()}
    lost = sum(len(c.links) - len(cut[name].links) for name, c in continua.items())
    gaps.add("link", "between units that were split into fragments", lost)
    if discontinuous == "cover":
        inside = [b for c in continua.values() if c.breaks is not None for b in c.breaks]
        gaps.add("gap", GAP, sum(map(len, inside)) // 2)
    return with_continua(document, cut, gaps)


def by_name(document: Continuum | Corpus) -> Mapping[str, Continuum]:
    """Return the continua of a document by name; a single continuum has the name ""."""
    if isinstance(document, Corpus):
        return document.continua
    return {"": document}


def with_continua(document: D, continua: Mapping[str, Continuum], lost: Tally) -> D:
    """Return the document with its continua replaced, and losses added to its `left_out`.

    Parameters
    ----------
    document
        A corpus, or a single continuum.
    continua
        Continua by name, as `by_name` has them.
    lost
        Tally of the lost items.
    """
    left_out = gather((document.left_out, lost.entries()))
    if isinstance(document, Corpus):
        return replace(document, continua=continua, left_out=left_out)
    return cast(D, continua[""].with_about(left_out=left_out))


def with_left_out(document: D, left_out: tuple[LeftOut, ...]) -> D:
    """Return the document with its `left_out` replaced.

    Parameters
    ----------
    document
        A corpus, or a single continuum.
    left_out
        Items that its reader passed over.
    """
    if isinstance(document, Corpus):
        return replace(document, left_out=left_out)
    return cast(D, document.with_about(left_out=left_out))


@dataclass
class Documents(_Counting):
    """The documents of one file while it is being read; for offset units see `Spans`."""

    offset_unit: str
    spans_by_name: dict[str, Spans] = field(default_factory=dict)

    def of(
        self,
        name: str,
        text: str | None = None,
        *,
        offset_unit: str | None = None,
        line: int | None = None,
    ) -> Spans:
        """Return the document of that name; text and unit must be the same in each call."""
        unit = offset_unit or self.offset_unit
        spans = self.spans_by_name.get(name)
        if spans is None:
            spans = self.spans_by_name[name] = Spans(self.source, name, unit, text)
        if spans.text is None:
            spans.text = text
        if text is not None and text != spans.text:
            raise self.source.error(
                f"document {name!r} occurs with another text",
                line=line,
                hint="Positions are comparable only in the same text: export it again",
            )
        if unit != spans.offset_unit:
            raise self.source.error(
                f"document {name!r} has positions in {spans.offset_unit} and in {unit}", line=line
            )
        return spans

    def one_or_all(self) -> Continuum | Corpus:
        """Return the continuum if there is only one document, otherwise a corpus."""
        corpus = self.corpus()
        alone = next(iter(corpus.values()))
        if len(corpus) > 1:
            return corpus
        return alone.with_about(left_out=corpus.left_out)

    def corpus(self) -> Corpus:
        """Return a corpus of all documents; raise a DataError if there is none."""
        if not self.spans_by_name:
            why = "; ".join(["file has no documents", *map(str, self._left_out.entries())])
            raise self.source.error(why)
        used = (unit.category for spans in self.spans_by_name.values() for unit in spans._units)
        categories = all_names(None, (c for c in used if c is not None), "category")
        continua = {name: spans.continuum(categories) for name, spans in self.spans_by_name.items()}
        everything = (self._left_out.entries(), *(c.left_out for c in continua.values()))
        return Corpus.from_continua(continua, left_out=gather(everything))
