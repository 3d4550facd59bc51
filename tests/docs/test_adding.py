"""Code of the documentation pages on new measures and chance models."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gammacp.chance.registry import CHANCE_MODELS
from gammacp.measures.registry import MEASURES

DEV = Path(__file__).parents[2] / "docs" / "dev"


def page(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the page's code as a module, so that its samplers can be pickled."""
    module = ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", module)
    for block in re.findall(r"```python\n(.*?)```", (DEV / name).read_text("utf-8"), re.S):
        exec(block, module.__dict__)
    return module


@pytest.fixture
def registries() -> Iterator[None]:
    """Remove the entries that a page registers, after the test."""
    before = {registry: set(registry) for registry in (MEASURES, CHANCE_MODELS)}
    yield
    for registry, names in before.items():
        for name in set(registry) - names:
            registry.unregister(name)


@pytest.mark.usefixtures("registries")
def test_a_custom_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    score = page("adding-a-measure.md", monkeypatch).score
    assert score.value == 0
    assert "count-alpha|power:1|" in score.signature


@pytest.mark.usefixtures("registries")
def test_a_custom_chance_model(monkeypatch: pytest.MonkeyPatch) -> None:
    score = page("adding-a-chance-model.md", monkeypatch).score
    assert score.defined
    assert "|chance:mirror|" in score.signature
