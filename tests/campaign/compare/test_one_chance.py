"""The common chance model of everything that is compared: rounds, pairs, documents, categories."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from gammacp import Continuum, DataError, UsageError
from gammacp.base.signature import parse
from gammacp.campaign.compare import Comparison, compare
from gammacp.campaign.compare.rounds import compare_rounds
from gammacp.measures.agreement import Agreement, agreement
from gammacp.testing import continua
from shuffling import ReferenceModel, shuffled_sets

DOCUMENTS = st.lists(
    continua(n_annotators=(2, 3), n_units=(6, 10), categories=("a", "b")), min_size=4, max_size=8
)


def chance_of(signature: str) -> str:
    """Return the chance model, without its parameters for each continuum."""
    models = parse(signature).parts["chance"].split(",")
    return "+".join(sorted({model.partition("(")[0] for model in models}))


def signatures(found: Comparison) -> set[str]:
    parts: list[Agreement] = [found.overall, *found.pairs.agreements.values()]
    parts += [w.agreement for w in found.without]
    parts += [found.against.agreement] if found.against else []
    lines = chain.from_iterable(
        (a.score.signature, *(s.signature for s in a.documents.values())) for a in parts
    )
    return {chance_of(line) for line in lines if line}


def named(documents: list[Continuum], start: int) -> dict[str, Continuum]:
    return {f"d{i}": c for i, c in enumerate(documents, start)}


@settings(max_examples=10, deadline=None)
@given(DOCUMENTS, st.data())
def test_rounds_of_unequal_size_share_the_chance_model(
    documents: list[Continuum], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(2, len(documents) - 2))
    first, second = named(documents[:cut], 0), named(documents[cut:], cut)
    try:
        comparison = compare(first, against=second, samples=2, draws=0)
    except DataError:
        reject()
    assert len(signatures(comparison)) == 1
    assert comparison.against is not None
    again = agreement(second, chance=comparison.overall.chance, samples=2)
    assert again.value == pytest.approx(comparison.against.agreement.value, nan_ok=True)


def test_two_rounds_with_different_models_are_refused() -> None:
    documents = random_documents(8)
    assert agreement(named(documents[:6], 0), samples=2).chance == "documents"
    assert agreement(named(documents[6:], 0), samples=2).chance == "cut"
    with pytest.raises(UsageError, match="'documents' and 'cut'"):
        compare_rounds(
            agreement(named(documents[:6], 0), samples=2),
            agreement(named(documents[6:], 6), samples=2),
        )


def random_documents(number: int) -> list[Continuum]:
    model = ReferenceModel(n_units=8)
    return list(shuffled_sets(model, "position", 0.3, 3, sets=number, seed=5))


def test_rounds_of_one_process_do_not_differ() -> None:
    """Rounds of 8 and 2 documents of one process do not differ.

    With one chance model for each round, γ differed by +.04 at p = .02.
    """
    documents = random_documents(10)
    comparison = compare(
        named(documents[:8], 0), against=named(documents[8:], 8), samples=10, draws=0,
        leave_one_out=False,
    )  # fmt: skip
    assert comparison.against is not None
    assert comparison.against.test.p_value is None  # two documents are too few for a test
    assert "2 documents are too few" in comparison.against.in_words()
    assert {chance_of(s) for s in comparison.signatures} == {"cut"}
    assert (
        agreement(named(documents[8:], 8), chance="cut", samples=10).value
        == comparison.against.agreement.value
    )
