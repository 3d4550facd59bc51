"""One registry for everything that is chosen by name: measures, formats, solvers, chance models."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar

from gammacp.base.arguments import one_of
from gammacp.errors import UsageError
from gammacp.plugins import load_installed

T = TypeVar("T")

HERE = Path(__file__).parent
# What each subject (a folder with a subject.toml) says of itself: nothing else names it.
SUBJECTS: Mapping[str, Mapping[str, Any]] = {
    path.parent.name: tomllib.loads(path.read_text(encoding="utf-8"))
    for path in sorted(HERE.glob("*/subject.toml"))
}


def _modules() -> dict[str, dict[str, str]]:
    """The modules of the built-in entries by kind, with the names that each registers."""
    found: dict[str, dict[str, str]] = {}
    core = tomllib.loads((HERE / "built_in.toml").read_text(encoding="utf-8"))
    for known in (core, *SUBJECTS.values()):
        for kind, modules in known.items():
            if isinstance(modules, Mapping) and kind != "command":
                found.setdefault(kind, {}).update(modules)
    for kind in [k for k in found if k.endswith(" last")]:
        found[kind.removesuffix(" last")] |= found.pop(kind)
    return found


MODULES: Mapping[str, Mapping[str, str]] = _modules()
REGISTRIES: dict[str, Registry[Any]] = {}


class Registry(Generic[T]):
    """Named entries of one kind; built-in and installed ones are imported at the first look-up.

    Parameters
    ----------
    kind
        What an entry is, for messages ("measure"); also the key of its built-in entries in
        `built_in.toml`.
    """

    def __init__(self, kind: str) -> None:
        """Nothing is imported yet."""
        self.kind = kind
        self.modules = tuple(MODULES.get(kind, ()))
        self._entries: dict[str, T] = {}
        self._loaded = False
        REGISTRIES[kind] = self

    def register(self, name: str, entry: T) -> T:
        """Add `entry`; a name can be taken only once, and those of gammacp are.

        Parameters
        ----------
        name
            How it is chosen.
        entry
            What is chosen.

        Raises
        ------
        UsageError
            Another entry has the name.
        """
        for module, listed in MODULES.get(self.kind, {}).items():
            if name in listed.split() and module not in sys.modules:
                import_module(module)  # else it would find its own name taken
        if self._entries.get(name, entry) is not entry:
            raise UsageError(f"{self.kind} {name!r} is registered already")
        self._entries[name] = entry
        return entry

    def unregister(self, name: str) -> None:
        """Take an entry out again, for tests and for notebooks that define one anew.

        Parameters
        ----------
        name
            Of the entry; one that is not there is no error.
        """
        self._entries.pop(name, None)

    def _load(self) -> None:
        if not self._loaded:
            self._loaded = True
            for module in self.modules:
                import_module(module)
            load_installed()

    def __getitem__(self, name: str) -> T:
        """The entry, or a UsageError that lists what there is."""
        if name not in self._entries:
            self._load()
        try:
            return self._entries[one_of(self.kind, name, sorted(self._entries))]
        except UsageError as error:
            raise UsageError(f"{error} (load your own with --import)") from None

    def __contains__(self, name: object) -> bool:
        """Whether there is an entry of that name."""
        self._load()
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        """Built-in names in the order of their list, whatever was imported first; then others."""
        self._load()
        listed = [name for name in _built_in(self.kind) if name in self._entries]
        return iter(tuple(dict.fromkeys((*listed, *self._entries))))

    def __len__(self) -> int:
        """How many entries there are."""
        self._load()
        return len(self._entries)

    def items(self) -> Iterator[tuple[str, T]]:
        """Names with their entries."""
        return iter(tuple((name, self._entries[name]) for name in self))


def names(kind: str) -> tuple[str, ...]:
    """All names of a kind, without importing the built-in ones.

    >>> names("positional dissimilarity")[:2]
    ('sporadic', 'sporadic-2011')
    """
    load_installed()
    made = REGISTRIES.get(kind)
    return tuple(dict.fromkeys((*_built_in(kind), *(made._entries if made else ()))))


def _built_in(kind: str) -> list[str]:
    return " ".join(MODULES.get(kind, {}).values()).split()
