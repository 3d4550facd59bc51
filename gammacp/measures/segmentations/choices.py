"""What is chosen by name; an unknown name is a UsageError that lists the known ones."""

from enum import StrEnum

from gammacp.arguments import one_of

_OPTIONS = {"EditSearch": "edit", "Mode": "mode", "CorrectedSimilarity": "similarity"}


class _Choice(StrEnum):
    @classmethod
    def _missing_(cls, value: object) -> None:
        one_of(_OPTIONS[cls.__name__], value, cls)


class EditSearch(_Choice):
    """How near misses are found: by the search of 2012, §3.3, or at the least cost."""

    PUBLISHED = "published"
    OPTIMAL = "optimal"


class Mode(_Choice):
    """Coefficients as the equations of 2012 define them, or as its Table 2 was computed."""

    EQUATIONS = "equations"
    PUBLISHED = "published"


class CorrectedSimilarity(_Choice):
    """The similarity that the coefficients correct for chance: S (2012) or B (2013)."""

    S = "s"
    B = "b"
