"""Record of what was claimed before an experiment ran.

Before an experiment runs, the hash of the claims about it, and of its file, is written beside the
results. A claim that was written or changed afterwards is found by that: it may have been chosen to
fit what came out.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gammacp.base.files import write_text
from gammacp.bench.ledger.claims import Ledger
from gammacp.errors import DataError

FILE = "preregistered.json"


def fingerprint_of(name: str, ledgers: Sequence[Ledger]) -> str:
    """Return the SHA-256 of all claims that read results of an experiment.

    What explains why a claim fails is written after the run, and is left out of the hash.

    Parameters
    ----------
    name
        Name of the experiment.
    ledgers
        All of the folder.
    """
    claims = []
    for ledger in ledgers:
        for claim in ledger.claims:
            if any(test.experiment == name for test in claim.tests):
                record = asdict(claim)
                record.pop("fails_because")
                claims.append([ledger.name, record])
    text = json.dumps(claims, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


@contextmanager
def registered(name: str, path: Path, ledgers: Sequence[Ledger], results: Path) -> Iterator[None]:
    """Write the hashes of an experiment's claims and file before it runs within this block.

    The entry says whether the run has finished: results of a run that failed are older than it.

    Parameters
    ----------
    name, path
        Name and file of the experiment.
    ledgers
        All of the folder.
    results
        The folder with a folder per experiment.
    """
    entry = {
        "claims": fingerprint_of(name, ledgers),
        "experiment": _hash_of(path),
    }
    _write(results, name, {**entry, "finished": False})
    yield
    _write(results, name, {**entry, "finished": True})


@dataclass(frozen=True)
class Changed:
    """Changes of claims, and of the experiment's file, after the run began; None if unknown."""

    claims: bool | None = None
    experiment: bool | None = None


def changed_since(
    files: Mapping[str, Path], ledgers: Sequence[Ledger], results: Path
) -> dict[str, Changed]:
    """Return by experiment what changed after its run began.

    Parameters
    ----------
    files
        Files of experiments that have claims, by name.
    ledgers
        All of the folder.
    results
        The folder with a folder per experiment.

    Raises
    ------
    DataError
        The record of the hashes is damaged.
    """
    record = _read(results)
    changed: dict[str, Changed] = {}
    for name, path in files.items():
        changed[name] = Changed()
        if name in record and record[name]["finished"]:
            changed[name] = Changed(
                claims=record[name]["claims"] != fingerprint_of(name, ledgers),
                experiment=record[name]["experiment"] != _hash_of(path),
            )
    return changed


def _hash_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _write(results: Path, name: str, entry: Mapping[str, object]) -> None:
    """Put one entry into the record."""
    record = {**_read(results), name: entry}
    results.mkdir(parents=True, exist_ok=True)
    write_text(results / FILE, json.dumps(dict(sorted(record.items())), indent=1) + "\n")


def _read(results: Path) -> Mapping[str, Mapping[str, object]]:
    path = results / FILE
    if not path.is_file():
        return {}
    try:
        record: Any = json.loads(path.read_text(encoding="utf-8"))
        for entry in record.values():
            _ = entry["claims"], entry["experiment"], entry["finished"]
    except (ValueError, AttributeError, TypeError, KeyError):
        raise DataError(
            "is no record of hashes", file=path, hint="Delete it, and run the experiments again"
        ) from None
    return record  # type: ignore[no-any-return]
