"""Files of one annotator each: layouts that join them, and doubtful declarations."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import gammacp as gc
from gammacp import Continuum, Unit
from gammacp.formats.reading import collect

WORK = {"Ann": [(0, 4), (10, 14)], "Bob": [(0, 5)], "Cid": [(1, 4)], "Dee": [(2, 4)], "Eve": []}


def put(folder: Path, names: Iterable[tuple[str, str]], tier: str = "") -> Path:
    """Write EAF files of (path, annotator), with a tier named after the annotator or `tier`."""
    for path, who in names:
        units = [Unit(tier or who, s, e, "x") for s, e in WORK[who]]
        made = Continuum.from_units(units, annotators=[tier or who], offset_unit="ms")
        file = folder / f"{path}.eaf"
        file.parent.mkdir(parents=True, exist_ok=True)
        gc.write(made, file)
    return folder


@pytest.mark.needs("tools")
@pytest.mark.parametrize("tier", ["", "gesture"])
@pytest.mark.parametrize(
    ("pattern", "layouts"),
    [
        ("{d}/{a}", ["{document}/{annotator}", "{annotator}/{document}"]),
        ("{a}/{d}", ["{annotator}/{document}", "{document}/{annotator}"]),
        ("x/{d}_{a}", ["{document}_{annotator}", "{annotator}_{document}"]),
        ("x/{a}.{d}", ["{annotator}.{document}", "{document}.{annotator}"]),
    ],
)
def test_names_in_the_files_decide_between_layouts(
    tmp_path: Path, pattern: str, layouts: list[str], tier: str
) -> None:
    """Files without names of annotators allow two layouts, and both are reported with names."""
    names = [(pattern.format(d=d, a=a), a) for d in ("talk", "walk") for a in ("Ann", "Bob")]
    found = collect([put(tmp_path, names, tier)])
    ways = {way.layout: way for way in found.joinings}
    assert set(ways) == set(layouts if tier else layouts[:1])
    assert ways[layouts[0]].in_words() == "talk by Ann, Bob; walk by Ann, Bob"
    if tier:
        assert ways[layouts[1]].in_words() == "Ann by talk, walk; Bob by talk, walk"
    (talk,) = (c for c in gc.read_corpus(tmp_path, layout=layouts[0]).values() if c.name == "talk")
    assert talk.annotators == ("Ann", "Bob")
    assert talk.n_units == 3


@pytest.mark.needs("tools")
def test_long_lists_of_names_are_cut(tmp_path: Path) -> None:
    found = collect([put(tmp_path, [(f"talk/{who}", who) for who in WORK])])
    assert found.joinings[0].in_words() == "talk by Ann, Bob, Cid, 2 more"


@pytest.mark.needs("tools")
def test_files_that_need_no_joining_have_no_note(tmp_path: Path) -> None:
    assert not collect([put(tmp_path / "one", [("talk/Ann", "Ann")])]).joinings
    both = tmp_path / "both.csv"
    both.write_text("Ann,a,0,4\nBob,a,0,4\n")
    found = collect([both, put(tmp_path / "one", [])])
    assert not found.joinings
    assert found.doubt(["Zoe"], found.continua) is None
    given = collect(
        [put(tmp_path / "two", [("a/Ann", "Ann"), ("b/Ann", "Ann")])],
        layout="{document}/{annotator}",
    )
    assert not given.joinings


@pytest.mark.needs("tools")
def test_an_annotator_declared_without_a_file_is_doubted(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    folder = put(tmp_path, [(f"talk/{who}", who) for who in ("Ann", "Bob", "Eve")])
    options = ("--samples", 5, "--json")
    apart = run("gamma", folder, "--annotators", "Ann,Bob", *options)
    assert apart.code == 0
    assert "Ann, Bob: declared, but without a file in 3 documents" in apart.err
    assert "--layout '{document}/{annotator}' (talk by Ann, Bob, Eve)" in apart.err
    assert "Ann, Bob: declared" in apart.out
    joined = ("gamma", folder, "--layout", "{document}/{annotator}", *options)
    assert "Zoe: declared, but without a file in talk" in run(*joined, "--annotators", "Zoe").err
    # Eve has a file without units, and Joe is another name of Bob.
    known = run(*joined, "--annotators", "Eve,Joe", "--rename", "Bob=Joe")
    assert "declared, but" not in known.err


@pytest.mark.needs("tools")
def test_a_file_name_outside_the_layout_is_only_an_error_of_the_file(tmp_path: Path) -> None:
    folder = put(tmp_path, [("talk_Ann", "Ann"), ("talk_Bob", "Bob"), ("readme", "Cid")])
    found = collect([folder], layout="{document}_{annotator}")
    assert [c.annotators for c in found.continua.values()] == [("Ann", "Bob")]
    ((place, error),) = found.failures
    assert place == str(folder / "readme.eaf")
    assert "does not fit the layout" in str(error)


@pytest.mark.parametrize("broken", ["talk_Cid.json", "talk_Cid.csv"])
@pytest.mark.parametrize("ending", ["json", "csv"])
def test_a_document_with_a_broken_file_is_not_read_without_it(
    tmp_path: Path, ending: str, broken: str
) -> None:
    """This holds whatever name the readable files give to the document."""
    for who in ("Ann", "Bob"):
        made = Continuum.from_units([Unit(who, *WORK[who][0], "x")], name="the talk itself")
        gc.write(made, tmp_path / f"talk_{who}.{ending}")
        gc.write(made, tmp_path / f"walk_{who}.{ending}")
    (tmp_path / broken).write_text('{"gammacp": 1, "continuum":')
    for name in ("walk_Ann", "walk_Bob") if ending == "json" else ():
        (tmp_path / f"{name}.json").unlink()  # one name, one document
    found = collect([tmp_path], layout="{document}_{annotator}")
    assert [path for path, _ in found.failures] == [str(tmp_path / broken)]
    assert [*found.continua] == (["walk"] if ending == "csv" else [])


@pytest.mark.needs("tools")
def test_a_link_to_a_folder_is_reported(run: Callable[..., Any], tmp_path: Path) -> None:
    folder = put(tmp_path / "all", [("talk/Ann", "Ann"), ("talk/Bob", "Bob")])
    put(tmp_path / "elsewhere", [("talk/Cid", "Cid")])
    (folder / "more").symlink_to(tmp_path / "elsewhere")
    found = collect([folder], layout="{document}/{annotator}")
    (talk,) = found.continua.values()
    assert talk.annotators == ("Ann", "Bob")
    (told,) = found.left_out
    assert str(told) == "1 file: a link to a folder, not followed; give that folder as well"
    # The advice of the message is followed.
    both = collect([folder, folder / "more"], layout="{document}/{annotator}")
    assert [c.annotators for c in both.continua.values()] == [("Ann", "Bob", "Cid")]
    assert "a link to a folder" in run("inspect", folder, "--layout", "{document}/{annotator}").out
