"""Documents that belong together: of one author, patient, video, session.

They are not independent of each other, so that intervals and tests take their clusters for parts.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from gammacp.continuum import Continuum
from gammacp.continuum.columns import check_known
from gammacp.csv_files import table_of
from gammacp.errors import DataError, UsageError
from gammacp.files import text_of
from gammacp.formats.layout import fit
from gammacp.signature import fingerprint

_FIELD = re.compile(r"(\{cluster\}|\*)")


def feature_of(said: str | Path) -> str | None:
    """The feature of units that clusters are named by; None for a pattern or a table.

    Parameters
    ----------
    said
        What `--cluster` was given.

    >>> feature_of("author"), feature_of("{cluster}-*"), feature_of("authors.csv")
    ('author', None, None)
    """
    said = str(said)
    return None if "{" in said or said.lower().endswith((".csv", ".tsv")) else said


def clustered(
    continua: Mapping[str, Continuum], said: str | Path, weighed: Sequence[str] = ()
) -> dict[str, Continuum]:
    """Each continuum with its cluster.

    Parameters
    ----------
    continua
        By name.
    said
        A pattern of documents' names with `{cluster}` and `*`, such as `{cluster}-*`; a table
        (.csv, .tsv) with the columns document and cluster; or a feature of the units.
    weighed
        Features that are wanted beside it.

    Raises
    ------
    DataError
        A document has no cluster, or two; the table cannot be read.
    UsageError
        The pattern is none.
    """
    name = feature_of(said)
    if name is not None:
        return {key: _by_feature(key, c, name, weighed) for key, c in continua.items()}
    if "{" in str(said):
        found, told = _by_pattern(continua, str(said)), str(said)
    else:
        found = _by_table(continua, Path(said))
        told = fingerprint(*(part for entry in sorted(found.items()) for part in entry))
    return {key: c.in_cluster(found[key]).noting("cluster", told) for key, c in continua.items()}


def _by_feature(key: str, continuum: Continuum, name: str, weighed: Sequence[str]) -> Continuum:
    """A document without units has no cluster, and no part in anything that clusters change."""
    kept = continuum.with_features(weighed)
    if not continuum.n_units:
        return kept.noting("cluster", name)
    check_known([name], continuum.features, "feature")
    values = {*continuum.feature(name)}
    if len(values) > 1:
        told = ", ".join(sorted("nothing" if v is None else repr(v) for v in values)[:3])
        raise DataError(
            f"units of one document have several values of {name} ({told}), so it has no cluster",
            file=key,
            hint="Name clusters by a table with the columns document and cluster, or by a pattern",
        )
    return kept.in_cluster(values.pop() or "").noting("cluster", name)


def _by_pattern(continua: Mapping[str, Continuum], pattern: str) -> dict[str, str]:
    pieces = _FIELD.split(pattern)
    if pieces[1::2].count("{cluster}") != 1 or "{" in "".join(pieces[::2]):
        raise UsageError(
            f"cluster {pattern!r} is not a pattern with {{cluster}} once and *, such as "
            "'{cluster}-*'"
        )
    place, found = pieces[1::2].index("{cluster}"), dict[str, str]()
    for key, c in continua.items():
        values = fit(pieces, c.name) or fit(pieces, key)
        if values is None:
            hint = "Change the pattern, or name clusters by a table (document, cluster)"
            raise DataError(f"its name does not fit the cluster {pattern!r}", file=key, hint=hint)
        found[key] = values[place]
    return found


def _by_table(continua: Mapping[str, Continuum], path: Path) -> dict[str, str]:
    known: dict[str, str] = {}
    try:
        for row, line in table_of(text_of(path), ("document", "cluster"), delimiter=",;\t"):
            document, cluster = row["document"].strip(), row["cluster"].strip()
            if not cluster or known.setdefault(document, cluster) != cluster:
                what = "two clusters" if cluster else "no cluster"
                raise DataError(f"document {document!r} has {what}", line=line)
    except DataError as error:
        raise error.at(path) from None
    found = {key: known.get(c.name, known.get(key)) for key, c in continua.items()}
    missing = [continua[key].name for key, cluster in found.items() if cluster is None]
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        raise DataError(
            f"no row for {', '.join(missing[:3])}{more}",
            file=path,
            hint="Give each document a row (document,cluster), one by itself a cluster of its own",
        )
    return {key: cluster for key, cluster in found.items() if cluster is not None}
