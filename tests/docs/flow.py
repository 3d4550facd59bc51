"""One file on its way through `gammacp gamma`, function by function, as docs/dev lists it."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any
from unittest import mock

import gammacp

sys.path.append(str(Path(__file__).parent))

from layers import ROW, package_of

PACKAGE = Path(gammacp.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "dev" / "architecture.md"
# Where the flow is looked at: the functions that were being called when one of these began.
MILESTONES = (
    "formats.delimited:read",
    "dissimilarity.combined:Combined.bind",
    "alignment.problem:solution",
    "chance.annotation:annotation_sets",
    "measures.random_sets:AlignedDisorder.of_each",
    "chance.beyond:ratio",
    "measures.gamma:Gamma.as_dict",
    "record_tables:Table.cells",
)
MARK = "<!-- drawn by tests/docs/flow.py -->\n```text\n"
UNITS = """annotator,start,end,category
A,0,5,x
A,8,12,y
A,20,25,x
B,1,5,x
B,8,13,y
B,21,25,y
C,0,6,x
C,15,18,y
C,20,26,x
"""


def paths_to_milestones(file: Path) -> dict[str, list[str]]:
    """Milestone → the functions that led to its first call, from `main` on.

    Functions at the level of a module or of a class count; not those inside others, wrappers and
    comprehensions, which belong to the function that they stand in.
    """
    paths: dict[str, list[str]] = {}

    def look(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and (name := _station(frame.f_code)) in MILESTONES:
            paths.setdefault(str(name), list(reversed(list(_callers(frame)))))

    with (
        mock.patch.object(sys, "argv", ["gammacp", "gamma", str(file)]),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        contextlib.suppress(SystemExit),
    ):
        from gammacp.cli import main

        sys.setprofile(look)
        try:
            main()
        finally:
            sys.setprofile(None)
    return paths


def _callers(frame: FrameType | None) -> Iterator[str]:
    while frame is not None:
        if (name := _station(frame.f_code)) is not None:
            yield name
        frame = frame.f_back


def _station(code: CodeType) -> str | None:
    if "<" in code.co_qualname or not (path := Path(code.co_filename)).is_relative_to(PACKAGE):
        return None
    module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
    return f"{module.removesuffix('.__init__').replace('__init__', 'gammacp')}:{code.co_qualname}"


def stations(paths: dict[str, list[str]]) -> list[str]:
    """Every function of the flow once, in the order in which it is entered."""
    return list(dict.fromkeys(name for path in paths.values() for name in path))


def steps_up(paths: dict[str, list[str]]) -> list[tuple[str, str]]:
    """Calls from a package to one that stands above it."""
    calls = dict.fromkeys(call for path in paths.values() for call in pairwise(path))
    rows = {name: ROW[package_of(f"gammacp.{name.split(':')[0]}")] for name in stations(paths)}
    return [(caller, called) for caller, called in calls if rows[called] < rows[caller]]


def listing(paths: dict[str, list[str]]) -> str:
    """The flow as the page shows it: each function under the one that calls it first."""
    lines: list[str] = []
    seen: set[str] = set()
    for path in paths.values():
        for depth, name in enumerate(path):
            if name not in seen:
                seen.add(name)
                lines.append(f"{'  ' * depth}{name}")
    return "\n".join(lines)


def shown() -> str:
    """The flow that the page shows."""
    _, after = PAGE.read_text(encoding="utf-8").split(MARK, 1)
    return after.split("\n```", 1)[0]


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        csv = Path(folder, "interview.csv")
        csv.write_text(UNITS, encoding="utf-8")
        found = paths_to_milestones(csv)
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(text.replace(MARK + shown(), MARK + listing(found)), encoding="utf-8")
    print(len(stations(found)), "stations,", len(steps_up(found)), "steps up:", steps_up(found))
