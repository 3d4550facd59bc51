"""Follow a campaign while people annotate: γ at every look, and the drift of annotators.

γ is the same as that of `gammacp gamma` on the same files (`gammacp.measures.agreement`), with the
same chance model. An annotator's γ is 1 minus the ratio of the annotator's share of the observed
disorder (`gammacp.measures.explaining`) to that of the expected disorder. The drift of an annotator
is the annotator's γ on the documents that changed minus that on all other documents.

The history has a line of JSON for each look. Together the lines contain a key for every document,
which shows whether the document has changed. If none has changed, nothing is computed again.
"""

import json
import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Executor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from gammacp.base.files import content_of, write_text
from gammacp.base.signature import describe, fingerprint
from gammacp.base.text import lines_of
from gammacp.base.version import __version__
from gammacp.chance.beyond import ratio
from gammacp.continuum import Continuum, Corpus
from gammacp.dissimilarity import Combined
from gammacp.errors import DataError
from gammacp.measures.agreement import Agreement, agreement
from gammacp.measures.explaining.cost_shares import borne_in
from gammacp.measures.explaining.explanation import explained_on
from gammacp.measures.random_sets import Basis
from gammacp.measures.settings import Settings

Record: TypeAlias = dict[str, Any]


def key_of(continuum: Continuum, settings: Settings) -> str:
    """Return a key that changes whenever anything in the document changes that affects γ."""
    c = continuum
    # The list of categories includes those of other documents. A nominal γ does not depend on them.
    used, codes = np.unique(c.category_codes, return_inverse=True)
    category_names = tuple("" if code < 0 else c.categories[code] for code in used.tolist())
    chosen = settings.dissimilarity
    nominal = isinstance(chosen, Combined) and chosen.categorial == "nominal"
    names = (
        describe(settings),
        *c.annotators,
        "",
        *category_names,
        "",
        *(() if nominal else c.categories),
    )
    columns = (c.starts, c.ends, c.annotator_codes, codes, used < 0)
    inside = () if c.inside is None else (repr(c.inside.tolist()),)
    return fingerprint(*names, repr(c.bounds), *(column.tobytes() for column in columns), *inside)


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
        if file.exists():
            text = content_of(file).decode("utf-8", "replace")
        else:
            text = ""
        if text:
            lines = lines_of(text.removesuffix("\n"))
        else:
            lines = []
        for number, line in enumerate(lines, 1):
            try:
                self.looks.append({**json.loads(line)})
                _ = self.looks[-1]["measured"], self.looks[-1]["gone"]
            except (ValueError, TypeError, KeyError, RecursionError):
                raise DataError(
                    "was not written by `gammacp watch`",
                    file=file,
                    line=number,
                    hint="Move the file away, or give another with `history=`",
                ) from None

    def documents(self) -> dict[str, Record]:
        """Return the latest measurement of each document."""
        latest: dict[str, Record] = {}
        for look in self.looks:
            latest.update(look["measured"])
            for name in look["gone"]:
                latest.pop(name, None)
        return latest

    def tested_sums(self) -> dict[str, list[float]]:
        """Return x̄·δ and x̄·δ_e of the documents used for alarms, in the order of the looks."""
        return {name: sums for look in self.looks for name, sums in look.get("tested", {}).items()}

    def add(self, look: Record) -> None:
        """Append a look to the history; if writing fails, the file stays as it was."""
        self.looks.append(look)
        write_text(self.file, "".join(json.dumps(x, ensure_ascii=False) + "\n" for x in self.looks))


def look(
    continua: Mapping[str, Continuum],
    failures: Sequence[Record],
    history: History,
    settings: Settings,
    executor: Executor | None = None,
) -> Record:
    """One look: γ of what is there, and which documents changed; the history has it.

    Parameters
    ----------
    continua
        The documents by name.
    failures
        Records of what could not be read, as in JSON. A document that is missing with it is not in
        this look's γ, and is no document that is gone.
    history
        Gets the look if anything changed.
    settings, executor
        Settings of γ, and processes that measure documents.

    Returns
    -------
    Record
        `time`, `gamma`, `interval` (Monte-Carlo), `bootstrap`, `status`, `signature`, `notes`,
        `documents`, `units`, `waiting` (documents without a γ, with the reason), `annotators`
        (`gamma`, and of the documents that changed `changed` and `drift`), `measured` (what
        changed), `tested` (x̄·δ and x̄·δ_e of documents that have not changed since the look before,
        each once, on which an alarm rests), `gone`, `failures`, `key` (of all that γ rests on).
    """
    keys = {name: key_of(c, settings) for name, c in continua.items()}
    key = fingerprint(__version__, *(part for entry in sorted(keys.items()) for part in entry))
    latest = history.documents()
    changed = [name for name, k in keys.items() if latest.get(name, {}).get("key") != k]
    if history.looks:
        last = history.looks[-1]
    else:
        last = {}
    if last.get("key") == key and not changed:
        quiet = {"changed": None, "drift": None}
        people = {name: {**a, **quiet} for name, a in last["annotators"].items()}
        record = {**last, "annotators": people, "measured": {}}
    else:
        record = _measure_all(continua, keys, changed, settings, executor, whole=not failures)
    record |= {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "gone": [] if failures else sorted(latest.keys() - continua.keys()),
        "failures": list(failures),
        "key": key,
        "tested": {
            name: latest[name]["sums"]
            for name in keys
            if name not in {*changed, *history.tested_sums()} and "sums" in latest[name]
        },
    }
    if record["gone"] or record["tested"] or last.get("key") != key:
        history.add(record)
    return record


