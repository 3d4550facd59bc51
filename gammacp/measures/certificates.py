"""Certificates of what γ rests on: the best alignments, and the random sets behind chance."""

from __future__ import annotations

from pathlib import Path

from gammacp.alignment import align_each
from gammacp.alignment.certificate import write_certificate
from gammacp.formats.layout import file_name
from gammacp.measures.agreement import Agreement
from gammacp.measures.random_sets import Basis, Continua
from gammacp.measures.settings import GammaOptions, Settings


def write_certificates(
    found: Agreement, continua: Continua, folder: Path, n_sets: int, options: GammaOptions
) -> list[Path]:
    """Write `NAME.json` for each document that has an alignment, and `NAME.set-K.json`.

    Parameters
    ----------
    found, continua, options
        The agreement, what it was measured on and with which options.
    folder
        Made if it is not there; files of these names are replaced.
    n_sets
        Random sets of each document, the first ones that its expected disorder rests on. They are
        drawn again from the seed, and aligned at the gap of random sets.

    Returns
    -------
    list
        The files.

    Raises
    ------
    DataError
        A document's name cannot be that of a file.
    """
    basis = Basis(continua, Settings.of(**options))
    written: list[Path] = []
    for name, score in found.computed.items():
        stem = Path(name).stem if len(found.documents) == 1 else name
        own = score.alignment.continuum
        drawn = basis.draws(own).take(range(n_sets))
        marked = {k: c for k, c in enumerate(drawn) if c.n_units}
        solving = basis.settings.solving_random(own.n_annotators)
        aligned = align_each(list(marked.values()), basis.bound, **solving)
        sets = {f".set-{k}": a for k, a in zip(marked, aligned, strict=False)}
        for kind, alignment in {"": score.alignment, **sets}.items():
            path = folder / file_name(f"{stem}{kind}.json", "document")
            write_certificate(alignment, path)
            written.append(path)
    return written
