"""Choices and journals of a folder: they lead nowhere outside of it and run no code."""

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp.base.files import confine
from gammacp.errors import DataError
from gammacp.studio.choice import Choice
from gammacp.studio.journal import Decision, Journal
from gammacp.studio.sound import recordings
from gammacp.studio.understanding import understand
from tests.confinement import EVIL, NAMES, ROWS, entries, make_folders, watched, write_campaign


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("root")
    make_folders(folder)
    return folder


@settings(max_examples=60, deadline=None)
@given(paths=st.lists(entries(), min_size=1, max_size=3), name=NAMES, rounds=st.lists(entries()))
def test_nothing_outside_is_opened(
    root: Path, paths: list[str], name: str, rounds: list[str]
) -> None:
    camp = root / "camp"
    write_campaign(root, paths, name, rounds)
    with watched(camp), confine(camp, always=True):
        understood, continua, _ = understand(camp, Choice(), None)
        recordings(camp, continua)
    assert "SECRET" not in understood.annotators
    assert not any(camp.rglob("canary"))


def test_the_whole_folder_is_read_except_links_that_lead_out(root: Path) -> None:
    camp = root / "camp"
    (camp / "campaign.toml").unlink(missing_ok=True)
    with watched(camp), confine(camp, always=True):
        understood, _, _ = understand(camp, Choice(), None)
    assert {Path(str(error.file)).name for error in understood.failures} >= {"l.csv"}
    assert all("leads out of" in str(e) for e in understood.failures if "l.csv" in str(e.file))
    assert "Ann" in understood.annotators
    assert "SECRET" not in understood.annotators


def test_no_choice_in_a_folder_imports_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.csv").write_text(ROWS.format("A"))
    (tmp_path / "evil.py").write_text(EVIL)
    for name in ("evil:X", "evil.py:X", "../x.toml", "/etc/x.toml"):
        choice = Choice(dissimilarity=name)
        with watched(tmp_path), confine(tmp_path, always=True):
            understood, continua, _ = understand(tmp_path, choice, None)
        assert understood.problem is not None
        assert continua == {}
    assert not (tmp_path / "canary").exists()


def test_a_journal_that_leads_elsewhere_is_not_opened(root: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim.sqlite"
    with sqlite3.connect(victim) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    before = victim.read_bytes()
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "gammacp-review.sqlite").symlink_to(victim)
    decision = Decision(request="a", reviewer="A", document="d", item="i", action="drop")
    for ask in (
        Journal(folder).rows,
        Journal(folder).choice,
        lambda: Journal(folder).add(decision),
    ):
        with watched(folder), pytest.raises(DataError, match=r"leads out of the folder.*move it"):
            ask()
    assert victim.read_bytes() == before
    assert root.is_dir()
