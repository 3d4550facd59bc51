"""Report on the agreement of coders of segmentations.

It has everything that `gammacp segmentation` prints: agreement per item, per group and for the
corpus (2012, Table 2), candidates (§3.4), and comparisons of every two codings.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from gammacp.base.arguments import several
from gammacp.base.record_tables import record_of
from gammacp.base.signature import entry
from gammacp.chance.expected import SampleRule
from gammacp.errors import DataError
from gammacp.segmentation.agreement import CodingAgreement, coding_agreement
from gammacp.segmentation.beyond import CorpusMeasure, measures_beyond_chance
from gammacp.segmentation.candidate import CandidateDrop, candidate_drops
from gammacp.segmentation.codings import Codings
from gammacp.segmentation.measures.comparison import CorrectedSimilarity, Criterion
from gammacp.segmentation.pairwise import PairwiseRow, means, pairwise
from gammacp.segmentation.statistics import FEWEST, in_words


@dataclass(frozen=True, kw_only=True)
class SegmentationReport:
    """Agreement of people, candidates, and pairs of codings.

    Attributes
    ----------
    agreement
        Agreement of the people, who are all coders but the candidates.
    candidates
        Candidates in increasing order of the drop of π*.
    pairs
        Comparisons of every two codings, including candidates, with each as the reference in turn;
        None unless requested.
    notes
        Caveats about the numbers: undefined values, omitted data, and guessed groups.
    signature
        Signature of the report.
    measures
        Values of all measures beyond chance for the people; None unless requested.
    skipped
        Items coded by fewer than two people.
    """

    agreement: CodingAgreement
    candidates: tuple[CandidateDrop, ...]
    pairs: tuple[PairwiseRow, ...] | None
    notes: tuple[str, ...]
    signature: str
    measures: Mapping[str, CorpusMeasure] | None = None
    skipped: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON."""
        document = self.agreement.as_dict()
        if self.measures is not None:
            document["corpus"]["measures"] = {n: m.as_dict() for n, m in self.measures.items()}
        return {
            **document,
            "candidates": [drop.as_dict() for drop in self.candidates],
            **({} if self.pairs is None else _pairs(self.pairs)),
            **record_of(self, "skipped notes signature"),
        }


def segmentation_report(
    codings: Codings,
    *,
    candidates: Sequence[str] = (),
    pairs: bool = False,
    comparison: Criterion | None = None,
    bootstrap: int = 0,
    seed: int = 0,
    beyond_chance: SampleRule | None = None,
) -> SegmentationReport:
    """Report the agreement of coders on boundaries, by item, by group and overall.

    Parameters
    ----------
    codings
        Segmentations of people and candidates, with the groups of people.
    candidates
        Names of coders that are automatic segmenters.
    pairs
        Whether to compare every two codings of every item.
    comparison, bootstrap, seed
        As for `coding_agreement`.
    beyond_chance
        Rule for the number of random corpora for values beyond chance; None omits these values.

    Raises
    ------
    DataError, UsageError
        As `coding_agreement` and `candidate_drops` do.

    >>> from gammacp.segmentation import load_codings
    >>> report = segmentation_report(load_codings("moonstone"))
    >>> round(report.as_dict()["items"]["ch1"]["pi_s"], 4)
    0.7553
    """
    comparison = comparison or Criterion()
    chosen = list(dict.fromkeys(several("candidates", candidates)))
    drawn: dict[str, Any] = {"comparison": comparison, "bootstrap": bootstrap, "seed": seed}
    drops = candidate_drops(codings, chosen, rule=beyond_chance, **drawn)
    people, skipped = _split_by_coders(codings.without(chosen))
    agreement = coding_agreement(people, **drawn)
    rows = None
    if pairs:
        rows = pairwise(codings, comparison=comparison)
    measures = None
    if beyond_chance is not None:
        rule = beyond_chance
        measures = measures_beyond_chance(people, comparison=comparison, rule=rule, seed=seed)
    return SegmentationReport(
        agreement=agreement,
        candidates=drops,
        pairs=rows,
        notes=(
            *_notes(people, skipped, comparison.basis, agreement, drops, rows),
            *_beyond_notes(measures or {}),
        ),
        signature=comparison.signature_of(
            "segmentation",
            people="anonymous" if codings.anonymous else None,
            bootstrap=bootstrap or None,
            seed=seed if bootstrap or chosen else None,
            selection=[
                *codings.selection,
                *(entry("group", *group) for group in codings.declared),
                *([entry("candidate", *chosen)] if chosen else []),
            ],
        ),
        measures=measures,
        skipped=skipped,
    )


