"""The public names of `gammacp.segmentation`, which imports them at the first look."""

from gammacp.measures.segmentations.boundary import BoundarySimilarity, boundary_similarity
from gammacp.measures.segmentations.coefficients import Coefficients, coefficients
from gammacp.measures.segmentations.comparison import CorrectedSimilarity, Criterion, Mode
from gammacp.measures.segmentations.edits import (
    EditCosts,
    Edits,
    EditSearch,
    Substitution,
    Transposition,
    transposition_error,
)
from gammacp.measures.segmentations.hamming import HammingDistance, ghd, ghd_of_positions
from gammacp.measures.segmentations.similarity import (
    Similarity,
    optimal_edits,
    published_edits,
    segmentation_similarity,
)
from gammacp.measures.segmentations.tiling import from_continuum, inner_boundaries
from gammacp.measures.segmentations.value import Segmentation
from gammacp.measures.segmentations.windows import pk, window_diff, window_size
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
from gammacp.segmentation.pairwise import PairwiseRow, means, pairwise
from gammacp.segmentation.reading import load_codings, read_codings, read_groups
from gammacp.segmentation.report import SegmentationReport, segmentation_report
from gammacp.segmentation.statistics import Spread, spread
from gammacp.segmentation.table_reading import codings_from_table
