"""Statements of a verdict, and the levels from which they are made."""

from dataclasses import asdict, dataclass
from typing import Any

LEVEL = 0.05
LEVEL_OF_PAIRS = 0.01
"""p from which something is said; of pairs less: they share annotators, who err in spells."""
UNDEFINED = "undefined"
NOT_SHOWN = "not shown to be better than chance"
UNTESTED = "not tested against chance"


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One sentence of a verdict.

    Attributes
    ----------
    about
        `agreement`, `here` (a fact about these documents), `elsewhere` (more material like this),
        `difference` (what somebody does differently), `annotator`, `pair`, `label`, `kind`,
        `none` (what does not stand out), `worth` or `next`.
    words
        The sentence, for people.
    names
        Names that it singles out: one annotator, two, a label, a component of the disorder; of a
        difference the annotator and its kind.
    p
        p of the test that carries it; None where it rests on none.
    """

    about: str
    words: str
    names: tuple[str, ...] = ()
    p: float | None = None

    @property
    def layer(self) -> str:
        """Return `here` for what is so in these documents, `beyond` for what generalises."""
        if self.about in ("agreement", "here"):
            return "here"
        return "beyond"

    def as_dict(self) -> dict[str, Any]:
        """Return the statement as JSON has it."""
        return {**asdict(self), "layer": self.layer}
