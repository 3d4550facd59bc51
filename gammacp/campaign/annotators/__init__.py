"""Whom to believe: models of annotators, fitted by expectation maximization.

Conventions
-----------
An *item* has one true class and one *response* of each annotator who saw it. The arrays of
`Responses` have a row per response. Truth and responses share one list of labels; for spans an item
is a unitary alignment and the last label is ∅: nothing there, nothing marked.

References
----------
Dawid & Skene (1979), Maximum likelihood estimation of observer error-rates using the EM algorithm.
Zhang, Chen, Zhou & Jordan (2016), Spectral methods meet EM (the one-coin model).
Hovy, Berg-Kirkpatrick, Vaswani & Hovy (2013), Learning whom to trust with MACE.
"""
