"""Measures of labels at given places: α, κ and AC (`predefined`), and `presence` of a code.

`coincidences` and `coefficients` have the formulas; `category_metrics` says how far two categories
are apart.
"""
