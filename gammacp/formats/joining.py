"""Files that hold one annotator each, and the layouts that read them as parts of one document."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from gammacp.continuum import Continuum, Corpus
from gammacp.errors import DataError
from gammacp.formats.finding import place_of
from gammacp.formats.layout import names_from_path
from gammacp.formats.merging import merge_parts
from gammacp.formats.registry import Format
from gammacp.formats.source import Source

# Layouts that use the name of the file come before those that use its folder: they are more likely.
_LAYOUTS = (
    *(f"{{document}}{mark}{{annotator}}" for mark in "_-."),
    *(f"{{annotator}}{mark}{{document}}" for mark in "_-."),
    "{document}/{annotator}",
    "{annotator}/{document}",
)
_NAMED = 3  # largest number of documents named, of annotators named for each, and of files tried


@dataclass(frozen=True)
class Joining:
    """A layout that makes several files parts of the same document.

    Attributes
    ----------
    layout
        The layout, as `--layout` takes it.
    documents
        Annotators by document; "" where the files themselves name their documents.
    """

    layout: str
    documents: Mapping[str, tuple[str, ...]]

    def in_words(self) -> str:
        """Describe the layout's reading, as `interview by Ann, Bob`."""
        phrases = [
            f"{name} by {_few(people)}" if name else _few(people)
            for name, people in self.documents.items()
        ]
        return _few(phrases, "; ")


def _few(names: Sequence[str], between: str = ", ") -> str:
    if len(names) > _NAMED + 1:
        more = [f"{len(names) - _NAMED} more"]
    else:
        more = []
    return between.join([*(names[:_NAMED] if more else names), *more])


@dataclass(frozen=True)
class DocumentPart:
    """The part of a document that one file holds.

    Attributes
    ----------
    name, continuum
        Name of the document, and the part of it in the file.
    format, source
        Format of the file, and the file.
    shared
        Whether other files may have other annotators of the document.
    listed
        Whether the file itself names its documents.
    """

    name: str
    continuum: Continuum
    format: Format
    source: Source
    shared: bool
    listed: bool

    @property
    def annotator(self) -> str:
        """The annotator that the path names; "" if the file names its annotators."""
        name = self.source.annotator
        if name in self.continuum.annotators:
            return name
        return ""

    @property
    def own(self) -> tuple[str, ...]:
        """Names of annotators in the file itself, those without units included."""
        if self.annotator:
            return ()
        return self.continuum.annotators


def joinings(
    files: Sequence[DocumentPart], read: Callable[[Source], Continuum | Corpus]
) -> tuple[Joining, ...]:
    """Return the likeliest layouts that read these files as parts of the same documents.

    Each layout is tried on some of the files. It counts if they give a document with several
    annotators, or an error other than that their texts differ too much.

    Parameters
    ----------
    files
        One part from each of at least two files.
    read
        The reader of their format.
    """
    listed = all(file.listed for file in files)
    ranked: list[tuple[tuple[float, ...], Joining]] = []
    for number, layout in enumerate(_LAYOUTS):
        if listed:
            chosen = layout.replace("{document}", "*")
        else:
            chosen = layout
        try:
            names = [names_from_path(place_of(file.source), chosen) for file in files]
        except DataError:
            continue
        rows = sorted(("" if listed else n.document, n.annotator, i) for i, n in enumerate(names))
        documents = {
            document: [(who, files[i]) for _, who, i in group]
            for document, group in groupby(rows, key=lambda row: row[0])
        }
        shared = [part for part in documents.values() if len(part) > 1]
        twice = any(len({who for who, _ in part}) < len(part) for part in documents.values())
        if twice or not shared or not _joins(shared[0], read, chosen):
            continue
        named = sum(n.annotator in f.own for n, f in zip(names, files, strict=True))
        together = sum(map(len, shared))
        people = {d: tuple(who for who, _ in part) for d, part in documents.items()}
        # Rank by the annotators that the files confirm, then by the number of joined files; layouts
        # of file names come before layouts of folders.
        rank = (-named, -together, float("/" in layout))
        ranked.append(((*rank, number), Joining(chosen, people)))
    ranked.sort(key=lambda entry: entry[0])
    return tuple(joining for rank, joining in ranked if rank[:3] == ranked[0][0][:3])


def _joins(
    part: Sequence[tuple[str, DocumentPart]],
    read: Callable[[Source], Continuum | Corpus],
    layout: str,
) -> bool:
    """Return whether files, read by the layout, give a document with several annotators.

    Files whose texts have little in common are different documents.
    """
    # Imported where it is used: files of one annotator each are the exception.
    from gammacp.formats.differing_texts import TOO_DIFFERENT, on_one_line

    together: dict[str, list[Continuum]] = {}
    try:
        for who, file in part[:_NAMED]:
            name = names_from_path(place_of(file.source), layout).document
            document = read(replace(file.source, document=name, annotator=who))
            for c in document.values() if isinstance(document, Corpus) else [document]:
                together.setdefault(c.name, []).append(c)
        several = any(merge_parts(on_one_line(p)[0]).n_annotators > 1 for p in together.values())
    except DataError as error:
        return TOO_DIFFERENT not in str(error)
    return several
