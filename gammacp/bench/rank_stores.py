"""Values of one or several stores of sweeps, as ranks are made of."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gammacp.bench.store import Store, StoredSweep, Values, configuration_changes
from gammacp.errors import DataError, UsageError


@dataclass
class SweptValues:
    """Values of sweeps of one configuration.

    Attributes
    ----------
    values
        Values by error, measure and magnitude, then by set.
    configuration
        Configuration of all of them.
    place
        Place of the first store and experiment.
    """

    values: dict[tuple[str, str, float], dict[int, float]] = field(default_factory=dict)
    configuration: Mapping[str, object] = field(default_factory=dict)
    place: str = ""


def read_values(paths: Sequence[Path], experiment: str | None = None) -> SweptValues:
    """Return the values of all experiments in these stores, or of those of one name.

    Parameters
    ----------
    paths
        Paths of the stores.
    experiment
        The name of a sweep that each store has.

    Raises
    ------
    UsageError
        A store has no such experiment, or two were computed under different configurations.
    DataError
        No store is there, or one cell has two values.
    """
    swept = SweptValues()
    for path in paths:
        with Store.reading(path) as store:
            for each in _experiments(store, experiment):
                place = f"{path}, experiment {each.name!r}"
                _check_configuration(swept, json.loads(each.configuration), place)
                _add(swept, store.values(each), place)
    if not swept.values:
        raise DataError("no cells yet", file=paths[0], hint="Let the sweep compute some first")
    return swept


def _experiments(store: Store, name: str | None) -> list[StoredSweep]:
    experiments = store.experiments()
    chosen = [e for e in experiments if name is None or e.name == name]
    if name is not None and not chosen:
        names = ", ".join(e.name for e in experiments) or "none"
        raise UsageError(f"{store.path}: no experiment {name!r}; there are: {names}")
    return chosen


def _check_configuration(swept: SweptValues, new: Mapping[str, object], place: str) -> None:
    if not swept.place:
        swept.configuration = new
        swept.place = place
    elif differing := configuration_changes(swept.configuration, new):
        raise UsageError(
            f"{swept.place} and {place} have different configurations ({differing}), so their "
            "measures cannot be ranked together. Choose one with `experiment=`"
        )


def _add(swept: SweptValues, more: Values, place: str) -> None:
    for key, by_set in more.items():
        values_by_set = swept.values.setdefault(key, {})
        for number, value in by_set.items():
            before = values_by_set.setdefault(number, value)
            if before != value and not (math.isnan(before) and math.isnan(value)):
                error, measure, magnitude = key
                raise DataError(
                    f"{measure} of set {number} ({error}, magnitude {magnitude:g}) is {value!r} in "
                    f"{place}, and {before!r} in another store",
                    hint="`gammacp bench merge` says why two stores disagree",
                )
