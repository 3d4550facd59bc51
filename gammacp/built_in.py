"""What comes with gammacp and is chosen by name: the modules of each registry, and their names.

Plain text, so that help lists names without importing what they stand for; a test holds it against
what the modules register. A new entry is a name here, and a line if it has a module of its own.
"""

from __future__ import annotations

from collections.abc import Mapping

MODULES: Mapping[str, Mapping[str, str]] = {
    "chance model": {
        "gammacp.chance.shift": "shift shift-pooled",
        "gammacp.chance.cut": "cut",
        "gammacp.chance.documents": "documents",
        "gammacp.chance.non_overlapping": "non-overlapping",
        "gammacp.chance.corpus": "corpus",
        "gammacp.chance.statistical": "statistical",
        "gammacp.chance.fixed": "fixed-positions",
    },
    "categorial dissimilarity": {
        "gammacp.dissimilarity.categorial": "nominal ordinal interval ratio levenshtein",
    },
    "dissimilarity": {"gammacp.dissimilarity.named": "combined"},
    "error type": {
        "shuffling.position": "position",
        "shuffling.category": "category",
        "shuffling.split": "split",
        "shuffling.false_positive": "false-positive",
        "shuffling.false_negative": "false-negative",
        "shuffling.merge": "merge",
    },
    # Formats with an unmistakable beginning come first, delimited text last.
    "format": {
        "gammacp.formats.native": "json",
        "gammacp.formats.elan": "elan",
        "gammacp.formats.textgrid": "textgrid",
        "gammacp.formats.rttm": "rttm",
        "gammacp.formats.brat": "brat",
        "gammacp.formats.glozz": "glozz",
        "gammacp.formats.webanno": "webanno",
        "gammacp.formats.cas": "cas",
        "gammacp.formats.label_studio": "label-studio",
        "gammacp.formats.web_annotation": "web-annotation",
        "gammacp.formats.prodigy": "prodigy",
        "gammacp.formats.doccano": "doccano",
        "gammacp.segmentation.files": "segeval segmentation-table",
        "gammacp.formats.spacy_docbin": "spacy",
        "gammacp.formats.conll": "conll",
        "gammacp.formats.delimited": "csv",
    },
    "measure": {
        "gammacp.measures.gamma": "gamma soft-gamma",
        "gammacp.measures.gamma_cat": "gamma-cat gamma-k",
        "gammacp.measures.krippendorff": "u-alpha binary-u-alpha cu-alpha ku-alpha",
        "gammacp.measures.krippendorff_2013": "u-alpha-2013",
        "gammacp.measures.discretised": "kappa-d",
        "gammacp.measures.slot_error_rate": "ser",
        "gammacp.measures.segmentation": "windowdiff pk ghd",
        "gammacp.measures.segmentation_similarity": "s b pi-s kappa-s multi-pi-s multi-kappa-s",
        "gammacp.syntax.measures": "alpha-plain alpha-diff alpha-norm las jaccard",
        "gammacp.measures.f1": "f1-exact f1-overlap f1-category",
        "gammacp.measures.predefined": "alpha kappa",
    },
    "positional dissimilarity": {
        "gammacp.dissimilarity.positional": "sporadic sporadic-2011 hamming",
    },
    "solver": {
        "gammacp.alignment.solvers.auto": "auto",
        "gammacp.alignment.solvers.enumeration": "enumeration",
        "gammacp.alignment.solvers.generation": "generation",
        "gammacp.alignment.solvers.crowds": "crowd",
        "gammacp.alignment.solvers.bipartite": "bipartite",
        "gammacp.alignment.solvers.cpsat": "cpsat",
        "gammacp.alignment.solvers.milp": "milp",
        "gammacp.alignment.solvers.greedy": "greedy",
        "gammacp.alignment.solvers.brute": "brute",
    },
    "view": {"gammacp.report.notebook": "alignment gamma comparison calibration consensus"},
}
