"""Ctrl-C: partial results where they make sense, else a prompt end with exit code 130."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gammacp.alignment.certificate
from gammacp.alignment import Alignment, BestGroups
from gammacp.alignment.constraints import all_groups
from gammacp.continuum import Continuum
from gammacp.measures import random_sets
from gammacp.measures.gamma_proof import writing
from tests.conftest import Run

Interrupt = Callable[[int], None]


@pytest.fixture
def interrupt(monkeypatch: pytest.MonkeyPatch) -> Interrupt:
    """Return a function that sends Ctrl-C while the random set of a number (from 1) is aligned."""
    true = random_sets.best_groups_of_each

    def set_up(number: int) -> None:
        done = 0

        def aligned(sets: list[Continuum], *args: Any, **options: Any) -> list[BestGroups]:
            nonlocal done
            found = true(sets, *args, **options)
            before, done = number - 1 - done, done + len(sets)
            if not 0 <= before < len(sets):
                return found
            signal.raise_signal(signal.SIGINT)
            return found[:before]

        monkeypatch.setattr(random_sets, "best_groups_of_each", aligned)

    return set_up


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Write three files by two annotators who differ a little."""
    paths = []
    for k in range(3):
        path = tmp_path / f"text{k}.csv"
        rows = [f"A,{'xy'[i % 2]},{10 * i},{10 * i + 6}\n" for i in range(8)]
        labels = ["xy"[i % (2 + k) // (1 + k)] for i in range(7)]
        rows += [f"B,{x},{10 * i + k},{10 * i + 6 + i % 3}\n" for i, x in enumerate(labels)]
        path.write_text("".join(rows))
        paths.append(path)
    return paths


def test_gamma_of_the_finished_random_sets_is_printed(
    run: Run, interrupt: Interrupt, files: list[Path]
) -> None:
    whole = json.loads(run("gamma", files[0], "--json", "--samples", 14).out)["results"][0]
    interrupt(15)
    done = run("gamma", files[0], "--json")
    (result,) = json.loads(done.out)["results"]
    assert done.code == 130
    assert "interrupted: γ rests on the 14 random annotation sets" in done.err
    assert result["status"] == "feasible"
    assert "|samples:14|interrupted:yes|" in result["signature"]
    same = ("gamma", "interval", "observed_disorder", "expected_disorder", "samples", "bound")
    assert {k: result[k] for k in same} == {k: whole[k] for k in same}


@pytest.mark.parametrize("number", [1, 10])
def test_too_few_random_sets_leave_the_observed_disorder(
    run: Run, interrupt: Interrupt, files: list[Path], number: int
) -> None:
    disorder = json.loads(run("align", files[0], "--json").out)["disorder"]
    interrupt(number)
    done = run("gamma", files[0], "--json", "--interval")
    (result,) = json.loads(done.out)["results"]
    assert done.code == 130
    assert (result["gamma"], result["interval"], result["expected_disorder"]) == (None,) * 3
    assert result["observed_disorder"] == result["bound"] == disorder
    assert result["reason"].startswith(f"interrupted after {number - 1} random annotation sets")
    # two are enough if the user asks for two
    assert run("gamma", files[0], "--samples", 2).code == 0


def test_finished_files_are_kept(run: Run, interrupt: Interrupt, files: list[Path]) -> None:
    asked = ("gamma", *files, "--chance", "shift", "--samples", 20, "--json")
    whole = json.loads(run(*asked).out)["results"]
    interrupt(25)
    done = run(*asked)
    document = json.loads(done.out)
    first, second, third = document["results"]
    assert done.code == 130
    assert "1 of 3 continua have a γ" in done.err
    assert first == whole[0]
    assert second["observed_disorder"] == whole[1]["observed_disorder"]
    assert (second["gamma"], second["samples"]) == (None, 4)
    assert third["reason"].startswith("interrupted after 0 random annotation sets")
    assert third["observed_disorder"] == whole[2]["observed_disorder"]
    assert (document["corpus"]["continua"], document["corpus"]["status"]) == (1, "feasible")
    assert document["corpus"]["gamma"] == pytest.approx(first["gamma"])


def test_every_file_with_common_chance_has_its_gamma(
    run: Run, interrupt: Interrupt, files: list[Path]
) -> None:
    asked = ("gamma", *files, "--chance", "corpus", "--json")
    whole = json.loads(run(*asked, "--samples", 12).out)
    interrupt(13)
    document = json.loads(run(*asked).out)
    for key in ("gamma", "observed_disorder", "expected_disorder"):
        assert [r[key] for r in document["results"]] == [r[key] for r in whole["results"]]
        assert document["corpus"][key] == whole["corpus"][key]
    assert {r["status"] for r in document["results"]} == {"feasible"}


def test_finished_measures_are_kept(run: Run, interrupt: Interrupt, files: list[Path]) -> None:
    whole = json.loads(run("measure", *files, "-m", "ser", "--json").out)
    interrupt(12)
    done = run("measure", *files, "-m", "ser,gamma,gamma-cat,f1-exact", "--json")
    first, second, _ = (r["measures"] for r in json.loads(done.out)["results"])
    assert done.code == 130
    assert first["ser"] == whole["results"][0]["measures"]["ser"]
    assert isinstance(first["gamma-cat"]["value"], float)
    assert first["f1-exact"]["reason"] == "interrupted before it was measured"
    # Documents share the random sets of γ, which come last.
    assert "interrupted after 0 random annotation sets" in first["gamma"]["reason"]
    assert all("interrupted before" in s["reason"] for s in second.values())


def test_an_interrupted_corpus_has_a_value_on_few_random_sets(
    run: Run, interrupt: Interrupt, files: list[Path]
) -> None:
    interrupt(12)
    done = run("gamma", *files, "--json")
    assert done.code == 130
    assert [r["samples"] for r in json.loads(done.out)["results"]] == [11, 11, 11]


@pytest.mark.parametrize("by_a_kernel", [False, True])
def test_other_commands_end_with_one_line_and_write_nothing(
    run: Run, files: list[Path], monkeypatch: pytest.MonkeyPatch, by_a_kernel: bool
) -> None:
    def aligned(*args: Any, **options: Any) -> None:  # noqa: ARG001
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt as interrupted:
            if not by_a_kernel:
                raise
            raise SystemError("returned a result with an exception set") from interrupted

    monkeypatch.setattr(random_sets, "best_groups_of_each", aligned)
    page = files[0].with_suffix(".html")
    done = run("report", files[0], "-o", page, "--jobs", 1)
    assert (done.code, done.out, done.err) == (130, "", "gammacp: interrupted\n")
    assert not page.exists()


def test_an_interrupted_proof_leaves_no_folder(
    run: Run, files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    true = writing.write_certificate
    written: list[Path] = []

    def write(alignment: Alignment, path: Path) -> str:
        written.append(path)
        if len(written) == 3:
            signal.raise_signal(signal.SIGINT)
        return true(alignment, path)

    monkeypatch.setattr(writing, "write_certificate", write)
    before = sorted(files[0].parent.iterdir())
    done = run(
        "gamma", files[0], "--samples", 9, "--certificate", files[0].parent / "proof", "--json"
    )
    assert done.code == 130
    assert len(written) == 3
    assert "interrupted, so the proof" in done.err
    assert sorted(files[0].parent.iterdir()) == before
    assert json.loads(done.out)["results"][0]["samples"] == 9


def test_interrupted_certificates_are_counted(
    run: Run, files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    true = gammacp.alignment.certificate.write_certificate

    def write(alignment: Alignment, path: Path) -> str:
        if path.name.endswith("set-1.json"):
            signal.raise_signal(signal.SIGINT)
        return true(alignment, path)

    monkeypatch.setattr(gammacp.alignment.certificate, "write_certificate", write)
    folder = files[0].parent / "certificates"
    asked = ("--samples", 9, "--certificate", folder, "--certificate-sets", 6)
    done = run("gamma", files[0], *asked)
    assert done.code == 130
    assert len(list(folder.iterdir())) == 3
    assert "interrupted: 3 certificates are in" in done.err


@pytest.mark.parametrize("at_work", ["halting", "abandoned"])
def test_an_interrupt_before_any_alignment_is_not_called_lack_of_time(
    run: Run, files: list[Path], monkeypatch: pytest.MonkeyPatch, at_work: str
) -> None:
    def interrupted(*args: Any, **options: Any) -> Any:  # noqa: ARG001
        signal.raise_signal(signal.SIGINT)
        if at_work == "halting":
            return None, False
        return None

    monkeypatch.setattr(all_groups, at_work, interrupted)
    done = run("align", files[0], "--constraint", "at-least=2")
    assert (done.code, done.out, done.err) == (130, "", "gammacp: interrupted\n")


_BUSY = """
import hashlib, sys
from gammacp.cli.interrupting import ended_by_interrupts
with ended_by_interrupts():
    try:
        print("busy", flush=True)
    finally:  # also if the signal is quicker than this
        hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)
"""


def test_native_code_does_not_delay_an_interrupt() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _BUSY],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "busy\n"
        process.send_signal(signal.SIGINT)
        try:
            _, errors = process.communicate(timeout=60)  # the call itself takes many minutes
        finally:
            process.kill()
    assert (process.returncode, errors) == (130, "gammacp: interrupted\n")
