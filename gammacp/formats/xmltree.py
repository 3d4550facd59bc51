"""Safe reading of XML: without document types, so no entities to expand and nothing to fetch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree import ElementTree
from xml.parsers import expat

from gammacp.errors import DataError
from gammacp.formats.source import Source


@dataclass(slots=True)
class Element:
    """An element with the file and the line it starts on; names are "namespace name" or "name"."""

    source: Source
    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The tag without its namespace."""
        return self.tag.rpartition(" ")[2]

    @property
    def text(self) -> str:
        """The characters directly inside the element."""
        return "".join(self.pieces)

    def error(self, message: str, hint: str | None = None) -> DataError:
        """Return a DataError in the element's line."""
        return self.source.error(message, line=self.line, hint=hint)

    def attribute(self, name: str) -> str:
        """Return an attribute that must be there."""
        try:
            return self.attributes[name]
        except KeyError:
            raise self.error(f"<{self.name}> has no attribute {name!r}") from None

    def whole_number(self, name: str) -> int:
        """Return an integer in an attribute that must be there."""
        text = self.attribute(name)
        digits = text.strip()
        if not (digits.removeprefix("-").isdigit() and digits.isascii() and len(digits) < 20):
            raise self.error(f"<{self.name}>: {text!r} is not a whole number")
        return int(digits)

    def all(self, tag: str) -> list[Element]:
        """Return the children of that name."""
        return [c for c in self.children if c.tag == tag]

    def refuse_others(self, *names: str) -> None:
        """Raise a DataError at a child that is not of these names: it may have been a unit."""
        for child in self.children:
            if child.name not in names:
                raise child.error(f"<{child.name}> cannot be in <{self.name}>")

    def find(self, *path: str) -> Element | None:
        """Return the first descendant along a path of names."""
        element: Element | None = self
        for tag in path:
            if element:
                element = next((c for c in element.children if c.tag == tag), None)
            else:
                element = None
        return element

    def below(self, *names: str) -> Iterator[Element]:
        """Yield all descendants with these names, in any namespace."""
        for child in self.children:
            if child.name in names:
                yield child
            yield from child.below(*names)

    def at(self, *path: str) -> Element:
        """Find an element as `find` does; return an empty one where there is none."""
        return self.find(*path) or Element(self.source, "", {}, self.line)


def parse(source: Source, *, external_type: bool = False) -> Element:
    """Return the root element.

    Parameters
    ----------
    source
        The file.
    external_type
        Whether it may name a document type that stands elsewhere, which is not fetched.

    Raises
    ------
    DataError
        The file is empty, is not well-formed XML, or has a document type declaration.
    """
    if not source.content.strip():
        raise source.error("file is empty", hint="Export it again")
    root: list[Element] = []
    open_elements: list[Element] = []
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(source, tag, attributes, parser.CurrentLineNumber)
        (open_elements[-1].children if open_elements else root).append(element)
        open_elements.append(element)

    def end(_tag: str) -> None:
        open_elements.pop()

    def text(characters: str) -> None:
        open_elements[-1].pieces.append(characters)

    def doctype(
        _name: str, _system: str | None, _public: str | None, has_own_declarations: bool
    ) -> None:
        if external_type and not has_own_declarations:
            return
        raise source.error(
            "XML has a document type declaration, which is not read",
            line=parser.CurrentLineNumber,
            hint="Remove <!DOCTYPE …>",
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(source.content, True)
    except expat.ExpatError as error:
        raise source.error(
            f"XML is broken: {expat.ErrorString(error.code)}",
            line=error.lineno,
            hint="Check whether the file is complete",
        ) from None
    except (LookupError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise source.error(f"XML is broken: {error}") from None
    return root[0]


def xml_text(root: ElementTree.Element, indent: str = "  ") -> str:
    """Write an element with its declaration.

    Parameters
    ----------
    root
        The element.
    indent
        Indentation of an element within another.
    """
    ElementTree.indent(root, indent)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def legal(text: str, blanks: str = "\t\n") -> str:
    """Return the text if XML can hold it; raise a DataError otherwise.

    Parameters
    ----------
    text
        Text of an element (where a carriage return becomes a line feed) or an attribute.
    blanks
        Control characters to be allowed.

    Raises
    ------
    DataError
        The text has a character that XML cannot hold.
    """
    if any((ord(c) < 32 and c not in blanks) or c in "\ufffe\uffff" for c in text):
        raise DataError(f"{text[:60]!r} has a character that XML does not have", hint="Rename it")
    return text
