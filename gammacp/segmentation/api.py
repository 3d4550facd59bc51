"""The public names of `gammacp.segmentation`, which imports them at the first look."""

from gammacp.segmentation.agreement import (
    CodingAgreement,
    Intervals,
    PartAgreement,
    coding_agreement,
)
from gammacp.segmentation.beyond import CorpusMeasure, measures_beyond_chance
from gammacp.segmentation.candidate import CandidateDrop, candidate_drops
from gammacp.segmentation.codings import Codings, Group, against, merge_codings
from gammacp.segmentation.gold import Difference, GoldReport, SystemScore, gold_report
from gammacp.segmentation.hierarchy import Ordered, nest_levels, t_measures
from gammacp.segmentation.json_reading import codings_from_json
from gammacp.segmentation.levels import HierarchyReport, hierarchy_report
from gammacp.segmentation.measures.boundary import BoundarySimilarity, boundary_similarity
from gammacp.segmentation.measures.coefficients import Coefficients, coefficients
from gammacp.segmentation.measures.comparison import CorrectedSimilarity, Criterion, Mode
from gammacp.segmentation.measures.edits import (
    EditCosts,
    Edits,
    EditSearch,
    Substitution,
    Transposition,
    transposition_error,
)
from gammacp.segmentation.measures.hamming import HammingDistance, ghd, ghd_of_positions
from gammacp.segmentation.measures.similarity import (
    Similarity,
    optimal_edits,
    published_edits,
    segmentation_similarity,
)
from gammacp.segmentation.measures.tiling import from_continuum, inner_boundaries
from gammacp.segmentation.measures.value import Segmentation
from gammacp.segmentation.measures.windows import pk, window_diff, window_size
from gammacp.segmentation.pairwise import PairwiseRow, means, pairwise
from gammacp.segmentation.reading import load_codings, read_codings, read_groups
from gammacp.segmentation.report import SegmentationReport, segmentation_report
from gammacp.segmentation.statistics import Spread, spread
from gammacp.segmentation.table_reading import codings_from_table
