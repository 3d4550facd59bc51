"""Proofs that an alignment is the best one: bounds of units, and decomposition into components."""
