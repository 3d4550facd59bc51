"""Dual prices of units: by linear programs, by diffusion, and by projection."""
