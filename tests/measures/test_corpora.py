"""Corpora of short documents: marked or not, shared random sets, and strata."""

import gc as garbage
import json
import math
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gammacp as gc
from gammacp.alignment import align, aligned
from gammacp.chance import sampling
from gammacp.chance.expected import FEWEST_SAMPLES, FIRST_SAMPLES
from gammacp.chance.sampling import Strata
from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.continuum.document_table import DocumentTable
from gammacp.measures import gamma_corpus, random_sets
from gammacp.measures.agreement import agreement
from gammacp.measures.gamma import GammaScore
from gammacp.measures.marked import alpha_of_marking
from gammacp.measures.random_sets import Basis
from gammacp.measures.settings import Settings
from gammacp.pools import Processes


def document(*counts: int, names: str = "ABCDEF", bounds: tuple[int, int] = (0, 100)) -> Continuum:
    """Return a document with the given number of units by each annotator."""
    rows = [(names[a], 10 * i, 10 * i + 5) for a, k in enumerate(counts) for i in range(k)]
    who, starts, ends = zip(*rows, strict=True) if rows else ((), (), ())
    return Continuum.from_columns(
        list(who), ["x"] * len(rows), list(starts), list(ends),
        annotators=names[: len(counts)], categories=["x"], bounds=bounds,
    )  # fmt: skip


def corpus(documents: Sequence[Continuum]) -> Corpus:
    return Corpus.from_continua({f"d{i}": c for i, c in enumerate(documents)})


def test_marked_or_not_by_hand() -> None:
    found = alpha_of_marking({"a": document(1, 2), "b": document(0, 0), "c": document(0, 3)})
    assert found.alpha == pytest.approx(4 / 9)
    assert (found.documents, found.unmarked, found.divided) == (3, ("b",), 1)
    assert "nobody marked anything in 1 (b)" in found.in_words()
    everything = alpha_of_marking({"a": document(1, 2), "b": document(2, 1)})
    assert math.isnan(everything.alpha)
    assert everything.in_words() == ""


def test_marked_or_not_is_krippendorffs_alpha() -> None:
    krippendorff = pytest.importorskip("krippendorff")
    rng = np.random.default_rng(1)
    counts = rng.integers(0, 2, size=(40, 5)) * rng.integers(1, 3, size=(40, 5))
    data = np.where(rng.random((40, 5)) < 0.3, np.nan, counts > 0)
    documents = {}
    for i, row in enumerate(data):
        names = [n for n, v in zip("ABCDE", row, strict=True) if not np.isnan(v)]
        chosen = document(*[int(v) for v in row if not np.isnan(v)])
        documents[str(i)] = chosen if len(names) else document()
    expected = krippendorff.alpha(reliability_data=data.T, level_of_measurement="nominal")
    assert alpha_of_marking(documents).alpha == pytest.approx(expected, abs=1e-12)


def test_documents_without_alignments_have_no_status() -> None:
    found = gc.gamma_corpus(corpus([document(2), document(1)]), samples=5)
    assert found.reason == "no continuum has a γ"
    assert found.status is None
    assert gc.gamma_corpus(corpus([document(2, 1), document(1)]), samples=5).status == "optimal"


def test_empty_documents_are_named_in_one_note() -> None:
    found = gc.gamma_corpus(corpus([document(1, 2), document(0, 0), document(2, 1)]), samples=5)
    assert found.marked is not None
    assert found.as_dict()["marked"]["unmarked"] == ["d1"]
    assert found.in_words()[0].endswith("nobody marked anything in 1 (d1).")


def test_an_empty_corpus_has_no_agreement_under_any_dissimilarity() -> None:
    class OfUnits:
        def bind(self, annotations: Corpus) -> gc.Combined:
            return gc.Combined(delta=max(c.n_units for c in annotations.values()))

    for dissimilarity in (OfUnits(), gc.Combined(categorial="tree-information")):
        found = agreement({}, dissimilarity=dissimilarity)
        assert (math.isnan(found.value), found.documents) == (True, {})


