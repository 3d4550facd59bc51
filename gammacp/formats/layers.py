"""Which layer's spans are the units, and which feature is the category.

Annotators who used a layer nowhere in a document have it nowhere in their file, so the choice is
made over all files at once, not file by file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gammacp.errors import DataError

Layers = Mapping[str, Sequence[str]]
"""Features by layer."""

_USUAL_FEATURES = ("value", "PosValue", "label", "category", "Label", "Category")


def union(found: Iterable[Layers]) -> dict[str, list[str]]:
    """All layers and features of several files."""
    together: dict[str, list[str]] = {}
    for layers in found:
        for layer, features in layers.items():
            known = together.setdefault(layer, [])
            known += [f for f in features if f not in known]
    return together


def chosen_layer(layers: Layers, wanted: str | None) -> str | None:
    """The layer called `wanted` (its last part is enough), or the only one; None without any.

    Raises
    ------
    DataError
        There is no such layer, or there are several and none was named.
    """
    there = ", ".join(layers) or "none"
    if wanted is None:
        if len(layers) > 1:
            raise DataError(f"there are several layers: {there}", hint="Choose one with --layer")
        return next(iter(layers), None)
    fitting = [n for n in layers if n == wanted] or [
        n for n in layers if n.rsplit(".", 1)[-1].lower() == wanted.lower()
    ]
    if len(fitting) != 1:
        problem = "fits several layers" if fitting else "does not occur"
        raise DataError(f"layer {wanted!r} {problem}", hint=f"There are: {there}")
    return fitting[0]


def chosen_feature(layers: Layers, layer: str | None, wanted: str | None) -> str | None:
    """The feature called `wanted`, or the one that tools use for the label; None without any.

    Raises
    ------
    DataError
        There is no such feature, or there are several and none is the usual one.
    """
    features = list(layers.get(layer or "", ()))
    there = ", ".join(features) or "none"
    if wanted is not None:
        if wanted not in features:
            raise DataError(
                f"feature {wanted!r} of layer {layer!r} does not occur", hint=f"There are: {there}"
            )
        return wanted
    usual = [f for f in _USUAL_FEATURES if f in features]
    if len(features) > 1 and not usual:
        raise DataError(
            f"layer {layer!r} has several features: {there}",
            hint="Choose the category with --feature",
        )
    return usual[0] if usual else next(iter(features), None)
