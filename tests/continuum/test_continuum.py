import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gammacp import Continuum, Corpus, DataError, Unit, read
from gammacp.base.signature import parse, signature
from gammacp.continuum.declaring import declare_annotators, declare_bounds
from gammacp.continuum.renaming import rename_categories
from gammacp.continuum.selecting import keep_annotators, keep_categories
from gammacp.continuum.sequence import ContinuumSequence


def test_columns_are_sorted_and_annotators_without_units_are_kept() -> None:
    c = Continuum.from_units(
        [Unit("Bob", 5, 9, "b"), Unit("Ann", 7, 8, None), Unit("Ann", 2, 9, "a")],
        annotators=["Cid"],
    )
    assert c.annotators == ("Cid", "Ann", "Bob")
    assert c.counts.tolist() == [0, 2, 1]
    assert [u.start for u in c] == [2, 7, 5]
    assert c.unit(1) == Unit("Ann", 7, 8, None)
    assert c.bounds == (2, 9)
    assert c.mean_units == 1


def test_row_order_does_not_matter() -> None:
    units = [Unit("A", 1, 2, "x"), Unit("A", 1, 2, "x"), Unit("B", 0, 0, None)]
    assert Continuum.from_units(units) == Continuum.from_units(units[::-1])


@pytest.mark.parametrize("scale", [1, 1000])
def test_timestamps_in_milliseconds_are_kept_exactly(scale: int) -> None:
    start = 1_700_000_000_123 * scale
    c = Continuum.from_units([Unit("A", start, start + 1, None)])
    assert int(c.starts[0]) == start
    assert c.lengths[0] == 1


