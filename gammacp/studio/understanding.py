"""Content of a folder as understood by the readers, and the choices it offers."""

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from gammacp.base.failures import Failure, incomplete_in_words
from gammacp.base.left_out import LeftOut
from gammacp.chance.registry import changed_default
from gammacp.continuum import Continuum
from gammacp.dissimilarity import DISSIMILARITIES
from gammacp.dissimilarity import dissimilarity as dissimilarity_of
from gammacp.dissimilarity.base import features_of
from gammacp.errors import DataError, GammacpError
from gammacp.formats import FORMATS
from gammacp.formats.campaign_file import NAME, Campaign
from gammacp.formats.collection import Collection
from gammacp.formats.finding import Finding, find
from gammacp.formats.joining import Joining
from gammacp.formats.layers import union
from gammacp.formats.summary import alike_names, summary
from gammacp.studio.choice import Choice, campaign_in
from gammacp.studio.places import inside, seen_from

# Largest number of documents to check for warnings, which repeat in further ones.
_LOOKED_AT = 2000


@dataclass(frozen=True)
class TableHead:
    """First rows of a table whose columns need names, or got them on the page.

    Attributes
    ----------
    file
        Name of the file in the folder.
    rows
        Rows of texts; the first has the names of the columns.
    unread
        Whether the table could not be read because its columns are unknown.
    """

    file: str
    rows: tuple[tuple[str, ...], ...]
    unread: bool


@dataclass(frozen=True, kw_only=True)
class FolderOffers:
    """The values that can be chosen for a folder.

    Attributes
    ----------
    layers
        Features by layer, of formats that have layers.
    dissimilarities
        Names of registered dissimilarities, and of TOML files in the folder that may define one.
    options
        Options of the readers of these files.
    rounds, paths
        Rounds and paths in the campaign.toml of the folder; empty without one.
    table
        Table whose columns can be named; None if no table needs it.
    """

    layers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    dissimilarities: tuple[str, ...] = ()
    options: frozenset[str] = frozenset()
    rounds: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    table: TableHead | None = None


@dataclass(frozen=True, kw_only=True)
class Understood:
    """Documents and annotators before any selection, and files that could not be read.

    Attributes
    ----------
    documents
        Records with file, format, and numbers of annotators and units.
    annotators, categories
        Number of units of each annotator and of each category.
    offers
        The values that can be chosen.
    warnings
        Warnings about problems for measures, each with the number of documents.
    failures
        Errors of unreadable files, with file, line and remedy.
    incomplete
        Description of what is missing because of the failures; None if nothing is.
    left_out
        Items that the readers skipped.
    joinings
        Layouts that would join files of one annotator each. The page asks whether to use them.
    problem
        Reason why the current choice cannot be computed; None if it can.
    """

    documents: tuple[Mapping[str, object], ...] = ()
    annotators: Mapping[str, int] = field(default_factory=dict)
    categories: Mapping[str, int] = field(default_factory=dict)
    offers: FolderOffers = field(default_factory=FolderOffers)
    warnings: tuple[tuple[str, int], ...] = ()
    failures: tuple[DataError, ...] = ()
    incomplete: str | None = None
    left_out: tuple[LeftOut, ...] = ()
    joinings: tuple[Joining, ...] = ()
    problem: str | None = None


def understand(
    folder: Path, choice: Choice, dissimilarity: Any, chance: str | None = None
) -> tuple[Understood, dict[str, Continuum], Any]:
    """Return the content of a folder, the chosen continua and the dissimilarity.

    There are no continua if reading or selecting them failed.

    Parameters
    ----------
    folder
        Folder with exports, possibly in subfolders.
    choice
        Choices on reading and selecting.
    dissimilarity
        Dissimilarity to use if neither the choice nor a campaign.toml names one.
    chance
        Chance model, if one was named. Otherwise there is a note if the selection changes the
        default model.
    """
    beginning = Understood()
    try:
        campaign = choice.apply_to(campaign_in(folder))
        offers, finding = _offers_for(folder, campaign)
        beginning = Understood(offers=offers)
        if name := campaign.values.get("dissimilarity"):
            dissimilarity = _named_dissimilarity(folder, name)
        features = features_of(dissimilarity)
        reading = campaign
        if features:
            reading = campaign.but({"features": features})
        collected = reading.collect(finding=finding)
    except GammacpError as error:
        return replace(beginning, problem=seen_from(folder, str(error))), {}, dissimilarity
    weighed = {name: c.with_features(features) for name, c in collected.continua.items()}
    collected = replace(collected, continua=weighed)
    continua = {inside(folder, name): c for name, c in collected.continua.items()}
    formats = {inside(folder, name): entry for name, entry in collected.formats.items()}
    problem: str | None = None
    doubts: list[str] = []
    chosen: dict[str, Continuum] = {}
    try:
        collected, doubts = _select(campaign, collected, check_chance=chance is None)
        chosen = {inside(folder, name): c for name, c in collected.continua.items()}
    except GammacpError as error:
        problem = seen_from(folder, str(error))
    failures = _failures(folder, collected.unread)
    annotators, categories = _unit_counts(continua.values())
    head = _table_to_name(folder, finding, collected.unread, named=bool(choice.columns))
    understood = replace(
        beginning,
        offers=replace(offers, table=head),
        documents=_documents(continua, formats),
        annotators=annotators,
        categories=categories,
        warnings=(
            *_warnings(chosen.values()),
            *Counter(remark.text for remark in collected.remarks if remark.told).items(),
            *((doubt, 1) for doubt in doubts),
        ),
        failures=tuple(each.error for each in failures),
        incomplete=incomplete_in_words(len(continua), failures),
        left_out=tuple(replace(e, file=inside(folder, e.file)) for e in collected.left_out),
        joinings=collected.joinings,
        problem=problem,
    )
    return understood, chosen, dissimilarity


