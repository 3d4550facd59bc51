"""Links in review: decisions, the page, and the gold standard."""

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from gammacp.base.validation import validated
from gammacp.campaign.consensus import Consensus
from gammacp.campaign.consensus.several import consensus_of_each
from gammacp.continuum import Continuum, Corpus, Link, Unit
from gammacp.errors import DataError
from gammacp.report.viewer import alignment_document
from gammacp.studio.choice import Choice
from gammacp.studio.first_page import live
from gammacp.studio.journal import Decision
from gammacp.studio.review import DecisionRequest, decision_of, gold, item_keys, link_keys
from gammacp.studio.review_page import reviewing
from gammacp.studio.work import Findings, Now, Review

LINKS = {
    "Ann": ["supports 2 1", "supports 3 1", "supports 5 4"],
    "Bob": ["supports 2 1", "attacks 3 1", "supports 5 4"],
    "Max": ["supports 2 1", "supports 3 4"],
}


def _found(chain: bool = False):
    """Return a consensus of five units in which 2 → 1 is unanimous, 3 → 1 tied and 5 → 4
    disputed.
    """
    units = [Unit(a, 20 * k, 20 * k + 10, "m", id=str(k)) for a in LINKS for k in range(1, 6)]
    links = [Link(a, *text.split()) for a, texts in LINKS.items() for text in texts]
    links += [Link(a, "same", "1", "3", "chain") for a in LINKS] if chain else []
    c = Continuum.from_units(units, links=links, name="d")
    made = consensus_of_each(Corpus.from_continua({"d": c}), weights="vote")
    return made.documents, made.alignments


def _ask(found: Mapping[str, Consensus], source: int, action: str, annotator: str | None = None):
    numbers = [x.source.start for x in found["d"].links]
    item = link_keys(found["d"])[numbers.index(20 * source)]
    said = {"request": "r", "reviewer": "Eve", "document": "d", "item": item, "action": action}
    return validated(DecisionRequest, said | ({"annotator": annotator} if annotator else {}))


def _links(c: Continuum) -> set[tuple[str, float, float, str]]:
    at = {u.id: u.start / 20 for u in c}
    return {(x.type, at[x.source], at[x.target], x.kind) for x in c.links}


def _gold(found: Mapping[str, Consensus], *decisions: Decision, **how: bool):
    return gold(found, {("d", d.item): d for d in decisions}, **how)


def test_the_gold_standard_has_the_links_of_the_consensus() -> None:
    found, _ = _found(chain=True)
    made = _gold(found)
    assert _links(made.continua["d"]) == {
        ("supports", 2, 1, "directed"),
        ("", 3, 1, "directed"),
        ("supports", 5, 4, "directed"),
        ("same", 1, 3, "chain"),
    }
    assert (made.decided, made.undecided) == (0, 2)
    sure = _gold(found, with_undecided=False).continua["d"]
    assert _links(sure) == {("supports", 2, 1, "directed"), ("same", 1, 3, "chain")}


@pytest.mark.parametrize(
    ("source", "action", "annotator", "wanted"),
    [
        (3, "take", "Bob", {("attacks", 3, 1, "directed")}),
        (3, "take", "Max", set()),
        (5, "take", "Max", {("supports", 3, 4, "directed")}),
        (5, "merge", None, {("supports", 5, 4, "directed")}),
        (5, "drop", None, set()),
    ],
)
def test_a_decision_on_a_link(source, action, annotator, wanted) -> None:  # type: ignore[no-untyped-def]
    found, _ = _found()
    made = _gold(found, decision_of(found, _ask(found, source, action, annotator)))
    others = {2: ("supports", 2, 1), 3: ("", 3, 1), 5: ("supports", 5, 4)}
    assert _links(made.continua["d"]) == wanted | {
        (*x, "directed") for k, x in others.items() if k != source
    }
    assert (made.decided, made.undecided, made.stale) == (1, 1, 0)


def test_impossible_decisions_on_links_are_refused() -> None:
    found, _ = _found()
    for asked, why in (
        (_ask(found, 3, "merge"), "tied"),
        (_ask(found, 5, "edit"), "cannot be edited"),
        (_ask(found, 5, "take", "Eve"), "not an annotator"),
    ):
        with pytest.raises(DataError, match=why):
            decision_of(found, asked)


def test_a_link_is_dropped_with_its_unit_and_counted() -> None:
    found, _ = _found()
    key = item_keys(found["d"])[[u.start for u in found["d"].units].index(80)]
    said = {"request": "r", "reviewer": "Eve", "document": "d", "item": key, "action": "drop"}
    made = _gold(found, decision_of(found, validated(DecisionRequest, said)))
    assert _links(made.continua["d"]) == {
        ("supports", 2, 1, "directed"),
        ("", 3, 1, "directed"),
    }
    assert made.loose == 1


def test_the_page_has_links_even_if_units_are_agreed_on() -> None:
    found, alignments = _found()
    assert not found["d"].review
    documents = {"d": alignment_document(alignments["d"], "d")}
    page = reviewing(Review(consensus=found, documents=documents), "")
    assert "nothing to review" not in page
    for key, link in zip(link_keys(found["d"]), found["d"].links, strict=True):
        assert (f'data-link="{key}"' in page) is bool(link.reasons)
    assert "Max: supports 60–70 → 80–90" in page
    assert json.dumps(documents["d"]["links"]["types"])[1:-1] in page.replace('","', '", "')


def test_one_link_to_review_is_in_the_singular() -> None:
    found, _ = _found()
    (open_link, *_) = [x for x in found["d"].links if x.reasons]
    review = Review(consensus={"d": replace(found["d"], links=(open_link,))}, documents={})
    page = str(live(Now("done", Findings(review=review), ""), Choice()))
    assert "0 units and 1 link on which annotators differ" in page
