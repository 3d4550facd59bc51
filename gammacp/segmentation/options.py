"""Options for near misses, shared by `segmentation` and `measure`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gammacp.cli.options.groups import option


@dataclass(frozen=True)
class EditFlags:
    """Near misses between segmentations."""

    edit: str | None = option(
        "How S and B find near misses: the published search, or the best edits (optimal).  "
        "[default: published]"
    )
    n: int | None = option(
        "How many places a near miss of S and B may span; 2 is next to each other.  [default: 2]"
    )

    def chosen_values(self) -> dict[str, Any]:
        """Return the values of the options that were given, by option of the measures."""
        return {name: value for name, value in vars(self).items() if value is not None}
