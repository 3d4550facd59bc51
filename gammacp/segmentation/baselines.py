"""Baseline segmenters that do not use the text, which a candidate or system should beat.

They are based on a person's segmentation of each item: `none` and `all` have no boundary and every
boundary, `even` has as many segments, of equal length, and `shuffled` has the same segments in
random order, averaged over 20 orders.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from gammacp.base.arrays import Floats, Indices, places_within
from gammacp.segmentation.codings import Codings
from gammacp.segmentation.measures.rows import Rows, share

_SHUFFLES = 20


def _even(places: Indices, mass: int) -> list[int]:
    parts = len(places) + 1
    return [(2 * i * mass + parts) // (2 * parts) for i in range(1, parts)]


# Functions from rows with one coding per item to the rows of a baseline, one or several per item.
BASELINES: Mapping[str, Callable[[Rows, np.random.Generator], list[Rows]]] = {
    "(none)": lambda rows, _: [rows.placing(lambda _, __: ())],
    "(all)": lambda rows, _: [rows.placing(lambda _, mass: range(1, mass))],
    "(even)": lambda rows, _: [rows.placing(_even)],
    "(shuffled)": lambda rows, rng: [rows.shuffle(rng) for _ in range(_SHUFFLES)],
}


class JointCodings:
    """Codings of people, systems and baselines for the same items, in one table of rows.

    Parameters
    ----------
    codings, people
        Codings of everybody, and codings of the people only.
    shared
        Items that each system shares with the people, at least one.
    rng
        Random generator for the baseline `shuffled`.

    Attributes
    ----------
    judged
        Rows of each system and baseline by name, systems first. A baseline may have several rows
        of an item.
    rows
        Rows of the people, followed by those of each name in `judged`.
    owner
        Owner of each row: 0 for people, otherwise the number of the name in `judged`, from 1.
    pairs
        First and second row of each pair: people of an item with each other, and people with each
        coding in `judged` of the item.
    versions
        Number of codings of each item by each name, shape (1 + names, items); 1 for the people.
    """

    def __init__(
        self,
        codings: Codings,
        people: Codings,
        shared: Mapping[str, Sequence[str]],
        rng: np.random.Generator,
    ) -> None:
        """Collect the codings of people, of systems on shared items, and of baselines."""
        number = {item: k for k, item in enumerate(people)}
        people_rows = people.rows()
        self.judged: dict[str, Rows] = {}
        for name, items in shared.items():
            rows = Rows.of({i: {name: codings[i][name]} for i in items}, people.types)
            self.judged[name] = replace(rows, item=np.array([number[i] for i in items], np.int64))
        self.judged |= {
            name: Rows.join(make_codings(people_rows, rng))
            for name, make_codings in BASELINES.items()
        }
        self.rows = Rows.join([people_rows, *self.judged.values()])
        sizes = [len(part.masses) for part in (people_rows, *self.judged.values())]
        self.owner = np.repeat(np.arange(len(sizes)), sizes)
        persons = np.bincount(people_rows.item)
        times = persons[self.rows.item[sizes[0] :]]
        other_rows = np.repeat(np.arange(sizes[0], len(self.owner)), times)
        person_rows = (np.cumsum(persons) - persons)[self.rows.item[other_rows]] + places_within(
            times
        )
        first, second = people_rows.pairs
        self.pairs = np.concatenate((first, person_rows)), np.concatenate((second, other_rows))
        self.versions = np.zeros((len(sizes), len(persons)))
        np.add.at(self.versions, (self.owner, self.rows.item), 1)
        self.versions[0] = 1

    def sums(self, values: Floats) -> Floats:
        """Return the sums of values of pairs by name and item, averaged over codings of an item.

        Parameters
        ----------
        values
            Value of each pair.

        Returns
        -------
        Shape (1 + names, items).
        """
        second = self.pairs[1]
        totals = np.zeros_like(self.versions)
        np.add.at(totals, (self.owner[second], self.rows.item[second]), values)
        return share(totals, self.versions, 0.0)
