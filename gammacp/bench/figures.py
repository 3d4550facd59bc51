"""Figures of a sweep: one per error with all measures, one per measure with all errors.

Style and files are those of `gammacp.base.plots`.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

from gammacp.base.plots import COLOURS, DASHES, MARKERS, figure
from gammacp.bench.curves import Point, by_error, by_measure, family

_Curves: TypeAlias = dict[str, list[Point]]  # by name

_LEGIBLE = 7  # curves in one panel
_NAMED = 3  # measures without a curve
_MARKED = 10  # markers on a curve, about
_FLAT = 0.0005  # range of means below which a curve is one value
_JUMP = 0.3  # rise between neighbouring points from which on it is named
_MARKUP = str.maketrans("", "", "$_{}")
_FLOOR = -1.25  # curves may fall without end (SER): the rest is cut off, and said

_NAMES = {
    "gamma": "γ",
    "gamma-cat": "γ$_{cat}$",
    "gamma-k": "γ$_k$",
    "soft-gamma": "soft γ",
    "u-alpha": "$_u$α",
    "u-alpha-2013": "$_u$α (2013)",
    "binary-u-alpha": "$_{|u}$α",
    "cu-alpha": "$_{c|u}$α",
    "ku-alpha": "$_{(k)u}$α",
    "kappa-d": "κ$_d$",
    "alpha": "α",
    "kappa": "κ",
    "gwet-ac": "AC",
    "ser": "1 − SER",
    "windowdiff": "1 − WD",
    "pk": "1 − P$_k$",
    "ghd": "1 − GHD",
    "s": "S",
    "b": "B",
    "alpha-plain": "α$_{plain}$",
    "alpha-diff": "α$_{diff}$",
    "alpha-norm": "α$_{norm}$",
    "las": "LAS",
    "jaccard": "Jaccard",
    "f1-exact": "F$_1$ exact",
    "f1-overlap": "F$_1$ overlap",
    "f1-category": "F$_1$ category",
    "staccato": "Staccato",
    "easydiag-kappa": "EasyDIAg κ",
    "overlap-ratio": "overlap / extent",
    "time-unit-kappa": "time-unit κ",
    "event-alignment-kappa": "event-alignment κ",
    "nw-identity": "NW identity",
    "pi-s": "π$_S$",
    "kappa-s": "κ$_S$",
    "multi-pi-s": "π*$_S$",
    "multi-kappa-s": "κ*$_S$",
}


def measure_title(name: str) -> str:
    """Return a measure's name as papers write it.

    >>> measure_title("ku-alpha[verb]")
    '$_{(k)u}$α, verb'
    """
    stem, bracket, category = name.partition("[")
    title = _NAMES.get(stem, stem)
    if bracket:
        return f"{title}, {category.removesuffix(']')}"
    return title


def plot_errors(
    points: Sequence[Point], folder: Path, what: str = "agreement", *, about: str = ""
) -> list[Path]:
    """Write `<error>.svg` and `<error>.png` for each error; return the paths.

    Parameters
    ----------
    points
        Points to draw.
    folder
        For the files.
    what
        Name of the vertical axis.
    about
        Description of the annotation sets: annotators, units, chance.
    """
    written: list[Path] = []
    for error, group in by_error(points).items():
        curves = by_measure(group)
        title = f"Error: {error.replace('+', ' + ')}"
        stem = folder / file_name(error)
        drawn = {name: curve for name, curve in curves.items() if _has_values(curve)}
        shown = {measure_title(name): curve for name, curve in drawn.items()}
        if len(drawn) <= _LEGIBLE:
            panels = {title: shown}
        else:
            panels = _panels(drawn, title)
        # The first panel names what has no curve.
        panels[next(iter(panels))] |= {
            measure_title(n): c for n, c in curves.items() if n not in drawn
        }
        written += _plot(panels, stem, what, about)
    return written


def plot_measures(
    points: Sequence[Point], folder: Path, what: str = "agreement", *, about: str = ""
) -> list[Path]:
    """`measure-<name>.svg` and `.png` for each measure, with all errors; returns the paths.

    Parameters as for `plot_errors`.
    """
    written: list[Path] = []
    for measure, group in by_measure(points).items():
        shown = {error.replace("+", " + "): curve for error, curve in by_error(group).items()}
        title = f"Measure: {measure_title(measure)}"
        written += _plot({title: shown}, folder / f"measure-{file_name(measure)}", what, about)
    return written


def file_name(name: str) -> str:
    """Return the name of an error or a measure as part of a file name.

    >>> file_name("split:factor=2+category")
    'split_factor=2+category'
    """
    return "".join(c if c.isalnum() or c in "-_+.=[]" else "_" for c in name)


def _panels(curves: _Curves, title: str) -> dict[str, _Curves]:
    """Split the curves into panels by family, if they are too many for one.

    A family may fill several panels.
    """
    panels: dict[str, _Curves] = {}
    for name, curve in curves.items():
        group = [p for p in panels if p.startswith(_family_title(name))]
        full = not group or len(panels[group[-1]]) >= _LEGIBLE
        if full and group:
            key = f"{_family_title(name)} ({len(group) + 1})"
        else:
            key = _family_title(name)
        panels.setdefault(key if full else group[-1], {})[measure_title(name)] = curve
    return {f"{title}, {key}": panel for key, panel in panels.items()}


def _family_title(name: str) -> str:
    if name.endswith("]"):
        return f"{measure_title(family(name))} by category"
    if "gamma" in name:
        return "γ"
    if "alpha" in name or "kappa" in name:
        return "α and κ"
    return "counts and distances"


def _plot(panels: dict[str, _Curves], stem: Path, what: str, about: str) -> list[Path]:
    """One pair of axes per panel, with a curve per entry, as SVG and PNG."""
    columns = min(2, len(panels))
    rows = math.ceil(len(panels) / columns)
    bottom = shared_bottom(panels.values())
    with figure(stem, width=6.0 * columns, height=3.6 * rows, rows=rows, columns=columns) as axes:
        if len(panels) == 1:
            grid = [axes]
        else:
            grid = list(axes.flat)
        for place in grid[len(panels) :]:
            place.set_axis_off()
        for place, (title, curves) in zip(grid, panels.items(), strict=False):
            draw_panel(place, curves, title, y=what, bottom=bottom)
            add_legend(place, [p for curve in curves.values() for p in curve], about=about)
    return [stem.with_name(stem.name + suffix) for suffix in (".svg", ".png")]


def draw_panel(
    axes: Any,
    curves: Mapping[str, Sequence[Point]],
    title: str,
    *,
    x: str = "magnitude",
    y: str = "agreement",
    floor: float = _FLOOR,
    order: Sequence[str] | None = None,
    bottom: float | None = None,
    line: int = 60,
) -> None:
    """Curves by their labels; what has no curve here and what is cut off is said in the panel.

    Parameters
    ----------
    axes
        Axes to draw on; the legend is the caller's.
    curves
        A curve is drawn that has a value elsewhere than at magnitude 0.
    title
        Above the panel.
    x, y
        Names of the axes.
    floor
        Value below which the curve is cut off.
    order
        All labels of the page, so that each has one colour; by default those of `curves`.
    bottom
        Lower end of the vertical axis, for panels that share one; by default below the curves.
    line
        Number of letters in a line of notes, for the width of the panel.
    """
    defined_curves = {label: curve for label, curve in curves.items() if _has_values(curve)}
    flat = {label: curve for label, curve in defined_curves.items() if _is_flat(curve)}
    varying = {label: curve for label, curve in defined_curves.items() if label not in flat}
    labels = list(order or curves)
    for label, curve in varying.items():
        _draw_curve(axes, labels.index(label), label, curve, among=len(labels))
    missing = [label for label in curves if label not in defined_curves]
    if len(missing) <= _NAMED:
        named = ", ".join(missing)
    else:
        named = f"{len(missing)} of {len(curves)}"
    notes = [*_flat_notes(flat), *_jump_notes(varying)]
    if missing:
        notes.append(f"undefined: {named}")
    notes += _depth_notes(varying, floor)
    if bottom is None:
        bottom = shared_bottom([curves], floor)
    axes.set(xlim=(0, 1), ylim=(bottom, 1.04), ylabel=y)
    # Notes are written below the axis, where no curve can cross them.
    axes.set_xlabel("\n".join([x, *_wrapped(notes, line)]), fontsize=8 if notes else None)
    axes.axhline(0, color="#555555", linewidth=0.8, zorder=2)
    axes.set_title(title)


def shared_bottom(panels: Iterable[Mapping[str, Sequence[Point]]], floor: float = _FLOOR) -> float:
    """Return the lower end of the vertical axes of a page's panels.

    Parameters
    ----------
    panels
        Curves by label, for each panel.
    floor
        Value below which curves are cut off.
    """
    points = [p for curves in panels for curve in curves.values() for p in curve]
    return max(min(-0.05, lowest_mean(points) - 0.05), floor)


def _is_flat(curve: Sequence[Point]) -> bool:
    """Return whether a curve of several points is constant."""
    means = [p.mean for p in curve if p.mean == p.mean]
    return len(means) > 1 and max(means) - min(means) < _FLAT


def _flat_notes(flat: Mapping[str, Sequence[Point]]) -> list[str]:
    """Name the curves that are constant: drawn, they would hide each other."""
    labels: dict[str, list[str]] = {}
    for label, curve in flat.items():
        mean = next(p.mean for p in curve if p.mean == p.mean)
        labels.setdefault(_short(mean), []).append(label)
    return [f"{', '.join(names)}: {value} throughout" for value, names in labels.items()]


def _jump_notes(curves: Mapping[str, Sequence[Point]]) -> list[str]:
    """Say where curves jump up, as happens when all annotators have lost the last boundary."""
    jumps: dict[float, list[str]] = {}
    for label, curve in curves.items():
        for before, after in pairwise(curve):
            if after.mean - before.mean > _JUMP:
                jumps.setdefault(after.magnitude, []).append(label)
    return [f"jump at {x:g}: {', '.join(names)}" for x, names in sorted(jumps.items())]


def _depth_notes(curves: Mapping[str, Sequence[Point]], floor: float) -> list[str]:
    """Name the curves that continue below the panel, with the lowest value."""
    cut = [label for label, curve in curves.items() if lowest_mean(curve) < floor]
    if not cut:
        return []
    lowest = min(lowest_mean(curves[label]) for label in cut)
    return [f"{', '.join(cut)}: on down to {_short(lowest)}"]


def _short(value: float) -> str:
    """Format a value with two digits and a minus sign."""
    return f"{value:.2g}".replace("-", "−")


def _wrapped(notes: Sequence[str], line: int) -> list[str]:
    """Break the notes into lines of this many letters, without markup of formulas."""
    lines: list[str] = []
    # Do not break names of measures such as 1 − SER.
    text = "; ".join(notes).replace(" − ", "\u00a0−\u00a0")
    for word in text.split(" "):
        if lines:
            longer = f"{lines[-1]} {word}"
        else:
            longer = word
        if lines and len(longer.translate(_MARKUP)) <= line:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def lowest_mean(points: Sequence[Point]) -> float:
    """Return the lowest mean of all points; 0 where there is none."""
    return min((p.mean for p in points if p.mean == p.mean), default=0.0)


def _has_values(curve: Sequence[Point]) -> bool:
    """Return whether a curve has values to draw.

    A value at magnitude 0 alone, where nothing is shuffled, is not enough.
    """
    beyond = [p for p in curve if p.magnitude > 0] or curve
    return any(p.mean == p.mean for p in beyond)


def add_legend(
    axes: Any, points: Sequence[Point], handles: Any = None, *, about: str = "", **where: Any
) -> None:
    """Draw a legend that says how many sets there are, and what the bands are.

    Parameters
    ----------
    axes
        Or a whole figure.
    points
        Points that are drawn.
    handles
        Handles by their labels; by default those of the axes.
    about
        Description of the sets, a line above.
    where
        Place and columns; beside the axes where it is left out.
    """
    if handles is None:
        handles = {label: h for h, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    sets = f"mean of {max(p.sets for p in points)} sets,\n95 % band of the mean"
    axes.legend(
        handles.values(),
        handles,
        title=f"{about}\n{sets}".lstrip(),
        alignment="left",
        handlelength=2.8,
        **(where or {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)}),
    )


def _draw_curve(axes: Any, index: int, label: str, curve: Sequence[Point], *, among: int) -> None:
    """Draw a curve of means with the 95 % confidence band of each mean; `among` so many others."""
    x = [p.magnitude for p in curve]
    mean = [p.mean for p in curve]
    colour = COLOURS[index % len(COLOURS)]
    # Curves that coincide (at 1, say) stay visible: dashes let the one below through, and each
    # has its markers at points of its own.
    every = max(1, min(among, len(x) // 4), math.ceil(len(x) / _MARKED))
    axes.plot(
        x,
        mean,
        label=label,
        color=colour,
        marker=MARKERS[index % len(MARKERS)],
        linestyle=DASHES[index % len(DASHES)],
        markevery=(index % every, every),
        markeredgewidth=0,
        zorder=3 + index / 100,
    )
    # The band is the 95 % confidence interval of the mean, not the spread of single sets.
    half = [1.96 * p.sd / math.sqrt(p.sets - p.undefined) if p.sd == p.sd else 0 for p in curve]
    low = [m - h for m, h in zip(mean, half, strict=True)]
    high = [m + h for m, h in zip(mean, half, strict=True)]
    axes.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)
