"""Complete dissimilarities by name, in contrast to the parts of `Combined`."""

from typing import Any

from gammacp.dissimilarity.combined import Combined
from gammacp.plugins import instance_of
from gammacp.registry import Registry

DISSIMILARITIES: Registry[Any] = Registry("dissimilarity")
DISSIMILARITIES.register("combined", Combined())


def dissimilarity(name: str, *, importing: bool = True) -> Any:
    """Return the dissimilarity of that name, of a TOML file, or of `MODULE:CLASS`.

    Parameters
    ----------
    name
        A dissimilarity as `--dissimilarity` takes it.
    importing
        Whether MODULE may be imported. It must not be for a name that was read from a file.

    Raises
    ------
    UsageError
        There is no such name, module or class, or the class is not a dissimilarity.
    DataError
        The file cannot be read, or a value in it is wrong.
    """
    if name.lower().endswith(".toml"):
        from gammacp.dissimilarity.toml_file import read_dissimilarity

        return read_dissimilarity(name)
    if ":" in name:
        return instance_of(name, needs=("pairwise", "bind"), importing=importing)
    return DISSIMILARITIES[name]
