"""The report on the agreement of a treebank: values, annotators, documents and sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gammacp.base.arguments import instance, whole
from gammacp.base.record_tables import record_of
from gammacp.base.text import counted
from gammacp.errors import UsageError
from gammacp.measures.gamma_notes import not_shown
from gammacp.trees.breakdown import breakdown as by_relation
from gammacp.trees.diagnosis import diagnose
from gammacp.trees.evalb import evalb_f1
from gammacp.trees.measures.agreement import (
    SentenceShare,
    SyntaxAgreement,
    TreeAlpha,
    syntax_agreement,
)
from gammacp.trees.measures.alpha import TreeObservations
from gammacp.trees.measures.annotations import Item, Treebank
from gammacp.trees.measures.matched import LENGTH_MATCHED
from gammacp.trees.measures.permuted import PERMUTATIONS
from gammacp.trees.treebank import ReadTreebank
from gammacp.trees.universal import ud_scores

if TYPE_CHECKING:
    from gammacp.trees.graphs.agreement import Compared

# Number of sentences from which on independent annotators have an α within .01 of 0
# (docs/chance.md).
_ENOUGH = 40
# Share of D_e from sentences of equal length below which the test for p has little power.
_MOSTLY = 0.5
# First keys of the JSON; those of the other kind of trees are missing.
_FIRST = (
    *("alpha", "observed", "expected", "las", "uas", "jaccard"),
    *("items", "tokens", "ignored", "defects", "left_out", "label", "f1"),
)


@dataclass(frozen=True)
class TreeReport:
    """Treebank that was read, with the agreement of its annotators.

    Attributes
    ----------
    read
        The treebank with its defects and what is left out.
    document
        The whole report as JSON.
    value
        The measure to report, and its value: beyond chance, if that was computed.
    lower
        The lower end of that value's interval over sentences; NaN without one.
    worst
        The sentences with the largest disagreement, as many as requested, the worst first.
    """

    read: ReadTreebank
    document: dict[str, Any]
    value: tuple[str, float]
    lower: float
    worst: Sequence[Item] | Sequence[Compared]

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON."""
        return {
            **self.document,
            "annotators": self.read.treebank.annotators,
            "defects": [defect.as_dict() for defect in self.read.defects],
            "left_out": [entry.as_dict() for entry in self.read.left_out],
        }


def syntax_report(
    read: ReadTreebank,
    *,
    by_annotator: bool = False,
    sentences: int = 0,
    universal: bool = False,
    breakdown: bool = False,
    chance: str | None = LENGTH_MATCHED,
    sample_pairs: int = 0,
    bootstrap: int = 0,
    seed: int = 0,
) -> TreeReport:
    """Return the report on trees: α, accuracies, annotators, documents and worst sentences.

    Parameters
    ----------
    read
        Result of `gammacp.trees.treebank.read_treebank`.
    by_annotator
        Whether to compute pairs of annotators, and everybody but one.
    sentences
        Number of sentences with the largest share of disagreement to list, at least 0.
    universal
        Whether to add the scores of Universal Dependencies.
    breakdown
        Whether to tell agreement by relation, length, distance and part of speech.
    chance, sample_pairs, bootstrap, seed
        As for `syntax_agreement`.

    Raises
    ------
    UsageError
        A number is out of range, or what only dependencies have is asked of phrase structure.
    """
    instance("read", read, ReadTreebank, "what read_treebank gives")
    sentences = whole("sentences", sentences, 0)
    treebank = read.treebank
    if universal and treebank.kind != "dependency":
        raise UsageError("scores of Universal Dependencies are for dependency trees")
    result = syntax_agreement(
        treebank,
        chance=chance,
        sample_pairs=sample_pairs,
        bootstrap=bootstrap,
        breakdown=by_annotator,
        seed=seed,
    )
    total = result.total
    worst = result.sentences[:sentences]
    document = {
        **dict.fromkeys(_FIRST),
        **_part(total),
        **record_of(result, "tokens ignored"),
        "evalb": evalb_f1(treebank) if treebank.kind == "phrase" else None,
        "reason": result.reason,
        "notes": list(_notes(total)),
        "signature": result.signature,
    }
    asked = {
        "interval": total.interval,
        "bootstrap": result.bootstrap,
        "universal": ud_scores(treebank) if universal else None,
        "breakdown": by_relation(treebank) if breakdown else None,
        "sentences": [_sentence(treebank, share) for share in worst] or None,
    }
    document |= {key: table for key, table in asked.items() if table is not None}
    if by_annotator:
        document |= _by_annotator(treebank, result)
    differing = [s.item for s in worst if s.share["plain"]]
    return TreeReport(read, document, *_headline(result), differing)


