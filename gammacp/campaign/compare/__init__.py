"""Comparison of annotators: who agrees with whom, and how sure that is."""

from gammacp.campaign.compare.categories import CategoryAgreement, Confusion
from gammacp.campaign.compare.comparison import Comparison, compare
from gammacp.campaign.compare.groups import AcrossGroups, Groups
from gammacp.campaign.compare.over_time import OverTime
from gammacp.campaign.compare.pairs import AnnotatorSummary, PairMatrix, WithoutAnnotator
from gammacp.campaign.compare.reference import ReferenceComparison
from gammacp.campaign.compare.rounds import OtherRound, RoundTest
from gammacp.campaign.compare.sessions import Sessions

__all__ = [
    "AcrossGroups",
    "AnnotatorSummary",
    "CategoryAgreement",
    "Comparison",
    "Confusion",
    "Groups",
    "OtherRound",
    "OverTime",
    "PairMatrix",
    "ReferenceComparison",
    "RoundTest",
    "Sessions",
    "WithoutAnnotator",
    "compare",
]
