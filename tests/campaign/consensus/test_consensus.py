import math
import pickle
from dataclasses import replace
from statistics import mean, median

import numpy as np
import pytest

import gammacp as gc
from gammacp.alignment import align_each
from gammacp.campaign.consensus import Consensus, cells, consensus, consensus_of_each
from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.continuum.shapes import Shape, box
from gammacp.dissimilarity import Combined, bind
from gammacp.errors import UsageError

UNITS = [
    # the same unit by all three
    Unit("Ann", 0, 10, "a"), Unit("Bob", 0, 10, "a"), Unit("Cid", 0, 10, "a"),
    # two of three, with different categories
    Unit("Ann", 20, 30, "a"), Unit("Bob", 20, 30, "b"),
    # a category is outvoted, and one boundary is far off
    Unit("Ann", 40, 50, "a"), Unit("Bob", 40, 50, "b"), Unit("Cid", 40, 54, "b"),
    # one annotator alone
    Unit("Cid", 70, 80, "c"),
]  # fmt: skip


@pytest.fixture(scope="module")
def continuum() -> Continuum:
    return Continuum.from_units(UNITS, bounds=(0, 100), name="doc", offset_unit="characters")


@pytest.fixture(scope="module")
def found(continuum: Continuum) -> Consensus:
    return consensus(gc.align(continuum))


def test_the_gold_standard_has_what_a_majority_supports(found: Consensus) -> None:
    assert [(u.start, u.end, u.category) for u in found.continuum] == [
        (0, 10, "a"),
        (20, 30, None),
        (40, 50, "b"),
    ]
    assert found.needed == 2
    assert found.continuum.annotators == ("consensus",)


def test_a_consensus_prints_in_one_line(found: Consensus) -> None:
    assert repr(found) == (
        f"Consensus({found.continuum.n_units} units, {len(found.units) - found.continuum.n_units} "
        f"left out, {len(found.review)} to review)"
    )


def test_metadata_stay(found: Consensus, continuum: Continuum) -> None:
    gold = found.continuum
    assert (gold.bounds, gold.name, gold.offset_unit) == ((0, 100), "doc", "characters")
    assert gold.categories == continuum.categories


def test_confidence_is_one_for_equal_units_and_zero_for_one_alone(found: Consensus) -> None:
    by_start = {u.start: u for u in found.units}
    assert by_start[0].confidence == 1
    assert by_start[70].confidence == 0
    # There are three pairs: a/b at the same place costs 1, and each pair with the empty unit Δ = 1.
    assert by_start[20].disorder == pytest.approx(1)
    # By hand: Ann-Bob costs 1, Ann-Cid 1 + (4/24)² and Bob-Cid (4/24)².
    assert by_start[40].disorder == pytest.approx((2 + 2 * (4 / 24) ** 2) / 3)


def test_the_review_list_is_worst_first_and_says_why(found: Consensus) -> None:
    review = found.review
    assert [u.start for u in review] == [20, 70, 40]
    assert review[0].reasons == ("category tied: a (1) = b (1)", "marked by 2 of 3")
    assert review[1].reasons == ("marked by 1 of 3, left out",)
    assert review[2].reasons == ("category disputed: b 2, a 1", "ends 4 characters apart")


def test_differences_of_ends_are_given_in_the_offset_unit(continuum: Continuum) -> None:
    timed = consensus(gc.align(continuum.with_about(offset_unit="ms")))
    assert timed.review[2].reasons == ("category disputed: b 2, a 1", "ends 4 ms apart")


def test_tolerance_silences_small_differences(continuum: Continuum) -> None:
    wide = consensus(gc.align(continuum), tolerance=0.5)
    assert wide.review[2].reasons == ("category disputed: b 2, a 1",)


def test_support_decides_what_is_kept(continuum: Continuum) -> None:
    alignment = gc.align(continuum)
    assert len(consensus(alignment, support=1).kept) == 4
    assert len(consensus(alignment, support="100%").kept) == 2


