"""REFI-QDA projects (.qdpx) of NVivo, ATLAS.ti, MAXQDA, QualCoder, Taguette and others.

After the REFI-QDA project exchange standard 1.0/1.5 (qdasoftware.org). A .qdpx is a zip with
`project.qde` and the texts in `Sources`. A PlainTextSelection has positions in code points of its
text and codings, each of a user with a code.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from gammacp.base.files import content_if_any
from gammacp.continuum import Corpus
from gammacp.formats.registry import registered, sniff_ending_and_keys
from gammacp.formats.source import Source, free_name
from gammacp.formats.spans import CHARACTERS, Documents, Spans
from gammacp.formats.xmltree import Element, parse

# Parts of a source whose codings are read or counted by other code.
_COUNTED = ("Representation", "PDFSelection")


def read(source: Source) -> Corpus:
    """Return one document per text; a PDF is read by its plain text.

    Raises
    ------
    DataError
        A selection lies outside its text, or refers to a missing code or user; or codings are by
        several users in a project that lists no users.

    Notes
    -----
    Positions
        characters (code points)
    Annotators
        the user who made the coding; in a project without users, the file's name. The second of two
        users with the same name gets a number. In a project with users, codings of nobody are left
        out
    Category
        name of the code; if several codes share it, with its parents (`Pos/Sub`)
    Spans
        every coding of a selection of plain text is a unit. Selections without a code, and
        selections in pictures, PDF pages and recordings, are left out
    """
    root = parse(source)
    names = _names(root)
    with_users = any(root.below("User"))
    sources = list(root.below("TextSource", "PDFSource"))
    name_counts = Counter(e.attributes.get("name", "") for e in sources)
    documents = Documents(source, CHARACTERS)
    for e in sources:
        guid = e.attribute("guid")
        name = e.attribute("name")
        text = e
        inside = e
        if e.name == "PDFSource":
            text = inside = next(e.below("Representation"), e)
        spans = documents.of(name if name_counts[name] == 1 else f"{name} ({guid})")
        spans.text = _text(text)
        for selection in inside.children:
            if selection.name == "PlainTextSelection":
                _add(spans, selection, names, with_users=with_users)
            elif selection.name == "Coding":
                spans.leave_out("coding", "of a whole text, not of a part")
            elif selection.name not in _COUNTED and any(selection.below("Coding")):
                raise selection.error(f"<{selection.name}> is coded, but is no selection of text")
        spans.leave_out("selection", "of a page, not of text", len(list(e.below("PDFSelection"))))
    rest = Counter(e.name for e in root.below("PictureSource", "AudioSource", "VideoSource"))
    for kind, count in rest.items():
        documents.leave_out("source", f"{kind} has no plain text", count)
    return documents.corpus()


def _names(root: Element) -> dict[str, str]:
    """Return a unique name for each user and each code, by case-folded GUID."""
    users = [(_guid(e), e.attribute("name")) for e in root.below("User")]
    paths = list(_codes(root, ()))
    name_counts = Counter(path[-1] for _, path in paths)
    codes = [(g, path[-1] if name_counts[path[-1]] == 1 else "/".join(path)) for g, path in paths]
    if not users:
        coded = root.below("PlainTextSelection", "Coding")
        users = [(_guid(e, "creatingUser"), root.source.annotator) for e in coded]
        users = list(dict.fromkeys((g, who) for g, who in users if g))
        if len(users) > 1:
            raise root.source.error(
                "project lists no users, but several made its codings (creatingUser)",
                hint="Export it with its users",
            )
    return _distinct(users) | _distinct(codes)


def _guid(element: Element, key: str = "guid") -> str:
    return element.attributes.get(key, "").casefold()


def _codes(element: Element, above: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the GUID and the path of every code."""
    for child in element.children:
        if child.name == "Code":
            path = (*above, child.attribute("name"))
        else:
            path = above
        if child.name == "Code":
            yield _guid(child), path
        yield from _codes(child, path)


def _distinct(named: list[tuple[str, str]]) -> dict[str, str]:
    """Return names by GUID; number equal names, except for the first."""
    used = {name for _, name in named}
    names: dict[str, str] = {}  # GUIDs by name
    for guid, base in named:
        names[free_name(base, names, used)] = guid
    return {guid: name for name, guid in names.items() if guid}


def _add(
    spans: Spans, selection: Element, names: dict[str, str], *, with_users: bool = False
) -> None:
    start, end = (selection.whole_number(side) for side in ("startPosition", "endPosition"))
    codings = [c for c in selection.children if c.name == "Coding"]
    spans.leave_out("selection", "without a code", not codings)
    for coding in codings:
        user = _guid(coding, "creatingUser") or _guid(selection, "creatingUser")
        code = next(coding.below("CodeRef"), None)
        if code:
            key = code.attribute("targetGUID").casefold()
        else:
            key = ""
        if key not in names:
            raise coding.error("coding refers to a code that the project does not have")
        if user and user not in names:
            raise coding.error("coding refers to a user that the project does not have")
        if not user and with_users:
            spans.leave_out("coding", "without a user (creatingUser) in a project that lists users")
            continue
        if user:
            who = names[user]
        else:
            who = spans.source.annotator
        spans.add(who, names[key], start, end, line=coding.line, what="selection")


def _text(element: Element) -> str:
    source = element.source
    inner = next((c for c in element.children if c.name == "PlainTextContent"), None)
    if inner is not None:
        return inner.text
    path = element.attributes.get("plainTextPath", "")
    name = PurePosixPath(path.removeprefix("internal://").removeprefix("relative://")).name
    content: bytes | None = None
    if name and source.member:
        content = next(
            (data for n, data in source.neighbours.items() if PurePosixPath(n).name == name), None
        )
    elif name:
        folders = (source.path.parent / folder / name for folder in ("Sources", "sources"))
        content = next((c for c in map(content_if_any, folders) if c is not None), None)
    if content is None:
        raise element.error(
            f"text {path!r} is not in the project",
            hint="Export it again with its sources, and give the .qdpx",
        )
    if content.strip():
        return Source(Path(name), "", "", content).text()
    return content.decode()


registered(
    "refi-qda",
    "REFI-QDA project",
    (".qde", ".qdpx"),
    sniff_ending_and_keys(".qde", b"urn:QDA-XML:project:"),
    read,
    layout="{annotator}",
)
