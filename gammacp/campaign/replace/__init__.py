"""Test whether a system may replace a person: the alternative annotator test."""

from gammacp.campaign.replace.replacement import EPSILON, Replacement, replace
from gammacp.campaign.replace.scores import SCORES, Instance, Scoring, pairwise_score
from gammacp.campaign.replace.verdict import AgainstPerson, Candidacy

__all__ = [
    "EPSILON",
    "SCORES",
    "AgainstPerson",
    "Candidacy",
    "Instance",
    "Replacement",
    "Scoring",
    "pairwise_score",
    "replace",
]
