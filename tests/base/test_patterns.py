"""Running time of every regular expression of the package on hostile texts.

Patterns are found in the syntax tree of the source. For each repetition in a pattern, a text is
built that repeats the matched part thirty thousand times and ends in a character that does not
match.
"""

import ast
import re
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import gammacp
from tests.limits import TooLongError, at_most

# The parser and the compiler of the standard library's regular expressions.
parser, compiler, ops = re._parser, re._compiler, re._constants  # type: ignore[attr-defined]

PACKAGE = Path(gammacp.__file__).parent
METHODS = ("match", "search", "fullmatch", "sub", "split", "findall", "finditer")
# Patterns that are put together at run time. Names in them are escaped, and only single characters
# of one kind are repeated.
MADE = {
    "formats/position_maps.py": [
        "f'(?P<times>[x×])\\\\s*(?P<over>{_NUMBER})(?:\\\\s*/\\\\s*(?P<under>{_NUMBER}))?|(?P<side>start|end|)"
        "\\\\s*(?P<sign>[+-])\\\\s*(?P<by>{_NUMBER})(?:\\\\s+from\\\\s+(?P<since>-?{_NUMBER}))?'"
    ],
    "tools/elan_table.py": [
        "f'[^\\\\t\\\\r\\\\n]*\\\\t[^\\\\t\\\\r\\\\n]*\\\\t{_CLOCK}\\\\t'.encode()",
        "_CLOCK",
    ],
    "tools/inception_writing.py": ["kind", "f'{kind}(\\\\.{kind})+'"],
    "tools/webanno_rows.py": ["f'\\\\\\\\.|\\\\{mark}'"],
    "segmentation/json_reading.py": ["re.escape(json.dumps(key, ensure_ascii=False)) + '\\\\s*:'"],
    "segmentation/table_reading.py": ["f'[{DELIMITERS}]'"],
    "trees/graphs/penman.py": ["pattern"],
    "trees/naming.py": ["pattern", "edge"],
}
REPEATS = 20_000
SECONDS = 0.5
_ALPHABET = " \n\ta1_-.:;,#\"'\\[]()=&<>|/é~"
_REPEATS = (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT)
Pattern = re.Pattern[Any]


def _is_of_re(function: ast.expr) -> bool:
    is_attribute = isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)
    return is_attribute and ast.unparse(function) in _CALLS


@cache
def sources() -> list[tuple[str, ast.Call, str]]:
    """Return (file, call, assigned name) of everything that uses a regular expression."""
    found: list[tuple[str, ast.Call, str]] = []
    for file in sorted(PACKAGE.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if not any(call in text for call in _CALLS):
            continue
        root = ast.parse(text)
        named = {
            id(node.value): ast.unparse(node.targets[0])
            for node in ast.walk(root)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        }
        for node in ast.walk(root):
            if isinstance(node, ast.Call) and _is_of_re(node.func):
                found.append((file.relative_to(PACKAGE).as_posix(), node, named.get(id(node), "")))
    return found


_CALLS = {f"re.{method}" for method in (*METHODS, "compile")}


@cache
def patterns() -> dict[Pattern, set[str]]:
    """Return every pattern, with the methods by which it is used."""
    found: dict[Pattern, set[str]] = {}
    for file, call, name in sources():
        if isinstance(call.args[0], ast.Constant):
            method = ast.unparse(call.func).removeprefix("re.")
            flags = [k.value for k in call.keywords if k.arg == "flags"]
            flags += call.args[1:2] if method == "compile" else []
            value = sum(eval(ast.unparse(f), {"re": re}) for f in flags)
            text = (PACKAGE / file).read_text(encoding="utf-8")
            used = set(re.findall(rf"\b{name}\.({'|'.join(METHODS)})\b", text)) if name else set()
            pattern = re.compile(call.args[0].value, value)
            found.setdefault(pattern, set()).update(used if method == "compile" else {method})
    return {pattern: used or set(METHODS) for pattern, used in found.items()}


def inside(tree: Any) -> Iterator[Any]:
    """Yield every repetition of a parsed pattern, as its list of [least, most, what]."""
    for op, value in tree:
        if op in _REPEATS:
            yield value
        for part in value if isinstance(value, tuple | list) else [value]:
            for branch in part if isinstance(part, list) else [part]:
                if isinstance(branch, parser.SubPattern):
                    yield from inside(branch)


def taken(tree: Any, pumped: Any, choice: int) -> str:
    """Return a text that the pattern matches, with one repetition pumped."""
    pieces: list[str] = []
    for op, value in tree:
        if op in _REPEATS:
            least, most, what = value
            times = REPEATS if value is pumped else max(least, min(most, 1))
            pieces.append(taken(what, pumped, choice) * times)
        elif op is ops.SUBPATTERN:
            pieces.append(taken(value[-1], pumped, choice))
        elif op is ops.ATOMIC_GROUP:
            pieces.append(taken(value, pumped, choice))
        elif op is ops.BRANCH:
            pieces.append(taken(value[1][choice % len(value[1])], pumped, choice))
        elif op is ops.LITERAL:
            pieces.append(chr(value))
        elif op in (ops.IN, ops.ANY, ops.NOT_LITERAL):
            one = compiler.compile(parser.SubPattern(tree.state, [(op, value)]))
            binary = isinstance(tree.state.str, bytes)
            fits = [c for c in _ALPHABET if one.fullmatch(c.encode() if binary else c)]
            pieces.append(fits[choice % len(fits)] if fits else "")
    return "".join(pieces)


def attacks(pattern: Pattern) -> Iterator[Any]:
    tree = parser.parse(pattern.pattern, pattern.flags)
    for pumped in inside(tree):
        for choice in range(12):
            whole = taken(tree, pumped, choice)
            for end in ("\x01!", ""):
                text = whole + end
                yield text.encode() if isinstance(pattern.pattern, bytes) else text


def is_slow(pattern: Pattern, methods: Collection[str]) -> str | None:
    for text in dict.fromkeys(attacks(pattern)):
        try:
            with at_most(SECONDS):
                for method in {m if m in ("match", "fullmatch") else "findall" for m in methods}:
                    getattr(pattern, method)(text)
        except TooLongError:
            return f"{pattern.pattern!r} on {text[:20]!r}…{text[-20:]!r}"
    return None


def test_no_pattern_is_slow() -> None:
    slow = [is_slow(pattern, methods) for pattern, methods in patterns().items()]
    assert [found for found in slow if found is not None] == []
    assert len(slow) > 50


@pytest.mark.parametrize(
    "pattern",
    [
        r"\s*(?:\d{1,15}\s*)*",
        r"(a|a)*b",
        *(
            pytest.param(pattern, marks=pytest.mark.slow)
            for pattern in (
                r"#\s*(bounds)\s*:\s*(.*?)\s*$",
                r"\d+\.?\d*(?!\S)",
                r"::(\S+)[ \t]+(.*?)(?=::|$)",
            )
        ),
    ],
)
def test_slow_patterns_are_found(pattern: str) -> None:
    assert is_slow(re.compile(pattern), METHODS)


def test_composed_patterns_are_listed() -> None:
    made: dict[str, list[str]] = {}
    for file, call, _ in sources():
        if not isinstance(call.args[0], ast.Constant):
            made.setdefault(file, []).append(ast.unparse(call.args[0]))
    assert made == {file: patterns for file, patterns in MADE.items() if (PACKAGE / file).exists()}
