"""Tables of the report: those of `campaign.result_tables`, with additions for a page."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache

from gammacp.alignment import Alignment
from gammacp.base.record_tables import Record, position
from gammacp.campaign import result_tables
from gammacp.campaign.compare import Comparison, ReferenceComparison
from gammacp.campaign.consensus import Consensus
from gammacp.campaign.consensus.gold_tables import to_review
from gammacp.continuum import Unit
from gammacp.report.markup import Markup, element, hint, join, table

First = Callable[[Record], Markup | None]

# Longer review lists are cut in the report; the command line writes all rows.
REVIEW_ROWS = 200
# Largest number of documents whose alignment is on the page.
VIEWED = 2000
_QUOTE = 80
_CONFIDENCE = "Confidence: 1 where all annotators agree exactly on a unit, down to 0. "
_POSTERIOR = "Posterior: how probable the category is under the model of the annotators' errors."


def annotators(comparison: Comparison) -> Markup:
    """Return the table of annotators: agreement with the others, and γ without each."""
    note = hint(
        "Gain: how much γ rises without the annotator. Alone: units that nobody else marked. "
        "Outvoted: units whose category got fewer votes than another."
    )
    return join(table(result_tables.annotators(comparison), long=True), note)


def reference(comparison: ReferenceComparison) -> Markup:
    """Return tables of the reference against each annotator, and of confused categories."""
    note = hint(
        f"Missed: units that {comparison.name} does not have. "
        f"Added: units that only {comparison.name} has."
    )
    confusion = result_tables.confusion(comparison.confusion, corner=comparison.name)
    return join(table(result_tables.reference(comparison)), note, table(confusion))


def review(
    documents: Mapping[str, Consensus],
    *,
    shown: Mapping[str, Alignment] | None = None,
    first: First | None = None,
) -> Markup:
    """Return the items to review, worst first, with buttons that show them in the view.

    `shown` are the alignments in the view, in order; without them there are no buttons. `first`
    makes another first column in place of the buttons, and then the list is complete.
    """
    whole = to_review(documents)
    listed = [dict(record) for record in whole.records[: None if first else REVIEW_ROWS]]
    for record in listed:
        if len(text := record["text"] or "") > _QUOTE:
            record["text"] = f"{text[:_QUOTE]}…"
    narrow = replace(whole, records=listed).without("support")
    cut = None
    if len(whole.records) > len(listed):
        cut = hint(
            f"These are the worst {REVIEW_ROWS} of {len(whole.records)}. "
            "gammacp consensus `review=FILE.csv` writes all."
        )
    if shown is None:
        buttons = None
    else:
        buttons = _buttons(documents, shown)
    if any(c.key == "posterior" for c in whole.columns):
        modelled = _POSTERIOR
    else:
        modelled = ""
    words = hint(f"{_CONFIDENCE}{modelled}")
    return join(table(narrow, first=first or buttons, long=True), cut, words)


def _buttons(documents: Mapping[str, Consensus], shown: Mapping[str, Alignment]) -> First:
    """Return a function that makes a button to show a unit in one of the alignments `shown`."""
    places = {name: place for place, name in enumerate(shown)}

    @cache
    def groups(name: str) -> dict[Unit, int]:
        rows = shown[name].groups
        return {shown[name].continuum.unit(r): g for g, of in enumerate(rows) for r in of[of >= 0]}

    def show(record: Record) -> Markup | None:
        name = record["file"]
        if name not in places:
            return None
        unit = next(u for u in documents[name].units if u.group == record["group"])
        # The gold standard includes the reference, but the alignment in the view does not.
        unit_groups = [groups(name)[u] for u in unit.units.values() if u in groups(name)]
        if not unit_groups:
            return None
        return element(
            "button",
            "Show",
            type="button",
            class_="link",
            data_document=places[name],
            data_show=unit_groups[0],
            aria_label=f"Show the unitary alignment from {position(unit.start)} to "
            f"{position(unit.end)}",
        )

    return show
