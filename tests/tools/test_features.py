"""Features of units in the files of tools."""

import json
from pathlib import Path

import pytest

import gammacp as gc
from gammacp import Continuum, DataError, Label, Unit, UsageError


def features(path: Path, *names: str, **options: object) -> list[tuple[str | None, dict[str, str]]]:
    found = gc.read(path, features=names, **options)
    labels = [u.category for u in found]
    return [(x.category, dict(x.features)) if isinstance(x, Label) else (x, {}) for x in labels]


def test_formats_without_features_leave_them_out_with_a_note(tmp_path: Path) -> None:
    from gammacp.formats.registry import FORMATS
    from gammacp.formats.writing import losses

    c = Continuum.from_units([Unit("A", 0, 2, Label("a", {"x": "1"})), Unit("B", 0, 2, "a")])
    gc.write(c, tmp_path / "f.eaf")
    assert gc.read(tmp_path / "f.eaf").categories == ("a",)
    assert "features are not kept: x" in list(losses(c, FORMATS["elan"]))
    with pytest.raises(UsageError, match="elan has no features besides the category"):
        gc.read(tmp_path / "f.eaf", features=["x"])


def test_brat_attributes(tmp_path: Path) -> None:
    for who, lines in (("Ann", "A1\tNegation T1\nA2\tFocus T2 High\n"), ("Bob", "")):
        folder = tmp_path / who
        folder.mkdir()
        (folder / "d.txt").write_text("no fever here")
        (folder / "d.ann").write_text(f"T1\tSign 3 8\tfever\nT2\tSign 9 13\there\n{lines}")
    assert features(tmp_path, "Negation", "Focus") == [
        ("Sign", {"Negation": "Negation"}), ("Sign", {"Focus": "High"}), ("Sign", {}), ("Sign", {}),
    ]  # fmt: skip


def test_label_studio_choices_taxonomies_and_sets(tmp_path: Path) -> None:
    place = {"start": 0, "end": 2, "text": "ab"}

    def entry(kind: str, name: str, value: object) -> dict[str, object]:
        return {"id": "r", "type": kind, "from_name": name, "value": {**place, kind: value}}

    result = [
        entry("labels", "label", ["P", "Q"]),
        entry("choices", "mood", ["glad", "sad"]),
        entry("taxonomy", "topic", [["A", "x"]]),
        entry("rating", "stars", 3),
    ]
    task = {
        "id": 1,
        "data": {"text": "abc"},
        "annotations": [{"completed_by": 7, "result": result}],
    }
    file = tmp_path / "a.json"
    file.write_text(json.dumps([task]))
    known = {"mood": "glad+sad", "topic": "A/x", "stars": "3"}
    assert features(file, *known) == [("P", known), ("Q", known)]
    assert features(file, "mood", labels="join") == [("P+Q", {"mood": "glad+sad"})]
    left = [e.reason for e in gc.read(file, features=["mood"]).left_out]
    assert left == ["taxonomy is not a span", "rating is not a span"]
    result[0] = entry("labels", "label", ["P+", "Q"])
    file.write_text(json.dumps([task]))
    with pytest.raises(DataError, match=r"'P\+', 'Q' contains '\+'"):
        gc.read(file, labels="join")


def test_webanno_columns(tmp_path: Path) -> None:
    head = "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Span|value|polarity\n\n\n#Text=good bad day\n"
    rows = ("1-1\t0-4\tgood\tE[1]\tpos[1]\t\n1-2\t5-8\tbad\tE[1]|F[2]\tpos[1]|*[2]\t\n"
            "1-3\t9-12\tday\t_\t_\t\n")  # fmt: skip
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "Ann.tsv").write_text(head + rows)
    file = tmp_path / "d" / "Ann.tsv"
    assert features(file, "polarity") == [("E", {"polarity": "pos"}), ("F", {})]
