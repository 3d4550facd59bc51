"""Views of results in notebooks: the verdict comes first, and everything is escaped."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape
from html.parser import HTMLParser
from typing import Any

import pytest

import gammacp as gc
from gammacp import Continuum, Corpus, Unit, datasets
from gammacp.base.subjects import subjects
from gammacp.campaign.plan import Design, Plan, Prices
from gammacp.campaign.plan.spread import Pilot
from tests.report.test_page import Balanced

EVIL = "C<script>alert(1)</script>"
PEOPLE = ("Ann", "Bob", EVIL)


class Words(HTMLParser):
    """Parser that collects the text of a page's body, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self._inside: list[str] = []

    def handle_starttag(self, tag: str, _attributes: Any) -> None:
        if tag in ("style", "script", "title"):
            self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        if not self._inside and data.strip():
            self.words.append(data.strip())


def document(k: int) -> Continuum:
    units = [
        Unit(who, s, s + 8, "ab"[(n + (who == "Bob" and (n + k) % 3 == 0)) % 2])
        for who in PEOPLE
        for n in range(6)
        for s in [(12 + k) * n + (who == EVIL) * (n % (k + 2))]
    ]
    return Continuum.from_units(units, name=f"d{k}&")


ONE = document(1)
CORPUS = Corpus.from_continua({f"d{k}&": document(k) for k in range(5)})


def planned() -> Plan:
    """Return a plan without any computation."""
    best = Design(annotators=3, spread=0.1, documents=12, cost=36)
    return Plan(
        pilot=Pilot(mix={3: 5}, gamma=0.6),
        goal=gc.Goal(half_width=0.1),
        prices=Prices(),
        designs=(best,),
        curve=(),
        piloted=False,
        signature="plan|v:1",
    )


def measured(data: Any, name: str, **options: Any) -> Any:
    return gc.measure(data, [name], **options)[name]


VIEWS: dict[str, tuple[Callable[[], Any], str]] = {
    "corpus": (lambda: CORPUS, "5 documents, 3 annotators, 90 units, 2 categories."),
    "alignment": (lambda: gc.align(ONE), "6 unitary alignments, disorder"),
    "gamma": (lambda: gc.gamma(datasets.load("alex-paul-suzan")), "γ"),
    "undefined score": (lambda: measured(ONE, "kappa"), "There is no value:"),
    "corpus gamma": (lambda: gc.gamma_corpus(CORPUS, samples=20), "γ"),
    "score": (lambda: measured(ONE, "cu-alpha"), "cu-alpha"),
    "categories": (lambda: measured(ONE, "ku-alpha"), "There is no value: "),
    "corpus score": (lambda: measured(CORPUS, "cu-alpha", by=["category"]), "cu-alpha"),
    "scores": (lambda: gc.measure(ONE, ["cu-alpha", "f1-strict"]), "Measure"),
    "corpus scores": (lambda: gc.measure(CORPUS, ["cu-alpha", "f1-strict"]), "Measure"),
    "comparison": (lambda: gc.compare(ONE, samples=20, draws=0), "Comparison"),
    "consensus": (lambda: gc.consensus(gc.align(ONE)), "The gold standard has 6 units. "),
    "corpus consensus": (lambda: gc.consensus(CORPUS), "The gold standard has 30 units. "),
    "plan": (planned, "12 documents by 3 annotators each (36 annotations): γ (0.60 so far)"),
    "replacement": (lambda: gc.replace(CORPUS, [EVIL], min_documents=3), EVIL),
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_begins_with_its_verdict(name: str) -> None:
    make, first = VIEWS[name]
    shown = make()._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    page = unescape(shown.split('"')[1])
    Balanced().feed(page)
    assert "<script>alert" not in page
    words = Words()
    words.feed(page)
    assert words.words[0].startswith(first.strip())


@pytest.mark.parametrize(("name", "sentence"), [
    ("gamma", "Agreement on this text is "),
    ("corpus gamma", "Agreement on these 5 documents is "),
])  # fmt: skip
def test_the_verdict_is_beside_the_number(name: str, sentence: str) -> None:
    words = Words()
    words.feed(unescape(VIEWS[name][0]()._repr_html_().split('"')[1]))
    number = next(i for i, word in enumerate(words.words) if word.startswith(("0.", "1.0")))
    assert words.words[number + 1].startswith(sentence)


@pytest.mark.parametrize("name", ["score", "corpus score", "plan", "replacement", "scores"])
def test_views_without_interaction_have_no_script(name: str) -> None:
    """A saved notebook contains every view that it shows, so views must be small."""
    shown = VIEWS[name][0]()._repr_html_()
    assert "<script></script>" in unescape(shown)
    assert len(shown) < 20_000


def test_long_tables_are_cut_with_a_note() -> None:
    many = Corpus.from_continua({f"d{k}": ONE for k in range(150)})
    page = unescape(many._repr_html_())
    assert page.count("<tr>") == 101
    assert "The first 100 of 150." in page


@pytest.mark.skipif("bench" not in subjects(), reason="without the subject bench")
def test_a_ranking_names_the_best_measures() -> None:
    from gammacp.bench.ranking import rank

    def value(slope: float, magnitude: float, k: int) -> float:
        return 1 - magnitude * slope + 0.01 * (k % 5)

    values = {
        ("split", measure, m): {k: value(slope, m, k) for k in range(8)}
        for measure, slope in (("sees", 0.8), ("<blind>", 0.0))
        for m in (0.0, 0.5, 1.0)
    }
    words = Words()
    words.feed(unescape(rank(values, documents=5)._repr_html_().split('"')[1]))
    assert words.words[0] == "split: sees tells magnitudes apart best."
    assert "<blind>" in words.words
    assert words.words[-1] == "8 sets show an order; ranks for publication need 40."
