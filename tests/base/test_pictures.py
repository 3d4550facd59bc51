"""Names in pictures: shortened to the available room, yet distinct."""

from __future__ import annotations

import random

import pytest

from gammacp.base.pictures import cut_names


@pytest.mark.parametrize(
    ("names", "most", "shown"),
    [
        (["short", "interview-2024-part-7"], 13, ["short", "interv…part-7"]),
        (
            [f"campaign-2024-worker-{k:02}-of-the-second-round" for k in (1, 10, 19)],
            18,
            ["campaign-2024-…01…", "campaign-2024-…10…", "campaign-2024-…19…"],
        ),
        # A word that is too long for the room is cut itself.
        (["x" * 20 + k + "y" * 30 for k in "ab"], 10, ["xxxxxxx…a…", "xxxxxxx…b…"]),
        # Equal names are numbered.
        (["an-annotator-of-1999"] * 2, 9, ["an-a…1999 (1)", "an-a…1999 (2)"]),
    ],
)
def test_names_that_look_alike_keep_what_differs(
    names: list[str], most: int, shown: list[str]
) -> None:
    assert cut_names(names, most)[0] == shown


def test_different_names_are_never_shown_alike() -> None:
    rng = random.Random(0)
    for _ in range(500):
        names = set()
        for _ in range(rng.randint(2, 6)):
            middle = "".join(rng.choices("ab-", k=rng.randint(0, 4)))
            names.add("c" * rng.randint(0, 15) + middle + "d" * rng.randint(0, 15))
        most = rng.randint(3, 18)
        shown, _ = cut_names(sorted(names), most)
        assert len(set(shown)) == len(names)
        assert max(len(name.partition(" (")[0]) for name in shown) <= most
