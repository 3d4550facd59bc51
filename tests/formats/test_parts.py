"""Parts that readers share: positions, offsets, layers, tiers, archives and XML."""

import io
import zipfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gammacp import Continuum, DataError, Unit, read, write
from gammacp.formats.archive import members, why_not_annotators
from gammacp.formats.layers import Layer, chosen_feature, chosen_layer, union
from gammacp.formats.offsets import from_utf16
from gammacp.formats.positions import as_text, position
from gammacp.formats.source import Source
from gammacp.formats.tiers import annotator_of, lanes
from gammacp.formats.xmltree import parse
from tests.work import calls


@given(st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: abs(x) < 2**53))
def test_positions_are_written_without_loss(value: float) -> None:
    assert position(as_text(value)) == value


@pytest.mark.parametrize(
    "text", ["", "x", "1_0", "nan", "inf", "1e400", "١", "9007199254740993", "-9007199254740993"]
)
def test_invalid_positions_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"number|2\^53"):
        position(text)


@given(st.text(max_size=20))
def test_utf16_offsets_are_those_of_the_encoding(text: str) -> None:
    convert = from_utf16(text)
    reached = 0
    for i, character in enumerate(text):
        assert convert(reached) == i
        reached += len(character.encode("utf-16-le", "surrogatepass")) // 2
    assert convert(reached) == len(text)
    assert convert(reached + 1) == len(text) + 1


def test_layers() -> None:
    layers = union(
        [{"x.Span": Layer(("value",))}, {"x.Span": Layer(("kind", "value")), "y.Other": Layer()}]
    )
    assert layers == {"x.Span": Layer(("value", "kind")), "y.Other": Layer()}
    assert chosen_layer(layers, "span") == "x.Span"
    assert chosen_feature(layers, "x.Span", None) == "value"
    assert chosen_feature(layers, "y.Other", None) is None
    with pytest.raises(DataError, match=r"several layers: x\.Span, y\.Other"):
        chosen_layer(layers, None)
    with pytest.raises(DataError, match=r"several features: a, b\. Choose"):
        chosen_feature({"z": Layer(("a", "b"))}, "z", None)
    with pytest.raises(DataError, match="fits several layers"):
        chosen_layer({"a.X": Layer(), "b.X": Layer()}, "X")


def test_tier_patterns_are_not_regular_expressions() -> None:
    assert annotator_of("a.b (Ann)", "a.b ({annotator})") == "Ann"
    assert annotator_of("axb (Ann)", "a.b ({annotator})") is None


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 9)), max_size=12))
def test_spans_of_a_lane_never_overlap(spans: list[tuple[int, int]]) -> None:
    marked = [(float(s), float(s + n), str(i)) for i, (s, n) in enumerate(spans)]
    found = lanes(marked)
    assert sorted(x for lane in found for x in lane) == sorted(marked)
    for lane in found:
        assert all(a[1] <= b[0] for a, b in pairwise(lane))
    # The number of lanes is the largest number of spans that are open at one place.
    if all(start < end for start, end, _ in marked):
        open_at = [sum(a[0] <= b[0] < a[1] for a in marked) for b in marked]
        assert len(found) == max(open_at, default=0)


def test_archives_inside_archives() -> None:
    inner, outer = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("ann.xmi", "x")
    with zipfile.ZipFile(outer, "w") as archive:
        archive.writestr("annotation/doc/ann.zip", inner.getvalue())
    assert [str(p) for p, _ in members(outer.getvalue(), "p.zip")] == ["annotation/doc/ann.xmi"]
    with pytest.raises(DataError, match="zip is damaged"):
        list(members(outer.getvalue()[:-30], "p.zip"))


def test_a_broken_zip_is_reported_as_such(tmp_path: Path) -> None:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("a.csv", "A,x,0,1\nB,x,0,1\n")
    for content in (b"", b"not a zip\n", whole.getvalue()[:40], whole.getvalue()[20:]):
        (tmp_path / "a.zip").write_bytes(content)
        with pytest.raises(DataError, match=r"a\.zip: zip is damaged .*\. Export it again"):
            read(tmp_path / "a.zip")
    (tmp_path / "a.zip").write_bytes(whole.getvalue())
    assert read(tmp_path / "a.zip").n_units == 2


@pytest.mark.parametrize("nested", [False, True])
def test_one_limit_applies_to_everything_unpacked(nested: bool) -> None:
    def packed(**files: bytes) -> bytes:
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in files.items():
                archive.writestr(f"{name}.csv", data)
        return content.getvalue()

    halves = {name: bytes(400_000) for name in "abc"}
    content = packed(**({n: packed(x=d) for n, d in halves.items()} if nested else halves))
    assert len(content) < 10_000
    with pytest.raises(DataError, match="unpacked, archives inside included"):
        list(members(content, "p.zip", largest=1 << 20))


def annotators_work(names: list[str]) -> list[str]:
    return [name for name, reason in why_not_annotators(names).items() if not reason]


def test_only_files_of_annotators_count_in_an_archive() -> None:
    inside = ["annotation/d/a.zip", "annotation/d/INITIAL_CAS.zip", "source/d.tsv", ".x/a.csv"]
    assert annotators_work(inside) == ["annotation/d/a.zip", "source/d.tsv"]
    assert annotators_work([*inside, "exportedproject1.json"]) == ["annotation/d/a.zip"]


@pytest.mark.parametrize(
    "content",
    [
        b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
        b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
        b"<a>&b;</a>",
        b"<a>",
        b"",
        b'<?xml version="1.0" encoding="nonsense"?><a/>',
    ],
)
def test_unsafe_and_broken_xml_is_refused(content: bytes) -> None:
    with pytest.raises(DataError, match=r"^a\.xml"):
        parse(Source(Path("a.xml"), "a", "", content))


@pytest.mark.parametrize(
    "ending",
    [
        "csv",
        "json",
        pytest.param("rttm", marks=pytest.mark.needs("tools")),
        pytest.param("TextGrid", marks=[pytest.mark.needs("tools"), pytest.mark.slow]),
        pytest.param("eaf", marks=pytest.mark.needs("tools")),
    ],
)
def test_the_time_grows_with_the_number_of_units_only(tmp_path: Path, ending: str) -> None:
    def work(number: int) -> int:
        units = [Unit("AB"[i % 2], 10 * i, 10 * i + 7, "xyz"[i % 3]) for i in range(number)]
        file = tmp_path / f"{number}.{ending}"
        write(Continuum.from_units(units), file)
        found = []
        needed = calls(lambda: found.append(read(file)))
        assert found[0].n_units == number
        return needed

    assert work(5000) < 5.5 * work(1000)
