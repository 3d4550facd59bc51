"""Docstrings are plain text with backticks: signs that reStructuredText would read are kept."""

import re

from sphinx.application import Sphinx

# The field's notation: c|uα, π*, x_ are no substitution, emphasis or link.
_SIGNS = re.compile(r"``.*?``|`[^`]*`|(?<!\\)([|*]|(?<=\w)_(?!\w))")


def keep_signs(
    _app: Sphinx, what: str, _name: str, _obj: object, _options: object, lines: list[str]
) -> None:
    """Escape such signs outside of code, before napoleon writes markup of its own."""
    code: int | None = None  # the indentation that a block of code is deeper than
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if line.lstrip().startswith(">>>"):
            code = indent - 1
        elif code is not None and (
            (not line.strip() and ">>>" in lines[number - 1]) or (line.strip() and indent <= code)
        ):
            code = None
        if code is None:
            lines[number] = _SIGNS.sub(lambda m: "\\" + m[1] if m[1] else m[0], line)
            if line.endswith("::"):
                code = indent
    if what in ("attribute", "data", "property"):
        lines.insert(0, "\\ ")  # or napoleon takes "x̄: units per annotator" for a type


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("autodoc-process-docstring", keep_signs, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
