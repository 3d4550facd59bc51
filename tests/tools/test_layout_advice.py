"""Advice on files that hold one annotator each: every command names the layout that joins them."""

import json
from pathlib import Path

import pytest

from tests.conftest import Run

LAYOUT = "{document}_{annotator}"
FEW = ("--samples", "10")
COMMANDS = {
    "compare": (*FEW, "--no-interval", "--no-leave-one-out"),
    "report": (*FEW, "--no-interval", "--no-leave-one-out", "-o", "page.html"),
    "plan": ("--half-width", "0.2", *FEW),
    "replace": ("--candidate", "ann", "--min-documents", "1"),
    "calibrate": (*FEW, "--sets", "3", "--error", "category"),
}


def export(folder: Path, suffix: str = "") -> Path:
    """Write brat files of five documents by three people into one folder."""
    where = folder / "in"
    where.mkdir()
    for document in range(5):
        for shift, who in enumerate(("ann", "bob", "cid")):
            spans = [(0, 5 + shift, "PER"), (12, 17, "LOC" if document else "PER")]
            rows = [f"T{n}\t{c} {s} {e}\tx\n" for n, (s, e, c) in enumerate(spans)]
            (where / f"d{document}_{who}{suffix}.ann").write_text("".join(rows))
    return where


@pytest.mark.usefixtures("little_is_simulated")
@pytest.mark.parametrize("command", COMMANDS)
def test_the_error_names_the_layout_and_following_it_helps(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    options = COMMANDS[command]
    refused = run(command, export(tmp_path), *options)
    assert refused.code == 3
    assert f"give --layout '{LAYOUT}' (d0 by ann, bob, cid" in refused.err
    assert "Give the files of all annotators" not in refused.err
    if command == "plan":
        return  # its simulations would take longer than all of these tests
    followed = run(command, tmp_path / "in", *options, "--layout", LAYOUT)
    assert followed.code == 0, followed.err


def test_one_document_can_be_chosen_after_joining(tmp_path: Path, run: Run) -> None:
    refused = run("align", export(tmp_path))
    assert refused.code == 3
    assert f"give --layout '{LAYOUT}'" in refused.err
    options = ("--layout", LAYOUT, "--document", "d0", "--json")
    found = json.loads(run("align", tmp_path / "in", *options).out)
    people = {who for each in found["unitary_alignments"] for who in each["units"]}
    assert people == {"ann", "bob", "cid"}
