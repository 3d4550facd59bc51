"""Subjects: the folders of gammacp with a `subject.toml`, and what each one registers.

A subject holds everything about one kind of data or one activity, and its folder can be deleted.
The rest of gammacp finds it through its `subject.toml` alone:

    needs = ["campaign"]            # subjects without which this one does not work
    offers = ["score"]              # kinds of entries that other subjects may register with it;
                                    # "option COMMAND": they may add options to that command
    frozen = true                   # the code copies another tool's interface and stays as it is
    aside = true                    # it only reads or shows values: none depends on its code

    [measure]                       # a kind of entry: modules, and the names that each registers
    "gammacp.melodies.measures" = "contour interval-class"

    [command.melody]                # a command of `gammacp`
    run = "gammacp.melodies.command:melody"
    section = "Measure"             # its heading in `gammacp --help`

    ["option measure"]              # option groups for a command of the core: modules and classes
    "gammacp.melodies.options" = "Scores"

    [name]                          # public names of `gammacp`, by module. A folder with the same
    "gammacp.melodies.api" = "tune" # name as one of them needs `base.lazy.make_callable`
    [warm]                          # functions that `gammacp warm-up` calls, by module

    [clue]                          # modules of rare formats, imported only for files with these
    "gammacp.melodies.kern" = [".krn", "**kern"]    # endings, or these words near their beginning

    [advice]                        # sentences that the core adds to its messages, by situation
    "pitches unused" = "gammacp melody compares pitches"

    [parameter]                     # command-line options, by the parameter that messages name
    "require_complete()" = "--strict"

    [campaign.score]                # entries of a kind that another subject (campaign) offers;
    "gammacp.melodies.with_campaign.replace" = "contour"    # ignored if it is not installed

The core registers its own entries in the same way, in `built_in.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from gammacp.errors import UsageError

_FOLDER = Path(__file__).parent.parent
_CORE = "built_in.toml"
_CONTENTS = "contents.toml"
_FILE = "subject.toml"
_KEYS = {"needs": list, "offers": list, "frozen": bool, "aside": bool}
# Tables that the core reads itself; any other table is named after a kind of registry.
_TABLES = frozenset({"command", "name", "warm", "advice", "parameter", "clue"})
_OPTION = "option "
_LAST = " last"


@dataclass(frozen=True)
class Subject:
    """Contents of a `subject.toml`.

    Attributes
    ----------
    name
        The folder's name; "" for the core.
    path
        The file.
    needs
        Subjects without which this one does not work.
    offers
        Kinds of entries that other subjects may register with this one.
    frozen
        Whether the code copies another tool's interface and is not developed further.
    aside
        Whether it only reads or shows values, so that none depends on its code.
    tables
        Tables by kind. Most give the names that a module registers, separated by blanks, by
        module; commands and advice are by name.
    tables_for
        Tables by the other subject and by the kind that it offers.
    """

    name: str
    path: Path
    needs: tuple[str, ...]
    offers: frozenset[str]
    frozen: bool
    aside: bool
    tables: Mapping[str, Mapping[str, Any]]
    tables_for: Mapping[str, Mapping[str, Mapping[str, Any]]]

    def entries(self, kind: str) -> dict[str, Any]:
        """Return the table of a kind, with the entries for other subjects that are installed."""
        all_entries = dict(self.tables.get(kind, {}))
        for other, tables in self.tables_for.items():
            if other in subjects():
                all_entries |= tables.get(kind, {})
        return all_entries


@dataclass(frozen=True)
class CommandEntry:
    """A command of `gammacp` that a subject brings.

    Attributes
    ----------
    module, function
        Module and function of the command.
    section
        Heading of the command in `gammacp --help`.
    """

    module: str
    function: str
    section: str


@cache
def subjects() -> Mapping[str, Subject]:
    """Return the installed subjects, by name and in alphabetical order.

    Raises
    ------
    UsageError
        A file is not valid TOML, has an unknown key, needs a subject that is not installed, or
        registers a name that is taken. The message names the file.
    """
    return read_subjects(_FOLDER)


@cache
def core() -> Subject:
    """Return what the core registers."""
    return _read(_FOLDER / _CORE, "")


def table(kind: str) -> dict[str, Any]:
    """Return the modules that register entries of a kind, with the names that each registers.

    Modules of the core come first, then those of the subjects in alphabetical order, and finally
    those that the core lists as last (such as the format that nearly any text fits).

    Parameters
    ----------
    kind
        Kind of a registry, or "command", "name", "warm", "advice", "clue", "parameter",
        "option COMMAND".
    """
    entries = dict(core().tables.get(kind, {}))
    for subject in subjects().values():
        entries |= subject.entries(kind)
    entries |= core().tables.get(kind + _LAST, {})
    return entries


def kinds() -> tuple[str, ...]:
    """Return the kinds of all registries."""
    offered = set(core().offers)
    for subject in subjects().values():
        offered |= subject.offers
    return tuple(sorted(kind for kind in offered if not kind.startswith(_OPTION)))


def commands() -> dict[str, CommandEntry]:
    """Return the commands that subjects bring, by name."""
    entries = {}
    for name, entry in table("command").items():
        module, _, function = entry["run"].partition(":")
        entries[name] = CommandEntry(module, function, entry["section"])
    return entries


def advice(situation: str, *, otherwise: str = "") -> str:
    """Return the sentence that an installed subject has for a situation.

    Parameters
    ----------
    situation
        A key of `[advice]` tables.
    otherwise
        Sentence to return if no subject has one.
    """
    return str(table("advice").get(situation, otherwise))


def file_of(kind: str, module: str) -> Path:
    """Return the file that lists this module under a kind."""
    for subject in subjects().values():
        if module in subject.entries(kind):
            return subject.path
    return core().path


@cache
def _contents() -> Mapping[str, Mapping[str, Any]]:
    """Return the tables of the subjects that come with gammacp, be they in this copy or not."""
    return tomllib.loads((_FOLDER / _CONTENTS).read_text(encoding="utf-8"))


def missing_subject(kind: str, name: str) -> str | None:
    """Return the subject of an entry, if it is part of gammacp but was deleted from this copy.

    Parameters
    ----------
    kind, name
        Kind of a registry and name in it, such as "measure" and "las".
    """
    for subject, tables in _contents().items():
        if subject not in subjects() and name in str(tables.get(kind, "")).split():
            return str(subject)
    return None


def why_missing(kind: str, name: str) -> str | None:
    """Return a sentence that names the deleted subject of an entry; None for other entries."""
    subject = missing_subject(kind, name)
    if subject is None:
        return None
    return f"{kind} {name!r} belongs to the subject {subject!r}, which is not installed here"


def read_subjects(folder: Path) -> dict[str, Subject]:
    """Return the subjects of a folder laid out like the package; errors as for `subjects`.

    Parameters
    ----------
    folder
        Folder whose subfolders may have a `subject.toml`.
    """
    subject_by_name = {}
    for path in sorted(folder.glob(f"*/{_FILE}")):
        subject_by_name[path.parent.name] = _read(path, path.parent.name)
    base = _read(folder / _CORE, "")
    for subject in subject_by_name.values():
        for name in subject.needs:
            if name not in subject_by_name:
                raise UsageError(f"{subject.path}: it needs the subject {name!r}, which is missing")
    _check_kinds(base, subject_by_name)
    _check_names(base, subject_by_name)
    return subject_by_name


def _read(path: Path, name: str) -> Subject:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: {error}") from None
    for key, kind in _KEYS.items():
        if not isinstance(content.get(key, kind()), kind):
            raise UsageError(f"{path}: {key} must be a {kind.__name__}")
    tables: dict[str, Mapping[str, Any]] = {}
    tables_for: dict[str, Mapping[str, Mapping[str, Any]]] = {}
    for key, value in content.items():
        if key in _KEYS:
            continue
        if not isinstance(value, dict):
            raise UsageError(f"{path}: unknown key {key!r}; known are {', '.join(_KEYS)}")
        if key == "command":
            _check_commands(path, value)
            tables[key] = value
        elif value and all(isinstance(inner, dict) for inner in value.values()):
            tables_for[key] = value
        else:
            tables[key] = value
    return Subject(
        name=name,
        path=path,
        needs=tuple(content.get("needs", ())),
        offers=frozenset(content.get("offers", ())),
        frozen=content.get("frozen", False),
        aside=content.get("aside", False),
        tables=tables,
        tables_for=tables_for,
    )


def _check_commands(path: Path, entries: Mapping[str, Any]) -> None:
    for name, entry in entries.items():
        if not isinstance(entry, dict) or set(entry) != {"run", "section"}:
            raise UsageError(f"{path}: command {name!r} needs run and section, and nothing else")
        if entry["run"].count(":") != 1:
            raise UsageError(f"{path}: command {name!r}: run is not MODULE:FUNCTION")


def _tables_of(
    subject: Subject, present: Mapping[str, Subject]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each kind and table of a subject, also those for other subjects that are present."""
    yield from subject.tables.items()
    for other, tables in subject.tables_for.items():
        if other in present:
            yield from tables.items()


