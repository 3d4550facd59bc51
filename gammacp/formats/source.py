"""Input of readers: a file with its bytes, its place and the names in its path; JSON records."""

from __future__ import annotations

import json
from collections.abc import Container, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import TYPE_CHECKING, Any

from gammacp.base.files import BOMS, content_if_any, decoded
from gammacp.base.text import lines_of
from gammacp.errors import DataError
from gammacp.formats.boundary import place_errors
from gammacp.formats.positions import position

if TYPE_CHECKING:
    from gammacp.formats.states import Origin
    from gammacp.formats.understood import Remark

TYPE_SYSTEMS = ("TypeSystem.xml", "typesystem.xml")
"""Names that UIMA tools give to the file of annotation types beside a document."""


def in_utf8(content: bytes) -> bytes:
    """Convert content with a byte order mark to UTF-8 without one; leave other content as it is.

    Parameters
    ----------
    content
        The beginning of a file; a character that is cut off at the end is dropped.
    """
    for mark, coding in BOMS:
        if content.startswith(mark):
            return content[len(mark) :].decode(coding, "ignore").encode()
    return content


@dataclass(frozen=True)
class Source:
    """One file, or one member of an archive.

    Attributes
    ----------
    path
        The file as the user named it; the archive for a member.
    document, annotator
        Names from the path, by the format's layout; the file's stem and "" without a layout.
    content
        The bytes.
    member
        Name inside the archive, or "".
    neighbours
        Other members of the archive by name.
    taken_for
        The title of the format that the file is read as; "" if that is not known.
    origin
        The state of the work in the file, where its project says so.
    remarks
        Remarks of the reader on how it understood the file (`remark`); copies share them.
    """

    path: Path
    document: str
    annotator: str
    content: bytes = field(repr=False)
    member: str = ""
    neighbours: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    taken_for: str = ""
    origin: Origin | None = None
    remarks: list[Remark] = field(default_factory=list, repr=False, compare=False)

    def remark(self, kind: str, text: str, count: int = 1, *, told: bool = False) -> None:
        """Add a remark on how the file is understood, once even if it is read twice.

        Parameters
        ----------
        kind, text, count, told
            Fields of `Remark`.
        """
        # Imported here, as few readers make remarks.
        from gammacp.formats.understood import Remark

        new_remark = Remark(self.place, kind, text, count, told)
        if new_remark not in self.remarks:
            self.remarks.append(new_remark)

    @property
    def place(self) -> str:
        """The file's name for messages."""
        if self.member:
            return f"{self.path}!{self.member}"
        return str(self.path)

    def error(self, message: str, *, line: int | None = None, hint: str | None = None) -> DataError:
        """Return a DataError in this file.

        Parameters
        ----------
        message
            Description of the mistake.
        line
            Line of the file, from 1.
        hint
            Advice about it.
        """
        return DataError(message, file=self.place, line=line, hint=hint)

    def place_errors(self, line: int | None = None, part: str = "") -> AbstractContextManager[None]:
        """Add this file to each DataError of the block.

        Parameters
        ----------
        line, part
            As for `boundary.place_errors`.
        """
        return place_errors(self.place, line, part)

    def position(
        self, text: str, what: str, *, line: int | None = None, hint: str | None = None
    ) -> float:
        """Parse a number in the file (see `positions.position`).

        Parameters
        ----------
        text
            Text of a cell, a field or an attribute.
        what, line, hint
            Name, line and advice for the DataError if it is not a number.
        """
        try:
            return position(text)
        except ValueError as error:
            raise self.error(f"{what} {error}", line=line, hint=hint) from None

    def text(self, encoding: str = "utf-8", hint: str = "Save the file as UTF-8") -> str:
        """Return the content as text: in an encoding, or UTF-8/16/32 with a byte order mark.

        Parameters
        ----------
        encoding
            Encoding of a file without such a mark.
        hint
            Advice if the encoding is another one.

        Raises
        ------
        DataError
            The file is empty or is not in that encoding.
        """
        if not self.content.strip():
            raise self.error("file is empty", hint="Export it again")
        with self.place_errors():
            text = decoded(self.content, encoding, hint)
        if not text.strip():  # a byte order mark alone
            raise self.error("file is empty", hint="Export it again")
        return text

    def lines(self) -> list[str]:
        """Return the lines of the content as text, without their ends; errors as of `text`."""
        return lines_of(self.text())

    def beside(self, ending: str, other: str = "") -> str | None:
        """Return the text of the file beside this one that has another ending; None without one.

        Its name is otherwise the same, or else `other`. Line breaks are kept as they are: they are
        characters that offsets count.
        """
        name = PurePosixPath(self.member or self.path.name).with_suffix(ending).name
        content = self.neighbour(name)
        if content is None and other:
            content = self.neighbour(other + ending)
        if content is None:
            return None
        if content:
            return Source(self.path.with_suffix(ending), "", "", content).text()
        return ""

    def neighbour(self, name: str) -> bytes | None:
        """Return the bytes of a file of the same folder or archive; None without one.

        Parameters
        ----------
        name
            Name of the file, or its path from the folder of this one.
        """
        if self.member:
            return self.neighbours.get(normpath(PurePosixPath(self.member).parent / name))
        return content_if_any(self.path.parent / name)

    def json(self, *, nan: bool = False) -> object:
        """Return the content as one JSON document; keys that occur twice are refused.

        So are NaN and Infinity, unless `nan` makes them None.
        """
        with self.place_errors():
            return parsed_json(self.text(), nan=nan)


