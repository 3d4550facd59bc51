"""F₁ of relations: by hand, against sets of tuples, and against all matchings."""

import math
from collections import Counter
from itertools import combinations

import networkx as nx
import numpy as np
import pytest

import gammacp as gc
from gammacp.continuum import Continuum, Link, Unit
from gammacp.continuum.selecting import keep_annotators, keep_categories
from gammacp.links.measures.relations import count_relations, relation_rates, relations_by_pair
from gammacp.measures.registry import MEASURES
from tests.links.measures.data import linked

NAMES = ["relation-f1-strict", "relation-f1-relaxed"]


def _by_hand() -> Continuum:
    """Return three links of a gold standard and four of a system.

    The first link is the same in both. The second has a slightly displaced unit. The third has
    another type and direction in the system, whose fourth link has no counterpart.
    """
    units = [
        *(Unit("gold", 10 * i, 10 * i + 5, "x", id=str(i)) for i in range(4)),
        *(Unit("sys", 10 * i, 10 * i + 5 + (i == 2), "x", id=str(i)) for i in range(4)),
    ]
    links = [
        Link("gold", "a", "0", "1"),
        Link("gold", "a", "1", "2"),
        Link("gold", "b", "3", "0"),
        Link("sys", "a", "0", "1"),
        Link("sys", "a", "1", "2"),
        Link("sys", "a", "3", "0"),
        Link("sys", "b", "0", "3"),
    ]
    return Continuum.from_units(units, links=links)


def test_recall_precision_and_f1_by_hand():
    """Strictly 1 of 3 and 4 links match, and relaxed 2; counted by hand.

    Of type a it is 1 or 2 of 2 and 3, and of b none of 1 and 1.
    """
    c = _by_hand()
    found = gc.measure(c, NAMES)
    assert found[NAMES[0]].value == pytest.approx(2 / 7)
    assert found[NAMES[1]].value == pytest.approx(4 / 7)
    assert found[NAMES[0]].by_category == pytest.approx({"a": 2 / 5, "b": 0})
    whole, of_a, of_b = relations_by_pair([c])
    assert [row["type"] for row in (whole, of_a, of_b)] == [None, "a", "b"]
    assert whole["annotators"] == ["gold", "sys"]
    assert whole["links"] == [3, 4]
    assert whole["strict"] == pytest.approx(
        {"matched": 1, "recall": 1 / 3, "precision": 1 / 4, "f1": 2 / 7}
    )
    assert whole["relaxed"] == pytest.approx(
        {"matched": 2, "recall": 2 / 3, "precision": 2 / 4, "f1": 4 / 7}
    )
    assert of_a["relaxed"]["f1"] == pytest.approx(4 / 5)
    assert of_b["strict"]["recall"] == of_b["strict"]["precision"] == 0
    several = relations_by_pair([c, c])
    assert several[0]["links"] == [6, 8]
    assert several[0]["strict"]["f1"] == pytest.approx(2 / 7)


def _tuples(c: Continuum, annotator: str) -> Counter:
    """Return links as scorers of brat files count them: a type and the units at both ends."""
    units = {u.id: (u.start, u.end, u.category) for u in c if u.annotator == annotator}
    rows = []
    for x in c.links:
        if x.annotator == annotator:
            ends = units[x.source], units[x.target]
            rows.append((x.type, *(ends if x.kind == "directed" else sorted(ends))))
    return Counter(rows)


def _on_few_places(rng: np.random.Generator, kinds: tuple[str, ...]) -> Continuum:
    """Return units that often coincide, with links of two types."""
    units, links = [], []
    for who in "ABC":
        for i in range(6):
            start = 10 * int(rng.integers(4))
            end = start + int(rng.integers(8, 13))
            units.append(Unit(who, start, end, "xy"[rng.integers(2)], id=str(i)))
        for _ in range(int(rng.integers(1, 9))):
            ends = map(str, rng.choice(6, 2, replace=False))
            links.append(Link(who, "ab"[rng.integers(2)], *ends, kinds[rng.integers(len(kinds))]))
    return Continuum.from_units(units, links=links)


@pytest.mark.parametrize("seed", range(20))
def test_strict_matches_are_common_tuples(seed):
    kinds = (("directed",), ("undirected",))[seed % 2]
    c = _on_few_places(np.random.default_rng(seed), kinds)
    counts = count_relations(c, strict=True)
    for k, (a, b) in enumerate(combinations("ABC", 2)):
        one, other = _tuples(c, a), _tuples(c, b)
        common = one & other
        for t, name in enumerate(counts.labels):
            found = [counts.numbers[n][k, t] for n in ("matched", "first_links", "second_links")]
            expected = [
                sum(n for row, n in rows.items() if row[0] == name) for rows in (common, one, other)
            ]
            assert found == expected


