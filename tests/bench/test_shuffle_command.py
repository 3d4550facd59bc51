import json
import tomllib
from pathlib import Path

import pytest

import gammacp.formats as formats
from gammacp import Continuum, Unit
from shuffling import ReferenceModel, fit, reference_set, shuffle, shuffled_set
from shuffling.model_file import model_from
from tests.conftest import Run


def read(path: Path) -> Continuum:
    document = formats.read(path)
    assert isinstance(document, Continuum)
    return document


def units(continuum: Continuum) -> list[Unit]:
    return list(continuum)


ERR = ("--error", "position+category", "--magnitude", "0.3")


def test_a_reference_and_annotators_are_written(run: Run, tmp_path: Path) -> None:
    done = run("shuffle", *ERR, "--seed", 4, "--out", tmp_path, "--json")
    assert done.code == 0
    assert "seed 4" in done.err
    document = json.loads(done.out)
    (only,) = document["sets"]
    assert only["annotations"]["annotators"] == ["annotator-1", "annotator-2", "annotator-3"]
    reference = read(Path(only["reference"]["file"]))
    annotations = read(Path(only["annotations"]["file"]))
    assert units(reference) == units(reference_set(ReferenceModel(), seed=4))
    wanted = shuffled_set(ReferenceModel(), "position+category", 0.3, seed=4)
    assert units(annotations) == units(wanted)
    assert annotations.bounds == reference.bounds == wanted.bounds


def test_a_set_of_a_sweep_is_reproduced(run: Run, tmp_path: Path) -> None:
    assert run("shuffle", *ERR, "--sets", 3, "--out", tmp_path / "all").code == 0
    assert run("shuffle", *ERR, "--first-set", 2, "--out", tmp_path / "one.csv").code == 0
    names = sorted(p.name for p in (tmp_path / "all").iterdir())
    assert names[:2] == ["0-annotations.csv", "0-reference.csv"]
    assert len(names) == 6
    again = (tmp_path / "one.csv").read_text()
    assert again == (tmp_path / "all" / "2-annotations.csv").read_text()
    assert (tmp_path / "one-reference.csv").exists()


def test_json_is_written_to_the_given_path(run: Run, tmp_path: Path) -> None:
    done = run("shuffle", *ERR, "--to", "json", "--out", tmp_path)
    assert done.code == 0
    assert "annotations.json" in done.out
    assert read(tmp_path / "annotations.json").n_annotators == 3


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    path = tmp_path / "campaign.csv"
    path.write_text("Ann,x,10,20\nAnn,y,25,40\nBob,x,11,20\n", "utf-8")
    return path


def test_a_users_file_can_be_the_reference(run: Run, campaign: Path, tmp_path: Path) -> None:
    options = ("--reference", campaign, "--out", tmp_path / "out")
    assert run("shuffle", *ERR, *options, "--annotator", "Ann").code == 0
    annotations = read(tmp_path / "out" / "annotations.csv")
    assert annotations.bounds == (10, 40)
    assert annotations.counts.tolist() == [2, 2, 2]
    reference = read(tmp_path / "out" / "reference.csv")
    assert units(reference) == [Unit("Ann", 10, 20, "x"), Unit("Ann", 25, 40, "y")]
    several = run("shuffle", *ERR, *options)
    assert several.code == 3
    assert "campaign.csv: 2 annotators" in several.err
    assert "Name one of: Ann, Bob" in several.err


def test_a_model_is_learnt_or_read_from_a_file(run: Run, campaign: Path, tmp_path: Path) -> None:
    learnt = run("shuffle", "--learn", campaign, "--print-model")
    assert learnt.code == 0
    model = model_from(tomllib.loads(learnt.out))
    assert model == fit(read(campaign))
    toml = tmp_path / "model.toml"
    toml.write_text(learnt.out, "utf-8")
    assert run("shuffle", "--model", toml, "--print-model").out == learnt.out
    assert run("shuffle", *ERR, "--model", toml, "--out", tmp_path / "out").code == 0
    assert read(tmp_path / "out" / "reference.csv").n_units == model.n_units


def test_the_used_model_is_printed(run: Run) -> None:
    default = run("shuffle", "--print-model")
    assert model_from(tomllib.loads(default.out)) == ReferenceModel()
    fixed = run("shuffle", "--print-model", "--layout", "fixed", "--json")
    assert model_from(json.loads(fixed.out)) == ReferenceModel().fixed()


def test_a_reference_has_a_model_too(run: Run, campaign: Path) -> None:
    outcome = run("shuffle", "--reference", campaign, "--annotator", "Bob", "--print-model")
    assert model_from(tomllib.loads(outcome.out)).n_units == 1


def test_the_working_folder_can_take_the_sets(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("shuffle", *ERR, "--out", ".")
    assert done.code == 0, done.err
    assert len(list(tmp_path.glob("*.csv"))) == 2


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 2, "give --error and --magnitude"),
        (("--error", "split"), 2, "give --error and --magnitude"),
        (("--error", "split", "--magnitude", "1.5"), 2, "magnitude 1.5 is outside [0, 1]"),
        (("--error", "splt", "--magnitude", "1"), 2, "did you mean 'split'"),
        ((*ERR, "--n-annotators", "0"), 2, "number of annotators 0 < 1"),
        ((*ERR, "--n-annotators", "999999999999"), 2, "999999999999 > 1,000,000"),
        ((*ERR, "--n-annotators", "999999*0.1,2*m"), 2, "1000001 > 1,000,000"),
        ((*ERR, "--layout", "loose"), 2, "layout 'loose' is unknown"),
        ((*ERR, "--annotator", "Ann"), 2, "annotator applies to a reference file"),
        ((*ERR, "--model", "m.toml", "--learn", "x.csv"), 2, "not both"),
        ((*ERR, "--reference", "x.csv", "--layout", "fixed"), 2, "leave it out"),
        ((*ERR, "--out", "one.csv", "--sets", "2"), 2, "give a folder"),
        ((*ERR, "--seed", "-1"), 2, "greater than or equal to 0"),
    ],
)
def test_wrong_usage(
    arguments: tuple[str, ...], code: int, message: str, run: Run, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    done = run("shuffle", *arguments)
    assert done.code == code
    assert message in done.err
    assert done.out == ""
    assert list(tmp_path.iterdir()) == []


def test_a_bad_model_names_file_and_key(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text("[gaps]\nminimum = 9\nmaximum = 3\n", "utf-8")
    done = run("shuffle", *ERR, "--model", path)
    assert done.code == 3
    assert "bad.toml: gaps.minimum: minimum 9 > maximum 3" in done.err
    missing = run("shuffle", *ERR, "--model", tmp_path / "none.toml")
    assert missing.code == 3
    assert "none.toml: file does not exist" in missing.err


def test_a_continuum_is_shuffled_as_in_python(run: Run, tmp_path: Path) -> None:
    continuum = Continuum.from_units(
        [Unit("R", 3, 90, "x"), Unit("R", 95, 120, "y")], bounds=(0, 150)
    )
    formats.write(continuum, tmp_path / "own.csv")
    done = run("shuffle", "--error", "split", "--magnitude", 1, "--reference", tmp_path / "own.csv",
               "--out", tmp_path / "out")  # fmt: skip
    assert done.code == 0
    annotations = read(tmp_path / "out" / "annotations.csv")
    assert annotations.bounds == (0, 150)
    assert annotations.n_units == shuffle(continuum, "split", 1).n_units == 3 * 6
