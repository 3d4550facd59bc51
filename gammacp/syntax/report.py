"""All that is said about the agreement on a treebank, as one result."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from gammacp.arguments import instance, whole
from gammacp.errors import UsageError
from gammacp.measures.trees.agreement import (
    SentenceShare,
    SyntaxAgreement,
    TreeAlpha,
    syntax_agreement,
)
from gammacp.measures.trees.alpha import TreeObservations
from gammacp.measures.trees.annotations import Item
from gammacp.measures.trees.matched import LENGTH_MATCHED
from gammacp.syntax.breakdown import breakdown as by_relation
from gammacp.syntax.diagnosis import diagnose
from gammacp.syntax.evalb import evalb_f1
from gammacp.syntax.graphs.agreement import graph_agreement
from gammacp.syntax.graphs.report import GraphReport
from gammacp.syntax.treebank import ReadTreebank
from gammacp.syntax.universal import ud_scores

# Sentences from which the zero of random trees is within .01, where lengths are alike and where
# some are so long that they meet others of more than `_WIDE` tokens less (docs/syntax.md).
_ENOUGH, _ENOUGH_OF_A_TAIL, _WIDE = 60, 240, 10
# For a pair of graphs; nearly all are proven in hundredths.
_SECONDS = 10.0


@dataclass(frozen=True, kw_only=True)
class SyntaxReport:
    """What was read, and how far its annotators agree.

    Attributes
    ----------
    read
        The treebank with its defects and what is left out.
    agreement
        α, accuracies, and the sentences by their share of the disagreement.
    by_annotator
        Whether pairs of annotators, and everybody but one, were computed.
    sentences
        The sentences with the largest share of the observed disagreement, as many as asked for.
    universal
        Scores of Universal Dependencies, if asked for.
    breakdown
        By relation, length, distance and part of speech, if asked for.
    """

    read: ReadTreebank
    agreement: SyntaxAgreement
    by_annotator: bool
    sentences: tuple[SentenceShare, ...]
    universal: Mapping[str, float] | None = None
    breakdown: Mapping[str, Any] | None = None

    @property
    def value(self) -> tuple[str, float]:
        """The measure to report, and its value: α plain beyond chance, published by the preset."""
        total = self.agreement.total
        if not total.beyond_chance:
            return "α plain as published", total.alpha["plain"]
        return "α plain beyond chance", total.beyond_chance["plain"].value

    @property
    def worst(self) -> list[Item]:
        """The sentences that annotators differ in, of those that were asked for."""
        return [share.item for share in self.sentences if share.share["plain"]]

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the values beyond chance has to know."""
        total, notes = self.agreement.total, []
        if not (beyond := total.beyond_chance):
            return ()
        if total.items < _ENOUGH:
            notes.append(
                f"few sentences ({total.items}): below {_ENOUGH}, values beyond chance of "
                "independent people need not be 0 in the mean (up to .1 with 20)"
            )
        elif total.items < _ENOUGH_OF_A_TAIL and beyond["plain"].told["widest"] > _WIDE:
            notes.append(
                f"some sentences are far longer than most: below {_ENOUGH_OF_A_TAIL} sentences, α "
                "beyond chance of independent people can then be above 0 (up to .05 with 60)"
            )
        return tuple(notes)

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON."""
        result, total = self.agreement, self.agreement.total
        treebank = self.read.treebank
        document: dict[str, Any] = {
            "alpha": total.alpha,
            "observed": total.observed,
            "expected": total.expected,
            **{name: total.scores.get(name) for name in ("las", "uas", "jaccard")},
            "items": total.items,
            "tokens": result.tokens,
            "ignored": result.ignored,
            "defects": [defect.as_dict() for defect in self.read.defects],
            "left_out": [entry.as_dict() for entry in self.read.left_out],
            "label": total.scores.get("label"),
            "f1": total.scores.get("f1"),
            "evalb": evalb_f1(treebank) if treebank.kind == "phrase" else None,
            "annotators": treebank.annotators,
            "reason": result.reason,
            "notes": self.notes,
            "signature": result.signature,
            "beyond_chance": _beyond(total),
        }
        if total.interval is not None:
            document["interval"] = total.interval
        if result.bootstrap is not None:
            document["bootstrap"] = result.bootstrap
        if self.by_annotator:
            document["pairs"] = [_part(part) for part in result.pairs]
            document["without"] = [_part(part) for part in result.without]
            document["documents"] = self._documents()
        if self.universal is not None:
            document["universal"] = dict(self.universal)
        if self.breakdown is not None:
            document["breakdown"] = self.breakdown
        if self.sentences:
            document["sentences"] = [self._sentence(share) for share in self.sentences]
        return document

    def _documents(self) -> list[dict[str, Any]]:
        """The accuracies of each document, and its share of D_o under δ_plain."""
        found = []
        for name in dict.fromkeys(item.document for item in self.read.treebank.shared):
            inside = [share for share in self.agreement.sentences if share.item.document == name]
            items = tuple(share.item for share in inside)
            observations = TreeObservations.of(replace(self.read.treebank, items=items))
            wrong = observations.wrong_tokens(observations.everything)
            scores = {name: part.gamma for name, part in wrong.items()}
            share = sum(share.share["plain"] for share in inside)
            found.append({"document": name, "items": len(items), "share": share, **scores})
        return found

    def _sentence(self, share: SentenceShare) -> dict[str, Any]:
        return {
            "document": share.item.document,
            "sentence": share.item.name,
            "share": share.share,
            "what": diagnose(self.read.treebank, share.item),
            "annotations": {
                name: {"file": x.file, "line": x.line, "tokens": x.n_tokens}
                for name, x in share.item.annotations.items()
            },
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
) -> SyntaxReport:
    """α over the trees of a treebank with accuracies, who disagrees with whom, and where.

    Parameters
    ----------
    read
        From `gammacp.syntax.treebank.read_treebank`.
    by_annotator
        Whether to compute pairs of annotators, and everybody but one.
    sentences
        How many of the sentences with the largest share of disagreement to list, at least 0.
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
    if universal and read.treebank.kind != "dependency":
        raise UsageError("scores of Universal Dependencies are for dependency trees")
    result = syntax_agreement(
        read.treebank,
        chance=chance,
        sample_pairs=sample_pairs,
        bootstrap=bootstrap,
        breakdown=by_annotator,
        seed=seed,
    )
    return SyntaxReport(
        read=read,
        agreement=result,
        by_annotator=by_annotator,
        sentences=result.sentences[:sentences],
        universal=ud_scores(read.treebank) if universal else None,
        breakdown=by_relation(read.treebank) if breakdown else None,
    )