def test_small_groups_of_a_corpus_get_few_random_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """The corpus keeps its precision, as one document by five annotators hardly matters."""
    documents = [document(1 + i % 3, 1 + i % 2) for i in range(300)] + [document(1, 0, 1, 0, 1)]
    monkeypatch.setattr(random_sets, "_MANY", 30)
    basis = Basis(corpus(documents), Settings.of(chance="documents"))
    two, five = (basis.chance(c).expected for c in (basis.continua[0], basis.continua[-1]))
    assert five.samples == FEWEST_SAMPLES < FIRST_SAMPLES <= two.samples


def test_chance_within_many_documents_is_shared_and_within_few_is_not() -> None:
    few = Basis(corpus([document(1 + i % 3, 2) for i in range(5)]), Settings.of(chance="cut"))
    assert few.chance(few.continua[0]) is not few.chance(few.continua[1])
    many = Basis(corpus([document(1 + i % 3, 2) for i in range(60)]), Settings.of(chance="cut"))
    assert many.chance(many.continua[0]) is many.chance(many.continua[1])
    assert many.chance(many.continua[0]).model == "cut(over=60)"


class _Constant:
    signature = "constant"

    def __init__(self, value: int) -> None:
        self.value = value

    def draw(self, rng: np.random.Generator) -> int:  # noqa: ARG002
        return self.value


def test_many_strata_are_ranges_that_use_every_sampler_equally() -> None:
    size = 1250
    strata = Strata(tuple(_Constant(i) for i in range(size)), "many")
    assert strata.rounds == sampling.MOST_STRATA
    drawn = [
        strata.of(k % strata.rounds, sampling.sample_seed(0, k)).draw(np.random.default_rng(0))
        for k in range(20 * strata.rounds)
    ]
    counts = np.bincount(drawn, minlength=size)
    # The mean is 8, and samplers at the ends of a range are no rarer than others.
    assert counts.mean() == 8
    assert abs(counts[::5].mean() - 8) < 0.6
    assert abs(counts[2::5].mean() - 8) < 0.6


@pytest.mark.parametrize("start", [pytest.param(0, marks=pytest.mark.slow), 5000])
def test_independent_short_documents_have_no_agreement(start: int) -> None:
    """Positions without declared bounds count from the beginning of documents.

    With mosaics, γ would be −.09.
    """
    values = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        documents = []
        for _ in range(120):
            who, starts = [], []
            for name in "ABC":
                k = int(rng.poisson(2))
                who += [name] * k
                starts += rng.integers(0, 110, size=k).tolist()
            ends = [s + 8 for s in starts]
            moved = [np.add(p, start).tolist() for p in (starts, ends)]
            documents.append(
                Continuum.from_columns(who, ["x"] * len(who), *moved, annotators="ABC")
            )
        found = gc.gamma_corpus(corpus(documents), chance="documents", samples=1000)
        values.append(found.value)
    assert np.mean(values) == pytest.approx(0, abs=0.03)


def test_a_crowd_among_many_documents_is_aligned_as_precisely_as_its_chance() -> None:
    names = [f"A{k}" for k in range(30)]
    starts = [10.0 * (k % 3) + 0.1 * k for k in range(30)]
    crowd = Continuum.from_columns(names, ["x"] * 30, starts, [s + 4 for s in starts])
    pairs = {
        str(k): Continuum.from_columns(["A0", "A1"] * 5, ["x"] * 10, range(10), range(3, 13))
        for k in range(200)
    }
    many = Basis(Corpus.from_continua({"crowd": crowd, **pairs}), Settings.of())
    found, proven = many.align([*pairs.values(), crowd])[-1], align(crowd, many.dissimilarity)
    assert proven.bound == proven.disorder <= found.disorder
    assert found.bound <= proven.disorder
    assert found.bound >= 0.75 * found.disorder
    assert many.rules.gap(crowd.n_annotators) > 0 == many.rules.gap(2)
    few = Basis(Corpus.from_continua({"crowd": crowd, "0": pairs["0"]}), Settings.of())
    assert few.rules.gap(crowd.n_annotators) == 0


