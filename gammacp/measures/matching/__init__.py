"""Measures that match the units of two annotators: F₁, partial credit, and the slot error rate.

`overlapping` lists the pairs of units that may be matched; `label_matching` maps labels that are
arbitrary names onto each other beforehand.
"""
