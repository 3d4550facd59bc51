"""Table of `compare --by kind`: which kinds of differences each annotator has, and how often."""

from gammacp.campaign.parts import TABLES_BESIDE
from gammacp.kinds.kinds import kinds_on

TABLES_BESIDE.register("kind", kinds_on)
