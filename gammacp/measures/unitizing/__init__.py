"""Measures over all positions: Krippendorff's uα in two forms, and κ_d (`discretised`).

`sections` has what both count: stretches with the same labels by everybody.
"""
