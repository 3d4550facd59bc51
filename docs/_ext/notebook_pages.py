"""Notebooks as pages: text, code and stored output (printed, pictures, views); nothing is run."""

import json
from collections.abc import Iterator
from html import escape
from typing import Any

from docutils import nodes
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx

# Longer than any fence in a notebook's text or output.
_FENCE = "~" * 12


class NotebookParser(MystParser):
    """A notebook is read as the Markdown of its cells."""

    supported = ("notebook",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Fill the document with the notebook's cells."""
        cells = json.loads(inputstring)["cells"]
        super().parse("\n\n".join(part for cell in cells for part in _markdown(cell)), document)


def _markdown(cell: dict[str, Any]) -> Iterator[str]:
    """Yield a cell's text, or its code and what that printed and showed."""
    source = "".join(cell["source"])
    if cell["cell_type"] != "code":
        yield source
        return
    yield _fenced("python", source)
    for output in cell["outputs"]:
        if "text" in output:
            yield _printed("".join(output["text"]))
        elif "data" in output:
            yield _shown({kind: "".join(data) for kind, data in output["data"].items()})


def _shown(data: dict[str, str]) -> str:
    """Return what a result shows: the richest of its forms that a page can have."""
    if "text/html" in data:
        return _fenced("{raw} html", f'<div class="output">{data["text/html"]}</div>')
    if "image/png" in data:
        encoded = data["image/png"].replace("\n", "")
        image = f'<img src="data:image/png;base64,{encoded}" alt="the picture that the code draws">'
        return _fenced("{raw} html", f'<p class="output">{image}</p>')
    return _printed(data["text/plain"])


def _printed(text: str) -> str:
    """Return printed text, whose lines are broken where the page ends."""
    style = "white-space: pre-wrap; font-size: 0.8em"
    return _fenced("{raw} html", f'<pre class="output" style="{style}">{escape(text)}</pre>')


def _fenced(kind: str, content: str) -> str:
    return f"{_FENCE}{kind}\n{content}\n{_FENCE}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
