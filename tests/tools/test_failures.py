"""Unreadable files: the documents that they concern are never silently absent."""

from pathlib import Path

import pytest

from gammacp import Continuum, Corpus, DataError, Unit, read_corpus, write
from gammacp.base.failures import Failure, incomplete_in_words
from gammacp.continuum.shapes import box
from gammacp.formats import FORMATS, collect
from tests.tools.seeds import SEEDS, seeded

WRITERS = [name for name, f in FORMATS.items() if f.writer]
NAMES = ("d1", "d2", "d3", "d4")
TEXT = "Ann saw Bob and Cem in the park"


def documents(name: str) -> Corpus:
    shapes = FORMATS[name].data_kind == "shapes" or name == "coco"
    continua = {}
    for number, document in enumerate(NAMES):
        units = []
        for annotator in ("Ann", "Bob"):
            for start, end in ((0, 3), (8, 11 + number)):
                shape = box((start, end), (0, 5))[1] if shapes else None
                units.append(Unit(annotator, start, end, "person", shape=shape))
        continua[document] = Continuum.from_units(units, name=document, text=TEXT)
    return Corpus.from_continua(continua)


def written(name: str, folder: Path) -> list[Path]:
    """Write a file per document, or per annotator and document if the format has such files."""
    corpus, entry = documents(name), FORMATS[name]
    if entry.writer.per_annotator:
        write(corpus, folder, format=name)
    else:
        for document, c in corpus.items():
            write(c, folder / f"{document}{entry.extensions[0]}", format=name)
    return sorted(p for p in folder.rglob("*") if p.is_file() and entry.has_ending(p))


DAMAGES = {
    "cut": lambda content: content[: len(content) * 2 // 3],
    "noise": lambda content: content[: len(content) // 2] + b"\xff\x00{<" + content[-9:],
    "other": lambda content: b"\x89PNG" + content[9:],
    "empty": lambda content: content[:0],
}


@pytest.fixture(scope="module")
def formats(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of seeds; tests restore the files that they change."""
    return seeded(tmp_path_factory.mktemp("failures") / "formats")


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", WRITERS)
def test_a_damaged_document_is_never_silently_absent(
    tmp_path: Path, name: str, damage: str
) -> None:
    files = written(name, tmp_path)
    before = collect([tmp_path])
    assert len(before.continua) == len(NAMES)
    assert not before.failures
    for file in files:
        whole = file.read_bytes()
        file.write_bytes(DAMAGES[damage](whole))
        after = collect([tmp_path])
        file.write_bytes(whole)
        named = {document for failure in after.unread for document in failure.documents}
        absent = {key for key in before.continua.keys() - after.continua.keys() if key not in named}
        known = {before.continua[key].name for key in absent} - named
        blamed = {Path(str(failure.error.file)).name for failure in after.unread}
        assert not known or file.name in blamed, (file.name, known)
        fewer = [
            key
            for key in before.continua.keys() & after.continua.keys()
            if set(after.continua[key].annotators) < set(before.continua[key].annotators)
        ]
        assert not fewer, f"{file.name}: an annotator of {fewer} is absent"
        if after.failures:
            assert any(file.name in str(each.error) for each in after.unread)


JUNK = {
    "a word": b"qwertz\n",
    "words": b"qwertz uiop asdf\n",
    "cells": b"qwertz\tuiop\tasdf\n",
    "an object": b'{"qwertz": 1}\n',
    "an array": b'[{"qwertz": 1}]',
    "nothing": b"{}",
    "an element": b"<qwertz><uiop/></qwertz>",
}
# Files beside annotations, and packed files, are left out.
NO_TEXT = {"zip", "arrow", "review-list", "pylidc", "brat text"}


@pytest.mark.parametrize("target", [target for target in SEEDS if target not in NO_TEXT])
def test_content_without_a_record_is_not_taken_for_finding_nothing(
    formats: Path, target: str
) -> None:
    seed = SEEDS[target]
    file = formats / seed.file
    whole = file.read_bytes()
    first = whole.partition(b"\n")[0]
    for kind, content in {**JUNK, "words below": first + b"\nqwertz uiop\n"}.items():
        file.write_bytes(content)
        try:
            found = collect([formats / seed.what], format=target.split()[0])
        except DataError:
            continue
        finally:
            file.write_bytes(whole)
        assert found.failures or found.left_out, kind
        idle = [n for n, c in found.continua.items() if not found.failures and 0 in c.counts]
        assert not idle, f"{kind}: somebody in {idle} found nothing"


def test_a_valid_file_without_units_is_an_annotator_who_found_nothing(tmp_path: Path) -> None:
    empty = {
        "bids/ann/x_events.tsv": ("onset\tduration\ttrial_type\n", "bids"),
        "conll/ann/x.conll": ("a O\nb O\n", "conll"),
        "prodigy/ann.jsonl": ('{"text": "a b", "answer": "accept"}\n', "prodigy"),
        "doccano/ann.jsonl": ('{"id": 1, "text": "a b", "label": []}\n', "doccano"),
        "brat/ann/x.ann": ("", "brat"),
    }
    for name, (content, format) in empty.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True)
        file.write_text(content, encoding="utf-8")
        (c,) = read_corpus([file.parent if format != "brat" else file], format=format).values()
        assert (c.annotators, c.n_units) == (("ann",), 0), name


def test_all_documents_of_a_broken_file_are_listed(tmp_path: Path) -> None:
    """Each file has one annotator's units of all documents, any of which may lack a part."""
    files = written("doccano", tmp_path)
    files[0].write_text("{", encoding="utf-8")
    found = collect([tmp_path])
    (failure,) = found.unread
    assert not found.continua or len(failure.documents) + len(found.continua) >= len(NAMES) - 1
    assert failure.documents


def test_the_sentence_counts_the_known_documents() -> None:
    here = Failure(DataError("is cut", file="ann/d2.ann", line=4), ("d2",))
    unknown = Failure(DataError("is cut", file="more.jsonl"))
    assert incomplete_in_words(6, []) is None
    assert incomplete_in_words(6, [here]) == ("6 of 7 documents; d2 left out: ann/d2.ann:4: is cut")
    assert incomplete_in_words(6, [here, unknown]) == (
        "6 of at least 8 documents; d2, more.jsonl left out: ann/d2.ann:4: is cut (and 1 more)"
    )
    assert here.as_dict() == {
        "file": "ann/d2.ann",
        "line": 4,
        "message": "is cut",
        "documents": ["d2"],
    }
