"""Contents of a `subject.toml`, and the errors on an invalid one."""

import pytest

import gammacp
from gammacp.base import subjects
from gammacp.errors import UsageError
from gammacp.registry import import_listed


def _folder(tmp_path, **files):
    (tmp_path / "built_in.toml").write_text(
        'offers = ["measure", "format"]\n[measure]\n"gammacp.measures.gamma" = "gamma"\n'
    )
    for name, content in files.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "subject.toml").write_text(content)
    return tmp_path


ERRORS = (
    ('colour = "red"', "unknown key 'colour'"),
    ("needs = true", "needs must be a list"),
    ('[measures]\n"a.b" = "x"', r"unknown table \[measures\]"),
    ('[campaign]\n"a.b" = "x"', r"unknown table \[campaign\]"),
    ('["option gamm"]\n"a.b" = "X"', r"unknown table \[option gamm\]"),
    ('needs = ["other"]', "needs the subject 'other', which is missing"),
    ('[measure]\n"a.b" = "gamma"', "measure 'gamma' is taken by .*built_in.toml"),
    ('[measure]\n"a.b" = "x"\n"a.c" = "x"', "measure 'x' is taken by .*one.subject.toml"),
    ('[command.sing]\nrun = "a.b:c"', "command 'sing' needs run and section"),
    ('[command.sing]\nrun = "a.b"\nsection = "Measure"', "run is not MODULE:FUNCTION"),
    ("needs = [", "Invalid value|Unclosed"),
)


@pytest.mark.parametrize(("content", "message"), ERRORS)
def test_an_error_names_the_file(tmp_path, content, message):
    folder = _folder(tmp_path, one=content)
    with pytest.raises(UsageError, match=message) as caught:
        subjects.read_subjects(folder)
    assert str(folder / "one" / "subject.toml") in str(caught.value)


def test_a_name_that_another_subject_has_is_an_error(tmp_path):
    table = '[format]\n"a.b" = "sheet"\n'
    with pytest.raises(UsageError, match=r"two.subject.toml: format 'sheet' is taken by .*one"):
        subjects.read_subjects(_folder(tmp_path, one=table, two=table))


def test_a_module_that_does_not_exist_is_an_error_of_its_file(tmp_path, monkeypatch):
    folder = _folder(tmp_path, one='[warm]\n"gammacp.no_such_module" = "example"\n')
    there = subjects.read_subjects(folder)
    monkeypatch.setattr(subjects, "subjects", lambda: there)
    with pytest.raises(UsageError, match=r"one.subject.toml: \[warm\] names the missing module"):
        list(import_listed("warm"))


def test_entries_for_another_subject_count_only_where_it_is_there(tmp_path, monkeypatch):
    beside = '[two.score]\n"a.b" = "contour"\n'
    alone = subjects.read_subjects(_folder(tmp_path, one=beside))
    monkeypatch.setattr(subjects, "subjects", lambda: alone)
    assert subjects.table("score") == {}
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "subject.toml").write_text('offers = ["score"]\n')
    both = subjects.read_subjects(tmp_path)
    monkeypatch.setattr(subjects, "subjects", lambda: both)
    assert subjects.table("score") == {"a.b": "contour"}


def test_a_file_without_subjects_is_fine(tmp_path):
    assert subjects.read_subjects(_folder(tmp_path)) == {}


def test_a_missing_entry_names_its_subject(monkeypatch):
    monkeypatch.setattr(subjects, "subjects", dict)
    assert "belongs to the subject 'trees'" in str(subjects.why_missing("measure", "las"))
    assert subjects.why_missing("measure", "no-such-measure") is None


def test_a_name_of_a_deleted_subject_says_why_it_is_missing(monkeypatch):
    monkeypatch.setattr(subjects, "subjects", dict)
    with pytest.raises(AttributeError, match="'compare' belongs to the subject 'campaign', which"):
        gammacp.__getattr__("compare")
    assert "compare" not in dir(gammacp)
    with pytest.raises(AttributeError, match="'gammacp' has no attribute 'compares'"):
        gammacp.__getattr__("compares")
