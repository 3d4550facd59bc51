"""Draw a calibration: a panel for each error, with its curve and the measured γ."""

import math
from functools import partial
from typing import Any

import numpy as np

from gammacp.base.pictures import Panel, Picture, plain
from gammacp.base.plots import COLOURS
from gammacp.base.text import counted
from gammacp.campaign.calibrate.calibration import Calibration, ErrorEquivalent
from gammacp.campaign.calibrate.meaning import amount, unit_of_amount
from gammacp.errors import DataError

# Height and least width of a panel, in inches.
_HEIGHT = 1.9
_WIDTH = 1.55


def picture_of(calibration: Calibration, width: float) -> Picture:
    """Return the picture of a calibration.

    Parameters
    ----------
    calibration
        The calibration to draw.
    width
        Width of the figure, in inches.

    Raises
    ------
    DataError
        No error has a curve.
    """
    drawn = [e for e in calibration.equivalents if len(e.curve.magnitudes) > 1]
    if not drawn:
        raise DataError("there is no curve to draw: no error can be made on these data")
    columns = min(len(drawn), max(1, int(width / _WIDTH)))
    low = min(min(float(s.min()) for s in e.curve.sets) for e in drawn)
    low = min(low, calibration.score.value)
    panels = tuple(
        Panel(_HEIGHT, partial(_draw, one=each, calibration=calibration, low=low)) for each in drawn
    )
    return Picture(panels, _caption(calibration, drawn), columns)


def _caption(calibration: Calibration, equivalents: list[ErrorEquivalent]) -> str:
    score = calibration.score
    words = [f"Dashed: γ = {score.value:.3f} of {counted(calibration.n_annotators, 'annotator')}."]
    chance = score.signature.partition("|chance:")[2].partition("|")[0]
    if chance:
        words.append(f"Chance: {chance}.")
    words += [
        "Line: mean γ of simulated annotators who make one error alone; shade: from the lowest to "
        f"the highest of {counted(calibration.sets, 'set')}.",
        f"Diamond: the amount that gives the same γ; bar: its {calibration.confidence:.0%} "
        "interval.",
    ]
    words += [
        f"{e.error}: no curve ({e.reason})."
        for e in calibration.equivalents
        if e not in equivalents and e.reason
    ]
    return " ".join(words)


def _draw(axes: Any, *, one: ErrorEquivalent, calibration: Calibration, low: float) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    curve = one.curve
    gamma = calibration.score.value
    amounts = [amount(one.error, m, calibration.model) for m in curve.magnitudes]
    spread = np.array([[s.min(), s.max()] for s in curve.sets])
    axes.fill_between(amounts, spread[:, 0], spread[:, 1], color=COLOURS[0], alpha=0.2, linewidth=0)
    axes.plot(amounts, curve.smooth, color=COLOURS[0], marker="o", markersize=2.5)
    axes.axhline(gamma, color="0.35", linewidth=0.9, linestyle="--")
    if math.isfinite(one.amount):
        high = one.high
        if not math.isfinite(high):
            high = amounts[-1]
        axes.plot([one.low, high], [gamma, gamma], color=COLOURS[1], linewidth=4, alpha=0.6)
        axes.plot([one.amount], [gamma], marker="D", color=COLOURS[1], mec="black", zorder=3)
    axes.set_title(plain(one.error), fontsize=8.5)
    axes.set_xlabel(f"% of {unit_of_amount(one.error)}", fontsize=7.5)
    axes.set_ylabel("γ", fontsize=8)
    axes.set_xlim(0, amounts[-1])
    axes.set_ylim(low - 0.05, 1.03)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=4, prune="both"))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.6g}"))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5))
    axes.tick_params(labelsize=7)
