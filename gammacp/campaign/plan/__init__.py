"""Planning of documents and annotators from a pilot, or a model of one."""

from gammacp.campaign.plan.advice import Design, Goal, Plan, Prices
from gammacp.campaign.plan.planning import plan
from gammacp.campaign.plan.spread import Pilot

__all__ = ["Design", "Goal", "Pilot", "Plan", "Prices", "plan"]