@pytest.mark.parametrize("seed", range(20))
def test_relaxed_matches_are_a_largest_matching(seed):
    """The number of matches is that of a largest matching by networkx.

    The pairs include those of directed and undirected links.
    """
    c = _on_few_places(np.random.default_rng(100 + seed), ("directed", "undirected"))
    counts = count_relations(c, strict=False)
    units = {(u.annotator, u.id): u for u in c}

    def meet(x, i, y, j):
        u, v = units[x.annotator, i], units[y.annotator, j]
        return min(u.end, v.end) > max(u.start, v.start)

    def alike(x, y):
        straight = meet(x, x.source, y, y.source) and meet(x, x.target, y, y.target)
        crossed = meet(x, x.source, y, y.target) and meet(x, x.target, y, y.source)
        free = "undirected" in (x.kind, y.kind)
        return x.type == y.type and (straight or (free and crossed))

    for k, (a, b) in enumerate(combinations("ABC", 2)):
        graph = nx.Graph()
        one = [("a", i) for i, x in enumerate(c.links) if x.annotator == a]
        graph.add_nodes_from(one)
        for i, x in enumerate(c.links):
            for j, y in enumerate(c.links):
                if x.annotator == a and y.annotator == b and alike(x, y):
                    graph.add_edge(("a", i), ("b", j))
        matching = nx.bipartite.maximum_matching(graph, top_nodes=one)
        assert counts.numbers["matched"][k].sum() == len(matching) / 2


def test_values_are_between_0_and_1():
    c = linked(np.random.default_rng(1), 3, 8, 6, ("directed", "undirected"))
    strict, relaxed = gc.measure(c, NAMES).values()
    assert 0 <= strict.value <= relaxed.value <= 1
    both = [Unit(who, u.start, u.end, u.category, id=u.id) for u in c for who in "AB"]
    one = keep_annotators(c, ["A0"])
    both = [Unit(who, u.start, u.end, u.category, id=u.id) for u in one for who in "AB"]
    links = [Link(who, x.type, x.source, x.target, x.kind) for x in one.links for who in "AB"]
    same = gc.measure(Continuum.from_units(both, links=links), NAMES)
    assert [score.value for score in same.values()] == [1, 1]


def test_counts_add_up_over_documents():
    """Summed counts give the rates of all documents; a pair without links has no value."""
    documents = [linked(np.random.default_rng(k), 2, 6, 5) for k in range(3)]
    counting = MEASURES["relation-f1-relaxed"].counting
    counts = [counting.count(c) for c in documents]
    names = sorted({label for c in counts for label in c.labels})
    sums = {
        n: sum(c.with_labels(tuple(names)).numbers[n] for c in counts) for n in counts[0].numbers
    }
    rates = relation_rates(sums)
    (whole, *_) = relations_by_pair(documents)
    assert rates.value[0] == pytest.approx(whole["relaxed"]["f1"])
    assert rates.recall[0] == pytest.approx(whole["relaxed"]["recall"])
    turned = relation_rates(counting.count(documents[0]).against("A1").numbers)
    straight = relation_rates(counting.count(documents[0]).numbers)
    assert turned.recall == pytest.approx(straight.precision)


def test_missing_links_have_a_reason():
    c = linked(np.random.default_rng(3), 2, 6, 5)
    third = [*c, Unit("C", 0, 5, "x", id="1"), Unit("D", 0, 5, "x", id="1")]
    found = gc.measure(Continuum.from_units(third, links=c.links), NAMES)
    for score in found.values():
        assert math.isnan(score.value)
        assert score.reason == "neither C nor D has a link"
    bare = Continuum.from_units(c)
    assert "there are no links" in gc.measure(bare, NAMES)[NAMES[0]].reason
    some = keep_categories(c, ["x"])
    lost = some.link_rows.loose
    assert lost
    assert gc.measure(some, NAMES)[NAMES[0]].notes == (
        f"{lost} links end at units that were left out",
    )


def test_units_in_fragments_are_compared_only_strictly():
    units = [Unit(who, 0, 20, "x", id="1", fragments=((0, 5), (10, 20))) for who in "AB"]
    units += [Unit(who, 30, 40, "x", id="2") for who in "AB"]
    links = [Link(who, "a", "1", "2") for who in "AB"]
    c = Continuum.from_units(units, links=links)
    found = gc.measure(c, NAMES)
    assert found[NAMES[0]].value == 1
    assert "fragments" in found[NAMES[1]].reason
    (row, *_) = relations_by_pair([c])
    assert row["relaxed"] is None
    assert row["strict"]["f1"] == 1
