"""Proofs of a value of γ: `writing` makes the folder, and `redraw` repeats its random sets.

`sets_to_certify` aligns the data and the random sets of which certificates are asked for.
"""