def _check_kinds(base: Subject, present: Mapping[str, Subject]) -> None:
    offered = set(base.offers)
    for subject in present.values():
        offered |= subject.offers
    for subject in (base, *present.values()):
        for key, _ in _tables_of(subject, present):
            if subject is base:
                kind = key.removesuffix(_LAST)
            else:
                kind = key
            if kind not in offered | _TABLES:
                known_names = ", ".join(sorted(offered | _TABLES))
                raise UsageError(f"{subject.path}: unknown table [{key}]; known are {known_names}")


def _check_names(base: Subject, present: Mapping[str, Subject]) -> None:
    owners: dict[tuple[str, str], Path] = {}
    for subject in (base, *present.values()):
        for kind, entries in _tables_of(subject, present):
            if kind.startswith(_OPTION) or kind in ("warm", "clue"):
                continue
            for name in _names(kind, entries):
                key = kind.removesuffix(_LAST), name
                if key in owners:
                    raise UsageError(f"{subject.path}: {kind} {name!r} is taken by {owners[key]}")
                owners[key] = subject.path


def _names(kind: str, entries: Mapping[str, Any]) -> list[str]:
    """Return the names that a table registers: its keys, or the names listed for its modules."""
    if kind in ("command", "advice", "parameter"):
        return list(entries)
    return " ".join(entries.values()).split()
