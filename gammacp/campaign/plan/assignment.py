"""Assign documents to annotators, so that all pairs share about equally many documents."""

from collections import Counter
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
    teams: Mapping[str, str] | None = None,
) -> Table:
    """Return a table of the annotations that are still to be made, by document and annotator.

    The documents of the pilot are completed first, those with most annotators before the others;
    then new ones follow. The next annotator of a document is the one who shares the fewest
    documents with its other annotators, and on a tie the one with the fewest documents. This greedy
    rule does not reach the exact balance of a block design, which a pilot rarely has anyway.

    Parameters
    ----------
    continua
        Documents of the pilot by name.
    documents, annotators
        Number of documents and of annotators of the design (`Plan.best`); `documents` is finite.
    candidate
        Name of a candidate among the annotators, to whom nothing is assigned.
    teams
        Team of each annotator, if annotators work in fixed teams. Each document is then annotated
        by members of one team.

    Raises
    ------
    DataError
        The pilot, or one of its teams, has fewer people than a document needs.
    """
    who = {d: [a for a in c.annotators if a != candidate] for d, c in continua.items()}
    people = list(dict.fromkeys(a for names in who.values() for a in names))
    if len(people) < annotators:
        raise DataError(
            f"each document is to have {annotators} annotators, but the pilot has {len(people)}",
            hint="Name the others with `annotators=`",
        )
    if teams is None:
        team_of = ["" for _ in people]
    else:
        team_of = [teams[name] for name in people]
        small = [t for t, size in Counter(team_of).items() if size < annotators]
        if small:
            raise DataError(
                f"each document is to have {annotators} annotators of one team, but team "
                f"{small[0]!r} has fewer in the pilot",
                hint="Name its other members in the pilot, or ask for fewer (`annotators=`)",
            )
    return Table(_COLUMNS, list(_deal(who, people, team_of, int(documents), annotators)))


def _deal(
    pilot: Mapping[str, list[str]],
    people: list[str],
    team_of: list[str],
    documents: int,
    annotators: int,
) -> Iterator[dict[str, str]]:
    teams = np.unique(team_of, return_inverse=True)[1]
    busy = np.zeros(teams.max() + 1, np.int64)
    shared = np.zeros((len(people), len(people)), np.int64)
    load = np.zeros(len(people), np.int64)
    index_of = {name: i for i, name in enumerate(people)}
    done = {d: [index_of[a] for a in names] for d, names in pilot.items()}
    for who in done.values():
        shared[np.ix_(who, who)] += 1
        load[who] += 1
    begun = sorted(done, key=lambda d: -len(done[d]))[:documents]
    for name in begun:
        busy[teams[done[name][:1]]] += 1
    new = (f"new-{i}" for i in count(1) if f"new-{i}" not in done)
    for name in (*begun, *islice(new, documents - len(begun))):
        who = list(done.get(name, ()))
        if who:
            team = teams[who[0]]
        else:
            team = busy.argmin()
            busy[team] += 1
        while len(who) < annotators:
            cost = np.stack([shared[who].sum(axis=0), load])
            cost[:, who] = np.iinfo(np.int64).max
            cost[:, teams != team] = np.iinfo(np.int64).max
            chosen = int(np.lexsort(cost[::-1])[0])
            shared[chosen, who] += 1
            shared[who, chosen] += 1
            load[chosen] += 1
            who.append(chosen)
            yield {"document": name, "annotator": people[chosen]}
