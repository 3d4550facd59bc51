"""The table `[clue]`, which says for which files a module of formats is imported."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gammacp.base.subjects import table
from gammacp.formats.registry import FORMATS, HEAD_BYTES, has_clue, recognise
from gammacp.formats.source import in_utf8

ROOT = Path(__file__).parents[2]
FILES = [path for path in (ROOT / "tests/fixtures").rglob("*") if path.is_file()]


def test_clues_are_in_lower_case_and_for_modules_of_formats() -> None:
    assert table("clue").keys() <= table("format").keys()
    for clues in table("clue").values():
        assert clues
        assert all(clue == clue.lower() and clue for clue in clues)


def test_every_recognised_file_has_a_clue_of_its_format() -> None:
    """Files with their own ending, with that of plain text and with none are tried."""
    n_recognised = 0
    for path in FILES:
        head = in_utf8(path.read_bytes()[:HEAD_BYTES])
        for place in (path, path.with_suffix(".txt"), path.with_suffix("")):
            for module, clues in table("clue").items():
                for name in table("format")[module].split():
                    if FORMATS[name].reader.sniff(head, place):
                        n_recognised += 1
                        assert has_clue(clues, head.lower(), place), (name, place)
    assert n_recognised > 50


def test_reading_a_table_imports_few_formats(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("annotator,category,start,end\nAnn,x,0,4\nBob,x,0,5\n")
    code = f"""
import json, sys
import gammacp
gammacp.read({str(file)!r})
print(json.dumps([n for n in sys.modules if n.startswith("gammacp.")]))
"""
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = json.loads(run.stdout)
    tools = {name for name in loaded if name.startswith("gammacp.tools.")}
    assert tools <= {"gammacp.tools.brat", "gammacp.tools.conll"}
    assert not any(name.startswith("gammacp.segmentation.") for name in loaded)


@pytest.mark.parametrize("ending", [".eaf", ".EAF", ".xml", ""])
def test_a_file_is_recognised_by_any_ending(ending: str) -> None:
    path = ROOT / "tests/fixtures/formats/tiers.eaf"
    found = recognise(path.read_bytes(), path.with_suffix(ending))
    assert found is not None
    assert found.name == "elan"
