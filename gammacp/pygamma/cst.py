"""The Corpus Shuffling Tool of pygamma-agreement, with the errors of `shuffling`."""

from collections.abc import Callable, Iterable
from functools import partialmethod
from typing import Any

import numpy as np

from gammacp.pygamma.continuum import Continuum
from gammacp.pygamma.units import Segment, Unit, warn_of_difference
from shuffling import Category, Setting, Units, fit
from shuffling.shuffle import Errors, resolve_errors

# These factors are those of pygamma-agreement.
_POSITION = "position:factor=2"
_TOO_MANY = "false-positive:factor=1"
_SPLIT = "split:factor=2.5"


class CorpusShufflingTool:
    """Simulate annotators who copy the first annotator of a continuum with errors."""

    def __init__(self, magnitude: float, reference: Continuum, categories: Any = ()) -> None:
        """Set magnitude (0 to 1) and reference; `categories` adds some that the reference lacks."""
        warn_of_difference("shuffling")
        self.magnitude = magnitude
        self._name = reference.annotators[0]
        self._categories = reference.categories.union(categories or ())
        self._reference = reference.copy_flush()
        for unit in reference[self._name]:
            self._reference.add(self._name, unit.segment, unit.annotation)

    def corpus_from_reference(self, new_annotators: int | Iterable[Any]) -> Continuum:
        """Return a continuum of annotators who copy the reference without errors."""
        if isinstance(new_annotators, int):
            new_annotators = [f"annotator_{i}" for i in range(new_annotators)]
        corpus = self._reference.copy_flush()
        corpus.categories.update(self._categories)
        for annotator in new_annotators:
            corpus.put(annotator, self._reference[self._name])
        return corpus

    def _err(self, continuum: Continuum, errors: Errors) -> None:
        native = self._reference.to_gammacp()
        names = list(self._reference.categories)
        setting = Setting.of(native, fit(native, integer=False))
        code = {None: -1, **{name: i for i, name in enumerate(names)}}
        rng = np.random.default_rng(np.random.randint(2**31))  # noqa: NPY002
        for annotator in continuum.annotators:
            units = continuum[annotator]
            rows = [(u.segment.start, u.segment.end, code[u.annotation]) for u in units]
            start, end, kind = np.array(rows, np.float64).reshape(-1, 3).T
            shuffled = Units(start, end, kind.astype(np.int32))
            for error in resolve_errors(errors):
                shuffled = error.apply(shuffled, self.magnitude, setting, rng)
            columns = zip(
                shuffled.starts.tolist(), shuffled.ends.tolist(), shuffled.codes, strict=True
            )
            nonempty = [
                Unit(Segment(a, b), None if k < 0 else names[k]) for a, b, k in columns if b > a
            ]
            # Keep at least one unit, so that the disorder is defined.
            if units:
                one = [units[rng.integers(len(units))]]
            else:
                one = []
            continuum.put(annotator, nonempty or one)

    shift_shuffle = partialmethod(_err, errors=_POSITION)
    false_neg_shuffle = partialmethod(_err, errors="false-negative")
    false_pos_shuffle = partialmethod(_err, errors=_TOO_MANY)
    splits_shuffle = partialmethod(_err, errors=_SPLIT)

    def category_shuffle(
        self,
        continuum: Continuum,
        overlapping_fun: Callable[[Any, Any], float] | None = None,
        prevalence: bool = True,  # noqa: ARG002
    ) -> None:
        """Replace categories by others, drawn by shares; `overlapping_fun` prefers similar ones."""
        close = overlapping_fun
        names = self._reference.categories
        rows = close and tuple(tuple(float(close(a, b)) for b in names) for a in names)
        self._err(continuum, Category(overlap=rows is not None, closeness=rows))

    def corpus_shuffle(
        self,
        annotators: int | Iterable[Any],
        shift: bool = False,
        false_pos: bool = False,
        false_neg: bool = False,
        split: bool = False,
        cat_shuffle: bool = False,
        include_ref: bool = False,
    ) -> Continuum:
        """Return annotators with the selected kinds of errors; `include_ref` adds the reference."""
        corpus = self.corpus_from_reference(annotators)
        switches = (shift, false_pos, false_neg, cat_shuffle, split)
        kinds = (_POSITION, _TOO_MANY, "false-negative", "category", _SPLIT)
        if errors := "+".join(k for k, is_on in zip(kinds, switches, strict=True) if is_on):
            self._err(corpus, errors)
        if include_ref:
            assert self._name not in corpus.annotators, "the reference's name is taken"
            corpus.merge(self._reference, in_place=True)
        return corpus
