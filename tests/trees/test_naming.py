from __future__ import annotations

from pathlib import Path

import pytest

from gammacp.errors import DataError, UsageError
from gammacp.trees.naming import name_files


def make(folder: Path, *names: str) -> list[Path]:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x", encoding="utf-8")
    return [folder / name for name in names]


def names(paths: list[Path], **options: str) -> set[tuple[str, str]]:
    return {(n.annotator, n.document) for n in name_files(paths, **options)[0]}


def test_names_with_one_file_per_annotator(tmp_path: Path) -> None:
    assert names(make(tmp_path, "da-morten.conll", "da-lotte.conll")) == {
        ("morten", "da"),
        ("lotte", "da"),
    }
    assert names(make(tmp_path, "ann.conll", "ben.conll")) == {("ann", ""), ("ben", "")}
    assert names(make(tmp_path, "odin-danish.conll", "thor-danish.conll")) == {
        ("odin", "danish"),
        ("thor", "danish"),
    }


def test_names_of_several_documents(tmp_path: Path) -> None:
    paths = make(tmp_path, *(f"{d}-en-{a}.conll" for d in ("01", "02", "03") for a in ("x", "y")))
    assert names(paths) == {(a, f"{d}-en") for d in ("01", "02", "03") for a in ("x", "y")}
    assert names([tmp_path]) == names(paths)


def test_files_of_one_text_are_recognized_by_their_words(tmp_path: Path) -> None:
    """The names of two annotators and of two texts are in either order."""
    for person in ("odin", "thor"):
        for text, words in (("danish", "en to tre"), ("swedish", "ett två tre fyra")):
            (tmp_path / f"{person}-{text}.conll").write_text(f"{words} {person}", encoding="utf-8")
    expected = {(p, t) for p in ("odin", "thor") for t in ("danish", "swedish")}
    assert names([tmp_path]) == expected
    for path in tmp_path.iterdir():
        person, text = path.stem.split("-")
        path.rename(tmp_path / f"{text}-{person}.conll")
    assert names([tmp_path]) == expected


def test_only_files_of_the_requested_kind_are_named(tmp_path: Path) -> None:
    make(tmp_path, "a/x.conll", "b/x.conll", "a/x.tree", "b/x.tree")
    named, _ = name_files([tmp_path], kind="phrase")
    assert {n.path.suffix for n in named} == {".tree"}


def test_file_names_without_a_common_part_are_annotators(tmp_path: Path) -> None:
    assert names(make(tmp_path, "first_try.conll", "mine.conll")) == {
        ("first_try", ""),
        ("mine", ""),
    }


def test_each_folder_is_an_annotator(tmp_path: Path) -> None:
    make(
        tmp_path,
        "es/lotte/1252-es-lotte.conll",
        "es/lotte/0104-es-lotte.conll",
        "es/henrik/1252-es-henrik.conll",
        "es/README.txt",
        "es/.git/config.conll",
    )
    expected = {("lotte", "1252-es"), ("lotte", "0104-es"), ("henrik", "1252-es")}
    assert names([tmp_path / "es"]) == expected
    assert names([tmp_path / "es" / "lotte", tmp_path / "es" / "henrik"]) == expected


def test_annotators_may_have_separators_in_their_names(tmp_path: Path) -> None:
    make(tmp_path, "ssd.emily2/10003-ssd.emily2.tree", "ssd.dan/10003-ssd.dan.tree")
    assert names([tmp_path]) == {("ssd.emily2", "10003"), ("ssd.dan", "10003")}


def test_folders_with_the_same_file_name_are_annotators(tmp_path: Path) -> None:
    assert names(make(tmp_path, "a/text.conllu", "b/text.conllu")) == {
        ("a", "text"),
        ("b", "text"),
    }


def test_one_file_in_each_folder_is_one_document(tmp_path: Path) -> None:
    make(tmp_path, "a/first.conllu", "b/second.conllu")
    assert names([tmp_path]) == {("a", ""), ("b", "")}


def test_folders_can_be_documents(tmp_path: Path) -> None:
    make(tmp_path, "doc1/ann.conllu", "doc1/ben.conllu", "doc2/ann.conllu")
    expected = {("ann", "doc1"), ("ben", "doc1"), ("ann", "doc2")}
    assert names([tmp_path], folders="documents") == expected


def test_a_pattern_finds_annotator_and_document(tmp_path: Path) -> None:
    make(tmp_path, "x/ann_17.dat.conll", "x/ben_17.dat.conll")
    pattern = r"(?P<annotator>[a-z]+)_(?P<document>\d+)"
    assert names([tmp_path], pattern=pattern) == {("ann", "17"), ("ben", "17")}
    with pytest.raises(UsageError, match="no group"):
        names([tmp_path], pattern="ann")
    with pytest.raises(UsageError, match="not a regular expression"):
        names([tmp_path], pattern="(")
    with pytest.raises(DataError, match="does not match"):
        names([tmp_path], pattern="(?P<annotator>zoe)")


def test_ambiguous_or_missing_names_are_errors(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="one annotator only"):
        names(make(tmp_path, "one.conll"))
    with pytest.raises(DataError, match="no such file"):
        names([tmp_path / "nowhere"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="no treebank file"):
        names([tmp_path / "empty"])
    make(tmp_path, "mixed/x/a.conll", "mixed/b.conll")
    with pytest.raises(DataError, match="mixed here"):
        names([tmp_path / "mixed"])
    with pytest.raises(DataError, match="mixed"):
        names([tmp_path / "mixed", tmp_path / "one.conll"])
    make(tmp_path, "twice/a/t.conll", "twice/a/t.conllu", "twice/b/t.conll")
    with pytest.raises(DataError, match="already belong to"):
        names([tmp_path / "twice"])
    with pytest.raises(UsageError, match="folders 'people'"):
        names([tmp_path], folders="people")
