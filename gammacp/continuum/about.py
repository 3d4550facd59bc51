"""Statements about a continuum other than its units."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gammacp.base.left_out import LeftOut
from gammacp.base.signature import entry
from gammacp.continuum.grid import Grid


@dataclass(frozen=True, slots=True)
class About:
    """Name, text and origin of a document, and facts about its annotation.

    Attributes
    ----------
    name
        The document's name.
    offset_unit
        Unit of positions: "s", "ms", "characters", ….
    text
        The annotated text, where the format has it.
    selection
        Selections and changes made since the files were written, in their order, as entries
        `key=value` of signatures (`exclude=Ann`, `map=old=new`, `layer=POS`). A change without
        effect leaves no entry.
    left_out
        Items that the reader of its file passed over, by kind and reason.
    cluster
        Author, patient or video that the document shares with other documents; "" for none.
    weight
        Number of documents of the population that it stands for, in any measure.
    read_until
        Annotators who did not read to the end, as (annotator, position), by name.
    grid
        Declared places on which all boundaries lie; random continua then move units by whole
        places.
    markable
        Stretches in which something can be marked, ascending; empty if everything can be marked.
    facts
        Further statements by the reader of its file, by name. Each is used by the module that knows
        its name.
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
        """Return a copy with the entry `key=values` added to `selection`.

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
        """Return the fact of this name; None if it is not stated.

        Parameters
        ----------
        name
            Key of `facts`.
        """
        return dict(self.facts).get(name)

    def with_fact(self, name: str, value: str | int) -> About:
        """Return a copy with a fact set.

        Parameters
        ----------
        name
            Key of `facts`.
        value
            Value of the fact; "" and 0 remove it.

        >>> About().with_fact("readers", 4).with_fact("readers", 3).facts
        (('readers', 3),)
        """
        facts = dict(self.facts)
        facts.pop(name, None)
        if value:
            facts[name] = value
        return replace(self, facts=tuple(facts.items()))


class Described:
    """Mixin that gives the statements in `about` as read-only properties.

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
        """Selections and changes, as entries of signatures."""
        return self.about.selection

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Items that the reader of the file passed over."""
        return self.about.left_out

    @property
    def cluster(self) -> str:
        """Author, patient or video that the document shares with other documents."""
        return self.about.cluster

    @property
    def weight(self) -> float:
        """Number of documents of the population that this one represents."""
        return self.about.weight

    @property
    def read_until(self) -> tuple[tuple[str, float], ...]:
        """Annotators who did not read to the end, each with the position reached."""
        return self.about.read_until

    @property
    def grid(self) -> Grid | None:
        """Places on which all boundaries lie."""
        return self.about.grid

    @property
    def markable(self) -> tuple[tuple[float, float], ...]:
        """Stretches in which something can be marked; empty if everything can be marked."""
        return self.about.markable
