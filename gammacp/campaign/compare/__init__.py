"""Who agrees with whom, and how sure that is: comparisons, permutation tests."""

from gammacp.campaign.compare.annotators import AnnotatorSummary
from gammacp.campaign.compare.categories import CategoryAgreement, Confusion, confusion
from gammacp.campaign.compare.comparison import Comparison, compare
from gammacp.campaign.compare.groups import AcrossGroups, Groups, groups_of, members_of
from gammacp.campaign.compare.pairs import PairMatrix, WithoutAnnotator
from gammacp.campaign.compare.permutation import (
    OtherRound,
    PermutationTest,
    compare_rounds,
    permutation_test,
)
from gammacp.campaign.compare.reference import ReferenceComparison

__all__ = [
    "AcrossGroups",
    "AnnotatorSummary",
    "CategoryAgreement",
    "Comparison",
    "Confusion",
    "Groups",
    "OtherRound",
    "PairMatrix",
    "PermutationTest",
    "ReferenceComparison",
    "WithoutAnnotator",
    "compare",
    "compare_rounds",
    "confusion",
    "groups_of",
    "members_of",
    "permutation_test",
]
