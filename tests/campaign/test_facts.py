"""Facts of a campaign, counted by hand."""

from __future__ import annotations

from gammacp.campaign.facts import bearers
from gammacp.kinds.kinds import kinds_of
from tests.campaign.planted_corpora import (
    FAST,
    missing_units,
)


def test_bearers_by_hand() -> None:
    """A missing unit is missing for three others: 21 of 27 places are 63 of 81 cases."""
    kinds = kinds_of(missing_units(21, 6), **FAST)
    [(words, names)] = bearers(kinds)
    assert names == ("C", "missing")
    assert words == ("C bears most of the missing units here: 63 of 81 (78%; 20 at an even share).")
    assert not [*bearers(kinds_of(missing_units(12, 12), **FAST))]
    assert not [*bearers(kinds_of(missing_units(12, 3), **FAST))]
    assert [*bearers(kinds_of(missing_units(12, 3), **FAST), fewest=10)]
