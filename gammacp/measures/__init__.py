"""Measures of agreement, one module per family, one registry."""
