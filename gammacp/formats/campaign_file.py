"""campaign.toml: which files a campaign has, how they are read, and what of them counts.

    paths = ["export"]                  # relative to this file, in its folder or below
    layer = "custom.Span"
    exclude = ["Test"]

    [rename]                            # annotators
    1 = "Ann"

    [rounds]                            # documents, or files and folders
    pilot = ["interview-0*"]

The keys are the options of reading on the command line, with `paths` and `rounds` (`KEYS`). The
file is data: it names no code, and nothing outside its folder unless `gammacp.files.unconfined`.
"""

from __future__ import annotations

import glob
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from gammacp.continuum import Continuum
from gammacp.errors import DataError, UsageError
from gammacp.files import check_inside, confined
from gammacp.formats.finding import matches
from gammacp.formats.positions import LARGEST
from gammacp.formats.reading import Collection, Reader, collect
from gammacp.formats.selection import Selection, selected
from gammacp.left_out import gathered
from gammacp.signature import fingerprint
from gammacp.toml_files import line_of, read_toml

NAME = "campaign.toml"


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_length(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value <= LARGEST


def _is_bounds(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != 2:
        return False
    return (
        all(type(v) in (int, float) and abs(v) <= LARGEST for v in value) and value[0] <= value[1]
    )


class Key(NamedTuple):
    """A key of the file: what its value (in a table: each) has to be, and what it means."""

    form: str
    fits: Callable[[Any], bool]
    says: str
    table: bool = False


_TEXT = ('a text, such as "a"', _is_text)
_TEXTS = ('a list of texts, such as ["a", "b"]', _is_texts)
KEYS: Mapping[str, Key] = {
    "paths": Key(*_TEXTS, "Files, folders, globs and zip archives in this file's folder or below."),
    "format": Key(*_TEXT, "Format of the files (gammacp formats); without it each is recognised."),
    "layout": Key(*_TEXT, "Names from paths: parts that are {annotator}, {document} or *."),
    "layer": Key(*_TEXT, "Layer whose spans are the units."),
    "feature": Key(*_TEXT, "Feature that is the category."),
    "tier": Key(*_TEXT, "Tiers to read, as a pattern."),
    "align_texts": Key(
        "true or false",
        lambda value: isinstance(value, bool),
        "Whether texts that differ between annotators are aligned.",
    ),
    "dissimilarity": Key(
        *_TEXT, "How units differ, for every command: a name, or a TOML file here."
    ),
    "only": Key(*_TEXTS, "Categories to keep, by their names after [map]."),
    "exclude": Key(*_TEXTS, "Annotators to leave out, by their names after [rename]."),
    "annotators": Key(*_TEXTS, "Annotators who count also where they have no units."),
    "min_length": Key("a number >= 0", _is_length, "Units that are shorter are left out."),
    "bounds": Key(
        "[START, END] with START <= END", _is_bounds, "Where every document begins and ends."
    ),
    "rename": Key(*_TEXT, "Annotators: name in the files = name to use.", table=True),
    "map": Key(
        *_TEXT, "Categories: name in the files = name to use; two may become one.", table=True
    ),
    "rounds": Key(
        *_TEXTS,
        "Rounds, for --round NAME: documents (* stands for anything), or files and folders.",
        table=True,
    ),
    "option": Key(*_TEXT, "Other options of the format (gammacp formats NAME).", table=True),
}


@dataclass(frozen=True)
class Campaign:
    """What is read, and which of it: a file's `values` by key, or those of a command line.

    `given` are keys whose values do not come from the `file`, `stamp` tells its contents apart.
    """

    values: Mapping[str, Any]
    file: Path | None = None
    text: str = field(default="", repr=False)
    stamp: str = ""
    given: frozenset[str] = frozenset()
    round: str | None = None

    def but(self, given: Mapping[str, Any], round: str | None = None) -> Campaign:
        """The campaign with other values for some keys, and of one round.

        Parameters
        ----------
        given
            Values by key, which win.
        round
            Its name; None for everything.
        """
        if round is not None and round not in self.values.get("rounds", {}):
            known = ", ".join(self.values.get("rounds", {})) or "none"
            if self.file is None:
                raise UsageError(f"--round {round} needs the {NAME} that has the round")
            raise self.error(f"round {round!r} is unknown", "rounds", hint=f"There are: {known}")
        values = {**self.values, **given}
        return replace(self, values=values, given=self.given | given.keys(), round=round)

    def refuse(self, keys: Mapping[str, str]) -> None:
        """Raise an error for what means nothing to a command.

        Parameters
        ----------
        keys
            Such keys, and why.

        Raises
        ------
        UsageError
            The command line has one.
        DataError
            The file has one; with the line.
        """
        for key in keys.keys() & self.values.keys():
            if key in self.given:
                raise UsageError(f"--{key.replace('_', '-')} means nothing here: {keys[key]}")
            hint = "Give this command a file of its own"
            raise self.error(f"{key} means nothing here: {keys[key]}", key, hint=hint)

    def error(self, message: str, *keys: str, value: str | None = None, hint: str) -> DataError:
        """An error about a key of the file (or a value of it), with its line."""
        line = line_of(self.text, *keys, value=value)
        return DataError(message, file=self.file, line=line, hint=hint)

    @property
    def paths(self) -> list[Path]:
        """What is read: of a round that names files these, else `paths`."""
        entries = self.values.get("paths", ())
        if self.round is not None and not self.documents:
            entries = self.values["rounds"][self.round]
        return [self._path(entry) for entry in entries]

    @property
    def dissimilarity(self) -> str | None:
        """Name or file of the dissimilarity; None where the file says nothing of it."""
        name: str | None = self.values.get("dissimilarity")
        return str(self._path(name)) if name and name.lower().endswith(".toml") else name

    @contextmanager
    def confined(self) -> Iterator[None]:
        """Within the block the file leads nowhere outside its folder; a command line may."""
        typed = "paths" in self.given and self.round is None
        with nullcontext() if self.file is None or typed else confined(self.file.parent):
            yield

    @property
    def documents(self) -> list[str]:
        """Patterns of the round's documents; none if it names files, or if there is no round."""
        entries = [] if self.round is None else self.values["rounds"][self.round]
        # A pattern without a folder is for documents, whatever lies beside the file.
        named = [e for e in entries if not self._exists(e) or (glob.has_magic(e) and "/" not in e)]
        if named and len(named) < len(entries):
            raise self.error(
                f"round {self.round!r} names files, but also {named[0]!r}, which is none",
                *("rounds", str(self.round)),
                hint="Name documents, or files and folders",
            )
        return named

    def _path(self, entry: str | Path) -> Path:
        if isinstance(entry, Path):
            return entry  # of a command line
        path = Path(self.file or "").parent / entry
        try:
            with self.confined():
                check_inside(path)
        except (DataError, ValueError) as error:
            keys = [keys for keys, leaf in _leaves(self.values) if leaf == entry]
            what = getattr(error, "message", error)
            hint = getattr(error, "hint", "Check the path")
            place = keys[0] if keys else ()
            raise self.error(f"{entry!r} {what}", *place, value=entry, hint=hint) from None
        return path

    def _exists(self, entry: str) -> bool:
        path = self._path(entry)
        with self.confined(), suppress(OSError):  # a name that is too long
            return path.exists() or (glob.has_magic(entry) and bool(matches(path)))
        return False

    def collect(self, instead: Mapping[str, Reader] | None = None) -> Collection:
        """All that `paths` hold, as they are in the files; errors as of `gammacp.formats.collect`.

        Those about a value of the file name its line.

        Parameters
        ----------
        instead
            Readers by format, as for `gammacp.formats.collect`.
        """
        names = ("layer", "feature", "features", "tier", "layout", "align_texts")
        options = {name: self.values[name] for name in names if name in self.values}
        paths = self.paths
        with self._blamed(), self.confined():
            return collect(
                paths,
                format=self.values.get("format"),
                instead=instead,
                **{**options, **self.values.get("option", {})},
            )

    def select(self, found: Collection) -> Collection:
        """The continua that count, with what of each counts; errors as of `selected`.

        What the selection leaves out is in `left_out` then, beside what readers passed over.

        Parameters
        ----------
        found
            What `collect` gave.

        Raises
        ------
        DataError
            A document of the round or asked for, a category or an annotator does not occur.
        """
        continua = self._named(self._of_round(found))
        chosen = {f.name: self.values[f.name] for f in fields(Selection) if f.name in self.values}
        if self.round is not None:
            chosen = self._without_other_rounds(chosen, continua, found)
        with self._blamed():
            kept = selected(continua, Selection(**chosen))
        asked = ",".join(self.values.get("document", ()))
        for key, note in (("campaign", self.stamp), ("round", self.round), ("document", asked)):
            if note:
                kept = {name: c.noting(key, note) for name, c in kept.items()}
        lost = [c.left_out[len(continua[name].left_out) :] for name, c in kept.items()]
        return replace(found, continua=kept, left_out=gathered((found.left_out, *lost)))

    def _of_round(self, found: Collection) -> dict[str, Continuum]:
        patterns, kept = self.documents, {}
        for pattern in patterns:
            fitting = _fitting(found.continua, pattern)
            # One that could not be read is told of as such.
            if not fitting and not found.failures:
                raise self.error(
                    f"document {pattern!r} of round {self.round!r} does not occur",
                    *("rounds", str(self.round)),
                    value=pattern,
                    hint=_there_are(found.continua),
                )
            kept.update(fitting)
        return {key: c for key, c in found.continua.items() if key in kept or not patterns}

    def _named(self, continua: Mapping[str, Continuum]) -> Mapping[str, Continuum]:
        """Those that were asked for by name (`--document`), all without."""
        kept = set[str]()
        for pattern in self.values.get("document", ()):
            fitting = _fitting(continua, pattern)
            if not fitting:
                hint = _there_are(continua)
                raise DataError(f"document {pattern!r} does not occur", hint=hint)
            kept |= fitting.keys()
        return {key: c for key, c in continua.items() if key in kept} if kept else continua

    def _without_other_rounds(
        self, chosen: dict[str, Any], continua: Mapping[str, Continuum], found: Collection
    ) -> dict[str, Any]:
        """`chosen` without names of the file that this round does not have, but another may."""
        new = [*chosen.get("rename", {}).values(), *chosen.get("map", {}).values()]
        here, read = (
            {n for c in several.values() for n in (*c.annotators, *c.categories)}.union(new)
            for several in (continua, found.continua)
        )
        for key in {"only", "exclude", "rename", "map"} & chosen.keys() - self.given:
            value = chosen[key]
            gone = {n for n in value if n not in here and (n in read or not self.documents)}
            if isinstance(value, dict):
                chosen[key] = {n: value[n] for n in value if n not in gone}
            elif key == "exclude" or gone < set(value):
                chosen[key] = [n for n in value if n not in gone]
        return chosen

    @contextmanager
    def _blamed(self) -> Iterator[None]:
        """Errors that name a value of the file say where it stands."""
        try:
            yield
        except (DataError, UsageError) as error:
            said = str(error)
            for keys, leaf in _leaves(self.values) if self.file else ():
                if keys[0] not in self.given and repr(leaf) in said:
                    line = line_of(self.text, *keys, value=leaf)
                    raise DataError(said, file=self.file, line=line) from None
            raise


def _fitting(continua: Mapping[str, Continuum], pattern: str) -> dict[str, Continuum]:
    """Those whose own or display name is the pattern, or fits it."""
    return {
        key: c
        for key, c in continua.items()
        if pattern in (c.name, key) or fnmatchcase(c.name, pattern) or fnmatchcase(key, pattern)
    }


def _there_are(continua: Mapping[str, Continuum]) -> str:
    names = sorted({c.name for c in continua.values()})
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return f"There are: {', '.join(names[:10])}{more}"


def _leaves(value: Any, *keys: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every text in a document with the keys that lead to it, and these themselves."""
    if isinstance(value, str):
        yield keys, value
    for key, inner in value.items() if isinstance(value, dict) else ():
        yield (*keys, key), key
        yield from _leaves(inner, *keys, key)
    for inner in value if isinstance(value, list) else ():
        yield from _leaves(inner, *keys)


def read_campaign(path: Path) -> Campaign:
    """What a campaign.toml says.

    Parameters
    ----------
    path
        Of the file.

    Raises
    ------
    DataError
        Not TOML, an unknown key, a value of the wrong type, a path that does not exist; with the
        line and what to do.
    """
    values, text = read_toml(path)
    stamp = fingerprint(json.dumps(values, sort_keys=True, default=str))
    campaign = Campaign(values, path, text, stamp)
    for name, value in values.items():
        key = KEYS.get(name)
        if key is None:
            raise campaign.error(
                f"key {name!r} is unknown", name, hint=f"There are: {', '.join(KEYS)}"
            )
        if key.table and not isinstance(value, dict):
            raise campaign.error(f"{name} is not a table", name, hint=f"Begin one: [{name}]")
        entries: dict[tuple[str, ...], Any] = {(name,): value}
        if key.table:
            entries = {(name, k): v for k, v in value.items()}
        for place, entry in entries.items():
            if not key.fits(entry):
                what = f"{'.'.join(place)} = {json.dumps(entry, default=str)}"
                raise campaign.error(f"{what} is not right", *place, hint=f"It is {key.form}")
            if name == "option" and place[-1] in KEYS:
                hint = f"Write {place[-1]} = … outside the table"
                raise campaign.error(f"{place[-1]} is a key of its own", *place, hint=hint)
    if not values.get("paths"):
        raise campaign.error("there are no paths", "paths", hint='Say what to read: paths = ["."]')
    for entry in values["paths"]:
        if not campaign._exists(entry):
            hint = f"Paths are relative to {path.parent.resolve()}"
            raise campaign.error(f"{entry!r} does not exist", "paths", value=entry, hint=hint)
    return campaign


def campaign_of(paths: Sequence[Path]) -> Campaign:
    """The campaign that the paths of a command are: a campaign.toml by itself, or files.

    Parameters
    ----------
    paths
        What was given.

    Raises
    ------
    UsageError
        A campaign.toml and other files.
    """
    if not any(path.suffix == ".toml" for path in paths):
        return Campaign({"paths": list(paths)})
    if len(paths) > 1:
        raise UsageError(f"a {NAME} stands by itself, because its paths say what is read")
    return read_campaign(paths[0])
