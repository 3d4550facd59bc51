"""JSON of many documents: one line for each, with the same content."""

import json
import math
from typing import Any

import pytest

from gammacp.cli.output import print_json


def _entries(count: int) -> list[dict[str, Any]]:
    return [
        {"file": f"d{k}\u001b", "value": math.nan, "inner": {"a": [1, k]}} for k in range(count)
    ]


@pytest.mark.parametrize("count", [0, 1, 1000, 1001, 2500])
@pytest.mark.parametrize("lazily", [False, True])
def test_a_long_list_has_a_line_for_each_entry(
    capsys: pytest.CaptureFixture[str], count: int, lazily: bool
) -> None:
    entries = _entries(count)
    print_json({"results": iter(entries) if lazily else entries, "corpus": {"x": [1, {"y": 2}]}})
    out = capsys.readouterr().out
    found = json.loads(out)
    assert [*found] == ["results", "corpus"]
    assert found["results"] == [{**e, "value": None} for e in entries]
    assert found["corpus"] == {"x": [1, {"y": 2}]}
    assert "\u001b" not in out
    if count > 1000:
        assert len(out.splitlines()) == count + 12
