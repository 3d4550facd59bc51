"""What is said of γ in words, by whoever registers it (`[answer]` in a subject.toml)."""

from collections.abc import Callable
from typing import Any

from gammacp.registry import Registry

ANSWERS: Registry[Callable[[Any], Any]] = Registry("answer")
