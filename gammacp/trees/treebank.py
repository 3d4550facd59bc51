"""Reading of treebanks from files: annotators, formats and pairing of sentences."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from gammacp.base.arguments import one_of
from gammacp.base.failures import Failure, incomplete_in_words
from gammacp.base.left_out import LeftOut, Tally, gather
from gammacp.base.signature import entry
from gammacp.base.text import counted
from gammacp.errors import DataError
from gammacp.formats.finding import globbed
from gammacp.trees.brackets import read_brackets, settle_leaves
from gammacp.trees.conll import read_conll
from gammacp.trees.conventions import CONVENTIONS, by_convention, check_conventions
from gammacp.trees.defects import UNCOUNTED, UNREAD, UNSOUND, Defect, find_defects, require_sound
from gammacp.trees.measures.annotations import (
    Dependencies,
    Item,
    MeaningGraph,
    Sentence,
    Treebank,
    error_in,
)
from gammacp.trees.naming import SUFFIXES, Named, chosen, name_files, passed_over
from gammacp.trees.pairing import SentenceSide, pair_sentences, without_partner
from gammacp.trees.text import read_lines

KINDS = ("dependency", "phrase", "graph", "enhanced")
NO_EDGES = "its words have no enhanced dependencies (_ in DEPS): not annotated"
_LISTED = 20
_PLAIN = ("auto", "leaves", "all")  # what options are where nothing is asked for
T = TypeVar("T")


@dataclass(frozen=True)
class ReadTreebank:
    """Treebank read from files, with what was left out.

    Attributes
    ----------
    treebank
        All sentences, including those of a single annotator.
    defects
        Defects inside sentences and between the annotations of a sentence.
    left_out
        Sentences that only one annotator has, and tokens that are not read, by file and reason.
    notes
        Notes on how names and formats were recognised.
    failures
        Files that could not be read, with their documents, which are left out.
    """

    treebank: Treebank
    defects: tuple[Defect, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]
    failures: tuple[Failure, ...] = ()

    @property
    def unread(self) -> tuple[Failure, ...]:
        """Return the errors of files that could not be read, and of faulty sentences in others."""
        inside = (Failure(DataError(d.message, file=d.file, line=d.line)) for d in self._lost)
        return (*self.failures, *inside)

    @property
    def _lost(self) -> list[Defect]:
        """Return the defects that cause sentences to be left out."""
        return [defect for defect in self.defects if defect.kind in UNREAD]

    @property
    def incomplete(self) -> str | None:
        """Describe missing documents and sentences; None if none is missing."""
        read = len({item.document for item in self.treebank.items})
        words = [incomplete_in_words(read, self.failures)]
        if lost := self._lost:
            if len(lost) > 1:
                more = f" (and {len(lost) - 1} more)"
            else:
                more = ""
            words.append(f"a sentence could not be read: {lost[0]}{more}")
        return "; ".join(filter(None, words)) or None

    @property
    def alone(self) -> tuple[Item, ...]:
        """Return the sentences that only one annotator has."""
        return tuple(item for item in self.treebank.items if len(item.annotations) == 1)

    @property
    def messages(self) -> tuple[str, ...]:
        """Return messages for readers of the numbers: notes, what is left out, and defects."""
        lost = [f"{entry.file}: left out: {entry}" for entry in self.left_out]
        lines = [str(s.line) for item in self.alone for s in item.annotations.values() if s.line]
        if lines:
            if len(lines) > _LISTED:
                more = ", …"
            else:
                more = ""
            lost.append(f"  the sentences from lines {', '.join(lines[:_LISTED])}{more}")
        return (*self.notes, *lost, *_defect_lines(self.defects))

    def require_complete(self) -> None:
        """Raise DataError for the first sentence without a partner, or the first defect."""
        if self.failures:
            raise self.failures[0].error
        require_sound(self._lost)
        for item in self.alone:
            (annotator, sentence), *_ = item.annotations.items()
            rest = len(self.alone) - 1
            if rest:
                more = f"; so are {rest} more"
            else:
                more = ""
            raise error_in(
                sentence,
                f"sentence {item.name} of {annotator} is left out, since nobody else has it{more}",
                hint="Without `require_complete()` agreement is that of the others.",
            )
        require_sound(self.defects)


def _defect_lines(defects: Sequence[Defect]) -> list[str]:
    if not defects:
        return []
    counts = Counter(str(d.kind) for d in defects)
    kinds = ", ".join(f"{n} {k}" for k, n in counts.most_common())
    # Show rare kinds first: several roots are legitimate in some schemes.
    order = sorted(defects, key=lambda d: counts[str(d.kind)])
    more = len(defects) - _LISTED
    return [
        f"{counted(len(defects), 'defect')}: {kinds}",
        *(f"  {defect}" for defect in order[:_LISTED]),
        *([f"  … and {more} more (all of them with `as_dict()`)"] if more > 0 else []),
    ]


def read_treebank(
    paths: Path | str | Sequence[Path | str],
    *,
    kind: str | None = None,
    pattern: str | None = None,
    layout: str | None = None,
    folders: str = "auto",
    pairing: str = "auto",
    leaves: str = "auto",
    size: str = "leaves",
    labels: str = "all",
    ignore: str = "",
    encoding: str = "utf-8",
    documents: Sequence[Sequence[str]] = (),
    rename: Mapping[str, str] | None = None,
    exclude: Sequence[str] = (),
    noted: Mapping[str, str | None] | None = None,
) -> ReadTreebank:
    """Read the files of all annotators; documents of unreadable files are left out.

    Parameters
    ----------
    paths
        Files, one per annotator; folders, one per annotator; or one folder of either. Globs, too.
    kind
        One of `KINDS`; None: one of the first three, from the first file's name or content.
    pattern, layout, folders
        Ways of reading names, see `gammacp.trees.naming`; `layout` as for `gammacp.read`.
    pairing
        Sentences of a document belong together by their words ("auto"), their "order" or their
        "id" (`# sent_id`), see `gammacp.trees.pairing`. Graphs that all have an id of their own
        (`# ::id`) belong together by it.
    leaves, size
        Phrase structure: what bare symbols are (`gammacp.trees.brackets`), and |x| in leaves or
        nodes.
    labels, ignore
        Conventions, see `gammacp.trees.conventions`.
    encoding
        Encoding of the files, unless a byte-order mark says otherwise.
    documents, rename, exclude
        Files that count, and names of their annotators (`gammacp.trees.naming.chosen`).
    noted
        Further entries on the selection, for the signature.

    Raises
    ------
    UsageError
        An option has an unknown value.
    DataError
        A file cannot be read or understood, two files have one name, there is one annotator only,
        or no sentence has two annotations.
    """
    if kind is not None:
        one_of("trees", kind, KINDS)
    path_list = [paths] if isinstance(paths, str | Path) else paths
    listed = [file for path in path_list for file in globbed(Path(path))]
    suffixes = "dependency" if kind == "enhanced" else kind
    everything, how = name_files(
        listed, pattern=pattern, layout=layout, folders=folders, kind=suffixes
    )
    named = chosen(everything, documents, rename or {}, exclude)
    files = _Files(listed, everything, named, how)
    recognised = kind or _recognise(named[0].path, encoding)
    conventions = {"leaves": leaves, "size": size, "ignore": ignore, "labels": labels}
    check_conventions(recognised, conventions)
    options = {"pattern": pattern, "layout": layout, "folders": folders, "pairing": pairing}
    selection = _selection(options | conventions, rename or {}, exclude, noted or {})
    return _read_files(files, recognised, conventions, encoding, pairing, selection)


@dataclass(frozen=True)
class _Files:
    """Files that are read.

    Attributes
    ----------
    listed
        Files and folders that were given.
    everything, named
        All files below them, and those that count, with the names of annotators and documents.
    how
        The way in which names were recognised.
    """

    listed: Sequence[Path]
    everything: Sequence[Named]
    named: Sequence[Named]
    how: str


def _read_files(
    files: _Files,
    kind: str,
    conventions: Mapping[str, str],
    encoding: str,
    pairing: str,
    selection: tuple[str, ...],
) -> ReadTreebank:
    """Read the files, pair their sentences, and find the defects.

    Parameters
    ----------
    files
        Files to read.
    kind, encoding, pairing
        As for `read_treebank`; the kind is not None.
    conventions
        Conventions by name.
    selection
        Entries of the signature on what was selected.

    Raises
    ------
    DataError
        No document can be read, or no sentence has two annotations.
    """
    tallies = {one.path: Tally(str(one.path)) for one in files.named}
    defects: list[Defect] = []
    sentences, note, failures = _read_all([*tallies], kind, conventions, encoding, tallies, defects)
    whole = _of_whole_documents(files.named, sentences, tallies)
    if failures and not whole:
        raise failures[0]
    items, alone = _items(whole, sentences, pairing, tallies, defects)
    annotators = tuple(dict.fromkeys(one.annotator for one in whole))
    treebank = Treebank(annotators, tuple(items), kind, selection)
    if not treebank.shared_items:
        raise _nothing_shared(tallies.values(), files.listed[0], files.how)
    n_documents = len({one.document for one in whole})
    names = (
        f"{len(annotators)} annotators: {', '.join(annotators)}; "
        f"{counted(n_documents, 'document')} ({files.how})"
    )
    losses = [
        alone,
        passed_over(files.listed, files.everything),
        *(tally.entries() for tally in tallies.values()),
    ]
    return ReadTreebank(
        treebank=treebank,
        defects=(*defects, *find_defects(treebank)),
        left_out=gather(losses),
        notes=(names, note),
        failures=_with_documents(failures, files.named),
    )


def _of_whole_documents(
    named: Sequence[Named], sentences: Mapping[Path, list[Sentence]], tallies: Mapping[Path, Tally]
) -> list[Named]:
    """Return the files of documents that could be read by all annotators; count the others."""
    lost = {one.document for one in named if one.path not in sentences}
    for one in named:
        if one.document in lost and one.path in sentences:
            tallies[one.path].add(
                "file", "another annotator's file of this document cannot be read"
            )
    return [one for one in named if one.document not in lost]


def _nothing_shared(tallies: Iterable[Tally], file: Path, how: str) -> DataError:
    """Return the error for files in which no sentence has two annotations."""
    alone = [f"; left out: {entry}" for tally in tallies for entry in tally.entries()]
    return DataError(
        f"no sentence has two annotations{''.join(alone[:1])}",
        file=file,
        hint=f"Recognised: {how}. Use `pattern=` if that is wrong, and `pairing=order` or id "
        "if words do not tell which sentences are the same.",
    )


def _with_documents(failures: Sequence[DataError], named: Sequence[Named]) -> tuple[Failure, ...]:
    """Return the failures with the document that each file is of, if it has a name."""
    documents = {str(one.path): one.document for one in named}
    return tuple(Failure(e, tuple(filter(None, [documents[str(e.file)]]))) for e in failures)


def _selection(
    options: Mapping[str, str | None],
    rename: Mapping[str, str],
    exclude: Sequence[str],
    noted: Mapping[str, str | None],
) -> tuple[str, ...]:
    """Return what was selected or changed, as entries of signatures."""
    parts: list[tuple[str, Sequence[str]]] = []
    parts += [(key, (value,)) for key, value in options.items() if value and value not in _PLAIN]
    parts += [("rename", pair) for pair in rename.items()]
    if exclude:
        parts += [("exclude", exclude)]
    else:
        parts += []
    parts += [(key, (value,)) for key, value in noted.items() if value]
    return tuple(entry(key, *values) for key, values in parts)


def _items(
    named: Sequence[Named],
    sentences: Mapping[Path, list[Sentence]],
    pairing: str,
    tallies: Mapping[Path, Tally],
    defects: Sequence[Defect],
) -> tuple[list[Item], list[LeftOut]]:
    """Return the paired sentences of all documents, and those of a single annotator."""
    documents: dict[str, dict[str, list[Sentence]]] = {}
    for one in named:
        documents.setdefault(one.document, {})[one.annotator] = sentences[one.path]
    items: list[Item] = []
    left_out: list[LeftOut] = []
    for document, annotations in sorted(documents.items()):
        how = _pairing(document, pairing, annotations, defects)
        sound = _complete(pair_sentences(document, annotations, pairing=how)[0], tallies)
        items += sound
        left_out += without_partner(sound, len(annotations))
    return items, left_out


def read_sentences(path: Path) -> list[Sentence]:
    """Return one annotator's sentences from a file, with the defaults of `read_treebank`.

    Parameters
    ----------
    path
        Path of the file.
    """
    plain = {option: next(iter(kinds_by_value)) for option, kinds_by_value in CONVENTIONS.items()}
    sentences_by_path, _, failures = _read_all([path], _recognise(path, "utf-8"), plain)
    if failures:
        raise failures[0]
    return sentences_by_path[path]


def _pairing(
    document: str,
    pairing: str,
    annotations: Mapping[str, Sequence[Sentence]],
    defects: Sequence[Defect],
) -> str:
    """Return how sentences are paired: by id if all graphs have unique ones.

    Raises DataError if nothing determines which graphs belong together.
    """
    graphs = all(
        isinstance(s, MeaningGraph) for sentences in annotations.values() for s in sentences
    )
    files = {s.file for sentences in annotations.values() for s in sentences}
    lost = next((d for d in defects if d.kind in UNCOUNTED and d.file in files), None)
    if pairing == "id" or len(annotations) < 2 or not (graphs or lost):
        return pairing
    sides = [SentenceSide.of(sentences) for sentences in annotations.values()]
    if graphs and pairing == "auto" and all(side.has_names for side in sides):
        return "id"
    if lost and (pairing == "order" or not all(any(side.words) for side in sides)):
        raise DataError(
            f"{lost.message}, so sentences after it cannot be counted, and only their order would "
            "tell which belong together",
            file=lost.file,
            line=lost.line,
            hint="Repair it, or give each sentence an id (# ::id, # sent_id) and say `pairing=id`",
        )
    if graphs and pairing != "order":
        _require_own_ids(annotations)
        _require_as_many(document, annotations, sides)
    return pairing


def _require_own_ids(annotations: Mapping[str, Sequence[Sentence]]) -> None:
    """Raise DataError if an annotator gives several graphs the same id."""
    for sentences in annotations.values():
        times = Counter(s.name for s in sentences)
        twice = next((s for s in reversed(sentences) if s.name and times[s.name] > 1), None)
        if twice is not None:
            raise error_in(
                twice,
                f"# ::id {twice.name} occurs {times[twice.name]} times",
                hint="Give each graph an id of its own, or pair them by order (`pairing=order`)",
            )


def _require_as_many(
    document: str, annotations: Mapping[str, Sequence[Sentence]], sides: Sequence[SentenceSide]
) -> None:
    """Raise DataError if graphs can only be paired by order, but some are missing."""
    if len({len(side) for side in sides}) > 1 and not all(any(side.words) for side in sides):
        if document:
            of = f" of document {document!r}"
        else:
            of = ""
        counts = ", ".join(f"{who} {len(s)}" for who, s in annotations.items())
        raise DataError(
            f"graphs{of} have neither ids nor words, and annotators have "
            f"different numbers of them ({counts}): nothing tells which belong together",
            hint="Give each graph its # ::id (or # ::snt), or pair them by order (`pairing=order`)",
        )


def _recognise(path: Path, encoding: str) -> str:
    for kind, suffixes in SUFFIXES.items():
        if path.suffix.lower() in suffixes:
            return kind
    lines = read_lines(path, encoding=encoding)
    first = next((line.strip() for line in lines if line.strip()), "")
    if first.startswith("# ::") or re.match(r"\(\s*[^\s()]+\s*/", first):
        return "graph"
    if first.startswith("("):
        return "phrase"
    return "dependency"


def _read_all(
    paths: Sequence[Path],
    kind: str,
    conventions: Mapping[str, str],
    encoding: str = "utf-8",
    tallies: Mapping[Path, Tally] = MappingProxyType({}),
    defects: list[Defect] | None = None,
) -> tuple[dict[Path, list[Sentence]], str, list[DataError]]:
    """Return the sentences of each file, their kind, and the errors of unreadable files."""
    failures: list[DataError] = []
    leaves, size, ignore, labels = (conventions[option] for option in CONVENTIONS)

    def each(read: Callable[[Path], T], paths: Iterable[Path]) -> dict[Path, T]:
        content_by_path: dict[Path, T] = {}
        for path in paths:
            try:
                content_by_path[path] = read(path)
            except DataError as error:
                failures.append(error.at(path))
        return content_by_path

    def graphs(path: Path) -> list[Sentence]:
        from gammacp.trees.graphs.penman import read_penman

        sound, wrong = read_penman(path, encoding=encoding, tally=tallies.get(path))
        if defects is not None:
            defects.extend(wrong)
        return [*sound]

    def dependencies(path: Path) -> list[Sentence]:
        tally = tallies.get(path)
        # which skips nothing
        if kind == "enhanced":
            skipped = None
        else:
            skipped = tally
        read = read_conll(path, encoding=encoding, tally=skipped, defects=defects)
        return [
            s if s.missing else by_convention(s, labels=labels, ignore=ignore, tally=tally)
            for s in (map(_with_edges, read) if kind == "enhanced" else read)
        ]

    def phrases(path: Path) -> list[Sentence]:
        how = {"size": size, "labels": labels, "ignore": ignore}
        return [*files[path].phrases(words=words, tally=tallies.get(path), **how)]

    if kind == "graph":
        return each(graphs, paths), "semantic graphs", failures
    if kind in ("dependency", "enhanced"):
        if kind == "enhanced":
            note = "enhanced dependencies"
        else:
            note = "dependency trees"
        return each(dependencies, paths), note, failures
    files = each(lambda path: read_brackets(path, encoding=encoding), paths)
    words = settle_leaves([*files.values()], leaves)
    note = "phrase structure trees " + (
        "with words; the words are taken off (if they are labels, say `leaves=labels`)"
        if words
        else "without words (if the leaves are words, say `leaves=words`)"
    )
    return each(phrases, files), note, failures


def _with_edges(sentence: Dependencies) -> Dependencies:
    """Return the sentence, marked as missing unless every word has an enhanced dependency."""
    bare = {str(t) for t in range(1, sentence.n_tokens + 1)} - {d for *_, d in sentence.enhanced}
    if sentence.missing == UNSOUND:
        missing = sentence.missing
    elif bare:
        missing = NO_EDGES
    else:
        missing = ""
    return replace(sentence, missing=missing)


def _complete(items: Sequence[Item], tallies: Mapping[Path, Tally]) -> list[Item]:
    """Remove annotations that are missing or unsound from the items."""
    complete = []
    for item in items:
        sentence_by_annotator = {}
        for annotator, sentence in item.annotations.items():
            if sentence.missing:
                if isinstance(sentence, MeaningGraph):
                    what = "graph"
                else:
                    what = "sentence"
                tallies[Path(sentence.file)].add(what, sentence.missing)
            else:
                sentence_by_annotator[annotator] = sentence
        if sentence_by_annotator:
            complete.append(Item(item.document, item.name, sentence_by_annotator))
    return complete
