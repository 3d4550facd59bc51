"""The journal of decisions, which keeps all it has acknowledged in spite of others and of kills."""

import csv
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from gammacp.base.databases import connect
from gammacp.errors import DataError
from gammacp.studio.journal import Decision, Journal, write_journal
from tests.work import calls


def decision(request: str, reviewer: str = "Ann", item: str = "i", **given: object) -> Decision:
    return Decision(
        request=request, reviewer=reviewer, document="d", item=item, action="edit", kept=True,
        start=1.0, end=2.5, **given,  # type: ignore[arg-type]
    )  # fmt: skip


def test_an_empty_journal_creates_no_file(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    assert journal.rows() == []
    assert journal.standing() == {}
    assert journal.choice() is None
    assert list(tmp_path.iterdir()) == []


def test_a_decision_is_visible_to_other_processes(tmp_path: Path) -> None:
    stored = Journal(tmp_path).add(decision("a", category="x'); DROP TABLE journal; --"))
    assert stored.number == 1
    assert stored.made.endswith("+00:00")
    assert Journal(tmp_path).rows() == [stored]
    assert Journal(tmp_path).rows(after=1) == []


def test_a_decision_sent_twice_is_kept_once(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    first = journal.add(decision("a"))
    assert journal.add(decision("a", reviewer="Bob")) == first
    assert len(journal.rows()) == 1


def test_the_later_decision_stands_and_the_earlier_one_is_kept(tmp_path: Path) -> None:
    ann, bob = Journal(tmp_path), Journal(tmp_path)
    first, second = ann.add(decision("a", "Ann")), bob.add(decision("b", "Bob"))
    for journal in (ann, bob):
        assert journal.rows() == [first, second]
        assert journal.standing() == {("d", "i"): second}


def test_undo_takes_back_the_reviewers_own_decision(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    first, second = journal.add(decision("a", "Ann")), journal.add(decision("b", "Bob"))
    assert journal.undo("u1", "Ann") == first
    assert journal.standing() == {("d", "i"): second}
    assert journal.undo("u1", "Ann") == first  # a repeated request
    assert journal.undo("u2", "Bob") == second
    assert journal.standing() == {}
    assert [row.action for row in journal.rows()] == ["edit", "edit", "undo", "undo"]
    with pytest.raises(DataError, match="Ann has no decision to undo"):
        journal.undo("u3", "Ann")


def test_repeated_undo_goes_back_in_time(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    decisions = [journal.add(decision(str(i), item=str(i % 2))) for i in range(4)]
    assert [journal.undo(f"u{i}", "Ann") for i in range(4)] == decisions[::-1]


@pytest.mark.parametrize(
    "statement", ["DELETE FROM journal", "UPDATE journal SET reviewer = 'Eve'"]
)
def test_the_file_refuses_deletions(tmp_path: Path, statement: str) -> None:
    Journal(tmp_path).add(decision("a"))
    with (
        sqlite3.connect(tmp_path / "gammacp-review.sqlite") as connection,
        pytest.raises(sqlite3.IntegrityError, match="journal"),
    ):
        connection.execute(statement)
    connection.close()


def test_each_decision_is_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[sqlite3.Connection] = []

    def connect_and_note(*place: Path, **options: Any) -> sqlite3.Connection:
        opened.append(connect(*place, **options))
        return opened[-1]

    monkeypatch.setattr("gammacp.studio.journal.connect", connect_and_note)
    Journal(tmp_path).add(decision("a"))
    (mode,), (synchronous,) = (
        opened[0].execute(f"PRAGMA {name}").fetchone() for name in ("journal_mode", "synchronous")
    )
    assert (mode, synchronous) == ("delete", 2)


@pytest.mark.slow
def test_the_work_of_a_decision_does_not_depend_on_their_number(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.add(decision("first"))
    few = calls(lambda: journal.add(decision("a")))
    for number in range(200):
        journal.add(decision(str(number)))
    assert calls(lambda: journal.add(decision("b"))) <= few


def test_a_copy_of_the_file_has_every_decision(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    decisions = [journal.add(decision(name)) for name in "abc"]
    assert [f.name for f in tmp_path.iterdir()] == [journal.path.name]
    (tmp_path / "copy").mkdir()
    shutil.copy(journal.path, tmp_path / "copy")
    assert Journal(tmp_path / "copy").rows() == decisions


def test_a_log_beside_the_journal_is_merged_into_it(tmp_path: Path) -> None:
    first = Journal(tmp_path)
    decided = first.add(decision("a"))
    first.close()
    with sqlite3.connect(first.path) as connection:
        assert connection.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",)
    connection.close()
    assert Journal(tmp_path).rows() == [decided]
    assert [f.name for f in tmp_path.iterdir()] == [first.path.name]


@pytest.mark.parametrize("replaced", [False, True])
def test_a_moved_file_loses_no_decision_silently(tmp_path: Path, replaced: bool) -> None:
    journal = Journal(tmp_path)
    decided = journal.add(decision("a"))
    away = tmp_path / "away.sqlite"
    journal.path.rename(away)
    if replaced:
        shutil.copy(away, journal.path)
    for ask in (lambda: journal.add(decision("b")), journal.rows, journal.choice):
        with pytest.raises(DataError, match="moved, removed or replaced"):
            ask()
    away.replace(journal.path)
    assert journal.add(decision("b")).number == 2
    assert Journal(tmp_path).rows()[0] == decided


def test_a_failed_commit_leaves_the_journal_usable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gammacp.studio.journal.WAIT", 0.05)
    journal, reader = Journal(tmp_path), sqlite3.connect(tmp_path / "gammacp-review.sqlite")
    journal.add(decision("a"))
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM journal").fetchone() == (1,)
    with pytest.raises(DataError, match="locked"):
        journal.add(decision("b"))
    reader.close()
    assert journal.add(decision("c")).number == 2
    assert [row.request for row in Journal(tmp_path).rows()] == ["a", "c"]


def test_two_concurrent_writers_lose_nothing(tmp_path: Path) -> None:
    def decide(name: str) -> None:
        journal = Journal(tmp_path)
        for i in range(40):
            journal.add(decision(f"{name}{i}", name, f"{i}"))
        journal.close()

    threads = [threading.Thread(target=decide, args=(name,)) for name in ("Ann", "Bob", "Cid")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rows = Journal(tmp_path).rows()
    assert len(rows) == 120
    assert len({row.number for row in rows}) == 120


# The process keeps one decision after the other, on a slow disk.
SLOW = """
import sys, time
from pathlib import Path
from gammacp.studio import journal

keep = journal._add
def keep_slowly(connection, decision):
    time.sleep(0.15)
    return keep(connection, decision)
journal._add = keep_slowly
kept = journal.Journal(Path(sys.argv[1]))
for number in range(10**6):
    kept.add(journal.Decision(request=f"slow{number}", reviewer="Sam", document="d", item="i",
                              action="drop"))
    print(number, flush=True)
"""


@pytest.mark.slow
def test_no_writer_starves_beside_a_busy_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The waiting time restarts with each decision of anybody, and every writer lets others in."""
    monkeypatch.setattr("gammacp.studio.journal.WAIT", 0.6)
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline()
        journal = Journal(tmp_path)
        for number in range(6):
            journal.add(decision(f"mine{number}"))
            journal.rows()
    finally:
        process.kill()
        process.communicate()
    rows = [row.request for row in Journal(tmp_path).rows()]
    assert [row for row in rows if row.startswith("mine")] == [f"mine{n}" for n in range(6)]


def test_threads_of_several_journals_of_a_file_take_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They wait for each other within the process, not for the file."""
    monkeypatch.setattr("gammacp.studio.journal.WAIT", 0.0)
    Journal(tmp_path).add(decision("first"))
    failed: list[DataError] = []

    def decide(name: str) -> None:
        journal = Journal(tmp_path)
        for number in range(10):
            try:
                journal.add(decision(f"{name}{number}", name))
            except DataError as error:
                failed.append(error)

    threads = [threading.Thread(target=decide, args=(name,)) for name in ("Ann", "Bob", "Cid")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(Journal(tmp_path).rows()) == 31


def test_an_invalid_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "gammacp-review.sqlite").write_bytes(b"not a database" * 100)
    with pytest.raises(DataError, match=r"gammacp-review\.sqlite.*move it away"):
        Journal(tmp_path).rows()


_UNLOCKED = "DROP TRIGGER never_changed"
_LOCKED = """CREATE TRIGGER never_changed BEFORE UPDATE ON journal
    BEGIN SELECT RAISE(ABORT, 'the journal is never changed'); END"""


@pytest.mark.parametrize(
    ("statements", "told"),
    [
        (["PRAGMA writable_schema = 1",
          "UPDATE sqlite_master SET sql = x'00ff' WHERE name = 'journal'"], "malformed"),
        (["PRAGMA writable_schema = 1",
          "UPDATE sqlite_master SET sql = CAST(x'ff41' AS TEXT) WHERE name = 'never_changed'"],
         "malformed"),
        ([_UNLOCKED, "UPDATE journal SET reviewer = x'ff00'", _LOCKED], "as its reviewer"),
        ([_UNLOCKED, "UPDATE journal SET start = x'ff'", _LOCKED], r"b'\\xff' as its start"),
        ([_UNLOCKED, "UPDATE journal SET start = 'a'", _LOCKED], "'a' as its start"),
        ([_UNLOCKED, "UPDATE journal SET \"end\" = 9e999", _LOCKED], "inf as its end"),
        ([_UNLOCKED, "UPDATE journal SET kept = 7", _LOCKED], "7 as its kept"),
        ([_UNLOCKED, "UPDATE journal SET item = CAST(x'ff41' AS TEXT)", _LOCKED], "to UTF-8"),
        (["CREATE TRIGGER own AFTER INSERT ON journal BEGIN DELETE FROM choice; END"],
         "not as the studio makes it"),
        ([_UNLOCKED, "CREATE TRIGGER never_changed BEFORE UPDATE ON choice BEGIN SELECT 1; END"],
         "not as the studio makes it"),
        (["CREATE TABLE more (x)"], "not as the studio makes it"),
        (["DROP TABLE choice", "CREATE VIEW choice AS SELECT '{}' AS json"],
         "not as the studio makes it"),
    ],
)  # fmt: skip
def test_a_damaged_journal_is_refused_with_a_way_out(
    tmp_path: Path, statements: list[str], told: str
) -> None:
    journal = Journal(tmp_path)
    decided = journal.add(decision("a"))
    journal.keep_choice("{}")
    journal.close()
    shutil.copy(journal.path, tmp_path / "whole")
    with sqlite3.connect(journal.path) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()
    again = Journal(tmp_path)
    for ask in (again.rows, again.choice, lambda: again.add(decision("b")),
                lambda: again.undo("u", "Ann")):  # fmt: skip
        with pytest.raises(DataError, match=rf"{told}.*Put a whole copy.*or move it away"):
            ask()
    shutil.copy(tmp_path / "whole", journal.path)  # one of the two remedies
    assert again.rows() == [decided]
    again.close()
    journal.path.unlink()  # the other remedy
    assert again.add(decision("c")).number == 1


def test_an_overwritten_page_of_the_file_is_found(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    for i in range(40):
        journal.add(decision(str(i), evidence="x" * 900))
    journal.close()
    content = bytearray(journal.path.read_bytes())
    for page in range(2, len(content) // 4096):
        damaged = bytes(content[: page * 4096]) + bytes(4096) + bytes(content[(page + 1) * 4096 :])
        journal.path.write_bytes(damaged)
        with pytest.raises(DataError, match="move it away"):
            Journal(tmp_path).rows()


def test_decisions_are_exported_as_csv_and_json(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.add(decision("a", category='=HYPERLINK("x")'))
    journal.undo("u", "Ann")
    for name in ("j.csv", "j.json"):
        write_journal(tmp_path / name, journal.rows())
    with (tmp_path / "j.csv").open(encoding="utf-8", newline="") as file:
        first, second = csv.DictReader(file)
    assert (first["start"], first["end"]) == ("1.0", "2.5")
    assert first["category"].startswith("'=")  # not a formula
    assert second["undoes"] == "1"
    decisions = json.loads((tmp_path / "j.json").read_text(encoding="utf-8"))["decisions"]
    assert [row["action"] for row in decisions] == ["edit", "undo"]
    with pytest.raises(DataError, match=r"\.txt"):
        write_journal(tmp_path / "j.txt", [])


_WRITER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from tests.studio.test_journal import decision
from gammacp.studio.journal import Journal
journal = Journal(Path(sys.argv[1]))
for i in range(10**6):
    print(journal.add(decision(f"{sys.argv[3]}-{i}", item=str(i))).request, flush=True)
"""


@pytest.mark.slow
def test_a_killed_writer_loses_no_acknowledged_decision(tmp_path: Path) -> None:
    chance = random.Random(0)
    acknowledged: list[str] = []
    root = str(Path(__file__).parents[2])
    for run in range(3):
        writer = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(tmp_path), root, str(run)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": root},
        )
        assert writer.stdout is not None
        first = writer.stdout.readline()
        timer = threading.Timer(chance.uniform(0, 0.1), writer.send_signal, (signal.SIGKILL,))
        timer.start()
        acknowledged += [first.strip(), *(x.strip() for x in writer.stdout if x.endswith("\n"))]
        writer.wait()
        writer.stdout.close()
        timer.join()
    requests = [row.request for row in Journal(tmp_path).rows()]
    assert len(acknowledged) >= 3
    assert set(acknowledged) <= set(requests)
    assert len(requests) == len(set(requests))
