"""Counts of what readers leave out, against the counts of the tools' own libraries."""

import json
import warnings
import zipfile
from collections import Counter
from pathlib import Path

import pytest

from gammacp import Continuum, Corpus, read, read_corpus
from gammacp.formats import collect
from tests.tools.story import FIXTURES, TEXT


def counts(document: Continuum | Corpus) -> Counter[str]:
    """Return the left out parts, counted by kind."""
    found: Counter[str] = Counter()
    for entry in document.left_out:
        found[entry.kind] += entry.count
    return found


def test_elan_counts_are_those_of_pympi(tmp_path: Path) -> None:
    elan = pytest.importorskip("pympi").Elan
    made = elan.Eaf(author="somebody")
    made.add_tier("Ann")
    made.add_tier("Bob")
    made.add_linguistic_type("parts", constraints="Symbolic_Subdivision", timealignable=False)
    made.add_tier("Ann-words", ling="parts", parent="Ann")
    for start in (0, 100, 250):
        made.add_annotation("Ann", start, start + 50, "a")
    made.add_annotation("Bob", 0, 50, "")
    made.add_ref_annotation("Ann-words", "Ann", 10, "w")
    file = tmp_path / "a.eaf"
    made.to_file(str(file))
    theirs = sum(len(aligned) + len(ref) for aligned, ref, *_ in made.tiers.values())
    c = read(file)
    assert c.n_units == 4
    assert c.n_units + counts(c)["annotation"] == theirs == 5
    assert counts(c)["tier"] == 1  # "default"
    one = read(file, tier="An{annotator}")
    assert one.n_units + counts(one)["annotation"] == theirs


