"""Segmentations and what measures make of two of them: S, B, WindowDiff, P_k, GHD, π and κ."""
