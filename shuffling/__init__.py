"""The Corpus Shuffling Tool (Mathet et al. 2012; Mathet, Widlöcher & Métivier 2015, §6.3).

>>> from shuffling import ReferenceModel, shuffle
>>> reference = ReferenceModel().draw(np.random.default_rng(1))
>>> shuffle(reference, "position+category", 0.3, n_annotators=3, seed=1)
"""

from __future__ import annotations

from shuffling.category import Category
from shuffling.distribution import Empirical, Uniform
from shuffling.false_negative import FalseNegative
from shuffling.false_positive import FalsePositive
from shuffling.merge import Merge
from shuffling.placement import Layout
from shuffling.position import Position
from shuffling.reference import CategoryModel, ReferenceModel
from shuffling.registry import ERRORS, ErrorType, describe, parse_errors, register
from shuffling.setting import Setting, Units
from shuffling.shuffle import (
    reference_of,
    reference_set,
    shuffle,
    shuffled_set,
    shuffled_sets,
)
from shuffling.split import Split

__all__ = [
    "ERRORS",
    "Category",
    "CategoryModel",
    "Empirical",
    "ErrorType",
    "FalseNegative",
    "FalsePositive",
    "Layout",
    "Merge",
    "Position",
    "ReferenceModel",
    "Setting",
    "Split",
    "Uniform",
    "Units",
    "describe",
    "parse_errors",
    "reference_of",
    "reference_set",
    "register",
    "shuffle",
    "shuffled_set",
    "shuffled_sets",
]
