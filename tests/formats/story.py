"""What the fixtures of the text formats hold: one text, two annotators, an emoji before a unit."""

from pathlib import Path

from gammacp import Unit

FIXTURES = Path(__file__).parents[1] / "fixtures" / "formats"

TEXT = "Ann met Bob 😊 in New York .\nThey left ."

UNITS = [
    Unit("ann", 0, 3, "PER"),
    Unit("ann", 8, 11, "PER"),
    Unit("ann", 17, 25, "LOC"),
    Unit("bob", 0, 3, "PER"),
    Unit("bob", 17, 20, "LOC"),
    Unit("bob", 28, 32, None),
]

TOKENS = [
    Unit("ann", 0, 1, "PER"),
    Unit("ann", 2, 3, "PER"),
    Unit("ann", 5, 7, "LOC"),
    Unit("bob", 0, 1, "PER"),
    Unit("bob", 5, 6, "LOC"),
    Unit("bob", 8, 9, None),
]
