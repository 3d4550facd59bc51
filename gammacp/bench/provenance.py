"""How a curve was made: the file beside it that says so, for people and for `--check`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from gammacp.bench.experiment import Experiment
from gammacp.bench.figures import file_name
from gammacp.bench.store import Store
from gammacp.bench.sweep import Sweep
from gammacp.files import write_text


def write_provenance(sweep: Sweep, store: Store, experiment: Experiment, folder: Path) -> None:
    """`<error>.json` for each error: configuration, extent and a signature per measure."""
    order = 'magnitude DESC, "set"'
    for error in sweep.errors:
        document = {
            "error": error,
            "magnitudes": list(sweep.magnitudes),
            "sets": sweep.sets,
            "configuration": json.loads(experiment.configuration),
            "hash": experiment.hash,
            "software": store.kinds(experiment),
            "signatures": {
                name: found
                for name in sweep.measures
                if (found := store.first("signature", order, experiment, error, name))
            },
        }
        text = json.dumps(document, ensure_ascii=False, indent=2)
        write_text(folder / f"{file_name(error)}.json", text + "\n")


def read_provenance(curve: Path) -> Mapping[str, object] | None:
    """What stands beside `<error>.csv`; None if there is nothing to read."""
    path = curve.with_suffix(".json")
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return document if isinstance(document, dict) and "configuration" in document else None
