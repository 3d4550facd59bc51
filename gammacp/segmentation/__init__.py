"""Linear segmentation: where one segment ends and the next begins, and how far coders agree.

A `Segmentation` is the value that all measures of this package take. Errors between a reference
and a hypothesis: `window_diff`, `pk`, `ghd`. Similarities of two segmentations of equal standing:
`segmentation_similarity` (S), `boundary_similarity` (B). Many coders and items: `read_codings`,
`segmentation_report` (all that the command prints), `coding_agreement` (π, κ, bias),
`measures_beyond_chance`, `candidate_drops`; systems against one of the coders: `gold_report`;
levels of segments: `hierarchy_report`.

References
----------
Beeferman, Berger & Lafferty 1999. Statistical models for text segmentation. Machine Learning 34.
Bookstein, Kulyukin & Raita 2002. Generalized Hamming Distance. Information Retrieval 5.
Fournier & Inkpen 2012. Segmentation similarity and agreement. NAACL-HLT ("2012" below).
Fournier 2013. Evaluating text segmentation using boundary edit distance. ACL ("2013").
Pevzner & Hearst 2002. A critique and improvement of an evaluation metric for text segmentation.
Computational Linguistics 28.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gammacp.segmentation.api import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        """Import a public name when it is first asked for: the command imports nothing."""
        api = vars(import_module("gammacp.segmentation.api"))
        names = [public_name for public_name in api if not public_name.startswith("_")]
        if name != "__all__" and name not in names:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals().update({public_name: api[public_name] for public_name in names}, __all__=names)
        return globals()[name]
