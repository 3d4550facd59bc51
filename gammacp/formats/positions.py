"""Positions as text: reading them strictly, writing them without loss."""

import math

LARGEST = 2**53


def position(text: str) -> float:
    """Return the number that `text` writes, exactly as a float can hold it.

    Raises
    ------
    ValueError
        It is not a number, not finite, or an integer beyond 2⁵³; the message says which.

    >>> position(" 12.5 ")
    12.5
    """
    try:
        # Python reads "1_000" and other scripts' digits as numbers; no annotation tool writes them.
        if "_" in text or not text.isascii():
            raise ValueError
        value = float(text)
    except ValueError:
        if "," in text:
            comma = "; write a decimal point"
        else:
            comma = ""
        raise ValueError(f"{text.strip()!r} is not a number{comma}") from None
    if not math.isfinite(value):
        raise ValueError(f"{text.strip()!r} is not a finite number")
    if abs(value) > LARGEST or (abs(value) == LARGEST and _digits(text) != LARGEST):
        raise ValueError(f"{text.strip()} is beyond 2^53 and cannot be kept exactly")
    return value


def _digits(text: str) -> int:
    if text.strip().lstrip("+-").isdigit():
        return abs(int(text))
    return LARGEST


def as_text(value: float) -> str:
    """Write whole numbers as integers, others in the shortest form that reads back the same.

    >>> as_text(3.0), as_text(0.1)
    ('3', '0.1')
    """
    if value == int(value):
        return str(int(value))
    return repr(float(value))
