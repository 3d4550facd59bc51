"""The alternative annotator test, against other implementations, enumeration and hand counts."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace as changed
from pathlib import Path

import numpy as np
import pytest
from scipy import special, stats

import gammacp as gc
from gammacp.alignment import align_each
from gammacp.base.arrays import Floats
from gammacp.campaign.replace import (
    SCORES,
    Instance,
    pairwise_score,
    replace,
)
from gammacp.campaign.replace.inference import benjamini_yekutieli, equivalence, exact_test, t_test
from gammacp.campaign.replace.scores import Aligning, pair_disorders
from gammacp.campaign.replace.wins import Wins, wins_of
from gammacp.continuum import Continuum, Unit
from gammacp.dissimilarity import Combined
from gammacp.errors import DataError, UsageError
from shuffling import shuffled_set
from shuffling.reference import ReferenceModel
from tests.conftest import Run

PEOPLE = ("Ann", "Bea", "Cid")


def labels(table: dict[str, str], name: str = "doc") -> Continuum:
    """Return a continuum with one unit per letter and annotator; a dot is no unit."""
    rows = [(a, c, k) for a, text in table.items() for k, c in enumerate(text) if c != "."]
    who, what, where = zip(*rows, strict=True)
    starts = [2.0 * k for k in where]
    return Continuum.from_columns(who, what, starts, [s + 1 for s in starts], name=name)


def spans(table: dict[str, list[tuple[float, float, str]]]) -> Continuum:
    rows = [(a, c, s, e) for a, units in table.items() for s, e, c in units]
    return Continuum.from_columns(*zip(*rows, strict=True), annotators=tuple(table))


@pytest.mark.parametrize("epsilon", [0.1, 0.2])
def test_the_t_test_is_that_of_scipy(epsilon: float) -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        d = rng.integers(-1, 2, size=rng.integers(3, 60)).astype(float)
        if d.std() == 0:
            continue
        sums = (np.array(float(len(d))), np.array(d.sum()), np.array((d**2).sum()))
        wanted = stats.ttest_1samp(d, epsilon, alternative="less").pvalue
        assert t_test(*sums, epsilon) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize(("value", "epsilon", "p"), [(0, 0.1, 0.0), (0, 0.0, 1.0), (1, 0.2, 1.0)])
def test_a_constant_difference_wins_below_epsilon_and_not_at_it(
    value: float, epsilon: float, p: float
) -> None:
    n = np.array(40.0)
    assert t_test(n, 40 * np.array(value), 40 * np.array(value**2), epsilon) == p


@pytest.mark.parametrize(
    ("n", "epsilon"), [(1, 0.2), (3, 0.1), (4, 0.0), pytest.param(5, 0.2, marks=pytest.mark.slow)]
)
def test_the_exact_test_is_the_worst_case_of_an_enumeration(n: int, epsilon: float) -> None:
    """The exact p-value is the worst case over all outcomes that are as extreme.

    Extreme means by Tango's statistic, whose nuisance parameter is found here by a search.
    """

    def statistic(won: int, lost: int) -> float:
        def minus_log(q: float) -> float:
            chances, counts_of_one = (
                (q + epsilon, q, 1 - 2 * q - epsilon),
                (won, lost, n - won - lost),
            )
            return -float(special.xlogy(counts_of_one, np.maximum(chances, 1e-300)).sum())

        q = min(np.linspace(0, (1 - epsilon) / 2, 4001).tolist(), key=minus_log)
        spread = n * (2 * q + epsilon - epsilon**2)
        return (won - lost - n * epsilon) / np.sqrt(spread) if spread else 0.0

    outcomes = list(itertools.product((-1, 0, 1), repeat=n))
    counts = [(o.count(1), o.count(-1)) for o in outcomes]
    z = {c: statistic(*c) for c in set(counts)}
    # The hypothesis is E d ≥ ε, so values inside of it count too.
    chances = [
        (q, q + epsilon + beyond)
        for q in np.linspace(0, (1 - epsilon) / 2, 401)
        for beyond in (0.0, 0.1, 0.3)
        if 2 * q + epsilon + beyond <= 1
    ]
    lost, won = np.array(chances).T[:, :, None]
    seen = np.array(counts).T
    mass = (
        won ** seen[0] * lost ** seen[1] * np.maximum(1 - won - lost, 0) ** (n - seen.sum(axis=0))
    )
    for (w, k), value in z.items():
        extreme = np.array([z[c] <= value + 1e-4 for c in counts])
        worst = float(mass[:, extreme].sum(axis=1).max())
        p = exact_test(n, w, k, epsilon)
        assert worst - 1e-12 <= p <= worst + 1e-4


@pytest.mark.parametrize(
    ("n", "epsilon", "t_level"), [(30, 0.1, 0.184), (35, 0.1, 0.122), (30, 0.2, 0.123)]
)
@pytest.mark.parametrize("people", [1, 3])
def test_a_candidate_never_better_and_worse_by_epsilon_seldom_passes(
    n: int, epsilon: float, t_level: float, people: int
) -> None:
    """A candidate that is worse by ε passes in at most 5 %; the levels are binomial sums.

    People are unanimous, d is 0 or 1 and E d = ε. The t-test alone rejects far too often, as
    `t_level` shows (computed independently).
    """

    def level(*, both: bool) -> float:
        passed = []
        for behind in range(n + 1):
            won = np.tile(np.arange(n) >= behind, (people, 1))
            annotated = np.ones_like(won)
            w = Wins(tuple(map(str, range(people))), ("",) * n, annotated, won, annotated)
            passed.append(bool(w.winning_rate(epsilon, 30, both=both) >= 0.5))
        return float(stats.binom.pmf(np.flatnonzero(passed), n, epsilon).sum())

    assert level(both=True) <= 0.05
    if people == 1:
        assert level(both=True) > 0
        assert level(both=False) == pytest.approx(t_level, abs=5e-4)


def test_few_documents_are_not_rejected_more_often_than_promised() -> None:
    """At a difference of exactly ε, at most 5 % of simulated campaigns are rejected.

    With eight documents the signed-rank test rejects in .23 and more.
    """
    rng, epsilon = np.random.default_rng(3), 0.2
    for n, lost in itertools.product((8, 30), (0.0, 0.1, 0.4)):
        chances = [lost, max(0.0, 1 - 2 * lost - epsilon), lost + epsilon]
        outcomes = rng.multinomial(n, chances, size=4000)
        p = [exact_test(n, int(w), int(k), epsilon) for k, _, w in outcomes]
        assert np.mean(np.array(p) <= 0.05) <= 0.05 + 0.01


def test_the_tests_join_at_thirty() -> None:
    """If all documents are ties, p falls with their number across the change of tests at thirty.

    The t-test alone would give 0; the exact p is at least (1 − ε)ⁿ.
    """
    p = [exact_test(n, 0, 0, 0.2) for n in (6, 29, 30, 32)]
    assert p == sorted(p, reverse=True)
    assert p[0] == pytest.approx(0.8**6)
    assert 0.8**32 <= p[3] < p[2] < 0.01


def test_benjamini_yekutieli_is_that_of_scipy() -> None:
    rng = np.random.default_rng(2)
    p = rng.random((200, 9)) ** 4
    wanted = stats.false_discovery_control(p, axis=1, method="by") <= 0.05
    assert (benjamini_yekutieli(p, 0.05) == wanted).all()
    assert wanted.any()
    with_nan = np.concatenate([p, np.full((200, 2), np.nan)], axis=1)
    assert (benjamini_yekutieli(with_nan, 0.05)[:, :9] == wanted).all()


def test_equivalence_is_two_one_sided_tests() -> None:
    d = np.array([0, 1, 0, -1, 0, 0, 1, 0, 0, -1] * 6, float)
    below = stats.ttest_1samp(d, 0.2, alternative="less").pvalue
    above = stats.ttest_1samp(d, -0.2, alternative="greater").pvalue
    exact = exact_test(60, 12, 12, 0.2)
    assert equivalence(60, 12, 12, 0.2) == pytest.approx(max(below, above, exact))


def test_wins_are_counted_as_by_hand() -> None:
    """Wins are those of a count by hand; a tie is a win of both.

    At four places, the candidate agrees with both others, with one or with none.
    """
    c = labels({"Ann": "aaba", "Bea": "aabb", "Cid": "abb.", "bot": "aaab"})
    replacement = replace(c, ["bot"], score="accuracy", min_documents=1, epsilon=0.1)
    people = {p.annotator: p for p in replacement.candidates[0].people}
    # Ann against Bea and Cid: a tie, a tie, bot 0 and Ann 1, bot 1 and Ann 0 (with Bea alone).
    assert people["Ann"].rho_candidate == 3 / 4
    assert people["Ann"].rho_annotator == 3 / 4
    # Cid is absent at place 3. Against Ann and Bea: a tie, bot 1 against 0, bot 0 against 1.
    assert (people["Cid"].documents, people["Cid"].rho_candidate) == (3, 2 / 3)
    assert people["Cid"].p == exact_test(3, 1, 1, 0.1)


def test_numbers_are_scored_by_their_distance() -> None:
    c = labels({"Ann": "15", "Bea": "24", "Cid": "35", "bot": "29"})
    replacement = replace(c, ["bot"], score="neg-rmse", min_documents=1)
    people = {p.annotator: p for p in replacement.candidates[0].people}
    # Without Cid, place 0: bot √((1 + 0) / 2) against √((4 + 1) / 2); at place 1 bot loses.
    assert people["Cid"].rho_candidate == 1 / 2
    with pytest.raises(DataError, match="not all numbers"):
        replace(labels({"Ann": "1x", "Bea": "11", "bot": "11"}), ["bot"], score="neg-rmse")


def test_instances_need_two_people_and_the_candidate() -> None:
    c = labels({"Ann": "aaa.", "Bea": "ab.b", "bot": "a.aa"})
    [replacement] = replace(c, ["bot"], score="accuracy").candidates
    assert (replacement.instances, replacement.left_out) == (1, 3)


def test_people_with_few_documents_stay_among_the_others() -> None:
    some, rare = "ab" * 20, "ab" * 10
    c = labels({"Ann": some, "Bea": some, "Cid": rare + "." * 20, "bot": some})
    [replacement] = replace(c, ["bot"], score="accuracy").candidates
    assert {p.annotator: p.p is None for p in replacement.people} == dict.fromkeys(
        PEOPLE, False
    ) | {"Cid": True}
    assert replacement.winning_rate == 1.0
    assert replacement.passes


def test_a_single_expert_is_all_others() -> None:
    c = labels({"Ann": "abab" * 10, "Bea": "aaaa" * 10, "Cid": "bbbb" * 10, "bot": "abaa" * 10})
    [replacement] = replace(c, ["bot"], score="accuracy", expert="Ann").candidates
    assert [p.annotator for p in replacement.people] == ["Bea", "Cid"]
    # The bot errs at every fourth place, Bea and Cid at every second.
    assert [p.rho_annotator for p in replacement.people] == [3 / 4, 1 / 2]
    assert [p.rho_candidate for p in replacement.people] == [1.0, 3 / 4]


@pytest.mark.parametrize(
    "score",
    ["disorder", *(pytest.param(s, marks=pytest.mark.slow) for s in ("soft-f1", "overlap"))],
)
def test_a_copy_of_a_person_passes_and_chance_does_not(score: str) -> None:
    model, documents = ReferenceModel(n_units=6), {}
    for i in range(40):
        c = shuffled_set(model, "position+category", 0.3, 3, index=i, seed=5)
        strange = shuffled_set(model, "position+category", 1.0, 1, index=i + 100, seed=5)
        rows = [
            (name, u.category, u.start, u.end)
            for name, of, k in (
                ("copy", 0, c),
                ("random", 0, strange),
                *((f"P{j}", j, c) for j in range(3)),
            )
            for u in map(k.unit, range(k.offsets[of], k.offsets[of + 1]))
        ]
        documents[f"d{i}"] = Continuum.from_columns(*zip(*rows, strict=True))
    copy, strange = replace(documents, ["copy", "random"], score=score).candidates
    assert (copy.name, strange.name) == ("copy", "random")
    assert copy.passes is True
    assert strange.passes is False
    assert strange.winning_rate == 0.0
    assert strange.enough_documents is None


def test_the_disorder_of_a_pair_is_that_of_its_alignment() -> None:
    c = shuffled_set(ReferenceModel(n_units=8), "position+category", 0.3, 2, seed=1)
    alignment = gc.align(c)
    assert pair_disorders(alignment)[0, 1] == pytest.approx(alignment.disorder)


def test_soft_f1_as_by_hand() -> None:
    """By hand for A [0,10) x, [20,30) y and B [5,10) x, [20,30) z: soft-F1 is ⅓.

    P = ½(½), R = ½(1), 2PR/(P+R) = ⅓.
    """
    c = spans({"A": [(0, 10, "x"), (20, 30, "y")], "B": [(5, 10, "x"), (20, 30, "z")], "C": []})
    [instance] = SCORES["soft-f1"].instances({"d": c}, Aligning())
    assert instance.pairs[0, 1] == pytest.approx(1 / 3)
    assert instance.pairs[0, 2] == 0.0
    [instance] = SCORES["overlap"].instances({"d": c}, Aligning())
    assert instance.pairs[0, 1] == 1.0


@pytest.mark.parametrize("score", ["disorder", "soft-f1", "overlap"])
def test_a_document_without_units_is_a_tie(score: str) -> None:
    c = Continuum.from_units([], annotators=(*PEOPLE, "bot"))
    marked = spans({**{p: [(0.0, 3.0, "x")] for p in PEOPLE}, "bot": [(4.0, 6.0, "x")]})
    [replacement] = replace({"a": c, "b": marked}, ["bot"], score=score, min_documents=1).candidates
    assert {p.rho_candidate for p in replacement.people} == {0.5}


def test_a_custom_score() -> None:
    @pairwise_score("as-many", "as many units")
    def as_many(c: Continuum) -> Floats:
        return -np.abs(c.counts[:, None] - c.counts[None, :]).astype(np.float64)

    try:
        c = spans({"A": [(0, 1, "x")], "B": [(5, 6, "x")], "bot": [(0, 1, "x"), (5, 6, "y")]})
        [replacement] = replace(c, ["bot"], score="as-many").candidates
        assert replacement.advantage_probability == 0.0
    finally:
        SCORES.unregister("as-many")


def test_verdicts_say_what_would_change_them() -> None:
    c = labels({"Ann": "ab" * 20, "Bea": "ab" * 20, "Cid": "ab" * 20, "bot": "abababaa" * 5})
    [replacement] = replace(c, ["bot"], score="accuracy", epsilon=0.05).candidates
    assert replacement.passes is False
    assert replacement.least_epsilon is not None
    again = replace(c, ["bot"], score="accuracy", epsilon=replacement.least_epsilon)
    assert again.candidates[0].passes is True
    below = replace(c, ["bot"], score="accuracy", epsilon=replacement.least_epsilon - 0.01)
    assert below.candidates[0].passes is False
    assert f"from ε = {replacement.least_epsilon:g} on" in replacement.in_words()
    assert "would not change this" in replacement.in_words()


def test_too_few_documents_give_no_verdict() -> None:
    c = labels({"Ann": "abababab", "Bea": "abababab", "Cid": "abababab", "bot": "abababab"})
    [replacement] = replace(c, ["bot"], score="accuracy").candidates
    assert replacement.passes is None
    assert np.isnan(replacement.winning_rate)
    assert np.isnan(replacement.enough_documents or 0)  # nothing varies
    words = replacement.in_words()
    assert words.startswith("No verdict on bot")
    assert "nobody has more than 8" in words
    assert words.endswith("too much alike to say how many would be enough.")
    assert changed(replacement, enough_documents=None).in_words().endswith("would not change this.")
    assert replacement.people[0].beaten is None
    assert replacement.interval == pytest.approx((0.025 ** (1 / 8), 1.0))
    assert any("Clopper" in note for note in replacement.notes)


def test_many_people_with_few_documents_are_no_hopeless_candidate() -> None:
    c = labels({"bot": "a" * 201, **{f"P{k}": "." * k + "ab"[k % 2] * 2 for k in range(200)}})
    [replacement] = replace(c, ["bot"], score="accuracy").candidates
    assert replacement.passes is None
    assert replacement.in_words().endswith("nobody would have 30: have fewer people do more each.")


def test_documents_without_the_candidate_are_reported_and_not_aligned(
    run: Run, tmp_path: Path
) -> None:
    for i in range(40):
        people = "".join(f"{a},x,0,5\n" for a in PEOPLE if a != "Cid" or i < 30)
        text = people + ("bot,x,0,5\n" if i < 32 else "") + ("Dan,x,0,5\n" if i > 32 else "")
        (tmp_path / f"{i:02}.csv").write_text("annotator,category,start,end\n" + text)
    files = sorted(tmp_path.glob("*.csv"))
    outcome = run("replace", *files, "--candidate", "bot")
    assert "bot has no row in 8 of 40 documents: these are left out" in outcome.err
    assert "Cid in 10" in outcome.err
    assert "a third person: Dan" in outcome.err
    bot = json.loads(run("replace", *files, "--candidate", "bot", "--json").out)["candidates"][
        "bot"
    ]
    assert bot["documents_of"] == {"Ann": 40, "Bea": 40, "Cid": 30, "Dan": 7, "bot": 32}
    assert any("no row in 8 of 40" in note for note in bot["notes"])
    assert bot["passes"] is True
    everybody = ",".join((*PEOPLE, "bot"))
    outcome = run("replace", *files, "--candidate", "bot", "--annotators", everybody)
    assert "The test does not show that" in outcome.out


def test_an_expert_is_named_in_the_verdict_and_two_people_are_a_caveat() -> None:
    c = labels({"Ann": "a" * 40, "Bea": "a" * 40, "bot": "a" * 39 + "b"})
    [of_expert] = replace(c, ["bot"], score="accuracy", expert="Ann").candidates
    words = of_expert.in_words()
    assert words.startswith("bot is as close to Ann as other people are")
    assert "left out" not in words
    assert not any("fewer than three" in note for note in of_expert.notes)
    [of_all] = replace(c, ["bot"], score="accuracy").candidates
    assert "on all 40 labelled places there was only one other person" in of_all.in_words()


def test_the_order_of_people_and_documents_does_not_matter() -> None:
    rng = np.random.default_rng(0)
    documents = [
        Instance(f"{i}", (*PEOPLE, "bot"), (lambda x: x + x.T)(rng.integers(0, 3, (4, 4)) * 1.0))
        for i in range(50)
    ]
    turned = [
        Instance(d.name, d.annotators[::-1], d.pairs[::-1, ::-1]) for d in reversed(documents)
    ]
    first, second = (wins_of("bot", d, lambda x: float(x.mean())) for d in (documents, turned))

    def rates(w: Wins) -> dict[str, float]:
        return dict(zip(w.people, w.p_values(0.2, 30).tolist(), strict=True))

    assert rates(first) == rates(second)


def test_bad_input_is_reported_with_advice(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("annotator,category,start,end\nAnn,x,0,1\nBea,x,0,1\nbot,x,0,1\nmute,,,\n")
    base = ("replace", path, "--candidate")
    assert "not an annotator" in run(*base, "bott").err
    assert run(*base, "bott").code == 3
    assert run("replace", path).code == 2
    assert run(*base, "bot", "--score", "kappa").code == 2
    assert run(*base, "bot", "--epsilon", "2").code == 2
    assert run(*base, "bot", "--epsilon", "friends").code == 2
    assert run(*base, "bot", "--expert", "bot").code == 2
    alone = run(*base, "bot", "--candidate", "Ann", "--candidate", "mute")
    assert (alone.code, "two people" in alone.err) == (3, True)
    silent = run(*base, "mute", "--json")
    assert silent.code == 0
    mute = json.loads(silent.out)["candidates"]["mute"]
    assert mute["passes"] is None
    assert any("no unit at all" in note for note in mute["notes"])
    assert "too few documents to say" in mute["verdict"]


def test_a_candidate_who_never_meets_two_people_cannot_be_tested(run: Run, tmp_path: Path) -> None:
    for name, rows in (("a", "Ann,x,0,1\nBea,x,0,1\n"), ("b", "Cid,x,0,1\nbot,x,0,1\n")):
        (tmp_path / f"{name}.csv").write_text("annotator,category,start,end\n" + rows)
    outcome = run("replace", tmp_path / "a.csv", tmp_path / "b.csv", "--candidate", "bot")
    assert (outcome.code, "shares no documents with two people" in outcome.err) == (3, True)


def test_the_json_has_its_keys(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("annotator,category,start,end\nAnn,x,0,1\nBea,x,0,1\nbot,y,0,1\n")
    outcome = run("replace", path, "--candidate", "bot", "--json", "--score", "accuracy")
    document = json.loads(outcome.out)
    assert {"candidates", "score", "signature", "left_out"} <= set(document)
    bot = document["candidates"]["bot"]
    keys = {"winning_rate", "advantage_probability", "passes", "epsilon", "interval", "annotators"}
    assert keys <= set(bot)
    assert {"rho_candidate", "rho_annotator", "p"} <= set(bot["annotators"]["Ann"])


def test_epsilon_has_names_for_kinds_of_people() -> None:
    c = labels({"Ann": "ab", "Bea": "ab", "bot": "ab"})
    for name, value in (("experts", 0.2), ("skilled", 0.15), ("crowd", 0.1), ("0.3", 0.3)):
        [replacement] = replace(c, ["bot"], score="accuracy", epsilon=name).candidates
        assert replacement.epsilon == value
    with pytest.raises(UsageError):
        replace(c, ["bot"], score="accuracy", epsilon=-0.1)


def test_the_signature_names_the_candidate_and_the_measure() -> None:
    documents = {f"d{i}": _document(i) for i in range(6)}
    plain = replace(documents, ["bot"], min_documents=4)
    assert "candidates:bot" in plain.signature
    assert "d:combined(a:1" in plain.signature
    other = replace(documents, ["bot"], min_documents=4, dissimilarity=Combined(alpha=3))
    assert other.signature != plain.signature


def test_candidates_on_different_documents_are_not_ranked_silently() -> None:
    documents = {f"d{i}": _document(i, second=i < 4) for i in range(8)}
    replacement = replace(documents, ["bot", "late"], min_documents=6)
    assert [c.name for c in replacement.candidates] == ["bot", "late"]
    assert replacement.candidates[1].passes is None
    for candidate in replacement.candidates:
        assert any("not a fair ranking" in note for note in candidate.notes)


def test_units_without_a_category_are_no_labels() -> None:
    documents = {}
    for i in range(8):
        rows = [(a, k, k + 1, "x") for a in ("Ann", "Bea", "bot") for k in range(3)]
        documents[f"d{i}"] = Continuum.from_units(
            [*(Unit(*row) for row in rows), Unit("Ann", 9, 10), Unit("Bea", 9, 10)]
        )
    (replacement,) = replace(documents, ["bot"], score="accuracy", min_documents=4).candidates
    assert any(note.startswith("16 units without a category") for note in replacement.notes)


def _document(number: int, *, second: bool = True) -> Continuum:
    names = ["Ann", "Bea", "Cid", "bot", *(["late"] if second else [])]
    return Continuum.from_units(
        [Unit(a, 0, 5 + (k + number) % 3, "x") for k, a in enumerate(names)]
    )


def test_only_crowds_are_aligned_to_a_gap_by_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Documents of each gap are aligned in one batch, and each keeps its own alignment."""
    from gammacp.campaign.replace import scores

    def document(people: int, end: float) -> Continuum:
        return Continuum.from_units(
            [gc.Unit(f"p{i:02}", i % 2, end, "x") for i in range(people)], bounds=(0, 9)
        )

    gaps = []

    def noted(continua: list[Continuum], bound: object, **options: object) -> object:
        gaps.append((options["gap"], [c.n_annotators for c in continua]))
        return align_each(continua, bound, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(scores, "align_each", noted)
    named = {"a": document(3, 5), "b": document(28, 6), "c": document(27, 7)}
    instances = list(scores.disorders(named, scores.Aligning()))
    assert gaps == [(0.0, [3, 27]), (scores.CROWD_GAP, [28])]
    for instance, (name, c) in zip(instances, named.items(), strict=True):
        alone = next(iter(scores.disorders({name: c}, scores.Aligning(solving={"gap": 0.0}))))
        assert instance.name == name
        assert instance.pairs == pytest.approx(alone.pairs)
    assert "gap:0.005" in replace(named, ["p00"]).signature
    assert "gap" not in replace(named, ["p00"], gap=0.0).signature
