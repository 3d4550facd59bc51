"""The options `align --certificate`, `gamma --certificate` and the command `verify`."""

import json
from pathlib import Path

import pytest

from tests.conftest import Run


@pytest.fixture
def units(tmp_path: Path) -> Path:
    path = tmp_path / "units.csv"
    path.write_text("A,x,0,5\nA,y,10,14\nB,x,1,5\nB,y,9,14\nC,x,0,6\n")
    return path


def test_certificates_of_align_verify(run: Run, units: Path, tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    assert run("align", units, "--certificate", path).code == 0
    told = run("verify", path)
    assert told.code == 0
    assert "no alignment costs less than" in told.out
    record = json.loads(run("verify", path, "--json").out)["results"][0]
    assert record["verified"] is True
    assert record["file"] == str(path)
    for options in (("--alpha", "0"), ("--positional", "hamming"), ("--delta", "0.5")):
        assert run("align", units, "--certificate", path, *options).code == 0
        assert run("verify", path).code == 0


def test_exit_codes(run: Run, units: Path, tmp_path: Path) -> None:
    """The exit code is 0 if all is proven, 1 if less, 3 if it is no certificate; the worst one
    counts.
    """
    path, less, cut = (tmp_path / f"{name}.json" for name in ("proof", "less", "cut"))
    run("align", units, "--certificate", path)
    text = path.read_text()
    data = json.loads(text)
    data["claim"]["cost"] += 1
    less.write_text(json.dumps(data))
    cut.write_text(text[:100])
    found = run("verify", path, less)
    assert found.code == 1
    assert "NOT the cost that is claimed" in found.out
    found = run("verify", cut, path)
    assert found.code == 3
    assert "cut.json: cut off, or not JSON" in found.err
    assert "no alignment costs less" in found.out
    assert run("verify", tmp_path / "nowhere.json").code != 0
    assert run("verify", units).code == 3


def test_gamma_writes_a_certificate_for_each_document_and_set(
    run: Run, units: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other" / "units.csv"
    other.parent.mkdir()
    other.write_text(units.read_text().replace("10", "11"))
    folder = tmp_path / "proofs"
    options = ("--certificate", folder, "--certificate-sets", "2", "--samples", "3", "--json")
    assert run("gamma", units, *options).code == 0
    names = {path.name for path in folder.iterdir()}
    assert names == {"units.json", "units.set-0.json", "units.set-1.json"}
    assert run("gamma", units, other, *options).code == 0
    names = {path.name for path in folder.iterdir()}
    assert {"units-1.json", "units-2.json", "units-2.set-1.json"} <= names
    assert run("verify", *folder.iterdir()).code == 0


def test_sets_need_a_folder(run: Run, units: Path) -> None:
    found = run("gamma", units, "--certificate-sets", "2")
    assert found.code == 2
    assert "--certificate FOLDER" in found.err


def test_data_files_are_not_overwritten(run: Run, units: Path) -> None:
    before = units.read_text()
    assert run("align", units, "--certificate", units).code == 2
    assert units.read_text() == before


def test_a_proof_of_gamma_is_verified(run: Run, units: Path, tmp_path: Path) -> None:
    """Proofs of one file and of a corpus of two verify, with the data and with random sets
    redrawn.
    """
    other = tmp_path / "other.csv"
    other.write_text(units.read_text().replace("10", "11"))
    for files in ((units,), (units, other)):
        folder = tmp_path / f"proof-{len(files)}"
        done = run("gamma", *files, "--certificate", folder, "--samples", "3", "--json")
        assert done.code == 0
        value = json.loads(done.out)
        score = value["corpus"] or value["results"][0]
        path = folder / "gamma.proof.json"
        assert f"gammacp verify {path}" in done.err
        told = run("verify", path, "--redraw", "--json")
        assert told.code == 0
        record = json.loads(told.out)["results"][0]
        assert record["gamma"] == pytest.approx(score["gamma"])
        assert record["interval"] == pytest.approx(score["interval"])
        assert record["certificates"] == 4 * len(files)
        assert record["sets"] == 3 * len(files)
        assert record["turned"] is record["redrawn"] is record["verified"] is True
        assert record["exempt"] == []
        assert record["known"] == pytest.approx([score["gamma"]] * 2)
        assert record["not_best"] == {"documents": 0, "sets": 0}
        assert list(record["weights"].values()) == [1.0] * len(files)
        assert record["strata"] == 0
        assert "turns were random" in record["not_shown"][0]
    assert run("verify", tmp_path / "proof-1" / "gamma.proof.json", "--file", units).code == 0
    told = run("verify", tmp_path / "proof-1" / "gamma.proof.json", "--file", other)
    assert told.code == 1
    assert "NOT the units of" in told.out


def test_an_exemption_is_reported(run: Run, units: Path, tmp_path: Path) -> None:
    folder = tmp_path / "proof"
    options = ("--certificate", folder, "--samples", "3", "--chance", "statistical")
    assert run("gamma", units, *options).code == 0
    path = folder / "gamma.proof.json"
    assert "not shown: that sets are turned units" in run("verify", path).out
    record = json.loads(run("verify", path, "--json").out)["results"][0]
    assert record["turned"] is False
    assert record["exempt"][0].startswith("chance is statistical")


def test_a_folder_that_is_not_empty_is_left_alone(run: Run, units: Path, tmp_path: Path) -> None:
    """The folder is refused before anything is computed."""
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine.txt").write_text("mine")
    done = run("gamma", units, "--certificate", tmp_path / "there")
    assert done.code == 2
    assert "is not empty" in done.err
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["mine.txt"]


def test_invalid_bounds_are_named(run: Run, units: Path, tmp_path: Path) -> None:
    """Invalid bounds are an error before random sets are drawn again."""
    folder = tmp_path / "proof"
    assert run("gamma", units, "--certificate", folder, "--samples", "3").code == 0
    path = folder / "gamma.proof.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    data["documents"][0]["bounds"] = "x"
    path.write_text(json.dumps(data), encoding="utf-8")
    done = run("verify", path, "--redraw")
    assert done.code == 3
    assert "documents[0].bounds: not a list" in done.err


def test_redraw_is_for_proofs_of_gamma(run: Run, units: Path, tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    run("align", units, "--certificate", path)
    done = run("verify", path, "--redraw")
    assert done.code == 2
    assert "--redraw is for proofs of γ" in done.err


@pytest.mark.parametrize("more", [(), ("--certificate-sets", "2")])
def test_a_folder_that_cannot_be_made_is_refused_before_anything_is_computed(
    run: Run, units: Path, more: tuple[str, ...]
) -> None:
    folder = units / "proof"
    done = run("gamma", units, "--certificate", folder, *more)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"gammacp: {folder} cannot be made: Not a directory\n"


@pytest.mark.parametrize("name", ["", ".", "../here"])
def test_the_working_folder_is_refused_for_a_proof(
    run: Run, units: Path, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    done = run("gamma", units, "--samples", "3", "--certificate", name)
    assert (done.code, done.out) == (2, "")
    assert "a proof needs a folder of its own" in done.err
    assert here.is_dir()
    assert not list(here.iterdir())


def test_devices_are_refused(run: Run, units: Path, tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    assert run("align", units, "--certificate", path).code == 0
    for arguments in (("/dev/zero",), (path, "--file", "/dev/zero")):
        told = run("verify", *arguments)
        assert told.code == 3
        assert "is a device, not a file" in told.err
