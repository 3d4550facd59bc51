"""Code of the documentation page on new dissimilarities."""

import re
from pathlib import Path
from typing import Any

import pytest

import gammacp as gc
from gammacp.datasets import load
from gammacp.dissimilarity import bind
from gammacp.errors import UsageError

PAGE = Path(__file__).parents[2] / "docs" / "dev" / "adding-a-dissimilarity.md"


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "page"}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S):
        exec(block, names)
    return names


@pytest.mark.needs("testing")
def test_a_custom_positional_part_is_used(page: dict[str, Any]) -> None:
    # [4, 14] and [4, 24] share 10 of 20 positions, and have the same label.
    units = [gc.Unit("A", 4, 14, "x"), gc.Unit("B", 4, 24, "x")]
    continuum = gc.Continuum.from_units(units)
    jaccard = gc.Combined(positional=page["Jaccard"]())
    assert gc.align(continuum, jaccard).disorder == pytest.approx(0.5)
    assert "pos:jaccard" in gc.gamma(continuum, dissimilarity=jaccard, samples=2).signature


def test_a_dissimilarity_that_compares_all_pairs_warns_once() -> None:
    class Everywhere:
        def pairwise(self, u: Any, v: Any) -> Any:
            return abs(u.start - v.start)

    units = [gc.Unit(who, i, i + 1, "x") for who in "AB" for i in range(250)]
    many = gc.Continuum.from_units(units)
    with pytest.warns(UserWarning, match="Everywhere compares every pair of units") as told:
        bind(Everywhere(), many)
        bind(Everywhere(), many)
    assert len(told) == 1
    bind(gc.Combined(alpha=0), many)  # kernels use only categories


@pytest.mark.needs("testing")
def test_a_custom_categorial_part_is_used(page: dict[str, Any]) -> None:
    units = [gc.Unit("A", 4, 14, "x/a"), gc.Unit("B", 4, 14, "x/b")]
    continuum = gc.Continuum.from_units(units)
    assert gc.align(continuum, gc.Combined(categorial=page["Taxonomy"]())).disorder == 0.5


@pytest.mark.needs("testing")
def test_a_custom_dissimilarity_is_used(page: dict[str, Any]) -> None:
    # Two units are 3 + 1 positions of 10 apart; the other two have unlike categories and cost Δ
    # each.
    units = [
        gc.Unit("A", 0, 10, "x"),
        gc.Unit("B", 3, 11, "x"),
        gc.Unit("A", 20, 30, "x"),
        gc.Unit("B", 20, 30, "y"),
    ]
    continuum = gc.Continuum.from_units(units)
    assert gc.align(continuum, page["CategoryFirst"]()).disorder == pytest.approx((0.4 + 2) / 2)
    found = gc.gamma(load("alex-paul-suzan"), dissimilarity=page["CategoryFirst"](), samples=5)
    assert found.status == "optimal"


@pytest.mark.needs("testing")
def test_gamma_cat_refuses_a_dissimilarity_without_parts(page: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="CategoryFirst"):
        gc.measure(load("alex-paul-suzan"), ["gamma-cat"], dissimilarity=page["CategoryFirst"]())
