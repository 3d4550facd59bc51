"""Figure of matplotlib that keeps its style when it is saved; imported where something is drawn."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from gammacp.base.plots import STYLE, UNDATED

# Pixels per inch at which a notebook shows the figure.
_SCREEN = 110


class Canvas(Figure):
    """A figure in the style of `STYLE`, with the caption of what it shows.

    Parameters
    ----------
    width, height
        Size in inches.
    caption
        Caption of the picture.
    style
        Settings that differ from `STYLE`.
    """

    def __init__(
        self, width: float, height: float, caption: str, style: Mapping[str, Any] | None = None
    ) -> None:
        """Make an empty figure."""
        super().__init__(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(self)
        self.caption = caption
        self._style = {**STYLE, **(style or {})}

    def savefig(self, fname: Any, **options: Any) -> None:
        """Save the figure in its style: equal numbers give equal files.

        Parameters
        ----------
        fname, options
            Arguments as for matplotlib.
        """
        if isinstance(fname, str | Path):
            ending = Path(fname).suffix.lower()
            options.setdefault("metadata", UNDATED.get(ending))
        with mpl.rc_context(self._style), warnings.catch_warnings():
            # Names may be in a script that no installed font has; its letters are drawn as boxes.
            warnings.filterwarnings("ignore", message="Glyph")
            super().savefig(fname, **options)

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """Return the figure for notebooks, twice as fine as it is shown."""
        stream = BytesIO()
        self.savefig(stream, format="png", dpi=2 * _SCREEN)
        return stream.getvalue(), {"width": round(_SCREEN * self.get_figwidth())}
