"""Figures that can go into a paper as they are: one style, as SVG, PNG and PDF.

A palette that people with any colour vision can tell apart (Okabe & Ito 2008), markers and dashes
beside colours so that a grey print can be read too. Matplotlib is imported at first use.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gammacp.base.files import atomic_write
from gammacp.errors import UsageError

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
SHADES = "Blues"
"""Colour map whose lightness falls all along, so that a grey print has the same order."""
DASHES: tuple[Any, ...] = ("solid", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1, 1, 1)), (0, (3, 1)))

ONE_COLUMN = 3.4
TWO_COLUMNS = 7.0
WIDTH = 5.2
"""Width of a figure in inches, where none is asked for: legible on a narrow screen, too."""
ENDINGS = (".svg", ".png", ".pdf")

STYLE: Any = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "axes.grid": True,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "lines.linewidth": 1.4,
    "lines.markersize": 3.6,
    "svg.hashsalt": "gammacp",
    "svg.fonttype": "path",
    "savefig.dpi": 200,
}


UNDATED: Any = {".svg": {"Date": None}, ".png": {"Software": None}, ".pdf": {"CreationDate": None}}
"""Metadata without what would tell one run's file from another's."""


def can_plot() -> bool:
    """Return whether matplotlib (the `plot` extra) is installed."""
    return find_spec("matplotlib") is not None


def require_matplotlib() -> None:
    """Raise a UsageError that says what to install, where matplotlib is missing."""
    if not can_plot():
        raise UsageError("figures need matplotlib: pip install 'gammacp[plot]'")


def check_path(path: Path) -> None:
    """Check that a figure can be written there, before anything is computed.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    UsageError
        The ending is none of `ENDINGS`, or matplotlib is missing.
    """
    if path.suffix.lower() not in ENDINGS:
        endings = ", ".join(ENDINGS)
        raise UsageError(f"{path}: a figure needs one of the endings {endings}")
    require_matplotlib()


@contextmanager
def figure(
    stem: Path,
    *,
    width: float = 6.0,
    height: float = 3.6,
    rows: int = 1,
    columns: int = 1,
    shared: bool = False,
    endings: Sequence[str] = (".svg", ".png"),
) -> Iterator[Any]:
    """Axes to draw on; written as `STEM.svg` and `STEM.png` when the block ends well.

    Files are without date or version: equal numbers give equal files.

    Parameters
    ----------
    stem
        Path of the files without their endings.
    width, height
        Size in inches.
    rows, columns
        Number of rows and columns of panels; with more than one, an array of axes is given instead
        of one.
    shared
        Whether panels side by side have one vertical scale.
    endings
        Endings of the files, which say their formats.

    Raises
    ------
    UsageError
        Matplotlib is not installed, or does not write such files.
    """
    require_matplotlib()
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        canvas = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(canvas)
        known_endings = sorted(canvas.canvas.get_supported_filetypes())
        for ending in endings:
            if ending.lower().lstrip(".") not in known_endings:
                raise UsageError(
                    f"{stem}{ending}: a figure needs one of the endings {', '.join(known_endings)}"
                )
        yield canvas.subplots(rows, columns, sharey=shared)
        for ending in endings:
            metadata = UNDATED.get(ending.lower())
            with atomic_write(stem.with_name(stem.name + ending)) as temporary:
                canvas.savefig(temporary, metadata=metadata)