def _measure_all(
    continua: Mapping[str, Continuum],
    keys: Mapping[str, str],
    changed: Sequence[str],
    settings: Settings,
    executor: Executor | None,
    *,
    whole: bool,
) -> Record:
    """γ of all documents; a single one is no corpus if it is the whole of what there is."""
    if whole and len(continua) == 1:
        source = continua
    else:
        source = Corpus.from_continua(continua)
    basis = Basis(source, settings, executor=executor, shared={})
    overall = agreement(basis)
    score = overall.score
    scores = overall.documents
    spread = overall.bootstrap(confidence=settings.rule.confidence)
    records = {}
    for name in changed:
        s = scores[name]
        value: Record = {"reason": s.reason}
        if s.defined:
            size = overall.size(name)
            sums = [size * (s.observed or 0.0), size * (s.expected or 0.0)]
            value = {"gamma": s.value, "sums": sums}
        records[name] = {"key": keys[name], "units": continua[name].n_units, **value}
    rated = [name for name, s in scores.items() if s.defined]
    low, high = score.interval or (math.nan, math.nan)
    return {
        "gamma": score.value if score.defined else None,
        "interval": (low if math.isfinite(low) else None, high) if score.interval else None,
        "bootstrap": spread.interval if spread else None,
        "status": score.status,
        "signature": score.signature,
        "notes": list(score.caveats()),
        "documents": len(rated),
        "units": sum(continua[name].n_units for name in rated),
        "waiting": {name: s.reason for name, s in scores.items() if not s.defined},
        "annotators": _annotators(overall, basis, changed),
        "measured": records,
    }


def _annotators(overall: Agreement, basis: Basis, changed: Collection[str]) -> dict[str, Record]:
    """Return each annotator's γ, that on the changed documents alone, and the drift.

    An annotator's expected disorder is divided among the annotator's documents in proportion to the
    documents' expected disorders.
    """
    if not overall.computed:
        return {}
    parts = explained_on(basis, stretches=1)
    by_document = {r["document"]: r["expected"] for r in parts.documents}
    alignments = {name: s.alignment for name, s in overall.computed.items()}
    total = math.fsum(a.continuum.mean_units for a in alignments.values())
    borne_by_person: dict[str, dict[str, float]] = {r["annotator"]: {} for r in parts.annotators}
    units = Counter[str]()
    for name, alignment in alignments.items():
        c = alignment.continuum
        groups = alignment.groups
        borne = borne_in(
            [(c, groups)], [1 / total], c.annotators, len(c.categories), basis.dissimilarity
        )
        units.update(dict(zip(c.annotators, c.counts.tolist(), strict=True)))
        for person, observed in zip(c.annotators, borne.annotators.sum(axis=1), strict=True):
            borne_by_person[person][name] = float(observed)
    return {
        p["annotator"]: {
            "documents": len(borne_by_person[p["annotator"]]),
            "units": units[p["annotator"]],
            **_drift(borne_by_person[p["annotator"]], p["expected"], by_document, changed),
        }
        for p in parts.annotators
    }


def _drift(
    observed: Mapping[str, float],
    expected: float | None,
    by_document: Mapping[str, float | None],
    changed: Collection[str],
) -> Record:
    """Return an annotator's γ in all and in changed documents; None where nothing is expected.

    Parameters
    ----------
    observed
        The annotator's share of the observed disorder, by document.
    expected
        The annotator's expected disorder in all of these documents together.
    by_document
        Expected disorder of each document, for all annotators together.
    changed
        The documents that changed.
    """
    share = {name: by_document.get(name, 1.0) or 0.0 for name in observed}
    rate = (expected or 0.0) / (math.fsum(share.values()) or 1.0)

    def gamma(names: Collection[str]) -> float | None:
        chance = rate * math.fsum(share[name] for name in names)
        value, _ = ratio(math.fsum(observed[name] for name in names), chance, "")
        if math.isnan(value):
            return None
        return value

    now, before = (
        gamma([n for n in observed if (n in changed) == which]) for which in (True, False)
    )
    return {
        "gamma": gamma(observed),
        "changed": now,
        "drift": None if now is None or before is None else now - before,
    }
