"""The chance model `documents`: the permutations and the annotators who never meet."""

import numpy as np
import pytest

from gammacp import Continuum, Corpus, Unit, gamma_corpus
from gammacp.chance.documents import prepare_documents
from gammacp.errors import DataError


def corpus(n_documents: int, people: str = "ABC", *, start: int = 0) -> list[Continuum]:
    """Return documents in which annotator k has k + 1 units, with lengths that identify the
    document.
    """
    found = []
    for d in range(n_documents):
        units = [
            Unit(a, 10 * j, 10 * j + 1 + d / 10, "x")
            for k, a in enumerate(people)
            for j in range(start + k + 1)
        ]
        found.append(Continuum.from_units(units, bounds=(0, 100)))
    return found


def test_each_annotator_occurs_once_and_no_document_twice() -> None:
    sampler = prepare_documents(corpus(4), 3)
    for k in range(200):
        drawn = sampler.draw(np.random.default_rng(k))
        assert sorted(drawn.counts) == [1, 2, 3]
        documents = [float(drawn.lengths[drawn.rows_of(a)][0]) for a in drawn.annotators]
        assert len({round(x, 6) for x in documents}) == 3


def test_all_derangements_occur() -> None:
    """The six ways to deal three documents to three annotators are equally frequent."""
    sampler = prepare_documents(corpus(3), 3)
    seen: dict[tuple[float, ...], int] = {}
    for k in range(3000):
        drawn = sampler.draw(np.random.default_rng(k))
        by_count = {int(n): a for n, a in zip(drawn.counts, drawn.annotators, strict=True)}
        key = tuple(
            round(float(drawn.lengths[drawn.rows_of(by_count[n])][0]), 3) for n in (1, 2, 3)
        )
        seen[key] = seen.get(key, 0) + 1
    assert len(seen) == 6
    assert min(seen.values()) > 400


def test_annotators_with_too_few_documents_borrow_and_are_counted() -> None:
    documents = corpus(3)
    documents.append(Continuum.from_units([Unit("New", 0, 5, "x"), Unit("A", 0, 5, "x")]))
    sampler = prepare_documents(documents, 2)
    assert sampler.signature == "documents(pooled=1)"
    assert sampler.draw(np.random.default_rng(0)).n_annotators == 2


def test_fewer_documents_than_annotators() -> None:
    with pytest.raises(DataError, match="at least 3 documents"):
        prepare_documents(corpus(2), 3)


def test_the_expectation_is_a_ratio_of_sums() -> None:
    """By hand, δ_e = Σ cost / Σ x̄ = 2 if nothing can be aligned.

    Units of different documents are 1000 apart, so each unitary alignment is one unit of cost 1,
    and cost / x̄ is n = 2 in every set.
    """
    documents = {
        f"d{d}": Continuum.from_units(
            [Unit(a, 1000 * d + j, 1000 * d + j + 0.5, "x") for a in "AB" for j in range(d + 1)],
            bounds=(0, 10_000),
        )
        for d in range(4)
    }
    found = gamma_corpus(Corpus.from_continua(documents), chance="documents", samples=50)
    assert found.expected == pytest.approx(2.0)
    assert found.value == 1.0


def test_names_do_not_matter() -> None:
    documents = corpus(4)
    renamed = [
        Continuum.from_units(
            [
                Unit({"A": "Z", "B": "Y", "C": "X"}[u.annotator], u.start, u.end, u.category)
                for u in c
            ],
            bounds=c.bounds,
        )
        for c in documents
    ]
    one, two = prepare_documents(documents, 3), prepare_documents(renamed, 3)
    for k in range(10):
        a, b = one.draw(np.random.default_rng(k)), two.draw(np.random.default_rng(k))
        np.testing.assert_array_equal(a.starts, b.starts)
        np.testing.assert_array_equal(a.ends, b.ends)
