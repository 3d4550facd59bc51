"""Foreign SQLite files in the studio and as stores of sweeps, which lead to no other file."""

import os
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

import gammacp
from gammacp import DataError
from gammacp.bench.store import Store
from gammacp.studio.journal import Journal
from gammacp.studio.server import serve
from tests.studio.test_journal import decision


def hot(victim: Path, pages: int) -> bytes:
    """Return a rollback journal that names a file anywhere, which SQLite would remove."""
    magic, name = bytes.fromhex("d9d505f920a163d7"), os.fsencode(victim)

    def words(*numbers: int) -> bytes:
        return b"".join(number.to_bytes(4, "big") for number in numbers)

    head = (magic + words(0, 0, pages, 512, 4096)).ljust(512, b"\0")
    return head + words((1 << 30) // 4096 + 1) + name + words(len(name), sum(name)) + magic


def decisions(folder: Path) -> Path:
    with closing(Journal(folder)) as journal:
        journal.add(decision("a"))
        return journal.path


def linked(folder: Path) -> Path:
    path = decisions(folder)
    target = path.rename(folder / "other")
    path.symlink_to(target.name)
    return target


def store(folder: Path) -> Path:
    Store.writing(folder / "s.sqlite").close()
    return folder / "s.sqlite"


def lock(folder: Path) -> Path:
    path = store(folder).with_name("s.sqlite-lock")
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE t (x)")
    return path


def read_decisions(folder: Path) -> None:
    Journal(folder).rows()


def write_store(folder: Path) -> None:
    Store.writing(folder / "s.sqlite").close()


@pytest.mark.parametrize("kind", ["names another", "link", "folder"])
@pytest.mark.parametrize(
    ("made", "opened"),
    [
        (decisions, read_decisions),
        (linked, read_decisions),
        (store, write_store),
        (lock, write_store),
    ],
)
def test_files_beside_a_database_lead_nowhere(
    tmp_path: Path, made: Callable[[Path], Path], opened: Callable[[Path], None], kind: str
) -> None:
    victim, folder = tmp_path / "victim", tmp_path / "folder"
    victim.write_bytes(b"somebody's\0")
    folder.mkdir()
    path = made(folder)
    beside = path.with_name(f"{path.name}-journal")
    if kind == "names another":
        beside.write_bytes(hot(victim, path.stat().st_size // 4096))
    elif kind == "link":
        beside.symlink_to(victim)
    else:
        beside.mkdir()
    with pytest.raises(DataError, match=f"{beside.name} leads to another file"):
        opened(folder)
    assert victim.read_bytes() == b"somebody's\0"


def test_reading_a_store_follows_no_journal(tmp_path: Path) -> None:
    victim, path = tmp_path / "victim", store(tmp_path)
    victim.touch()
    journal = path.with_name(f"{path.name}-journal")
    journal.write_bytes(hot(victim, path.stat().st_size // 4096))
    Store.reading(path).close()
    assert victim.exists()
    assert journal.exists()


def misnamed(path: Path, name: bytes) -> None:
    """Give a part of a database's schema a name that is not UTF-8, which errors of SQLite quote."""
    content = path.read_bytes()
    assert name in content
    path.write_bytes(content.replace(name, b"\xc2" + name[1:]))


@pytest.mark.parametrize(
    ("made", "opened", "name"),
    [
        (decisions, read_decisions, b"never_changed BEFORE"),
        (store, write_store, b"seal_run AFTER"),
    ],
)
def test_a_name_that_is_no_text_is_an_error_of_the_file(
    tmp_path: Path, made: Callable[[Path], Path], opened: Callable[[Path], None], name: bytes
) -> None:
    path = made(tmp_path)
    misnamed(path, name)
    with pytest.raises(DataError, match=path.name):
        opened(tmp_path)


def test_every_damage_to_decisions_is_an_error_of_the_file(tmp_path: Path) -> None:
    path = decisions(tmp_path)
    content = path.read_bytes()
    used = [place for place, byte in enumerate(content) if byte]
    for number in range(150):
        draw = random.Random(number)
        changed = bytearray(content)
        for _ in range(draw.randint(1, 3)):
            changed[draw.choice(used)] = draw.randrange(256)
        path.write_bytes(changed)
        path.with_name(f"{path.name}-journal").unlink(missing_ok=True)
        with suppress(DataError), closing(Journal(tmp_path)) as journal:
            journal.choice()


def test_the_studio_starts_beside_damaged_decisions_and_reports_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, addresses, warnings = tmp_path / "folder", list[str](), list[str]()
    folder.mkdir()
    misnamed(decisions(folder), b"never_changed BEFORE")

    monkeypatch.setattr("uvicorn.Server.run", lambda _self, sockets: sockets[0].close())
    serve(folder, {}, tell=addresses.append, warn=warnings.append)
    assert len(addresses) == 1
    assert "choices saved for this folder cannot be used" in warnings[0]
    assert "gammacp-review.sqlite" in warnings[0]
    assert "move it away" in warnings[0]


def test_databases_are_opened_by_one_module() -> None:
    package = Path(gammacp.__file__).parent
    files = [p.name for p in package.rglob("*.py") if "sqlite3.connect(" in p.read_text("utf-8")]
    assert files == ["databases.py"]
