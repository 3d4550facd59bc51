"""The interactive alignment view: data columns for the script, and the HTML elements it fills."""

from functools import cache
from importlib.resources import files
from itertools import pairwise
from string import Template
from typing import Any

import numpy as np

from gammacp.alignment import Alignment
from gammacp.base.text import visible
from gammacp.continuum import Continuum
from gammacp.report.markup import Markup, element, json_script

_SCRIPTS = ("model.js", "draw.js", "view.js", "seek.js", "print.js", "panel.js", "search.js")


@cache
def script() -> str:
    """Return the view's script; it reads the JSON beside it and loads nothing."""
    parts = [asset(name) for name in _SCRIPTS]
    return '"use strict";\n(() => {\n' + "\n".join(parts) + "})();\n"


@cache
def style() -> str:
    """Return the page's style sheet."""
    return asset("report.css")


def fill(page: str, **parts: Markup) -> Markup:
    """Return HTML with placeholders replaced by the parts of the same names."""
    return Markup(Template(page).substitute(parts))


def asset(name: str, package: str = "gammacp.report") -> str:
    """Return the text of a file in the assets of a package."""
    return files(package).joinpath("assets", name).read_text(encoding="utf-8")


def alignment_document(alignment: Alignment, name: str) -> dict[str, Any]:
    """Return an alignment as data columns for the view.

    Keys: name, unit (of offsets), bounds, delta, annotators, categories, text; `units` with
    annotator and category codes, start, end, and the gaps inside some (by row); `groups` with rows
    (flat, groups × annotators, −1 where the unit is empty) and disorder; `pairs` of real units with
    first, second (rows), positional, categorial and total costs (null where the dissimilarity has
    no such parts, or is infinite); of links, where there are any, source and target (rows), type
    (code), kind, and the names of types. Costs are rounded to six digits; positions are exact.
    """
    continuum = alignment.continuum
    return {
        "name": visible(name),
        "unit": continuum.offset_unit,
        "bounds": list(continuum.bounds),
        "delta": float(alignment.dissimilarity.delta),
        "annotators": [*map(visible, continuum.annotators)],
        "categories": [*map(visible, continuum.categories)],
        "text": None if continuum.text_between(0, 0) is None else continuum.text,
        "units": {
            "annotator": continuum.annotator_codes.tolist(),
            "category": continuum.category_codes.tolist(),
            "start": continuum.starts.tolist(),
            "end": continuum.ends.tolist(),
            "gaps": {
                row: [(a[1], b[0]) for a, b in pairwise(u.fragments)]
                for row, u in enumerate(continuum if continuum.n_broken else ())
                if u.fragments
            },
        },
        "groups": {
            "rows": alignment.groups.ravel().tolist(),
            "disorder": _round(alignment.disorders),
        },
        "pairs": _pairs(alignment),
        **({"links": _links(continuum)} if continuum.links else {}),
    }


def _links(continuum: Continuum) -> dict[str, list[Any]]:
    rows = continuum.link_rows
    return {
        "source": rows.sources.tolist(),
        "target": rows.targets.tolist(),
        "type": rows.codes.tolist(),
        "types": [*map(visible, rows.types)],
        "kind": [rows.kinds[code] for code in rows.codes.tolist()],
    }


def _pairs(alignment: Alignment) -> dict[str, list[Any]]:
    from gammacp.dissimilarity.base import unit_columns

    i, j = np.triu_indices(alignment.continuum.n_annotators, 1)
    first = alignment.groups[:, i]
    second = alignment.groups[:, j]
    both = (first >= 0) & (second >= 0)
    first = first[both]
    second = second[both]
    units = unit_columns(alignment.continuum)
    parts = [
        [None] * len(first) if part is None else _round(part(units[first], units[second]))
        for part in (
            alignment.dissimilarity.positional_part,
            alignment.dissimilarity.categorial_part,
        )
    ]
    return {
        "first": first.tolist(),
        "second": second.tolist(),
        "positional": parts[0],
        "categorial": parts[1],
        "total": _round(alignment.pair_costs[both]),
    }


def _round(values: Any) -> list[float]:
    # Round to significant digits rather than decimals, because costs scale with Δ.
    return [float(f"{v:.6g}") for v in np.asarray(values, np.float64).tolist()]


def alignment_view(documents: list[dict[str, Any]]) -> Markup:
    """Return the HTML elements of the view of `documents`, made by `alignment_document`."""
    choose = Markup("")
    if len(documents) > 1:
        options = [element("option", d["name"], value=i) for i, d in enumerate(documents)]
        choose = element("label", "Document ", element("select", *options, data_part="document"))
    return fill(asset("view.html"), data=json_script(documents), documents=choose)
