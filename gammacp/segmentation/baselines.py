"""Segmenters without a text: what a candidate or a system has to be better than.

They know somebody's segmentation of each item: `none` and `all` boundaries, as many segments of
`even` length, and the same segments `shuffled`, in 20 orders of which means are taken.
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


# Of the rows of one coding of each item the rows of the baseline, once or several times.
BASELINES: Mapping[str, Callable[[Rows, np.random.Generator], list[Rows]]] = {
    "(none)": lambda rows, _: [rows.placing(lambda _, __: ())],
    "(all)": lambda rows, _: [rows.placing(lambda _, mass: range(1, mass))],
    "(even)": lambda rows, _: [rows.placing(_even)],
    "(shuffled)": lambda rows, rng: [rows.shuffle(rng) for _ in range(_SHUFFLES)],
}


class Beside:
    """Systems and baselines beside the people who coded the same items, in one table of rows.

    Parameters
    ----------
    codings, people
        Everybody's, and those of the people alone.
    shared
        The items of each system, at least one.
    rng
        Generator of the random numbers of what is `shuffled`.

    Attributes
    ----------
    judged
        Rows by name, systems first; a baseline may have several of an item.
    rows
        Rows of the people, then those of each name in turn.
    owner
        Owner of each row: 0 of people, else the number of its name, from 1.
    pairs
        First and second row: people of an item with each other, and with each judged coding of it.
    versions
        Codings of each item by each name, shape (1 + names, items); of the people 1.
    """

    def __init__(
        self,
        codings: Codings,
        people: Codings,
        shared: Mapping[str, Sequence[str]],
        rng: np.random.Generator,
    ) -> None:
        """Print the codings of systems on items that they share with people, and baselines."""
        number = {item: k for k, item in enumerate(people)}
        own = people.rows()
        self.judged: dict[str, Rows] = {}
        for name, items in shared.items():
            rows = Rows.of({i: {name: codings[i][name]} for i in items}, people.types)
            self.judged[name] = replace(rows, item=np.array([number[i] for i in items], np.int64))
        self.judged |= {name: Rows.join(made(own, rng)) for name, made in BASELINES.items()}
        self.rows = Rows.join([own, *self.judged.values()])
        sizes = [len(part.masses) for part in (own, *self.judged.values())]
        self.owner = np.repeat(np.arange(len(sizes)), sizes)
        persons = np.bincount(own.item)
        times = persons[self.rows.item[sizes[0] :]]
        beside = np.repeat(np.arange(sizes[0], len(self.owner)), times)
        person = (np.cumsum(persons) - persons)[self.rows.item[beside]] + places_within(times)
        first, second = own.pairs
        self.pairs = np.concatenate((first, person)), np.concatenate((second, beside))
        self.versions = np.zeros((len(sizes), len(persons)))
        np.add.at(self.versions, (self.owner, self.rows.item), 1)
        self.versions[0] = 1

    def sums(self, values: Floats) -> Floats:
        """Return sums of the pairs' values by name and item, means over the codings of an item.

        Parameters
        ----------
        values
            Value of each pair.

        Returns
        -------
        Shape (1 + names, items).
        """
        second = self.pairs[1]
        found = np.zeros_like(self.versions)
        np.add.at(found, (self.owner[second], self.rows.item[second]), values)
        return share(found, self.versions, 0.0)
