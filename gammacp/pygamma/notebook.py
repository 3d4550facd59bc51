"""Drawings on matplotlib's axes, as pygamma-agreement makes them."""

from typing import Any

from gammacp.base.plots import COLOURS
from gammacp.formats.tiers import lanes
from gammacp.pygamma.alignment import Alignment
from gammacp.pygamma.continuum import Continuum
from gammacp.pygamma.units import sort_key


class Notebook:
    """Drawings of continua and alignments; `width` is the width of new figures, in inches."""

    width = 20.0

    def plot_continuum(
        self, continuum: Continuum, ax: Any = None, legend: bool = True, labelled: bool = True
    ) -> dict[Any, float]:
        """Plot a row per annotator and a line per unit; return the height of each line."""
        ax = ax or _axes()
        height = dict[Any, float]()
        lines = dict[Any, Any]()
        for row, annotator in enumerate(continuum.annotators):
            units = {(*sort_key(u)[:2], u.annotation): u for u in continuum[annotator]}
            levels = lanes(units)
            for level, lane in enumerate(levels):
                y = row + 1 - (level + 1) / (len(levels) + 1)
                for start, end, label in lane:
                    line = ax.plot([start, end], [y, y], "|-", color=COLOURS[row % len(COLOURS)])
                    lines.setdefault(annotator, line[0])
                    height[annotator, units[start, end, label]] = y
                    if labelled and label is not None:
                        ax.text((start + end) / 2, y, label, ha="center", va="bottom")
        ax.set(xlim=continuum.bounds, ylim=(0, len(continuum)), yticks=[])
        if legend and lines:
            ax.legend(lines.values(), lines.keys(), loc="lower left", bbox_to_anchor=(0, 1))
        return height

    def plot_alignment(
        self,
        alignment: Alignment,
        ax: Any = None,
        time: bool = True,
        legend: bool = True,
        labelled: bool = True,
    ) -> None:
        """Plot the continuum with a dotted line through the units of each unitary alignment."""
        ax = ax or _axes()
        height = self.plot_continuum(alignment.held(), ax, legend, labelled)
        for unitary in alignment:
            pairs = [pair for pair in unitary.n_tuple if pair[1] is not None]
            middles = [sum(sort_key(unit)[:2]) / 2 for _, unit in pairs]
            ax.plot(middles, [height[pair] for pair in pairs], ":", color="black", linewidth=1)
        if not time:
            ax.set_xticklabels([])

    plot_alignment_continuum = plot_alignment


notebook = Notebook()


def show_continuum(continuum: Continuum, labelled: bool = True) -> None:
    """Draw a continuum on a new figure."""
    notebook.plot_continuum(continuum, _axes(new=True), labelled=labelled)


def show_alignment(alignment: Alignment, labelled: bool = True) -> None:
    """Draw an alignment on a new figure."""
    notebook.plot_alignment(alignment, _axes(new=True), labelled=labelled)


def _axes(*, new: bool = False) -> Any:
    import matplotlib.pyplot as plt

    if new:
        return plt.subplots(figsize=(notebook.width, 2))[1]
    return plt.gca()
