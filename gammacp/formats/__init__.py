"""File formats, one module each, one registry.

`read`, `read_corpus` and `collect` read files, folders and globs; `write` writes. Each format's
module states what its positions count, where annotators and categories come from, and what happens
with spans that a continuum cannot hold as they are.
"""

from gammacp.formats.reading import Collection, collect, read, read_corpus
from gammacp.formats.registry import FORMATS, Format
from gammacp.formats.selection import Selection, select
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
