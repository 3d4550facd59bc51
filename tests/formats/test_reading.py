import random
import re
from pathlib import Path

import pytest

from gammacp import Continuum, DataError, Unit, UsageError, read, read_corpus, write
from gammacp.formats import Selection, collect, select
from gammacp.formats.layout import PathNames, fit, names_from_path
from gammacp.formats.merging import merge_parts


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    for path in ("a.csv", "sub/a.csv", "sub/b.csv"):
        write(Continuum.from_units([Unit("A", 1, 2, path)]), tmp_path / path)
    (tmp_path / "sub" / "notes.md").write_text("no data", encoding="utf-8")
    (tmp_path / "sub" / ".hidden.csv").write_text("broken", encoding="utf-8")
    return tmp_path


def test_folders_and_globs_give_the_same_files(folder: Path) -> None:
    by_folder = read_corpus(folder)
    assert list(by_folder) == [str(folder / "a.csv"), str(folder / "sub/a.csv"), "b"]
    assert read_corpus(str(folder / "**/*.csv")) == by_folder
    assert read_corpus([folder / "a.csv", folder / "sub", folder / "a.csv"]) == by_folder


def test_failures_are_listed_and_other_files_are_read(folder: Path) -> None:
    (folder / "sub" / "b.csv").write_text("A,x,1\n", encoding="utf-8")
    found = collect([folder, folder / "none.csv"])
    assert len(found.continua) == 2
    assert {path for path, _ in found.failures} == {
        str(folder / "sub/b.csv"),
        str(folder / "none.csv"),
    }
    with pytest.raises(DataError, match=r"b\.csv:1: row has 3 columns"):
        read_corpus(folder)


def test_an_empty_input_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no file of a known format"):
        read(tmp_path)
    with pytest.raises(DataError, match="no file matches"):
        read(tmp_path / "*.csv")


def test_unknown_names(folder: Path) -> None:
    with pytest.raises(UsageError, match="format 'cvs' is unknown; did you mean 'csv'"):
        read(folder / "a.csv", format="cvs")
    with pytest.raises(UsageError, match="option 'delimeter' is not one of any format"):
        read(folder / "a.csv", delimeter=",")


def test_layouts() -> None:
    path = Path("/x/Lisa/raw/interview.ann")
    assert names_from_path(path, None) == PathNames("interview", "")
    assert names_from_path(path, "{annotator}/*/{document}") == PathNames("interview", "Lisa")
    assert names_from_path(path, "{document}/{annotator}") == PathNames("raw", "interview")
    with pytest.raises(UsageError, match="layout"):
        names_from_path(path, "{coder}/{document}")
    with pytest.raises(DataError, match="shorter"):
        names_from_path(Path("/a.ann"), "{annotator}/*/{document}")


def part(annotator: str, text: str | None, unit: str = "s") -> Continuum:
    return Continuum.from_units(
        [Unit(annotator, 1, 2, annotator)], name="d", text=text, offset_unit=unit
    )


def test_parts_of_a_document_are_merged() -> None:
    empty = Continuum.from_units([], annotators=["C"], name="d", offset_unit="s")
    c = merge_parts([part("B", None), part("A", "abc"), empty])
    assert c.annotators == ("A", "B", "C")
    assert (c.bounds, c.text, c.offset_unit, c.name) == ((1, 2), "abc", "s", "d")


def test_parts_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(DataError, match="text differs between A and B from character 2 on"):
        merge_parts([part("A", "abc"), part("B", "abd")])
    with pytest.raises(DataError, match="annotator 'A' occurs in two files"):
        merge_parts([part("A", None), part("A", None)])
    with pytest.raises(DataError, match="offset units differ: ms, s"):
        merge_parts([part("A", None), part("B", None, "ms")])


@pytest.mark.needs("tools")
def test_an_annotator_in_two_files_is_named_with_only_these_files(tmp_path: Path) -> None:
    """Files of other annotators of the document are not named."""
    for folder, who in (("old", "ann"), ("new", "ann"), ("new", "bob")):
        file = tmp_path / folder / who / "d.ann"
        file.parent.mkdir(parents=True)
        file.write_text("T1\tx 0 1\ta\n")
    ((_, error),) = collect([tmp_path]).failures
    files = [str(tmp_path / folder / "ann" / "d.ann") for folder in ("new", "old")]
    said = f"annotator 'ann' occurs in two files of document 'd' ({', '.join(files)})"
    assert error.message == said


def test_a_selection_covers_all_continua() -> None:
    continua = {"1": part("A", None), "2": part("B", None)}
    chosen = Selection(map={"B": "A"}, only=["A"], exclude=["A"], annotators=["Z"], bounds=(0, 9))
    one, two = select(continua, chosen).values()
    assert (one.annotators, one.n_units, one.bounds, one.name) == (("Z",), 0, (0, 9), "d")
    assert (two.annotators, [u.category for u in two]) == (("B", "Z"), ["A"])
    with pytest.raises(DataError, match=r"category .x. does not occur\. There are: A, B"):
        select(continua, Selection(only=["x"]))
    with pytest.raises(DataError, match=r"annotator .x. does not occur\. There are: A, B"):
        select(continua, Selection(exclude=["x"]))


def test_fields_of_a_pattern_are_those_of_a_regular_expression() -> None:
    """The fields are found from the end, as by a greedy expression, which may be exponentially
    slow.
    """
    r, fits = random.Random(0), 0
    for _ in range(3000):
        pattern = ["".join(r.choices("ab-", k=r.choice((0, 0, 1, 2))))]
        for _ in range(r.randint(0, 4)):
            pattern += [r.choice(["*", "{x}"]), "".join(r.choices("ab-", k=r.choice((0, 0, 1, 2))))]
        text = "".join(r.choices("ab-", k=r.randint(0, 9)))
        fields = {"*": "(.*)", "{x}": "(.+)"}
        match = re.fullmatch("".join(fields.get(p) or re.escape(p) for p in pattern), text)
        assert fit(pattern, text) == (list(match.groups()) if match else None)
        fits += match is not None
    assert fits > 200
    assert fit(["", *["*", "a"] * 200], "a" * 199 + "b") is None


@pytest.mark.needs("tools")
def test_names_too_long_for_a_file_are_refused(tmp_path: Path) -> None:
    c = Continuum.from_units([Unit("A" * 300, 0, 1, "x")], text="ab", name="d")
    with pytest.raises(DataError, match=r"annotator 'A+'… has 300 characters, too many"):
        write(c, tmp_path / "out", format="brat")
