"""Experiments: the tables and figures of papers, and studies of our own, one file each.

Files with a leading underscore are helpers; `claims/` says what each paper states about them. Run
one with `gammacp reproduce NAME`.
"""
