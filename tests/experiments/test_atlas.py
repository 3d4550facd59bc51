"""The atlas of real corpora: its arithmetic, and reports on corpora that are missing."""

from pathlib import Path

import pytest

from experiments._corpora import CORPORA, read
from experiments.atlas import Row, disagreement, items_of, orders_of, row_of, sample_documents
from gammacp.continuum import Continuum, Unit
from gammacp.measures.measuring import measure
from gammacp.measures.score import Score


def document(shift: float) -> Continuum:
    spans = [(0.0, 9.0, "a"), (20.0, 29.0, "b"), (40.0, 49.0, "a")]
    units = [
        Unit(who, s + d, e + d, c) for who, d in (("A", 0.0), ("B", shift)) for s, e, c in spans
    ]
    return Continuum.from_units(units)


def test_a_missing_corpus_is_named(tmp_path: Path) -> None:
    assert read(CORPORA[0], None) == "no --data DIR"
    assert read(CORPORA[0], tmp_path) == f"{CORPORA[0].path} is not there"
    path = tmp_path / CORPORA[0].path
    path.parent.mkdir()
    path.write_text("continuum,annotator,category,start,end\n1,w1,x,9,three\n")
    told = read(CORPORA[0], tmp_path)
    assert isinstance(told, str)
    assert "toxic-spans.csv:2" in told


def test_every_corpus_names_its_source() -> None:
    assert all(c.licence and c.source and c.about for c in CORPORA)
    assert len({c.name for c in CORPORA}) == len(CORPORA)


def test_the_same_documents_are_drawn_each_time() -> None:
    documents = {f"d{i}": document(i / 10) for i in range(30)}
    assert list(sample_documents(documents, 5)) == list(sample_documents(documents, 5))
    assert len(sample_documents(documents, 5)) == 5
    empty = Continuum.from_units([], annotators=["A", "B"], bounds=(0, 9))
    assert list(sample_documents({"empty": empty, "d": document(1)}, 5)) == ["d"]


def test_a_document_is_measured_whole_by_category_and_by_pair() -> None:
    brat = next(c for c in CORPORA if c.name == "names (CoNLL)")
    items = list(items_of(brat, {"d": document(1)}, 1))
    assert [i.places for i in items] == [
        (("corpus", ""),),
        (("category", "a"),),
        (("category", "b"),),
        (("annotator", "A"), ("annotator", "B")),
    ]
    assert items[1].continuum.n_units == 4


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (Score(value=0.75, observed=0.5, expected=2.0), (0.5, 2.0)),  # disagreements
        (Score(value=0.5, observed=0.9, expected=0.8), (0.1, 0.2)),  # agreements
        (Score(value=0.6), (0.4, 1.0)),  # no chance model
        (Score(value=0.6, observed=0.4), (0.4, 1.0)),
    ],
)
def test_disagreement_of_any_measure(score: Score, expected: tuple[float, float]) -> None:
    assert disagreement(score) == pytest.approx(expected)


def test_a_corpus_of_one_document_has_the_value_of_that_document() -> None:
    c = document(4)
    for name, score in measure(c, ["gamma", "kappa-d", "cu-alpha", "ser"], samples=10).items():
        part = disagreement(score)
        assert part is not None
        assert row_of(("x", "corpus", "", name), [part], 1)["value"] == pytest.approx(score.value)


def ranked(measure_name: str, **values: tuple[float, float, float]) -> list[Row]:
    return [
        {"corpus": c, "level": "corpus", "name": "", "measure": measure_name}
        | {"defined": 9, "of": 9}
        | dict(zip(("low", "value", "high"), v, strict=True))
        for c, v in values.items()
    ]


def test_contradictions_are_opposite_orders_with_intervals_apart() -> None:
    first = ranked("m", a=(0.1, 0.2, 0.3), b=(0.4, 0.5, 0.6), c=(0.5, 0.6, 0.7))
    second = ranked("n", a=(0.7, 0.8, 0.9), b=(0.1, 0.2, 0.3), c=(0.2, 0.3, 0.4))
    (found,) = orders_of([*first, *second])
    assert (found["pairs"], found["contradicting"]) == (3, 2)
    assert found["tau"] == pytest.approx(-1 / 3)


def test_a_measure_that_is_mostly_undefined_orders_nothing() -> None:
    rows = ranked("m", a=(0, 1, 2), b=(0, 1, 2), c=(0, 1, 2))
    hardly = [r | {"measure": "n", "defined": 4} for r in rows]
    assert orders_of([*rows, *hardly]) == []
