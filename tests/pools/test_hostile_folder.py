"""Commands in a foreign folder of modules, none of which may run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.pools.hostile import console_script, run_in, set_traps


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "theirs"
    folder.mkdir()
    return folder


def test_workers_run_nothing_of_the_folder(folder: Path) -> None:
    ran = set_traps(folder)
    done = run_in(
        folder, *console_script(folder), "gamma", "one.csv", "two.csv", "--jobs", "2", "--json"
    )
    assert done.returncode == 0, done.stderr
    assert not ran.exists(), ran.read_text()


@pytest.mark.slow
def test_python_m_runs_nothing_of_the_folder_after_its_start(folder: Path) -> None:
    """Modules of the standard library are no traps here, as Python imports some before our code."""
    ran = set_traps(folder, of_python=False)
    done = run_in(
        folder, sys.executable, "-m", "gammacp", "gamma", "one.csv", "two.csv", "--jobs", "2"
    )
    assert done.returncode == 0, done.stderr
    assert not ran.exists(), ran.read_text()


@pytest.mark.slow
def test_a_module_name_is_not_looked_up_in_the_folder(folder: Path) -> None:
    """A path is accepted instead, and the error says how to give it."""
    ran = set_traps(folder)
    start = console_script(folder)
    for option in (("--import", "no_such_module"), ("--dissimilarity", "no_such_module:X")):
        done = run_in(folder, *start, "gamma", "one.csv", *option)
        assert (done.returncode, done.stdout) == (2, "")
        assert "not looked for in the working directory: give --import no_such_module.py" in (
            " ".join(done.stderr.split())
        )
        assert not ran.exists()
    done = run_in(folder, *start, "gamma", "one.csv", "--import", "no_such_module.py")
    assert done.returncode == 0, done.stderr
    assert set(ran.read_text().split()) == {"no_such_module"}


@pytest.mark.slow
def test_a_missing_extra_is_not_looked_up_in_the_folder(folder: Path) -> None:
    """This holds even if the user loads a module from another folder."""
    ran = set_traps(folder)
    own = folder.parent / "own"
    own.mkdir()
    (own / "mine.py").write_text(
        "try:\n    import no_such_module\nexcept ModuleNotFoundError:\n    pass\n"
    )
    done = run_in(folder, *console_script(folder), "gamma", "one.csv", "--import", f"{own}/mine.py")
    assert done.returncode == 0, done.stderr
    assert not ran.exists(), ran.read_text()


@pytest.mark.slow
def test_a_package_can_be_given_by_its_folder(folder: Path) -> None:
    """The package finds its own modules and its neighbours, in workers too."""
    package = folder / "my_package"
    package.mkdir()
    (folder / "one.csv").write_text("A,x,0,5\nB,x,1,6\nA,y,9,14\nB,y,9,15\n")
    (folder / "neighbour.py").write_text("SCALE = 2\n")
    (package / "__init__.py").write_text("from my_package.inner import Own\n")
    (package / "inner.py").write_text(
        "from neighbour import SCALE\nclass Own:\n    scale = SCALE\n"
    )
    start = console_script(folder)
    bare = run_in(folder, *start, "gamma", "one.csv", "--import", "my_package")
    assert bare.returncode == 2
    assert "give --import ./my_package" in " ".join(bare.stderr.split())
    inner = run_in(folder, *start, "gamma", "one.csv", "--import", "my_package.inner")
    assert "give --import ./my_package before it" in " ".join(inner.stderr.split())
    done = run_in(folder, *start, "gamma", "one.csv", "--import", "./my_package", "--jobs", "2")
    assert done.returncode == 0, done.stderr
    both = ("--import", "./my_package", "--import", "my_package.inner")
    assert run_in(folder, *start, "gamma", "one.csv", *both).returncode == 0
