"""Clusters and strata of documents: groups that belong together, and weights in a sample.

Documents of one author, patient, video or session are not independent of each other, so that
intervals and tests resample whole clusters. Documents of a stratified sample have weights.
"""

import math
import re
from collections.abc import Mapping
from pathlib import Path

from gammacp.base.csv_files import table_of
from gammacp.base.files import text_of
from gammacp.base.signature import fingerprint
from gammacp.base.text import first_names
from gammacp.continuum import Continuum
from gammacp.continuum.columns import check_known
from gammacp.errors import DataError, UsageError
from gammacp.formats.boundary import place_errors
from gammacp.formats.layout import fit

_FIELD = re.compile(r"(\{cluster\}|\*)")


def feature_of(said: str | Path) -> str | None:
    """Return the feature of units that an option names; None if it is a pattern or a table.

    Parameters
    ----------
    said
        Argument of `--cluster`, `--weight` or `--order`.

    >>> feature_of("author"), feature_of("{cluster}-*"), feature_of("authors.csv")
    ('author', None, None)
    """
    said = str(said)
    if "{" in said or said.lower().endswith((".csv", ".tsv")):
        return None
    return said


def clustered(continua: Mapping[str, Continuum], said: str | Path) -> dict[str, Continuum]:
    """Return the continua, each with its cluster.

    Parameters
    ----------
    continua
        Continua by name.
    said
        A pattern of documents' names with `{cluster}` and `*`, such as `{cluster}-*`; a table
        (.csv, .tsv) with the columns document and cluster; or a feature of the units.

    Raises
    ------
    DataError
        A document has no cluster, or two; the table cannot be read.
    UsageError
        The pattern is not valid.
    """
    if feature_of(said) is None and "{" in str(said):
        cluster_by_key = _by_pattern(continua, str(said))
        note = str(said)
    else:
        cluster_by_key, note = _said_of_documents(continua, said, "cluster")
    clustered_continua = {
        key: c.in_cluster(cluster_by_key[key]) if key in cluster_by_key else c
        for key, c in continua.items()
    }
    return {key: c.noting("cluster", note) for key, c in clustered_continua.items()}


def with_weights(continua: Mapping[str, Continuum], said: str | Path) -> dict[str, Continuum]:
    """Return the continua, each with its weight.

    Parameters
    ----------
    continua
        Continua by name.
    said
        A table (.csv, .tsv) with the columns document and weight, or a feature of the units.

    Raises
    ------
    DataError
        A document has no weight, two, or one that is not a number > 0; the table cannot be read.
    UsageError
        It is a pattern.
    """
    if feature_of(said) is None and "{" in str(said):
        raise UsageError("weights are a feature of the units or a CSV file, not a pattern")
    text_by_key, note = _said_of_documents(continua, said, "weight")
    weighted = {}
    for key, c in continua.items():
        text = text_by_key.get(key, "1")  # a document without units needs no weight
        try:
            weight = float(text)
        except ValueError:
            weight = math.nan
        if not 0 < weight < math.inf:
            hint = "Give 1 / (share of the document's stratum that was sampled)"
            raise DataError(f"weight {text!r} is not a number > 0", file=key, hint=hint)
        weighted[key] = c.with_weight(weight).noting("weight", note)
    return weighted


