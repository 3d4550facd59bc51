"""The calibration as a figure: one panel per error, with the measured γ on the curve."""

import math
from pathlib import Path
from typing import Any

import numpy as np

from gammacp.base import plots
from gammacp.campaign.calibrate.calibration import Calibration, Equivalent
from gammacp.campaign.calibrate.meaning import amount, unit_of_amount
from gammacp.errors import UsageError


def draw(calibration: Calibration, path: Path) -> None:
    """Write the figure; the ending of the path says how (.svg, .png, .pdf).

    Raises UsageError where matplotlib is missing or cannot write that ending.
    """
    drawn = [e for e in calibration.equivalents if len(e.curve.magnitudes) > 1]
    if not drawn:
        raise UsageError("there is no curve to draw")
    stem = path.with_suffix("")
    width = 2.6 * len(drawn) + 0.6
    with plots.figure(
        stem, width=width, height=3.1, columns=len(drawn), shared=True, endings=(path.suffix,)
    ) as panels:
        for panel, equivalent in zip(np.atleast_1d(panels), drawn, strict=True):
            _panel(panel, equivalent, calibration)
        np.atleast_1d(panels)[0].set_ylabel("γ")


def _panel(panel: Any, equivalent: Equivalent, calibration: Calibration) -> None:
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    curve = equivalent.curve
    gamma = calibration.score.value
    amounts = [amount(equivalent.error, m, calibration.model) for m in curve.magnitudes]
    spread = np.array([[s.min(), s.max()] for s in curve.sets])
    panel.fill_between(amounts, spread[:, 0], spread[:, 1], alpha=0.2, linewidth=0)
    panel.plot(amounts, curve.smooth, marker="o", markersize=3)
    panel.axhline(gamma, color="0.35", linewidth=0.9, linestyle="--")
    if math.isfinite(equivalent.amount):
        if math.isfinite(equivalent.high):
            high = equivalent.high
        else:
            high = amounts[-1]
        panel.plot([equivalent.low, high], [gamma, gamma], color="C3", linewidth=4, alpha=0.5)
        panel.plot([equivalent.amount], [gamma], marker="D", color="C3", zorder=3)
    panel.set_title(equivalent.error, fontsize="medium")
    panel.set_xlabel(f"% of {unit_of_amount(equivalent.error)}", fontsize="small")
    panel.set_xlim(0, amounts[-1])
    panel.xaxis.set_major_locator(MaxNLocator(nbins=4, prune="both"))
    panel.xaxis.set_major_formatter(PercentFormatter(1.0, symbol=""))
