"""γ of links and chains: brute force, examples of other programs, reference scorers, and zero."""

import csv
import math
from collections import Counter
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gammacp as gc
from gammacp.alignment import align
from gammacp.continuum import Continuum, Corpus, Link, Unit
from gammacp.continuum.declaring import declare_grid
from gammacp.continuum.grid import Grid
from gammacp.continuum.links import KINDS, links_over_joint
from gammacp.continuum.renaming import rename_annotators
from gammacp.continuum.selecting import keep_annotators, keep_categories
from gammacp.links.measures.chains import chain_costs, chains_of
from gammacp.links.measures.coreference import coreference, overlaps_of
from gammacp.links.measures.disorder import count_chains, links_on
from gammacp.links.measures.gamma_link import BeyondUnits, given_units
from gammacp.measures.random_sets import Basis
from gammacp.measures.settings import Settings
from tests.links.measures.data import chained, linked

HERE = Path(__file__).parent


class _Jaccard:
    """Positional dissimilarity 1 − intersection / union, as in opt-gamma."""

    signature = "jaccard"

    def pairwise(self, u, v):
        inside = np.maximum(0, np.minimum(u.end, v.end) - np.maximum(u.start, v.start))
        return 1 - inside / (u.length + v.length - inside)


def test_worked_examples_of_opt_gamma():
    """Values are those of the README of opt-gamma: .7115 for segments and .9615 for relations.

    α = β = ½, and orphans cost ½.
    """
    units = [
        Unit("A", 100, 150, "Claim", id="1"),
        Unit("A", 160, 210, "Example", id="2"),
        Unit("B", 102, 152, "Claim", id="1"),
        Unit("B", 162, 212, "Explanation", id="2"),
    ]
    links = [Link(a, "Illustration", "1", "2") for a in "AB"]
    c = Continuum.from_units(units, links=links)
    d = gc.Combined(delta=0.5, positional=_Jaccard())
    found = gc.measure(c, ["gamma", "gamma-link"], dissimilarity=d, ends="places", samples=5)
    of_units, of_links = (1 - found[name].observed for name in ("gamma", "gamma-link"))
    assert of_units == pytest.approx(0.7115384615, abs=1e-10)
    assert of_links == pytest.approx(0.9615384615, abs=1e-10)
    assert 0.7 * of_units + 0.3 * of_links == pytest.approx(0.7865384615, abs=1e-10)


def _brute(c: Continuum, groups: np.ndarray) -> float:
    """Return the cost of the cheapest partition of the links, by trying all partitions."""
    place = {int(row): k for k, g in enumerate(groups) for row in g if row >= 0}
    x, n = c.link_rows, c.n_annotators
    links = [
        (int(c.annotator_codes[s]), place[int(s)], place[int(t)], x.types[k], x.kinds[k])
        for s, t, k in zip(x.sources, x.targets, x.codes, strict=False)
    ]

    def pair(one, other):
        a, s, t, kind, way = one
        b, u, v, sort, other_way = other
        met = (s == u) + (t == v)
        if way != "directed" or other_way != "directed":
            met = max(met, (s == v) + (t == u))
        return math.inf if a == b or not met else (2 - met) / 2 + (kind != sort)

    numbered = tuple((*link, k) for k, link in enumerate(links))
    return _best_of(numbered, pair, n)


def _best_of(links, pair, n):
    """Return the cost of the cheapest partition, by trying all groups of the first link that is
    left.
    """
    memory = {}

    def best(left):
        if not left:
            return 0.0
        if left not in memory:
            first, rest = left[0], left[1:]
            memory[left] = min(
                cost((first, *others)) + best(tuple(r for r in rest if r not in others))
                for size in range(min(n, len(left)))
                for others in combinations(rest, size)
            )
        return memory[left]

    def cost(group):
        pairs = [pair(links[i][:-1], links[j][:-1]) for i, j in combinations(group, 2)]
        return sum(pairs) + n * (n - 1) / 2 - len(pairs)

    return best(tuple(range(len(links))))


