"""Statements of a verdict, and the levels from which they are made."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gammacp.campaign.places import Place

LEVEL = 0.05
LEVEL_OF_PAIRS = 0.01
"""Level of the tests of pairs; lower, as pairs share annotators, whose errors come in spells."""
UNDEFINED = "undefined"
NOT_SHOWN = "not shown to be better than chance"
UNTESTED = "not tested against chance"
LOOK = "Look first at"
"""Words before the places of a statement."""


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
        The sentence itself.
    names
        Names that the sentence singles out: an annotator, a pair of annotators, a label, or a
        component of the disorder. For a difference: the annotator, and the kind of difference.
    p
        p-value of the test that supports the sentence; None if there is no test.
    places
        Places of the documents to look at first.
    """

    about: str
    words: str
    names: tuple[str, ...] = ()
    p: float | None = None
    places: tuple[Place, ...] = ()

    def in_words(self) -> str:
        """Return the sentence, and the places to look at."""
        if not self.places:
            return self.words
        return f"{self.words} {LOOK} {'; '.join(p.in_words() for p in self.places)}."

    @property
    def layer(self) -> str:
        """Return `here` for facts about these documents, `beyond` for claims about others, too."""
        if self.about in ("agreement", "here"):
            return "here"
        return "beyond"

    def as_dict(self) -> dict[str, Any]:
        """Return the statement as JSON has it."""
        return {**asdict(self), "layer": self.layer}
