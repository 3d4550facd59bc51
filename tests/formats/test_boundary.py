"""Unexpected exceptions of readers: an error of the file, with its type, and other files go on."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gammacp import Continuum, Corpus, DataError, Unit, UsageError, read
from gammacp.formats import FORMATS, collect
from gammacp.formats.boundary import unforeseen_raised
from gammacp.formats.layers import Layers
from gammacp.formats.registry import registered
from gammacp.formats.source import Source

Run = Callable[..., Any]


@pytest.fixture
def stumbling() -> Iterator[None]:
    """Register a format whose sniffer fails on "sniff", and whose reader and layers fail
    on "read".
    """

    def sniff(head: bytes, path: Path) -> bool:
        if head == b"sniff":
            raise IndexError("what is in sniff")
        return path.suffix == ".toy"

    def stumble(source: Source, **_options: object) -> Continuum:
        what = source.text().strip()
        if what == "read":
            raise KeyError(f"what is in {what}" + "!" * 1000)
        if what == "asked":
            raise UsageError("not so")
        return Continuum.from_units([Unit("A", 0, 1, "x"), Unit("B", 0, 1, "x")])

    def layers(source: Source) -> Layers:
        stumble(source)
        return {}

    registered("toy", "Toy", (".toy",), sniff, stumble, layers=layers)
    try:
        yield
    finally:
        FORMATS.unregister("toy")


@pytest.mark.usefixtures("stumbling")
def test_one_file_does_not_end_the_run(run: Run, tmp_path: Path) -> None:
    for name in ("good", "read", "sniff"):
        (tmp_path / f"{name}.toy").write_text(name, encoding="utf-8")
    found = collect([tmp_path])
    assert list(found.continua) == [str(tmp_path / "good.toy")]
    failures = dict(found.failures)
    assert failures.keys() == {str(tmp_path / "read.toy"), str(tmp_path / "sniff.toy")}
    assert "failed with IndexError: what is in sniff." in str(failures[str(tmp_path / "sniff.toy")])
    error = failures[str(tmp_path / "read.toy")]
    assert "read.toy: the reader failed with KeyError: 'what is in read!!!" in str(error)
    assert len(str(error)) < 500 + len(str(tmp_path))
    both, alone = run("inspect", tmp_path), run("inspect", tmp_path / "read.toy")
    assert (both.code, alone.code) == (3, 3)
    for outcome in (both, alone):
        assert "the reader failed with KeyError" in outcome.err
        assert "Traceback" not in outcome.err
    with unforeseen_raised(), pytest.raises((KeyError, IndexError)):
        collect([tmp_path])


@pytest.mark.usefixtures("stumbling")
def test_errors_raised_on_purpose_are_unchanged(tmp_path: Path) -> None:
    (tmp_path / "a.toy").write_text("asked", encoding="utf-8")
    with pytest.raises(UsageError, match="not so"):
        collect([tmp_path / "a.toy"])


@pytest.mark.needs("tools")
def test_files_of_strangers_that_once_ended_runs_are_errors(tmp_path: Path) -> None:
    """Each of these files once raised another exception, so that no other file was read."""
    good = tmp_path / "good.csv"
    good.write_text("A,x,0,1\nB,x,0,1\n", encoding="utf-8")
    time = "9" * 400
    entry = {"id": {"a": 1}, "from_name": "l", "type": "labels", "value": {"start": 0, "end": 1}}
    files = {
        "blank.csv": "A,x,0,1\n\u00a0\nB,x,0,1\n",
        "blank.json": "\u00a0",
        "long.jams": '{"annotations": [{"namespace": "s", "annotation_metadata": {}, "data":'
        f' [{{"time": {time}, "duration": 1.5, "value": "x"}}]}}]}}',
        "deep.qde": '<Project xmlns="urn:QDA-XML:project:1.0">'
        + "<a>" * 1500
        + "</a>" * 1500
        + "</Project>",
        "id.json": json.dumps(
            [
                {
                    "id": 1,
                    "data": {"text": "a"},
                    "annotations": [{"completed_by": 1, "result": [entry]}],
                }
            ]
        ),
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    paths = [good, *(tmp_path / name for name in files), tmp_path / ("x" * 300 + ".csv")]
    with unforeseen_raised():
        found = collect(paths)
    assert str(good) in found.continua
    failed = {Path(place).name[:9]: str(error) for place, error in found.failures}
    assert failed.keys() == {"blank.jso", "long.jams", "deep.qde", "x" * 9}
    assert "nested too deeply" in failed["deep.qde"]
    assert "up to 2^53" in failed["long.jams"]
    assert "File name too long" in failed["x" * 9]


def _task(who: str) -> str:
    value = {"start": 1, "end": 3, "text": "bc", "labels": ["X"]}
    region = {"id": "a", "from_name": "l", "to_name": "t", "type": "labels", "value": value}
    made = {"completed_by": {"email": who}, "result": [region]}
    return json.dumps([{"id": 1, "data": {"text": "abcdef"}, "annotations": [made]}])


@pytest.mark.needs("tools")
@pytest.mark.parametrize("coding", ["utf-16", "utf-8-sig", "utf-32"])
def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path: Path, coding: str) -> None:
    for who in ("a", "b", "c"):
        content = _task(who).encode(coding if who == "c" else "utf-8")
        (tmp_path / f"{who}.json").write_bytes(content)
    found = collect([tmp_path])
    assert not found.failures
    assert [c.annotators for c in found.continua.values()] == [("a", "b", "c")]


@pytest.mark.needs("tools")
@pytest.mark.parametrize(
    ("name", "content", "like"),
    [
        ("d.json", json.dumps({"text": "abc", "label": [[0, 1, "x"]]}, indent=1), "doccano"),
        ("p.json", json.dumps([{"text": "abc", "spans": []}], indent=1), "prodigy"),
        ("f.json", json.dumps({"example_idx": 1, "setup_id": "x"}), "factgenie"),
        ("l.json", '[{"anno\\u0074ations": [{"result": []}]}]', "label-studio"),
    ],
)
def test_json_with_the_keys_of_a_format_is_an_error_of_it(
    tmp_path: Path, name: str, content: str, like: str
) -> None:
    (tmp_path / "good.csv").write_text("A,x,0,1\nB,x,0,1\n", encoding="utf-8")
    (tmp_path / name).write_text(content, encoding="utf-8")
    found = collect([tmp_path])
    assert [str(error).partition("`format=")[2].split("`")[0] for _, error in found.failures] == [
        like
    ]
    (tmp_path / name).write_text('{"name": "no annotation"}', encoding="utf-8")
    assert [e.kind for e in collect([tmp_path]).left_out] == ["file"]


@pytest.mark.needs("tools")
def test_files_in_gzip(run: Run, tmp_path: Path) -> None:
    import gzip

    rows = b"A,x,0,1\nB,x,0,1\n"
    (tmp_path / "talk.csv.gz").write_bytes(gzip.compress(rows))
    (tmp_path / "talk.csv").write_bytes(rows)
    plain, packed = read(tmp_path / "talk.csv"), read(tmp_path / "talk.csv.gz")
    assert packed == plain
    assert packed.name == plain.name == "talk"
    assert len(collect([tmp_path]).continua) == 2
    (tmp_path / "half.csv.gz").write_bytes(gzip.compress(rows)[:-9])
    with pytest.raises(DataError, match=r"half\.csv\.gz: gzip is damaged: .*\. Pack it again"):
        read(tmp_path / "half.csv.gz")
    parts = {"a": "T1\tP 0 3\tAnn\n", "b": "T1\tP 0 4\tAnn \n"}
    for who, line in parts.items():
        (tmp_path / "brat" / who).mkdir(parents=True)
        file = tmp_path / "brat" / who / "d.ann"
        file.with_suffix(".ann.gz").write_bytes(gzip.compress(line.encode()))
        file.with_suffix(".txt").write_text("Ann met Bob", encoding="utf-8")
    both = read(tmp_path / "brat")
    assert (both.annotators, both.text) == (("a", "b"), "Ann met Bob")
    (tmp_path / "brat" / "b" / "d.ann.gz").write_bytes(b"\x1f\x8bno")
    found = collect([tmp_path / "brat"])
    assert not found.continua, "γ of one annotator less"
    assert run("gamma", tmp_path / "brat").code == 3


def test_a_gzip_bomb_is_refused() -> None:
    import gzip

    from gammacp.formats.archive import unpack

    with pytest.raises(DataError, match="holds more than 1 MB unpacked"):
        unpack(gzip.compress(b"0" * (2 << 20)), "a.gz", largest=1 << 20)


def test_named_pipes_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from concurrent.futures import ThreadPoolExecutor

    pipe = tmp_path / "a.csv"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        written = pool.submit(pipe.write_bytes, b"A,x,0,1\nB,x,0,1\n" * 9000)
        c = read(pipe)
        written.result(10)
    assert c.n_units == 18_000
    monkeypatch.setattr("gammacp.base.files.PATIENCE", 0.1)
    with pytest.raises(DataError, match="nothing came through the pipe"):
        read(pipe)


def test_corpora_of_files_in_several_codings(tmp_path: Path) -> None:
    row = "annotator,category,start,end\nA,x,0,1\nB,y,0,1\n"
    (tmp_path / "a.csv").write_bytes(row.encode("utf-16"))
    found = collect([tmp_path])
    assert not found.failures
    corpus = Corpus.from_continua({c.name: c for c in found.continua.values()})
    assert corpus["a"].annotators == ("A", "B")


def test_an_error_quotes_no_whole_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"# bounds: 1{' ' * 200_000}x\nA,x,0,1\n")
    told = run("inspect", tmp_path / "a.csv")
    assert told.code == 3
    assert len(told.err) < 5000
    assert "characters more). " in told.err
