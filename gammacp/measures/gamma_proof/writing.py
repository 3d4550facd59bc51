"""A folder that proves a γ: certificates of all alignments, and a manifest that adds them up.

docs/certificates.md describes the manifest. `gammacp.verify` checks it, and shares no code with
this.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np

from gammacp.alignment import Alignment, Status, align_each
from gammacp.alignment.certificate import why_no_proof, write_certificate
from gammacp.base.stopping import due
from gammacp.chance.beyond import ratio, ratio_interval
from gammacp.chance.expected import ExpectedDisorder
from gammacp.chance.sampling import Draws, Strata
from gammacp.continuum import Continuum
from gammacp.errors import DataError, UsageError
from gammacp.formats.layout import file_name
from gammacp.measures.agreement import Agreement
from gammacp.measures.gamma import NOTHING_EXPECTED, GammaScore
from gammacp.measures.random_sets import Basis, Continua
from gammacp.measures.settings import GammaOptions, Settings

MANIFEST = "gamma.proof.json"
_VERSION = 1
# Models that turn each annotator's units on one circle.
_TURNING = ("cut", "shift")


class InterruptedProofError(DataError):
    """Ctrl-C came while a proof was written; nothing of it is left."""

    def __init__(self) -> None:
        """Say so."""
        super().__init__("no proof is written: it was interrupted before all random sets were done")


@dataclass(frozen=True)
class GammaProof:
    """Facts about a proof that was written.

    Attributes
    ----------
    path
        The manifest.
    value, interval
        γ as the certificates give it.
    certificates
        Number of certificates.
    without_proof
        File names of those that prove no bound, and why.
    exempt
        Reasons why random sets cannot be shown to be turned units, each once.
    """

    path: Path
    value: float
    interval: tuple[float, float]
    certificates: int
    without_proof: Mapping[str, str]
    exempt: tuple[str, ...]


@dataclass
class _SharedDraws:
    """Documents that share their random sets."""

    draws: Draws[Continuum]
    samples: int
    documents: dict[str, GammaScore] = field(default_factory=dict)


class _Folder:
    """Certificates in a folder, each under a name of its own."""

    def __init__(self, folder: Path) -> None:
        """Reserve the name of the manifest."""
        self.folder = folder
        self.names = {MANIFEST}
        self.without_proof: dict[str, str] = {}
        self.not_best = 0

    def add(self, alignment: Alignment, stem: str) -> dict[str, str]:
        """Write a certificate and return its name and hash."""
        name = f"{stem}.json"
        if name.casefold() in self.names:
            raise DataError(f"two files of the proof would get the name {name}", hint="Rename one")
        self.names.add(name.casefold())
        path = self.folder / name
        self.not_best += alignment.status is not Status.OPTIMAL
        if write_certificate(alignment, path) == "none":
            self.without_proof[name] = why_no_proof(alignment)
        return {"file": name, "hash": "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()}


def check_new_folder(folder: Path) -> None:
    """Raise a UsageError for a folder that holds something already, or cannot be made.

    Parameters
    ----------
    folder
        Folder to be written. It is moved into place as a whole, which is impossible for the working
        folder.
    """
    if os.path.realpath(folder) == os.path.realpath(Path()):
        raise UsageError("a proof needs a folder of its own, not the working folder: give its name")
    if folder.is_dir() and any(folder.iterdir()):
        raise UsageError(
            f"{folder} is not empty: a proof among other files would not be one. Give a new folder"
        )
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; give a folder for the proof")
    check_writable(folder)


def check_writable(folder: Path) -> None:
    """Raise a UsageError if a folder cannot be made, before anything is computed for it.

    Parameters
    ----------
    folder
        Folder that may not exist yet; nor need its parents.
    """
    above = next(p for p in Path(os.path.realpath(folder)).parents if p.exists())
    try:
        Path(mkdtemp(dir=above)).rmdir()
    except OSError as error:
        raise UsageError(f"{folder} cannot be made: {error.strerror}") from None


def write_gamma_proof(
    measured: Agreement, continua: Continua, folder: Path, options: GammaOptions
) -> GammaProof:
    """Write a folder that proves γ. If that fails, nothing is left of it.

    The random sets are drawn again from the seed, and aligned again.

    Parameters
    ----------
    measured, continua, options
        The agreement, the data on which it was measured, and the options used.
    folder
        A new folder, or an empty one.

    Raises
    ------
    DataError
        There is no γ; an InterruptedProofError where Ctrl-C came before all was written.
    UsageError
        The folder holds something.
    """
    check_new_folder(folder)
    if not measured.score.defined:
        raise DataError(f"no proof is written: γ is undefined ({measured.score.reason})")
    settings = Settings.of(**options)
    basis = Basis(continua, settings)
    parts = _parts_of(measured, basis)
    stems = _stems([name for part in parts for name in part.documents])
    with _new_folder(folder) as temporary:
        files = _Folder(temporary)
        sums = _Sums(settings.rule.confidence)
        records = [_write_part(part, basis, files, stems, measured, sums) for part in parts]
        value, interval = sums.gamma()
        manifest: dict[str, Any] = {
            "version": _VERSION,
            "value": value,
            "interval": [bound if math.isfinite(bound) else None for bound in interval],
            "confidence": settings.rule.confidence,
            "observed": sums.observed / sums.weight,
            "expected": sums.expected / sums.weight,
            "seed": settings.seed,
            "signature": measured.score.signature,
            "status": str(Status.FEASIBLE if files.not_best else Status.OPTIMAL),
        }
        manifest |= records[0] if len(records) == 1 else {"parts": records}
        _write_manifest(manifest, temporary / MANIFEST)
    exempt = dict.fromkeys(record["exempt"] for record in records if record["exempt"])
    return GammaProof(
        folder / MANIFEST,
        value,
        interval,
        len(files.names) - 1,
        files.without_proof,
        tuple(exempt),
    )


def _parts_of(measured: Agreement, basis: Basis) -> list[_SharedDraws]:
    """Group documents that have the same random sets."""
    parts: dict[int, _SharedDraws] = {}
    for name, score in measured.rated.items():
        if score.samples is None or (score.baseline and not score.baseline.samples):
            raise DataError(f"no proof is written: {name} has no random sets")
        draws = basis.draws(score.alignment.continuum)
        part = parts.setdefault(id(draws), _SharedDraws(draws, score.samples))
        part.documents[name] = score
    return list(parts.values())


def _stems(names: Sequence[str]) -> dict[str, str]:
    """Return the stem of each document's file names; equal stems are numbered."""
    stems = {name: Path(name).stem if Path(name).is_file() else name or "data" for name in names}
    counts = list(stems.values())
    return {
        name: file_name(stem if counts.count(stem) == 1 else f"{stem}-{i}", "document")
        for i, (name, stem) in enumerate(stems.items(), 1)
    }


