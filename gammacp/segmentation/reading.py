"""Codings from files: segeval's JSON, TSV of masses, labels or boundaries, and any continuum.

JSON
    `{"items": {ITEM: {CODER: SEGMENTATION}}}` as segeval writes it, or the inner object alone. A
    segmentation is a list of masses, a boundary string ("0100": one character per potential
    boundary), or `{"mass": N, "boundaries": {TYPE: [POSITION, …]}}` for several boundary types. A
    key "boundary_types" beside "items" declares them all, "groups": [[ITEM, …], …] which items one
    group of coders worked on, and "anonymous_coders": true that equal names in different groups
    are different people.
TSV or CSV
    One coding per row under a header, which says what the row holds:
    `Coder  Masses …` segment masses; `Coder  Positions …` the segment label of each base unit
    (segeval's positions); `Coder  Mass  Boundaries …` the mass and where the boundaries are. A
    column `Item` in front names the item; without it that is the file's name. Lines that begin
    with "#" are comments. A wide table has a base unit per row and a column per coder: under
    `Unit CODER …` the label of the segment that the unit is in, under `After CODER …` 1 where a
    boundary stands after the unit, and 0 or nothing elsewhere.
Other files
    Every format of `gammacp formats`; each continuum is an item and must be covered without gaps.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.resources import files
from os import PathLike
from pathlib import Path

from gammacp.base.arguments import one_of
from gammacp.base.files import content_of
from gammacp.continuum import Continuum, Corpus
from gammacp.errors import DataError, UsageError
from gammacp.formats.boundary import guard
from gammacp.formats.reading import Reader, collect
from gammacp.formats.source import Source
from gammacp.segmentation.codings import Codings
from gammacp.segmentation.files import CODED, codings_in, units_of
from gammacp.segmentation.json_reading import codings_from_json, groups_of
from gammacp.segmentation.measures.tiling import from_continuum
from gammacp.segmentation.measures.value import Segmentation
from gammacp.segmentation.table_reading import is_unit_table

DATASETS = ("hearst1997", "moonstone")


@dataclass
class AsWritten:
    """Readers of segmentation files as units that also record types and groups.

    Pass `readers` to `gammacp.formats.collect`, and its result to `codings`.
    """

    parts: list[Codings] = field(default_factory=list)

    def readers(self, format: str | None = None) -> dict[str, Reader]:
        """Return the readers by format; `format` is the format that the user named, if any."""
        coded_readers: dict[str, Reader] = {
            name: guard(partial(self._read_coded, name)) for name in CODED
        }
        # Any text with commas is taken for CSV, including JSON and tables with unknown headers.
        if format == "csv":
            return coded_readers
        return {**coded_readers, "csv": guard(self._read_csv)}

    def _read_coded(self, format: str, source: Source) -> Corpus:
        self.parts.append(codings_in(source, format))
        return units_of(source, self.parts[-1])

    def _read_csv(self, source: Source, **options: object) -> Continuum | Corpus:
        from gammacp.formats.registry import FORMATS

        if source.content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
            return self._read_coded("segeval", source)
        if not is_unit_table(source.text()):
            return self._read_coded("segmentation-table", source)
        return FORMATS["csv"].reader.read(source, **options)

    def codings(
        self,
        continua: Mapping[str, Continuum],
        *,
        renamed: Mapping[str, str] | None = None,
        unit: float | None = None,
        typed: bool = False,
    ) -> tuple[Codings, list[DataError]]:
        """Return the codings of continua, and the errors of continua that are not codings.

        Parameters
        ----------
        continua
            Selected continua by name.
        renamed
            Old names of annotators to new ones.
        unit, typed
            As for `read_codings`.

        Raises
        ------
        UsageError
            `unit` or `typed` is given, and files hold codings.
        """
        written: dict[str, dict[str, Segmentation]] = {}
        for item, coders in (pair for part in self.parts for pair in part.items()):
            written.setdefault(item, {}).update(coders)
        if self.parts and (unit is not None or typed):
            raise UsageError(
                "`unit=` and `typed=` are for files of units; these files hold segmentations"
            )
        old = {new: name for name, new in (renamed or {}).items()}
        codings_by_item: dict[str, Mapping[str, Segmentation]] = {}
        failures: list[DataError] = []
        for key, continuum in continua.items():
            try:
                if key in written:
                    segmentations = _as_written(continuum, written[key], old)
                else:
                    segmentations = from_continuum(continuum, unit=unit, typed=typed)
                before = codings_by_item.get(continuum.name, {})
                if twice := before.keys() & segmentations.keys():
                    raise DataError(f"coder {min(twice)!r} has two segmentations of the item")
                codings_by_item |= Codings.of({continuum.name: {**before, **segmentations}})
            except DataError as error:
                failures.append(error.at(key))
        if not codings_by_item:
            raise failures[0]
        types = (t for part in self.parts for t in part.types)
        used = (t for item in codings_by_item.values() for s in item.values() for t in s.types)
        whole = Codings.of(codings_by_item, types=tuple(dict.fromkeys((*types, *used))))
        groups = (
            [i for i in g if i in codings_by_item] for part in self.parts for g in part.declared
        )
        anonymous = any(part.anonymous for part in self.parts)
        selection = dict.fromkeys(e for c in continua.values() for e in c.selection)
        whole = whole.with_groups(dict.fromkeys(map(tuple, groups)), anonymous=anonymous)
        return replace(whole, selection=tuple(selection)), failures


def _as_written(
    continuum: Continuum, coders: Mapping[str, Segmentation], old: Mapping[str, str]
) -> dict[str, Segmentation]:
    """Return the codings of an item as written in its files, for the selected coders."""
    lacking = [a for a in continuum.annotators if old.get(a, a) not in coders]
    if lacking:
        raise DataError(f"{lacking[0]} is declared but has no coding", hint="Do not declare it")
    codings = Codings.of({continuum.name: {a: coders[old.get(a, a)] for a in continuum.annotators}})
    mass = next(iter(codings[continuum.name].values())).mass
    low, high = continuum.bounds
    if low != 0 or high != mass:
        raise DataError(
            f"bounds are {low:g} to {high:g}, but the item is coded from 0 to {mass}",
            hint="Leave `bounds=` out: a coding always covers the whole item",
        )
    return dict(codings[continuum.name])


def read_codings(
    paths: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    format: str | None = None,
    unit: float | None = None,
    typed: bool = False,
    **options: object,
) -> Codings:
    """Read the codings of files, folders and globs; join those of one item in several files.

    The first failure is raised; `gammacp segmentation` goes on with the other files.

    Parameters
    ----------
    paths
        JSON, TSV or CSV, or any format whose continuum is covered without gaps.
    format, options
        As for `gammacp.read`.
    unit
        Length of a base unit, for files that hold continua, whose positions may then be real.
        Boundaries are rounded to multiples of it, and gaps that vanish by rounding are ignored.
    typed
        Whether the type of a boundary, in files that hold continua, is the category of the segment
        that ends there.

    Raises
    ------
    DataError
        A file cannot be read or understood (file, and line where it has one), one coder has two
        segmentations of an item, or masses differ between the coders of an item.
    UsageError
        `unit`, `typed` or an option of continua is given for a file of codings.
    """
    if isinstance(paths, str | PathLike):
        listed = [paths]
    else:
        listed = list(paths)
    written = AsWritten()
    collected = collect(listed, format=format, instead=written.readers(format), **options)
    for _, error in collected.failures:
        raise closer(error)
    codings, failures = written.codings(collected.continua, unit=unit, typed=typed)
    if failures:
        raise failures[0]
    return replace(codings, left_out=collected.left_out)


def closer(error: DataError) -> DataError:
    """Return a more helpful error for a JSON file that no format recognised.

    It is the error of reading the file as codings. In all other cases `error` is returned.

    Parameters
    ----------
    error
        Error that reading a file raised.
    """
    path = Path(error.file or "")
    if path.suffix.lower() != ".json" or not path.is_file():
        return error
    try:
        codings_in(Source(path, path.stem, "", content_of(path)), "segeval")
    except DataError as closest:
        return closest
    return error


def load_codings(name: str) -> Codings:
    """Return the codings of a dataset that ships: `moonstone` or `hearst1997`.

    Parameters
    ----------
    name
        Name of the dataset.

    Raises
    ------
    UsageError
        There is no dataset of that name.

    >>> load_codings("hearst1997")["stargazer"]["1"].masses
    (2, 3, 3, 1, 3, 6, 3)
    """
    one_of("dataset", name, DATASETS)
    text = files("gammacp.datasets").joinpath(f"{name}.json").read_text(encoding="utf-8")
    return codings_from_json(text)


def read_groups(path: str | PathLike[str]) -> tuple[tuple[str, ...], ...]:
    """Read the groups of items of a JSON file: `[[ITEM, …], …]`, or "groups" of an object.

    Parameters
    ----------
    path
        Path of the JSON file.

    Raises
    ------
    DataError
        The file cannot be read, or holds something else.
    """
    file = Path(path)
    try:
        root = Source(file, file.stem, "", content_of(file)).json()
        return groups_of(root.get("groups") if isinstance(root, dict) else root)
    except DataError as error:
        raise error.at(file) from None
