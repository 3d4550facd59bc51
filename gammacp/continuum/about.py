"""Statements about a continuum that are no unit data."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gammacp.base.left_out import LeftOut
from gammacp.base.signature import entry
from gammacp.continuum.grid import Grid


@dataclass(frozen=True, slots=True)
class About:
    """Name, text, origin and reading of a document.

    Attributes
    ----------
    name
        The document's name.
    offset_unit
        Unit of positions: "s", "ms", "characters", ….
    text
        The annotated text, where the format has it.
    selection
        Selections and changes that were made since the files were written, in the order in which
        they were done, as entries `key=value` of signatures (`exclude=Ann`, `map=old=new`,
        `layer=POS`). What changes nothing leaves no entry.
    left_out
        Items that the reader of its file passed over, by kind and reason.
    cluster
        The author, patient or video that other documents are of, too; "" for none.
    weight
        Number of documents of the population that it stands for, in any measure.
    read_until
        Annotators who did not read to the end, as (annotator, position), by name.
    grid
        Places on which all boundaries lie, where they were given; chance then turns units by whole
        places.
    markable
        Stretches in which something can be marked, ascending; none where all of the text can be.
    facts
        Further statements of the reader of its file, by name, for the module that knows the name.
    """

    name: str = ""
    offset_unit: str = ""
    text: str | None = None
    selection: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    cluster: str = ""
    weight: float = 1.0
    read_until: tuple[tuple[str, float], ...] = ()
    grid: Grid | None = None
    markable: tuple[tuple[float, float], ...] = ()
    facts: tuple[tuple[str, str | int], ...] = ()

    def noting(self, key: str, *values: str) -> About:
        """Return the same with an entry `key=values` in `selection`.

        Parameters
        ----------
        key
            Key of the selection.
        values
            Selected values.

        >>> About().noting("layer", "a,b", "c").selection
        ('layer=a%2Cb,c',)
        """
        return replace(self, selection=(*self.selection, entry(key, *values)))

    def fact(self, name: str) -> str | int | None:
        """Return the fact of this name; None where nobody states it.

        Parameters
        ----------
        name
            Key of `facts`.
        """
        return dict(self.facts).get(name)

    def with_fact(self, name: str, value: str | int) -> About:
        """Return the same with another fact.

        Parameters
        ----------
        name
            Key of `facts`.
        value
            Value that is stated; "" and 0 take the fact away.

        >>> About().with_fact("readers", 4).with_fact("readers", 3).facts
        (('readers', 3),)
        """
        facts = dict(self.facts)
        facts.pop(name, None)
        if value:
            facts[name] = value
        return replace(self, facts=tuple(facts.items()))


class Described:
    """Statements about a continuum as read-only properties of what holds them.

    Attributes
    ----------
    about
        The statements.
    """

    about: About

    @property
    def name(self) -> str:
        """The document's name."""
        return self.about.name

    @property
    def offset_unit(self) -> str:
        """Return the unit that positions count."""
        return self.about.offset_unit

    @property
    def text(self) -> str | None:
        """The annotated text, where the format has it."""
        return self.about.text

    @property
    def selection(self) -> tuple[str, ...]:
        """Return what was selected or changed, as entries of signatures."""
        return self.about.selection

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Return what the reader of the file passed over."""
        return self.about.left_out

    @property
    def cluster(self) -> str:
        """The author, patient or video that other documents are of, too."""
        return self.about.cluster

    @property
    def weight(self) -> float:
        """Return how many documents of the population this one stands for."""
        return self.about.weight

    @property
    def read_until(self) -> tuple[tuple[str, float], ...]:
        """Return how far annotators read who did not read to the end."""
        return self.about.read_until

    @property
    def grid(self) -> Grid | None:
        """Places on which all boundaries lie."""
        return self.about.grid

    @property
    def markable(self) -> tuple[tuple[float, float], ...]:
        """Return the stretches in which something can be marked; none where that is everywhere."""
        return self.about.markable
