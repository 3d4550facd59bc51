"""The page without a browser: self-contained, complete, small, and explicit about
undefined values.
"""

import re
from functools import partial
from html import escape, unescape
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import gammacp as gc
from gammacp.campaign.calibrate import calibrate
from gammacp.campaign.compare import compare
from gammacp.campaign.verdict import verdict
from gammacp.continuum import Continuum, Unit
from gammacp.continuum.selecting import keep_annotators, keep_categories
from gammacp.errors import DataError
from gammacp.report import Report, report
from gammacp.report.page import gamma_on_scale
from gammacp.report.viewer import alignment_document
from tests.alignment.pairs import pairs
from tests.work import calls

VOID = {"meta"}


class Balanced(HTMLParser):
    """Parser that fails on a tag that is not closed where it should be."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [v or "" for k, v in attrs if k in ("src", "href", "action")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def continuum(seed: int = 0, n: int = 12) -> Continuum:
    rng = np.random.default_rng(seed)
    starts = np.cumsum(rng.integers(5, 25, n)).tolist()
    return Continuum.from_units(
        Unit(a, s + int(rng.integers(-2, 3)), s + 8, "xyz"[int(rng.integers(3))])
        for a in "ABC"
        for s in starts
    )


@pytest.fixture(scope="module")
def built() -> Report:
    return report({"one": continuum(1), "two": continuum(2)}, samples=5, draws=50)


def test_the_page_is_well_formed_and_loads_nothing(built: Report) -> None:
    parser = Balanced()
    parser.feed(built.html)
    assert parser.open == []
    assert all(a.startswith("#") for a in parser.addresses)
    assert "default-src 'none'" in built.html
    assert not re.search(r"https?://", built.html)


def test_every_section_is_present(built: Report) -> None:
    ids = set(re.findall(r'<section id="([a-z]+)"', built.html))
    assert ids == {
        "kinds", "alignment", "review", "belief", "disorder", "values", "documents", "annotators",
        "categories", "method",
    }  # fmt: skip
    assert f"{built.contents.comparison.overall.value:.3f}" in built.html
    assert "With only 2 documents" not in built.html
    assert "2 documents are too few" in built.html
    assert "Votes decide, because " in built.html


def test_costs_in_the_view_are_those_of_the_alignment() -> None:
    alignment = gc.align(continuum(3))
    document = alignment_document(alignment, "x")
    expected = [
        (p.positional, p.categorial, p.dissimilarity)
        for p in pairs(alignment)
        if p.first is not None and p.second is not None
    ]
    pair_costs = document["pairs"]
    rows = list(
        zip(pair_costs["positional"], pair_costs["categorial"], pair_costs["total"], strict=True)
    )
    assert np.array(rows) == pytest.approx(np.array(expected), rel=1e-5, abs=1e-12)
    disorders = document["groups"]["disorder"]
    assert sum(disorders) / alignment.continuum.mean_units == pytest.approx(alignment.disorder)


def test_a_text_that_does_not_fit_the_offsets_is_left_out() -> None:
    units = [Unit("A", 0, 2), Unit("B", 0, 2)]
    tokens = Continuum.from_units(units, text="two words", offset_unit="tokens")
    characters = Continuum.from_units(units, text="two words", offset_unit="characters")
    assert alignment_document(gc.align(tokens), "x")["text"] is None
    assert alignment_document(gc.align(characters), "x")["text"] == "two words"


@pytest.mark.usefixtures("little_is_simulated")
def test_calibration_reference_and_rounds_have_their_sections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    two = partial(calibrate, errors=["position", "category"], sets=3)
    monkeypatch.setattr("gammacp.report.building.calibrated", two)
    c = continuum(4, 8)
    page = report(
        c,
        reference="C",
        against={"later": continuum(5, 8)},
        calibrate=True,
        samples=5,
        draws=20,
    ).html
    assert "What this γ means" in page
    assert "C against the annotators" in page
    assert "May C stand in for a person?" in page
    assert "No verdict on C" in page
    assert "Against the other round" in page
    assert page.count("<polyline") >= 1


def test_unproven_values_are_not_called_exact() -> None:
    c = continuum(8, 6)
    exact, greedy = (report(c, samples=5, draws=0, method=m).html for m in ("auto", "greedy"))
    assert "(proven to be the best)" in exact
    assert "(proven to be the best)" not in greedy
    assert "not all of them are proven" in greedy


def test_the_selection_is_on_the_page() -> None:
    c = continuum(9, 6)
    page = report(keep_categories(keep_annotators(c, ["A", "B"]), ["x", "y"]), samples=5).html
    assert "Options that select or read the data: exclude C; only x, y." in page


def test_both_rounds_show_their_signatures() -> None:
    first, second = continuum(10, 6), keep_annotators(continuum(11, 6), ["A", "B"])
    page = report({"one": first}, against={"two": second}, samples=5, draws=0).html
    rounds = page[page.index('<section id="rounds"') :]
    assert len(re.findall(r"gamma\|d:", rounds)) >= 2
    assert "sel:exclude=C" in rounds


def test_the_answer_comes_first_and_intervals_are_under_methods() -> None:
    c = continuum(n=20)
    page = report(c, samples=30, draws=50).html
    head, methods = page.split("<nav", 1)[0], page.split('id="method"', 1)[1]
    assert escape(verdict(compare(c, samples=30, draws=50)).in_words()[0]) in head
    for words in ("random annotation sets).", "Every alignment is proven"):
        assert words not in head
        assert words in methods


def test_undefined_agreement_is_explained() -> None:
    # All annotators marked everything, so random sets agree perfectly too.
    c = Continuum.from_units([Unit("A", 0, 10, "x"), Unit("B", 0, 10, "x")])
    score = gc.gamma(c, samples=5)
    page = report(c, samples=5).html
    if not score.defined:
        assert "γ is undefined" in page


def test_one_annotator_is_an_error() -> None:
    with pytest.raises(DataError, match="two annotators"):
        report(Continuum.from_units([Unit("A", 0, 10, "x")]))


@pytest.mark.slow
def test_size_and_work_of_three_by_five_hundred() -> None:
    def work(n: int) -> int:
        c = continuum(6, n)
        return calls(lambda: sizes.append(len(report(c, samples=10, draws=2000).html.encode())))

    sizes: list[int] = []
    work(5)  # imports all modules
    assert work(500) < 5 * work(100)
    assert max(sizes) < 2_000_000


def test_reports_are_written_and_shown_in_notebooks(built: Report, tmp_path: Path) -> None:
    built.write(tmp_path / "new" / "report.html")
    assert (tmp_path / "new" / "report.html").read_text(encoding="utf-8") == built.html
    frame = built._repr_html_()
    assert frame.startswith("<iframe srcdoc=")
    assert "<script" not in frame


def test_results_show_themselves_in_notebooks() -> None:
    from gammacp.campaign.compare import compare

    score = gc.gamma(continuum(7, 6), samples=5)
    results = [
        score.alignment.continuum,
        score,
        score.alignment,
        gc.consensus(score.alignment),
        compare({"x": score.alignment.continuum}, samples=5, draws=20),
    ]
    for result in results:
        shown = result._repr_html_()
        assert shown.startswith("<iframe srcdoc=")
        Balanced().feed(unescape(shown.split('"')[1]))


def test_gaps_between_fragments_are_in_the_view() -> None:
    units = [Unit("A", 0, 9, "x", ((0, 2), (4, 5), (7, 9))), Unit("B", 0, 9, "x")]
    document = alignment_document(gc.align(Continuum.from_units(units)), "x")
    assert document["units"]["gaps"] == {0: [(2, 4), (5, 7)]}


def test_numbers_have_a_minus_sign_and_names_are_unchanged() -> None:
    names = "B -3 differs most. Not read: in/-3.csv; in/(-5).json; x -4.csv; A-1.5; 2020-01-02."
    values = "γ is -0.50, between -1.456 and 0.20 (-0.612 with all)."
    page = unescape(str(gamma_on_scale(gc.gamma(continuum(), samples=2), [names, values])))
    assert names in page
    assert "γ is −0.50, between −1.456 and 0.20 (−0.612 with all)." in page
