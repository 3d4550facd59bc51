"""The command `gammacp watch`: looks on stdout, alarms by exit code, and half-written files."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Run

FAST = ("--once", "--samples", 60, "--jobs", 1)


def write(file: Path, late: int = 0) -> None:
    gap = 14 + ord(file.stem) % 8
    rows = [
        f"{who},{'ab'[k % 2]},{gap * k + late * (who == 'Cid')},{gap * k + 10}"
        for who in ("Ann", "Bob", "Cid")
        for k in range(6)
    ]
    file.write_text("\n".join(rows) + "\n")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "export").mkdir()
    for name in "ab":
        write(tmp_path / "export" / f"{name}.csv")
    return tmp_path / "export"


def test_a_look_is_printed_and_the_next_one_continues(run: Run, folder: Path) -> None:
    first = run("watch", folder, *FAST)
    assert first.code == 0
    assert "γ 1.0000 (1.0000 to 1.0000)  2 documents, 36 units; changed: a, b" in first.out
    write(folder / "c.csv", late=6)
    second = json.loads(run("watch", folder, *FAST, "--json").out)
    assert [*second["measured"]] == ["c"]
    assert second["annotators"]["Cid"]["drift"] < second["annotators"]["Ann"]["drift"] < 0
    assert len((folder.parent / "export.watch").read_text().splitlines()) == 2
    assert "changed: nothing" in run("watch", folder, *FAST).out


def test_prints_what_gamma_prints(run: Run, folder: Path) -> None:
    """For as many documents as annotators, both commands take chance from all documents."""
    for name in "cd":
        write(folder / f"{name}.csv", late=4)
    for extra in ((), ("--chance", "cut"), ("--exclude", "Cid")):
        document = json.loads(run("watch", folder, *FAST, *extra, "--json").out)
        whole = json.loads(run("gamma", folder, *FAST[1:], *extra, "--json").out)["corpus"]
        keys = ("gamma", "interval", "signature", "units", "status")
        assert {k: document[k] for k in keys} == {k: whole[k] for k in keys}
    assert run("watch", folder, *FAST, "--require-optimal").code == 0
    assert run("watch", folder, *FAST, "--require-optimal", "--method", "greedy").code == 4


def test_alarm_and_errors(run: Run, folder: Path) -> None:
    write(folder / "c.csv", late=9)
    assert run("watch", folder, *FAST, "--alarm-below", -1).code == 0
    early = run("watch", folder, *FAST, "--alarm-below", 0.99)
    assert (early.code, "below 0.99, but this is not an alarm yet" in early.err) == (0, True)
    for name in "defghij":
        write(folder / f"{name}.csv", late=9)
    history = json.loads(run("watch", folder, *FAST, "--json", "--alarm-below", 0.99).out)
    assert history["alarm"]["documents"] == 3  # the newest ones may be half done
    low = run("watch", folder, *FAST, "--alarm-below", 0.99)
    assert (low.code, "from 10 documents; at most 5% of" in low.err) == (5, True)
    assert run("watch", folder, *FAST, "--alarm-below", 0.99, "--false-alarms", 1e-12).code == 0
    for wrong in (("--alarm-below", 1), ("--alarm-below", 0.5, "--false-alarms", 0)):
        assert run("watch", folder, *FAST, *wrong).code == 2
    assert run("watch", *FAST).code == 2
    assert run("watch", folder / "none", *FAST).code == 3
    (folder / "lonely").mkdir()
    (folder / "lonely" / "d.csv").write_text("Ann,a,0,10\n")
    lonely = run("watch", folder / "lonely", *FAST)
    assert (lonely.code, "no γ yet of d: " in lonely.err) == (3, True)


def test_a_half_written_file_is_tried_again(run: Run, folder: Path) -> None:
    run("watch", folder, *FAST)
    (folder / "b.csv").write_text("Ann,a,0,10\nBob,b,")
    broken = run("watch", folder, *FAST)
    assert broken.code == 3, "part of the folder could not be read"
    assert run("watch", folder, *FAST, "--allow-unread").code == 0
    assert " 1 document, " in broken.out
    assert "b.csv:2: " in broken.err
    assert "tried again at the next look" in broken.err
    write(folder / "b.csv", late=1)
    assert "changed: b" in run("watch", folder, *FAST).out


def test_a_campaign_file_is_taken(run: Run, folder: Path) -> None:
    file = folder.parent / "campaign.toml"
    file.write_text('paths = ["export"]\n[rename]\nCid = "Zoe"\n')
    document = json.loads(run("watch", file, *FAST, "--json").out)
    assert [*document["annotators"]] == ["Ann", "Bob", "Zoe"]
    assert (folder.parent / "campaign.toml.watch").exists()


@pytest.mark.slow
def test_the_command_follows_until_interrupted(folder: Path) -> None:
    command = [sys.executable, "-m", "gammacp", "watch", str(folder), "--every", ".1", "--json"]
    with subprocess.Popen(
        [*command, "--samples", "10"], stdout=subprocess.PIPE, text=True
    ) as watch:
        assert watch.stdout is not None
        first = json.loads(watch.stdout.readline())
        write(folder / "c.csv", late=6)
        second = json.loads(watch.stdout.readline())
        watch.send_signal(signal.SIGINT)
        assert watch.wait(20) == 130
    assert (first["documents"], [*second["measured"]]) == (2, ["c"])
