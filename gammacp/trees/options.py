"""Options for reading trees, shared by `syntax`, `measure` and `report`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from gammacp.cli.incomplete import note_unread
from gammacp.cli.options.groups import changed_option_names, option
from gammacp.cli.options.loading import requested_campaign
from gammacp.cli.options.reading import Reading
from gammacp.cli.output import message, messages
from gammacp.cli.sparing import spare_files
from gammacp.errors import UsageError

if TYPE_CHECKING:
    from gammacp.base.left_out import LeftOut
    from gammacp.trees.treebank import ReadTreebank

# What of a campaign.toml, and of the options of reading, is for trees, too.
_OF_TREES = ("paths", "layout", "document", "rename", "exclude", "rounds")


@dataclass(frozen=True)
class Treebanks:
    """Options for reading files of trees and pairing sentences."""

    applies_to: ClassVar[str] = "trees"
    trees: str | None = option(
        "dependency, phrase, graph, or enhanced (graphs of enhanced Universal Dependencies).  "
        "[default: by the first file]"
    )
    pattern: str | None = option(
        "Regular expression over the paths, with a group (?P<annotator>…) and, for several "
        "documents, (?P<document>…)."
    )
    folders: str = option(
        "What the folders stand for: auto, annotators or documents.", default="auto"
    )
    pairing: str = option(
        "How sentences are paired: by their words (auto), by order, or by id (sent_id).",
        default="auto",
    )
    leaves: str = option(
        "Whether bare symbols in brackets are words or labels, or auto.", default="auto"
    )
    size: str = option(
        "Whether the size of a phrase structure counts leaves or nodes.", default="leaves"
    )
    labels: str = option(
        "universal drops subtypes of relations and adds the scores of Universal Dependencies; "
        "categories drops function tags and indices of Penn trees.",
        default="all",
    )
    ignore: str = option("Leave out punct (punctuation) or traces (of Penn trees).", default="")
    encoding: str = option("Encoding of the files of trees.", default="utf-8")
    strict: bool = option(
        "Stop at the first sentence that is left out or defective.", default=False
    )

    def read(
        self, files: Sequence[Path], reading: Reading, *, writes: Iterable[Path] = ()
    ) -> ReadTreebank:
        """Everybody's trees, of which what is wrong is told; `writes` as for units."""
        from gammacp.trees.treebank import read_treebank

        if not files or reading.dataset is not None:
            raise UsageError("give files of trees; none ship with gammacp")
        campaign = requested_campaign(files, reading)
        values = campaign.values
        of_units = [key for key in values if key not in _OF_TREES]
        campaign.refuse(
            {
                **dict.fromkeys(of_units, "it is for units, but these are trees"),
                "format": "gammacp recognises trees, or --trees names them",
            }
        )
        how = {name: value for name, value in asdict(self).items() if name != "strict"}
        with campaign.confine():
            spare_files(writes, campaign.paths)
            treebank = read_treebank(
                campaign.paths,
                kind=how.pop("trees"),
                **how,
                layout=values.get("layout"),
                documents=(campaign.documents, values.get("document", ())),
                rename=values.get("rename"),
                exclude=values.get("exclude", ()),
                noted={
                    "campaign": campaign.stamp,
                    "round": campaign.round,
                    "document": ",".join(values.get("document", ())),
                },
            )
        errors = (each.error.message_and_place for each in treebank.failures)
        messages(errors, before="gammacp: ", error=True)
        note_unread(treebank.unread, treebank.incomplete, allowed=reading.allow_unread)
        for line in treebank.messages:
            message(line)
        if self.strict:
            treebank.require_complete()
        return treebank

    def measured(
        self, files: Sequence[Path], reading: Reading
    ) -> tuple[dict[str, Any], tuple[LeftOut, ...]]:
        """Return the data that measures of trees are given, by name, and what was left out."""
        treebank = self.read(files, reading)
        return {"treebank": treebank.treebank}, treebank.left_out

    def refuse(self) -> None:
        """Raise a UsageError if an option of trees was given although units are read."""
        for name in changed_option_names(self):
            raise UsageError(f"--{name} is for trees, but the measures are for units")
