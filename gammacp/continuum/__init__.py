"""Units, continua and corpora, kept as columns of numbers that all other packages use.

Conventions
-----------
A continuum is one text or recording with everybody's units. Its columns are sorted by annotator,
start, end and category, so that the units of one annotator are a slice. Positions are float64,
which holds every integer up to 2⁵³ (Unix timestamps in ms among them) exactly. Unlabelled units
have category code −1 and category None; features beside the category are part of a unit's label
(`Label`), which `categories` names and codes count. Duplicates are units like any other.
"""

from gammacp.continuum.columns import Bounds
from gammacp.continuum.continuum import Continuum
from gammacp.continuum.corpus import Corpus
from gammacp.continuum.label import Label
from gammacp.continuum.links import Link
from gammacp.continuum.unit import Unit

__all__ = ["Bounds", "Continuum", "Corpus", "Label", "Link", "Unit"]