def in_order(continua: Mapping[str, Continuum], said: str | Path) -> dict[str, Continuum]:
    """Return the continua in the order in which they were annotated; ties keep their order.

    Parameters
    ----------
    continua
        Continua by name.
    said
        A table (.csv, .tsv) with the columns document and order, or a feature of the units: numbers
        by size, otherwise text (dates as 2026-11-23) by its letters.

    Raises
    ------
    DataError
        A document has no place, or two; all have one; the table cannot be read.
    UsageError
        It is a pattern.
    """
    if "{" in str(said):
        raise UsageError("the order is a feature of the units or a CSV file, not a pattern")
    value_by_key, note = _said_of_documents(continua, said, "order")
    if missing := [key for key, value in value_by_key.items() if not value]:
        raise DataError("has no place in the order", file=missing[0])
    numbers = {k: number for k, v in value_by_key.items() if math.isfinite(number := _number(v))}
    if odd := [k for k in value_by_key if k not in numbers] if numbers else []:
        one = value_by_key[odd[0]]
        other = value_by_key[next(iter(numbers))]
        what = f"its place in the order is {one!r}; other documents have numbers, such as {other!r}"
        raise DataError(what, file=odd[0], hint="Give numbers, or dates such as 2026-11-23")
    places: Mapping[str, float | str] = numbers or value_by_key
    ranks = {value: i for i, value in enumerate(sorted({*places.values()}))}
    shared = len(places) - len(ranks)
    if shared and len(ranks) == 1:
        (only,) = {*value_by_key.values()}
        what = f"all {len(places)} documents have the same place in the order, {only!r}"
        raise DataError(what, hint="Number them in the order in which they were annotated")
    if shared:
        note = f"{note} ({shared} at another's place)"
    ordered = sorted(continua, key=lambda key: ranks[places[key]] if key in places else -1)
    return {key: continua[key].noting("order", note) for key in ordered}


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _said_of_documents(
    continua: Mapping[str, Continuum], choice: str | Path, what: str
) -> tuple[dict[str, str], str]:
    """Return the value of each document in a feature or a table, and an entry for signatures."""
    name = feature_of(choice)
    if name is not None:
        # Documents without units have no feature values; the result does not depend on them.
        return {k: _by_feature(k, c, name, what) for k, c in continua.items() if c.n_units}, name
    text_by_key = _by_table(continua, Path(choice), what)
    return text_by_key, fingerprint(
        *(part for entry in sorted(text_by_key.items()) for part in entry)
    )


def _by_feature(key: str, continuum: Continuum, name: str, what: str) -> str:
    check_known([name], continuum.features, "feature")
    values = {*continuum.feature(name)}
    if len(values) > 1:
        listed = ", ".join(sorted("nothing" if v is None else repr(v) for v in values)[:3])
        raise DataError(
            f"units of the document differ in {name} ({listed}), so its {what} is unclear",
            file=key,
            hint=f"Give the {what}s in a CSV file with the columns document and {what}",
        )
    return values.pop() or ""


def _by_pattern(continua: Mapping[str, Continuum], pattern: str) -> dict[str, str]:
    pieces = _FIELD.split(pattern)
    if pieces[1::2].count("{cluster}") != 1 or "{" in "".join(pieces[::2]):
        raise UsageError(
            f"cluster {pattern!r} is not a pattern with {{cluster}} once and *, such as "
            "'{cluster}-*'"
        )
    place = pieces[1::2].index("{cluster}")
    value_by_key = dict[str, str]()
    for key, c in continua.items():
        values = fit(pieces, c.name) or fit(pieces, key)
        if values is None:
            hint = "Change the pattern, or give clusters in a CSV file (document,cluster)"
            raise DataError(f"its name does not fit the cluster {pattern!r}", file=key, hint=hint)
        value_by_key[key] = values[place]
    return value_by_key


def _by_table(continua: Mapping[str, Continuum], path: Path, what: str) -> dict[str, str]:
    value_by_document: dict[str, str] = {}
    with place_errors(path):
        for row, line in table_of(text_of(path), ("document", what), delimiter=",;\t"):
            document = row["document"].strip()
            value = row[what].strip()
            if not value or value_by_document.setdefault(document, value) != value:
                if value:
                    wrong = f"two {what}s"
                else:
                    wrong = f"no {what}"
                raise DataError(f"document {document!r} has {wrong}", line=line)
    value_by_key = {
        key: value_by_document.get(c.name, value_by_document.get(key))
        for key, c in continua.items()
    }
    missing = [continua[key].name for key, value in value_by_key.items() if value is None]
    if missing:
        if what == "cluster":
            alone = "; a document of its own is its own cluster"
        else:
            alone = ""
        raise DataError(
            f"no row for {first_names(missing, 3)}",
            file=path,
            hint=f"Give each document a row (document,{what}){alone}",
        )
    return {key: value for key, value in value_by_key.items() if value is not None}
