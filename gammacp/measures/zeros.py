"""Values of independent annotators by measure: `zero.csv`, as the study of zero found them.

The study is `experiments/zero_*.py`; its figures and what they say are in `docs/chance.md`.
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Zero:
    """Values of a measure for independent annotators, in a study of processes that make them.

    Only processes with at least 20 units per annotator count.

    Attributes
    ----------
    lowest, highest
        Lowest and highest of the processes' means.
    verdict
        Whether the mean of each process lies within a margin of 0, .01 for γ and .02 for others, by
        a test of equivalence at 5 %: "shown"; "not", where one lies beyond it; "open" otherwise.
    shown, cells
        For how many of the processes it is shown.
    """

    lowest: float
    highest: float
    verdict: str
    shown: int
    cells: int


@cache
def zeros(*, beyond_chance: bool = False) -> dict[str, Zero]:
    """Return the `Zero` of each measure in the study, as it is or beyond chance.

    >>> zeros()["ser"].verdict, zeros(beyond_chance=True)["ser"].verdict
    ('not', 'shown')
    """
    text = files("gammacp.measures").joinpath("zero.csv").read_text(encoding="utf-8")
    head, *lines = (line.split(",") for line in text.splitlines())
    if beyond_chance:
        key = "beyond_"
    else:
        key = ""
    rows = (dict(zip(head, line, strict=True)) for line in lines)
    return {
        r["measure"]: Zero(
            float(r[f"{key}lowest"]),
            float(r[f"{key}highest"]),
            r[f"{key}zero"],
            int(r[f"{key}shown"]),
            int(r[f"{key}cells"]),
        )
        for r in rows
        if r[f"{key}lowest"]
    }
