"""campaign.toml: the files of a campaign, how they are read, and the parts that count.

    paths = ["export"]                  # relative to this file, in its folder or below
    layer = "custom.Span"
    exclude = ["Test"]

    [rename]                            # annotators
    1 = "Ann"

    [rounds]                            # documents, or files and folders
    pilot = ["interview-0*"]

The keys are the options of reading on the command line, with `paths` and `rounds` (`KEYS`). The
file is data: it cannot name code, nor files outside its folder unless `lift_confinement` is used.
"""

from __future__ import annotations

import glob
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from gammacp.base.arguments import did_you_mean
from gammacp.base.files import check_inside, confine
from gammacp.base.left_out import gather
from gammacp.base.signature import fingerprint
from gammacp.base.text import first_names
from gammacp.base.toml_files import line_of, read_toml
from gammacp.base.validation import Text, Texts, WrittenTable, validated
from gammacp.continuum import Continuum
from gammacp.continuum.document_table import DocumentTable
from gammacp.continuum.grid import Grid
from gammacp.continuum.needs import with_links
from gammacp.errors import DataError, UsageError
from gammacp.formats.collection import Collection
from gammacp.formats.finding import Finding, matches
from gammacp.formats.reading import Reader, collect
from gammacp.formats.selection import (
    Names,
    Selection,
    says,
    select,
    used_by_annotator,
    with_features,
)

if TYPE_CHECKING:
    from gammacp.formats.markable_file import MarkableFile

NAME = "campaign.toml"


_Step = Annotated[float, Field(gt=0), Field(examples=["a number > 0"])]
_Rounds = Annotated[dict[str, Texts], Field(examples=['["a", "b"]'])]


class _Files(WrittenTable):
    """The files of a campaign, and how they are read."""

    paths: Texts = says("Files, folders, globs and zip archives in this file's folder or below.")
    format: Text = says("Format of the files (gammacp formats); without it, each is recognised.")
    layout: Text = says("Where paths hold names: {annotator}, {document}, and * for the rest.")
    layer: Text = says("Layer whose spans are the units.")
    feature: Text = says("Feature that gives the category.")
    tier: Text = says("Tiers to read, as a pattern.")
    columns: Names = says("Columns of tables by role: start, end, category, … = its name there.")
    align_texts: bool = says("Whether texts that differ between annotators are aligned.")
    positions: Names = says(
        "Positions of annotators who count differently: end+1, x1000, x1/25, +250, +250 from 1200; "
        "DOCUMENT/ANNOTATOR is about one document."
    )
    include: Texts = says("Work that counts beside finished work: unfinished, reference.")
    repeated: Text = says(
        "Which of several answers of one person on one document counts: first, last, or session."
    )


class _Documents(WrittenTable):
    """Keys about the documents and their rounds, with further options of their format."""

    dissimilarity: Text = says("Dissimilarity for every command: a name, or a TOML file here.")
    cluster: Text = says(
        "Which documents share an author, patient or video: a feature of the units, a pattern of "
        "names ('{cluster}-*'), or a .csv file in this folder (document, cluster)."
    )
    weight: Text = says(
        "How many documents each one stands for in a stratified sample: a feature of the units, "
        "or a .csv file in this folder (document, weight)."
    )
    grid: _Step | Text = says(
        "Grid that all boundaries lie on: the length of a place, or a CSV file (start,end)."
    )
    markable: Text = says(
        "Stretches in which something can be marked, of documents with pauses: a CSV file "
        "(document,start,end)."
    )
    rounds: _Rounds = says(
        "Rounds, for `round=NAME`: documents (* matches anything), or files and folders."
    )
    option: Names = says("Other options of the format (see gammacp formats NAME).")


class Keys(Selection, _Documents, _Files):
    """Keys of a campaign.toml; their descriptions are those of `gammacp init`."""


KEYS = Keys.model_fields