def _select(
    campaign: Campaign, collected: Collection, *, check_chance: bool
) -> tuple[Collection, list[str]]:
    """Return the selected continua, and doubts about the selection.

    `check_chance` says whether a changed default of the chance model is such a doubt.
    """
    if collected.continua:
        selected = campaign.select(collected, links=True)
    else:
        selected = collected
    doubts = [collected.doubt(campaign.values.get("annotators", ()), selected.continua)]
    if check_chance:
        doubts.append(changed_default(collected.continua, selected.continua, campaign.values))
    return selected, [doubt for doubt in doubts if doubt]


def _named_dissimilarity(folder: Path, name: str) -> Any:
    """Return the dissimilarity that a campaign.toml names: a TOML file of its folder, or a name."""
    if name.lower().endswith(".toml"):
        return dissimilarity_of(str(folder / name), importing=False)
    return dissimilarity_of(name, importing=False)


def _documents(
    continua: Mapping[str, Continuum], formats: Mapping[str, str]
) -> tuple[dict[str, Any], ...]:
    """Return the format and the numbers of annotators and units of each document."""
    return tuple(
        {"file": n, "format": formats[n], "annotators": c.n_annotators, "units": c.n_units}
        for n, c in continua.items()
    )


def _failures(folder: Path, unread: Iterable[Failure]) -> tuple[Failure, ...]:
    """Return the failures with files and documents named relative to the folder."""
    return tuple(
        Failure(_seen_from(folder, each.error), tuple(inside(folder, n) for n in each.documents))
        for each in unread
    )


def _unit_counts(continua: Iterable[Continuum]) -> tuple[Counter[str], Counter[str]]:
    """Return the number of units by annotator and by category."""
    annotators = Counter[str]()
    categories = Counter[str]()
    for continuum in continua:
        counts = continuum.counts.tolist()
        annotators.update(dict(zip(continuum.annotators, counts, strict=True)))
        bare = continuum.with_features()
        codes = Counter(bare.category_codes.tolist())
        categories.update({name: codes[i] for i, name in enumerate(bare.categories)})
    return annotators, categories


def _table_to_name(
    folder: Path, finding: Finding | None, unread: Iterable[Failure], *, named: bool
) -> TableHead | None:
    """Return the first table with unknown columns, or any table if columns were named."""
    refused = {str(f.error.file) for f in unread if "`columns=" in (f.error.hint or "")}
    tables = [
        (source, entry.reader.preview)
        for source, entry in (finding.sources if finding else ())
        if entry.reader.preview is not None and (named or source.place in refused)
    ]
    tables.sort(key=lambda table: table[0].place not in refused)
    for source, preview in tables:
        with suppress(DataError):
            rows = tuple(tuple(row) for row in preview(source))
            return TableHead(inside(folder, source.place), rows, source.place in refused)
    return None


def _seen_from(folder: Path, error: DataError) -> DataError:
    """Return the error with all its file names relative to the folder."""
    hint = error.hint and seen_from(folder, error.hint)
    if error.file is None:
        file = None
    else:
        file = inside(folder, str(error.file))
    return DataError(seen_from(folder, error.message), file=file, line=error.line, hint=hint)


def _offers_for(folder: Path, campaign: Campaign) -> tuple[FolderOffers, Finding | None]:
    """Return the choices that a folder offers, and its files; None if they cannot be read."""
    finding = None
    layers = []
    with suppress(GammacpError):
        chosen = campaign.values.get("format")
        layout = campaign.values.get("layout")
        finding = find(campaign.paths, FORMATS[chosen] if chosen else None, layout)
    if finding:
        sources = finding.sources
    else:
        sources = []
    for source, entry in sources:
        if entry.reader.layers is not None:
            # Errors of unreadable files are reported when they are read.
            with suppress(DataError):
                layers.append(entry.reader.layers(source))
    offers = FolderOffers(
        layers={name: layer.features for name, layer in union(layers).items() if layer.offered},
        dissimilarities=(
            *(name for name, _ in DISSIMILARITIES.items()),
            *sorted(path.name for path in folder.glob("*.toml") if path.name != NAME),
        ),
        options=frozenset(name for _, entry in sources for name in entry.reader.options),
        rounds=tuple(campaign.values.get("rounds", ())),
        paths=tuple(inside(folder, str(p)) for p in campaign.values["paths"])
        if campaign.file
        else (),
    )
    return offers, finding


def _warnings(continua: Iterable[Continuum]) -> tuple[tuple[str, int], ...]:
    looked_at = list(islice(continua, _LOOKED_AT))
    people = alike_names(name for c in looked_at for name in c.annotators)
    counts = Counter(w for c in looked_at for w in summary(c, people).warnings)
    return tuple(counts.most_common())
