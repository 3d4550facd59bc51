"""`compare --by kind`: who differs from the others, and how."""

from gammacp.campaign.parts import TABLES_BESIDE
from gammacp.kinds.kinds import kinds_on

TABLES_BESIDE.register("kind", kinds_on)