class _Sums:
    """Sums over documents from which γ and its interval are computed."""

    def __init__(self, confidence: float) -> None:
        """Begin with no documents."""
        self.confidence = confidence
        self.weight = 0.0
        self.observed = 0.0
        self.bound = 0.0
        self.expected = 0.0
        self.proven = 0.0
        self.variance = 0.0

    def add(
        self, documents: Sequence[tuple[float, float, float]], expected: ExpectedDisorder
    ) -> None:
        """Add documents (weight · x̄, disorder, bound) that share an expected disorder."""
        weight = math.fsum(w for w, _, _ in documents)
        self.weight += weight
        self.observed += math.fsum(w * disorder for w, disorder, _ in documents)
        self.bound += math.fsum(w * bound for w, _, bound in documents)
        self.expected += weight * expected.mean
        self.proven += weight * expected.proven_mean
        self.variance += (weight * expected.half_width) ** 2

    def gamma(self) -> tuple[float, tuple[float, float]]:
        """Return γ and its interval."""
        value, reason = ratio(self.observed, self.expected, NOTHING_EXPECTED)
        if reason is not None:
            raise DataError(f"no proof is written: {reason}")
        half = math.sqrt(self.variance)
        low = max(0.0, self.proven - half)
        return value, ratio_interval(self.bound, self.observed, low, self.expected + half)


def _write_part(
    part: _SharedDraws,
    basis: Basis,
    files: _Folder,
    stems: Mapping[str, str],
    measured: Agreement,
    sums: _Sums,
) -> dict[str, Any]:
    """Write the certificates of documents and of their random sets; return their manifest entry."""
    # Models that mix documents also draw from those without γ, which have no certificate.
    all_there = not basis.documents_share_chance or len(basis.continua) == len(measured.rated)
    rows = []
    observed = []
    for name, score in part.documents.items():
        continuum = score.alignment.continuum
        weight = measured.weights.get(name, 1.0)
        bounds = list(continuum.bounds) if continuum.declared else None
        rows.append(
            {
                "name": name,
                **files.add(score.alignment, stems[name]),
                "weight": weight,
                "bounds": bounds,
                "complete": all_there and _holds_all(continuum, part.draws.sampler.signature),
            }
        )
        alignment = score.alignment
        observed.append((weight * continuum.mean_units, alignment.disorder, alignment.bound))
    first = next(iter(part.documents.values())).alignment.continuum
    if len(part.documents) == 1 and not basis.documents_share_chance:
        stem = next(iter(stems[name] for name in part.documents))
    else:
        stem = f"{first.n_annotators}-annotators"
    sets, expected = _write_sets(part, basis, files, stem, first.n_annotators)
    sums.add(observed, expected)
    exempt = _exempt(part, first)
    circle = None
    if exempt is None:
        circle = {"length": getattr(part.draws.sampler, "circle", first.length)}
    return {
        "chance": part.draws.sampler.signature,
        "mean": "sets" if expected.weights is None else "ratio",
        "circle": circle,
        "exempt": exempt,
        "documents": rows,
        "sets": sets,
    }


