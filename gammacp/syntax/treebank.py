"""A treebank from files: whose they are, what they hold, which sentences belong together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from gammacp.errors import DataError, UsageError
from gammacp.syntax.annotations import Item, Phrase, Sentence, Treebank
from gammacp.syntax.brackets import read_brackets, settle_leaves
from gammacp.syntax.conll import read_conll
from gammacp.syntax.defects import Defect, Kind, find_defects
from gammacp.syntax.naming import SUFFIXES, Named, name_files
from gammacp.syntax.text import read_lines

KINDS = ("dependency", "phrase")
PAIRINGS = ("auto", "order", "id")


@dataclass(frozen=True)
class ReadTreebank:
    """What was read, what is wrong with it, and how names and formats were recognised."""

    treebank: Treebank
    defects: tuple[Defect, ...]
    notes: tuple[str, ...]


def read_treebank(
    paths: Sequence[Path],
    *,
    kind: str | None = None,
    pattern: str | None = None,
    folders: str = "auto",
    pairing: str = "auto",
    leaves: str = "auto",
    size: str = "leaves",
    encoding: str = "utf-8",
) -> ReadTreebank:
    """Read everybody's files.

    Parameters
    ----------
    paths
        Files, one per annotator; folders, one per annotator; or a folder of either.
    kind
        "dependency" or "phrase"; None: from the first file's name or content.
    pattern, folders
        How names are read, see `gammacp.syntax.naming`.
    pairing
        Sentences of a document belong together by their "order" or by their "id" (`# sent_id`);
        "auto" goes by id where all have one and the order differs. Where counts differ, sentences
        of equal forms are paired.
    leaves, size
        Phrase structure: what bare symbols are (`gammacp.syntax.brackets`), and |x| in leaves or
        nodes.
    """
    if kind is not None and kind not in KINDS:
        raise UsageError(f"trees {kind!r} is not one of: {', '.join(KINDS)}")
    if pairing not in PAIRINGS:
        raise UsageError(f"pairing {pairing!r} is not one of: {', '.join(PAIRINGS)}")
    named, how = name_files(paths, pattern=pattern, folders=folders, kind=kind)
    chosen = kind or _recognised(named[0].path, encoding)
    sentences, note = _read_all(named, chosen, leaves, size, encoding)
    documents: dict[str, dict[str, list[Sentence]]] = {}
    for one in named:
        documents.setdefault(one.document, {})[one.annotator] = sentences[one.path]
    items: list[Item] = []
    defects: list[Defect] = []
    for document in sorted(documents):
        paired, wrong = pair_sentences(document, documents[document], pairing=pairing)
        items += paired
        defects += wrong
    annotators = tuple(dict.fromkeys(one.annotator for one in named))
    treebank = Treebank(annotators, tuple(items), chosen)
    if not treebank.shared:
        raise DataError(
            "no sentence has two annotations",
            file=paths[0],
            hint=f"Recognised: {how}. Use --pattern if that is wrong.",
        )
    notes = (
        f"{len(annotators)} annotators: {', '.join(annotators)}; {len(documents)} "
        f"document{'s' * (len(documents) != 1)} ({how})",
        note,
    )
    return ReadTreebank(treebank, (*defects, *find_defects(treebank)), notes)


def read_sentences(
    path: Path, *, kind: str | None = None, leaves: str = "auto", encoding: str = "utf-8"
) -> list[Sentence]:
    """One person's sentences from one file; parameters as for `read_treebank`."""
    one = Named(path, path.stem, "")
    chosen = kind or _recognised(path, encoding)
    return _read_all([one], chosen, leaves, "leaves", encoding)[0][path]


def _recognised(path: Path, encoding: str) -> str:
    for kind, suffixes in SUFFIXES.items():
        if path.suffix.lower() in suffixes:
            return kind
    lines = read_lines(path, encoding=encoding)
    first = next((line.strip() for line in lines if line.strip()), "")
    return "phrase" if first.startswith("(") else "dependency"


