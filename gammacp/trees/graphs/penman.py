"""Graphs in Penman notation, such as AMR, read through the `penman` library.

A file is cut into graphs by its brackets, so that what is wrong with one costs no other; an empty
line inside a graph ends it, as in the tools for AMR. As in Smatch, case and quotation marks do not
count, `x :mod y` is `y :domain x`, and the top is an attribute.
"""

import logging
import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from gammacp.base.left_out import Tally
from gammacp.base.text import lines_of
from gammacp.errors import DataError, UsageError
from gammacp.formats.boundary import guard
from gammacp.trees.defects import UNSOUND, Defect, Kind, require_sound
from gammacp.trees.measures.annotations import MeaningGraph
from gammacp.trees.text import read_lines

_SYMBOL = re.compile(r'^[ \t]*#.*$|(?<!\\)"(?:[^"\\\n]|\\.)*+"|[()]|^[ \t]*$', re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*#.*$", re.MULTILINE)
_SAID = re.compile(r"::((?:(?!::)\S)++)[ \t]++(.*?)(?=::|$)", re.MULTILINE)
# Form of the names of nodes in AMR; a constant of this form is quoted.
_VARIABLE = re.compile(r"[a-z]{1,2}\d+|[a-z]")


class _WrongError(Exception):
    """Defect of a graph, with the index of its character."""

    def __init__(self, what: str, place: int, kind: Kind = Kind.GRAPH) -> None:
        super().__init__(what)
        self.place = place
        self.kind = kind


@guard
def read_penman(
    path: Path, *, encoding: str = "utf-8", tally: Tally | None = None
) -> tuple[list[MeaningGraph], list[Defect]]:
    """Return the graphs of a file, in its order, and what is wrong with some.

    One that is not sound keeps its place, and has no node.

    Parameters
    ----------
    path, encoding
        The file.
    tally
        Counts what is left out.

    Raises
    ------
    UsageError
        The library is not installed.
    DataError
        The file cannot be read, or has no sound graph.
    """
    try:
        from penman import PENMANCodec
        from penman.models import amr
    except ImportError:
        raise UsageError(
            f"{path}: reading graphs needs penman: pip install 'gammacp[graphs]'"
        ) from None
    codec = PENMANCodec(model=amr.model)
    content = "\n".join(lines := read_lines(path, encoding=encoding))
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    graphs = list[MeaningGraph]()
    defects = list[Defect]()
    for begin, opened, end in _pieces(content):
        place = _graph_at_place(content[begin:opened], str(path), bisect(starts, opened))
        try:
            graphs.append(_graph(_decode(codec, content, begin, opened, end), place))
        except _WrongError as error:
            line = bisect(starts, error.place)
            if error.kind is Kind.GRAPH:
                graphs.append(place)
            elif tally is not None:
                tally.add(error.kind, "it is not a graph")
            defects.append(Defect(error.kind, str(path), line, f"{error}; left out"))
    if all(graph.missing for graph in graphs):
        require_sound(defects)
        raise DataError("no graph found", file=path, hint="Is this a file in Penman notation?")
    return graphs, defects


def _pieces(content: str) -> Iterator[tuple[int, int, int]]:
    """Yield the pieces of a file, balanced or not.

    Each has the beginning of its comments, and the beginning and the end of its graph.
    """
    begin = opened = depth = 0
    for match in _SYMBOL.finditer(content):
        symbol = match[0].strip()
        if symbol == "(":
            if not depth:
                opened = match.start()
            depth += 1
        elif symbol == ")":
            if not depth:
                opened = match.start()
            depth -= 1
            if depth <= 0:
                yield begin, opened, match.end()
                begin = match.end()
                depth = 0
        elif depth and (not symbol or "::" in symbol) and not symbol.startswith('"'):
            yield begin, opened, match.start()
            begin = match.start()
            depth = 0
    if depth or _COMMENT.sub("", content[begin:]).strip():
        yield begin, opened if depth else len(content), len(content)


def _decode(codec: Any, content: str, begin: int, opened: int, end: int) -> Any:
    """Return a piece of a file as a graph of the library."""
    from penman.exceptions import PenmanError

    outside = _COMMENT.sub(lambda m: " " * len(m[0]), content[begin:opened])
    if outside.strip() or content[opened] == ")":
        if outside.strip():
            stray = outside.split()[0]
        else:
            stray = ")"
        if outside.strip():
            place = begin + outside.find(stray)
        else:
            place = opened
        raise _WrongError(f"{stray!r} stands outside of a graph's brackets", place, Kind.STRAY)
    lines = lines_of(content[begin:end])
    # Silence the library: its warnings are defects here, and logging thousands of them takes
    # minutes.
    log = logging.getLogger("penman")
    level = log.level
    try:
        log.setLevel(logging.CRITICAL)
        # Pass lines, as the library would split a text at other line separators of Unicode, too.
        graph = codec.decode(lines)
    except RecursionError:
        raise _WrongError("nested too deeply", opened) from None
    except PenmanError as error:
        before = lines[: (getattr(error, "lineno", 1) or 1) - 1]
        place = begin + sum(len(line) + 1 for line in before)
        raise _WrongError(
            f"{getattr(error, 'message', error)}".lower(), max(place, opened)
        ) from None
    finally:
        log.setLevel(level)

    def at(pattern: str, times: int = 1) -> int:
        places = [m.start() for m in re.finditer(pattern, content[opened:end])]
        if places:
            return opened + places[min(times, len(places)) - 1]
        return opened

    counts = Counter(node for node, role, _ in graph.triples if role == ":instance")
    for node, count in counts.items():
        if count > 1:
            raise _WrongError(
                f"variable {node} is defined {count} times: give each node its own",
                at(rf"\(\s*{re.escape(node)}\s*/", 2),
            )
    for node, role, value in graph.triples:
        if value is None:
            if role == ":instance":
                what = f"node {node} has no concept"
            else:
                what = f"{role} has no value"
            if role == ":instance":
                pattern = rf"\(\s*{re.escape(node)}[\s)]"
            else:
                pattern = rf"{role}\s*\)"
            raise _WrongError(what, at(pattern))
        if role != ":instance" and value not in counts and _VARIABLE.fullmatch(value):
            raise _WrongError(
                f"variable {value} is not defined: say ({value} / …) once, or quote a constant",
                at(rf"{role}\s+{re.escape(value)}(?![^\s()])"),
            )
    return graph


def _graph_at_place(comments: str, file: str, line: int) -> MeaningGraph:
    """Return a placeholder for a faulty graph, with its place and its comments only."""
    value_by_key = {key: value.rstrip() for key, value in _SAID.findall(comments)}
    forms = tuple((value_by_key.get("tok") or value_by_key.get("snt") or "").split())
    name = value_by_key.get("id") or None
    return MeaningGraph((), frozenset(), frozenset(), forms, file, line, name, UNSOUND)


def _graph(parsed: Any, graph: MeaningGraph) -> MeaningGraph:
    names = [parsed.top, *(n for n, role, _ in parsed.triples if role == ":instance")]
    place = {name: k for k, name in enumerate(dict.fromkeys(names))}
    properties = {(0, "top", "top")}
    relations = set()
    for node, marked, value in parsed.triples:
        role = marked.removeprefix(":").lower()
        if role == "instance" or value not in place:
            properties.add((place[node], role, value.strip('"').lower()))
        elif role == "mod":
            relations.add((place[value], "domain", place[node]))
        else:
            relations.add((place[node], role, place[value]))
    return replace(
        graph,
        variables=tuple(place),
        properties=frozenset(properties),
        relations=frozenset(relations),
        missing="",
    )
