"""The public names of `gammacp.segmentation`, which imports them at the first look."""

from gammacp.segmentation.agreement import (
    Bootstrap,
    CodingAgreement,
    Intervals,
    PartAgreement,
    coding_agreement,
)
from gammacp.segmentation.beyond import CorpusMeasure, measures_beyond_chance
from gammacp.segmentation.boundary import (
    BoundarySimilarity,
    ConfusionMatrix,
    boundary_similarity,
    confusion_matrix,
)
from gammacp.segmentation.candidate import CandidateDrop, candidate_drops
from gammacp.segmentation.choices import Basis, EditSearch, Mode
from gammacp.segmentation.codings import Codings, Group, against, merged
from gammacp.segmentation.coefficients import Coefficients, coefficients
from gammacp.segmentation.comparison import Comparison
from gammacp.segmentation.edits import (
    EditCosts,
    Edits,
    Substitution,
    Transposition,
    transposition_error,
)
from gammacp.segmentation.gold import Difference, GoldReport, SystemScore, gold_report
from gammacp.segmentation.hamming import Hamming, ghd, ghd_of_positions
from gammacp.segmentation.hierarchy import Ordered, l_measures, nested, t_measures
from gammacp.segmentation.json_reading import codings_from_json
from gammacp.segmentation.levels import HierarchyReport, hierarchy_report
from gammacp.segmentation.pairwise import PairwiseRow, means, pairwise
from gammacp.segmentation.rates import MissRates, miss_rates
from gammacp.segmentation.reading import load_codings, read_codings, read_groups
from gammacp.segmentation.report import SegmentationReport, segmentation_report
from gammacp.segmentation.several_references import (
    SeveralReferences,
    WindowErrors,
    against_several,
    mult_window_diff,
)
from gammacp.segmentation.similarity import Similarity, segmentation_similarity
from gammacp.segmentation.statistics import Spread, spread
from gammacp.segmentation.table_reading import codings_from_table
from gammacp.segmentation.tiling import from_continuum, inner_boundaries
from gammacp.segmentation.transpositions import optimal_edits, published_edits
from gammacp.segmentation.value import Segmentation
from gammacp.segmentation.windows import pk, window_diff, window_size
from gammacp.segmentation.writing import to_json, to_table, write_codings
