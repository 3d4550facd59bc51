"""One case with pygamma-agreement, in its own environment and process: python THIS FILE.csv WHAT.

Prints JSON: CPU seconds once warmed up, peak memory above what it held before, and the disorder.
WHAT is `align` or `gamma`.
"""

import json
import sys
import time

from alignment_memory import peak_since, reset_peak


def main() -> None:
    import numpy as np
    from pyannote.core import Segment
    from pygamma_agreement import CombinedCategoricalDissimilarity, Continuum

    warm = Continuum()
    for annotator in ("a", "b"):
        for start in (0, 10, 20):
            warm.add(annotator, Segment(start, start + 5), "x")
    dissimilarity = CombinedCategoricalDissimilarity(alpha=1, beta=1)
    warm.get_best_alignment(dissimilarity)
    held = reset_peak()
    continuum = Continuum.from_csv(sys.argv[1])
    dissimilarity = CombinedCategoricalDissimilarity(alpha=1, beta=1)
    np.random.seed(0)  # noqa: NPY002 (the peer draws from the global generator)
    start = time.process_time()
    if sys.argv[2] == "gamma":
        value = continuum.compute_gamma(dissimilarity, n_samples=30).expected_disorder
    else:
        value = continuum.get_best_alignment(dissimilarity).disorder
    cpu = time.process_time() - start
    print(
        json.dumps({"cpu": cpu, "memory": peak_since(held), "disorder": float(value), "status": ""})
    )


main()
