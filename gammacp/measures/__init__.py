"""Measures of agreement, one module per family, one registry.

To measure, call `gamma` or `gamma_corpus` for γ alone, and `measuring.measure` for any registered
measures of a continuum or a corpus. Results: `Score`, or `CorpusScore` of several documents.
`registry` says what a measure is, `evaluation` computes one with the options that it declares, and
`settings` has the options of γ and its family.

γ
    `gamma`, `gamma_cat`, `gamma_corpus` and `within` share alignments and random sets
    (`random_sets`); `agreement` gives γ with its parts and intervals, for whatever is compared.
    `marked` is the agreement on whether a document contains any unit. `explaining/` divides the
    disorder by cause, annotator and document; `gamma_proof/` writes and repeats a proof.
Other measures
    `unitizing/` (uα, κ_d), `matching/` (F₁, partial credit, slot error rate) and `labels/` (α and κ
    of labels at given places, presence of a code).
Documents and corpora
    A measure counts numbers that add up over documents, and one formula makes a value of any sum
    (`counting`). `pooling` adds up; `corpora/` measures a corpus, with intervals and remarks.
Chance
    `beyond_chance` corrects any measure; `zeros` holds what independent annotators got in a study.
"""
