"""A campaign followed while people annotate: γ at every look, and who drifts.

Each document is measured by itself, against chance of its own, so that only those that changed are
computed again. Of all together γ is 1 − Σ x̄δ / Σ x̄δ_e (`gammacp.measures.gamma_corpus`), and an
annotator's γ the same ratio of the disorder that is theirs (`gammacp.measures.explanation`): drift
is how far that of the documents that changed lies from that of all others.

The history is a line of JSON per look. A line has what was measured in it, so that the lines
together have all that is known of every document.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from gammacp.chance.registry import CHANCE_MODELS
from gammacp.continuum import Continuum
from gammacp.dissimilarity import Combined
from gammacp.errors import DataError, UsageError
from gammacp.files import content_of, write_text
from gammacp.measures.contributions import contributions_of_documents
from gammacp.measures.explanation import explained_on
from gammacp.measures.gamma import GammaScore, agreement_interval
from gammacp.measures.random_sets import Basis
from gammacp.measures.resampling import bootstrap
from gammacp.measures.settings import Settings
from gammacp.signature import described, fingerprint

Record: TypeAlias = dict[str, Any]


def settings_of(options: Mapping[str, Any]) -> Settings:
    """Settings for documents by themselves: chance `cut` unless another is asked for.

    Raises
    ------
    UsageError
        The chance model is made of all documents, so that each would change with every other.
    """
    chance = str(options.get("chance", "cut")).partition("/")[0]
    if CHANCE_MODELS[chance].pools:
        raise UsageError(f"chance {chance!r} is of all documents together; watch has one for each")
    return Settings.of(**{**options, "chance": chance})


def key_of(continuum: Continuum, settings: Settings) -> str:
    """What tells whether a document must be measured again: all that its γ rests on."""
    c = continuum
    # Categories of other documents are in its list too: a nominal γ rests on its own alone.
    used, codes = np.unique(c.category_codes, return_inverse=True)
    own = tuple("" if code < 0 else c.categories[code] for code in used.tolist())
    chosen = settings.dissimilarity
    nominal = isinstance(chosen, Combined) and chosen.categorial == "nominal"
    names = (described(settings), *c.annotators, "", *own, "", *(() if nominal else c.categories))
    columns = (c.starts, c.ends, c.annotator_codes, codes, used < 0)
    inside = () if c.breaks is None else (repr(c.breaks.tolist()),)
    return fingerprint(*names, repr(c.bounds), *(column.tobytes() for column in columns), *inside)


def measured(continuum: Continuum, settings: Settings) -> Record:
    """What of a document goes into the history: its disorders and those of each annotator.

    Parameters
    ----------
    continuum
        The document.
    settings
        Those of `settings_of`.
    """
    basis = Basis(continuum, settings, shared={})
    record: Record = {"key": key_of(continuum, settings), "units": continuum.n_units}
    try:
        parts = explained_on(basis, {continuum.name: continuum}, stretches=1)
    except DataError as error:
        return {**record, "reason": str(error)}
    score = parts.gamma
    if not isinstance(score, GammaScore) or not score.defined:
        return {**record, "reason": score.reason}
    expected = basis.chance(continuum).expected
    counts = dict(zip(continuum.annotators, continuum.counts.tolist(), strict=True))
    return {
        **record,
        "gamma": score.value,
        "status": str(score.status),
        "weight": continuum.mean_units,
        "observed": score.observed,
        "bound": score.bound,
        "expected": [expected.proven_mean, expected.mean, expected.half_width],
        "annotators": {
            p["annotator"]: [counts[p["annotator"]], p["observed"], p["expected"]]
            for p in parts.annotators
        },
        "signature": score.signature,
    }


class History:
    """The looks so far, kept in a file.

    Parameters
    ----------
    file
        JSON lines; it need not be there yet.

    Raises
    ------
    DataError
        The file is something else; with the line.
    """

    def __init__(self, file: Path) -> None:
        """Read what is there."""
        self.file = file
        self.looks: list[Record] = []
        lines = content_of(file).decode("utf-8", "replace").splitlines() if file.exists() else []
        for number, line in enumerate(lines, 1):
            try:
                self.looks.append({**json.loads(line)})
                _ = self.looks[-1]["measured"], self.looks[-1]["gone"]
            except (ValueError, TypeError, KeyError):
                raise DataError(
                    "is no look of `gammacp watch`",
                    file=file,
                    line=number,
                    hint="Move the file away, or name another with --history",
                ) from None

    def documents(self) -> dict[str, Record]:
        """What was measured of each document last."""
        known: dict[str, Record] = {}
        for look in self.looks:
            known.update(look["measured"])
            for name in look["gone"]:
                known.pop(name, None)
        return known

    def add(self, look: Record) -> None:
        """Keep a look; the file is complete or as before."""
        self.looks.append(look)
        write_text(self.file, "".join(json.dumps(x, ensure_ascii=False) + "\n" for x in self.looks))


def look(
    continua: Mapping[str, Continuum],
    failures: Sequence[str],
    history: History,
    settings: Settings,
    executor: Executor | None = None,
) -> Record:
    """One look: what changed is measured, everything is put together, the history has it.

    Parameters
    ----------
    continua
        The documents by name.
    failures
        What could not be read: documents that are missing with it stay as they were.
    history
        Gets the look if anything changed.
    settings, executor
        How, and where, documents are measured.

    Returns
    -------
    Record
        `time`, `gamma`, `interval` (Monte-Carlo), `bootstrap`, `documents`, `units`, `waiting`
        (documents without a γ, with the reason), `annotators` (`gamma`, and of the documents that
        changed `changed` and `drift`), `measured`, `gone`, `failures`.
    """
    known = history.documents()
    due = {
        name: c
        for name, c in continua.items()
        if known.get(name, {}).get("key") != key_of(c, settings)
    }
    gone = [] if failures else sorted(known.keys() - continua.keys())
    spread = map if executor is None else executor.map
    new = dict(zip(due, spread(partial(measured, settings=settings), due.values()), strict=True))
    everything = {name: r for name, r in (known | new).items() if name not in gone}
    rated = {name: r for name, r in everything.items() if "gamma" in r}
    found = {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        **_together(rated.values(), settings),
        "documents": len(rated),
        "units": sum(r["units"] for r in rated.values()),
        "waiting": {n: r["reason"] for n, r in everything.items() if "gamma" not in r},
        "annotators": _annotators(rated, new.keys()),
        "measured": new,
        "gone": gone,
        "failures": list(failures),
    }
    if new or gone or not history.looks:
        history.add(found)
    return found


def _together(records: Iterable[Record], settings: Settings) -> Record:
    """γ of all documents with both intervals; None where there is none."""
    rows = list(records)
    if not rows:
        return {"gamma": None, "interval": None, "bootstrap": None}

    def total(*values: float) -> float:
        return math.fsum(r["weight"] * v for r, v in zip(rows, values, strict=True))

    observed, lowest = (total(*(r[key] for r in rows)) for key in ("observed", "bound"))
    proven, mean = (total(*(r["expected"][i] for r in rows)) for i in (0, 1))
    half = math.hypot(*(r["weight"] * r["expected"][2] for r in rows))
    low, high = agreement_interval(lowest, observed, max(0.0, proven - half), mean + half)
    parts = contributions_of_documents((r["weight"], r["observed"], r["expected"][1]) for r in rows)
    return {
        "gamma": 1 - observed / mean,
        "interval": (low if math.isfinite(low) else None, high),
        "bootstrap": bootstrap(
            parts, confidence=settings.rule.confidence, seed=settings.seed
        ).interval,
    }


def _annotators(records: Mapping[str, Record], new: Iterable[str]) -> dict[str, Record]:
    """Each annotator's γ, of what changed by itself, and how far that is from the others."""
    changed = set(new)
    people = sorted({name for r in records.values() for name in r["annotators"]})
    found = {}
    for person in people:
        theirs = {n: r for n, r in records.items() if person in r["annotators"]}
        now, before = (
            _share(person, [r for n, r in theirs.items() if (n in changed) == which])
            for which in (True, False)
        )
        found[person] = {
            "documents": len(theirs),
            "units": sum(r["annotators"][person][0] for r in theirs.values()),
            "gamma": _share(person, theirs.values()),
            "changed": now,
            "drift": None if now is None or before is None else now - before,
        }
    return found


def _share(person: str, records: Iterable[Record]) -> float | None:
    """1 − observed / expected of what is one annotator's; None where nothing is expected."""
    rows = [(r["weight"], *r["annotators"][person][1:]) for r in records]
    if any(expected is None for _, _, expected in rows):
        return None
    chance = math.fsum(w * expected for w, _, expected in rows)
    return 1 - math.fsum(w * observed for w, observed, _ in rows) / chance if chance else None
