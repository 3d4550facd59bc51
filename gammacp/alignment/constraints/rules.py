"""All constraints of one text together: on pairs, groups, pairs of groups, and links.

*Pairs* that are forbidden are removed from the candidate pairs, which works with every solver. So
are pairs that a hereditary constraint on groups forbids, since no larger group could contain them.
(A constraint is *hereditary* if splitting a group never breaks it.)

*Links* are enforced by a reward. The weight of each linked pair is set to a large number B. This
changes the cost of all alignments that keep the links by the same amount, so that the best of them
stays the best, and a bound on the changed problem gives a bound on them. B exceeds what breaking a
link can save: putting the linked units together costs at most the opening of a group, plus Δ for
each pair that is separated, of which there are at most n²/4. If groups exclude each other, all
other groups may have to be split as well, and B is larger by that cost.

Constraints on *groups* and on *pairs of groups* remain. They are passed to the solver as
`Problem.rules`, and the solver must support them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from gammacp.alignment.candidates import build_problem
from gammacp.alignment.columns import group_table
from gammacp.alignment.constraints.base import Constraint
from gammacp.alignment.constraints.unit_constraints import name_of, pairs_of
from gammacp.alignment.costs import pair_count
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.problem import Problem
from gammacp.base.arrays import Bools, Codes, Indices
from gammacp.continuum import Continuum
from gammacp.dissimilarity.base import BoundDissimilarity, unit_columns
from gammacp.errors import DataError, UsageError

# Number of pairs of groups that are compared at a time, some 100 MB.
_AT_ONCE = 1_000_000


class Built(NamedTuple):
    """A problem that includes the constraints on pairs and the links, but not `rules`.

    The true cost of an alignment that keeps all links is its cost in the problem plus `change`.
    `unchanged` is True if the constraints removed no pair and there are no links.
    """

    problem: Problem
    change: float
    unchanged: bool


@dataclass(frozen=True, eq=False)
class Rules:
    """All constraints of a text together.

    Attributes
    ----------
    continuum, constraints
        The text, and the constraints on its alignment.
    linked
        Disjoint sets of two or more rows; the units of each set must be in one group.
    """

    continuum: Continuum
    constraints: tuple[Constraint, ...]
    linked: tuple[Indices, ...] = ()

    @classmethod
    def of(cls, continuum: Continuum, constraints: Sequence[Constraint]) -> Rules:
        """Find the units that constraints name; raise a DataError for links that are impossible.

        Parameters
        ----------
        continuum
            The text.
        constraints
            All that must be kept.
        """
        links = [rows for each in constraints for rows in each.links(continuum)]
        rules = cls(continuum, tuple(constraints), tuple(_joined(continuum, links)))
        rules._check_links()
        return rules

    @cached_property
    def hereditary(self) -> bool:
        """Return whether splitting a group breaks nothing but links."""
        return all(each.hereditary for each in (*self.on_groups, *self.on_both))

    @cached_property
    def on_groups(self) -> tuple[Constraint, ...]:
        """Constraints on groups that cannot be reduced to constraints on pairs."""
        nothing = np.full((0, self.continuum.n_annotators), -1, np.int32)
        rules_on_groups = []
        for each in self.constraints:
            # With two annotators, groups are pairs, and forbidden pairs are removed anyway.
            larger = self.continuum.n_annotators > 2 or not each.hereditary
            if larger and each.allows_groups(self.continuum, nothing) is not None:
                rules_on_groups.append(each)
        return tuple(rules_on_groups)

    @cached_property
    def on_both(self) -> tuple[Constraint, ...]:
        """Constraints on which two groups may be in one alignment."""
        nothing = np.full((0, self.continuum.n_annotators), -1, np.int32)
        return tuple(
            each
            for each in self.constraints
            if each.allows_both(self.continuum, nothing, nothing) is not None
        )

    @property
    def excludes(self) -> bool:
        """Return whether two groups may exclude each other."""
        return bool(self.on_both)

    def order_of_two(self) -> Indices | None:
        """Return the rank of each unit if pairs only have to follow this order; otherwise None.

        There must be two annotators, no constraint on groups, and a single one on two groups, which
        is such an order.
        """
        orders = [each.places(self.continuum) for each in self.on_both]
        if self.continuum.n_annotators != 2 or self.on_groups or len(orders) != 1:
            return None
        return orders[0]

    @property
    def beyond_pairs(self) -> bool:
        """Return whether a solver must know more than candidate pairs and their weights."""
        return bool(self.on_groups or self.on_both)

    @property
    def largest(self) -> int:
        """Return the largest number of units that a group may have."""
        limits = [each.largest() for each in self.constraints]
        return min([m for m in limits if m is not None], default=self.continuum.n_annotators)

    @property
    def names(self) -> str:
        """Return the kinds of constraints, for messages."""
        return " and ".join(dict.fromkeys(each.kind for each in self.constraints))

    def allowed_pairs(self, first: Codes, second: Codes) -> Bools:
        """Return which pairs may be in one group.

        Parameters
        ----------
        first, second
            Rows of units of different annotators.
        """
        allowed = np.ones(len(first), np.bool_)
        pairs = np.full((len(first), self.continuum.n_annotators), -1, np.int32)
        codes = self.continuum.annotator_codes
        pairs[np.arange(len(first)), codes[first]] = first
        pairs[np.arange(len(first)), codes[second]] = second
        for each in self.constraints:
            of_pairs = each.allows_pairs(self.continuum, first, second)
            if of_pairs is not None:
                allowed &= of_pairs
            # A larger group could be split down to this pair, so it is forbidden with the pair.
            allowed_by_constraint = (
                each.allows_groups(self.continuum, pairs) if each.hereditary else None
            )
            if allowed_by_constraint is not None:
                allowed &= allowed_by_constraint
        return allowed

    def allowed_groups(self, groups: Codes) -> Bools:
        """Return which groups are allowed, given that their pairs are.

        A group that contains some units of a linked set must contain all of them.

        Parameters
        ----------
        groups
            Rows of units, shape (groups, annotators), −1 empty.
        """
        allowed = np.ones(len(groups), np.bool_)
        for linked in self.linked_table:
            number = ((groups == linked) & (linked >= 0)).sum(axis=1)
            allowed &= (number == 0) | (number == (linked >= 0).sum())
        for each in self.on_groups:
            allowed_by_constraint = each.allows_groups(self.continuum, groups)
            if allowed_by_constraint is not None:
                allowed &= allowed_by_constraint
        return allowed

    def allowed_both(self, first: Codes, second: Codes) -> Bools:
        """Return which two groups may be in one alignment, if they have no unit in common.

        Parameters
        ----------
        first, second
            As for `allowed_groups`, beside each other.
        """
        allowed = np.ones(len(first), np.bool_)
        for low in range(0, len(first), _AT_ONCE):
            part = slice(low, low + _AT_ONCE)
            for each in self.on_both:
                of_both = each.allows_both(self.continuum, first[part], second[part])
                if of_both is not None:
                    allowed[part] &= of_both
        return allowed

    def excluding(self, groups: Codes, others: Codes | None = None) -> Bools:
        """Return which groups exclude which others, or each other: shape (groups, others).

        Parameters
        ----------
        groups, others
            As for `allowed_groups`; two that share a unit exclude each other.
        """
        if others is None:
            others = groups
        excluded = np.zeros((len(groups), len(others)), np.bool_)
        for a in range(groups.shape[1]):
            excluded |= (groups[:, a, None] == others[:, a]) & (groups[:, a, None] >= 0)
        step = max(_AT_ONCE // max(len(others), 1), 1)
        for low in range(0, len(groups), step):
            rows, columns = np.nonzero(~excluded[low : low + step])
            both = self.allowed_both(groups[low + rows], others[columns])
            excluded[low + rows[~both], columns[~both]] = True
        return excluded

    def keep(self, problem: Problem, columns: Columns) -> Columns:
        """Return the columns whose groups are allowed.

        Parameters
        ----------
        problem
            The problem that the columns belong to.
        columns
            Any columns of it.
        """
        if not columns.number or not (self.on_groups or self.linked):
            return columns
        allowed = self.allowed_groups(group_table(problem, columns))
        return columns.select(np.flatnonzero(allowed))

    def broken(self, groups: Codes) -> str | None:
        """Return how an alignment breaks a constraint, or None.

        Parameters
        ----------
        groups
            A partition, or cover; all its pairs are candidate pairs.
        """
        held = {tuple(sorted(g[g >= 0].tolist())) for g in groups}
        for rows in self.linked:
            if not any(set(rows.tolist()) <= set(group) for group in held):
                return f"{self._units(rows)} are apart"
        for group in groups[~self.allowed_groups(groups)][:1]:
            return f"{self._units(group[group >= 0])} may not be a group"
        if self.on_both:
            large = groups[(groups >= 0).sum(axis=1) > 1]
            for one, other in np.argwhere(np.triu(self.excluding(large), 1))[:1]:
                first = self._units(large[one][large[one] >= 0])
                second = self._units(large[other][large[other] >= 0])
                return f"{first} and {second}"
        return None

    def build(
        self,
        dissimilarity: BoundDissimilarity,
        *,
        prune: bool,
        cover: bool,
        deadline: float = np.inf,
    ) -> Built:
        """Return the problem of pairs and links, without `rules`.

        Parameters
        ----------
        dissimilarity
            Bound to the text.
        prune, cover, deadline
            As for `build_problem`.
        """
        n = self.continuum.n_annotators
        opening = dissimilarity.delta * pair_count(n)
        largest_cost = None
        if self.linked and prune:
            # A linked set cannot be split. So a pair of units of two such sets may be in a best
            # alignment although it costs as much as all other pairs of these sets earn.
            largest_cost = opening + max(n - 1, n * n // 4) * dissimilarity.delta
        problem = build_problem(
            self.continuum,
            dissimilarity,
            cover=cover,
            prune=prune and self.hereditary,
            most=largest_cost,
            deadline=deadline,
        )
        allowed = self.allowed_pairs(problem.first, problem.second)
        problem = replace(
            problem,
            first=problem.first[allowed],
            second=problem.second[allowed],
            weight=problem.weight[allowed],
        )
        if not self.linked:
            return Built(problem, 0.0, bool(allowed.all()))
        return self._linking(problem, dissimilarity)

    def _linking(self, problem: Problem, dissimilarity: BoundDissimilarity) -> Built:
        """Give linked pairs the weight B, whether or not they were candidate pairs."""
        pairs = np.array([pair for rows in self.linked for pair in pairs_of(rows)], np.int32)
        units = unit_columns(self.continuum)
        cost = dissimilarity.pairwise(units[pairs[:, 0]], units[pairs[:, 1]])
        for first, second in pairs[~np.isfinite(cost)][:1]:
            raise DataError(
                f"must-link of {self._units(np.array([first, second]))}: the dissimilarity never "
                "aligns them"
            )
        n = problem.n_annotators
        worth = problem.opening + (n * n / 4 + 1) * problem.delta
        if self.on_both:
            worth += problem.n_units * (problem.opening + n * n / 4 * problem.delta)
        key = problem.first.astype(np.int64) * problem.n_units + problem.second
        linked = pairs[:, 0].astype(np.int64) * problem.n_units + pairs[:, 1]
        others = ~np.isin(key, linked)
        # Δ is the largest weight that a pair of a problem may have, and so it becomes B.
        linking = replace(
            problem,
            first=np.concatenate((problem.first[others], pairs[:, 0])).astype(np.int32),
            second=np.concatenate((problem.second[others], pairs[:, 1])).astype(np.int32),
            weight=np.concatenate((problem.weight[others], np.full(len(pairs), worth))),
            delta=worth,
        )
        change = float((worth - (problem.delta - cost)).sum())
        return Built(linking, change, unchanged=False)

    def _check_links(self) -> None:
        """Raise a DataError for links that no alignment keeps."""
        for rows in self.linked:
            pairs = np.array(pairs_of(rows), np.int32)
            bad = pairs[~self.allowed_pairs(pairs[:, 0], pairs[:, 1])]
            for first, second in bad[:1]:
                raise DataError(
                    f"must-link of {self._units(np.array([first, second]))}: {self.names} together "
                    "allow no such group"
                )
        table = self.linked_table
        for row in np.flatnonzero(~self.allowed_groups(table))[:1] if self.hereditary else ():
            raise DataError(
                f"must-link of {self._units(self.linked[row])}: {self.names} together allow no "
                "such group"
            )
        if not self.on_both:
            return
        for one, other in combinations(range(len(table)), 2):
            if not self.allowed_both(table[[one]], table[[other]])[0]:
                kinds = " and ".join(each.kind for each in self.on_both)
                raise DataError(
                    f"must-links of {self._units(self.linked[one])} and of "
                    f"{self._units(self.linked[other])}: {kinds} allows no alignment with both"
                )

    @cached_property
    def linked_table(self) -> Codes:
        """Linked sets as groups, shape (sets, annotators)."""
        table = np.full((len(self.linked), self.continuum.n_annotators), -1, np.int32)
        for row, rows in enumerate(self.linked):
            table[row, self.continuum.annotator_codes[rows]] = rows
        return table

    def _units(self, rows: Indices) -> str:
        return ", ".join(name_of(self.continuum.unit(int(row))) for row in rows)

    def check_cover(self) -> None:
        """Raise a UsageError for what a cover cannot keep."""
        if self.linked or self.on_both or not self.hereditary:
            raise UsageError(
                f"constraints {self.names}: units that may be in several groups cannot be linked, "
                "and groups that share units do not exclude each other; take γ instead of soft γ"
            )


def _joined(continuum: Continuum, links: Sequence[Indices]) -> list[Indices]:
    """Join links that share a unit; a DataError for two units of one annotator."""
    sets: list[set[int]] = []
    for rows in links:
        joined = set(rows.tolist())
        disjoint = [s for s in sets if not s & joined]
        for linked in sets:
            if linked & joined:
                joined |= linked
        sets = [*disjoint, joined]
    row_sets = [np.array(sorted(s)) for s in sets if len(s) > 1]
    for rows in row_sets:
        codes = continuum.annotator_codes[rows].tolist()
        for one, other in combinations(range(len(rows)), 2):
            if codes[one] == codes[other]:
                units = [name_of(continuum.unit(int(rows[i]))) for i in (one, other)]
                raise DataError(
                    f"must-link of {units[0]} and {units[1]}: one annotator's units are never in "
                    "one group"
                )
    return row_sets
