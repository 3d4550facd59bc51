from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gammacp.bench.sweep import Sweep, configuration_hash
from gammacp.errors import UsageError

Build = Callable[..., Sweep]


class Scaled:
    """User's class that keeps its state in a private attribute."""

    def __init__(self, scale: object) -> None:
        self._scale = scale


def one(x: float) -> float:
    return x


def two(x: float) -> float:
    return 2 * x


def digest(build: Build, option: object) -> str:
    return configuration_hash(build(options={"own": option}).configuration)


@pytest.mark.parametrize(
    ("option", "other"),
    [
        (1, 1.5),
        ("a", "b"),
        (Scaled(1), Scaled(2)),
        (Scaled(np.arange(3)), Scaled(np.arange(4))),
        (Scaled({"a"}), Scaled({"b"})),
        (one, two),
        (Scaled, Sweep),
        ([1, {"a": None}], [1, {"a": 0}]),
    ],
)
def test_any_difference_makes_another_configuration(
    toy_sweep: Build, option: object, other: object
) -> None:
    assert digest(toy_sweep, option) == digest(toy_sweep, option)
    assert digest(toy_sweep, option) != digest(toy_sweep, other)


def test_equal_objects_are_the_same_configuration(toy_sweep: Build) -> None:
    assert digest(toy_sweep, Scaled({"b", "a"})) == digest(toy_sweep, Scaled({"a", "b"}))


def test_objects_without_a_description_are_refused(toy_sweep: Build) -> None:
    with pytest.raises(UsageError, match="generator cannot be described"):
        digest(toy_sweep, (x for x in ()))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"errors": ()}, "needs at least one error"),
        ({"magnitudes": ()}, "needs at least one magnitude"),
        ({"measures": ("ser", "ser")}, "measure 'ser' is named twice"),
        ({"experiment": ""}, "needs a name"),
        ({"sets": 0}, "sets 0 < 1"),
        ({"magnitudes": (float("nan"),)}, "magnitude nan is not in"),
        ({"options": {"seed": 1}}, "the sweep's own"),
    ],
)
def test_impossible_sweeps_are_refused(toy_sweep: Build, change: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        toy_sweep(**change)


def test_only_a_sweep_beyond_chance_says_so_in_its_configuration(toy_sweep: Build) -> None:
    """A sweep without `beyond_chance` has the configuration of stores from before that option."""
    assert "beyond_chance" not in toy_sweep().configuration
    assert toy_sweep(beyond_chance=True).configuration["beyond_chance"] is True
