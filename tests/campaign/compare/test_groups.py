import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from gammacp.campaign.compare import compare
from gammacp.campaign.compare.groups import Groups, groups_of, members_of
from gammacp.campaign.compare.pairs import PairMatrix
from gammacp.continuum import Continuum, Unit
from gammacp.errors import DataError, UsageError
from gammacp.inference.contributions import Contributions
from gammacp.measures.agreement import Agreement, agreement
from gammacp.measures.gamma import Gamma
from tests.conftest import Run


class _Pair:
    """Agreement of one document with given disorders."""

    clusters: Mapping[str, str] = MappingProxyType({})

    def __init__(self, observed: float, expected: float) -> None:
        self.rated = {"d": Gamma(value=1 - observed / expected)}
        self.score = Gamma(value=1 - observed / expected)
        self._sums = observed, expected

    def contributions(self, names: Sequence[str]) -> Contributions:
        assert [*names] == ["d"]
        observed, expected = self._sums
        return Contributions(np.array([observed]), np.array([expected]), "documents")


def too_little() -> Agreement:
    """Return the γ of one document that is too short to be cut."""
    text = Continuum.from_units([Unit("A", 0, 1, "x"), Unit("B", 0, 2, "x"), Unit("A", 3, 4, "y")])
    return agreement({"d": text}, samples=2)


def matrix(left_out: int = 0) -> PairMatrix:
    """Return pairs of experts A, B and crowd X, Y, Z with given observed disorders.

    They are .1 within experts, .2 within the crowd and .6 across, at an expected disorder of 1.
    """
    names = tuple("ABXYZ")
    sums = {
        (a, b): _Pair(0.1 if b in "AB" else 0.2 if a in "XYZ" else 0.6, 1.0)
        for i, a in enumerate(names)
        for b in names[i + 1 :]
    }
    return PairMatrix(annotators=names, agreements=sums, left_out=left_out)  # type: ignore[arg-type]


def groups(pairs: PairMatrix) -> Groups:
    return groups_of(pairs, GROUPS, too_little())


GROUPS = {"experts": ("A", "B"), "crowd": ("X", "Y", "Z")}


def test_by_hand() -> None:
    group_agreement = groups(matrix())
    assert group_agreement.within == pytest.approx({"experts": 0.9, "crowd": 0.8})
    (across,) = group_agreement.across
    assert across.pairs == 6
    assert across.gamma == pytest.approx(0.4)
    assert across.normalized == pytest.approx(0.4 / math.sqrt(0.9 * 0.8))
    # The mean within is 1 − (.1 + 3 · .2) / 4 = .825, and across .4.
    assert across.difference == pytest.approx(0.825 - 0.4)
    assert math.isnan(across.p_value)
    assert "not tested: it takes 3 annotators in each group" in group_agreement.in_words()


def test_members_by_name_and_pattern() -> None:
    names = ["person-1", "person-2", "gpt", "llama"]
    members = members_of(names, ["people=person-*", "models=gpt,llama"])
    assert members == {"people": ("person-1", "person-2"), "models": ("gpt", "llama")}


@pytest.mark.parametrize(
    ("wanted", "kind", "said"),
    [
        (["people"], UsageError, "is not NAME=ANNOTATOR"),
        (["a=p1", "a=p2"], UsageError, "given twice"),
        (["a=p*", "b=p1"], UsageError, "p1 is in the groups 'a' and 'b'"),
        (["a=p1"], UsageError, r"give `compare\(groups=\)` twice"),
        (["a=p1", "b=q"], DataError, "group b: no annotator is 'q'"),
    ],
)
def test_impossible_groups_are_refused(wanted: list[str], kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        members_of(["p1", "p2"], wanted)


def test_groups_need_the_pairs_that_were_left_out() -> None:
    with pytest.raises(DataError, match="3 pairs of annotators are left out"):
        groups(matrix(left_out=3))


@pytest.mark.slow
def test_two_schools_are_distinguished_and_one_is_not() -> None:
    def school(shift: int) -> Continuum:
        rng = np.random.default_rng(3)
        units = []
        for a in "ABCDEF":
            move = shift if a in "DEF" else 0
            for i in range(24):
                start = 40 * i + move + int(rng.integers(0, 3))
                units.append(Unit(a, start, start + 20, "xy"[i % 2]))
        return Continuum.from_units(units, bounds=(0, 1000))

    group_agreements = [
        compare(
            school(s), groups=["one=A,B,C", "two=D,E,F"], by=["pair"], draws=0, samples=10
        ).groups
        for s in (12, 0)
    ]
    apart, same = (g.across[0] for g in group_agreements if g is not None)
    assert (apart.parts, apart.kind) == (12, "stretches")
    assert apart.p_value < 0.01
    assert apart.normalized < 0.85 < 0.95 < same.normalized
    assert same.p_value > 0.1


@pytest.mark.slow
def test_unequal_care_is_no_difference_of_groups() -> None:
    """Three careful and three careless annotators of one truth do not count as two groups.

    Their γ within differ widely.
    """
    rng = np.random.default_rng(4)
    units = []
    for a in "ABCDEF":
        noise = 1.0 if a in "ABC" else 6.0
        for i in range(40):
            start = 40 * i + float(rng.normal(0, noise))
            units.append(Unit(a, start, start + 20 + float(rng.normal(0, noise / 2)), "xy"[i % 2]))
    comparison = compare(
        Continuum.from_units(units, bounds=(-40, 1680)),
        groups=["careful=A,B,C", "careless=D,E,F"], by=["pair"], draws=0, samples=30,
    ).groups  # fmt: skip
    assert comparison is not None
    assert comparison.within["careful"] > comparison.within["careless"] + 0.2
    (across,) = comparison.across
    assert across.normalized > 0.93
    assert across.p_value > 0.05
    assert "p of less" in comparison.in_words()


def test_groups_can_be_written_as_json() -> None:
    document = json.loads(json.dumps(groups(matrix()).as_dict()))
    assert document["groups"]["crowd"]["annotators"] == ["X", "Y", "Z"]
    assert document["across"][0]["groups"] == ["experts", "crowd"]


APART = "doc,annotator,category,start,end\nd1,A,x,0,5\nd1,B,x,0,5\nd2,C,x,0,5\nd2,D,y,0,6\n"


def test_groups_that_never_meet_have_no_gamma_across_and_the_others_go_on(
    run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "apart.csv"
    path.write_text(APART)
    groups = ("--group", "a=A,B", "--group", "b=C,D")
    outcome = run("compare", path, "--by", "pair", "--samples", 5, *groups)
    assert outcome.code == 0, outcome.err
    assert "a and b: no γ across" in outcome.out


@pytest.mark.slow
def test_a_report_on_groups_that_never_meet_goes_on(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "apart.csv"
    path.write_text(APART)
    groups = ("--group", "a=A,B", "--group", "b=C,D")
    page = tmp_path / "page.html"
    built = run("report", path, "--samples", 5, "--weights", "mace", *groups, "-o", page)
    assert built.code == 0, built.err
    text = page.read_text(encoding="utf-8")
    assert "a and b: no γ across" in text
    assert "nnotators cannot be weighed" in text
    assert run("report", path, "--weights", "coin", "-o", page).code == 2
