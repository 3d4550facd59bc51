"""Compiled kernels: all code that runs once per pair, group, label or column."""
