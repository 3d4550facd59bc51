"""A continuum from a data frame, and a data frame of a continuum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gammacp.base.arguments import several
from gammacp.base.frames import columns_of
from gammacp.continuum.continuum import Continuum
from gammacp.continuum.label import plain, to_label
from gammacp.continuum.shapes import from_json
from gammacp.errors import UsageError

if TYPE_CHECKING:
    from pandas import DataFrame


def columns_of_frame(
    frame: Any, features: Sequence[str], columns: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the arguments of `Continuum.from_columns` that a data frame has.

    Parameters
    ----------
    frame, features, columns
        As for `Continuum.from_frame`.
    """
    asked = several("features", features)
    names, labels, known, start, end, fragments, shapes = columns_of(frame, asked, columns)
    if shapes is not None:
        shapes = [from_json(x)[1] if isinstance(x, Mapping) else None for x in shapes]
    return {
        "annotator": names,
        "category": [*map(to_label, labels, known)] if features else labels,
        "start": start,
        "end": end,
        "fragments": fragments,
        "shapes": shapes,
    }


def frame_of(continuum: Continuum) -> DataFrame:
    """Return a row per unit, as `Continuum.to_frame` says.

    Parameters
    ----------
    continuum
        Whose units.
    """
    from pandas import DataFrame

    c = continuum
    more = dict[str, list[object]]()
    if c.inside is not None:
        if c.shapes is None:
            inside = "fragments"
        else:
            inside = "shape"
        more[inside] = [u.fragments or u.json.get("shape", ()) for u in c]
    for name in {*more} & {*c.features}:
        raise UsageError(f"a feature and the units' {name} would be one column, {name}")
    categories, codes = plain(c.categories)
    return DataFrame(
        {
            "annotator": [c.annotators[a] for a in c.annotator_codes],
            "category": [(*categories, None)[k] for k in codes[c.category_codes]],
            "start": c.starts,
            "end": c.ends,
            **{name: c.feature(name) for name in c.features},
            **more,
        }
    )
