"""CATMA 7 projects: git repositories, as gitma reads them.

After gitma (forTEXT/gitma) and CATMA's project layout: `collections/C_…/annotations/USER_0.json`
lists annotations as W3C Web Annotations, each with a tag and text positions in a document,
`collections/C_…/header.json` names its document, `documents/D_…/D_….txt` is its text,
`tagsets/T_…/TAG/propertydefs.json` names a tag.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from gammacp.base.left_out import LeftOut
from gammacp.continuum import Corpus
from gammacp.errors import DataError
from gammacp.formats.offsets import from_utf16, same
from gammacp.formats.registry import registered, sniff_ending_and_keys
from gammacp.formats.source import Record, Source, parsed_json
from gammacp.formats.spans import CHARACTERS, Documents

_SAFE = re.compile(r"[\w-]+(/[\w-]+)*")


def read(source: Source, *, discontinuous: str = "keep") -> Corpus:
    """Return one document per text; an annotator's further pages are read with the first.

    Parameters
    ----------
    discontinuous
        What an annotation of several parts becomes: "cover", one unit over all of them, or "split",
        one unit per part; by default one unit of several fragments.

    Raises
    ------
    DataError
        An annotation has no tag or no positions, or lies outside its text.

    Notes
    -----
    Positions
        characters (UTF-16 is converted to code points)
    Annotators
        the user in the name of the annotations' file
    Category
        name of the tag
    Spans
        every annotation is a unit, a discontinuous one a unit of several fragments
        (`--option discontinuous=cover`: one unit over all of them; `split`: one unit per part);
        properties are left out
    """
    number = Path(source.member or source.path.name).stem.rpartition("_")[2]
    who = source.annotator
    if number.isascii() and number.isdecimal():
        page = int(number)
    else:
        page = 0
    documents = Documents(source, CHARACTERS)
    if page and source.neighbour(f"{who}_0.json") is not None:
        read_there = LeftOut(source.place, "page", 1, f"is read with the first page, {who}_0.json")
        return Corpus.from_continua({}, left_out=(read_there,))
    project = _Project(source)
    content = source.content or None
    while content is not None:
        place = Source(source.path, "", "", content, source.member)
        for annotation in Record.of({"all": place.json()}, place).objects("all"):
            _add(documents, project, who, annotation, discontinuous)
        page += 1
        content = source.neighbour(f"{who}_{page}.json")
    return documents.corpus()


def _add(
    documents: Documents, project: _Project, who: str, annotation: Record, discontinuous: str
) -> None:
    source = documents.source
    what = f"annotation {annotation.get('id')}"
    body = annotation.inner("body")
    items = annotation.inner("target").objects("items")
    tag = body.get("tag")
    if not isinstance(tag, str) or not items:
        raise source.error(f"{what} has no tag or no target")
    key = str(items[0].get("source"))
    text = project.file(f"documents/{key}/{key}.txt")
    spans = documents.of(project.title(key), text)
    spans.declare(who)
    convert = same if text is None else from_utf16(text)
    parts: list[tuple[float, float]] = []
    for item in items:
        where = [item.inner("selector").get(k) for k in ("start", "end")]
        places = [convert(p) if type(p) is int else None for p in where]
        if None in places or item.get("source") != key:
            raise source.error(f"{what} does not have its start and end in one text")
        parts.append((places[0] or 0, places[1] or 0))
    count = body.inner("properties").size("user")
    spans.leave_out("value", "of a property, is not the category", count)
    label = project.record(f"{tag}/propertydefs.json").get("name") or PurePosixPath(tag).name
    spans.add_parts(who, str(label), parts, discontinuous, what=what)


@dataclass
class _Project:
    """The files of a project, found from a file of annotations four folders below it."""

    source: Source
    read: dict[str, str | None] = field(default_factory=dict)

    def file(self, name: str) -> str | None:
        """Return the text of a file by its path in the project; None without one."""
        if name not in self.read:
            if not _SAFE.fullmatch(name.rpartition(".")[0]):
                raise self.source.error(f"{name!r} is not a file of a project")
            content = self.source.neighbour(f"../../../{name}") or b""
            place = Source(Path(name), "", "", content)
            self.read[name] = place.text() if content.strip() else None
        return self.read[name]

    def record(self, name: str) -> Record:
        """Return a JSON object from a file of the project; empty if the file is missing."""
        with suppress(DataError):
            return Record.of(parsed_json(self.file(name) or "{}"), self.source)
        return Record.of({}, self.source)

    def title(self, key: str) -> str:
        """Return the project's title of a text."""
        about = self.record(f"documents/{key}/header.json").inner("gitContentInfoSet")
        return str(about.get("title") or key)


registered(
    "catma",
    "CATMA project",
    (".json",),
    sniff_ending_and_keys(
        ".json", b'"https://www.catma.de/tag', b'"tag":', b'"target":', b'"body":'
    ),
    read,
    layout="{annotator}_*",
)