def report_on(
    read: ReadTreebank,
    *,
    by_annotator: bool = False,
    sentences: int = 0,
    sample_pairs: int = 0,
    seed: int = 0,
    time_limit: float | None = None,
    **of_trees: Any,
) -> SyntaxReport | GraphReport:
    """The report on trees, or on graphs.

    Parameters
    ----------
    read
        From `gammacp.syntax.treebank.read_treebank`.
    by_annotator, sentences, sample_pairs, seed
        As for `syntax_report`.
    time_limit
        Seconds for the best matching of a pair of graphs; by default 10.
    of_trees
        What else `syntax_report` takes.
    """
    drawn: dict[str, Any] = {"sample_pairs": sample_pairs, "seed": seed}
    if not read.treebank.of_graphs:
        return syntax_report(
            read, by_annotator=by_annotator, sentences=sentences, **drawn, **of_trees
        )
    agreement = graph_agreement(read.treebank, time_limit=time_limit or _SECONDS, **drawn)
    return GraphReport(read, agreement, by_annotator, whole("sentences", sentences, 0))


def _beyond(part: TreeAlpha) -> dict[str, Any] | None:
    return {name: beyond.as_dict() for name, beyond in part.beyond_chance.items()} or None


def _part(part: TreeAlpha) -> dict[str, Any]:
    return {
        "annotators": part.annotators,
        "items": part.items,
        "alpha": part.alpha,
        "observed": part.observed,
        "expected": part.expected,
        **part.scores,
        "beyond_chance": _beyond(part),
    }