def _read_all(
    named: Sequence[Named], kind: str, leaves: str, size: str, encoding: str
) -> tuple[dict[Path, list[Sentence]], str]:
    if kind == "dependency":
        found: dict[Path, list[Sentence]] = {
            one.path: list(read_conll(one.path, encoding=encoding)) for one in named
        }
        return found, "dependency trees"
    files = [read_brackets(one.path, encoding=encoding) for one in named]
    words = settle_leaves(files, leaves)
    note = "phrase structure trees " + (
        "with words, which are taken off (--leaves labels if they are labels)"
        if words
        else "without words (--leaves words if the leaves are words)"
    )
    return {file.path: list(file.phrases(words=words, size=size)) for file in files}, note


def pair_sentences(
    document: str, annotations: Mapping[str, Sequence[Sentence]], *, pairing: str = "auto"
) -> tuple[list[Item], list[Defect]]:
    """Which sentences of a document are the same one; and what is wrong about their number."""
    names = {a: [s.name for s in sentences] for a, sentences in annotations.items()}
    unique = all(None not in n and len(set(n)) == len(n) for n in names.values())
    if pairing == "id" and not unique:
        raise DataError(
            f"sentences of document {document!r} have no or the same sent_id",
            file=next(iter(annotations.values()))[0].file,
            hint="Pair them by order.",
        )
    same_order = len({tuple(n) for n in names.values()}) == 1
    overlap = set.intersection(*(set(n) for n in names.values()))
    if pairing == "id" or (pairing == "auto" and unique and not same_order and overlap):
        order = dict.fromkeys(n for row in names.values() for n in row)
        by_name = {a: {s.name: s for s in sentences} for a, sentences in annotations.items()}
        rows = [
            (str(n), {a: found[n] for a, found in by_name.items() if n in found}) for n in order
        ]
        return [Item(document, n, row) for n, row in rows], []
    counts = {a: len(sentences) for a, sentences in annotations.items()}
    if len(set(counts.values())) == 1:
        n = next(iter(counts.values()))
        places = {a: {k: k for k in range(n)} for a in annotations}
        defects: list[Defect] = []
    else:
        places, defects = _by_forms(document, annotations)
        n = max(counts.values())
    items = []
    for k in range(n):
        row = {a: annotations[a][there[k]] for a, there in places.items() if k in there}
        first = next(iter(row.values()))
        items.append(Item(document, first.name or str(k + 1), row))
    return items, defects


def _by_forms(
    document: str, annotations: Mapping[str, Sequence[Sentence]]
) -> tuple[dict[str, dict[int, int]], list[Defect]]:
    """Places of everybody's sentences in the longest annotation, where their forms are equal."""
    longest = max(annotations, key=lambda a: len(annotations[a]))
    keys = {a: [_key(s) for s in sentences] for a, sentences in annotations.items()}
    places = {}
    defects = []
    for annotator, sentences in annotations.items():
        matcher = SequenceMatcher(None, keys[longest], keys[annotator], autojunk=False)
        there = {
            block.a + k: block.b + k
            for block in matcher.get_matching_blocks()
            for k in range(block.size)
        }
        places[annotator] = there
        if len(sentences) != len(annotations[longest]) or len(there) < len(sentences):
            left = sorted(set(range(len(sentences))) - set(there.values()))
            where = sentences[left[0]] if left else sentences[0]
            defects.append(
                Defect(
                    Kind.SENTENCE_COUNT,
                    where.file,
                    where.line,
                    f"{len(sentences)} sentences by {annotator}, {len(annotations[longest])} by "
                    f"{longest} in document {document!r}: {len(there)} have the same forms, "
                    f"{len(left)} are left out",
                )
            )
    return places, defects


def _key(sentence: Sentence) -> object:
    if sentence.forms:
        return sentence.forms
    # Without words nothing but the length tells sentences apart.
    return sentence.tree.n_leaves if isinstance(sentence, Phrase) else sentence.n_tokens
