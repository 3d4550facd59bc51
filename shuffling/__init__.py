"""The Corpus Shuffling Tool (Mathet et al. 2012; Mathet, Widlöcher & Métivier 2015, §6.3).

>>> from shuffling import ReferenceModel, reference_set, shuffle
>>> reference = reference_set(ReferenceModel(), seed=1)
>>> annotated = shuffle(reference, "position+category", 0.3, n_annotators=3, seed=1)
>>> annotated.annotators, annotated.n_units
(('annotator-1', 'annotator-2', 'annotator-3'), 75)
"""

from shuffling.category import Category
from shuffling.checking import check_error
from shuffling.complement import Complement
from shuffling.distribution import Empirical, Uniform
from shuffling.false_negative import FalseNegative
from shuffling.false_positive import FalsePositive
from shuffling.fitting import fit
from shuffling.merge import Merge
from shuffling.model_file import model_text, read_model
from shuffling.opposed import Opposed
from shuffling.panel import Group, Panel, School, read_panel
from shuffling.placement import Layout
from shuffling.position import Position
from shuffling.reference import CategoryModel, ReferenceModel
from shuffling.registry import ERRORS, ErrorType, describe, parse_errors, register
from shuffling.setting import FewerErrors, Setting, Units
from shuffling.shuffle import reference_of, reference_set, shuffle, shuffled_set, shuffled_sets
from shuffling.split import Split

__all__ = [
    "ERRORS",
    "Category",
    "CategoryModel",
    "Complement",
    "Empirical",
    "ErrorType",
    "FalseNegative",
    "FalsePositive",
    "FewerErrors",
    "Group",
    "Layout",
    "Merge",
    "Opposed",
    "Panel",
    "Position",
    "ReferenceModel",
    "School",
    "Setting",
    "Split",
    "Uniform",
    "Units",
    "check_error",
    "describe",
    "fit",
    "model_text",
    "parse_errors",
    "read_model",
    "read_panel",
    "reference_of",
    "reference_set",
    "register",
    "shuffle",
    "shuffled_set",
    "shuffled_sets",
]