@pytest.mark.parametrize("seed", range(12))
def test_costs_are_those_of_brute_force(seed):
    rng = np.random.default_rng(seed)
    n = 2 + seed % 3
    kinds = (("directed",), ("undirected",), ("directed", "undirected"))[seed % 3]
    c = linked(rng, n, 4, 6 // n + 1, kinds, spread=12)
    basis = Basis(c, Settings.of())
    groups = basis.align([c])[0].groups
    found = links_on(basis)(c, groups, None)
    assert found.cost * n * (n - 1) / 2 == pytest.approx(_brute(c, groups), abs=1e-9)
    assert found.proven
    assert found.size == len(c.links) / n


def test_identical_links_have_a_gamma_of_1():
    c = linked(np.random.default_rng(1), 1, 8, 6)
    both = [replace_annotator(u, "B") for u in c]
    links = [*c.links, *(Link("B", x.type, x.source, x.target) for x in c.links)]
    c = Continuum.from_units([*c, *both], links=links)
    names = ["gamma-link", "gamma-link-given-units"]
    found = gc.measure(c, names, samples=30)
    assert [found[n].value for n in names] == [1.0, 1.0]
    turned = [Link("B", x.type, x.target, x.source) for x in c.links if x.annotator == "B"]
    turned += [x for x in c.links if x.annotator == "A0"]
    assert (
        gc.measure(Continuum.from_units(c, links=turned), names, samples=30)["gamma-link"].value < 1
    )


def replace_annotator(u, name):
    return Unit(name, u.start, u.end, u.category, id=u.id)


def test_gamma_link_depends_on_neither_names_nor_order():
    c = linked(np.random.default_rng(3), 3, 6, 5)
    options = {"samples": 20}
    first = gc.measure(c, ["gamma-link"], **options)["gamma-link"]
    names = {"A0": "Z", "A1": "Y", "A2": "X"}
    other = gc.measure(rename_annotators(c, names), ["gamma-link"], **options)["gamma-link"]
    assert other.value == first.value
    units = list(c)[::-1]
    again = Continuum.from_units(units, links=c.links[::-1], bounds=c.bounds)
    assert again == c
    assert gc.measure(again, ["gamma-link"], **options)["gamma-link"].value == first.value
    two = keep_annotators(c, ["A0", "A1"])
    assert {x.annotator for x in two.links} == {"A0", "A1"}
    some = keep_categories(c, ["x"])
    assert some.link_rows.loose == len(c.links) - len(some.link_rows) > 0
    notes = gc.measure(some, ["gamma-link"], **options)["gamma-link"].notes
    assert f"{some.link_rows.loose} links end at units that were left out" in notes


def test_missing_links_have_a_reason():
    c = linked(np.random.default_rng(3), 2, 6, 5)
    assert "there are no chains" in gc.measure(c, ["gamma-chain"])["gamma-chain"].reason
    bare = Continuum.from_units(Unit(u.annotator, u.start, u.end) for u in c)
    assert "there are no links" in gc.measure(bare, ["gamma-link"])["gamma-link"].reason
    reason = gc.measure(c, ["gamma-link"], chance="statistical")["gamma-link"].reason
    assert "does not carry links along" in reason
    with pytest.raises(gc.DataError, match="no unit of that annotator has this id"):
        Continuum.from_units(c, links=[Link("A0", "r", "0", "9")])
    with pytest.raises(gc.DataError, match="have the id '0'"):
        Continuum.from_units([*c, next(iter(c))])


def test_random_sets_keep_links():
    """In a random set, an annotator's links join the same units, or units as far apart.

    This holds for annotations turned on the circle, on a grid of words, and with completed ends.
    """
    free = linked(np.random.default_rng(5), 3, 12, 9)
    rows = [replace(u, start=round(u.start), end=round(u.end)) for u in free]
    grid = declare_grid(
        Continuum.from_units(rows, links=free.links, bounds=(0, 244)), Grid("x", 1.0)
    )
    apart = [replace(u, start=(s := 7 * int(u.id) ** 2), end=s + 2) for u in free]
    for c in (free, grid, Continuum.from_units(apart, links=free.links, bounds=(0, 900))):
        for s in Basis(c, Settings.of()).draws(c).take(range(5)):
            mine, own = sorted(_ends(s)), sorted(_ends(c))
            assert sorted((a, k) for a, *_, k in mine) == sorted((a, k) for a, *_, k in own)
            assert s.link_rows.loose == 0
            moved = Counter(mine) - Counter(own)
            torn = Counter(own) - Counter(mine)
            assert all(_steps(s, x) in {_steps(c, y) for y in torn} for x in moved)


def _steps(c, link):
    """Return the annotator, the type, and how many units further the link leads."""
    a, source, target, kind = link
    mine = c.ids[c.rows_of(a)].tolist()
    return a, kind, mine.index(target) - mine.index(source)


def _ends(c):
    x = c.link_rows
    for s, t, k in zip(x.sources, x.targets, x.codes, strict=False):
        a = c.annotators[c.annotator_codes[s]]
        yield a, c.ids[s], c.ids[t], x.types[k]


@pytest.mark.slow
def test_randomised_links_have_a_mean_of_zero():
    """If links are dealt at random among the units, γ given the units is 0 in the mean."""
    values = []
    for k in range(60):
        c = linked(np.random.default_rng(100 + k), 2, 40, 60, spread=1.0)
        basis = Basis(c, Settings.of(samples=20))
        values.append(given_units("gamma-link", basis, links_on(basis)).value)
    assert abs(np.mean(values)) < 0.02


def _in_one_tree(rng, annotators=3, units=16):
    """Return independent annotators whose units form random trees."""
    rows, links = [], []
    for name in "ABC"[:annotators]:
        places = np.sort(rng.uniform(0, 20 * units, units))
        rows += [Unit(name, p, p + 8, id=str(i)) for i, p in enumerate(places)]
        heads = [*range(units)]
        while len(heads) > 1:
            k, up = int(rng.integers(len(heads) - 1)), int(rng.integers(2))
            head, below = heads[k + up], heads.pop(k + 1 - up)
            links.append(Link(name, "r", str(below), str(head)))
    return Continuum.from_units(rows, links=links)


@pytest.mark.slow
def test_trees_have_a_mean_of_zero():
    """Over 120 sets of trees, 1 − Σ D_o / Σ D_e is 0.

    If only torn links were redrawn, it would be .056.
    """
    sums = np.zeros(2)
    for k in range(120):
        c = _in_one_tree(np.random.default_rng(k))
        found = gc.measure(c, ["gamma-link"], samples=2, chance="cut", seed=k)["gamma-link"]
        sums += found.observed, found.expected
    assert abs(1 - sums[0] / sums[1]) < 0.02


def test_units_keep_their_kind_of_links_when_the_text_is_turned():
    """Each unit still links to the next one, and the last to the one before it, wherever the cut
    is.

    The exception is a cut beside the last unit, whose own link is then torn too.
    """
    ids = "abcdefgh"
    ends = [*pairwise(ids), ("h", "g")]
    links = [Link("A", str(k), *pair) for k, pair in enumerate(ends)]
    for first in range(1, 7):
        order = [*ids[first:], *ids[:first]]
        found = links_over_joint(links, ids, first)
        expected = [*pairwise(order), (order[-1], order[-2])]
        assert {(x.source, x.target) for x in found} == {*expected}
        by_head = [Link("A", x.type, x.target, x.source) for x in links]
        turned = links_over_joint(by_head, ids, first)
        assert {(x.target, x.source) for x in turned} == {*expected}


@st.composite
def _links_of_one(draw):
    """Draw links of all kinds by an annotator, some of whose units have no id, and a place
    to cut.
    """
    count = draw(st.integers(2, 9))
    gone = draw(st.sets(st.integers(0, count - 1), max_size=1)) if count > 2 else set()
    ids = ["" if k in gone else str(k) for k in range(count)]
    pair = st.lists(st.sampled_from([x for x in ids if x]), min_size=2, max_size=2, unique=True)
    links = draw(st.lists(st.tuples(pair, st.sampled_from("rs"), st.sampled_from(KINDS))))
    return (
        [Link("A", type, *ends, kind) for ends, type, kind in links],
        ids,
        draw(st.integers(0, count)),
    )


def _as_meant(links):
    ends = [(x, (x.source, x.target)) for x in links]
    return Counter((x.type, x.kind, *(e if x.kind == "directed" else sorted(e))) for x, e in ends)


@settings(max_examples=100, deadline=None)
@given(_links_of_one())
def test_a_turned_text_keeps_every_link(case):
    """No link is lost, changes its type, or ends at nothing or at its own beginning.

    Chains and uncut texts are unchanged. The order of links and of undirected ends does not matter.
    """
    links, ids, first = case
    found = links_over_joint(links, ids, first)
    named = [(x.annotator, x.type, x.kind) for x in links]
    assert [(x.annotator, x.type, x.kind) for x in found] == named
    assert all(x.source != x.target and {x.source, x.target} <= {*ids} - {""} for x in found)
    stay = [x for x in links if x.kind == "chain" or first in (0, len(ids))]
    assert [x for x in found if x.kind == "chain" or first in (0, len(ids))] == stay
    turned = [
        replace(x, source=x.target, target=x.source) if x.kind == "undirected" else x for x in links
    ]
    for again in (links[::-1], turned):
        assert _as_meant(links_over_joint(again, ids, first)) == _as_meant(found)


@settings(max_examples=100, deadline=None)
@given(st.data(), st.integers(2, 9))
def test_annotators_who_link_every_unit_once_still_do(data, count):
    ids = [str(k) for k in range(count)]
    to = [data.draw(st.sampled_from([x for x in ids if x != name])) for name in ids]
    links = [Link("A", "r", *ends) for ends in zip(ids, to, strict=True)]
    found = links_over_joint(links, ids, data.draw(st.integers(0, count)))
    assert sorted(x.source for x in found) == ids


@pytest.mark.slow
def test_permuted_documents_have_a_mean_of_zero():
    """If annotations of different documents are combined, γ_link of the corpus is 0."""
    continua = {str(k): linked(np.random.default_rng(k), 2, 8, 8, spread=15) for k in range(12)}
    corpus = Corpus.from_continua(continua)
    values = []
    for k in range(12):
        turned = np.roll(np.arange(12), 1 + k % 11)
        made = {}
        for i, name in enumerate(continua):
            one = keep_annotators(continua[name], ["A0"])
            other = keep_annotators(continua[str(turned[i])], ["A1"])
            made[name] = Continuum.from_units(
                [*one, *other], links=[*one.links, *other.links], bounds=(0, 175)
            )
        basis = Basis(Corpus.from_continua(made), Settings.of(samples=100), shared={})
        values.append(BeyondUnits.of(basis, links_on(basis)).score("gamma-link").value)
    assert abs(np.mean(values)) < 0.02
    assert corpus.annotators == ("A0", "A1")


def test_chains_by_hand():
    """By hand for A {1, 2, 3} and B {1, 2}, {3}: mates found are 1/2 1/2 0 and 1 1 0, so 3 of 6 are
    missing.
    """
    c = Continuum.from_units(
        [Unit(a, 10 * i, 10 * i + 5, "m", id=str(i)) for a in "AB" for i in (1, 2, 3)],
        links=[
            *(Link("A", "c", *e, "chain") for e in ("12", "23")),
            Link("B", "c", "2", "1", "chain"),
        ],
    )
    groups = align(c).groups
    assert count_chains(c, groups, None)[:3] == (3.0, 3.0, 6.0)


@pytest.mark.parametrize("seed", range(6))
def test_chains_are_those_of_brute_force(seed):
    rng = np.random.default_rng(seed)
    c = chained(rng, 3, 9)
    gone = rng.random(c.n_units) < 0.2
    c = Continuum.from_units(
        (u for u, g in zip(c, gone, strict=False) if not g),
        links=[
            x
            for x in c.links
            if not any(
                g and u.annotator == x.annotator and u.id in (x.source, x.target)
                for u, g in zip(c, gone, strict=False)
            )
        ],
    )
    chains = chains_of(c, c.link_rows.only(chains=True))
    place = np.array([int(u.start) for u in c])
    cost, count = chain_costs(c.annotator_codes, 3, chains, place)
    for k, (a, b) in enumerate(combinations(range(3), 2)):
        expected = 0.0
        for own, other in ((a, b), (b, a)):
            there = {place[i]: chains[i] for i in np.flatnonzero(c.annotator_codes == other)}
            mine = np.flatnonzero(c.annotator_codes == own)
            for i in mine:
                mates = [j for j in mine if chains[j] == chains[i] and j != i]
                found = place[i] in there
                if mates:
                    shared = sum(
                        found and there.get(place[j], -1) == there[place[i]] for j in mates
                    ) / len(mates)
                else:
                    shared = found and list(there.values()).count(there[place[i]]) == 1
                expected += 1 - shared
        assert cost[k] == pytest.approx(expected)
        assert count[k] == np.isin(c.annotator_codes, (a, b)).sum()


@pytest.mark.slow
def test_chains_have_a_mean_of_zero():
    values = []
    for k in range(40):
        c = chained(np.random.default_rng(k), 3, 40, 12)
        basis = Basis(c, Settings.of(samples=30), shared={})
        values.append(given_units("gamma-chain", basis, count_chains).value)
    assert abs(np.mean(values)) < 0.02


def _cases():
    with (HERE / "reference_scorers.csv").open() as file:
        yield from csv.DictReader(file)


@pytest.mark.parametrize("row", list(_cases()), ids=lambda r: f"{r['measure']}-{len(r['key'])}")
def test_values_are_those_of_reference_scorers(row):
    """Values are those of ufal/corefud-scorer 4fd7b0e and, where named, of CoNLL's scorer
    f49f3f8.
    """
    chains, places, sizes = [], [], []
    for side, labels in enumerate((row["key"], row["response"])):
        there = [(i, x) for i, x in enumerate(labels.split()) if x != "-"]
        sizes.append(len(there))
        places += [i for i, _ in there]
        chains += [2 * int(x) + side for _, x in there]
    rows = slice(0, sizes[0]), slice(sizes[0], sum(sizes))
    found = coreference(row["measure"], overlaps_of(np.array(chains), np.array(places), *rows))
    expected = [float(row[k]) for k in ("recall", "precision", "f1")]
    assert found == pytest.approx(expected, abs=1e-9)


def test_coreference_of_pairs_is_the_mean():
    c = chained(np.random.default_rng(2))
    names = ["muc", "b-cubed", "ceaf-m", "ceaf-e", "blanc", "lea"]
    exact = gc.measure(c, names)
    aligned = gc.measure(c, names, mentions="aligned")
    assert [s.value for s in exact.values()] == [s.value for s in aligned.values()]
    pairs = [gc.measure(keep_annotators(c, p), names) for p in combinations(c.annotators, 2)]
    for name in names:
        assert exact[name].value == pytest.approx(np.mean([p[name].value for p in pairs]))


def test_a_corpus_has_the_value_of_sums():
    """γ of a corpus is 1 − Σ D_o·size / Σ D_e·size over its documents."""
    continua = {str(k): linked(np.random.default_rng(k), 2, 8, 8) for k in range(5)}
    corpus = Corpus.from_continua(continua)
    names = ["gamma-link", "gamma-link-given-units"]
    found = gc.measure(corpus, names, samples=10)
    basis = Basis(corpus, Settings.of(samples=10), shared={})
    whole = BeyondUnits.of(basis, links_on(basis)).score("gamma-link")
    assert found["gamma-link"].value == pytest.approx(whole.value)
    sums = np.zeros(2)
    for c in continua.values():
        alone = gc.measure(c, names, samples=10)["gamma-link-given-units"]
        size = len(c.links) / c.n_annotators
        sums += alone.observed * size, alone.expected * size
    assert found["gamma-link-given-units"].value == pytest.approx(1 - sums[0] / sums[1])
