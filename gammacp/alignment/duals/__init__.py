"""Dual prices of units, and shares of costs: what bounds the best alignment from below.

Prices are numbers per unit such that no group gains more than the prices of its units: their sum
bounds every alignment. Shares divide each group's cost among its units, to the same end. Prices
come from linear programs (`lp`), diffusion (`diffusion`) and projection (`projection`); shares from
proximal steps (`proximal`) and semidefinite relaxations (`semidefinite`, `nested`, `blocks`,
`definite`).
"""
