"""Presence: does a document contain a code at all, by each of its annotators.

Qualitative coders often compare which codes a document, an interview or a case has, not where they
are. A document and a code are an item, whose label is present or absent; α of these items is
Krippendorff's (2013, §12.3), with missing values where an annotator did not read a document. Of
several codes the disagreements that are observed and those that are expected are summed, so that a
code that everybody always or never finds weighs nothing.
"""

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.base.signature import signature
from gammacp.base.text import UNLABELLED
from gammacp.chance.beyond import ratios
from gammacp.continuum import Continuum
from gammacp.measures.counting import Counting, Counts, Numbers, Rates, share
from gammacp.measures.labels.coincidences import expected_coincidences
from gammacp.measures.registry import observed_disagreement, registered
from gammacp.measures.score import Score, undefined

_ONE_DOCUMENT = "it is about several documents together, as a corpus has them"
_ALWAYS = "every code is in all documents or in none, so no disagreement can be expected"


def count_presence(continuum: Continuum) -> Counts:
    """Count coincidences of a code's presence and absence in one document, by code.

    Parameters
    ----------
    continuum
        Continuum; its annotators, two at least, have read it, whether or not they marked anything.
    """
    m = continuum.n_annotators
    k = len(continuum.categories)
    codes = np.where(continuum.category_codes < 0, k, continuum.category_codes)
    marked = np.zeros((m, k + 1))
    marked[continuum.annotator_codes, codes] = 1.0
    some = marked[:, : k + 1 if marked[:, k].any() or not k else k]
    present = some.sum(axis=0)
    absent = m - present
    others = m - 1
    numbers = {
        "both_present": present * (present - 1) / others,
        "apart": present * absent / others,
        "both_absent": absent * (absent - 1) / others,
        "documents": np.ones(len(present)),
    }
    names = (*continuum.categories, UNLABELLED)[: len(present)]
    counts = {name: values[None] for name, values in numbers.items()}
    # A code that does not occur in this document is absent according to all of its annotators.
    return Counts((continuum.annotators,), {**counts, "readers": np.array([float(m)])}, names)


def presence_rates(numbers: Numbers) -> Rates:
    """Return α of presence: 1 − Σ D_o / Σ D_e over codes.

    Parameters
    ----------
    numbers
        `both_present`, `apart`, `both_absent` and `documents`, with codes along the last axis.
    """
    apart = numbers["apart"]
    readers = numbers["readers"][..., None]
    # Documents that lack a code altogether have it absent for each reader.
    n_known = numbers["both_present"] + 2 * apart + numbers["both_absent"]
    absent = numbers["both_absent"] + np.maximum(readers - n_known, 0.0)
    table = np.stack(
        [np.stack([numbers["both_present"], apart], -1), np.stack([apart, absent], -1)], -2
    )
    marginal = table.sum(axis=-1)
    chance: Floats = expected_coincidences(marginal, marginal)[..., 0, 1]
    total = marginal.sum(axis=-1)
    observed = share(apart.sum(axis=-1), total.sum(axis=-1)) * 2
    expected = share(chance.sum(axis=-1), total.sum(axis=-1)) * 2
    return Rates(
        value=ratios(observed, expected),
        disagreement=observed,
        size=numbers["documents"].max(axis=-1, initial=0.0),
        expected=expected,
    )


@registered(
    "presence",
    "α of whether a document contains a code at all; of a corpus only",
    "Krippendorff 2013, §12.3",
    disagreement=observed_disagreement,
    fragments="whole",
    counting=Counting(
        count=count_presence, rates=presence_rates, pooling="all", nothing=_ALWAYS, alone=False
    ),
)
def presence(continuum: Continuum) -> Score:
    """Undefined for one document; `gammacp.measure` of a corpus has α over documents.

    Parameters
    ----------
    continuum
        A document of a corpus.

    Worked value: a code that A finds in documents 1, 2 and B in 1, 2, 3 of four: D_o = 1/4,
    of 8 values 5 are present, D_e = 2·5·3/(8·7) = .5357; α = .5333.
    """
    line = signature("presence", selection=continuum.selection)
    if continuum.n_annotators > 1:
        counts = count_presence(continuum)
    else:
        counts = None
    return Score(value=undefined("").value, reason=_ONE_DOCUMENT, signature=line, counts=counts)
