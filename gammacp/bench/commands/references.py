"""Options for references, shared by `shuffle` and `bench`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gammacp.cli.options.groups import option
from gammacp.errors import UsageError

if TYPE_CHECKING:
    from gammacp.bench.source import Shuffled
    from shuffling import Panel


@dataclass(frozen=True)
class Annotators:
    """Options for the annotators who err."""

    n_annotators: str | None = option(
        "Annotators of each set, or groups of them with magnitudes of their own: 2*0.1,1*m, where "
        "m is the magnitude of the errors.  [default: 3]",
        "N|COUNT*M,…",
    )
    panel: Path | None = option(
        "Take annotators from this panel (TOML): groups with errors of their own, schools that "
        "share errors, copies."
    )

    def panel_or_number(self) -> Panel | int:
        """Return the panel that is given, or the number of equal annotators."""
        from shuffling.panel import Panel, read_panel

        if self.panel is not None:
            if self.n_annotators is not None:
                raise UsageError("give --panel or --n-annotators, not both")
            return read_panel(self.panel)
        if self.n_annotators is None:
            text = "3"
        else:
            text = self.n_annotators.strip()
        if "*" in text:
            return Panel.parse(text)
        try:
            return int(text)
        except ValueError:
            raise UsageError(
                f"--n-annotators {text!r} is neither a number nor a panel like 2*0.1,1*m"
            ) from None


@dataclass(frozen=True)
class References:
    """Options for the source of references."""

    model: Path | None = option("Draw it from this model (TOML; see shuffle --print-model).")
    learn: list[Path] | None = option("Learn the model from these annotations (repeatable).")
    layout: str | None = option(
        "How drawn units lie: apart, overlapping, covering or fixed.", "NAME"
    )
    reference: Path | None = option("Take the units of this file instead of drawing.")
    annotator: str | None = option("Whose units to take, if that file has several annotators.")

    def source(self) -> Shuffled:
        """Return the source that the options stand for."""
        from gammacp.bench.source import source_from
        from gammacp.cli.options.loading import load, tell_losses
        from gammacp.cli.options.reading import Reading
        from shuffling import fit

        if self.model is not None and self.learn:
            raise UsageError("give --model or --learn, not both")
        learnt = None
        if self.learn:
            loaded = load(self.learn, Reading(allow_unread=True))
            for failure in loaded.failures:
                # A model of a part would shape all that is drawn from it.
                raise failure.error
            learnt = fit(loaded.continua.values())
        source = source_from(
            reference=self.reference,
            annotator=self.annotator,
            model=learnt or self.model,
            layout=self.layout,
        )
        tell_losses(source.left_out)
        return source
