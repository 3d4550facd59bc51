"""Compiled kernels: all code that runs once per pair, group, label or column.

A kernel is named after its caller; docs/dev/alignment.md has a table of the others.
"""
