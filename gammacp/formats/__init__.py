"""File formats, one module each, one registry.

`read`, `read_corpus` and `collect` read files, folders and globs; `write` writes. Each format's
module states what its positions count, where annotators and categories come from, and what happens
with spans that a continuum cannot hold as they are.
"""

from typing import TYPE_CHECKING, Any

from gammacp.formats.collection import Collection
from gammacp.formats.reading import collect, read, read_corpus
from gammacp.formats.registry import FORMATS, Format
from gammacp.formats.selection import Selection, select

if TYPE_CHECKING:
    from gammacp.formats.writing import write

__all__ = [
    "FORMATS",
    "Collection",
    "Format",
    "Selection",
    "collect",
    "read",
    "read_corpus",
    "select",
    "write",
]


def __getattr__(name: str) -> Any:
    """Import `write` at its first use: commands that only read do without writers."""
    if name != "write":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from gammacp.formats.writing import write

    return write
