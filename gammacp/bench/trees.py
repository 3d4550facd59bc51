"""Sweeps of errors in trees (Skjærholt 2014, §3): a sample, and perturbed copies of it.

Sentences are taken as correct; a set is the sample with one perturbed copy of each sentence, as in
the paper (its LAS is linear in each probability, so it cannot have perturbed both sides). Errors
are written `label`, `attach`, `label+attach`, and with a variant `attach:uniform`, `attach:local`
(`shuffling.trees`) or `label:confusion` (needs a confusion matrix).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from gammacp.bench.seeds import tree_seed
from gammacp.bench.table import Point, point_of
from gammacp.errors import DataError, UsageError
from gammacp.syntax.agreement import syntax_agreement
from gammacp.syntax.annotations import Dependencies, Phrase, Sentence, Treebank
from gammacp.syntax.trees import unreachable_tokens
from shuffling.phrases import phrase_labels, reattach_phrases, relabel_phrases
from shuffling.trees import LabelConfusion, reattach, relabel

PAPER_ERRORS = ("label+attach", "label", "attach")
PAPER_MAGNITUDES = tuple(k / 10 for k in range(1, 11))
PAPER_SETS = 10
PAPER_SENTENCES = 100
_VARIANTS = {
    "label": ("uniform", "confusion"),
    "attach": ("post-order", "uniform", "local"),
}
_ALPHAS = {"alpha-plain": "plain", "alpha-diff": "diff", "alpha-norm": "norm"}
_ACCURACIES = {"dependency": "las", "phrase": "jaccard"}


@dataclass(frozen=True, kw_only=True)
class TreeSweep:
    """What is swept.

    Attributes
    ----------
    sentences
        The sample, taken as correct.
    errors
        As in the module's text.
    magnitudes
        Probabilities, of a token (or constituent), that it is relabelled or reattached.
    sets
        Perturbed copies per magnitude.
    confusion
        What `label:confusion` mistakes labels for.
    """

    sentences: tuple[Sentence, ...]
    errors: tuple[str, ...] = PAPER_ERRORS
    magnitudes: tuple[float, ...] = PAPER_MAGNITUDES
    sets: int = PAPER_SETS
    seed: int = 0
    confusion: LabelConfusion | None = None
    workers: int = 2

    def __post_init__(self) -> None:
        """Check names and ranges."""
        for error in self.errors:
            parse_tree_error(error)
            if "label:confusion" in error and self.confusion is None:
                raise UsageError("label:confusion needs a confusion matrix")
        if not self.sentences:
            raise DataError("no sentence to perturb")
        if self.sets < 1 or not all(0 <= m <= 1 for m in self.magnitudes):
            raise UsageError("a sweep needs a set, and magnitudes between 0 and 1")

    @property
    def measures(self) -> tuple[str, ...]:
        """α plain, diff, norm, and LAS or Jaccard similarity."""
        kind = "phrase" if isinstance(self.sentences[0], Phrase) else "dependency"
        return (*_ALPHAS, _ACCURACIES[kind])


def parse_tree_error(text: str) -> dict[str, str]:
    """`label+attach:local` → {"label": "uniform", "attach": "local"}; UsageError if unknown."""
    found: dict[str, str] = {}
    for part in text.split("+"):
        name, _, variant = part.partition(":")
        if name not in _VARIANTS or name in found:
            raise UsageError(f"error {part!r} of trees is not one of: label, attach (each once)")
        found[name] = variant or _VARIANTS[name][0]
        if found[name] not in _VARIANTS[name]:
            raise UsageError(f"error {part!r} has no such variant; {', '.join(_VARIANTS[name])}")
    return found


def sample_sentences(
    sentences: Iterable[Sentence], *, number: int = PAPER_SENTENCES, seed: int = 0
) -> tuple[Sentence, ...]:
    """At most `number` sentences at random, in their order; cyclic ones have no tree to perturb."""
    sound = [
        s for s in sentences if not (isinstance(s, Dependencies) and unreachable_tokens(s.heads))
    ]
    if not sound:
        raise DataError("no sentence without a cycle, so nothing to perturb")
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    chosen = rng.choice(len(sound), size=min(number, len(sound)), replace=False)
    return tuple(sound[k] for k in sorted(chosen))


def tree_points(
    sweep: TreeSweep, *, progress: Callable[[int, int], None] | None = None
) -> list[Point]:
    """Mean and standard deviation over the sets of each error, measure and magnitude."""
    points = []
    total = len(sweep.errors) * len(sweep.magnitudes) * sweep.sets
    done = 0
    for error in sweep.errors:
        values: dict[tuple[str, float], list[float]] = {}
        for magnitude in sweep.magnitudes:
            for number in range(sweep.sets):
                for name, value in tree_set_scores(sweep, error, magnitude, number).items():
                    values.setdefault((name, magnitude), []).append(value)
                done += 1
                if progress is not None:
                    progress(done, total)
        points += [
            point_of(error, name, magnitude, values[name, magnitude])
            for name in sweep.measures
            for magnitude in sweep.magnitudes
        ]
    return points


def tree_set_scores(
    sweep: TreeSweep, error: str, magnitude: float, number: int
) -> dict[str, float]:
    """The measures of one set: the sample and its perturbed copy."""
    rng = np.random.default_rng(tree_seed(sweep.seed, error, magnitude, number))
    copy = perturbed(sweep.sentences, error, magnitude, rng, confusion=sweep.confusion)
    treebank = Treebank.from_annotations({"correct": sweep.sentences, "perturbed": copy})
    total = syntax_agreement(treebank, breakdown=False, workers=sweep.workers).total
    values = {**{name: total.alpha[d] for name, d in _ALPHAS.items()}, **total.scores}
    return {name: values[name] for name in sweep.measures}


def perturbed(
    sentences: Sequence[Sentence],
    error: str,
    magnitude: float,
    rng: np.random.Generator,
    *,
    confusion: LabelConfusion | None = None,
) -> list[Sentence]:
    """A copy of the sentences with errors; labels are drawn from those of the sentences."""
    variants = parse_tree_error(error)
    mistakes = confusion
    if variants.get("label") == "uniform":
        mistakes = LabelConfusion.uniform(_labels(sentences))
    return [_perturbed(s, variants, magnitude, mistakes, rng) for s in sentences]


def _labels(sentences: Sequence[Sentence]) -> list[str]:
    phrases = [s.nested for s in sentences if isinstance(s, Phrase)]
    if phrases:
        return list(phrase_labels(phrases)[0])
    return [x for s in sentences if isinstance(s, Dependencies) for x in s.relations]


def _perturbed(
    sentence: Sentence,
    variants: dict[str, str],
    p: float,
    confusion: LabelConfusion | None,
    rng: np.random.Generator,
) -> Sentence:
    if isinstance(sentence, Phrase):
        nested = sentence.nested
        if confusion is not None and "label" in variants:
            nested = relabel_phrases(nested, p, confusion, rng)
        if "attach" in variants:
            nested = reattach_phrases(nested, p, rng, attachment=variants["attach"])
        return Phrase(nested, sentence.forms, size=sentence.size)
    relations, heads = sentence.relations, sentence.heads
    if confusion is not None and "label" in variants:
        relations = tuple(relabel(relations, p, confusion, rng))
    if "attach" in variants:
        heads = tuple(reattach(heads, p, rng, attachment=variants["attach"]))
    return Dependencies(heads, relations, sentence.forms)
