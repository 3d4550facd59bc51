"""The option of `gammacp bench` that sweeps trees instead of units."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from gammacp.cli.options.groups import option
from gammacp.cli.output import message


@dataclass(frozen=True)
class TreeSource:
    """Options for the source of trees."""

    called: ClassVar[str] = "trees"
    trees: Path | None = option(
        "Use a sample of the trees in this treebank file instead; errors are label, attach, "
        "label+attach, attach:uniform and attach:local."
    )

    @property
    def names_source(self) -> bool:
        """Return whether a treebank file was given."""
        return self.trees is not None

    def swept(
        self, seed: int, errors: tuple[str, ...], measures: tuple[str, ...]
    ) -> dict[str, Any]:
        """Return the settings of a sweep of the treebank; by default those of the paper.

        Parameters
        ----------
        seed
            Seed of the sample of sentences.
        errors, measures
            Errors and measures that were given; empty for the paper's.
        """
        from gammacp.trees.treebank import read_sentences
        from gammacp.trees.with_bench import sweep

        assert self.trees is not None
        sentences = read_sentences(self.trees)
        annotated = [sentence for sentence in sentences if not sentence.missing]
        if lost := len(sentences) - len(annotated):
            message(f"{self.trees}: left out: {lost} not annotated")
        source = sweep.Perturbed(sweep.sample_sentences(annotated, seed=seed))
        sampled = len(source.sentences)
        message(f"{sampled} of {len(annotated)} sentences of {self.trees}; seed {seed}")
        return {
            "source": source,
            "errors": errors or sweep.PAPER_ERRORS,
            "measures": source.measures if measures in ((), ("all",)) else measures,
            "magnitudes": sweep.PAPER_MAGNITUDES,
            "sets": sweep.PAPER_SETS,
            "n_annotators": 2,
        }
