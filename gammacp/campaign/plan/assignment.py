"""Assignment of documents to annotators, so that every two people share about as many."""

from collections.abc import Iterator, Mapping
from itertools import count, islice

import numpy as np

from gammacp.base.record_tables import Column, Table
from gammacp.continuum import Continuum
from gammacp.errors import DataError

_COLUMNS = (Column("document", "document"), Column("annotator", "annotator"))


def assignment(
    continua: Mapping[str, Continuum],
    documents: float,
    annotators: int,
    candidate: str | None = None,
) -> Table:
    """Return who has still to annotate what until enough documents have enough annotators.

    The pilot's documents come first, those with most annotators first of all. Whoever has shared
    least with the others of a document is next, and then whoever has done least: a greedy rule,
    without the exact balance of a block design, which pilots have lost already.

    Parameters
    ----------
    continua
        The pilot.
    documents, annotators
        Of the plan's design, `Plan.best`; documents finite.
    candidate
        Who is no person.

    Raises
    ------
    DataError
        The pilot has fewer people than a document needs.
    """
    who = {d: [a for a in c.annotators if a != candidate] for d, c in continua.items()}
    people = list(dict.fromkeys(a for names in who.values() for a in names))
    if len(people) < annotators:
        raise DataError(
            f"each document is to have {annotators} annotators, but the pilot has {len(people)}",
            hint="Name the others with `annotators=`",
        )
    return Table(_COLUMNS, list(_deal(who, people, int(documents), annotators)))


def _deal(
    pilot: Mapping[str, list[str]], people: list[str], documents: int, annotators: int
) -> Iterator[dict[str, str]]:
    shared = np.zeros((len(people), len(people)), np.int64)
    load = np.zeros(len(people), np.int64)
    place = {name: i for i, name in enumerate(people)}
    done = {d: [place[a] for a in names] for d, names in pilot.items()}
    for who in done.values():
        shared[np.ix_(who, who)] += 1
        load[who] += 1
    begun = sorted(done, key=lambda d: -len(done[d]))[:documents]
    new = (f"new-{i}" for i in count(1) if f"new-{i}" not in done)
    for name in (*begun, *islice(new, documents - len(begun))):
        who = list(done.get(name, ()))
        while len(who) < annotators:
            cost = np.stack([shared[who].sum(axis=0), load])
            cost[:, who] = np.iinfo(np.int64).max
            chosen = int(np.lexsort(cost[::-1])[0])
            shared[chosen, who] += 1
            shared[who, chosen] += 1
            load[chosen] += 1
            who.append(chosen)
            yield {"document": name, "annotator": people[chosen]}
