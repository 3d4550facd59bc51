"""Signatures: one line that says how a number was computed, so that it can be reproduced.

After sacrebleu: `gamma|d:combined(a:1,b:1,d:1,pos:sporadic,cat:nominal)|chance:shift|…|v:0.1.0`.
A signature holds the method, the chance model, how many random sets were drawn, the seed, the
version, and everything that selected or changed the data after they were read from the files
(`sel:exclude=Ann;only=Noun`, see `Continuum.selection`). With the same files it makes the number
again. Versions of other packages are not in it: random numbers come from NumPy's bit streams and
the alignment is the canonical one, so none of them moves a number beyond the last digits.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import quote, unquote

from gammacp.base.version import __version__
from gammacp.errors import UsageError

# Characters of a name that need no encoding: all that are not separators, letters of any script.
_RESERVED = "%|,;=\r\n\t"


@dataclass(frozen=True)
class Signature:
    """A signature in parts: `name` of the measure and `parts`, text by key, in order."""

    name: str
    parts: Mapping[str, str]

    def __str__(self) -> str:
        """Return the line again."""
        return "|".join([self.name, *(f"{key}:{value}" for key, value in self.parts.items())])

    @property
    def selection(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return the selections in order, names unquoted: `(("exclude", ("Ann", "Bob")), …)`."""
        text = self.parts.get("sel", "")
        entries = [entry.partition("=") for entry in text.split(";") if entry]
        return tuple(
            (key, tuple(unquote(v) for v in values.split(","))) for key, _, values in entries
        )


def signature(name: str, *, selection: Iterable[str] = (), **parts: object) -> str:
    """`name|key:value|…|sel:…|v:version`; floats in their shortest exact form, None left out.

    Parameters
    ----------
    name
        Name of the measure.
    selection
        Entries of `Continuum.selection`.
    parts
        Parts that determine the number, in the order to show.

    >>> signature("gamma", a=1.0, chance="shift").rsplit("|", 1)[0]
    'gamma|a:1|chance:shift'
    """
    shown = {key: _text(value) for key, value in parts.items() if value is not None}
    if entries := ";".join(selection):
        shown["sel"] = entries
    return str(Signature(name, {**shown, "v": __version__}))


def extend(line: str, **parts: object) -> str:
    """Return a signature with further parts, before what was selected and the version.

    Parameters
    ----------
    line
        The signature.
    parts
        Further options by name; None is left out.

    >>> extend("ser|sel:exclude=Ann|v:0.1.0", chance="cut", n=None)
    'ser|chance:cut|sel:exclude=Ann|v:0.1.0'
    """
    parsed_line = parse(line)
    last = {key: parsed_line.parts[key] for key in ("sel", "v") if key in parsed_line.parts}
    first = {key: value for key, value in parsed_line.parts.items() if key not in last}
    shown = {key: _text(value) for key, value in parts.items() if value is not None}
    return str(Signature(parsed_line.name, {**first, **shown, **last}))


def parse(line: str) -> Signature:
    """Return the parts of a signature.

    Raises
    ------
    UsageError
        The line is no signature.

    >>> parse("gamma|chance:shift(distance=L/2n)|seed:0|v:0.1.0").parts["chance"]
    'shift(distance=L/2n)'
    """
    name, *fields = line.strip().split("|")
    pairs = [field.partition(":") for field in fields]
    if not name or not pairs or any(not (key and sign) for key, sign, _ in pairs):
        raise UsageError(f"{line!r} is not a signature, which is NAME|KEY:VALUE|…")
    return Signature(name, {key: value for key, _, value in pairs})


def shortest(value: float) -> str:
    """Return the shortest text that is exactly this value.

    Parameters
    ----------
    value
        Any finite number.

    >>> shortest(1.0), shortest(0.1 + 0.2)
    ('1', '0.30000000000000004')
    """
    text = repr(float(value))
    return text.removesuffix(".0")


def entry(key: str, *values: str) -> str:
    """Return an entry of a selection (`Continuum.selection`) as text.

    Parameters
    ----------
    key, values
        Key of the selection, and the selected values.

    >>> entry("layer", "a,b", "c")
    'layer=a%2Cb,c'
    """
    return f"{key}={','.join(map(quote_part, values))}"


def quote_part(name: str) -> str:
    """Return a name for a signature: what separates its parts is percent-encoded.

    >>> quote_part("a|b, c")
    'a%7Cb%2C c'
    """
    return "".join(quote(c, safe="") if c in _RESERVED else c for c in name)


def describe(part: Any) -> str:
    """Return a part of a method in a signature: as it says itself, or its class with its fields.

    An array stands as a fingerprint, an object without a text of its own as this function has it.

    >>> describe(Signature("m", {}))
    "Signature(name:'m',parts:{})"
    """
    if hasattr(part, "signature"):
        return str(part.signature)
    name = type(part).__name__
    if is_dataclass(part):
        values = {f.name: getattr(part, f.name) for f in fields(part)}
    else:
        values = dict(getattr(part, "__dict__", {}))
    shown = [f"{key}:{_field(value)}" for key, value in values.items()]
    if shown:
        return f"{name}({','.join(shown)})"
    return name


def _field(value: Any) -> str:
    if isinstance(value, float):
        return shortest(value)
    if hasattr(value, "tobytes"):  # an array
        return fingerprint(str((value.dtype, value.shape)), value.tobytes())
    kind: Any = type(value)
    if kind.__repr__ is object.__repr__:
        return describe(value)
    return repr(value)


def fingerprint(*values: bytes | str) -> str:
    """Return eight hexadecimal digits that identify `values` (matrices, orders).

    Parameters
    ----------
    values
        Values that are told apart, in order.

    >>> fingerprint("a", "b") == fingerprint("ab")
    False
    """
    digest = sha256()
    for value in values:
        if isinstance(value, str):
            content = value.encode()
        else:
            content = value
        digest.update(len(content).to_bytes(8, "little") + content)
    return digest.hexdigest()[:8]


def _text(value: object) -> str:
    if isinstance(value, float):
        text = shortest(value)
    else:
        text = str(value)
    return text.replace("%", "%25").replace("|", "%7C")
