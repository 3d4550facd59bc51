"""Loading of the data of a command, and what it says about what it read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gammacp.base.arguments import one_of
from gammacp.base.failures import Failure, incomplete_in_words
from gammacp.base.left_out import LeftOut, by_reason
from gammacp.base.text import visible
from gammacp.cli import output
from gammacp.cli.incomplete import annotate_failures, note_unread, unread_json
from gammacp.cli.output import message, messages
from gammacp.errors import DataError, UsageError

if TYPE_CHECKING:
    from gammacp.cli.options.reading import Reading
    from gammacp.continuum import Continuum, Corpus
    from gammacp.formats import Collection
    from gammacp.formats.campaign_file import Campaign
    from gammacp.formats.conventions import ConventionNote
    from gammacp.formats.reading import Reader
    from gammacp.formats.understood import Remark

# Largest number of messages about differing conventions, which repeat in many documents.
_SUSPICIONS = 6


def teams_of(
    path: Path | None, continua: Mapping[str, Continuum], apart: str | None = None
) -> dict[str, str] | None:
    """Return the team of each annotator of the continua; None without a file.

    Parameters
    ----------
    path
        Argument of `--team`.
    continua
        Continua by name.
    apart
        An annotator who may lack a team.

    Raises
    ------
    DataError
        The file cannot be read or lacks an annotator, or a document has several teams.
    """
    if path is None:
        return None
    from gammacp.base.text import first_names
    from gammacp.cli.output import message
    from gammacp.formats.teams import check_members, read_teams

    team_by_annotator = read_teams(path)
    if unknown := check_members(team_by_annotator, continua, path, apart):
        message(f"{path}: nobody in the data is called {first_names(unknown, 3)}")
    return team_by_annotator


@dataclass(frozen=True)
class Loaded:
    """The continua of a command by display name, with notes on how they were read.

    The display name is the path of a file with a single continuum, the name of a document that
    consists of several files or is named inside a file, or the name of a dataset. `doubt` is a
    sentence on declared annotators who should have a file of their own but may not. `renamed` maps
    the names of annotators in the files to their new names. `failures` lists the files that could
    not be read, and `remarks` tells how the others were understood. `conventions` notes files that
    were read in another way than their format defines, and conventions in which annotators seem to
    differ. `files` has the first file of each continuum.
    """

    continua: Mapping[str, Continuum]
    failures: tuple[Failure, ...] = ()
    formats: Mapping[str, str] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()
    doubt: str | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)
    conventions: tuple[ConventionNote, ...] = ()
    remarks: tuple[Remark, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)

    def only(self) -> tuple[str, Continuum]:
        """Return the only continuum; raise a DataError if there are several."""
        if len(self.continua) > 1:
            from gammacp.continuum.needs import where_others_are

            names = ", ".join(list(self.continua)[:5])
            choice = "Choose one with --document NAME, or use a command that takes several"
            others = where_others_are(self.continua.values())
            raise DataError(
                f"{len(self.continua)} continua where one is needed: {names}",
                hint=f"{others}. {choice}" if others else choice,
            )
        return next(iter(self.continua.items()))

    def corpus(self) -> Corpus:
        """Return all continua as a corpus, under their display names."""
        from gammacp.continuum import Corpus

        return Corpus.from_continua(self.continua, left_out=self.left_out)

    @property
    def json(self) -> dict[str, object]:
        """Return the JSON fields that every command has on reading: what is missing, and doubts."""
        if self.doubt:
            doubt = {"doubt": self.doubt}
        else:
            doubt = {}
        remark_records = [remark.as_dict() for remark in self.remarks if remark.told]
        if remark_records:
            remarks = {"remarks": remark_records}
        else:
            remarks = {}
        return {**reading_json(self.left_out), **doubt, **remarks}

    def by_name(self) -> Mapping[str, Continuum]:
        """Return all continua by document name, or by display name if that name is taken."""
        return self.naming(self.continua)

    @property
    def takes_long(self) -> bool:
        """Return whether aligning the continua takes long enough to start worker processes."""
        from gammacp.alignment.limits import SMALL_UNITS

        # Small documents are aligned in batches, which takes a fiftieth of the time.
        work = (
            c.n_units * c.n_annotators**2 / (50 if c.n_units <= SMALL_UNITS else 1)
            for c in self.continua.values()
        )
        return sum(work) > 20_000

    def naming(self, made: Mapping[str, Continuum]) -> Mapping[str, Continuum]:
        """Return continua derived from these ones, `made`, under the names of `by_name`."""
        from gammacp.continuum.document_table import DocumentTable
        from gammacp.formats.reading import by_document

        if isinstance(made, DocumentTable):  # it comes from a table with these names
            return made
        return by_document(
            {key: c.with_about(name=self.continua[key].name) for key, c in made.items()}
        )


def reading_json(left_out: Iterable[LeftOut]) -> dict[str, object]:
    """Return the JSON fields on everything that a command read.

    Parameters
    ----------
    left_out
        Items that readers skipped. Unreadable files are already recorded.
    """
    return {"left_out": left_out_json(left_out), "failures": unread_json()}


def left_out_json(left_out: Iterable[LeftOut]) -> list[dict[str, object]]:
    """Return the JSON field `"left_out"`: skipped content, by file, kind and reason."""
    return [entry.as_dict() for entry in left_out]


def left_out_lines(left_out: Sequence[LeftOut], most: int = 12) -> Iterator[str]:
    """Return lines of text on content that readers skipped, most frequent first.

    `most` is the largest number of lines for `left_out`.
    """
    reasons = by_reason(left_out)
    if not (output.verbosity <= 0):
        most = len(reasons)
    for entry in reasons[:most]:
        yield visible(f"left out: {entry} ({entry.file})")
    if rest := sum(entry.count for entry in reasons[most:]):
        yield f"left out: {rest} more, for {len(reasons) - most} other reasons (--json has all)"


@contextmanager
def errors_of(name: str) -> Iterator[None]:
    """Add the name of a continuum to each DataError raised in this block."""
    try:
        yield
    except DataError as error:
        raise error.at(name) from None


def load(
    files: Sequence[Path] | Path | None,
    reading: Reading,
    features: Sequence[str] | None = None,
    *,
    beside: Sequence[str] = (),
    instead: Mapping[str, Reader] | None = None,
    closer: Callable[[DataError], DataError] = lambda error: error,
    refused: Mapping[str, str] | None = None,
    against: Sequence[Path] | None = None,
    tell_left_out: bool = True,
    writes: Iterable[Path] = (),
    endings: Sequence[str] = (),
    about: Mapping[str, str] | None = None,
    links: bool = False,
    by_default_chance: bool = False,
    people: Iterable[str] = (),
) -> Loaded:
    """Read the input of a command; report unreadable files on stderr and record them.

    Skipped content is reported as well, unless `tell_left_out` is false because the command shows
    it itself. `features` are the features to keep beside the category; None keeps all, together
    with those of `beside`, which are required. `instead` replaces readers of formats, and `closer`
    turns the error on an unrecognised file into that of such a reader. `refused` maps keys that do
    not apply to the command to a reason. With `against` another round is read, with the same
    options. `writes` are the files and folders to be written, with `endings` for files in folders.
    `about` has statements on the documents (`Sampled`), and `links` says whether the command uses
    links between units. `by_default_chance` says whether the command uses the default chance model,
    which may depend on the selection. `people` are annotators named by the command: a reference
    among them counts without `--include`.

    Raises
    ------
    DataError
        Nothing could be read, or a selected category or annotator does not occur.
    UsageError
        Neither files nor a dataset are given, or both; an option is invalid; or a file to be
        written is one of those to read.
    """
    if (path := _shipped(reading)) is not None:
        files = path
        reading = replace(reading, dataset=None)
    about = about or {}
    campaign = requested_campaign(files, reading, against, features=features or beside, **about)
    campaign.refuse(refused or {})
    if about and reading.dataset is not None:
        raise UsageError(f"--{min(about)} does not apply here: a dataset is one document")
    _spare_inputs(campaign, list(writes), endings)
    collection = _collected(campaign, reading.dataset, instead, closer, people)
    tell(collection, left_out=tell_left_out, allowed=reading.allow_unread)
    tell_remarks(collection.remarks)
    selection = selected(campaign, collection, features, links=links)
    if tell_left_out:
        tell_losses(selection.left_out[len(collection.left_out) :])
    doubt = _tell_doubt(campaign, collection, selection, by_default_chance=by_default_chance)
    names = campaign.values.get("rename", {})
    conventions = collection.conventions
    if reading.dataset is None and instead is None:
        conventions += _suspected(selection.continua, names, tell=tell_left_out)
    return Loaded(
        selection.continua,
        collection.unread,
        collection.formats,
        selection.left_out,
        doubt,
        names,
        conventions=conventions,
        remarks=collection.remarks,
        files=collection.files,
    )


def _spare_inputs(campaign: Campaign, targets: list[Path], endings: Sequence[str]) -> None:
    """Raise a UsageError if writing `targets` would overwrite or extend the input."""
    if not targets:
        return
    # Imported here, because most commands write no file.
    from gammacp.cli.sparing import spare

    inputs = [*campaign.paths, *filter(None, (campaign.file,))]
    with campaign.confine():
        spare(targets, inputs, format=campaign.values.get("format"), endings=endings)


def _shipped_collection(name: str, campaign: Campaign) -> Collection:
    """Return a dataset that ships with gammacp, with its positions moved if requested."""
    from gammacp import datasets
    from gammacp.formats import Collection

    continua = {name: datasets.load(name)}
    if "positions" in campaign.values:
        continua = _moved(continua, campaign.values["positions"])
    return Collection(continua, (), {})


def _collected(
    campaign: Campaign,
    dataset: str | None,
    instead: Mapping[str, Reader] | None,
    closer: Callable[[DataError], DataError],
    people: Iterable[str],
) -> Collection:
    """Read a dataset that ships with gammacp, or the files of a campaign.

    If `people` names a reference, the files are read again with references.
    """
    if dataset is not None:
        return _shipped_collection(dataset, campaign)
    try:
        collection = campaign.collect(instead)
        if references := campaign.with_references(collection, people):
            collection = references.collect(instead)
    except DataError as error:
        raise closer(error) from None
    failures = tuple((name, closer(error)) for name, error in collection.failures)
    return replace(collection, failures=failures)


def _tell_doubt(
    campaign: Campaign, collection: Collection, selection: Collection, *, by_default_chance: bool
) -> str | None:
    """Print doubts about the annotators or the chance model on stderr, and return them."""
    names = campaign.values.get("rename", {})
    declared = [a for a in campaign.values.get("annotators", ()) if a not in names.values()]
    doubt = collection.doubt(declared, selection.continua)
    if doubt:
        message(f"gammacp: {doubt}")
    if not by_default_chance:
        return doubt
    # Imported here, because most commands use no chance model.
    from gammacp.chance.registry import changed_default

    changed = changed_default(collection.continua, selection.continua, campaign.values)
    if not changed:
        return doubt
    # The chance model `cut` needs one text only, so it suits any selection.
    note = f"{changed}; `chance=cut` for both makes them comparable"
    message(f"gammacp: {note}")
    if doubt:
        return f"{doubt}. {note}"
    return note


def _moved(continua: Mapping[str, Continuum], positions: Mapping[str, str]) -> dict[str, Continuum]:
    """Return the continua of a dataset with the positions of some annotators moved."""
    from gammacp.formats.position_maps import move_positions

    moved = move_positions([*continua.values()], positions)
    return dict(zip(continua, moved, strict=True))


def _suspected(
    continua: Mapping[str, Continuum], renamed: Mapping[str, str], *, tell: bool
) -> tuple[ConventionNote, ...]:
    """Return conventions in which annotators seem to differ; with `tell`, print them on stderr."""
    # Imported here, because datasets that ship with gammacp follow one convention.
    from gammacp.formats.between_annotators import suspected

    notes = suspected(continua, {new: old for old, new in renamed.items()})
    if tell:
        messages((note.evidence, note.file) for note in notes[:_SUSPICIONS])
        if more := len(notes[_SUSPICIONS:]):
            message(f"{more} more differences of this kind (gammacp inspect --json has all)")
    return tuple(notes)


def selected(
    campaign: Campaign, found: Collection, features: Sequence[str] | None, *, links: bool = False
) -> Collection:
    """Return the selected data, with the given features of units; None keeps all features."""
    if features is not None:
        from gammacp.formats.selection import with_features

        found = replace(found, continua=with_features(found.continua, features))
    return campaign.select(found, links=links)


def _shipped(reading: Reading) -> Path | None:
    """Return the file of the dataset if it holds segmentations; otherwise None."""
    from gammacp import datasets

    coded = datasets.coded()
    if reading.dataset is not None:
        one_of("dataset", reading.dataset, (*datasets.names(), *coded))
    return coded.get(reading.dataset or "")


def requested_campaign(
    files: Sequence[Path] | Path | None,
    reading: Reading,
    against: Sequence[Path] | None = None,
    *,
    features: Sequence[str] = (),
    **about: str,
) -> Campaign:
    """Return the campaign to read: a campaign.toml or files, with the options."""
    from gammacp.formats.campaign_file import Campaign, campaign_of

    if isinstance(files, Path):
        paths = [files]
    else:
        paths = list(files or ())
    if bool(paths) == (reading.dataset is not None) or (against and not paths):
        raise UsageError("give files, or a dataset with --dataset NAME (one of the two)")
    values = reading.values() | ({"features": tuple(features)} if features else {}) | about
    campaign = (campaign_of(paths) if paths else Campaign({})).but(values, reading.round)
    if against:
        return _other(campaign, against, values)
    return campaign


def tell(found: Collection, *, left_out: bool = True, allowed: bool = False) -> None:
    """Print on stderr what could not be read or was skipped; raise a DataError if nothing is left.

    Parameters
    ----------
    found
        Documents that were read.
    left_out
        Whether to report skipped content.
    allowed
        Whether the command ends with exit code 0 although something could not be read.
    """
    if found.continua or len(found.failures) > 1:
        messages(
            (error.message_and_place for _, error in found.failures), before="gammacp: ", error=True
        )
    if left_out:
        tell_losses(found.left_out)
        noted = [note for note in found.conventions if not note.usual]
        messages(((note.evidence, note.file) for note in noted), before="gammacp: ")
    if not found.continua:
        _, first = found.failures[0]
        if len(found.failures) > 1:
            annotate_failures(found.unread)
            raise DataError(f"none of {len(found.failures)} files could be read")
        raise first
    sentence = incomplete_in_words(len(found.continua), found.unread)
    note_unread(found.unread, sentence, allowed=allowed)


def tell_losses(left_out: Sequence[LeftOut]) -> None:
    """Print skipped content on stderr."""
    for line in left_out_lines(left_out):
        message(f"gammacp: {line}")


def tell_remarks(remarks: Iterable[Remark]) -> None:
    """Print those remarks on how files were understood that every command reports."""
    files: dict[str, list[str]] = {}
    for remark in remarks:
        if remark.told:
            files.setdefault(remark.text, []).append(remark.file)
    for text, listed in files.items():
        message(f"gammacp: {text} ({listed[0] if len(listed) == 1 else f'{len(listed)} files'})")


def _other(campaign: Campaign, against: Sequence[Path], options: Mapping[str, Any]) -> Campaign:
    """Return the campaign that `--against` names: a round, a campaign.toml, or files."""
    from gammacp.formats.campaign_file import campaign_of

    if len(against) == 1 and str(against[0]) in campaign.values.get("rounds", {}):
        return campaign.but(options, str(against[0]))
    other = campaign_of(against)
    if other.file:
        return other.but(options)
    return campaign.but({**options, **other.values})