def in_a_table(folder: Path, size: int) -> Corpus:
    """Write a table of documents by one to three annotators, some without units or with bounds."""
    rng = np.random.default_rng(size)
    documents = {}
    for d in range(size):
        # Some documents are long enough for a note on what one annotator did not read.
        long = d % 13 == 1
        n = 3 if long else int(rng.integers(1, 4))
        counts = rng.integers(0, 6, n) * (d % 7 > 0) + 12 * long
        who = np.repeat(rng.permutation(list("ABCD"))[:n], counts).tolist()
        starts = rng.integers(0, 90, len(who)) / 4
        starts[: counts[0]] /= 1 + 4 * long
        documents[f"d{(d * 7919) % size:04}"] = Continuum.from_columns(
            who,
            rng.choice(["x", "y", None], len(who)).tolist(),
            starts,
            starts + rng.integers(0, 9, len(who)),
            annotators=[*dict.fromkeys(who)] or ["A", "B"],
            categories=["x", "y"],
            bounds=(-2.0, 60.0) if d % 5 == 0 else None,
        )
    gc.write(Corpus.from_continua(documents), folder / "c.parquet")
    found = gc.read_corpus(folder / "c.parquet")
    assert isinstance(found.continua, DocumentTable)
    return found


def told(continua: Corpus, **options: Any) -> str:
    """Return all that JSON has of an agreement, and the columns behind it."""
    found = agreement(continua, samples=10, **options).with_over()
    sums = vars(found.pair_sums) | vars(found.contributions()) if found.rated else {}
    columns = {name: np.asarray(column).tolist() for name, column in sums.items()}
    return json.dumps([found.as_dict(), columns, [*found.computed], [*found.rated]])


@pytest.mark.parametrize(
    "chance", ["cut/documents", pytest.param("cut", marks=pytest.mark.slow), "corpus"]
)
def test_a_table_is_measured_as_single_documents(tmp_path: Path, chance: str) -> None:
    table = in_a_table(tmp_path, 90)
    objects = Corpus.from_continua(dict(table.items()))
    assert not isinstance(objects.continua, DocumentTable)
    found = told(table, chance=chance)
    assert found == told(objects, chance=chance)
    if chance == "cut/documents":
        with Processes(2) as pool:
            assert found == told(table, chance=chance, executor=pool)
        assert '"bootstrap": [' in told(table, bootstrap=1) == told(objects, bootstrap=1)


def test_a_new_key_of_records_is_the_same_from_any_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = GammaScore.as_dict

    def with_mean_length(score: GammaScore) -> dict[str, Any]:
        lengths = score.document.continuum.lengths
        return record(score) | {"mean_length": float(lengths.mean())}

    monkeypatch.setattr(GammaScore, "as_dict", with_mean_length)
    names = ("short", "middle", "long")
    lengths = dict(zip(names, (2.0, 3.5, 7.0), strict=True))
    rows = [
        Unit(annotator, start, start + length, "x")
        for length in lengths.values()
        for annotator in "ABC"
        for start in (0.0, 10.0, 20.0)
    ]
    documents = Corpus.from_continua(
        {
            name: Continuum.from_units(rows[9 * place : 9 * place + 9])
            for place, name in enumerate(names)
        }
    )
    records = []
    for ending in ("csv", "parquet"):
        file = tmp_path / f"c.{ending}"
        gc.write(documents, file)
        found = agreement(gc.read_corpus(file), samples=30)
        records.append({record["file"]: record for record in found.results()})
    assert records[0] == records[1]
    assert {name: r["mean_length"] for name, r in records[1].items()} == lengths


def test_scores_of_a_table_keep_their_alignment_when_pickled(tmp_path: Path) -> None:
    found = agreement(in_a_table(tmp_path, 20), samples=30).rated
    score = next(iter(found.values()))
    copied = pickle.loads(pickle.dumps(score))
    assert copied == score
    assert copied.alignment == score.alignment
    assert copied.observed == copied.document.disorder == copied.alignment.disorder


def test_only_requested_documents_become_objects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (gamma_corpus, aligned):
        monkeypatch.setattr(module, "_KEPT", 10)
    found = agreement(in_a_table(tmp_path, 300), samples=5)
    assert sum(1 for _ in found.results()) == 300
    garbage.collect()
    # a dead proxy has no type
    there = {id(o) for o in garbage.get_objects() if type(o) is Continuum}
    assert len(found.rated) > 150 > 100 > len(there)
