"""Quotes as evidence of offset conventions, in files of tools, with offsets made by encoders."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gammacp as gc
from gammacp.errors import DataError, UsageError
from gammacp.formats import collect
from gammacp.formats.conventions import notes_of
from gammacp.formats.evidence import Quote, Quoted, settle
from gammacp.formats.source import Source

pytestmark = pytest.mark.needs("tools")

TEXT = "  Zoë 😊 met\r\nBob in  Köln.\r\nThen é ate Kuchen\r\nwith  Ann.\r\n"
WORDS = ("Zoë", "Bob", "Köln", "Kuchen", "Ann")
TRUTH = [(TEXT.index(word), TEXT.index(word) + len(word)) for word in WORDS]


def in_bytes(text: str, coding: str, width: int) -> Callable[[int], int]:
    return lambda place: len(text[:place].encode(coding)) // width


def told(text: str) -> list[tuple[int, int, str]]:
    """Return where a tool that has this text finds the words, in code points."""
    found = []
    for word in WORDS:
        for form in ("NFC", "NFD"):
            own = unicodedata.normalize(form, word)
            if own in text:
                found.append((text.index(own), text.index(own) + len(own), own))
                break
    return found


def spans_of(convention: str) -> list[tuple[int, int, str]]:
    """Return (start, end, quote) as tools of a convention write them."""
    text = {
        "crlf-as-one": TEXT.replace("\r\n", "\n"),
        "nfd": unicodedata.normalize("NFD", TEXT),
        "blanks": re.sub(r"\s+", " ", TEXT),
        "trimmed": re.sub(r"\s+", " ", TEXT).strip(),
        "from-1": "\ufeff" + TEXT,
        "crlf-as-one+utf-16": TEXT.replace("\r\n", "\n"),
        "from-1+inclusive": "\ufeff" + TEXT,
        "nfd+utf-8": unicodedata.normalize("NFD", TEXT),
        "blanks+inclusive": re.sub(r"\s+", " ", TEXT),
    }.get(convention, TEXT)
    coding, width = "utf-32-le", 4
    if "utf-16" in convention:
        coding, width = "utf-16-le", 2
    if "utf-8" in convention:
        coding, width = "utf-8", 1
    at = in_bytes(text, coding, width)
    less = int("inclusive" in convention)
    return [(at(start), at(end) - less, quote) for start, end, quote in told(text)]


PLANTED = [
    *("inclusive", "utf-8", "utf-16", "crlf-as-one", "nfd", "blanks", "trimmed", "from-1"),
    *("crlf-as-one+utf-16", "from-1+inclusive", "nfd+utf-8", "blanks+inclusive"),
]


def brat(folder: Path, spans: list[tuple[int, int, str]], text: str = TEXT) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "d.txt").write_bytes(text.encode())
    rows = [f"T{i}\tX {s} {e}\t{quote}\n" for i, (s, e, quote) in enumerate(spans, 1)]
    (folder / "d.ann").write_text("".join(rows), encoding="utf-8")
    return folder / "d.ann"


def label_studio(folder: Path, spans: list[tuple[int, int, str]], text: str = TEXT) -> Path:
    result = [
        {
            "id": f"r{i}",
            "from_name": "label",
            "type": "labels",
            "value": {"start": s, "end": e, "text": quote, "labels": ["X"]},
        }
        for i, (s, e, quote) in enumerate(spans)
    ]
    task = {"id": 1, "data": {"text": text}, "annotations": [{"completed_by": 1, "result": result}]}
    (folder / "tasks.json").write_text(json.dumps([task]), encoding="utf-8")
    return folder / "tasks.json"


def prodigy(folder: Path, spans: list[tuple[int, int, str]], text: str = TEXT) -> Path:
    listed = [{"start": s, "end": e, "text": quote, "label": "X"} for s, e, quote in spans]
    task = {"text": text, "_input_hash": 1, "_annotator_id": "Ann", "spans": listed}
    (folder / "tasks.jsonl").write_text(json.dumps(task) + "\n", encoding="utf-8")
    return folder / "tasks.jsonl"


def units_of(path: Path, **options: Any) -> list[tuple[float, float]]:
    return [(unit.start, unit.end) for unit in gc.read(path, **options)]


@pytest.mark.parametrize("write", [brat, label_studio, prodigy])
@pytest.mark.parametrize("convention", PLANTED)
def test_planted_conventions_are_recognised(
    tmp_path: Path, write: Callable[..., Path], convention: str
) -> None:
    path = write(tmp_path, spans_of(convention))
    found = collect([path])
    (continuum,) = found.continua.values()
    assert sorted((u.start, u.end) for u in continuum) == TRUTH
    (note,) = found.conventions
    assert note.applied
    assert note.convention == convention
    assert note.as_dict()["evidence"] == f"{note.evidence} (5 quotes)"
    own = write is not prodigy and convention == "utf-16"
    assert note.usual is own


def test_a_document_of_several_files_keeps_their_notes(tmp_path: Path) -> None:
    for who, convention in (("Ann", "inclusive"), ("Bob", "utf-8"), ("Cid", "code-points")):
        brat(tmp_path / who, spans_of(convention))
    c = gc.read(tmp_path)
    for who in ("Ann", "Bob", "Cid"):
        assert [(u.start, u.end) for u in c if u.annotator == who] == TRUTH
    assert [(Path(n.file).parent.name, n.convention) for n in notes_of(c)] == [
        ("Ann", "inclusive"),
        ("Bob", "utf-8"),
    ]


def test_offsets_that_fit_have_no_note(tmp_path: Path) -> None:
    spans = [(s, e, TEXT[s:e]) for s, e in TRUTH]
    found = collect([brat(tmp_path, spans)])
    assert found.conventions == ()
    assert sorted((u.start, u.end) for c in found.continua.values() for u in c) == TRUTH


@pytest.mark.parametrize("write", [brat, label_studio, prodigy])
def test_contradicting_evidence_is_an_error(tmp_path: Path, write: Callable[..., Path]) -> None:
    words = "one two three four five six seven eight nine ten"
    spans = [(m.start(), m.end(), m[0]) for m in re.finditer(r"\w+", words)]
    half = [(s, e - (i % 2), quote) for i, (s, e, quote) in enumerate(spans)]
    with pytest.raises(
        DataError,
        match=r"'two' is not what the \w+ has at 4-6; the quotes contradict each other: 5 of 10 "
        r"quotes fit if characters are code points, 5 if ends are inclusive\. .*offsets=trust",
    ):
        gc.read(write(tmp_path, half, words))
    assert units_of(tmp_path, offsets="trust") == [(s, e) for s, e, _ in half]


@pytest.mark.parametrize("write", [brat, label_studio, prodigy])
def test_quotes_that_fit_nowhere_are_an_error(tmp_path: Path, write: Callable[..., Path]) -> None:
    path = write(tmp_path, [(4, 9, "TNF-a"), (14, 24, "SARS CoV 2")], "The TNF-α and SARS‐CoV‐2 .")
    with pytest.raises(DataError, match=r"'TNF-a' is not what the \w+ has at 4-9.*offsets=trust"):
        gc.read(path)
    assert units_of(path, offsets="trust") == [(4, 9), (14, 24)]
    with pytest.raises(UsageError, match="offsets"):
        gc.read(path, offsets="guess")


def test_two_conventions_that_fit_are_refused() -> None:
    # Counted in bytes it is the first abab, with line breaks as one character the second.
    document = Quoted(["é\r\nababab"], [Quote(((4, 8),), "abab", "T1")])
    source = Source(Path("x"), "d", "Ann", b"")
    with pytest.raises(DataError, match=r"they fit if .*, but also if .*, in other places.*trust"):
        settle(source, [document])
    # In bytes and counted from 1 the quote has one place, but not the span without a quote.
    quotes = [Quote(((3, 7),), "aaaa", "T1"), Quote(((10, 11),), None, "T2")]
    (settled,) = settle(source, [Quoted(["é aaaa é b"], quotes[:1])])
    assert settled.places(quotes[0]) == [(2, 6)]
    with pytest.raises(DataError, match="in other places"):
        settle(source, [Quoted(["é aaaa é b"], quotes)])
    # One or two letters would fit somewhere by chance.
    with pytest.raises(DataError, match="is not what the text has at 2-3"):
        settle(source, [Quoted(["éa b"], [Quote(((2, 3),), "a", "T1")])])


def test_a_file_is_judged_as_a_whole(tmp_path: Path, run: Any) -> None:
    """One quote alone would fit two conventions, and the other quotes of the file decide."""
    tasks = []
    for number, text in enumerate(("a é b", "one two")):
        start = len(text[:4].encode())
        value = {"start": start, "end": start + len(text[4:]), "text": text[4:], "labels": ["X"]}
        region = {"id": "r", "from_name": "label", "type": "labels", "value": value}
        annotation = {"completed_by": 1, "result": [region]}
        tasks.append({"id": number, "data": {"text": text}, "annotations": [annotation]})
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps(tasks), encoding="utf-8")
    corpus = gc.read_corpus(path)
    assert [[(u.start, u.end) for u in c] for c in corpus.values()] == [[(4, 5)], [(4, 7)]]
    shown = run("inspect", str(path), "--json")
    (entry,) = json.loads(shown.out)["conventions"]
    assert entry["file"] == str(path)
    assert entry["convention"] == "utf-8"
    assert entry["applied"] is True
    assert "they count UTF-8 bytes" in run("gamma", str(path)).err


@pytest.mark.parametrize(("coding", "width"), [("utf-32-le", 4), ("utf-8", 1), ("utf-16-le", 2)])
def test_tokens_of_webanno_are_quotes(tmp_path: Path, coding: str, width: int) -> None:
    """Tokens count as quotes: they show how offsets count, and where the sentences are."""
    sentences = ["Zoë 😊 left .", "Bob 😊 stayed ."]
    text, at = "\n".join(sentences), 0
    rows = ["#FORMAT=WebAnno TSV 3.3", "#T_SP=custom.Span|label", "", ""]
    truth = []
    for number, sentence in enumerate(sentences, 1):
        rows.append(f"#Text={sentence}")
        for place, word in enumerate(sentence.split(), 1):
            start = text.index(word, at)
            at = start + len(word)
            own = [len(text[:p].encode(coding)) // width for p in (start, at)]
            label = "X" if word in ("😊", "stayed") else "_"
            truth += [(start, at)] if label == "X" else []
            rows.append(f"{number}-{place}\t{own[0]}-{own[1]}\t{word}\t{label}\t")
        rows.append("")
    path = tmp_path / "d.tsv"
    path.write_text("\n".join(rows), encoding="utf-8")
    found = collect([path])
    assert found.failures == ()
    (continuum,) = found.continua.values()
    assert [(u.start, u.end) for u in continuum] == truth
    assert continuum.text == text
    assert [note.convention for note in found.conventions] == (
        [] if width == 2 else ["code-points" if width == 4 else "utf-8"]
    )
