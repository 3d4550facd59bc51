"""Linear segmentation: where one segment ends and the next begins, and how far coders agree.

A `Segmentation` is the value that all measures of this package take. Errors between a reference
and a hypothesis: `window_diff`, `pk`, `ghd`, `confusion_matrix`. Similarities of two
segmentations of equal standing: `segmentation_similarity` (S), `boundary_similarity` (B). Many
coders and items: `read_codings`, `segmentation_report` (all that the command prints),
`coding_agreement` (π, κ, bias), `measures_beyond_chance`, `candidate_drops`; systems
against one of the coders: `gold_report`; levels of segments: `hierarchy_report`.

References
----------
Beeferman, Berger & Lafferty 1999. Statistical models for text segmentation. Machine Learning 34.
Bookstein, Kulyukin & Raita 2002. Generalized Hamming Distance. Information Retrieval 5.
Fournier & Inkpen 2012. Segmentation similarity and agreement. NAACL-HLT ("2012" below).
Fournier 2013. Evaluating text segmentation using boundary edit distance. ACL ("2013").
Pevzner & Hearst 2002. A critique and improvement of an evaluation metric for text segmentation.
Computational Linguistics 28.
"""

from gammacp.measures.segmentations.boundary import (
    BoundarySimilarity,
    boundary_similarity,
)
from gammacp.measures.segmentations.choices import Basis, EditSearch, Mode
from gammacp.measures.segmentations.coefficients import Coefficients, coefficients
from gammacp.measures.segmentations.comparison import Comparison
from gammacp.measures.segmentations.edits import (
    EditCosts,
    Edits,
    Substitution,
    Transposition,
    transposition_error,
)
from gammacp.measures.segmentations.hamming import Hamming, ghd, ghd_of_positions
from gammacp.measures.segmentations.similarity import Similarity, segmentation_similarity
from gammacp.measures.segmentations.tiling import from_continuum, inner_boundaries
from gammacp.measures.segmentations.transpositions import optimal_edits, published_edits
from gammacp.measures.segmentations.value import Segmentation
from gammacp.measures.segmentations.windows import pk, window_diff, window_size
from gammacp.segmentation.agreement import (
    Bootstrap,
    CodingAgreement,
    Intervals,
    PartAgreement,
    coding_agreement,
)
from gammacp.segmentation.beyond import CorpusMeasure, measures_beyond_chance
from gammacp.segmentation.candidate import CandidateDrop, candidate_drops
from gammacp.segmentation.codings import Codings, Group, against, merged
from gammacp.segmentation.confusion import ConfusionMatrix, confusion_matrix
from gammacp.segmentation.gold import Difference, GoldReport, SystemScore, gold_report
from gammacp.segmentation.hierarchy import Ordered, nested, t_measures
from gammacp.segmentation.levels import HierarchyReport, hierarchy_report
from gammacp.segmentation.pairwise import PairwiseRow, means, pairwise
from gammacp.segmentation.reading import codings_from_json, load_codings, read_codings, read_groups
from gammacp.segmentation.report import SegmentationReport, segmentation_report
from gammacp.segmentation.statistics import Spread, spread
from gammacp.segmentation.table_reading import codings_from_table
from gammacp.segmentation.writing import to_json, to_table, write_codings

__all__ = [
    "Basis",
    "Bootstrap",
    "BoundarySimilarity",
    "CandidateDrop",
    "CodingAgreement",
    "Codings",
    "Coefficients",
    "Comparison",
    "ConfusionMatrix",
    "CorpusMeasure",
    "Difference",
    "EditCosts",
    "EditSearch",
    "Edits",
    "GoldReport",
    "Group",
    "Hamming",
    "HierarchyReport",
    "Intervals",
    "Mode",
    "Ordered",
    "PairwiseRow",
    "PartAgreement",
    "Segmentation",
    "SegmentationReport",
    "Similarity",
    "Spread",
    "Substitution",
    "SystemScore",
    "Transposition",
    "against",
    "boundary_similarity",
    "candidate_drops",
    "coding_agreement",
    "codings_from_json",
    "codings_from_table",
    "coefficients",
    "confusion_matrix",
    "from_continuum",
    "ghd",
    "ghd_of_positions",
    "gold_report",
    "hierarchy_report",
    "inner_boundaries",
    "load_codings",
    "means",
    "measures_beyond_chance",
    "merged",
    "nested",
    "optimal_edits",
    "pairwise",
    "pk",
    "published_edits",
    "read_codings",
    "read_groups",
    "segmentation_report",
    "segmentation_similarity",
    "spread",
    "t_measures",
    "to_json",
    "to_table",
    "transposition_error",
    "window_diff",
    "window_size",
    "write_codings",
]
