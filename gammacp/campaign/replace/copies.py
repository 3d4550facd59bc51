"""Find candidates whose annotations are copied from those of a person."""

from collections.abc import Iterable, Mapping
from itertools import combinations

import numpy as np

from gammacp.campaign.replace.scores import Instance
from gammacp.continuum import Continuum
from gammacp.continuum.selecting import keep_annotators


def notes_on_copies(
    candidate: str, continua: Mapping[str, Continuum], instances: Iterable[Instance]
) -> tuple[str, ...]:
    """Return a note if the candidate is a copy of a person, or suspiciously similar to one.

    A candidate is suspiciously similar to a person if the two agree better than any two people do,
    and if the candidate's agreement with this person exceeds that with any other person by more
    than the agreement of pairs of people varies. This takes at least three people.

    Parameters
    ----------
    candidate
        Name of the candidate.
    continua
        Documents of the candidate and the people, by name.
    instances
        Instances, with the agreement of each pair.
    """
    people = dict.fromkeys(a for c in continua.values() for a in c.annotators if a != candidate)
    same = [a for a in people if _same(candidate, a, continua)]
    if same:
        who = " and ".join(same)
        return (
            f"{candidate} has exactly the units of {who} wherever both annotated: it is a copy, "
            "not a stand-in",
        )
    agreement_by_pair: dict[frozenset[str], list[float]] = {}
    for each in instances:
        for (i, a), (j, b) in combinations(enumerate(each.annotators), 2):
            agreement_by_pair.setdefault(frozenset((a, b)), []).append(float(each.pairs[i, j]))
    means = {pair: float(np.mean(values)) for pair, values in agreement_by_pair.items()}
    own_means = {a: means[pair] for a in people if (pair := frozenset((candidate, a))) in means}
    other_means = [mean for pair, mean in means.items() if candidate not in pair]
    if len(other_means) < 3 or len(own_means) < 2:
        return ()
    second, nearest = sorted(own_means, key=own_means.__getitem__)[-2:]
    apart = max(other_means) - min(other_means)
    if own_means[nearest] <= max(other_means) or own_means[nearest] - own_means[second] <= apart:
        return ()
    return (
        f"{candidate} agrees with {nearest} better ({own_means[nearest]:.2f}) than any two people "
        f"with each other ({max(other_means):.2f} at best): if it was made from {nearest}'s "
        "annotations, the test says nothing",
    )


def _same(first: str, second: str, continua: Mapping[str, Continuum]) -> bool:
    """Return whether both have the same units and links in all shared documents, at least one."""
    shared = [c for c in continua.values() if {first, second} <= {*c.annotators}]
    parts = [(keep_annotators(c, [first]), keep_annotators(c, [second])) for c in shared]
    return any(a.n_units for a, _ in parts) and all(
        [(u.start, u.end, u.category, u.fragments) for u in a]
        == [(u.start, u.end, u.category, u.fragments) for u in b]
        and a.link_rows.rows == b.link_rows.rows
        for a, b in parts
    )