@pytest.mark.parametrize(
    ("start", "end", "message"),
    [(3, 1, "end 1 < start 3"), (0, np.nan, "finite"), (0, np.inf, "finite"), (0, 2**60, "2\\^53")],
)
def test_bad_positions(start: float, end: float, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Continuum.from_units([Unit("A", start, end, None)])


def test_units_outside_the_bounds_are_an_error() -> None:
    with pytest.raises(DataError, match="outside the bounds 0:5"):
        Continuum.from_units([Unit("A", 1, 9, None)], bounds=(0, 5))


def test_columns_are_read_only() -> None:
    c = Continuum.from_units([Unit("A", 1, 9, None)])
    with pytest.raises(ValueError, match="read-only"):
        c.starts[0] = 3


def test_frame_round_trip() -> None:
    c = Continuum.from_units([Unit("A", 1, 9.5, None), Unit("B", 1, 9, "x")])
    assert Continuum.from_frame(c.to_frame()) == c


def test_selection_and_renaming() -> None:
    c = Continuum.from_units(
        [Unit("A", 1, 9, "x"), Unit("B", 2, 3, "y"), Unit("B", 4, 5, None), Unit("C", 0, 1, "z")]
    )
    assert [u.start for u in keep_annotators(c, ["B"])] == [2, 4]
    assert keep_annotators(c, ["B"]).bounds == (0, 9)
    assert [u.category for u in keep_categories(c, ["y", "x"])] == ["x", "y"]
    merged = rename_categories(c, {"x": "y"})
    assert merged.categories == ("y", "z")
    assert [u.category for u in merged] == ["y", "y", None, "z"]
    with pytest.raises(DataError, match="'Q' does not occur"):
        keep_annotators(c, ["Q"])


def test_corpus_shares_categories() -> None:
    a = Continuum.from_units([Unit("A", 1, 9, "x")])
    b = Continuum.from_units([Unit("B", 1, 9, "w"), Unit("B", 2, 9, None)])
    corpus = Corpus.from_continua({"a": a, "b": b})
    assert corpus.categories == ("w", "x")
    assert corpus["a"].unit(0).category == "x"
    assert [u.category for u in corpus["b"]] == ["w", None]
    assert corpus.annotators == ("A", "B")


def test_a_frame_may_use_the_column_names_of_csv(tmp_path: Path) -> None:
    columns: dict[str, Any] = {"Coder": ["A", "B"], "onset": [1, 2], "End_Time": [3, 4]}
    columns["label"] = ["x", None]
    path = tmp_path / "units.csv"
    path.write_text("Coder,onset,End_Time,label\nA,1,3,x\nB,2,4,\n")
    assert [*Continuum.from_frame(columns)] == [*read(path)]
    # A column that is requested as a feature has no other role; two columns of one role are an
    # error.
    found = Continuum.from_frame({**columns, "type": ["a", "b"]}, features=["type"])
    assert found.features == ("type",)
    with pytest.raises(DataError, match="could be the category: 'label', 'type'"):
        Continuum.from_frame({**columns, "type": ["a", "b"]})


def test_a_frame_of_several_documents_is_refused() -> None:
    """A frame of several documents would lay their units over each other, so it is an error."""
    columns: dict[str, Any] = {"annotator": ["A", "B"], "start": [1, 2], "end": [3, 4]}
    with pytest.raises(DataError, match=r"2 documents in its column 'doc'.*Corpus.from_frame"):
        Continuum.from_frame({**columns, "doc": ["d1", "d2"]})
    assert Continuum.from_frame({**columns, "doc": ["d1", "d1"]}).n_units == 2
    found = Continuum.from_frame({**columns, "doc": ["d1", "d2"]}, features=["doc"])
    assert found.features == ("doc",)


def test_an_error_on_missing_columns_lists_the_present_ones() -> None:
    """Pandas makes one column of a CSV file whose first line is a comment."""
    told = r"data frame: there is no column for annotator, start or end; .* '# bounds: 2 60'\. Say"
    with pytest.raises(DataError, match=told):
        Continuum.from_frame({"# bounds: 2 60": ["category", "x"]})
    with pytest.raises(DataError, match=r"unknown are '0', .*'11' and 8 more"):
        Continuum.from_frame({str(i): [1] for i in range(20)})


@pytest.mark.parametrize("column", ["annotator", "start", "end"])
@pytest.mark.parametrize("kind", ["none", "nan", "na"])
def test_a_frame_with_a_gap_names_the_row(column: str, kind: str) -> None:
    pd = pytest.importorskip("pandas")
    columns: dict[str, Any] = {"annotator": ["A", "B"], "start": [1, 2], "end": [3, 4]}
    columns[column] = [columns[column][0], {"none": None, "nan": math.nan, "na": pd.NA}[kind]]
    with pytest.raises(DataError, match=f"row 2 of the data frame has no {column}"):
        Continuum.from_frame(pd.DataFrame(columns))


@pytest.mark.parametrize(
    ("column", "values", "complaint"),
    [
        ("annotator", ["A", " "], "row 2 of the data frame has no annotator"),
        ("start", [1, True], "row 2 of the data frame: start True is not a number"),
        ("end", [True, True], "row 1 of the data frame: end True is not a number"),
    ],
)
def test_a_frame_with_impossible_values_is_refused(
    column: str, values: list[Any], complaint: str
) -> None:
    columns = {"annotator": ["A", "B"], "start": [1, 2], "end": [3, 4], column: values}
    with pytest.raises(DataError, match=complaint):
        Continuum.from_frame(columns)


@pytest.mark.parametrize(
    ("labels", "dtype", "expected"),
    [
        (["x", None], "string", ["x", None]),
        ([1, None], "float64", ["1", None]),
        ([1, None], "Int64", ["1", None]),
        ([1.5, None], "float64", ["1.5", None]),
        (["x", None], "category", ["x", None]),
        ([1.5, 2.0], "float64", ["1.5", "2"]),
        ([1, 2], "float32", ["1", "2"]),
    ],
)
def test_categories_of_a_frame(labels: list[Any], dtype: str, expected: list[str | None]) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"annotator": ["A", "B"], "start": [1, 2], "end": [3, 4]})
    frame["category"] = pd.Series(labels, dtype=dtype)
    assert [u.category for u in Continuum.from_frame(frame)] == expected


