"""The `commands` directive: what `--help` prints, for every command and subcommand."""

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import typer
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

WIDTH = 88


class Commands(SphinxDirective):
    """A section for each command, with its help as it is printed."""

    def run(self) -> list[nodes.Node]:
        """Return the sections."""
        return [self._section(words, text) for words, text in helps()]

    def _section(self, words: str, text: str) -> nodes.section:
        name = nodes.make_id(words)
        section = nodes.section(ids=[name], names=[words])
        section += nodes.title(words, words)
        section += nodes.literal_block(text, text, language="text")
        self.state.document.note_explicit_target(section)
        return section


def helps() -> Iterator[tuple[str, str]]:
    """Return the words of each command and its help, the whole program first."""
    from gammacp.cli.app import build

    with _plain():
        command = typer.main.get_command(build())
        yield from _below(command, "gammacp", None)


def _below(command: Any, name: str, parent: Any) -> Iterator[tuple[str, str]]:
    context = command.context_class(command, info_name=name, parent=parent, max_content_width=WIDTH)
    yield context.command_path, command.get_help(context)
    for inner_name, inner in getattr(command, "commands", {}).items():
        yield from _below(inner, inner_name, context)


@contextlib.contextmanager
def _plain() -> Iterator[None]:
    """Help of one width, whatever the terminal."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = str(WIDTH)
    try:
        yield
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
