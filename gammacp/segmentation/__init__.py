"""Linear segmentation: where one segment ends and the next begins, and how far coders agree.

A `Segmentation` is the value that all measures of this package take. Errors between a reference
and a hypothesis: `window_diff`, `pk`, `ghd`.

References
----------
Beeferman, Berger & Lafferty 1999. Statistical models for text segmentation. Machine Learning 34.
Bookstein, Kulyukin & Raita 2002. Generalized Hamming Distance. Information Retrieval 5.
Fournier & Inkpen 2012. Segmentation similarity and agreement. NAACL-HLT.
Pevzner & Hearst 2002. A critique and improvement of an evaluation metric for text segmentation.
Computational Linguistics 28.
"""

from gammacp.segmentation.hamming import Hamming, ghd, ghd_of_positions
from gammacp.segmentation.tiling import from_continuum, inner_boundaries
from gammacp.segmentation.value import Segmentation
from gammacp.segmentation.windows import pk, window_diff, window_size

__all__ = [
    "Hamming",
    "Segmentation",
    "from_continuum",
    "ghd",
    "ghd_of_positions",
    "inner_boundaries",
    "pk",
    "window_diff",
    "window_size",
]
