from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sweep_toys import ToySource

from gammacp.bench.sweep import Sweep


@pytest.fixture
def toy_sweep() -> Callable[..., Sweep]:
    def build(**changes: Any) -> Sweep:
        fields: dict[str, Any] = {
            "source": ToySource(),
            "errors": ("move", "move+drop"),
            "measures": ("toy-spread", "toy-random", "toy-by-category"),
            "magnitudes": (0, 0.25, 0.5, 1),
            "sets": 5,
            "modules": ("sweep_toys",),
        }
        return Sweep(**(fields | changes))

    return build
