"""Linear segmentation: where one segment ends and the next begins, and how far coders agree.

A `Segmentation` is the value that all measures of this package take. Errors between a reference
and a hypothesis: `window_diff`, `pk`, `ghd`, `miss_rates`, `confusion_matrix`. Similarities of two
segmentations of equal standing: `segmentation_similarity` (S), `boundary_similarity` (B).

References
----------
Beeferman, Berger & Lafferty 1999. Statistical models for text segmentation. Machine Learning 34.
Bookstein, Kulyukin & Raita 2002. Generalized Hamming Distance. Information Retrieval 5.
Fournier & Inkpen 2012. Segmentation similarity and agreement. NAACL-HLT ("2012" below).
Fournier 2013. Evaluating text segmentation using boundary edit distance. ACL ("2013").
Pevzner & Hearst 2002. A critique and improvement of an evaluation metric for text segmentation.
Computational Linguistics 28.
"""

from gammacp.segmentation.boundary import (
    BoundarySimilarity,
    ConfusionMatrix,
    boundary_similarity,
    confusion_matrix,
)
from gammacp.segmentation.edits import (
    EditCosts,
    Edits,
    Substitution,
    Transposition,
    transposition_error,
)
from gammacp.segmentation.hamming import Hamming, ghd, ghd_of_positions
from gammacp.segmentation.rates import MissRates, miss_rates
from gammacp.segmentation.similarity import EditSearch, Similarity, segmentation_similarity
from gammacp.segmentation.tiling import from_continuum, inner_boundaries
from gammacp.segmentation.transpositions import optimal_edits, published_edits
from gammacp.segmentation.value import Segmentation
from gammacp.segmentation.windows import pk, window_diff, window_size

__all__ = [
    "BoundarySimilarity",
    "ConfusionMatrix",
    "EditCosts",
    "EditSearch",
    "Edits",
    "Hamming",
    "MissRates",
    "Segmentation",
    "Similarity",
    "Substitution",
    "Transposition",
    "boundary_similarity",
    "confusion_matrix",
    "from_continuum",
    "ghd",
    "ghd_of_positions",
    "inner_boundaries",
    "miss_rates",
    "optimal_edits",
    "pk",
    "published_edits",
    "segmentation_similarity",
    "transposition_error",
    "window_diff",
    "window_size",
]
