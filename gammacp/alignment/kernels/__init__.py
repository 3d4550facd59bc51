"""Compiled kernels: everything that runs once per pair, group, label or column."""