def _by_session(continua: Mapping[str, Continuum], feature: str) -> dict[str, Continuum]:
    """Return the continua with annotators named `PERSON-SESSION`, by a feature of the units."""
    from gammacp.formats.sessions import by_session  # few campaigns have sessions

    return by_session(continua, feature)


# Keys about whole documents, or about who annotated them and when.
_OF_DOCUMENTS = ("session", "cluster", "weight", "order")


def _feature_of(choice: str | Path) -> str | None:
    """Return the feature of units that such a key names; None if it is a pattern or a table."""
    from gammacp.formats.clusters import feature_of  # few campaigns have such keys

    return feature_of(choice)


def _with_choice(
    continua: Mapping[str, Continuum], key: str, choice: str | Path
) -> dict[str, Continuum]:
    """Return the continua with what a key about whole documents says of them."""
    from gammacp.formats.clusters import clustered, in_order, with_weights

    changes: dict[str, Callable[[Mapping[str, Continuum], Any], dict[str, Continuum]]] = {
        "session": _by_session,
        "cluster": clustered,
        "weight": with_weights,
        "order": in_order,
    }
    return changes[key](continua, choice)


@dataclass(frozen=True)
class Campaign:
    """Input and selection: `values` by key, from a campaign.toml or a command line.

    `given` holds the keys whose values do not come from the `file`. `stamp` identifies the contents
    of the file.
    """

    values: Mapping[str, Any]
    file: Path | None = None
    text: str = field(default="", repr=False)
    stamp: str = ""
    given: frozenset[str] = frozenset()
    round: str | None = None

    def but(self, given: Mapping[str, Any], round: str | None = None) -> Campaign:
        """Return the campaign with other values for some keys, and of one round.

        Parameters
        ----------
        given
            Values by key, which replace those of the campaign.
        round
            Name of the round; None for everything.
        """
        if round is not None and round not in self.values.get("rounds", {}):
            rounds = ", ".join(self.values.get("rounds", {})) or "none"
            if self.file is None:
                raise UsageError(f"`round=` {round} needs a {NAME} that defines the round")
            raise self.error(f"round {round!r} is unknown", "rounds", hint=f"There are: {rounds}")
        values = {**self.values, **given}
        return replace(self, values=values, given=self.given | given.keys(), round=round)

    def refuse(self, keys: Mapping[str, str]) -> None:
        """Raise an error for keys that have no meaning for a command.

        Parameters
        ----------
        keys
            The keys, each with the reason why it has no meaning.

        Raises
        ------
        UsageError
            One of the keys was given on the command line.
        DataError
            One of the keys is in the file; the error has its line.
        """
        for key in (key for key in keys if key in self.values):
            if key in self.given:
                raise UsageError(f"--{key.replace('_', '-')} does not apply here: {keys[key]}")
            hint = "Write a file without it for this command"
            raise self.error(f"{key} does not apply here: {keys[key]}", key, hint=hint)

    def error(self, message: str, *keys: str, value: str | None = None, hint: str) -> DataError:
        """Return an error about a key of the file (or a value of it), with its line."""
        line = line_of(self.text, *keys, value=value)
        return DataError(message, file=self.file, line=line, hint=hint)

    @property
    def paths(self) -> list[Path]:
        """Paths to read: those of the round if it names files, otherwise `paths`."""
        entries = self.values.get("paths", ())
        if self.round is not None and not self.documents:
            entries = self.values["rounds"][self.round]
        return [self._path(entry) for entry in entries]

    @property
    def dissimilarity(self) -> str | None:
        """Name or file of the dissimilarity; None where the file says nothing of it."""
        name: str | None = self.values.get("dissimilarity")
        if name and name.lower().endswith(".toml"):
            return str(self._path(name))
        return name

    @contextmanager
    def confine(self) -> Iterator[None]:
        """Forbid paths outside the file's folder within this block; a command line may name any."""
        typed = "paths" in self.given and self.round is None
        with nullcontext() if self.file is None or typed else confine(self.file.parent):
            yield

    @property
    def documents(self) -> list[str]:
        """Patterns of the round's documents; none if it names files, or if there is no round."""
        if self.round is None:
            entries = []
        else:
            entries = self.values["rounds"][self.round]
        # A pattern without a folder is for documents, whatever lies beside the file.
        named = [e for e in entries if not self._exists(e) or (glob.has_magic(e) and "/" not in e)]
        if named and len(named) < len(entries):
            raise self.error(
                f"round {self.round!r} names files, but also {named[0]!r}, which is not one",
                *("rounds", str(self.round)),
                hint="Name only documents, or only files and folders",
            )
        return named

    def _path(self, entry: str | Path) -> Path:
        if isinstance(entry, Path):
            return entry  # of a command line
        path = Path(self.file or "").parent / entry
        try:
            with self.confine():
                check_inside(path)
        except (DataError, ValueError) as error:
            keys = [keys for keys, leaf in _leaves(self.values) if leaf == entry]
            what = getattr(error, "message", error)
            hint = getattr(error, "hint", "Check the path")
            if keys:
                place = keys[0]
            else:
                place = ()
            raise self.error(f"{entry!r} {what}", *place, value=entry, hint=hint) from None
        return path

    def _exists(self, entry: str) -> bool:
        path = self._path(entry)
        with self.confine(), suppress(OSError):  # a name that is too long
            return path.exists() or (glob.has_magic(entry) and bool(matches(path)))
        return False

    def collect(
        self, instead: Mapping[str, Reader] | None = None, finding: Finding | None = None
    ) -> Collection:
        """Return everything that `paths` hold, before any selection.

        Errors are those of `gammacp.formats.collect`; one about a value of the file has its line.

        Parameters
        ----------
        instead
            Readers by format, as for `gammacp.formats.collect`.
        finding
            Result of `find` for `paths`, if it was called already.
        """
        names = ["layer", "feature", "features", "tier", "layout", "columns", "align_texts"]
        names += ["positions", "include", "repeated"]
        options = {name: self.values[name] for name in names if name in self.values}
        paths = self.paths
        features = tuple(options.get("features", ()))
        choices = {key: self.values[key] for key in _OF_DOCUMENTS if key in self.values}
        read = [feature for s in choices.values() if (feature := _feature_of(s)) is not None]
        if read:
            options["features"] = (*dict.fromkeys((*features, *read)),)
        with self._blame_value(), self.confine():
            collection = collect(
                paths,
                format=self.values.get("format"),
                instead=instead,
                finding=finding,
                **{**options, **self.values.get("option", {})},
            )
        continua = collection.continua
        for key, entry in choices.items():
            typed = key in self.given
            if not typed and _feature_of(entry) is None and "{" not in entry:
                entry = self._path(entry)
            with self._blame_value(), nullcontext() if typed else self.confine():
                continua = _with_choice(continua, key, entry)
        if read:
            continua = with_features(continua, features)
        return replace(collection, continua=continua)

    def with_references(self, found: Collection, people: Iterable[str]) -> Campaign | None:
        """Return the campaign with references included, if one of these people was not read.

        Such a person may be the author of a reference. None if all are there, or if no reference
        was left out.

        Parameters
        ----------
        found
            Result of `collect`.
        people
            Annotators that a command names, under their names after [rename].
        """
        new = self.values.get("rename", {})
        annotators = {new.get(a, a) for c in found.continua.values() for a in c.annotators}
        included = list(self.values.get("include", ()))
        left_out = any(entry.state == "reference" for entry in found.left_out)
        if not left_out or {*people} <= annotators:
            return None
        return self.but({"include": [*included, "reference"]})

    def select(self, found: Collection, *, links: bool = False) -> Collection:
        """Return the continua that count, each reduced to the parts that count.

        Items that the selection leaves out are added to `left_out`. Errors are those of `selected`.

        Parameters
        ----------
        found
            Result of `collect`.
        links
            Whether links between units are used; otherwise they are left out as well.

        Raises
        ------
        DataError
            A document of the round or asked for, a category or an annotator does not occur.
        """
        continua = self._chosen(found)
        chosen = {key: self.values[key] for key in Selection.model_fields if key in self.values}
        if "grid" in self.values:
            grids = self._grids(self.values["grid"])
        else:
            grids = {}
        if "markable" in self.values:
            markable = self._markable(found, continua)
        else:
            markable = None
        if self.round is not None:
            chosen = self._without_other_rounds(chosen, continua, found)
        asked = ",".join(self.values.get("document", ()))
        notes = ("campaign", self.stamp), ("round", self.round), ("document", asked)
        if isinstance(continua, DocumentTable) and not (
            chosen or grids or markable or any(n for _, n in notes)
        ):
            return replace(found, continua=continua)  # nothing is selected, and it has no links
        with self._blame_value():
            selected = select(continua, Selection.model_construct(**chosen), grids, markable)
        for key, note in notes:
            if note:
                selected = {name: c.noting(key, note) for name, c in selected.items()}
        selected = {name: with_links(c, needed=links) for name, c in selected.items()}
        lost = [c.left_out[len(continua[name].left_out) :] for name, c in selected.items()]
        return replace(found, continua=selected, left_out=gather((found.left_out, *lost)))

    def _grids(self, entry: float | str) -> Mapping[str, Grid]:
        """Return the grid that a number or a file defines."""
        if isinstance(entry, str):
            # Imported here: few campaigns have a file of their grid.
            from gammacp.formats.grid_file import read_grids

            with self.confine():
                return read_grids(self._path(entry) if "grid" not in self.given else Path(entry))
        if not entry > 0:
            raise UsageError(f"`grid=` {entry:g} is not > 0")
        return {"": Grid("places", entry)}

    def _markable(self, collection: Collection, selected: Mapping[str, Continuum]) -> MarkableFile:
        """Return the stretches that can be marked in each document that counts."""
        # Imported here: few campaigns have a file of their pauses.
        from gammacp.formats.markable_file import read_markable

        entry = self.values["markable"]
        with self.confine():
            read = read_markable(self._path(entry) if "markable" not in self.given else Path(entry))
        read.check(
            (c.name for c in collection.continua.values()), (c.name for c in selected.values())
        )
        return read

    def _chosen(self, collection: Collection) -> Mapping[str, Continuum]:
        """Return the continua of the round, restricted to the names asked for (`--document`)."""
        continua = collection.continua
        patterns = self.documents
        fitting_keys = set[str]()
        for pattern in patterns:
            fitting = _fitting(continua, pattern)
            # A document that could not be read gets an error of its own.
            if not fitting and not collection.failures:
                raise self.error(
                    f"document {pattern!r} of round {self.round!r} does not occur",
                    *("rounds", str(self.round)),
                    value=pattern,
                    hint=_there_are(continua),
                )
            fitting_keys |= fitting
        if patterns:
            continua = {key: c for key, c in continua.items() if key in fitting_keys}
        asked = self.values.get("document", ())
        named = {pattern: _fitting(continua, pattern) for pattern in asked}
        for pattern in (p for p, fitting in named.items() if not fitting):
            raise DataError(
                f"document {pattern!r} does not occur", hint=_there_are(continua, pattern)
            )
        named_keys = set[str]().union(*named.values())
        if asked:
            return {key: c for key, c in continua.items() if key in named_keys}
        return continua

    def _without_other_rounds(
        self, chosen: dict[str, Any], continua: Mapping[str, Continuum], collection: Collection
    ) -> dict[str, Any]:
        """Return `chosen` without names from the file that occur only in other rounds."""
        new = [*chosen.get("rename", {}).values(), *chosen.get("map", {}).values()]
        here, read = (
            {n for c in several.values() for n in (*c.annotators, *c.categories)}.union(new)
            for several in (continua, collection.continua)
        )
        if any(":" in name for name in chosen.get("map", {})):
            here |= {":".join(pair) for pair in used_by_annotator(continua.values())}
            read |= {":".join(pair) for pair in used_by_annotator(collection.continua.values())}
        for key in {"only", "exclude", "rename", "map"} & chosen.keys() - self.given:
            value = chosen[key]
            gone = {n for n in value if n not in here and (n in read or not self.documents)}
            if isinstance(value, dict):
                chosen[key] = {n: value[n] for n in value if n not in gone}
            elif key == "exclude" or gone < set(value):
                chosen[key] = [n for n in value if n not in gone]
        return chosen

    @contextmanager
    def _blame_value(self) -> Iterator[None]:
        """Add the line in the file to errors of this block that name one of its values."""
        try:
            yield
        except (DataError, UsageError) as error:
            message = str(error)
            for keys, leaf in _leaves(self.values) if self.file else ():
                if keys[0] not in self.given and repr(leaf) in message:
                    line = line_of(self.text, *keys, value=leaf)
                    raise DataError(message, file=self.file, line=line) from None
            raise


