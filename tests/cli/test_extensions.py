"""Users' extensions in every command that can use them, in processes of their own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Outcome

OWN = Path(__file__).with_name("own.py")
HERE = Path(__file__).parents[2]


def gammacp(*args: object, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gammacp", *map(str, args)]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=folder, env={"PYTHONPATH": str(HERE)}
    )


ONE_BY_ONE = """
import contextlib, io, json, sys
from gammacp.cli import main
found = []
for arguments in json.load(sys.stdin):
    sys.argv = ["gammacp", *arguments]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as stop:
            found.append((stop.code, out.getvalue(), err.getvalue()))
json.dump(found, sys.stdout)
"""


def one_by_one(commands: list[tuple[object, ...]], folder: Path) -> list[Outcome]:
    """Return the outcomes of commands that run one after the other in a process that
    imports once.
    """
    done = subprocess.run(
        [sys.executable, "-c", ONE_BY_ONE], cwd=folder, env={"PYTHONPATH": str(HERE)}, check=True,
        capture_output=True, text=True, input=json.dumps([[*map(str, c)] for c in commands]),
    )  # fmt: skip
    return [Outcome(*entry) for entry in json.loads(done.stdout)]


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return written(tmp_path)


def written(folder: Path) -> Path:
    path = folder / "good.csv"
    rows = [f"{a},{c}{a},{10 * i + j},{10 * i + 7}" for i in range(4) for j, a in enumerate("AB")
            for c in "x"]  # fmt: skip
    path.write_text("\n".join(rows) + "\n")
    return path


OWN_PARTS = (
    ("gamma", ("--positional", "own-starts", "--chance", "own-shift", "--samples", 5), "pos:own-s"),
    ("gamma", ("--dissimilarity", "own-ends", "--samples", 5), "own-ends"),
    ("gamma", ("--chance", "own-shift", "--jobs", 2), "chance:own-shift"),
    ("align", ("--categorial", "own-initials", "--method", "own-solver"), '"optimal"'),
    ("align", ("--constraint", "own-within=0.5"), '"disorder": 2.0'),
    ("gamma", ("--constraint", "own-within=2", "--samples", 5), "constraints:own-within(2.0)"),
    ("measure", ("-m", "own-share"), '"value": 0.5'),
    ("compare", ("--positional", "own-starts", "--samples", 5), "pos:own-starts"),
    ("compare", ("--chance", "own-shift", "--samples", 5), "own-shift"),
    ("calibrate", ("--error", "own-late", "--samples", 5, "--sets", 3, "--jobs", 1), "own-l"),
    ("consensus", ("--categorial", "own-initials"), '"kept": true'),
    ("report", ("--dissimilarity", "own-ends", "--samples", 5), '"report"'),
)


@pytest.mark.slow
def test_every_command_takes_imported_extensions(good: Path) -> None:
    found = one_by_one(
        [("--import", OWN, name, good, *options, "--json") for name, options, _ in OWN_PARTS],
        good.parent,
    )
    for (name, _, expected), done in zip(OWN_PARTS, found, strict=True):
        assert done.code == 0, (name, done.err)
        assert expected in done.out, name
        json.loads(done.out)


def test_a_users_format_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "two.own"
    path.write_text("OWN\nA x 0 5\nB x 0 5\n")
    without, with_it = one_by_one(
        [("inspect", path), ("--import", OWN, "inspect", path, "--json")], tmp_path
    )
    assert without.code == 3
    (result,) = json.loads(with_it.out)["results"]
    assert result["format"] == "own-format"


@pytest.mark.slow
@pytest.mark.needs("bench")
def test_sweeps_use_extensions_in_their_workers(tmp_path: Path) -> None:
    done = gammacp(
        "--import", OWN, "bench", "--error", "own-late", "-m", "own-share", "--sets", 2,
        "--step", 0.5, "--jobs", 2, "--out", tmp_path / "out", "--json", folder=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    points = json.loads(done.stdout)["errors"]["own-late"]
    assert {p["measure"] for p in points} == {"own-share"}


@pytest.mark.slow
@pytest.mark.needs("bench")
def test_shuffle_uses_a_users_error(tmp_path: Path) -> None:
    """The module can be named before or after the command."""
    options = ("--error", "own-late", "--magnitude", 0.5, "--out", tmp_path / "made")
    for arguments in (("--import", OWN, "shuffle"), ("shuffle", "--import", OWN)):
        done = gammacp(*arguments, *options, folder=tmp_path)
        assert done.returncode == 0, done.stderr
    done = gammacp("shuffle", *options, f"--import={OWN}", folder=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_help_lists_extensions_and_other_runs_do_not_know_them(good: Path) -> None:
    names = (
        ("gamma", "own-starts"), ("gamma", "own-initials"), ("gamma", "own-ends"),
        ("gamma", "own-shift"), ("gamma", "own-solver"), ("bench", "own-late"),
    )  # fmt: skip
    with_it = one_by_one([("--import", OWN, name, "--help") for name, _ in names], good.parent)
    complaints = {
        "--positional": "dissimilarity 'own-starts' is unknown; there are: boundary, giou, hamming",
        "--categorial": "categorial dissimilarity 'own-starts' is unknown",
        "--dissimilarity": "dissimilarity 'own-starts' is unknown; there are: brat-attributes",
        "--chance": "chance model 'own-starts' is unknown",
        "--method": "solver 'own-starts' is unknown",
    }
    without = one_by_one(
        [*((name, "--help") for name, _ in names),
         *(("gamma", good, option, "own-starts") for option in complaints)],
        good.parent,
    )  # fmt: skip
    for (_, name), there, elsewhere in zip(names, with_it, without[: len(names)], strict=True):
        assert name in there.out
        assert name not in elsewhere.out
    for done, complaint in zip(without[len(names) :], complaints.values(), strict=True):
        assert (done.code, done.out) == (2, "")
        assert complaint in done.err


BROKEN = (
    ("1/0\n", "fails when imported: ZeroDivisionError: division by zero"),
    ("def f(:\n", "fails when imported: SyntaxError"),
    ("import no_such_module\n", "No module named 'no_such_module'"),
    (None, "there is no such file to import"),
)


def test_modules_that_cannot_be_imported(good: Path) -> None:
    paths = [good.with_name(f"broken{number}.py") for number in range(len(BROKEN))]
    for path, (content, _) in zip(paths, BROKEN, strict=True):
        if content is not None:
            path.write_text(content)
    found = one_by_one([("--import", path, "gamma", good) for path in paths], good.parent)
    for done, (_, complaint) in zip(found, BROKEN, strict=True):
        assert (done.code, done.out) == (2, "")
        assert complaint in done.err
        assert "Traceback" not in done.err
