"""Annotation sets of trees with errors (Skjærholt 2014, §3): a sample, and perturbed copies of it.

Sentences are taken as correct; a set is the sample with one perturbed copy of each sentence, as in
the paper (its LAS is linear in each probability, so it cannot have perturbed both sides). Errors
are written `label`, `attach`, `label+attach`, and with a variant `attach:uniform`, `attach:local`
(`shuffling.trees`) or `label:confusion` (needs a confusion matrix).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from gammacp.bench.seeds import tree_seed
from gammacp.errors import DataError, UsageError
from gammacp.trees.measures.annotations import (
    Dependencies,
    MeaningGraph,
    Phrase,
    Sentence,
    Treebank,
)
from shuffling.phrases import phrase_labels, reattach_phrases, relabel_phrases
from shuffling.trees import LabelConfusion, reattach, relabel

PAPER_ERRORS = ("label+attach", "label", "attach")
PAPER_MAGNITUDES = tuple(k / 10 for k in range(1, 11))
PAPER_SETS = 10
PAPER_SENTENCES = 100
_VARIANTS = {"label": ("uniform", "confusion"), "attach": ("post-order", "uniform", "local")}
_ALPHAS = ("alpha-plain", "alpha-diff", "alpha-norm")


@dataclass(frozen=True)
class Perturbed:
    """Sets of two annotations of the same sentences: the correct one and a perturbed copy.

    Attributes
    ----------
    sentences
        The sample, taken as correct; at least one.
    confusion
        Confusion of labels for `label:confusion`.
    """

    sentences: tuple[Sentence, ...]
    confusion: LabelConfusion | None = None

    def __post_init__(self) -> None:
        """Raise DataError if there is nothing to perturb."""
        if not self.sentences:
            raise DataError("no sentence to perturb")
        if any(isinstance(s, MeaningGraph) for s in self.sentences):
            raise DataError("sweeps take trees, and these are graphs")

    @property
    def measures(self) -> tuple[str, ...]:
        """α plain, diff, norm, and LAS or Jaccard similarity."""
        phrase = isinstance(self.sentences[0], Phrase)
        return (*_ALPHAS, "jaccard" if phrase else "las")

    def configuration(self) -> Mapping[str, object]:
        """Return a hash of the sentences' trees, and the confusion."""
        trees = [
            (s.nested, s.size) if isinstance(s, Phrase) else (s.heads, s.relations)
            for s in self.sentences
            if not isinstance(s, MeaningGraph)
        ]
        digest = sha256(repr(trees).encode()).hexdigest()[:16]
        return {"trees": digest, "confusion": self.confusion}

    def draw(
        self, error: str, magnitude: float, set_number: int, *, n_annotators: int, seed: int
    ) -> Treebank:
        """Return the sample and its perturbed copy; the magnitude is the probability of each error.

        Raises UsageError for more than two annotators and for an error that trees do not have.

        Parameters
        ----------
        error, magnitude, set_number, n_annotators, seed
            As for `AnnotationSource.draw`.
        """
        if n_annotators != 2:
            raise UsageError(
                f"{n_annotators} annotators, but trees have two: a sample and one copy"
            )
        rng = np.random.default_rng(tree_seed(seed, error, set_number))
        copy = perturb(self.sentences, error, magnitude, rng, confusion=self.confusion)
        return Treebank.from_annotations({"correct": self.sentences, "perturbed": copy})


def parse_tree_error(text: str) -> dict[str, str]:
    """`label+attach:local` → {"label": "uniform", "attach": "local"}; UsageError if unknown.

    Parameters
    ----------
    text
        Errors with their variants, joined by `+`.
    """
    variants: dict[str, str] = {}
    for part in text.split("+"):
        name, _, variant = part.partition(":")
        if name not in _VARIANTS or name in variants:
            raise UsageError(f"error {part!r} is not one of trees: label and attach, each once")
        variants[name] = variant or _VARIANTS[name][0]
        if variants[name] not in _VARIANTS[name]:
            raise UsageError(f"error {part!r} has no such variant; {', '.join(_VARIANTS[name])}")
    return variants


def sample_sentences(
    sentences: Iterable[Sentence], *, number: int = PAPER_SENTENCES, seed: int = 0
) -> tuple[Sentence, ...]:
    """Sample at most `number` sentences in their order, without cyclic ones, which have no tree.

    Parameters
    ----------
    sentences
        Sentences to draw from.
    number
        Number of sentences to draw, ≥ 1.
    seed
        Seed of the draw.

    Raises
    ------
    DataError
        Every sentence has a cycle.
    """
    sound = [
        s for s in sentences if not (isinstance(s, Dependencies) and s.tree.n_nodes <= s.n_tokens)
    ]
    if not sound:
        raise DataError("every sentence has a cycle, so there is nothing to perturb")
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    chosen = rng.choice(len(sound), size=min(number, len(sound)), replace=False)
    return tuple(sound[k] for k in sorted(chosen))


def perturb(
    sentences: Sequence[Sentence],
    error: str,
    magnitude: float,
    rng: np.random.Generator,
    *,
    confusion: LabelConfusion | None = None,
) -> list[Sentence]:
    """Return a copy of the sentences with errors.

    With `label:uniform`, labels are drawn from those of the sentences.

    Parameters
    ----------
    sentences
        Dependency or phrase trees; they are not changed.
    error
        Error as `label`, `attach` or `label+attach:local`.
    magnitude
        Probability of each error for each token, in [0, 1].
    rng
        Generator of the random numbers.
    confusion
        For `label:confusion`: which label is mistaken for which.

    Raises
    ------
    UsageError
        The error is unknown, or `label:confusion` comes without a confusion.
    """
    variants = parse_tree_error(error)
    if variants.get("label") == "confusion" and confusion is None:
        raise UsageError("label:confusion needs a confusion matrix")
    mistakes = confusion
    if variants.get("label") == "uniform":
        mistakes = LabelConfusion.uniform(_labels(sentences))
    # Each sentence has its own stream, so that one does not affect the next.
    streams = zip(sentences, rng.spawn(len(sentences)), strict=True)
    return [_perturb_sentence(s, variants, magnitude, mistakes, stream) for s, stream in streams]


def _labels(sentences: Sequence[Sentence]) -> list[str]:
    phrases = [s.nested for s in sentences if isinstance(s, Phrase)]
    if phrases:
        return list(phrase_labels(phrases)[0])
    return [x for s in sentences if isinstance(s, Dependencies) for x in s.relations]


def _perturb_sentence(
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
    if isinstance(sentence, MeaningGraph):
        return sentence
    relations = sentence.relations
    heads = sentence.heads
    if confusion is not None and "label" in variants:
        relations = tuple(relabel(relations, p, confusion, rng))
    if "attach" in variants:
        heads = tuple(reattach(heads, p, rng, attachment=variants["attach"]))
    return Dependencies(heads, relations, sentence.forms)
