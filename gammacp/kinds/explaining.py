"""`gamma --explain`: the kinds of the disorder."""

from gammacp.kinds.kinds import kinds_on
from gammacp.measures.explaining.explanation import EXPLANATIONS

EXPLANATIONS.register("kinds", kinds_on)
