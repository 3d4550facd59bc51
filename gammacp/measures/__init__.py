"""Measures of agreement, one module per family, one registry.

To measure, call `gamma` or `gamma_corpus` for γ alone, and `measuring.measure` for any registered
measures of a continuum or a corpus. Results: `Score`, or `CorpusScore` of several documents.
`registry` says what a measure is, `evaluation` computes one with the options that it declares, and
`settings` has the options of γ and its family.

γ
    `gamma`, `gamma_cat`, `gamma_corpus` and `within` share alignments and random sets
    (`random_sets`); `agreement` gives γ with its parts and intervals, for whatever is compared.
    `explanation`, `borne`, `components` and `pair_rows` divide its disorder by cause, annotator and
    document. `certificates`, `gamma_proof` and `redraw` write and repeat a proof.
Other measures
    `krippendorff`, `krippendorff_2013` and `discretised` (uα, κ_d); `f1`, `partial_credit` and
    `slot_error_rate`; `predefined` and `coefficients` for labels at given places; `presence`
    (whether a document contains a code) and `marked` (whether it contains any unit). `sections`,
    `coincidences` and `overlapping` have what several of these count; `label_matching` maps labels
    that are arbitrary names onto each other before they are measured.
Documents and corpora
    A measure counts numbers that add up over documents, and one formula makes a value of any sum
    (`counting`). `pooling` and the `corpus_…` modules add up, with intervals and remarks.
Chance
    `beyond_chance` corrects any measure; `zeros` holds what independent annotators got in a study.
"""