def _fitting(continua: Mapping[str, Continuum], pattern: str) -> set[str]:
    """Return the keys of continua whose key or name equals or matches the pattern."""
    named = ((key, name) for key, c in continua.items() for name in (key, c.name))
    return {key for key, name in named if name == pattern or fnmatchcase(name, pattern)}


def _there_are(continua: Mapping[str, Continuum], pattern: str = "") -> str:
    names = sorted({c.name for c in continua.values()})
    guess = did_you_mean(pattern, names)
    return f"{guess[:1].upper()}{guess[1:]}There are: {first_names(names, 10)}"


def _leaves(value: Any, *keys: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield every text in a TOML document with the keys that lead to it; keys are yielded, too."""
    if isinstance(value, str):
        yield keys, value
    for key, inner in value.items() if isinstance(value, dict) else ():
        yield (*keys, key), key
        yield from _leaves(inner, *keys, key)
    for inner in value if isinstance(value, list) else ():
        yield from _leaves(inner, *keys)


def read_campaign(path: Path) -> Campaign:
    """Read a campaign.toml.

    Parameters
    ----------
    path
        Path of the file.

    Raises
    ------
    DataError
        The file is not TOML, or has an unknown key, a value of the wrong type or a path that does
        not exist; the error has the line and advice.
    """
    values, text = read_toml(path)
    stamp = fingerprint(json.dumps(values, sort_keys=True, default=str))
    campaign = Campaign(values, path, text, stamp)
    validated(Keys, values, file=path, text=text)
    for key in values.get("option", {}):
        if key in KEYS:
            hint = f"Write {key} = … above the table [option]"
            raise campaign.error(f"{key} is not an option of a format", "option", key, hint=hint)
    if not values.get("paths"):
        raise campaign.error("there are no paths", "paths", hint='Say what to read: paths = ["."]')
    for entry in values["paths"]:
        if not campaign._exists(entry):
            hint = f"Paths are relative to {path.parent.resolve()}"
            raise campaign.error(f"{entry!r} does not exist", "paths", value=entry, hint=hint)
    return campaign


def campaign_of(paths: Sequence[Path]) -> Campaign:
    """Return the campaign of a command's paths: a single campaign.toml, or files to read.

    Parameters
    ----------
    paths
        Paths that were given.

    Raises
    ------
    UsageError
        The paths mix a campaign.toml with other files.
    """
    if not any(path.suffix == ".toml" for path in paths):
        return Campaign({"paths": list(paths)})
    if len(paths) > 1:
        raise UsageError(f"give a {NAME} alone: its paths say what is read")
    return read_campaign(paths[0])