class Record(dict[str, Any]):
    """An object of JSON or a row of a table, with its file and line.

    `Record.of` makes it.
    """

    __slots__ = ("line", "source")

    source: Source
    line: int | None

    @classmethod
    def of(cls, fields: object, source: Source, line: int | None = None) -> Record:
        """Return a value as a record; an object of parsed JSON is one already, and is not copied.

        Parameters
        ----------
        fields
            Values by key; anything but an object is an empty record.
        source, line
            File and line of the object; None as the line if it extends over several lines, as most
            JSON does.
        """
        if not isinstance(fields, Record):
            fields = cls(fields if isinstance(fields, dict) else ())
        fields.source = source
        fields.line = line
        return fields

    def error(self, message: str, hint: str | None = None) -> DataError:
        """Return a DataError in the record's line.

        Parameters
        ----------
        message, hint
            Description of the mistake, and advice about it.
        """
        return self.source.error(message, line=self.line, hint=hint)

    def _lacks(self, message: str) -> DataError:
        """Return the error of a record that lacks a field that its format requires."""
        taken_for = self.source.taken_for
        return self.error(f"{message}, as {taken_for} has it" if taken_for else message)

    def inner(self, key: str) -> Record:
        """Return the object under a key; an empty one for anything else.

        Parameters
        ----------
        key
            Key of the field.
        """
        return Record.of(self.get(key), self.source, self.line)

    def objects(self, key: str, *, missing_ok: bool = False) -> list[Record]:
        """Return the objects of a list; a DataError for anything else.

        Parameters
        ----------
        key
            Key of the field.
        missing_ok
            Whether there may be no such field.
        """
        value = self.get(key)
        if value is None and missing_ok:
            return []
        if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
            raise self._lacks(f'"{key}" is missing or not a list of objects')
        records = [v if isinstance(v, Record) else Record(v) for v in value]
        for record in records:
            record.source = self.source
            record.line = self.line
        return records

    def string(self, key: str) -> str:
        """Return a string that must be there; a DataError for anything else.

        Parameters
        ----------
        key
            Key of the field.
        """
        value = self.get(key)
        if not isinstance(value, str):
            raise self._lacks(f'"{key}" is missing or not a string')
        return value

    def text(self, key: str) -> str | None:
        """Return a string; None for anything else.

        Parameters
        ----------
        key
            Key of the field.
        """
        value = self.get(key)
        if isinstance(value, str):
            return value
        return None

    def name(self, *keys: str) -> str | None:
        """Return the first of the names under these keys; None without any (see `name`).

        Parameters
        ----------
        keys
            Keys of the fields, in order.
        """
        for key in keys:
            if text := name(self.get(key)):
                return text
        return None

    def size(self, key: str) -> int:
        """Return the number of entries in a list or an object; 0 for anything else.

        Parameters
        ----------
        key
            Key of the field.
        """
        value = self.get(key)
        if isinstance(value, list | dict):
            return len(value)
        return 0

    def position(self, key: str, what: str, hint: str | None = None) -> float:
        """Return the number that a cell writes (see `Source.position`).

        Parameters
        ----------
        key
            Key of the field.
        what, hint
            Name of the position and advice, in the DataError if it is no number.
        """
        return self.source.position(str(self.get(key, "")), what, line=self.line, hint=hint)


def free_name(base: str, taken: Container[str], reserved: Container[str] = ()) -> str:
    """Return the name itself if it is free, or else with the first number that makes it free.

    Parameters
    ----------
    base
        Name in the file.
    taken
        Names that are in use.
    reserved
        Names that must not result from adding a number.

    >>> free_name("Ann", {"Ann", "Ann (2)"})
    'Ann (3)'
    """
    numbered = (f"{base} ({number})" for number in count(2))
    free = (name for name in numbered if name not in taken and name not in reserved)
    if base not in taken:
        return base
    return next(free)


def name(value: object) -> str | None:
    """Return a name that a tool writes as a string or a whole number; None if empty or not a name.

    Parameters
    ----------
    value
        Value of a field.
    """
    if isinstance(value, bool) or value is None or value == "":
        return None
    if isinstance(value, str | int):
        return str(value)
    return None


def parsed_json(text: str | bytes, *, nan: bool = False, first: int = 1) -> object:
    """Parse a text as `strict_json` does; raise a DataError with its line if it is not such JSON.

    Parameters
    ----------
    text, nan
        As for `strict_json`.
    first
        The line that it begins on.
    """
    try:
        return strict_json(text, nan=nan)
    except json.JSONDecodeError as error:
        line = first + error.lineno - 1
        raise DataError(f"JSON is broken: {error.msg}", line=line) from None
    except RecursionError:
        raise DataError("JSON is nested too deeply") from None
    except ValueError as error:
        raise DataError(f"JSON is broken: {error}") from None


def strict_json(text: str | bytes, *, nan: bool = False) -> object:
    """Parse JSON strictly; refuse a key that occurs twice, as a value would be lost silently.

    Parameters
    ----------
    text
        A whole document.
    nan
        Whether NaN and Infinity are None, for tools that write them.

    Raises
    ------
    ValueError
        The text is not JSON, holds NaN or Infinity, or an object has a key twice.
    """
    constant = (lambda _: None) if nan else _refuse_constant
    return json.loads(text, parse_constant=constant, object_pairs_hook=_unique)


def _unique(pairs: list[tuple[str, object]]) -> Record:
    record = Record(pairs)
    if len(record) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"key {twice!r} occurs twice in one JSON object")
    return record


def _refuse_constant(name: str) -> object:
    """Refuse NaN and Infinity, which Python reads and JSON does not have."""
    raise ValueError(f"{name} is not a JSON number")
