"""The option of `gammacp report` that makes a page on trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from gammacp.cli.incomplete import unread_json
from gammacp.cli.options.groups import option
from gammacp.cli.options.reading import Reading
from gammacp.cli.output import message, print_json
from gammacp.trees.options import Treebanks


@dataclass(frozen=True)
class TreePage:
    """Pages on trees."""

    REFUSAL: ClassVar[str] = (
        "a report on trees accepts only the options for reading, --out, --title, --trees and "
        "--json; gammacp syntax offers more for trees"
    )
    trees: str | None = option(
        "Make a page on trees or graphs: dependency, phrase, graph or enhanced.  [default: by the "
        "ending of the files, .conllu, .mrg, .amr, …]"
    )

    def wants(self, files: Sequence[Path]) -> bool:
        """Return whether the page is on trees: by the option, or by the ending of the files."""
        from gammacp.trees.naming import are_trees

        return bool(self.trees) or are_trees(files)

    def write(
        self, files: Sequence[Path], reading: Reading, title: str, out: Path, *, as_json: bool
    ) -> None:
        """Write the page and say so.

        Parameters
        ----------
        files, reading
            The files of trees, and how they are read.
        title
            The page's heading; "" for the names of the files.
        out
            The file to write.
        as_json
            Whether the answer goes to stdout as JSON.
        """
        from gammacp.base.files import write_text
        from gammacp.trees.report import report_on
        from gammacp.trees.with_report.page import tree_page

        read = Treebanks(trees=self.trees).read(files, reading, writes=[out])
        extras: dict[str, Any] = {}
        if read.treebank.kind == "dependency":
            extras["breakdown"] = True
        report = report_on(read, by_annotator=True, sentences=50, **extras)
        write_text(out, tree_page(report, title))
        if as_json:
            print_json({"report": str(out), **report.as_dict(), "failures": unread_json()})
        else:
            message(f"wrote {out}")
