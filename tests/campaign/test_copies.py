"""Annotators who share whole documents: named if they copy, and not if they are honest."""

import json
import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.special import beta
from scipy.stats import binom

from gammacp.campaign.compare import compare
from gammacp.campaign.consensus import consensus_of_each
from gammacp.campaign.copies import copies, count_once
from gammacp.continuum import Continuum, Unit
from tests.conftest import Run

Marked = dict[str, list[tuple[int, int, str]]]


def document(marked: Marked) -> Continuum:
    units = [Unit(a, s, e, label) for a, spans in marked.items() for s, e, label in spans]
    return Continuum.from_units(units, annotators=[*marked], bounds=(0, 100))


def crowd(
    seed: int, documents: int = 15, people: str = "ABCD", copied: int = 0, school: str = ""
) -> dict[str, Continuum]:
    """Return ten true units a document, each marked wrongly by one in four, in one of five ways.

    In the first `copied` documents B has all units of A. Annotators of a school tend to make the
    same mistakes.
    """
    rng, continua = np.random.default_rng(seed), {}
    for d in range(documents):
        pool = rng.integers(5, size=10)
        marked: Marked = {}
        for name in people:
            wrong = rng.random(10) < 0.25
            way = rng.integers(5, size=10)
            if name in school:
                way = np.where(rng.random(10) < 0.8, pool, way)
            ends = np.where(wrong, 4 + way, 3)
            marked[name] = [(10 * k, 10 * k + int(ends[k]), "xy"[k % 2]) for k in range(10)]
        if d < copied:
            marked["B"] = list(marked["A"])
        continua[f"d{d}"] = document(marked)
    return continua


def test_p_is_that_of_counted_tables() -> None:
    """The p-value is that of a count by hand.

    A and B share both of their units that no third has in two of 32 documents, and none elsewhere.
    """
    spans = [(10, 20, "x"), (30, 40, "y")]
    same = document({"A": spans, "B": spans, "C": []})
    other = document({"A": [(50, 60, "x")], "B": [(70, 80, "y")], "C": []})
    apart = {f"o{k}": other for k in range(30)}
    copies_found = copies({"a": same, "b": same, **apart})
    [pair] = copies_found.pairs
    assert (pair.annotators, pair.documents, pair.of) == (("A", "B"), ("a", "b"), 32)
    assert (pair.units, pair.share) == (4, 0.0)
    # One shared unit more than the 60 have is assumed, to be on the safe side: q (cut off at 1 of
    # 2) is the root of 30 · 2(q − q²)/(1 − q²) = 1. A document is shared as a whole with q².
    q = 1 / 59
    assert 30 * 2 * (q - q**2) / (1 - q**2) == pytest.approx(1)
    chance = 1 - (1 - q**2) ** 32 - 32 * q**2 * (1 - q**2) ** 31
    # Each of the three pairs has units of its own in two documents.
    assert copies_found.tested == 3
    assert pair.p == pytest.approx(3 * chance)


def test_p_is_that_of_all_tables_where_sizes_differ() -> None:
    """Documents of different sizes have the p-value of the sum over all sets of shared
    documents.
    """

    def own(names: str, places: range) -> Marked:
        units = [(5 * k, 5 * k + 3, "x") for k in places]
        return {name: units if name in names else [] for name in "ABC"}

    sizes = (3, 1)
    whole = {f"s{k}": document(own("AB", range(size))) for k, size in enumerate(sizes)}
    rest = {f"r{k}": document(own("A", range(2))) for k in range(9)}
    [pair] = copies({**whole, **rest}).pairs
    everything = [*sizes, *[2] * 9]
    # One of 18 units is assumed shared, as above; C has no unit, and A and C share none.
    q = 1 / 17
    chances = [q**size for size in everything]
    p = 0.0
    for shared in product([False, True], repeat=len(everything)):
        if sum(size for size, s in zip(everything, shared, strict=True) if s) >= 4:
            p += math.prod(c if s else 1 - c for c, s in zip(chances, shared, strict=True))
    assert (pair.units, pair.of, pair.documents) == (4, 11, ("s0", "s1"))
    # B and C have no units of their own, so two pairs are tested.
    assert pair.p == pytest.approx(2 * p)


