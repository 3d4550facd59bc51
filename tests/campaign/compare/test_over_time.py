"""Changes of γ over time: lines by hand and by statsmodels, planted fatigue, and document
orders.
"""

import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from gammacp.campaign.compare import Comparison, compare
from gammacp.campaign.compare.over_time import changes
from gammacp.continuum import Continuum, Unit
from gammacp.continuum.selecting import keep_annotators
from gammacp.errors import DataError, UsageError
from gammacp.formats.clusters import in_order
from gammacp.inference.part_tests import change_in_order
from gammacp.inference.populations import PairSums
from tests.conftest import Run

PEOPLE = ("Ann", "Bob", "Cid", "Dan")


def document(shifts: dict[str, float]) -> Continuum:
    """Return units of length 10, 40 apart, moved by each annotator's shift."""
    units = [Unit(a, 40 * k + s, 40 * k + s + 10) for a, s in shifts.items() for k in range(6)]
    return Continuum.from_units(units, bounds=(-20, 270))


def campaign(tiring: float, common: float = 0.0, n: int = 16) -> dict[str, Continuum]:
    """Return documents in which Dan's boundaries, and everybody's, get worse over time.

    `tiring` is the growth for Dan and `common` that for all.
    """
    rng = np.random.default_rng(4)
    continua = {}
    for t in range(n):
        spread = {a: 1 + common * t / n + tiring * t / n * (a == "Dan") for a in PEOPLE}
        signs = [*rng.permutation([-0.5, 0.0, 0.5]), rng.choice([-1.0, 1.0])]
        noise = rng.uniform(0.8, 1.2, 4)
        continua[f"d{t:02}"] = document(
            {a: spread[a] * s * k for a, s, k in zip(PEOPLE, signs, noise, strict=True)}
        )
    return continua


def compared(continua: dict[str, Continuum]) -> Comparison:
    return compare(
        continua, samples=40, chance="cut", draws=0, leave_one_out=False, by=["document"],
        in_order=True,
    )  # fmt: skip


def test_the_line_is_that_of_weighted_least_squares_with_hc3() -> None:
    sm = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(2)
    y, w, x = rng.random(9), rng.uniform(0.2, 2.0, 9), np.linspace(0, 1, 9)
    trend = change_in_order(y, w, x)
    fit = sm.WLS(y, sm.add_constant(x), weights=w).fit(cov_type="HC3")
    assert float(trend.value) == pytest.approx(fit.params[1])
    assert float(trend.error) == pytest.approx(fit.bse[1])


def test_a_line_by_hand() -> None:
    """The line through 1, 3, 2 at 0, ½, 1 rises by 1; its HC3 error is computed by hand.

    Residuals are −½, 1, −½, and leverages 5/6, 1/3, 5/6.
    """
    trend = change_in_order(np.array([1.0, 3.0, 2.0]), np.ones(3), np.array([0, 0.5, 1]))
    assert float(trend.value) == pytest.approx(1.0)
    # Influences x·r / (1 − h) / Σx² are ±½·½ / (1/6) / ½ = 3 at both ends and 0 in the middle.
    assert float(trend.error) == pytest.approx(3 * np.sqrt(2))


def test_documents_of_one_cluster_count_once() -> None:
    rng = np.random.default_rng(3)
    y, x = np.repeat(rng.random(8), 4), np.repeat(np.linspace(0, 1, 8), 4)
    alone = change_in_order(y, np.ones(32), x)
    trend = change_in_order(y, np.ones(32), x, np.repeat(np.arange(8), 4))
    assert float(trend.error) > 1.5 * float(alone.error)
    assert float(trend.df) == pytest.approx(6)


def test_only_the_annotator_who_tires_is_named() -> None:
    trends = compared(campaign(tiring=8.0)).over_time
    assert trends is not None
    dan = next(c for c in trends.annotators if c.annotator == "Dan")
    assert dan.change < 0
    assert dan.p_holm <= 0.05
    words = " ".join(trends.in_words())
    assert "γ of Dan with the others falls, more than the others' own, by" in words
    assert trends.all.change < 0


def test_a_decline_of_all_is_charged_to_nobody() -> None:
    trends = compared(campaign(tiring=0.0, common=4.0)).over_time
    assert trends is not None
    assert trends.all.p <= 0.05
    assert trends.all.change < 0
    assert min(c.p_holm for c in trends.annotators) > 0.05


def test_two_annotators_are_not_distinguished_and_few_documents_not_tested() -> None:
    two = {n: keep_annotators(c, ["Ann", "Bob"]) for n, c in campaign(tiring=0.0).items()}
    trends = compared(two).over_time
    assert trends is not None
    assert trends.annotators == ()
    few = compared(campaign(tiring=8.0, n=4)).over_time
    assert few is not None
    assert few.in_words() == ["No change over time can be tested: it takes 5 documents."]


