"""What other subjects add to a comparison and to a gold standard."""

from collections.abc import Callable
from typing import Any

from gammacp.registry import Registry

COMPARED: Registry[Callable[..., Any]] = Registry("comparison part")
GOLD: Registry[Callable[..., Any]] = Registry("gold part")