def _split_by_coders(people: Codings) -> tuple[Codings, tuple[str, ...]]:
    """Return the items coded by at least two people, and the other items."""
    skipped = tuple(item for item, coders in people.items() if len(coders) < 2)
    if people and len(skipped) == len(people):
        who = ", ".join(f"{item} by {next(iter(people[item]))}" for item in skipped)
        raise DataError(
            f"no item is coded by two people: {who}",
            hint="Give codings of one item in several files the same item name: `renamed(OLD=NEW)`",
        )
    return people.only(item for item in people if item not in skipped), skipped


def _pairs(rows: Sequence[PairwiseRow]) -> dict[str, Any]:
    by_item = groupby(rows, key=lambda row: row.item)
    means = {
        "items": {item: _means(item_rows) for item, item_rows in by_item},
        "corpus": _means(rows),
    }
    return {"pairs": [row.as_dict() for row in rows], "means": means}


def _means(rows: Iterable[PairwiseRow]) -> dict[str, dict[str, float]]:
    return {name: mean_row._asdict() for name, mean_row in means(rows).items()}


def _notes(
    people: Codings,
    skipped: Sequence[str],
    basis: CorrectedSimilarity,
    agreement: CodingAgreement,
    drops: Sequence[CandidateDrop],
    rows: Sequence[PairwiseRow] | None,
) -> list[str]:
    notes = []
    if skipped:
        listed = ", ".join(skipped)
        notes.append(
            f"{len(skipped)} items that fewer than two people coded are left out: {listed}"
        )
    if people.shared_names:
        notes.append(
            f"{', '.join(people.shared_names)}: each name is in several groups of items and counts "
            "as one person; if it is not, use `anonymous=` or `groups=`"
        )
    missed = {i: a.suboptimal for i, a in agreement.items.items()}
    where = ", ".join(f"{item} ({pairs})" for item, pairs in missed.items() if pairs)
    if where:
        notes.append(
            f"warning: {basis.upper()} is too low, because the published search missed the "
            f"cheapest edits; items (pairs of codings): {where}; `edit=optimal` finds them"
        )
    notes += [
        f"{name}: π and κ are undefined: {reason}" for name, reason in agreement.reasons.items()
    ]
    if lost := agreement.corpus.windowdiff.undefined:
        notes.append(
            f"1 − WD is undefined for {lost} pairs of codings, whose items are too short for a "
            "window; the means leave these pairs out"
        )
    if agreement.intervals is not None and len(agreement.items) < FEWEST:
        notes.append(f"no interval: a bootstrap over items needs {FEWEST} items")
    elif agreement.intervals is not None and agreement.intervals.undefined:
        intervals = agreement.intervals
        notes.append(
            f"{intervals.undefined} of {intervals.draws} draws of items have no value; the "
            "intervals leave them out"
        )
    notes += [
        f"candidate {d.candidate}: {d.left_out} items left out that it or two people did not code"
        for d in drops
        if d.left_out and not d.baseline
    ]
    if len({(d.items, d.left_out) for d in drops}) > 1:
        notes.append(
            "candidates coded different items, so their drops cannot be compared; those of the "
            "baselines are of all items that a candidate coded"
        )
    if listed := in_words({name: m.undefined for name, m in means(rows or ()).items()}):
        notes.append(f"the means leave out undefined pairs: {listed}")
    return notes


def _beyond_notes(measures: Mapping[str, CorpusMeasure]) -> list[str]:
    beyond = {name: m.beyond_chance for name, m in measures.items()}
    notes = [f"{name} beyond chance: {b.reason}" for name, b in beyond.items() if b.reason]
    for loss, lost in (
        ("pairs of codings", {name: m.undefined for name, m in measures.items()}),
        ("random corpora", {name: b.without_value for name, b in beyond.items()}),
    ):
        if listed := in_words(lost):
            notes.append(f"{loss} without a value: {listed}")
    return notes