def _write_sets(
    part: _SharedDraws, basis: Basis, files: _Folder, stem: str, n_annotators: int
) -> tuple[list[dict[str, Any]], ExpectedDisorder]:
    """Draw the random sets again, align and write them.

    Returns
    -------
    tuple
        A manifest row for each set, and their expected disorder.
    """
    drawn = part.draws.take(range(part.samples))
    marked = {k: continuum for k, continuum in enumerate(drawn) if continuum.n_units}
    solving = basis.settings.solving_random(n_annotators)
    aligned = dict(
        zip(marked, align_each([*marked.values()], basis.dissimilarity, **solving), strict=False)
    )
    if len(drawn) < part.samples or len(aligned) < len(marked):
        raise InterruptedProofError
    by_units = basis.weighs_sets_by_units
    rounds = part.draws.rounds if isinstance(part.draws.sampler, Strata) else 1
    disorders = np.zeros(part.samples)
    bounds = np.zeros(part.samples)
    weights = np.ones(part.samples)
    rows: list[dict[str, Any]] = []
    for k, continuum in enumerate(drawn):
        row: dict[str, Any] = {"k": k, "file": None, "hash": None}
        if by_units:
            weights[k] = continuum.mean_units
        # Check for an interruption: small sets are aligned once more for their certificates, one by
        # one, which takes long.
        if due():
            raise InterruptedProofError
        if k in aligned:
            row |= files.add(aligned[k], f"{stem}.set-{k}")
            disorders[k] = aligned[k].disorder
            bounds[k] = aligned[k].bound
        if rounds > 1:
            row["stratum"] = k % rounds
        rows.append(row)
    strata = np.arange(part.samples) % rounds
    expected = ExpectedDisorder(
        disorders,
        bounds,
        proven=True,
        confidence=basis.settings.rule.confidence,
        weights=weights if by_units else None,
        strata=strata if rounds > 1 else None,
    )
    return rows, expected


def _exempt(part: _SharedDraws, continuum: Continuum) -> str | None:
    """Return why random sets are not turns of each annotator's units on one circle.

    Return None if they are, so that a verifier can check it.
    """
    chance = part.draws.sampler.signature
    if chance.partition("(")[0] not in _TURNING or isinstance(part.draws.sampler, Strata):
        return "model"
    for note, reason in (("completed", "completed"), ("grid", "grid"), ("markable", "pauses")):
        if f"({note}=" in chance:
            return reason
    if continuum.read_until:
        return "read until"
    return None


def _holds_all(continuum: Continuum, chance: str) -> bool:
    """Return whether a certificate holds all the facts from which random sets are drawn."""
    further = continuum.inside is not None or continuum.markable or continuum.read_until
    return not further and "(grid=" not in chance


def _write_manifest(manifest: Mapping[str, Any], path: Path) -> None:
    """Write the manifest, with one key or one file per line."""

    def lines(record: Mapping[str, Any]) -> str:
        return "{" + ",\n".join(f"{json.dumps(k)}: {shown(v)}" for k, v in record.items()) + "}"

    def shown(value: Any) -> str:
        if not isinstance(value, list) or not value or not isinstance(value[0], dict):
            return json.dumps(value, allow_nan=False)
        if "sets" in value[0]:
            entries = [lines(entry) for entry in value]
        else:
            entries = [json.dumps(entry, allow_nan=False) for entry in value]
        return "[\n" + ",\n".join(entries) + "]"

    path.write_text(lines(manifest) + "\n", encoding="utf-8")


@contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder, which is moved into place on success and removed on failure."""
    target = Path(os.path.realpath(folder))
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        yield temporary
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o777 & ~mask)
        if target.is_dir():
            target.rmdir()
        temporary.replace(target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
