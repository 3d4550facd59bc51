"""The plan as a figure: half-width or power against documents, a line per number of annotators."""

from pathlib import Path

from gammacp import plots
from gammacp.campaign.plan.advice import Plan


def draw(found: Plan, path: Path) -> None:
    """Write `path` as SVG and PNG; the goal is a grey line, the pilot a mark.

    Raises UsageError where matplotlib is missing.
    """
    key = "half_width" if found.goal.half_width is not None else "power"
    with plots.figure(path.with_suffix("")) as axes:
        for k, design in enumerate(found.designs):
            points = [
                (p["documents"], p[key])
                for p in found.curve
                if p["annotators"] == design.annotators and p[key] is not None
            ]
            axes.plot(
                *zip(*points, strict=True),
                color=plots.COLOURS[k % len(plots.COLOURS)],
                marker=plots.MARKERS[k % len(plots.MARKERS)],
                label=f"{design.annotators} annotators",
            )
        axes.axhline(found.goal.half_width or 0.8, color="0.5", linewidth=0.9, linestyle="--")
        axes.set_xscale("log")
        axes.set_xlabel("documents")
        axes.set_ylabel("half-width of γ's interval" if key == "half_width" else "power")
        axes.legend()
