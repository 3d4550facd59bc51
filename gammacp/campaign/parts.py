"""Contracts of what other subjects add to a comparison and to a gold standard.

A subject registers a comparison part and a gold part by name:

    [campaign."comparison part"]
    "gammacp.SUBJECT.with_campaign.compare" = "NAME"

The name is the part's key in the JSON of `gammacp compare` and in `Comparison.parts`. A comparison
table is registered likewise, by the name of its table in `compare --by`, and is made on demand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

from gammacp.registry import Registry

if TYPE_CHECKING:
    from gammacp.alignment import Alignment
    from gammacp.base.record_tables import Table
    from gammacp.campaign.consensus.consensus import Consensus
    from gammacp.continuum import Continuum
    from gammacp.measures.random_sets import Basis
    from gammacp.measures.settings import Settings


class ComparisonPart(Protocol):
    """A subject's share of a comparison: its values, and how they are shown."""

    def as_dict(self) -> dict[str, Any]:
        """Return the part as JSON has it."""
        ...

    def tables(self) -> Iterator[tuple[str, Table]]:
        """Yield tables with their titles; those without records are not shown."""
        ...

    def heading(self) -> str:
        """Return the heading of the part's section in a report."""
        ...

    def headline(self) -> str:
        """Return a sentence that stands beside γ in a report; "" for none."""
        ...


@runtime_checkable
class ComparisonTable(ComparisonPart, Protocol):
    """A part that is made on demand, on a basis that keeps its random sets."""

    key: ClassVar[str]
    """The part's name in the JSON and in `Comparison.parts`."""

    def in_words(self) -> list[str]:
        """Return what stands out, a sentence each."""
        ...


class ComparisonMaker(Protocol):
    """A function that makes a comparison part."""

    def __call__(
        self, continua: Mapping[str, Continuum], basis: Basis, *, pairs: bool, without: bool
    ) -> ComparisonPart | None:
        """Compare annotators; return None where the data have nothing to compare.

        Parameters
        ----------
        continua
            Continua by name.
        basis
            Alignments and random sets of the units, which it keeps.
        pairs, without
            Whether pairs of annotators, and everybody but one, are compared.
        """
        ...


class GoldPart(Protocol):
    """A subject's share of a gold standard."""

    def applies(self, continuum: Continuum) -> bool:
        """Return whether a document has anything for this part.

        Parameters
        ----------
        continuum
            The annotations of the document.
        """
        ...

    def add(self, consensus: Consensus, alignment: Alignment, settings: Settings) -> Consensus:
        """Return the consensus on the units of a document with this part added.

        Parameters
        ----------
        consensus
            The units of the gold standard.
        alignment
            The alignment that they come from.
        settings
            The dissimilarity of the units and the solver.
        """
        ...

    def caution(self, consensus: Consensus) -> str | None:
        """Return what a model of the annotators did not decide, if anything.

        Parameters
        ----------
        consensus
            The gold standard of a document that the part applies to.
        """
        ...


COMPARED: Registry[ComparisonMaker] = Registry("comparison part")
TABLES_BESIDE: Registry[Callable[[Basis], ComparisonTable]] = Registry("comparison table")
"""Parts that are made only where their table is asked for, by its name."""
GOLD: Registry[GoldPart] = Registry("gold part")
