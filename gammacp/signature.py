"""Signatures: one line that says how a number was made, so that it can be made again.

After sacrebleu: `gamma|pos:sporadic|cat:nominal|a:1|b:1|…|v:0.1.0`.
"""

from __future__ import annotations

from gammacp import __version__


def signature(name: str, **parts: object) -> str:
    """`name|key:value|…|v:version`; floats in their shortest form, None left out.

    >>> signature("gamma", a=1.0, chance="shift").rsplit("|", 1)[0]
    'gamma|a:1|chance:shift'
    """
    fields = [name]
    fields += [f"{key}:{_short(value)}" for key, value in parts.items() if value is not None]
    fields.append(f"v:{__version__}")
    return "|".join(fields)


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
