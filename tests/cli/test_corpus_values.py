"""Corpora in `gammacp measure` and `compare`, and a system against a gold standard."""

import json
from pathlib import Path

import pytest

from tests.conftest import Run

CORPUS = """document,annotator,category,start,end
d1,gold,PER,0,4
d1,sys,PER,0,4
d1,gold,LOC,10,14
d2,gold,PER,3,6
d2,sys,PER,3,6
d2,sys,LOC,9,12
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.csv"
    path.write_text(CORPUS)
    return path


def test_the_corpus_in_json(run: Run, file: Path) -> None:
    options = ("-m", "f1-strict,u-alpha-2013", "--by", "category,pair", "--json")
    found = json.loads(run("measure", file, *options).out)
    assert len(found["results"]) == 2
    scores = found["corpus"]["measures"]
    keys = "value mean interval over documents of precision recall support by_category by_pair"
    assert {*keys.split(), "reason"} <= set(scores["f1-strict"])
    assert scores["f1-strict"]["value"] == pytest.approx(4 / 6)
    assert [*scores["f1-strict"]["by_category"]] == ["LOC", "PER"]
    assert scores["f1-strict"]["by_pair"]["gold, sys"]["value"] == pytest.approx(4 / 6)
    assert scores["u-alpha-2013"]["value"] is None
    assert "does not add up" in scores["u-alpha-2013"]["reason"]


def test_a_reference(run: Run, file: Path) -> None:
    found = json.loads(run("measure", file, "-m", "f1-strict", "--reference", "gold", "--json").out)
    first, second = (r["measures"]["f1-strict"] for r in found["results"])
    assert (first["precision"], first["recall"]) == (1, 0.5)
    assert (second["precision"], second["recall"]) == (0.5, 1)
    whole = found["corpus"]["measures"]["f1-strict"]
    assert (whole["precision"], whole["recall"]) == pytest.approx((2 / 3, 2 / 3))
    assert whole["support"] == 3
    missing = run("measure", file, "-m", "f1-strict", "--reference", "Gold")
    assert missing.code == 3
    assert "reference 'Gold' is not an annotator" in missing.err


def test_a_reference_of_one_document_alone(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "corpus.csv"
    path.write_text(CORPUS.replace("d2,gold", "d2,other"))
    found = json.loads(run("measure", path, "-m", "f1-strict", "--reference", "gold", "--json").out)
    scores = {r["file"]: r["measures"]["f1-strict"] for r in found["results"]}
    assert (scores["d1"]["precision"], scores["d1"]["recall"]) == (1, 0.5)
    assert scores["d2"]["value"] is None
    assert scores["d2"]["reason"] == "it does not have gold and somebody to compare"
    whole = found["corpus"]["measures"]["f1-strict"]
    assert whole["value"] == pytest.approx(2 / 3)
    assert (whole["documents"], whole["of"]) == (1, 2)


def test_one_document_has_no_row_of_a_corpus(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("A,x,0,5\nB,x,0,5\nB,y,7,9\n")
    found = json.loads(run("measure", path, "-m", "f1-strict", "--by", "category", "--json").out)
    assert found["corpus"] is None
    by_category = found["results"][0]["measures"]["f1-strict"]["by_category"]
    assert {k: v["value"] for k, v in by_category.items()} == {"x": 1, "y": 0}


def test_a_threshold(run: Run, file: Path) -> None:
    assert run("measure", file, "-m", "f1-strict", "--fail-under", "0.6").code == 0
    below = run("measure", file, "-m", "f1-strict", "--fail-under", "0.7")
    assert below.code == 5
    assert "f1-strict is 0.6667, below 0.7" in below.err
    several = run("measure", file, "-m", "f1-strict,ser", "--fail-under", "0.7")
    assert several.code == 2
    assert "--fail-under is for one measure" in several.err
    undefined = run("measure", file, "-m", "u-alpha-2013", "--fail-under", "0.7")
    assert undefined.code == 5
    assert "does not add up" in undefined.err
    no_number = run("measure", file, "-m", "f1-strict", "--fail-under", "nan")
    assert no_number.code == 2
    assert "--fail-under must be a number, not nan" in no_number.err


def test_documents_in_a_table(run: Run, file: Path) -> None:
    found = run("measure", file, "-m", "f1-strict", "--by", "document", "--reference", "gold")
    rows = [line.split() for line in found.out.splitlines() if line.strip().startswith("d")]
    assert [row[:2] for row in rows if row[0] in ("d1", "d2")] == [
        ["d1", "0.6667"],
        ["d2", "0.6667"],
    ]


@pytest.mark.needs("campaign")
def test_compare_with_one_system(run: Run, file: Path) -> None:
    found = json.loads(run("compare", file, "--reference", "gold", "--json").out)
    score = found["reference"]["measures"]["f1-strict"]
    assert (score["value"], score["precision"], score["recall"]) == pytest.approx((2 / 3,) * 3)
    assert score["by_category"]["PER"]["value"] == 1
    refused = run("compare", file, "--reference", "gold", "--fail-under", "0.5")
    assert refused.code == 2


def test_notes_of_documents_and_reasons_of_rows(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "corpus.csv"
    path.write_text(
        "document,annotator,category,start,end\n"
        "d1,A,x,0,4\nd1,B,x,0,4\nd1,C,y,0,4\nd2,A,x,0,4\nd2,B,x,0,4\nd2,C,x,0,4\n"
    )
    told = run("measure", path, "-m", "gamma,alpha", "--by", "pair", "--samples", 5).err
    # Both documents have the note, whether or not they share random sets.
    assert "d1, d2: gamma: few units per annotator (1)" in told
    assert "corpus: alpha (A, B): only one label is used" in told
