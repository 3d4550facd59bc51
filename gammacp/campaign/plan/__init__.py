"""How many documents and annotators? What a pilot, or a model of one, tells of the whole."""

from gammacp.campaign.plan.advice import Design, Goal, Plan, Prices
from gammacp.campaign.plan.planning import plan
from gammacp.campaign.plan.spread import Pilot

__all__ = ["Design", "Goal", "Pilot", "Plan", "Prices", "plan"]
