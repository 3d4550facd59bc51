"""Line ends of all systems: the same units, and no annotator who seems to have found nothing."""

from pathlib import Path

import pytest

from gammacp.base.text import lines_of
from gammacp.formats import collect
from tests.tools.seeds import SEEDS, seeded

# These formats count line ends as characters of the text, so other line ends make another text.
OF_TEXTS = {"brat", "catma", "glozz", "refi-qda"}
ENDS = {"CR": b"\r", "CR LF": b"\r\n"}


def units(what: Path) -> dict[str, list[object]]:
    found = collect([what])
    return {name: [*c] for name, c in found.continua.items()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of seeds; tests restore the files that they change."""
    return seeded(tmp_path_factory.mktemp("line_ends") / "formats")


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("target", SEEDS)
def test_other_line_ends_give_the_same_units(folder: Path, target: str, end: str) -> None:
    seed = SEEDS[target]
    file, what = folder / seed.file, folder / seed.what
    content = file.read_bytes()
    if b"\0" in content or content[:2] == b"PK":
        pytest.skip("no text")
    before = units(what)
    file.write_bytes(content.replace(b"\r\n", b"\n").replace(b"\n", ENDS[end]))
    try:
        found = collect([what])
    finally:
        file.write_bytes(content)
    if not found.failures:
        assert {name: [*c] for name, c in found.continua.items()} == before


def test_other_separators_do_not_end_lines() -> None:
    assert lines_of("a\rb\nc\u2028d\n") == ["a\rb", "c\u2028d", ""]
    assert lines_of("") == [""]