def _by_annotator(treebank: Treebank, result: SyntaxAgreement) -> dict[str, Any]:
    """Return the results of pairs of annotators, of all but one annotator, and of documents."""
    return {
        "pairs": [_part(part) for part in result.pairs],
        "without": [_part(part) for part in result.without],
        "documents": list(_documents(treebank, result.sentences)),
    }


def _headline(result: SyntaxAgreement) -> tuple[tuple[str, float], float]:
    """Return α plain with its name, and the lower end of its interval, or NaN.

    The value is beyond chance if that is known.
    """
    beyond = result.total.beyond_chance.get("plain")
    if beyond:
        value = ("α plain beyond chance", beyond.value)
        interval = beyond.interval
    else:
        value = ("α plain as published", result.total.alpha["plain"])
        interval = (result.bootstrap or {}).get("plain")
    if interval:
        return value, interval[0]
    return value, math.nan


def report_on(read: ReadTreebank, **options: Any) -> TreeReport:
    """Return the report on trees, or on graphs.

    Parameters
    ----------
    read
        Result of `gammacp.trees.treebank.read_treebank`.
    options
        Options of `syntax_report`, or of `gammacp.trees.graphs.report.graph_report`.
    """
    from gammacp.trees.graphs.report import graph_report

    return (graph_report if read.treebank.of_graphs else syntax_report)(read, **options)


def _notes(total: TreeAlpha) -> Iterator[str]:
    """Yield notes that a reader of the values beyond chance has to know."""
    if not (beyond := total.beyond_chance):
        return
    plain = beyond["plain"]
    if names := plain.details["annotators_left_out"]:
        yield (
            "annotators with too few sentences are left out of the chance baseline: "
            f"{', '.join(names)}"
        )
    if lost := plain.details["sentences_left_out"]:
        yield (
            f"{counted(lost, 'sentence')} left out of the chance baseline: fewer than three other "
            "sentences have a similar length (within a quarter)"
        )
    if unseen := not_shown(plain.p, PERMUTATIONS):
        yield unseen[0]
        if plain.details["equal_length"] < _MOSTLY:
            yield "the test has little power: too few sentences have the same length"
    if total.items < _ENOUGH:
        yield (
            f"few sentences ({total.items}): below {_ENOUGH}, the mean α beyond chance of "
            "independent annotators can be .03 instead of 0"
        )


def _part(part: TreeAlpha) -> dict[str, Any]:
    beyond = {name: beyond.as_dict() for name, beyond in part.beyond_chance.items()}
    return {
        **record_of(part, "annotators items alpha observed expected"),
        **part.scores,
        "beyond_chance": beyond or None,
    }


def _documents(treebank: Treebank, shares: Sequence[SentenceShare]) -> Iterator[dict[str, Any]]:
    """Yield the accuracies of each document, and its share of D_o under δ_plain."""
    observations = TreeObservations.of(treebank)
    documents = np.array([item.document for item in treebank.shared_items])
    for name in dict.fromkeys(documents.tolist()):
        wrong = observations.wrong_tokens(documents[observations.item] == name)
        yield {
            "document": name,
            "items": int(np.count_nonzero(documents == name)),
            "share": sum(s.share["plain"] for s in shares if s.item.document == name),
            **{score: part.gamma for score, part in wrong.items()},
        }


def _sentence(treebank: Treebank, share: SentenceShare) -> dict[str, Any]:
    return {
        "document": share.item.document,
        "sentence": share.item.name,
        "share": share.share,
        "what": diagnose(treebank, share.item),
        "annotations": {
            name: {"file": x.file, "line": x.line, "tokens": x.n_tokens}
            for name, x in share.item.annotations.items()
        },
    }
