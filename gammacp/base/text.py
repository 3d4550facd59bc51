"""Text from files, made safe to print."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence

UNLABELLED = "(unlabelled)"

# C0 and C1 controls, the marks and overrides that turn the direction of text, characters without
# width that hide in names, line separators, lone surrogates, tag characters.
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\ud800-\udfff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def visible(text: str, *, keep: str = "") -> str:
    r"""Return `text` with escapes for control characters and invisible characters.

    Control characters and escape sequences move a terminal's cursor or rename its window, bidi
    overrides show a name in another order than it is stored. Joiners stay: emoji and several
    scripts need them.

    Parameters
    ----------
    text
        Any text from a file: a name, a category, a quotation, a path.
    keep
        Characters to leave as they are, such as ``"\n"`` for text of several lines.

    Returns
    -------
    str
        Printable on one line (with what `keep` allows); equal to `text` where nothing hides. What
        is visible already stays, so that applying it twice changes nothing.

    >>> visible("A\x1b[2J\u202eb")
    'A\\x1b[2J\\u202eb'
    """
    if text.isprintable():
        return text
    return _HIDDEN.sub(lambda m: m[0] if m[0] in keep else _escape(ord(m[0])), text)


def category_name(category: str | None) -> str:
    """Return the name of a category, or a placeholder for none.

    Parameters
    ----------
    category
        Category of a unit; None where it has none.
    """
    if category is None:
        return UNLABELLED
    return category


def _escape(code: int) -> str:
    short = {9: r"\t", 10: r"\n", 13: r"\r"}
    if code in short:
        return short[code]
    if code < 256:
        return f"\\x{code:02x}"
    if code < 65536:
        return f"\\u{code:04x}"
    return f"\\U{code:08x}"


def with_commas(number: int) -> str:
    """Return a count in a sentence, with commas from ten thousand on.

    >>> with_commas(4524), with_commas(16698)
    ('4524', '16,698')
    """
    if number >= 10_000:
        return f"{number:,}"
    return str(number)


def sentence(words: str) -> str:
    """Turn a message into a sentence.

    >>> sentence("few units per annotator")
    'Few units per annotator.'
    >>> sentence("γ_cat is low")
    'γ_cat is low.'
    """
    first = words[:1]
    return f"{first.upper() if first.isascii() else first}{words[1:].rstrip('.')}."


def group_by_text(entries: Iterable[tuple[str, str]], most: int = 5) -> Iterator[tuple[str, str]]:
    """Group names by text: each text once, with the first few of its names."""
    names: dict[str, list[str]] = {}
    for text, name in entries:
        names.setdefault(text, []).append(name)
    for text, listed in names.items():
        yield text, first_names(listed, most)


def lines_of(text: str) -> list[str]:
    r"""Return the lines of a text file without their ends, whatever system wrote it.

    A line ends with LF or CR LF, and in a file without any LF with CR. Several CR before LF come
    from a line end that was converted twice. Other separators of Unicode are part of a line,
    because a cell or a token may hold them; so is CR within a line.

    Parameters
    ----------
    text
        The content of the file.

    >>> lines_of("a\r\nb\n"), lines_of("a\rb"), lines_of("a\u2028\r\r\n")
    (['a', 'b', ''], ['a', 'b'], ['a\u2028', ''])
    """
    if "\n" not in text:
        return text.split("\r")
    return [line.rstrip("\r") for line in text.split("\n")]


def first_names(names: Sequence[str], most: int, what: str = "more") -> str:
    """List the first few names, and the number of others.

    Parameters
    ----------
    names, most
        All names, and how many of them are said.
    what
        Noun for the others.

    >>> first_names(["a", "b", "c"], 2), first_names(["a", "b"], 2)
    ('a, b and 1 more', 'a, b')
    """
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} {what}" if more > 0 else "")


def p_of_test(p: float) -> str:
    """Return the p-value of a test for a sentence.

    >>> p_of_test(0.0123), p_of_test(2e-6), p_of_test(math.nan)
    ('p = 0.012', 'p < 0.0001', 'not tested')
    """
    if math.isnan(p):
        return "not tested"
    if p >= 1e-4:
        return f"p = {p:.2g}"
    return "p < 0.0001"


def in_short(entries: Iterable[tuple[str, str]], most: int = 3) -> str:
    """Return the first few reasons, each with the first few of its names.

    >>> in_short([("no unit", "a"), ("no unit", "b"), ("one annotator", "c")])
    'a, b: no unit; c: one annotator'
    """
    sentences = [f"{names}: {reason}" for reason, names in group_by_text(entries)]
    if len(sentences) > most:
        more = [f"{len(sentences) - most} more reasons"]
    else:
        more = []
    return "; ".join([*sentences[:most], *more])


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, in the plural unless it is one.

    Parameters
    ----------
    count
        Number of things.
    noun
        Noun in the singular, with a regular plural.

    >>> counted(1, "box"), counted(2, "box"), counted(0, "body"), counted(3, "key")
    ('1 box', '2 boxes', '0 bodies', '3 keys')
    """
    if count == 1:
        return f"1 {noun}"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{count} {noun[:-1]}ies"
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        ending = "es"
    else:
        ending = "s"
    return f"{count} {noun}{ending}"
