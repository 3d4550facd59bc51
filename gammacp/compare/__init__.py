"""Who agrees with whom, and how sure that is: comparisons, bootstrap, permutation tests."""

from gammacp.compare.bootstrap import BootstrapInterval, bootstrap
from gammacp.compare.categories import CategoryAgreement, Confusion, by_category, confusion
from gammacp.compare.comparison import AnnotatorSummary, Comparison, compare, compare_rounds
from gammacp.compare.contributions import Contributions
from gammacp.compare.pairs import LeftOut, PairMatrix, left_out, pair_matrix
from gammacp.compare.permutation import PermutationTest, permutation_test
from gammacp.compare.reference import ReferenceComparison, against_reference
from gammacp.compare.scoring import Agreement, agreement, with_bootstrap

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
