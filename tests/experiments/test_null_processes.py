"""Makers of null processes against their descriptions, and rows of tables by hand."""

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gammacp.continuum import Continuum
from gammacp.measures.registry import MEASURES

_KNOWN = set(MEASURES)

from experiments import null_catalogue as catalogue  # noqa: E402
from experiments import unequal_sizes as sizes  # noqa: E402
from experiments._independent_lexica import WORDS, text  # noqa: E402
from experiments._null_processes import KINDS, NULL_PROCESSES  # noqa: E402

# The studies of zero register measures, which other tests must not see.
for _name in set(MEASURES) - _KNOWN:
    MEASURES.unregister(_name)

ROOT = Path(__file__).parents[2]


def made(name: str, seed: int = 0) -> Any:
    return NULL_PROCESSES[name].make(np.random.default_rng(seed))


def spans(c: Continuum, annotator: str) -> list[tuple[float, float]]:
    return sorted((u.start, u.end) for u in c if u.annotator == annotator)


def test_every_kind_has_processes_and_measures() -> None:
    assert {p.kind for p in NULL_PROCESSES.values()} == {*KINDS}
    assert {s.kind for s in catalogue.STUDIES} == {*KINDS}
    assert all(p.says.endswith(".") for p in NULL_PROCESSES.values())


def test_tiles_cover_the_text() -> None:
    for seed in range(5):
        c = made("tiles", seed)
        for name in c.annotators:
            tiles = spans(c, name)
            assert (tiles[0][0], tiles[-1][1]) == c.bounds
            assert all(a[1] == b[0] for a, b in pairwise(tiles))


def test_adjacent_units_touch() -> None:
    c = made("adjacent")
    for name in c.annotators:
        assert all(a[1] == b[0] for a, b in pairwise(spans(c, name)))


def test_copies_are_equal_and_the_others_are_not() -> None:
    c = made("copies")
    assert c.annotators == ("A1", "A2", "A3")
    labels = {n: [u.category for u in c if u.annotator == n] for n in c.annotators}
    assert spans(c, "A2") == spans(c, "A3")
    assert labels["A2"] == labels["A3"]
    assert not {*spans(c, "A1")} & {*spans(c, "A2")}


@pytest.mark.parametrize("bursts", [False, True])
def test_lists_mark_every_occurrence_of_their_words(bursts: bool) -> None:
    words = text(np.random.default_rng(3), 400, bursts=bursts)
    c = made("lexica, bursts" if bursts else "lexica", 3)
    # Words are drawn first, then a length for each word that occurs.
    rng = np.random.default_rng(3)
    text(rng, 400, bursts=bursts)
    lengths = rng.integers(3, 9, WORDS)[words]
    starts = np.concatenate([[0], np.cumsum(lengths[:-1] + 1)])
    listed = []
    for name in c.annotators:
        marked = {start for start, _ in spans(c, name)}
        mine = {int(w) for w, s in zip(words, starts, strict=True) if float(s) in marked}
        every = {float(s) for w, s in zip(words, starts, strict=True) if int(w) in mine}
        assert marked == every
        listed.append(mine)
    assert listed[0] != listed[1]


def test_nobody_marks_anything_in_a_pause() -> None:
    c = made("pauses told", 1)
    stretches = c.markable
    assert len(stretches) == 14
    for unit in c:
        assert any(a <= unit.start and unit.end <= b for a, b in stretches)
    assert not made("pauses").markable


def test_a_tilt_leaves_a_third_of_the_units_to_the_second_half() -> None:
    """By hand, ∫ 1 − .75x from .5 to 1 is .219 of .625: 35 %."""
    late = []
    for seed in range(100):
        c = made("tilt", seed)
        late += ((c.starts + c.ends) / 2 > 300).tolist()
    assert np.mean(late) == pytest.approx(0.35, abs=0.03)


def test_bursts_have_uneven_gaps_and_a_quota_is_never_exceeded() -> None:
    """By hand, gamma gaps have coefficients of variation 1/√.4 = 1.6 and 1/√2 = .7."""
    variation = {}
    for name in ("like", "bursts"):
        gaps = []
        for seed in range(40):
            rows = spans(made(name, seed), "A1")
            gaps += [b[0] - a[1] for a, b in pairwise(rows)]
        variation[name] = np.std(gaps) / np.mean(gaps)
    assert variation["like"] < 0.9
    assert variation["bursts"] > 1.3
    c = made("quota")
    assert all(len(spans(c, name)) <= 20 for name in c.annotators)


def test_a_document_has_the_two_annotators_of_its_team() -> None:
    corpus = made("teams")
    for k, c in enumerate(corpus.values()):
        there = {u.annotator for u in c}
        assert there == {f"team {k % 4} a", f"team {k % 4} b"}


