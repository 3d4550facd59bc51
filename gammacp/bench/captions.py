"""Captions that describe annotation sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

_CHANCE = "|chance:"


def caption_of(configuration: Mapping[str, object], signatures: Iterable[str] = ()) -> str:
    """Annotators, units and chance of a sweep: "3 annotators, 25 units each, chance: cut".

    Parameters
    ----------
    configuration
        Configuration of a sweep, as JSON.
    signatures
        Signatures of its values: they name the chance models that measures used.

    >>> caption_of({"n_annotators": 3, "source": {"drawn from": {"n_units": 25}}})
    '3 annotators, 25 units each'
    """
    parts = [f"{configuration['n_annotators']} annotators"]
    source = configuration.get("source")
    if isinstance(source, Mapping):
        model = source.get("drawn from")
    else:
        model = None
    if isinstance(model, Mapping) and "n_units" in model:
        parts[0] += f", {model['n_units']} units each"
    elif isinstance(source, Mapping) and "reference" in source:
        parts[0] += ", a reference of one's own"
    chance = sorted({_chance(each) for each in signatures if _CHANCE in each})
    if chance:
        parts.append(f"chance: {', '.join(chance)}")
    return ", ".join(parts)


def _chance(signature: str) -> str:
    """Return the chance model in a signature, without its parameters."""
    return signature.partition(_CHANCE)[2].partition("|")[0].partition("(")[0]
