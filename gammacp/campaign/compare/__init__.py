"""Who agrees with whom, and how sure that is: comparisons, bootstrap, permutation tests."""

from gammacp.campaign.compare.bootstrap import BootstrapInterval, bootstrap
from gammacp.campaign.compare.categories import CategoryAgreement, Confusion, by_category, confusion
from gammacp.campaign.compare.comparison import (
    AnnotatorSummary,
    Comparison,
    compare,
    compare_rounds,
)
from gammacp.campaign.compare.contributions import Contributions
from gammacp.campaign.compare.pairs import LeftOut, PairMatrix, left_out, pair_matrix
from gammacp.campaign.compare.permutation import PermutationTest, permutation_test
from gammacp.campaign.compare.reference import ReferenceComparison, against_reference
from gammacp.campaign.compare.scoring import Agreement, agreement, with_bootstrap

__all__ = [
    "Agreement",
    "AnnotatorSummary",
    "BootstrapInterval",
    "CategoryAgreement",
    "Comparison",
    "Confusion",
    "Contributions",
    "LeftOut",
    "PairMatrix",
    "PermutationTest",
    "ReferenceComparison",
    "against_reference",
    "agreement",
    "bootstrap",
    "by_category",
    "compare",
    "compare_rounds",
    "confusion",
    "left_out",
    "pair_matrix",
    "permutation_test",
    "with_bootstrap",
]
