"""γ of a corpus in two factors: agreement within documents, and about the documents.

Annotators who never look at the units of a document may still agree that this document has many
and that one has none, or what most of its labels are. Chance over documents (`documents`) counts
such agreement as agreement; chance within each document (`cut`) takes it for granted. With D_o the
observed disorder, and E_within and E its expectation under the two,

    γ_within = 1 − D_o / E_within,  γ_between = 1 − E_within / E,  γ = 1 − D_o / E

so that 1 − γ = (1 − γ_within)(1 − γ_between), exactly.
"""

import math
from collections.abc import Sequence

from gammacp.chance.annotation import in_space
from gammacp.chance.beyond import BeyondChance, ratio, ratio_interval
from gammacp.continuum import Continuum
from gammacp.measures.gamma import FEWEST_UNITS
from gammacp.measures.random_sets import Basis

WITHIN = "cut"
TOO_SHORT = "documents are too short"


def factors(
    basis: Basis,
    continua: Sequence[Continuum],
    observed: float,
    lowest: float,
    interval: tuple[float, float, float],
) -> tuple[BeyondChance, BeyondChance]:
    """γ_within and γ_between of a corpus; undefined with a reason where they cannot be told.

    Parameters
    ----------
    continua
        Those with a γ.
    observed, lowest
        D_o, the mean disorder of the continua weighted by x̄, and its proven bound.
    interval
        E by the corpus' own chance model: its interval's lower end, E, the upper end.
    """
    reason = _reason(basis, continua)
    if reason is not None:
        missing = BeyondChance(value=math.nan, chance=WITHIN, reason=reason)
        return missing, missing
    low, mean, high = interval
    found = basis.within(continua).expected
    made = basis.signature(
        "gamma-within",
        basis.within(continua),
        method=basis.settings.method,
        samples=found.samples,
        selection=tuple(dict.fromkeys(entry for c in continua for entry in c.selection)),
        continua=len(continua),
    )

    def factor(
        observed: float, expected: float, interval: tuple[float, float], chance: str
    ) -> BeyondChance:
        value, nothing = ratio(observed, expected, "the expected disorder is 0")
        return BeyondChance(
            value=value,
            interval=None if nothing else interval,
            observed=observed,
            expected=expected,
            chance=chance,
            samples=found.samples,
            reason=nothing,
            signature=made,
        )

    # Of E_within / E: the relative errors of the two are independent of each other.
    apart, error = 0.0, 0.0
    if found.mean and mean:
        apart = found.mean / mean
        error = math.hypot(found.half_width / found.mean, (high - low) / 2 / mean)
    about = 1 - apart * math.exp(error), 1 - apart * math.exp(-error)
    return (
        factor(observed, found.mean, ratio_interval(lowest, observed, *found.interval), WITHIN),
        factor(found.mean, mean, about, basis.model.name),
    )


def _reason(basis: Basis, continua: Sequence[Continuum]) -> str | None:
    if any(map(in_space, continua)):
        return "there is no chance within an image or a scan, so γ has no two factors"
    if not basis.model.ratio:
        return f"chance model {basis.model.name!r} is not over documents, so γ has no two factors"
    units = math.fsum(c.mean_units for c in continua) / len(continua)
    if units < FEWEST_UNITS:
        return (
            f"{TOO_SHORT} to model chance inside each one ({units:.2g} units per annotator and "
            f"document; {FEWEST_UNITS:g} are needed)"
        )
    return None
