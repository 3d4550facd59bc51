"""Chance models: random annotation sets, and how many of them.

A measure is corrected for chance by its value on random annotations. A chance model makes these
from the annotators' own units; `registry` says what a model is, and chooses the default: `cut` for
a single continuum, `documents` for a corpus with at least as many documents as annotators.

Models
    `cut` turns each annotator's units around a circle, cutting between units; `completed`, `grid`
    and `pauses/` adapt it to rhythms, words and silences. `tilted` is a variant of it for units
    that lie towards one end.
    `documents` exchanges the documents of each annotator. `shift`, `corpus`, `statistical`,
    `normal` (the model `statistical-normal`) and `non_overlapping` are those of published papers.
    `fixed` (the model `fixed-positions`) keeps places and redraws labels.
    `annotation` has what all share: the units of one annotator, and sets made of several.
Sampling
    `sampling` draws numbered sets, each from a random stream of its own; `expected` decides when
    there are enough, and gives their mean with its interval and p. `beyond` is the one place of
    1 − D_o/D_e, for every measure.
Assumptions
    `direction` and `common_gaps` test what `cut` assumes; `refusals` words why a model cannot be
    used.
"""