def test_identical_annotators_are_their_own_gold_standard() -> None:
    rows = [(0, 4, "x"), (4, 9, "y"), (12, 12, "z")]
    c = Continuum.from_units(Unit(a, s, e, k) for a in "AB" for s, e, k in rows)
    gold_standard = gc.consensus(gc.align(c))
    assert [(u.start, u.end, u.category) for u in gold_standard.continuum] == rows
    assert gold_standard.review == ()


def test_delta_scales_out(continuum: Continuum) -> None:
    small = consensus(gc.align(continuum))
    large = consensus(gc.align(continuum, gc.Combined(delta=5)))
    assert [u.confidence for u in small.units] == pytest.approx([u.confidence for u in large.units])


def test_unlabelled_units_vote_like_others() -> None:
    c = Continuum.from_units([Unit("A", 0, 4), Unit("B", 0, 4), Unit("C", 0, 4, "x")])
    (only,) = consensus(gc.align(c)).units
    assert only.category is None
    assert only.vote.tied == ()
    assert only.reasons == ("category disputed: (unlabelled) 2, x 1",)


def test_any_groups_have_a_consensus(continuum: Continuum) -> None:
    groups = np.array([[0, 3, 5], [1, 4, -1], [2, -1, -1], [-1, -1, 6], [-1, -1, 7]], np.int32)
    gold_standard = consensus(replace(gc.align(continuum), groups=groups[:3]))
    assert [u.group for u in gold_standard.units] == [0, 1, 2]


def test_impossible_arguments_are_refused(continuum: Continuum) -> None:
    alignment = gc.align(continuum)
    with pytest.raises(UsageError, match="boundaries 'middle' is unknown"):
        consensus(alignment, boundaries="middle")
    with pytest.raises(UsageError, match="tolerance"):
        consensus(alignment, tolerance=-1)


def test_each_document_has_a_consensus_or_the_reason_why_not() -> None:
    units = [gc.Unit("A", 0, 5, "x"), gc.Unit("B", 1, 5, "x"), gc.Unit("C", 0, 5, "y")]
    one = gc.Continuum.from_units(units)
    lonely = gc.Continuum.from_units(units[:1])
    gold_standards = consensus_of_each({"one": one, "two": one, "lonely": lonely})
    assert list(gold_standards.documents) == ["one", "two"]
    assert [str(f).partition(":")[0] for f in gold_standards.failures] == ["lonely"]
    assert gold_standards.documents["one"].units == gc.consensus(gc.align(one)).units
    assert isinstance(gold_standards.gold, gc.Corpus)
    assert gold_standards.status == "optimal"
    assert [name for name, _ in gold_standards.review] == ["one", "two"]
    with pytest.raises(gc.DataError, match="lonely: agreement needs two"):
        consensus_of_each({"lonely": lonely})


def test_a_feature_does_not_split_the_votes_on_the_category() -> None:
    """The category is decided before its features: all say a, two of three Minor.

    The targets p, q and none are tied, so that the target stays open.
    """
    severities = [("Minor", "p"), ("Major", "q"), ("Minor", None)]
    units = [
        Unit(name, 0, 10, gc.Label("a", {"severity": s, "target": t}))
        for name, (s, t) in zip(("Ann", "Bob", "Cid"), severities, strict=True)
    ]
    (unit,) = consensus(gc.align(Continuum.from_units(units))).units
    assert unit.category == gc.Label("a", {"severity": "Minor"})
    assert unit.vote.votes == {"a": 3}
    assert unit.reasons == (
        "severity disputed: Minor 2, Major 1",
        "target tied: p (1) = q (1) = none (1)",
    )