def test_rows_of_one_frame_have_the_same_names_in_every_document() -> None:
    """The rating 2.0 is one category, whether or not a document also has a rating of 1.5."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"annotator": [1.0, 2.0] * 2, "category": [1.5, 2.0, 2.0, 1.0]})
    frame["start"], frame["end"] = 0, 3
    first, second = (Continuum.from_frame(frame[i : i + 2]) for i in (0, 2))
    assert (first.categories, second.categories) == (("1.5", "2"), ("1", "2"))
    assert first.annotators == second.annotators == ("1", "2")


def test_selections_are_recorded() -> None:
    c = Continuum.from_units(
        [Unit("A", 1, 9, "x"), Unit("B", 2, 3, "y"), Unit("C|;", 0, 1, "z=")], name="d"
    )
    assert c.selection == ()
    chosen = keep_categories(
        keep_annotators(rename_categories(c, {"z=": "z"}), ["A", "B"]), ["x", "y"]
    )
    chosen = declare_bounds(declare_annotators(chosen, ["D"]), (0, 10.5))
    assert chosen.selection == (
        "map=z%3D,z", "exclude=C%7C%3B", "only=x,y", "annotators=D", "bounds=0,10.5",
    )  # fmt: skip
    assert parse(signature("m", selection=chosen.selection)).selection[1] == ("exclude", ("C|;",))
    assert Corpus.from_continua({"d": chosen})["d"].selection == chosen.selection


def test_selecting_everything_is_no_selection() -> None:
    c = Continuum.from_units([Unit("A", 1, 9, "x"), Unit("B", 2, 3, "y")])
    same = declare_bounds(
        keep_categories(keep_annotators(rename_categories(c, {"x": "x"}), ["A", "B"]), ["x", "y"]),
        c.bounds,
    )
    assert declare_annotators(same, ["A"]) is c
    assert c.noting("layer", "L") == c


def test_a_corpus_keeps_the_order_its_continua_agree_on() -> None:
    order = ("low", "mid", "high")
    a = Continuum.from_units([Unit("A", 1, 9, "high")], categories=order)
    assert Corpus.from_continua({"a": a, "b": a}).categories == order
    assert Corpus.from_continua({"a": a}, categories=order[::-1]).categories == order[::-1]
    other = Continuum.from_units([Unit("A", 1, 9, "high")])
    assert Corpus.from_continua({"a": a, "b": other}).categories == ("high", "low", "mid")


def test_a_unit_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(DataError, match="unit of annotator 'Ann' has end 2 < start 5"):
        Unit("Ann", 5, 2)


def test_a_corpus_prints_in_one_line() -> None:
    continuum = Continuum.from_units([Unit("Ann", 0, 2, "x"), Unit("Bob", 0, 3, "y")])
    shown = repr(Corpus.from_continua({"one": continuum, "two": continuum}))
    assert shown == "Corpus(2 continua, 2 annotators, 4 units, 2 categories)"


def test_counts_are_singular_or_plural() -> None:
    one = Continuum.from_units([Unit("Ann", 0, 2, "x")])
    assert repr(one) == "Continuum(1 annotator, 1 unit, 1 category, bounds 0:2)"
    two = Continuum.from_units([Unit("Ann", 0, 2, "x"), Unit("Bob", 0, 3, "y")], name="d")
    assert repr(two) == "Continuum('d', 2 annotators, 2 units, 2 categories, bounds 0:3)"
    corpus = repr(Corpus.from_continua({"one": one}))
    assert corpus == "Corpus(1 continuum, 1 annotator, 1 unit, 1 category)"


def test_a_sequence_keeps_its_hash_but_sends_it_to_no_other_process() -> None:
    continua = [Continuum.from_units([Unit("Ann", 2, 9, "a")]) for _ in range(3)]
    sequence = ContinuumSequence(continua)
    assert hash(sequence) == hash(ContinuumSequence(continua)) == hash(sequence)
    assert "_hash" in vars(sequence)
    sent = pickle.loads(pickle.dumps(sequence))
    assert "_hash" not in vars(sent)
    assert sent == sequence


def test_a_part_of_a_sequence_has_the_quantities_of_its_continua() -> None:
    continua = [
        Continuum.from_units(
            [
                Unit(a, k + start, k + start + 1.5, "x")
                for a in "AB"[: 1 + k % 2]
                for start in (0, 2)
            ],
            annotators=["A", "B", "C"][: 1 + k % 3],
            bounds=(-1.0, 20.0) if k % 4 == 0 else None,
        )
        for k in range(9)
    ]
    continua[3] = Continuum.from_units([], annotators=["A"], categories=["x"])
    whole = ContinuumSequence(continua)
    places = np.array([7, 3, 1, 4, 4])
    parts = {
        "places": (whole.at(places), [continua[i] for i in places]),
        "slice": (whole[2:6], continua[2:6]),
        "part of a part": (whole[2:].at(np.array([4, 1]))[::-1], [continua[3], continua[6]]),
        "none": (whole[9:], []),
        "sent": (pickle.loads(pickle.dumps(whole[2:6])), continua[2:6]),
    }
    for part, alone in parts.values():
        assert list(part) == alone
        assert part.n_units.tolist() == [len(c.starts) for c in alone]
        assert part.n_annotators.tolist() == [len(c.annotators) for c in alone]
        assert list(zip(*(x.tolist() for x in part.bounds), strict=True)) == [
            c.bounds for c in alone
        ]
        assert list(part.own_bounds) == [c.declared for c in alone]
        assert part.counts.tolist() == [n for c in alone for n in c.counts.tolist()]
        for name, column in part.all_units()._asdict().items():
            assert column.tolist() == [x for c in alone for x in getattr(c, name).tolist()]
            assert column.dtype == getattr(continua[0], name).dtype


def test_a_corpus_sends_no_sequence_to_other_processes() -> None:
    continuum = Continuum.from_units([Unit("Ann", 0, 2, "x")])
    corpus = Corpus.from_continua({"one": continuum})
    assert corpus.sequence is corpus.sequence
    sent = pickle.loads(pickle.dumps(corpus))
    assert sent == corpus
    assert "sequence" not in vars(sent)
