"""One registry for everything that is chosen by name: measures, formats, solvers, chance models."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any, Generic, TypeVar

from gammacp.base.arguments import one_of
from gammacp.base.subjects import file_of, table, why_missing
from gammacp.errors import UsageError
from gammacp.plugins import load_installed

T = TypeVar("T")

REGISTRIES: dict[str, Registry[Any]] = {}


class Registry(Generic[T]):
    """Named entries of one kind; an entry's module is imported when its name is looked up.

    Parameters
    ----------
    kind
        Name of the entries, for messages ("measure"); also the name of the table in `built_in.toml`
        and `subject.toml` that lists the modules (`gammacp.base.subjects`).
    """

    def __init__(self, kind: str) -> None:
        """Create a registry; no module is imported yet."""
        self.kind = kind
        self._entries: dict[str, T] = {}
        self._loaded = False
        REGISTRIES[kind] = self

    def register(self, name: str, entry: T) -> T:
        """Add `entry`; a name can be taken only once, and those of gammacp are taken.

        Parameters
        ----------
        name
            Name by which the entry is chosen.
        entry
            Entry that is chosen.

        Raises
        ------
        UsageError
            Another entry has the name.
        """
        for module, listed in table(self.kind).items():
            if name in listed.split() and module not in sys.modules:
                # Otherwise the module would find its own name taken when it is imported later.
                _import_listed(self.kind, module)
        if self._entries.get(name, entry) is not entry:
            raise UsageError(f"{self.kind} {name!r} is registered already")
        self._entries[name] = entry
        return entry

    def unregister(self, name: str) -> None:
        """Remove an entry, for tests and for notebooks that redefine one.

        Parameters
        ----------
        name
            Name of the entry; an unknown one is no error.
        """
        self._entries.pop(name, None)

    def _load(self) -> None:
        if not self._loaded:
            self._loaded = True
            for module in table(self.kind):
                _import_listed(self.kind, module)
            load_installed()

    def _import_module_of(self, name: str) -> None:
        """Import the module that is listed with this name, and leave the others alone."""
        for module, listed in table(self.kind).items():
            if name in listed.split():
                _import_listed(self.kind, module)
                load_installed()
                return

    def __getitem__(self, name: str) -> T:
        """Return the entry; raise a UsageError that lists what there is for an unknown name."""
        if name not in self._entries:
            self._import_module_of(name)
        if name not in self._entries:
            self._load()
        if name not in self._entries and (why := why_missing(self.kind, name)):
            raise UsageError(why)
        try:
            return self._entries[one_of(self.kind, name, sorted(self._entries))]
        except UsageError as error:
            raise UsageError(f"{error} (load your own with `plugins.load()`)") from None

    def __contains__(self, name: object) -> bool:
        """Return whether there is an entry of that name."""
        self._load()
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        """Yield listed names in the order of their tables, then those of plug-ins."""
        self._load()
        listed = [name for name in _listed_names(self.kind) if name in self._entries]
        return iter(tuple(dict.fromkeys((*listed, *self._entries))))

    def __len__(self) -> int:
        """Return the number of entries."""
        self._load()
        return len(self._entries)

    def unlisted(self) -> tuple[T, ...]:
        """Return the entries that are in no table: those of extensions."""
        load_installed()
        listed = _listed_names(self.kind)
        return tuple(entry for name, entry in self._entries.items() if name not in listed)

    def items(self) -> Iterator[tuple[str, T]]:
        """Yield names with their entries."""
        return iter(tuple((name, self._entries[name]) for name in self))


def names(kind: str) -> tuple[str, ...]:
    """Return all names of a kind without importing the modules of gammacp that register them.

    >>> names("positional dissimilarity")[:2]
    ('sporadic', 'sporadic-2011')
    """
    load_installed()
    registry = REGISTRIES.get(kind)
    registered = registry._entries if registry else ()
    return tuple(dict.fromkeys((*_listed_names(kind), *registered)))


def import_listed(kind: str) -> Iterator[tuple[str, Any]]:
    """Yield (name, object) of everything that a table names by module, imported now.

    Parameters
    ----------
    kind
        A table that is no registry's: "warm", "option COMMAND".
    """
    for module, listed in table(kind).items():
        imported = _import_listed(kind, module)
        for name in listed.split():
            yield name, getattr(imported, name)


def _import_listed(kind: str, module: str) -> Any:
    """Import a module that a table names; one that does not exist is a UsageError on its file."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        missing = str(error.name)
        if module != missing and not module.startswith(f"{missing}."):
            raise
        place = file_of(kind, module)
        raise UsageError(f"{place}: [{kind}] names the missing module {module!r}") from None


def _listed_names(kind: str) -> list[str]:
    return " ".join(table(kind).values()).split()