def crowd(seed: int) -> Corpus:
    """Return documents of two to five annotators with whole, half and equal positions."""
    rng = np.random.default_rng(seed)
    documents = {}
    for k in range(12):
        units = [
            Unit(who, start, start + float(rng.integers(1, 9)), str(rng.choice(["a", "b", "c"])))
            for who in "ABCDE"[: int(rng.integers(2, 6))]
            for start in (rng.integers(0, 40, 4) / rng.choice([1, 2])).tolist()
        ]
        documents[f"d{k}"] = Continuum.from_units(units)
    return Corpus.from_continua(documents)


@pytest.mark.parametrize("rule", ["majority", "median", "mean"])
def test_documents_in_batches_are_as_one_by_one(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = crowd(7)
    monkeypatch.setattr(cells, "STRETCH", 30)
    gold_standards = consensus_of_each(corpus, weights="vote", boundaries=rule, support=1)
    assert len(gold_standards.cells.parts) > 3
    bound = bind(Combined(), corpus)
    for name, continuum in corpus.items():
        alone = consensus(gc.align(continuum, bound), boundaries=rule, support=1)
        assert gold_standards.documents[name] == alone
        assert gold_standards.alignments[name].disorder == pytest.approx(
            gc.align(continuum, bound).disorder
        )
    again = pickle.loads(pickle.dumps(gold_standards))  # results travel between processes
    assert again.documents == gold_standards.documents


def test_closeness_is_measured_from_the_medians() -> None:
    """The closeness 0, 1, 2 or −1 is that from the medians of each unitary alignment by itself."""
    corpus = crowd(8)
    aligned = align_each([*corpus.values()], bind(Combined(), corpus))
    (stretch,) = cells.AlignedCells(aligned)
    expected = []
    for alignment in aligned:
        for group in alignment.groups:
            units = [alignment.continuum.unit(row) for row in group.tolist() if row >= 0]
            edges = [[u.start for u in units], [u.end for u in units]]
            far = sum(mean(abs(p - median(side)) for p in side) for side in edges)
            share = far / mean(u.end - u.start for u in units)
            level = (share > 0.05) + (share > 0.25)
            expected.append(level if len(units) > 1 else -1)
    assert stretch.closeness().tolist() == expected


def test_a_unit_prints_in_one_line(found: Consensus) -> None:
    shown = [repr(u) for u in found.review[:2]]
    assert shown[0].endswith("confidence 0.00: category tied: a (1) = b (1); marked by 2 of 3)")
    assert shown[1].endswith("confidence 0.00: marked by 1 of 3, left out)")


def boxed(who: str, *extents: tuple[float, float]) -> Unit:
    (start, end), shape = box(*extents)
    return Unit(who, start, end, "x", (), shape)


def test_boxes_of_two_and_three_axes_have_a_consensus() -> None:
    flat, deep = [(0, 4), (0, 6)], [(0, 4), (0, 6), (1, 3)]
    corpus = Corpus.from_continua(
        {
            k: Continuum.from_units([boxed(w, *e) for w in "AB"])
            for k, e in enumerate_named(flat, deep)
        }
    )
    gold_standards = consensus_of_each(corpus, weights="vote").documents
    for name, extents in enumerate_named(flat, deep):
        (unit,) = gold_standards[name].units
        assert [(unit.start, unit.end), *unit.shape.extents] == extents
        assert math.copysign(1, unit.start) == 1  # JSON shows 0.0, not -0.0


def enumerate_named(
    *values: list[tuple[float, float]],
) -> list[tuple[str, list[tuple[float, float]]]]:
    return [(f"d{k}", value) for k, value in enumerate(values)]


def test_boxes_and_an_outline_give_one_of_the_drawn_shapes() -> None:
    corners = ((0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0))
    outline = Unit("C", 0, 4, "x", (), Shape("polygon", ((0.0, 4.0),), (corners,)))
    units = [boxed("A", (0, 5), (0, 4)), boxed("B", (0, 4), (0, 5)), outline]
    (unit,) = consensus(gc.align(Continuum.from_units(units), Combined(positional="iou"))).units
    # C lies between A and B, and so has the least cost against both.
    assert (unit.start, unit.end, unit.shape) == (0, 4, outline.shape)
