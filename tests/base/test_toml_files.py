"""Limits on the depth and length of foreign TOML and JSON files."""

from pathlib import Path
from time import process_time

import pytest

from gammacp import DataError
from gammacp.base.toml_files import DEEPEST, LONGEST, read_toml
from gammacp.base.validation import check_depth
from gammacp.continuum.shapes import in_cell
from tests.conftest import Run

_DOTTED = ".".join(["a"] * 1000)
_LONG_DOTTED = ".".join(['"a"'] * 400_000)


def written(folder: Path, text: str) -> Path:
    path = folder / "campaign.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{_DOTTED} = 1", "campaign.toml:1: a key has more than 64 parts"),
        (f"x = 1\n[{_DOTTED}]", "campaign.toml:2: a key has more than 64 parts"),
        (f"x = {{ {_DOTTED.replace('.', ' . ')} = 1 }}", ":1: a key has more than 64 parts"),
        (f"{_LONG_DOTTED} = 1", ":1: a key has more than 64 parts"),
        ("a = " + "[" * 65 + "]" * 65, "is nested more than 64 levels deep"),
        ("a = " + "[" * 9000 + "]" * 9000, "not TOML that can be read: maximum recursion depth"),
        ("#" * (LONGEST + 1), "has 2000001 bytes, more than the 2000000"),
        ('a = "' + '\\"' * 400_000, "not TOML: "),
    ],
)
def test_toml_that_is_too_deep_or_too_long_is_refused_at_once(
    tmp_path: Path, text: str, told: str
) -> None:
    path = written(tmp_path, text)
    begun = process_time()
    with pytest.raises(DataError, match=told):
        read_toml(path)
    assert process_time() - begun < 5  # tomllib alone takes minutes for a key of so many parts


def test_ordinary_toml_is_read(tmp_path: Path) -> None:
    dotted = ".".join(["a"] * DEEPEST)
    numbers = ", ".join(f"{i}.5" for i in range(300))
    path = written(tmp_path, f"{dotted} = 1\nx = [{numbers},\n{numbers}]\n'a.b.c' = 'd. e. f.'\n")
    document, _ = read_toml(path)
    assert document["x"][-1] == 299.5
    assert document["a.b.c"] == "d. e. f."


def test_json_that_is_nested_without_end_is_an_error_of_the_file(run: Run, tmp_path: Path) -> None:
    """Deep nesting is an error of the file, both where Python's reader fails and where its writer
    does.
    """
    for depth in (800, 100_000):
        path = tmp_path / "deep.json"
        units = "[" * depth + "]" * depth
        path.write_text(f'{{"gammacp": 1, "annotators": {units}, "units": []}}')
        result = run("gamma", path)
        assert (result.code, result.out) == (3, "")
        assert "Traceback" not in result.err
    with pytest.raises(DataError, match="shape is not JSON"):
        in_cell("[" * 100_000, 0.0, 1.0)
    with pytest.raises(DataError, match="more than 64 levels"):
        check_depth([*eval("[" * 80 + "]" * 80)])
