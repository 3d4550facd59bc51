"""An experiment of a store: a name and the one configuration that its cells were computed under."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gammacp.bench.sweep import canonical, configuration_hash
from gammacp.errors import UsageError
from gammacp.software import differences


class OtherSoftware(UsageError):
    """A store has cells that other software computed."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """A sweep's name in a store, its configuration and the hash of it."""

    id: int
    name: str
    hash: str
    configuration: str


def check_same(path: Path, known: Experiment, configuration: Mapping[str, object]) -> None:
    """A UsageError that names what differs if the experiment has another configuration."""
    if known.hash == configuration_hash(configuration):
        return
    old: dict[str, object] = json.loads(known.configuration)
    new: dict[str, object] = json.loads(canonical(configuration))
    raise UsageError(
        f"{path}: experiment {known.name!r} was begun with another configuration "
        f"({_changes(old, new)}). "
        "Choose another --experiment or --store, or --no-resume to drop what it has"
    )


def check_software(
    path: Path, name: str, there: Mapping[str, str], here: Mapping[str, str]
) -> None:
    """An OtherSoftware error that names what differs, if anything does."""
    if differing := differences(there, here):
        raise OtherSoftware(
            f"{path}: cells of experiment {name!r} were computed by other software ({differing}), "
            "which may give other values. Choose another --experiment or --store, --no-resume to "
            "compute them anew, or --mix-software to keep them, which the store then says"
        )


def _changes(old: Mapping[str, object], new: Mapping[str, object], under: str = "") -> str:
    keys = sorted(k for k in {*old, *new} if old.get(k) != new.get(k))
    return "; ".join(_change(f"{under}{k}", old.get(k), new.get(k)) for k in keys)


def _change(key: str, old: object, new: object) -> str:
    if isinstance(old, dict) and isinstance(new, dict):
        return _changes(old, new, f"{key}.")
    return f"{key} is {_brief(old)} there, {_brief(new)} here"


def _brief(value: object) -> str:
    text = "absent" if value is None else str(value)
    return text if len(text) <= 60 else text[:57] + "…"