def test_textgrid_counts_are_those_of_praatio(tmp_path: Path) -> None:
    textgrid = pytest.importorskip("praatio.textgrid")
    grid = textgrid.Textgrid()
    grid.addTier(textgrid.IntervalTier("A", [(0.5, 1.25, "x"), (2, 3, " ")], 0, 4))
    grid.addTier(textgrid.IntervalTier("", [(1, 2, "lost"), (2, 3, "too")], 0, 4))
    grid.addTier(textgrid.PointTier("B", [(0.1, ""), (0.2, "tick")], 0, 4))
    file = tmp_path / "a.TextGrid"
    grid.save(str(file), format="long_textgrid", includeBlankSpaces=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = textgrid.openTextgrid(str(file), includeEmptyIntervals=True)
    total = sum(len(tier.entries) for tier in theirs.tiers)
    c = read(file)
    assert c.n_units == 3
    assert c.n_units + counts(c)["interval"] + counts(c)["point"] == total
    unnamed = [e for e in c.left_out if e.reason == "tier without a name"]
    # praatio fills the gaps before and after with intervals without a label.
    assert [e.count for e in unnamed] == [4]


STORY: dict[str, str] = {
    "a/d.ann": "T1\tP 0 3\tAnn\nT2\tP 0 3;8 11\tAnn Bob\nR1\tr Arg1:T1 Arg2:T2\n#1\tNote T1\tx\n"
    "A1\tSure T1\nE1\tP:T1\n*\tEquiv T1 T2\n",
    "a/d.txt": TEXT,
    "a/d.conf": "",
    "a/d.iob": "# a comment\nAnn x B-P\nmet x O\n",
    "b.csv": "# a comment\nannotator,category,start,end,note,page\nA,x,0,1,,\n",
    "b.json": '{"gammacp": 1, "by": "me", "continuum": {"units": [["A", "x", 0, 1]], "e": 1}}',
    "a/b.rttm": ";; a comment\nSPEAKER d 1 0 1 <NA> <NA> A <NA> <NA>\n"
    "NON-SPEECH d 1 0 1 <NA> other A <NA> <NA>\n",
    "b.jsonl": "".join(
        json.dumps({"_input_hash": h, "text": TEXT, "answer": answer, "spans": [span]}) + "\n"
        for h, answer in ((1, "accept"), (1, "accept"), (2, "reject"), (3, "ignore"))
        for span in [{"start": 0, "end": 3, "label": "P"}]
    ),
    "c.jsonl": json.dumps(
        {"text": TEXT, "entities": [{"label": "P", "start_offset": 0, "end_offset": 3}]}
        | {"relations": [{}, {}], "Comments": ["x"]}
    ),
    "b.ls.json": json.dumps(
        [
            {
                "id": 1,
                "data": {"text": TEXT},
                "predictions": [{}, {}],
                "drafts": [{}],
                "annotations": [
                    {"completed_by": 2, "was_cancelled": True, "result": []},
                    {
                        "completed_by": 1,
                        "result": [
                            {"type": "relation"},
                            {"type": "choices", "value": {}},
                            {
                                "type": "labels",
                                "from_name": "l",
                                "value": {"start": 0, "end": 3, "labels": ["P"]},
                            },
                        ],
                    },
                ],
            },
            {"id": 2, "data": {}, "annotations": []},
        ]
    ),
    "b.jsonld": json.dumps(
        {
            "@context": "http://www.w3.org/ns/anno.jsonld",
            "creator": "A",
            "body": [{"purpose": "tagging", "value": "P"}, {"purpose": "commenting", "value": "?"}],
            "target": [
                {
                    "source": "d",
                    "selector": {"type": "TextPositionSelector", "start": s, "end": s + 1},
                }
                for s in (0, 4)
            ],
        }
    ),
}
LEFT_OUT = {
    "a/d.ann": {"note": 1, "attribute": 1},
    "a/d.iob": {"line": 1, "column": 1},
    "b.csv": {"column": 2, "line": 1},
    "b.json": {"key": 2},
    "a/b.rttm": {"line": 2},
    "b.jsonl": {"task": 3},
    "c.jsonl": {"relation": 2, "comment": 1},
    "b.ls.json": {
        "prediction": 2,
        "draft": 1,
        "annotation": 1,
        "link": 1,
        "region": 1,
        "task": 1,
    },
    "b.jsonld": {"body": 1},
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_every_reader_counts_what_it_leaves_out(tmp_path: Path, name: str) -> None:
    for other, content in STORY.items():
        if other.split(".")[0] == name.split(".")[0]:
            (tmp_path / other).parent.mkdir(exist_ok=True)
            (tmp_path / other).write_text(content, encoding="utf-8")
    corpus = read_corpus(tmp_path / name)
    assert corpus.left_out
    assert counts(corpus) == LEFT_OUT[name]
    assert {e.file for e in corpus.left_out} == {str(tmp_path / name)}


def test_glozz_counts_structure_and_features() -> None:
    c = read(FIXTURES / "story.aa")
    content = (FIXTURES / "story.aa").read_text(encoding="utf-8")
    assert c.n_units + counts(c)["unit"] == content.count("<unit ")
    assert counts(c)["value"] == content.count("<feature ")
    assert counts(c)["relation"] == content.count("<relation ")


def project(path: Path, *names: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "x")


@pytest.mark.parametrize("unpack", [False, True])
def test_a_project_without_a_format_says_how_to_export(tmp_path: Path, unpack: bool) -> None:
    file = tmp_path / "project.zip"
    project(
        file,
        "exportedproject16840.json",
        "annotation_ser/d.txt/ann.ser",
        "annotation/d.txt/ann.txt",
        "source/d.txt",
        "curation/d.txt/CURATION_USER.tsv",
    )
    if unpack:
        zipfile.ZipFile(file).extractall(tmp_path / "project")
        file = tmp_path / "project"
    found = collect([file])
    assert not found.continua
    assert "under Secondary Format" in str(found.failures[0][1])


def test_left_out_parts_are_in_the_order_of_the_file(tmp_path: Path) -> None:
    """The order is the same in every run, whatever the hashes of strings."""
    names = [f"f{k}" for k in range(12)]
    features = "".join(f'<feature name="{name}">x</feature>' for name in names)
    (tmp_path / "Ann_text.aa").write_text(
        '<annotations><unit id="1"><metadata><author>Ann</author></metadata><characterisation>'
        f"<type>t</type><featureSet>{features}</featureSet></characterisation><positioning>"
        '<start><singlePosition index="0"/></start><end><singlePosition index="3"/></end>'
        "</positioning></unit></annotations>"
    )
    told = [e.reason for e in read(tmp_path / "Ann_text.aa").left_out]
    assert told == [f"feature {name} is not the category" for name in names]


def test_ignored_files_are_counted(tmp_path: Path) -> None:
    for name, content in STORY.items():
        if name.startswith("a/d"):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(content, encoding="utf-8")
    (tmp_path / ".hidden.csv").touch()
    (tmp_path / "readme.md").touch()
    (tmp_path / "package.json").write_text('{"name": "x"}', encoding="utf-8")
    (tmp_path / "a" / "d.iob").unlink()
    found = collect([tmp_path])
    files = {e.reason: e.count for e in found.left_out if e.kind == "file"}
    # The text and the settings beside an annotation belong to it.
    assert files == {
        "hidden file": 1,
        "no format has the ending .md": 1,
        "JSON file of an unknown format": 1,
    }