def test_constant_disorder_has_no_change_over_time() -> None:
    """Without any disorder, or without disorder where Dan took part, there is no change and no
    error.
    """
    same = {f"d{k}": document(dict.fromkeys(PEOPLE, 0.0)) for k in range(6)}
    trends = compared(same).over_time
    assert trends is not None
    assert [c.documents for c in trends.annotators] == [6] * 4
    assert all(np.isnan(c.change) for c in (trends.all, *trends.annotators))
    takes = "it takes 5 documents or clusters of them, not all of the same γ."
    assert trends.in_words() == [f"No change over time can be tested: {takes}"]
    others = {name: keep_annotators(c, [*PEOPLE[:3]]) for name, c in campaign(0.0, n=6).items()}
    mixed = compared(same | {f"e{name}": c for name, c in others.items()}).over_time
    assert mixed is not None
    dan = next(c for c in mixed.annotators if c.annotator == "Dan")
    assert np.isnan(dan.change)
    assert np.isfinite(mixed.all.p)


def test_a_column_and_a_table_give_the_order(run: Run, tmp_path: Path) -> None:
    continua = campaign(tiring=8.0)
    days = {name: day for day, name in enumerate(sorted(continua, key=lambda n: n[::-1]))}
    rows = [
        f"{name},{u.annotator},{u.category or ''},{u.start},{u.end},{days[name]}"
        for name, c in continua.items()
        for u in map(c.unit, range(c.n_units))
    ]
    head = "document,annotator,category,start,end,day"
    (tmp_path / "units.csv").write_text("\n".join([head, *rows]))
    (tmp_path / "order.csv").write_text(
        "document,order\n" + "\n".join(f"{n},2026-11-{d + 1:02}" for n, d in days.items())
    )
    where = {"day": "day", "order.csv": tmp_path / "order.csv"}
    records = []
    for order in ("day", "order.csv"):
        done = run("compare", tmp_path / "units.csv", "--order", where[order], "--by", "document",
                   "--samples", 5, "--no-interval", "--json")  # fmt: skip
        assert done.code == 0, done.err
        records.append(json.loads(done.out))
    assert [d["file"] for d in records[0]["documents"]] == sorted(days, key=days.__getitem__)
    assert records[0]["over_time"] == records[1]["over_time"]
    assert records[0]["over_time"]["all"]["documents"] == 16
    assert "order=day" in records[0]["overall"]["signature"]
    shown = run("compare", tmp_path / "units.csv", "--order", "day", "--by", "document",
                "--samples", 5, "--no-interval")  # fmt: skip
    assert "Over time" in shown.out


def test_numbers_are_sorted_by_size_and_a_pattern_is_refused(tmp_path: Path) -> None:
    continua = {f"d{i}": document({"Ann": 0, "Bob": 1}) for i in range(3)}
    (tmp_path / "o.csv").write_text("document,order\nd0,10\nd1,9\nd2,100\n")
    assert [*in_order(continua, tmp_path / "o.csv")] == ["d1", "d0", "d2"]
    tied = tmp_path / "tied.csv"
    tied.write_text("document,order\nd0,2\nd1,1\nd2,1\n")
    (what,) = {note for c in in_order(continua, tied).values() for note in c.selection}
    assert "(1 at another's place)" in str(what)
    tied.write_text("document,order\nd0,1\nd1,1\nd2,1\n")
    with pytest.raises(DataError, match="all 3 documents have the same place in the order, '1'"):
        in_order(continua, tied)
    with pytest.raises(UsageError, match="not a pattern"):
        in_order(continua, "{order}-*")
    for other in ("2026-11-23", "nan"):
        (tmp_path / "o.csv").write_text(f"document,order\nd0,10\nd1,9\nd2,{other}\n")
        with pytest.raises(
            DataError, match=f"d2: its place in the order is '{other}'; other documents"
        ):
            in_order(continua, tmp_path / "o.csv")
    (tmp_path / "o.csv").write_text("document,order\nd0,2026-11-24\nd1,2026-11-23\nd2,2027-01-01\n")
    assert [*in_order(continua, tmp_path / "o.csv")] == ["d1", "d0", "d2"]


def test_memory_grows_with_the_documents_and_not_with_their_square() -> None:
    n = 3000
    rng = np.random.default_rng(0)
    document, annotator = np.repeat(np.arange(n), 3), np.tile(np.arange(3), n)
    sums = PairSums(document, annotator, rng.gamma(2, 1, 3 * n), np.full(3 * n, 4.0))
    tracemalloc.start()
    trends = changes(["a", "b", "c"], sums, np.arange(n))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert trends.all.documents == n
    assert peak < 8 * n * n / 4
