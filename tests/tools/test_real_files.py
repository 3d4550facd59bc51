"""Real exports, which do not ship: set GAMMACP_DATA, or put them in ../shared/data."""

import os
from pathlib import Path

import pytest

from gammacp import read, read_corpus, write

BESIDE = Path(__file__).parents[3] / "shared" / "data"
DATA = Path(os.environ.get("GAMMACP_DATA", BESIDE))

pytestmark = pytest.mark.skipif(
    not (DATA / "formats").is_dir(), reason=f"no data in {DATA}: set GAMMACP_DATA"
)


def test_brat_campaign() -> None:
    corpus = read_corpus(DATA / "formats" / "brat")
    assert len(corpus) == 7
    assert corpus.annotators == ("Lisa", "Maria", "Max", "Peter")
    assert corpus.categories == ("LOC", "MISC", "ORG", "PER")
    lines = sum(
        line.startswith("T")
        for file in (DATA / "formats" / "brat").rglob("*.ann")
        for line in file.read_text(encoding="utf-8").splitlines()
    )
    assert sum(c.n_units for c in corpus.values()) == lines


def test_webanno_campaign() -> None:
    folder = DATA / "formats" / "webanno" / "multipleStackedAnnotationsAreNotMergedTest"
    c = read(folder)
    assert dict(zip(c.annotators, c.counts.tolist(), strict=True)) == {
        "curator": 0,
        "user1": 2,
        "user2": 3,
    }
    assert {(c.text or "")[int(u.start) : int(u.end)] for u in c} == {"Champions League"}
    unlabelled = read(DATA / "formats" / "webanno" / "simpleSpanDiffNoLabelTest")
    assert [u.category for u in unlabelled] == [None]


def test_glozz_sample() -> None:
    c = read(DATA / "formats" / "glozz" / "example-units.aa")
    assert c.annotators == ("stac",)
    turn = next(u for u in c if u.category == "Turn")
    assert (c.text or "")[int(turn.start) : int(turn.end)].startswith("1 : Katherine")


@pytest.mark.parametrize("name", ["MaureenMarvinRobin.eaf", "AlexPaulSuzan.csv"])
@pytest.mark.parametrize("ending", ["eaf", "TextGrid", "rttm", "csv", "json", ""])
def test_the_same_gamma_after_conversion(tmp_path: Path, name: str, ending: str) -> None:
    from gammacp import gamma

    c = read(DATA / "gamma" / name)
    out = tmp_path / f"out.{ending}" if ending else tmp_path / "brat"
    # brat counts characters, whatever positions stand for.
    write(c if ending else c.with_about(offset_unit=""), out, format=None if ending else "brat")
    ours, theirs = (gamma(x, samples=10, seed=1).value for x in (read(out), c))
    assert ours == pytest.approx(theirs, abs=1e-9)


def test_elan_and_praat_agree_up_to_rounding() -> None:
    from gammacp import gamma

    elan, praat = (
        gamma(read(DATA / "gamma" / f"MaureenMarvinRobin.{ending}"), samples=30, seed=1).value
        for ending in ("eaf", "TextGrid")
    )
    # ELAN has the TextGrid's seconds as milliseconds, rounded.
    assert elan == pytest.approx(praat, abs=2e-3)
