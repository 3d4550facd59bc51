"""Figures of the report as SVG text, which needs no library and no script and can be printed."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from gammacp.base.record_tables import position
from gammacp.base.text import category_name
from gammacp.campaign.calibrate import Calibration, ErrorEquivalent
from gammacp.campaign.charges import Charges
from gammacp.continuum import Continuum
from gammacp.measures.explaining.explanation import Explanation
from gammacp.report.markup import Markup, element, number

_WIDTH = 190
_HEIGHT = 150
_LEFT = 34
_BOTTOM = 40
_TOP = 26
_RIGHT = 8
# Largest number of bars per list in the figure of the disorder, and colours of the components.
_ROWS = 12
_COLOURS = {"position": "#0072b2", "category": "#e69f00", "absence": "#999999"}
_OTHER = "#009e73"
# Colours of intervals for these data, and for other data like these.
HERE = "#0072b2"
ELSEWHERE = "#e69f00"
_SCALE_WIDTH = 540
# Width of a letter on a narrow screen, where the text is largest.
_LETTER = 9.0
_Row: TypeAlias = tuple[str, Mapping[str, float], float | None]


@dataclass(frozen=True, kw_only=True)
class ScaleBar:
    """An interval under the scale.

    Attributes
    ----------
    about
        Words for the population that the interval applies to.
    interval
        Bounds of the bar.
    colour
        `HERE` or `ELSEWHERE`.
    """

    about: str
    interval: tuple[float, float]
    colour: str

    @property
    def label(self) -> str:
        """Return the population of the interval, and its bounds to two digits."""
        low, high = (number(bound, 2) for bound in self.interval)
        if low == high:
            return f"{self.about}: {low}"
        return f"{self.about}: {low} to {high}"


def scale(value: float, bars: Iterable[ScaleBar] = (), *, measure: str = "γ") -> Markup:
    """Draw a value on a line from chance (0) to perfect (1), with labelled intervals under it.

    Parameters
    ----------
    value
        The value.
    bars
        Intervals to draw below the line, starting with the nearest.
    measure
        Symbol of the measure.
    """
    bars = [bar for bar in bars if all(map(math.isfinite, bar.interval))]
    shown = [value, *(bound for bar in bars for bound in bar.interval)]
    low = min([-0.05, *(v for v in shown if math.isfinite(v))]) - 0.03

    def x(v: float) -> float:
        return float(12 + 516 * (min(max(v, low), 1) - low) / (1 - low))

    parts = [_line(x(low), 28, x(1), 28, class_="axis")]
    for tick in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0) if low > -0.5 else (0.0, 1.0):
        parts.append(_line(x(tick), 24, x(tick), 32, class_="axis"))
        label = {0.0: "0 chance", 1.0: "1 perfect"}.get(tick, f"{tick:.1f}")
        if tick == 1:
            anchor = "end"
        else:
            anchor = "middle"
        parts.append(text(x(tick), 15, label, text_anchor=anchor, class_="faint"))
    y = 40
    for bar in bars:
        drawn, height = _labelled(bar, x, y)
        parts.append(drawn)
        y += height
    parts.append(dot(x(value), 28, 5))
    described = [f"{measure} = {number(value)} on a scale from 0, chance, to 1, perfect agreement"]
    described += [bar.label for bar in bars]
    return svg(_SCALE_WIDTH, y + 2, "; ".join(described), parts, class_="scale")


def _labelled(bar: ScaleBar, x: Callable[[float], float], y: int) -> tuple[Markup, int]:
    """Return a bar and its height, with the label beside it, or below if there is no room."""
    left = x(bar.interval[0])
    right = max(left + 2, x(bar.interval[1]))
    drawn = _bar(left, y + 5, right - left, 6, fill=bar.colour)
    room = _LETTER * len(bar.label) + 6
    if room <= left:
        label = text(left - 6, y + 13, bar.label, text_anchor="end")
    elif room <= _SCALE_WIDTH - right:
        label = text(right + 6, y + 13, bar.label)
    else:
        label = text(max(0.0, min(left, _SCALE_WIDTH - room)), y + 27, bar.label)
        return element("g", drawn, label), 36
    return element("g", drawn, label), 20


def calibration_figure(calibration: Calibration) -> Markup:
    """Draw a panel per error with γ against its magnitude, and mark the measured value."""
    drawn = [e for e in calibration.equivalents if len(e.curve.magnitudes) > 1]
    lowest = min((float(e.curve.smooth[-1]) for e in drawn), default=0.0)
    low = min(lowest, calibration.score.value) - 0.05
    panels = []
    for i, one in enumerate(drawn):
        transform = f"translate({(i % 3) * _WIDTH} {(i // 3) * _HEIGHT})"
        panels.append(element("g", *_panel(one, calibration, low), transform=transform))
    rows = -(-len(drawn) // 3)
    width = _WIDTH * min(3, max(1, len(drawn)))
    described = "γ against the amount of error, one panel per kind of error"
    return element("figure", svg(width, _HEIGHT * rows, described, panels))


def _panel(equivalent: ErrorEquivalent, calibration: Calibration, low: float) -> list[Markup]:
    from gammacp.campaign.calibrate.meaning import amount

    curve = equivalent.curve
    amounts = [amount(equivalent.error, m, calibration.model) for m in curve.magnitudes]
    inner = _WIDTH - _LEFT - _RIGHT
    tall = _HEIGHT - _TOP - _BOTTOM

    def x(v: float) -> float:
        return _LEFT + inner * min(v, amounts[-1]) / amounts[-1]

    def y(v: float) -> float:
        return _TOP + tall * (1 - v) / (1 - low)

    gamma = calibration.score.value
    faint = partial(text, class_="faint")
    spread = [(a, float(s.min()), float(s.max())) for a, s in zip(amounts, curve.sets, strict=True)]
    band = [(x(a), y(max(lo, low))) for a, lo, _ in spread]
    band += [(x(a), y(max(hi, low))) for a, _, hi in spread[::-1]]
    line = [(x(a), y(v)) for a, v in zip(amounts, curve.smooth.tolist(), strict=True)]
    parts = [
        _line(_LEFT, _TOP + tall, _LEFT + inner, _TOP + tall, class_="axis"),
        _line(_LEFT, _TOP, _LEFT, _TOP + tall, class_="axis"),
        faint(_LEFT - 5, y(1.0) + 4, "1", text_anchor="end"),
        faint(_LEFT - 5, max(y(gamma) + 4, _TOP + 16), f"{gamma:.2f}", text_anchor="end"),
        text(_LEFT + inner / 2, 16, equivalent.error, text_anchor="middle"),
        faint(_LEFT, _TOP + tall + 15, "0", text_anchor="middle"),
        faint(_LEFT + inner, _TOP + tall + 15, f"{amounts[-1]:.0%}", text_anchor="end"),
        element("polygon", points=_points(band), fill="#0072b2", fill_opacity="0.2"),
        element(
            "polyline", points=_points(line), fill="none", stroke="#0072b2", stroke_width="1.8"
        ),
        _line(_LEFT, y(gamma), _LEFT + inner, y(gamma), class_="axis", stroke_dasharray="4 3"),
    ]
    if math.isfinite(equivalent.amount):
        a = x(equivalent.low)
        b = x(equivalent.high)
        parts.append(_bar(a, y(gamma) - 3, max(2.0, b - a), 6, fill="#d55e00", fill_opacity="0.45"))
        parts.append(dot(x(equivalent.amount), y(gamma), 4, fill="#d55e00"))
        place = x(equivalent.amount)
        if equivalent.amount >= 0.1:
            digits = 0
        else:
            digits = 1
        label = f"{equivalent.amount:.{digits}%}"
        parts.append(text(place, _TOP + tall + 29, label, text_anchor="middle"))
    return parts


def disorder_figure(explanation: Explanation) -> Markup:
    """Draw the disorder as stacked bars: in all, by annotator and by category.

    The parts of a bar are the components of the disorder. A mark shows the length expected by
    chance.
    """
    whole = ("observed", {r["component"]: r["observed"] for r in explanation.components}, None)
    chance = (
        "by chance",
        {r["component"]: r["expected"] or 0.0 for r in explanation.components},
        None,
    )
    blocks: list[list[_Row]] = [[whole, chance] if explanation.gamma.expected else [whole]]
    for key, records in (
        ("annotator", explanation.annotators),
        ("category", explanation.categories),
    ):
        worst = sorted(records, key=lambda r: -r["observed"])[:_ROWS]
        blocks.append([(r[key], r["observed_parts"], r["expected"]) for r in worst])
    parts: list[Markup] = []
    names = [r["component"] for r in explanation.components]
    for k, name in enumerate(names):
        parts.append(_bar(120 + 110 * k, 2, 10, 10, fill=_COLOURS.get(name, _OTHER)))
        parts.append(text(134 + 110 * k, 11, name))
    parts.append(_line(120 + 110 * len(names), 1, 120 + 110 * len(names), 13, class_="axis"))
    parts.append(text(126 + 110 * len(names), 11, "by chance"))
    y = 22
    for block in blocks:
        longest = max((max(sum(p.values()), e or 0.0) for _, p, e in block), default=0.0) or 1.0
        for label, costs, expected in block:
            parts += _stack(y, label, costs, expected, 395 / longest)
            y += 18
        y += 10
    described = "Disorder by component: observed and by chance, per annotator, per category"
    return element("figure", svg(580, y, described, parts))


def charges_figure(charges: Charges) -> Markup:
    """Draw the differences charged to each annotator as bars with numbers, longest first.

    The figure is an HTML list, so that words wrap on a narrow screen and can be read aloud.

    Parameters
    ----------
    charges
        The charges to draw.
    """
    longest = max(r.share for r in charges.rows)
    rows = [
        element(
            "li",
            element("span", row.label),
            " ",
            element("span", row.number, class_="faint"),
            element("i", style=f"width: {row.share / longest:.2%}"),
        )
        for row in charges.rows
    ]
    return element(
        "figure",
        element("p", charges.title, class_="title"),
        element("ol", *rows, class_="bars"),
        element("figcaption", charges.caption),
    )


def _stack(
    y: float, label: str, costs: Mapping[str, float], expected: float | None, scale: float
) -> list[Markup]:
    parts = [text(114, y + 11, _short(label), text_anchor="end")]
    x = 120.0
    for component, cost in costs.items():
        fill = _COLOURS.get(component, _OTHER)
        parts.append(_bar(x, y, cost * scale, 13, fill=fill))
        x += cost * scale
    if expected is not None:
        end = 120 + expected * scale
        parts.append(_line(end, y - 1, end, y + 14, class_="axis", stroke_width="2"))
    parts.append(text(575, y + 11, number(sum(costs.values())), text_anchor="end", class_="faint"))
    return parts


def _short(name: str) -> str:
    if len(name) <= 18:
        return name
    return f"{name[:17]}…"


# Colours of categories, in the order of the continuum, and largest number of units to draw.
_LABELS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8a8a00", "#999999")
LANE_UNITS = 2000


def lanes(continuum: Continuum) -> Markup:
    """Draw the first `LANE_UNITS` units on a lane for each annotator, coloured by category."""
    low, _ = continuum.bounds
    tall = 26
    left = 120
    wide = 600
    scale = wide / (continuum.length or 1.0)
    parts: list[Markup] = []
    for a, name in enumerate(continuum.annotators):
        parts.append(text(left - 8, tall * a + 17, _short(name), text_anchor="end"))
        parts.append(_line(left, tall * a + 22, left + wide, tall * a + 22, class_="axis"))
    for row in range(min(continuum.n_units, LANE_UNITS)):
        unit = continuum.unit(row)
        code = int(continuum.category_codes[row])
        unit_in_words = (
            f"{category_name(unit.category)} {position(unit.start)}–{position(unit.end)}"
        )
        y = tall * int(continuum.annotator_codes[row]) + 6
        first, last = (left + (v - low) * scale for v in (unit.start, unit.end))
        fill = _LABELS[-1 if code < 0 else code % len(_LABELS)]
        width = f"{max(1.5, last - first):.1f}"
        box = {"x": f"{first:.1f}", "y": y, "width": width, "height": 14}
        parts.append(
            element("rect", element("title", unit_in_words), fill=fill, fill_opacity=0.8, **box)
        )
    described = "The units of each annotator along the continuum"
    return element(
        "figure", svg(left + wide + 10, tall * continuum.n_annotators + 8, described, parts)
    )


def _points(places: list[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def svg(width: int, height: int, label: str, parts: list[Markup], **attributes: object) -> Markup:
    """Return a figure, with a label in words for screen readers."""
    box = f"0 0 {width} {height}"
    return element("svg", *parts, viewBox=box, role="img", aria_label=label, **attributes)


def _line(x1: float, y1: float, x2: float, y2: float, **attributes: object) -> Markup:
    ends = {"x1": f"{x1:.1f}", "y1": f"{y1:.1f}", "x2": f"{x2:.1f}", "y2": f"{y2:.1f}"}
    return element("line", **ends, **attributes)


def text(x: float, y: float, content: str, **attributes: object) -> Markup:
    """Return text at the point (x, y)."""
    return element("text", content, x=f"{x:.1f}", y=f"{y:.1f}", **attributes)


def _bar(x: float, y: float, width: float, height: float, **attributes: object) -> Markup:
    return element(
        "rect", x=f"{x:.1f}", y=f"{y:.1f}", width=f"{width:.1f}", height=height, **attributes
    )


def dot(x: float, y: float, r: float, **attributes: object) -> Markup:
    """Return a filled circle with centre (x, y) and radius r."""
    return element("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=r, **{"fill": "#0072b2", **attributes})
