"""What is chosen by name; an unknown name is a UsageError that lists the known ones."""

from __future__ import annotations

from enum import StrEnum

from gammacp.errors import UsageError


class EditSearch(StrEnum):
    """How near misses are found: by the search of 2012, §3.3, or at the least cost."""

    PUBLISHED = "published"
    OPTIMAL = "optimal"

    @classmethod
    def _missing_(cls, value: object) -> None:
        _refuse("edit", value, cls)


class Mode(StrEnum):
    """Coefficients as the equations of 2012 define them, or as its Table 2 was computed."""

    EQUATIONS = "equations"
    PUBLISHED = "published"

    @classmethod
    def _missing_(cls, value: object) -> None:
        _refuse("mode", value, cls)


class Basis(StrEnum):
    """The similarity that the coefficients correct for chance: S (2012) or B (2013)."""

    S = "s"
    B = "b"

    @classmethod
    def _missing_(cls, value: object) -> None:
        _refuse("similarity", value, cls)


def _refuse(what: str, value: object, known: type[StrEnum]) -> None:
    raise UsageError(f"{what} {value!r} is unknown; there are: {', '.join(known)}")
