"""The option `gammacp measure --match-labels` for arbitrary labels of speakers."""

import json
from pathlib import Path

import pytest

from tests.conftest import Run

TURNS = ((1, 5, "ANN"), (6, 3, "BOB"), (8, 2, "ANN"))


def rttm(names: dict[str, str]) -> str:
    rows = (f"SPEAKER f 1 {s} {d} <NA> <NA> {names[who]} <NA>" for s, d, who in TURNS)
    return "\n".join([*rows, ""])


@pytest.fixture
def systems(tmp_path: Path) -> list[Path]:
    """Return the folders of a reference and of a system with other names for the same turns."""
    folders = [tmp_path / "ref", tmp_path / "hyp0"]
    names = [{"ANN": "ANN", "BOB": "BOB"}, {"ANN": "SPEAKER_00", "BOB": "SPEAKER_01"}]
    for folder, own in zip(folders, names, strict=True):
        folder.mkdir()
        (folder / "f.rttm").write_text(rttm(own))
    return folders


@pytest.mark.parametrize("scope", ["corpus", "document"])
def test_speakers_with_other_names_are_matched(run: Run, systems: list[Path], scope: str) -> None:
    given = ("measure", *systems, "-m", "gamma,f1-strict,alpha", "--samples", 30, "--json")
    (plain,) = json.loads(run(*given).out)["results"]
    assert plain["measures"]["f1-strict"]["value"] == 0
    assert "labels" not in plain
    outcome = run(*given, "--match-labels", scope, "--reference", "ref")
    (found,) = json.loads(outcome.out)["results"]
    assert [m["value"] for m in found["measures"].values()] == [1, 1, 1]
    assert found["labels"]["onto"] == "ref"
    assert found["labels"]["matched"] == {"hyp0": {"SPEAKER_00": "ANN", "SPEAKER_01": "BOB"}}
    # 5 + 3 + 2 seconds match; one second of overlapping speech counts twice and does not.
    assert (found["labels"]["shared"], found["labels"]["of_shared"]) == (10, 12)
    line = "labels matched: hyp0 onto ref: SPEAKER_00 = ANN, SPEAKER_01 = BOB"
    assert outcome.err.count(line) == 1


def test_values_are_those_of_map(run: Run, systems: list[Path]) -> None:
    given = ("measure", *systems, "-m", "gamma,f1-partial,alpha,ser", "--samples", 30, "--json")
    by_hand = run(*given, "--map", "ANN=SPEAKER_00", "--map", "BOB=SPEAKER_01")
    matched = run(*given, "--match-labels", "corpus")
    values = [
        {name: m["value"] for name, m in json.loads(o.out)["results"][0]["measures"].items()}
        for o in (by_hand, matched)
    ]
    assert values[0] == values[1]


CORPUS = """document,annotator,category,start,end
d1,Ann,x,0,4
d1,Ann,y,4,9
d1,Bob,1,0,4
d1,Bob,2,4,9
d2,Ann,x,0,4
d2,Bob,2,0,3
d2,Bob,3,3,4
"""


def test_a_corpus(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text(CORPUS)
    given = ("measure", path, "-m", "f1-strict", "--json", "--match-labels")
    found = json.loads(run(*given, "corpus").out)
    assert found["corpus"]["labels"]["matched"] == {"Bob": {"1": "x", "2": "y"}}
    assert found["corpus"]["labels"]["unmatched"] == {"Bob": {"3": "Bob:3"}}
    assert [r["labels"] for r in found["results"]] == [None, None]
    assert found["corpus"]["measures"]["f1-strict"]["value"] == pytest.approx(4 / 7)
    outcome = run(*given, "document")
    found = json.loads(outcome.out)
    assert found["corpus"]["labels"] is None
    assert found["results"][1]["labels"]["matched"] == {"Bob": {"2": "x"}}
    assert "2 documents: 3 matched, 1 unmatched" in outcome.err


def test_one_document_of_a_corpus_has_no_value_beyond_chance(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text(CORPUS)
    given = ("measure", path, "-m", "ser", "--json", "--beyond-chance", "--samples", 20)
    found = json.loads(run(*given, "--match-labels", "corpus").out)
    beyond = [r["measures"]["ser"]["beyond_chance"] for r in found["results"]]
    assert all("which alone has a value" in b["reason"] for b in beyond)
    assert found["corpus"]["measures"]["ser"]["beyond_chance"]["value"] is not None
    found = json.loads(run(*given, "--match-labels", "document").out)
    beyond = [r["measures"]["ser"]["beyond_chance"] for r in found["results"]]
    assert all(b["value"] is not None for b in beyond)


def test_three_annotators_need_a_reference(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text(CORPUS + "d2,Cid,7,0,4\n")
    given = ("measure", path, "-m", "f1-strict", "--match-labels")
    refused = run(*given, "corpus")
    assert (refused.code, refused.out) == (3, "")
    assert "two annotators, but there are 3: Ann, Bob, Cid" in refused.err
    assert "--reference" in refused.err
    assert "d2 has 3" in run(*given, "document").err
    assert run(*given, "corpus", "--reference", "Ann").code == 0
    assert run(*given, "corpus", "--exclude", "Bob").code == 0
    assert run(*given, "corpus", "--reference", "Dan").code == 3
    assert run(*given, "speakers").code == 2