def test_documents_that_differ_make_p_larger() -> None:
    """Variation between documents makes p larger, as a beta-binomial distribution by hand shows.

    C and D share all, half and none of two units: a correlation of 1/3, which is used for A and B.
    """
    spans: Marked = {"C": [(10, 13, "x"), (20, 23, "x")], "D": [], "E": []}
    both = {
        "all": document({**spans, "D": spans["C"]}),
        "half": document({**spans, "D": spans["C"][:1]}),
        "none": document(spans),
    }
    units = [(5 * k, 5 * k + 3, "x") for k in range(4)]
    whole = {f"s{k}": document({"A": units, "B": units, "C": []}) for k in range(3)}
    rest = {f"r{k}": document({"A": units[:2], "B": [], "C": []}) for k in range(30)}
    [pair] = copies({**both, **whole, **rest}).pairs
    # C and E, and A and C, have units of their own too, so the share of others is above 1/59.
    share = 3 / (6 + 3 + 60)
    one, other = 2 * share, 2 * (1 - share)
    of_two, of_four = (beta(one + k, other) / beta(one, other) for k in (2, 4))
    # Twelve shared units may be any numbers of documents of four and of two.
    p = sum(
        binom.pmf(fours, 3, of_four) * binom.sf((12 - 4 * fours) / 2 - 1, 30, of_two)
        for fours in range(4)
    )
    assert pair.annotators == ("A", "B")
    assert pair.p == pytest.approx(4 * p)


def test_honest_crowds_and_schools_are_not_named() -> None:
    for school in ("", "AB", "ABCD"):
        named = [bool(copies(crowd(seed, school=school)).pairs) for seed in range(20)]
        assert np.mean(named) <= 0.05


@pytest.mark.parametrize(("copied", "least"), [(5, 0.9), (15, 0.95)])
def test_copied_documents_are_found(copied: int, least: float) -> None:
    pairs_found = [copies(crowd(seed, copied=copied)).pairs for seed in range(20)]
    assert (
        np.mean([[p.annotators for p in pairs] == [("A", "B")] for pairs in pairs_found]) >= least
    )
    # A document with a single own unit may be shared by chance.
    others = [
        sum(int(name[1:]) >= copied for p in pairs for name in p.documents) for pairs in pairs_found
    ]
    assert np.mean(others) <= 0.5


def test_two_annotators_and_single_units_are_no_evidence() -> None:
    same = [(10, 20, "x"), (30, 40, "y")]
    two = document({"A": same, "B": same})
    assert copies({"a": two, "b": two, "c": two}).tested == 0
    lone = document({"A": same[:1], "B": same[:1], "C": []})
    assert copies({"a": lone, "b": lone}).pairs == ()
    # A unit that a third annotator has does not count as a pair's own.
    three = document({"A": same, "B": same, "C": same})
    assert copies({"a": three, "b": three}).pairs == ()


def test_identical_annotations_count_once() -> None:
    continua = crowd(1, copied=6)
    copies_found = copies(continua)
    changed, gone = count_once(continua, copies_found)
    assert {changed[name].annotators for name in gone} == {("A", "C", "D")}
    assert {*gone} == {*copies_found.pairs[0].documents}
    assert all(people == ("B",) for people in gone.values())
    each = consensus_of_each(continua, weights="vote")
    assert dict(each.belief.counted_once) == gone
    assert any("identical annotations count once" in note for note in each.belief.notes)
    plain = consensus_of_each(changed, weights="vote")
    assert {n: [*c] for n, c in each.continua.items()} == {
        n: [*c] for n, c in plain.continua.items()
    }


def test_commands_report_copies_and_json_has_them(run: Run, tmp_path: Path) -> None:
    rows = ["document,annotator,category,start,end"]
    for name, c in crowd(3, documents=8, copied=6).items():
        rows += [f"{name},{u.annotator},{u.category},{u.start},{u.end}" for u in c]
    path = tmp_path / "crowd.csv"
    path.write_text("\n".join(rows) + "\n")
    sentence = "A and B share every unit that nobody else marks in "
    outcome = run("gamma", path, "--samples", 2)
    assert sentence in " ".join((outcome.out + outcome.err).split())
    options = {
        "gamma": ("--samples", 2),
        "compare": ("--samples", 2, "--bootstrap", 0, "--no-leave-one-out"),
        "consensus": ("--splits", 0),
    }
    for command, arguments in options.items():
        record = json.loads(run(command, path, *arguments, "--json").out)["copies"]
        assert [pair["annotators"] for pair in record["pairs"]] == [["A", "B"]]
        assert record["tested"] == 6
    assert next(iter(record["counted_once"].values())) == ["B"]
    compared = run("compare", path, *options["compare"])
    assert sentence in " ".join(compared.out.split())


def test_a_single_document_has_no_copies() -> None:
    one = compare({"d": next(iter(crowd(1).values()))}, samples=10, by=["document"])
    assert one.copies is None
    assert one.as_dict()["copies"] is None
    many = compare(crowd(1, documents=3), samples=10, by=["document"])
    assert many.copies is not None
    assert all(math.isfinite(p.p) for p in many.copies.pairs)
