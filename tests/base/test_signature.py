"""Signatures: parts, quoting, selections."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gammacp.base.signature import describe, fingerprint, parse, quote_part, shortest, signature

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=8)


@given(st.lists(TEXT, min_size=1, max_size=3), st.floats(allow_nan=False), TEXT)
def test_a_parsed_signature_has_the_written_parts(
    names: list[str], value: float, name: str
) -> None:
    entry = f"exclude={','.join(map(quote_part, names))}"
    line = signature("m", selection=[entry, "only=x"], a=value, file=name, nothing=None)
    found = parse(line)
    assert str(found) == line
    assert found.selection == (("exclude", tuple(names)), ("only", ("x",)))
    assert float(found.parts["a"]) == value
    assert "nothing" not in found.parts


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_no_two_numbers_share_their_text(a: float, b: float) -> None:
    assert (shortest(a) == shortest(b)) == (a == b and str(a) == str(b))


@given(st.lists(TEXT), st.lists(TEXT))
def test_no_two_contents_share_a_fingerprint(a: list[str], b: list[str]) -> None:
    assert (fingerprint(*a) == fingerprint(*b)) == (a == b)


def test_custom_dissimilarities_are_distinguished_by_their_fields() -> None:
    class Plain:
        def __init__(self, k: float, weights: object) -> None:
            self.k, self.weights = k, weights

    def shown(k: float, last: float) -> str:
        return describe(Plain(k, np.append(np.zeros(2000), last)))

    assert shown(0.1, 1) == shown(0.1, 1)
    assert len({shown(0.1, 1), shown(0.5, 1), shown(0.1, 2)}) == 3
    assert "object at 0x" not in describe(Plain(0.1, Plain(0.2, None)))
