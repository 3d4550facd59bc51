"""The `formats` directive: what `gammacp formats NAME` prints, for every format."""

import re
from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from gammacp.cli.format_table import prose
from gammacp.formats.registry import FORMATS

# Read before autodoc imports modules in its own way, which pydantic's models do not survive.
_FORMATS = tuple(FORMATS.items())


class Formats(SphinxDirective):
    """A section for each format of the registry, a paragraph for each fact."""

    def run(self) -> list[nodes.Node]:
        """Return the sections."""
        return [self._section(name, *prose(entry)) for name, entry in _FORMATS]

    def _section(self, name: str, title: str, *facts: str) -> nodes.section:
        section = nodes.section(ids=[nodes.make_id(name)], names=[name])
        section += nodes.title(title, title)
        items = nodes.bullet_list()
        for fact in facts:
            items += nodes.list_item("", nodes.paragraph(fact, "", *_with_code(fact)))
        section += items
        self.state.document.note_explicit_target(section)
        return section


def _with_code(text: str) -> Iterator[nodes.Node]:
    """Mark as code what stands between backticks."""
    for number, part in enumerate(re.split("`", text)):
        yield nodes.literal(part, part) if number % 2 else nodes.Text(part)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.add_directive("formats", Formats)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
