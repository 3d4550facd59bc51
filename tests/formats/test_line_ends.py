"""Line ends of all systems: the same units, and nobody who seems to have found nothing."""

from pathlib import Path

import pytest
from tests.formats.fuzzing import SEEDS, seeded

from gammacp.base.text import lines_of
from gammacp.formats import collect

# Positions in the text count its line ends, so that other ends are another text.
OF_TEXTS = {"brat", "catma", "glozz", "refi-qda"}
ENDS = {"CR": b"\r", "CR LF": b"\r\n"}


def units(what: Path) -> dict[str, list[object]]:
    found = collect([what])
    return {name: [*c] for name, c in found.continua.items()}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("target", SEEDS)
def test_other_line_ends(tmp_path: Path, target: str, end: str) -> None:
    folder = seeded(tmp_path / "formats")
    seed = SEEDS[target]
    file, what = folder / seed.file, folder / seed.what
    content = file.read_bytes()
    if b"\0" in content or content[:2] == b"PK":
        pytest.skip("no text")
    before = units(what)
    file.write_bytes(content.replace(b"\r\n", b"\n").replace(b"\n", ENDS[end]))
    found = collect([what])
    if not found.failures:
        assert {name: [*c] for name, c in found.continua.items()} == before


def test_line_ends_within_lines() -> None:
    assert lines_of("a\rb\nc\u2028d\n") == ["a\rb", "c\u2028d", ""]
    assert lines_of("") == [""]