def test_links_go_where_the_description_says() -> None:
    steps = {}
    for name in ("adjacent links", "links beside", "backward links"):
        links = [x for seed in range(5) for x in made(name, seed).links]
        steps[name] = np.array([int(x.source) - int(x.target) for x in links])
    assert (steps["adjacent links"] == 1).mean() > 0.7
    assert {*np.abs(steps["links beside"]).tolist()} == {1}
    assert (steps["backward links"] > 0).all()
    assert steps["backward links"].max() > 10


def test_hubs_are_linked_to_most() -> None:
    """By Zipf's law over 20 units, the most popular one has 1/3.6 = 28 % of the links."""
    tops = []
    for seed in range(20):
        links = [x.target for x in made("hubs", seed).links if x.annotator == "A1"]
        tops.append(max(map(links.count, links)) / len(links))
    assert 0.2 < np.mean(tops) < 0.45


def test_a_row_by_hand() -> None:
    """One of two p-values is small; the upper limit of 1 in 2 is √.95, where 1 − x² = .05."""
    process = NULL_PROCESSES["like"]
    outcomes = [
        catalogue.found(0.1, 0.05), catalogue.found(0.3, 0.06), catalogue.found(math.nan, None),
    ]  # fmt: skip
    row = catalogue.row("like", process, "gamma", outcomes)
    assert (row["sets"], row["with_p"], row["significant"]) == (3, 2, 0.5)
    assert row["upper"] == pytest.approx(math.sqrt(0.95))
    assert row["mean"] == pytest.approx(0.2)
    assert row["standard_error"] == pytest.approx(0.1)


def test_the_worst_row_has_most_small_p_and_then_the_highest_mean() -> None:
    kinds = (("a", "", 0.1, 0.5), ("b", "", 0.2, 0.1), ("c", "", 0.2, 0.3), ("d", "a word", 0.9, 1))
    rows: list[catalogue.Row] = [
        {
            "process": name, "shares": shares, "measure": "m", "with_p": 10,
            "significant": share, "upper": 0.95, "mean": float(mean), "standard_error": 0.01,
        }
        for name, shares, share, mean in kinds
    ]  # fmt: skip
    (line,) = catalogue.worst(rows).splitlines()[2:]
    alone, sharing = line.strip("| ").split(" | ")[1:]
    assert alone == "c: 20% of 10 (≤ 95%), +0.300 ± 0.010"
    assert sharing.startswith("d: 90% of 10")


def test_the_page_has_the_worst_rows() -> None:
    table = (ROOT / "results" / "null_catalogue" / "worst.md").read_text(encoding="utf-8")
    assert table.strip() in (ROOT / "docs" / "tests.md").read_text(encoding="utf-8")


def test_agreement_is_found_and_independence_mostly_is_not() -> None:
    c = made("copies")
    both = Continuum.from_units([u for u in c if u.annotator != "A1"], annotators=("A2", "A3"))
    assert catalogue.of_gamma(both, 0)["gamma"] == catalogue.Found(1.0, True)
    assert catalogue.of_crowd(made("schools of mistakes"), 0)["a pair copied"].small is False


def test_unequal_sizes_vary() -> None:
    rng = np.random.default_rng
    equal = np.diff(sizes.boundaries_of(0.0, rng(0)), prepend=0, append=sizes.MASS)
    assert {*equal.tolist()} == {100}
    variations = []
    for variation in (0.5, 1.5):
        every = [np.diff(sizes.boundaries_of(variation, rng(k)), prepend=0) for k in range(50)]
        assert all((own > 3).all() for own in every)
        variations.append(np.mean([own.std() / own.mean() for own in every]))
    assert 0.4 < variations[0] < 0.55 < 0.8 < variations[1]


def test_errors_have_the_stated_sizes() -> None:
    rng = np.random.default_rng
    truth = sizes.boundaries_of(1.0, rng(1))
    own = np.diff(truth, prepend=0, append=sizes.MASS)
    assert {*sizes.missed(truth, rng(2)).tolist()} < {*truth.tolist()}
    moved = sizes.moved_by_size(truth, rng(2))
    assert (np.abs(moved - truth) <= 0.4 * np.minimum(own[:-1], own[1:]) + 0.5).all()
    nearest = [np.abs(truth - b).min() for b in sizes.moved_alike(truth, rng(2))]
    assert max(nearest) <= 40
    for error in sizes.ERRORS:
        c = sizes.annotated(error, 1.5, 0)
        for name in c.annotators:
            rows = spans(c, name)
            assert (rows[0][0], rows[-1][1]) == (0, sizes.MASS)
            assert all(a[1] == b[0] for a, b in pairwise(rows))
