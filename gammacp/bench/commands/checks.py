"""Results of `gammacp bench --check`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gammacp.bench.baseline import BaselineComparison
    from gammacp.bench.sweep import Sweep


@dataclass
class Checks:
    """Comparisons with the baseline of the sweep's own reference and of `everything`.

    Attributes
    ----------
    reference, everything
        None where the sweep was not compared.
    sweeps
        Sweeps that were compared.
    properties
        Pairs of units that have each property and cost something; None before they are counted,
        or where nothing weighs units.
    """

    reference: BaselineComparison | None = None
    everything: BaselineComparison | None = None
    sweeps: list[Sweep] = field(default_factory=list)
    properties: dict[str, int] | None = None

    @property
    def comparisons(self) -> list[BaselineComparison]:
        """Return the comparisons that there are."""
        return [
            comparison for comparison in (self.reference, self.everything) if comparison is not None
        ]

    @property
    def moved(self) -> bool:
        """Return whether any curve moved."""
        return any(comparison.moved for comparison in self.comparisons)

    @property
    def not_tried(self) -> list[str]:
        """Return the properties that no pair has."""
        return [name for name, count in (self.properties or {}).items() if not count]
