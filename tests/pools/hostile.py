"""Traps: a foreign folder with a file for every module that Python or gammacp may import."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROWS = "\n".join(f"{a},x,{10 * i},{10 * i + 5 + ord(a) % 3}" for i in range(4) for a in "AB")
# A trap records that it ran, whatever becomes of its process.
TRAP = "with open({!r}, 'a') as ran:\n    ran.write(__name__ + '\\n')\n"
# Like an installed console script, it does not look for modules in the working directory.
SCRIPT = "if __name__ == '__main__':\n    from gammacp.cli import main\n    main()\n"


def set_traps(folder: Path, *, of_python: bool = True) -> Path:
    """Fill a folder with traps and two tables, and return the file that names traps that ran.

    With `of_python`, modules of the standard library are among the traps.
    """
    ran = folder.parent / "ran.txt"
    names = {name for name in packages_distributions() if name.isidentifier()}
    names |= {"spacy", "no_such_module"}
    if of_python:
        names |= sys.stdlib_module_names
    for name in names - {"gammacp", "shuffling"}:
        (folder / f"{name}.py").write_text(TRAP.format(os.fspath(ran)))
    for name in ("one", "two"):
        (folder / f"{name}.csv").write_text(f"{ROWS}\n")
    return ran


def console_script(folder: Path) -> list[str]:
    """Return the command line that starts `gammacp` as installed, without its arguments."""
    script = folder.parent / "bin" / "gammacp"
    script.parent.mkdir(exist_ok=True)
    script.write_text(SCRIPT)
    return [sys.executable, os.fspath(script)]


def run_in(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder."""
    return subprocess.run(
        command, cwd=folder, env={**os.environ, "PYTHONPATH": os.fspath(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
