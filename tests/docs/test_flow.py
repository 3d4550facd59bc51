"""The flow of one file through `gamma` is as short as docs/dev says, and as it says."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))

from flow import MILESTONES, UNITS, listing, paths_to_milestones, shown, stations, steps_up

STATIONS = 30
STEPS_UP = 2


def test_the_flow_of_one_file_is_short_and_as_listed(tmp_path: Path) -> None:
    file = tmp_path / "interview.csv"
    file.write_text(UNITS, encoding="utf-8")
    paths = paths_to_milestones(file)
    assert [m for m in MILESTONES if m not in paths] == [], "put what is called now in their place"
    assert listing(paths) == shown(), "run python tests/docs/flow.py"
    assert len(stations(paths)) <= STATIONS
    assert len(steps_up(paths)) <= STEPS_UP
    # A path from the first station on, and a call that points up is seen.
    assert all(path[0] == "cli:main" for path in paths.values())
    up = {"x": ["measures.gamma:gamma_score", "cli.output:show"]}
    assert steps_up(up) == [("measures.gamma:gamma_score", "cli.output:show")]
