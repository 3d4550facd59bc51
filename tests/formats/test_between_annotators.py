"""Conventions in which annotators differ: planted ones, and habits that are none."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import gammacp as gc
from gammacp import Continuum, Unit
from gammacp.formats.between_annotators import suspected

Span = tuple[float, float, str]


def truth(count: int = 20, seed: int = 1) -> list[Span]:
    draw, at, found = random.Random(seed), 0, []
    for _ in range(count):
        start = at + draw.randint(2, 30)
        at = start + draw.randint(2, 20)
        found.append((start, at, draw.choice(["per", "loc", "org"])))
    return found


def document(work: dict[str, list[Span]], **declared: Any) -> Continuum:
    units = [Unit(a, s, e, c) for a, spans in work.items() for s, e, c in spans]
    return Continuum.from_units(units, annotators=[*work], name="d", **declared)


def said(work: dict[str, list[Span]], **declared: Any) -> list[str]:
    return [note.convention for note in suspected({"d": document(work, **declared)})]


def csv(folder: Path, work: dict[str, list[Span]], name: str = "d.csv") -> Path:
    rows = [f"{a},{c},{s},{e}" for a, spans in work.items() for s, e, c in spans]
    path = folder / name
    path.write_text("\n".join(["annotator,category,start,end", *rows, ""]), encoding="utf-8")
    return path


BASE = truth()
PLANTED = {
    "Ann: end+1": [(s, e - 1, c) for s, e, c in BASE],
    "Ann: end+1 and case": [(s, e - 1, c.upper()) for s, e, c in BASE],
    "case": [(s, e, c.title()) for s, e, c in BASE],
    "Bob: x1000": [(s * 1000, e * 1000, c) for s, e, c in BASE],
    "Ann: x1000": [(s / 1000, e / 1000, c) for s, e, c in BASE],
    "Ann: x25": [(s / 25, e / 25, c) for s, e, c in BASE],
    "Bob: x25": [(s * 25, e * 25, c) for s, e, c in BASE],
    "Ann: +250": [(s - 250, e - 250, c) for s, e, c in BASE],
    "Ann: +250 and case": [(s - 250, e - 250, c.upper()) for s, e, c in BASE],
    "Ann: x1000, +250": [((s - 250) / 1000, (e - 250) / 1000, c) for s, e, c in BASE],
    "Ann: end+1, +1": [(s - 1, e - 2, c) for s, e, c in BASE],
}


@pytest.mark.parametrize("convention", PLANTED)
def test_planted_conventions_are_found(convention: str) -> None:
    assert said({"Ann": PLANTED[convention], "Bob": BASE}) == [convention]


@pytest.mark.parametrize("convention", ["Ann: end+1 and case", "Bob: x1000", "Ann: x1000, +250"])
def test_the_advised_option_applies_the_convention(
    tmp_path: Path, run: Any, convention: str
) -> None:
    path = csv(tmp_path, {"Ann": PLANTED[convention], "Bob": BASE})
    document = json.loads(run("inspect", str(path), "--json").out)
    (entry,) = document["conventions"]
    assert entry["convention"] == convention
    assert entry["applied"] is False
    entries = entry["evidence"].partition("conventions, give ")[2].split(" and ")
    options = [part for each in entries for part in each.split(" ", 1)]
    options = [part.strip("'") for part in options]
    assert options[0] == "--positions"
    again = run("gamma", str(path), *options, "--samples", "30", "--json")
    assert json.loads(again.out)["results"][0]["gamma"] == 1
    assert "of the units of" not in again.err


@pytest.mark.needs("campaign")
def test_commands_warn(tmp_path: Path, run: Any) -> None:
    path = csv(tmp_path, {"Ann": PLANTED["Ann: end+1"], "Bob": BASE})
    for command in (("align",), ("compare", "--samples", "30", "--by", "pair")):
        warned = run(command[0], str(path), *command[1:])
        assert warned.err.count("0% of the units of Ann and Bob are identical, but 100%") == 1
        assert "give --positions 'Ann: end+1'" in " ".join(warned.err.split())


def test_a_shift_that_begins_within_the_text_is_found() -> None:
    own = [(s, e, c) if i < 10 else (s + 7, e + 7, c) for i, (s, e, c) in enumerate(BASE)]
    (convention,) = said({"Ann": BASE, "Bob": own})
    assert convention == f"Ann: +7 from {BASE[10][0]}"
    (reversed_one,) = said({"Ann": own, "Bob": BASE})
    assert reversed_one == f"Bob: +7 from {BASE[10][0]}"


def test_the_odd_one_of_three_is_named() -> None:
    odd = [(s, e - 1, c) for s, e, c in BASE]
    assert said({"Ann": BASE, "Bob": BASE, "Cid": odd}) == ["Cid: end+1"]
    assert said({"Ann": odd, "Bob": BASE, "Cid": BASE}) == ["Ann: end+1"]
    later = [(s, e + 1, c) for s, e, c in BASE]
    assert said({"Ann": BASE, "Bob": later, "Cid": BASE}) == ["Bob: end-1"]


def test_a_convention_of_one_document_is_named_with_it() -> None:
    """A recording that begins later in one file concerns only that file."""
    continua = {}
    for number in range(4):
        spans = truth(seed=number)
        own = [(s + 400, e + 400, c) for s, e, c in spans] if number == 2 else spans
        continua[f"d{number}"] = document({"Ann": spans, "Bob": own}).with_about(name=f"d{number}")
    (note,) = suspected(continua)
    assert note.convention == "d2/Ann: +400"
    assert note.file == "d2"


def test_ends_of_words_distinguish_a_habit_from_a_convention() -> None:
    """Including a full stop is a habit, and cutting a word in half is a convention."""
    words = ["alpha", "beta", "gamma", "delta", "kappa", "omega", "sigma", "theta"]
    text, spans = "", []
    for word in words:
        spans.append((len(text), len(text) + len(word), "x"))
        text += word + ". "
    known = {"text": text, "offset_unit": "characters"}
    with_stop = [(s, e + 1, c) for s, e, c in spans]
    assert said({"Ann": with_stop, "Bob": spans}, **known) == []
    cut = [(s, e - 1, c) for s, e, c in spans]
    assert said({"Ann": cut, "Bob": spans}, **known) == ["Ann: end+1"]
    # Without the text, both look alike.
    assert said({"Ann": with_stop, "Bob": spans}) == ["Bob: end+1"]


def test_habits_with_exceptions_are_no_conventions() -> None:
    own = [(s, e + (i % 4 > 0), c) for i, (s, e, c) in enumerate(BASE)]
    assert said({"Ann": own, "Bob": BASE}) == []


def test_labels_that_differ_only_by_case_within_an_annotator_stay() -> None:
    own = [(s, e, c.upper() if i % 2 else c) for i, (s, e, c) in enumerate(BASE)]
    assert said({"Ann": own, "Bob": [(s, e, c.upper()) for s, e, c in own]}) == []


def test_periodic_units_have_no_shift() -> None:
    beats = [(10.0 * k, 10.0 * k + 3, "beat") for k in range(30)]
    later = [(s + 4, e + 4, c) for s, e, c in beats]
    assert said({"Ann": beats, "Bob": later}) == []


def test_rounded_frames_are_named_as_rounded() -> None:
    spans = [(s * 97.0, e * 97.0, c) for s, e, c in BASE]
    frames = [(s // 40, e // 40, c) for s, e, c in spans]
    (note,) = suspected({"d": document({"Ann": frames, "Bob": spans})})
    assert note.convention == "Ann: x40"
    assert "up to rounding" in note.evidence


def test_too_few_units_show_no_convention() -> None:
    few = BASE[:3]
    assert said({"Ann": [(s, e - 1, c) for s, e, c in few], "Bob": few}) == []


def test_renamed_annotators_have_the_names_of_the_file(tmp_path: Path, run: Any) -> None:
    path = csv(tmp_path, {"1": PLANTED["Ann: end+1"], "2": BASE})
    shown = run("inspect", str(path), "--rename", "1=Ann", "--json")
    (entry,) = json.loads(shown.out)["conventions"]
    assert entry["convention"] == "1: end+1"
    right = run("inspect", str(path), "--rename", "1=Ann", "--positions", "1: end+1", "--json")
    assert json.loads(right.out)["conventions"] == []


@pytest.mark.needs("tools")
def test_elan_files_with_other_origins_and_units(tmp_path: Path, run: Any) -> None:
    """Of three files with the same gestures, one begins a second later and one counts
    video frames.
    """
    spans = [(2000, 3000, "nod"), (5000, 5600, "shake"), (9000, 9800, "nod"), (14000, 15520, "nod")]
    headers = {
        "Ann": ("milliseconds", 0, [(s, e, c) for s, e, c in spans]),
        "Bob": ("milliseconds", 1000, [(s - 1000, e - 1000, c) for s, e, c in spans]),
        "Cid": ("PAL-frames", 0, [(s // 40, e // 40, c) for s, e, c in spans]),
    }
    for who, (unit, origin, own) in headers.items():
        folder = tmp_path / "talk"
        folder.mkdir(exist_ok=True)
        slots = "".join(
            f'<TIME_SLOT TIME_SLOT_ID="t{i}{side}" TIME_VALUE="{time}"/>'
            for i, span in enumerate(own)
            for side, time in zip("se", span[:2], strict=True)
        )
        rows = "".join(
            f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{i}" TIME_SLOT_REF1="t{i}s" '
            f'TIME_SLOT_REF2="t{i}e"><ANNOTATION_VALUE>{c}</ANNOTATION_VALUE>'
            "</ALIGNABLE_ANNOTATION></ANNOTATION>"
            for i, (_, _, c) in enumerate(own)
        )
        medium = f'<MEDIA_DESCRIPTOR MEDIA_URL="x" TIME_ORIGIN="{origin}"/>'
        (folder / f"{who}.eaf").write_text(
            f'<ANNOTATION_DOCUMENT FORMAT="3.0"><HEADER TIME_UNITS="{unit}">{medium}</HEADER>'
            f"<TIME_ORDER>{slots}</TIME_ORDER>"
            f'<TIER TIER_ID="gesture">{rows}</TIER></ANNOTATION_DOCUMENT>'
        )
    arguments = (str(tmp_path), "--layout", "{document}/{annotator}")
    found = run("gamma", *arguments, "--samples", "30", "--json")
    assert json.loads(found.out)["results"][0]["gamma"] == 1
    assert "TIME_UNITS are frames of video, read as 40 ms each" in found.err
    shown = json.loads(run("inspect", *arguments, "--json").out)["conventions"]
    assert [(Path(n["file"]).name, n["convention"], n["applied"]) for n in shown] == [
        ("Bob.eaf", "+1000", True),
        ("Cid.eaf", "x40", True),
    ]


def test_nothing_is_changed_without_the_option(tmp_path: Path) -> None:
    path = csv(tmp_path, {"Ann": PLANTED["Ann: end+1"], "Bob": BASE})
    assert [u.end for u in gc.read(path) if u.annotator == "Ann"] == [e - 1 for _, e, _ in BASE]
