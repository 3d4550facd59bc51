from pathlib import Path

import numpy as np
import pytest

from gammacp import DataError, UsageError
from gammacp.measures.labels.category_metrics import squared_differences

GOOD = ",b,a\nb,0,2.5\na,2.5,0\n"


def test_named_metrics() -> None:
    names = ["0", "1", "3"]
    assert squared_differences("nominal", names).tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert squared_differences("interval", names).tolist() == [[0, 1, 9], [1, 0, 4], [9, 4, 0]]
    assert squared_differences("ratio", names).tolist() == [[0, 1, 1], [1, 0, 0.25], [1, 0.25, 0]]


def test_matrix_file_is_read_by_name(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text(GOOD)
    assert squared_differences(path, ["a", "b"]).tolist() == [[0, 2.5], [2.5, 0]]
    assert squared_differences(str(path), ["b"]).tolist() == [[0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "file is empty"),
        (",a\na,0\n", "category 'b' is missing"),
        (",a,b\na,0,1\n", "row 'b'|column but no row"),
        (",a,b\na,0,1\nb,1\n", r"m\.csv:3: row 'b' has 1 distances, not 2"),
        (",a,b\na,0,x\nb,1,0\n", "not a number"),
        (",a,b\na,0,1\nb,2,0\n", r"m\.csv:2: distance 'a' to 'b' is 1, but 2 the other way"),
        (",a,b\na,1,1\nb,1,0\n", r"m\.csv:2: distance 'a' to 'a' is 1, not 0"),
        (",a,b\na,0,-1\nb,-1,0\n", "distance 'a' to 'b' is -1. Distances are from 0 on"),
        (",a,b\na,0,nan\nb,nan,0\n", "distance 'a' to 'b' is nan"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "m.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        squared_differences(path, ["a", "b"])


def test_bad_metrics() -> None:
    with pytest.raises(UsageError, match="there are: nominal, interval, ratio"):
        squared_differences("ordinal", ["1"])
    with pytest.raises(DataError, match="category 'x' is not a number"):
        squared_differences("interval", ["1", "x"])
    with pytest.raises(DataError, match="category 'inf' is not a number"):
        squared_differences("interval", ["inf"])
    with pytest.raises(DataError, match="category '-1' is negative"):
        squared_differences("ratio", ["-1"])
    with pytest.raises(DataError, match="not a 2 × 2 matrix"):
        squared_differences(np.eye(3), ["a", "b"])
    with pytest.raises(DataError, match=r"none\.csv: file does not exist"):
        squared_differences("none.csv", ["a"])
