"""Notebooks as pages: their text, code and printed output as they are stored, nothing is run."""

import json
from typing import Any

from docutils import nodes
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx


class NotebookParser(MystParser):
    """A notebook is read as the Markdown of its cells."""

    supported = ("notebook",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Fill the document with the notebook's cells."""
        cells = json.loads(inputstring)["cells"]
        super().parse("\n\n".join(part for cell in cells for part in _markdown(cell)), document)


def _markdown(cell: dict[str, Any]) -> list[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] != "code":
        return [source]
    printed = "".join(line for output in cell["outputs"] for line in output.get("text", ()))
    return [f"~~~python\n{source}\n~~~"] + ([f"~~~text\n{printed}\n~~~"] if printed else [])


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx asks of an extension."""
    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
