"""Formats of boxes, outlines and spectrograms; what shapes are is in `gammacp.continuum.shapes`."""
