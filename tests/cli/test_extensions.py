"""Extensions of one's own, in every command that can use them; each in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

OWN = Path(__file__).with_name("own.py")
HERE = Path(__file__).parents[2]


def gammacp(*args: object, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gammacp", *map(str, args)]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=folder, env={"PYTHONPATH": str(HERE)}
    )


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.csv"
    rows = [f"{a},{c}{a},{10 * i + j},{10 * i + 7}" for i in range(4) for j, a in enumerate("AB")
            for c in "x"]  # fmt: skip
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize(
    ("command", "options", "expected"),
    [
        ("gamma", ("--positional", "own-starts", "--chance", "own-shift"), "pos:own-starts"),
        ("gamma", ("--dissimilarity", "own-ends", "--samples", 5), "own-ends"),
        ("gamma", ("--chance", "own-shift", "--jobs", 2), "chance:own-shift"),
        ("align", ("--categorial", "own-initials", "--method", "own-solver"), '"optimal"'),
        ("measure", ("-m", "own-share"), '"value": 0.5'),
        ("compare", ("--positional", "own-starts", "--samples", 5), "pos:own-starts"),
        ("compare", ("--chance", "own-shift", "--samples", 5, "--jobs", 2), "own-shift"),
        ("calibrate", ("--error", "own-late", "--samples", 5, "--sets", 3, "--jobs", 2), "own-l"),
        ("consensus", ("--categorial", "own-initials"), '"kept": true'),
        ("report", ("--dissimilarity", "own-ends", "--samples", 5), '"report"'),
    ],
)  # fmt: skip
def test_every_command_takes_what_was_imported(
    good: Path, command: str, options: tuple[object, ...], expected: str
) -> None:
    done = gammacp("--import", OWN, command, good, *options, "--json", folder=good.parent)
    assert done.returncode == 0, done.stderr
    assert expected in done.stdout
    json.loads(done.stdout)


def test_a_format_of_ones_own_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "two.own"
    path.write_text("OWN\nA x 0 5\nB x 0 5\n")
    (result,) = json.loads(
        gammacp("--import", OWN, "inspect", path, "--json", folder=tmp_path).stdout
    )["results"]
    assert result["format"] == "own-format"
    assert gammacp("inspect", path, folder=tmp_path).returncode == 3


def test_sweeps_use_it_in_their_workers(tmp_path: Path) -> None:
    done = gammacp(
        "--import", OWN, "bench", "--error", "own-late", "-m", "own-share", "--sets", 2,
        "--step", 0.5, "--jobs", 2, "--out", tmp_path / "out", "--json", folder=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    points = json.loads(done.stdout)["errors"]["own-late"]
    assert {p["measure"] for p in points} == {"own-share"}


def test_shuffle_errs_in_ones_own_way(tmp_path: Path) -> None:
    """Wherever the module is named."""
    options = ("--error", "own-late", "--magnitude", 0.5, "--out", tmp_path / "made")
    for arguments in (("--import", OWN, "shuffle"), ("shuffle", "--import", OWN)):
        done = gammacp(*arguments, *options, folder=tmp_path)
        assert done.returncode == 0, done.stderr
    done = gammacp("shuffle", *options, f"--import={OWN}", folder=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("gamma", "own-starts"), ("gamma", "own-initials"), ("gamma", "own-ends"),
        ("gamma", "own-shift"), ("gamma", "own-solver"), ("bench", "own-late"),
    ],
)  # fmt: skip
def test_help_lists_it(tmp_path: Path, command: str, name: str) -> None:
    assert name in gammacp("--import", OWN, command, "--help", folder=tmp_path).stdout
    assert name not in gammacp(command, "--help", folder=tmp_path).stdout


@pytest.mark.parametrize(
    ("option", "complaint"),
    [
        (
            "--positional",
            "positional dissimilarity 'own-starts' is unknown; there are: hamming, spor",
        ),
        ("--categorial", "categorial dissimilarity 'own-starts' is unknown"),
        ("--dissimilarity", "dissimilarity 'own-starts' is unknown; there are: combined"),
        ("--chance", "chance model 'own-starts' is unknown"),
        ("--method", "solver 'own-starts' is unknown"),
    ],
)
def test_what_was_not_imported_is_unknown(good: Path, option: str, complaint: str) -> None:
    done = gammacp("gamma", good, option, "own-starts", folder=good.parent)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("1/0\n", "fails when imported: ZeroDivisionError: division by zero"),
        ("def f(:\n", "fails when imported: SyntaxError"),
        ("import no_such_module\n", "No module named 'no_such_module'"),
        (None, "there is no such file to import"),
    ],
)
def test_a_module_that_cannot_be_imported(good: Path, content: str | None, complaint: str) -> None:
    path = good.with_name("broken.py")
    if content is not None:
        path.write_text(content)
    done = gammacp("--import", path, "gamma", good, folder=good.parent)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
