"""Preparations of documentation pages: files they mention, and names their Python code uses."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gammacp as gc
from gammacp.datasets import load

FIXTURES = Path(__file__).parents[1] / "fixtures"


def prepare(page: str, folder: Path, names: dict[str, Any]) -> None:
    """Put the files and names that a page assumes into the folder and the namespace."""
    if page in _PREPARATIONS:
        _PREPARATIONS[page](folder, names)


def _interview(ending: str) -> Callable[[Path, dict[str, Any]], None]:
    def write(folder: Path, _names: dict[str, Any]) -> None:
        gc.write(load("alex-paul-suzan"), folder / f"interview.{ending}")

    return write


def _rounds(folder: Path, names: dict[str, Any]) -> None:
    _two_continua(folder, names)
    for number in (1, 2):
        (folder / f"round{number}").mkdir()
        for document in ("a", "b"):
            gc.write(load("alex-paul-suzan"), folder / f"round{number}" / f"{document}.csv")


def _two_continua(_folder: Path, names: dict[str, Any]) -> None:
    units = [
        gc.Unit({"Suzan": "system"}.get(u.annotator, u.annotator), u.start, u.end, u.category)
        for u in load("alex-paul-suzan")
    ]
    for name in ("first", "second", "later"):
        names[name] = gc.Continuum.from_units(units)
    names["later"] = {"one": names["first"], "two": names["later"]}


def _campaign_and_exports(folder: Path, _names: dict[str, Any]) -> None:
    shutil.copytree(FIXTURES / "formats" / "brat", folder / "campaign")
    shutil.copy(FIXTURES / "formats" / "MaureenMarvinRobin.eaf", folder)
    _write(
        folder,
        {
            "exports/one.csv": "Ann,a,1,2\nBob,b,2,3\nAnn,c,4,5\n",
            "exports/two.csv": "Ann,a,0,1\nBob,b,0,1\n",
            "table.csv": "Ann,a,0,1\nBob,b,0,1\n",
        },
    )


def _treebanks(folder: Path, _names: dict[str, Any]) -> None:
    shutil.copytree(FIXTURES / "cdt", folder, dirs_exist_ok=True)


def _files(files: dict[str, str]) -> Callable[[Path, dict[str, Any]], None]:
    return lambda folder, _names: _write(folder, files)


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


_PREPARATIONS: dict[str, Callable[[Path, dict[str, Any]], None]] = {
    "README.md": _interview("csv"),
    "docs/guide.md": _interview("csv"),
    "docs/calibrate.md": _interview("eaf"),
    "docs/consensus.md": _interview("eaf"),
    "docs/report.md": _two_continua,
    "docs/compare.md": _rounds,
    "docs/formats.md": _campaign_and_exports,
    "docs/syntax.md": _treebanks,
    "docs/graphs.md": lambda folder, _: shutil.copytree(
        FIXTURES / "graphs", folder, dirs_exist_ok=True
    ),
    "docs/shuffling.md": _files(
        {
            "bad.toml": "units = 25\n[gaps]\nminimum = 9\nmaximum = 3\n"
            "[categories.A]\nprevalence = 1\nminimum-length = 1\nmaximum-length = 2\n"
        }
    ),
}
