"""Where references come from: options that `shuffle` and `bench` share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gammacp.errors import UsageError

if TYPE_CHECKING:
    from gammacp.bench.source import Shuffled


@dataclass(frozen=True)
class References:
    """A model to draw from, or a file's units."""

    model: Annotated[
        Path | None, typer.Option(help="Reference model as TOML (see shuffle --print-model).")
    ] = None
    learn: Annotated[
        list[Path] | None,
        typer.Option(help="Learn the reference model from these annotations (repeatable)."),
    ] = None
    layout: Annotated[
        str | None,
        typer.Option(
            help="apart, overlapping, covering or fixed: units of drawn references.",
            metavar="NAME",
        ),
    ] = None
    reference: Annotated[
        Path | None, typer.Option(help="A file whose units are the reference, instead of drawing.")
    ] = None
    annotator: Annotated[
        str | None, typer.Option(help="Whose units of that file, where it has several annotators.")
    ] = None

    def source(self) -> Shuffled:
        """What the options stand for."""
        from gammacp.bench.source import source_from
        from gammacp.cli.options.reading import Reading, load
        from shuffling import fit

        if self.model is not None and self.learn:
            raise UsageError("give --model or --learn, not both")
        learnt = fit(load(self.learn, Reading()).continua.values()) if self.learn else None
        return source_from(
            reference=self.reference,
            annotator=self.annotator,
            model=learnt or self.model,
            layout=self.layout,
        )
