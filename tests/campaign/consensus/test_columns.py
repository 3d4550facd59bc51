"""Gold standards of a table of documents: the same as those of separate documents."""

import gc as garbage
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gammacp as gc
from gammacp.campaign.consensus import CorpusConsensus, consensus_of_each, several
from gammacp.campaign.consensus.gold_tables import write_units
from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.continuum.document_table import DocumentTable

UNITS = st.tuples(
    st.sampled_from("ABC"), st.integers(0, 40), st.integers(1, 9), st.sampled_from(["x", "y", None])
)
# At least two annotators, some of whom mark nothing; bounds are declared or those of the units.
DOCUMENTS = st.lists(
    st.tuples(st.lists(UNITS, min_size=1, max_size=7), st.booleans()), min_size=2, max_size=5
)


def document(rows: list[tuple[str, int, int, str | None]], *, declared: bool) -> Continuum:
    units = [Unit(who, start, start + length, what) for who, start, length, what in rows]
    bounds = (0.0, 60.0) if declared else None
    return Continuum.from_units(
        units, annotators="ABC", categories=["x", "y"], bounds=bounds, offset_unit="words"
    )


def in_a_table(documents: Mapping[str, Continuum], folder: Path) -> Corpus:
    gc.write(Corpus.from_continua(documents), folder / "units.parquet")
    corpus = gc.read_corpus(folder / "units.parquet")
    assert isinstance(corpus.continua, DocumentTable)
    return corpus


def as_csv(found: CorpusConsensus, folder: Path, *, review: bool) -> str:
    write_units(found, folder / "units.csv", review=review)
    return (folder / "units.csv").read_text(encoding="utf-8")


@settings(max_examples=20, deadline=None)
@given(DOCUMENTS, st.sampled_from([None, "90%", 2]))
def test_the_gold_standard_of_a_table_is_that_of_its_documents(drawn, support) -> None:
    documents = {
        f"d{k}": document(rows, declared=declared_names)
        for k, (rows, declared_names) in enumerate(drawn)
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = in_a_table(documents, folder)
        ours = consensus_of_each(table, weights="vote", support=support)
        gold_standards = consensus_of_each(dict(table.items()), weights="vote", support=support)
        assert isinstance(ours.continua, DocumentTable)
        assert not isinstance(gold_standards.continua, DocumentTable)
        assert isinstance(ours.gold, Corpus)
        assert dict(ours.gold.items()) == dict(gold_standards.gold.items())
        for continuum in ours.gold.values():
            assert continuum.annotators == ("consensus",)
            assert continuum.offset_unit == "words"
        for review in (False, True):
            assert as_csv(ours, folder, review=review) == as_csv(
                gold_standards, folder, review=review
            )
        gc.write(ours.gold, folder / "ours.csv")
        gc.write(gold_standards.gold, folder / "theirs.csv")
        assert (folder / "ours.csv").read_bytes() == (folder / "theirs.csv").read_bytes()


@pytest.mark.slow
def test_gold_standards_of_many_documents_are_never_all_in_memory(
    tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(several, "_KEPT", 10)
    rows = [(who, 10 * k, 5, "x") for who in "ABC" for k in range(3)]
    documents = {f"d{k}": document(rows, declared=False) for k in range(300)}
    table = in_a_table(documents, tmp_path)
    del documents
    gold_standards = consensus_of_each(table, weights="vote")
    gc.write(gold_standards.gold, tmp_path / "gold.parquet")
    assert as_csv(gold_standards, tmp_path, review=False).count("\n") == 1 + 300 * 3
    garbage.collect()
    # a dead proxy has no type
    continua_before = {id(o) for o in garbage.get_objects() if type(o) is Continuum}
    assert len(continua_before) < 150
    assert len(gc.read_corpus(tmp_path / "gold.parquet")) == 300
