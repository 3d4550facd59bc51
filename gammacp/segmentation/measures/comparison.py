"""Criteria for comparing two segmentations, for pairs, coefficients, candidates and chance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from gammacp.base.arguments import whole
from gammacp.base.signature import signature
from gammacp.dissimilarity.categorial import Categorial, categorial
from gammacp.errors import UsageError
from gammacp.segmentation.measures.boundary import boundary_similarity
from gammacp.segmentation.measures.edits import EditCosts, EditSearch, NamedChoice
from gammacp.segmentation.measures.similarity import segmentation_similarity
from gammacp.segmentation.measures.value import Segmentation
from gammacp.segmentation.measures.windows import window


class Mode(NamedChoice):
    """Coefficients as the equations of 2012 define them, or as its Table 2 was computed."""

    EQUATIONS = "equations"
    PUBLISHED = "published"


class CorrectedSimilarity(NamedChoice):
    """The similarity that the coefficients correct for chance: S (2012) or B (2013)."""

    S = "s"
    B = "b"


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """Criterion by which two segmentations are compared.

    Attributes
    ----------
    basis
        S or B.
    n
        n of S, n_t of B.
    costs, search
        Weights and edit search of S, and of B, which has no te.
    categorial
        Cost of one boundary type for another in B, as for `boundary_similarity`.
    mode
        Decides whether a coder's boundaries or segments count; `published` cuts WindowDiff in
        windows that are narrower by a place.
    windows
        Variant of WindowDiff (`windows.WINDOWS`).
    """

    basis: CorrectedSimilarity = CorrectedSimilarity.S
    n: int = 2
    costs: EditCosts = field(default_factory=EditCosts)
    search: EditSearch = EditSearch.PUBLISHED
    mode: Mode = Mode.EQUATIONS
    windows: str = "2002"
    categorial: str | Categorial = "nominal"

    def __post_init__(self) -> None:
        """Check n and the windows; read a matrix once."""
        whole("n", self.n, 1)
        if self.n > 2**31:
            raise UsageError(f"n {self.n} is larger than any text")
        if window(self.windows).padded and self.mode is Mode.PUBLISHED:
            raise UsageError(f"mode 'published' has no windowdiff {self.windows!r}")
        if self.categorial != "nominal":
            if self.basis is not CorrectedSimilarity.B:
                raise UsageError("categorial compares boundary types: give similarity 'b'")
            object.__setattr__(self, "categorial", categorial(self.categorial))

    def columns_of_types(self, a: Segmentation, b: Segmentation) -> tuple[float, ...]:
        """Return the first columns of `pair_kernels.BOTH` of a and b, of several boundary types."""
        options: dict[str, Any] = {"costs": self.costs, "search": self.search}
        s = segmentation_similarity(a, b, n=self.n, **options)
        boundary = boundary_similarity(a, b, n_t=self.n, categorial=self.categorial, **options)
        near = boundary.edits.transpositions
        # Between types: no error of place, so that precision and recall count them as missed.
        turned = sum(t.other is not None for t in near)
        return (
            s.edits.full,
            s.edits.near,
            s.distance,
            s.optimal_distance,
            sum(boundary.matches.values()),
            boundary.full + turned,
            boundary.near - turned,
            sum(t.end - t.start for t in near if t.other is None),
            boundary.penalty,
            boundary.least,
        )

    def signature_of(self, name: str, *, selection: Iterable[str] = (), **parts: object) -> str:
        """Return the signature of `name`, after a `selection`, with further `parts`."""
        costs = self.costs
        return signature(
            name,
            selection=selection,
            mode=self.mode,
            similarity=self.basis,
            edit=self.search,
            n=self.n,
            sub=costs.substitution,
            trp=costs.transposition,
            types=getattr(self.categorial, "signature", None),
            te="yes" if costs.te else "no",
            wd=None if self.windows == "2002" else self.windows,
            **parts,
        )
