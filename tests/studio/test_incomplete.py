"""Unreadable files, which the studio's answer names."""

from pathlib import Path

from gammacp.dissimilarity import Combined
from gammacp.studio.choice import Choice
from gammacp.studio.understanding import understand


def test_the_answer_begins_with_what_is_missing(tmp_path: Path) -> None:
    text = "a word or two and more"
    for annotator in ("ann", "bob"):
        (tmp_path / annotator).mkdir()
        for number in (1, 2):
            stem = tmp_path / annotator / f"d{number}"
            stem.with_suffix(".txt").write_text(text, encoding="utf-8")
            stem.with_suffix(".ann").write_text("T1\tA 0 1\ta\n", encoding="utf-8")
    (tmp_path / "bob" / "d2.ann").write_text("T1\tA 0\n", encoding="utf-8")
    understood, chosen, _ = understand(tmp_path, Choice(), Combined())
    assert list(chosen) == ["d1"]
    assert understood.incomplete is not None
    assert understood.incomplete.startswith("1 of 2 documents; d2 left out: bob/d2.ann:1: ")


def test_an_unknown_state_is_a_warning(tmp_path: Path) -> None:
    image = {"label": "dog", "xtl": "1", "ytl": "2", "xbr": "3", "ybr": "4"}
    attributes = " ".join(f'{key}="{text}"' for key, text in image.items())
    segment = "<segment><start>0</start><stop>0</stop><state>dreaming</state></segment>"
    for who in ("ann", "bob"):
        (tmp_path / who).mkdir()
        (tmp_path / who / "a.xml").write_text(
            f"<annotations><meta><task>{segment}</task></meta>"
            f'<image id="0" name="i"><box {attributes}/></image></annotations>'
        )
    understood, _, _ = understand(tmp_path, Choice(), Combined())
    assert ("state 'dreaming' is unknown: read as finished work", 2) in understood.warnings
