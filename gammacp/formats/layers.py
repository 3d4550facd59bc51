"""Choice of the layer whose spans are the units, and of the feature that is the category.

The file of an annotator who never used a layer does not mention it. So the choice is made over all
files at once, not file by file.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from gammacp.errors import DataError


@dataclass(frozen=True)
class Layer:
    """A layer of a file.

    Attributes
    ----------
    features
        Features that can be the category and have a value.
    offered
        Whether it is one to choose from; the others (tokens, sentences, a subtype of a layer) are
        read when they are named.
    """

    features: tuple[str, ...] = ()
    offered: bool = True


Layers = Mapping[str, Layer]
"""Layers by name."""

USUAL_FEATURES = ("value", "PosValue", "label", "category", "Label", "Category")


Link: TypeAlias = tuple[str, int | None, int | None]
"""Of a slot: the role ("" without), start and end of what fills it."""

TARGET = ".target"
"""What follows the name of a slot in that of the feature with its roles and who fills them."""

FILLERS = ("links", "units")
"""Whether what fills a slot and is of another layer is a unit."""
FILLED = "leads to another layer (`read(fillers=units)` reads its target)"


def slot(name: str, links: Iterable[Link]) -> dict[str, str]:
    """Return the two features that represent a slot: its roles, and its roles with their fillers.

    Parameters
    ----------
    name
        Name of the slot.
    links
        Links that fill the slot.

    >>> slot("links", [("patient", 12, 20), ("agent", 5, 9)])
    {'links': 'agent+patient', 'links.target': 'agent 5-9+patient 12-20'}
    """
    filled = sorted({(role, start or 0, end or 0) for role, start, end in links})
    return {
        name: "+".join(dict.fromkeys(role for role, *_ in filled if role)),
        f"{name}{TARGET}": "+".join(f"{role} {s}-{e}".strip() for role, s, e in filled),
    }


def union(found: Iterable[Layers]) -> dict[str, Layer]:
    """Merge the layers and features of several files."""
    together: dict[str, Layer] = {}
    for layers in found:
        for name, layer in layers.items():
            previous = together.get(name, Layer(offered=False))
            features = dict.fromkeys((*previous.features, *layer.features))
            together[name] = Layer(tuple(features), previous.offered or layer.offered)
    return together


def chosen_layer(layers: Layers, wanted: str | None) -> str | None:
    """Return the layer called `wanted` (its last part is enough), or the only one, or None.

    Raises
    ------
    DataError
        There is no such layer, or there are several and none was named.
    """
    offered = [name for name, layer in layers.items() if layer.offered]
    if wanted is None:
        if len(offered) > 1:
            raise DataError(
                f"there are several layers: {', '.join(offered)}", hint="Choose one with `layer=`"
            )
        return next(iter(offered), None)
    fitting = [n for n in layers if n == wanted] or [
        n for n in layers if n.rsplit(".", 1)[-1].lower() == wanted.lower()
    ]
    if len(fitting) > 1:
        fitting = [n for n in fitting if layers[n].offered] or fitting
    if len(fitting) != 1:
        if fitting:
            problem = "fits several layers"
        else:
            problem = "does not occur"
        names = ", ".join(fitting or offered) or "none"
        raise DataError(f"layer {wanted!r} {problem}", hint=f"There are: {names}")
    return fitting[0]


def chosen_feature(layers: Layers, layer: str | None, wanted: str | None) -> str | None:
    """Return the feature called `wanted`, or the one that tools use for the label, or None.

    Raises
    ------
    DataError
        There is no such feature, or there are several and none is the usual one.
    """
    features = layers.get(layer or "", Layer()).features
    names = ", ".join(features) or "none"
    if wanted is not None:
        if wanted not in features:
            raise DataError(
                f"feature {wanted!r} of layer {layer!r} does not occur", hint=f"There are: {names}"
            )
        return wanted
    usual = [f for f in USUAL_FEATURES if f in features]
    if len(features) > 1 and not usual:
        raise DataError(
            f"layer {layer!r} has several features: {names}",
            hint="Choose the category with `feature=`",
        )
    if usual:
        return usual[0]
    return next(iter(features), None)
