"""Names that columns of units may have, in frames as in CSV, workbooks and tables of Arrow."""

import re
import unicodedata
from collections.abc import Container, Iterable, Mapping, Sequence
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np

from gammacp.base.arguments import one_of
from gammacp.base.text import first_names
from gammacp.errors import DataError, UsageError

FRAGMENTS = "fragments"
SHAPE = "shape"
UNIT = "unit"
AXES = ("y0", "y1", "z0", "z1")
_STARTS = "start,x0,x min,xmin,begin,onset,start time,begin time,start offset"
_ENDS = "end,x1,x max,xmax,stop,offset end,end time,stop time,end offset"
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "annotator": ("annotator", "coder", "rater", "annotator id", "annotator name"),
    "category": ("category", "label", "tag", "type"),
    "start": tuple(_STARTS.split(",")),
    "end": tuple(_ENDS.split(",")),
    FRAGMENTS: (FRAGMENTS,),
    "y0": ("y0", "y min", "ymin", "low frequency", "low freq (hz)"),
    "y1": ("y1", "y max", "ymax", "high frequency", "high freq (hz)"),
    "z0": ("z0", "z min", "zmin"),
    "z1": ("z1", "z max", "zmax"),
    SHAPE: (SHAPE,),
    UNIT: (UNIT,),
    "document": ("document", "continuum", "doc", "file", "filename", "document id", "doc id"),
}
"""Each role with the names that a column of it may have, as `as_role` writes them."""
DURATION = "duration"
_FURTHER: Mapping[str, str] = {
    "annotator": "worker,worker id,annotated by,coded by,annotatorin,annotierer,annotiererin,"
    "kodierer,kodiererin,codierer,codiererin,annotateur,annotatrice,codeur,codeuse,anotador,"
    "anotadora,codificador,codificadora",
    "category": "code,codes,code name,category name,kategorie,etikett,markierung,categorie,"
    "etiquette,categoria,etiqueta,codigo",
    "start": "start char,char start,start pos,start position,position start,start index,"
    "character start,begin char,begin position,start ms,start s,start sec,start seconds,"
    "anfang,beginn,startzeit,anfangszeit,startposition,debut,temps de debut,"
    "temps de depart,heure de debut,inicio,comienzo,tiempo de inicio,tiempo inicial,hora de inicio",
    "end": "end char,char end,end pos,end position,position end,end index,character end,stop char,"
    "end ms,end s,end sec,end seconds,offset,ende,endzeit,schluss,endposition,fin,temps de fin,"
    "heure de fin,final,tiempo de fin,tiempo final,hora de fin",
    DURATION: "duration,dur,length,duration ms,duration s,duration sec,duration seconds,"
    "dauer,duree,duracion",
    "document": "document name,file name,dokument,datei,dateiname,fichier,nom du fichier,"
    "documento,archivo,fichero",
}
"""Names that give a column its role where none has one of `COLUMNS`, as `_bare` writes them."""
_UNIT_IN_NAME = re.compile(r"[(\[](s|sec|secs|seconds?|ms|msec|milliseconds?)[)\]]$")
_MILLISECONDS = ("ms", "msec", "millisecond", "milliseconds")
_SECONDS = ("s", "sec", "secs", "second", "seconds")
_ALWAYS = ("annotator", "category", "start", "end")
_FLOATS = (float, np.floating)


def as_role(name: str) -> str:
    """Return the name of a column in the normalised form that `COLUMNS` uses."""
    return re.sub(r"[\s_-]+", " ", name.strip().lower())


def _bare(name: str) -> str:
    """Return the name of a column without accents and without a unit in brackets at its end."""
    letters = unicodedata.normalize("NFD", _UNIT_IN_NAME.sub("", as_role(name)).strip())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def unit_of_columns(names: Iterable[str]) -> str:
    """Return "s" or "ms" where the names of the columns of positions say so; else "".

    Parameters
    ----------
    names
        Names of the columns: `Start (ms)`, `end_sec`.
    """
    units = set()
    for name in names:
        match = _UNIT_IN_NAME.search(as_role(name))
        *_, last = ("", *as_role(name).split(" ")[1:])
        if match:
            word = match[1]
        else:
            word = last
        units.add("ms" if word in _MILLISECONDS else "s" if word in _SECONDS else "")
    if len(units) == 1:
        return units.pop()
    return ""


def places_of_roles(
    names: Sequence[str],
    features: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
) -> dict[str, list[int]]:
    """Return the columns that have each role; an exact name takes precedence over aliases.

    A column of durations counts only where there is a start and no end.

    Parameters
    ----------
    names
        Names of the columns.
    features
        Columns that are features: none of them is the document, fragments, a shape or an id.
    columns
        The column that is asked for by role; it has no other role then.

    Raises
    ------
    UsageError
        There is no such role.
    DataError
        There is no such column, or it occurs twice.
    """
    asked = {role: [_place_asked(names, role, name)] for role, name in (columns or {}).items()}
    taken_columns = {places[0] for places in asked.values()}
    written = [as_role(name) for name in names]
    bare = [_bare(name) for name in names]
    columns_by_role: dict[str, list[int]] = {}
    for role in (*COLUMNS, DURATION):
        if role in asked:
            columns_by_role[role] = asked[role]
            continue
        further = {*COLUMNS.get(role, ()), *_FURTHER.get(role, "").split(",")}
        ways = (
            [i for i, name in enumerate(written) if name == role],
            [i for i, name in enumerate(written) if name in COLUMNS.get(role, ())],
            [i for i, name in enumerate(bare) if name and name in further],
        )
        for places in ways:
            free = [i for i in places if i not in taken_columns]
            if role not in _ALWAYS:  # What is asked for as a feature is none of the others.
                free = [i for i in free if names[i].strip() not in features]
            if free:
                columns_by_role[role] = free
                break
    _settle_ends(columns_by_role, bare, asked)
    return columns_by_role


def _settle_ends(
    places: dict[str, list[int]], bare: Sequence[str], places_by_name: Mapping[str, object]
) -> None:
    """Decide between an end and a duration, and what a column `offset` means."""
    if {"end", DURATION} <= places_by_name.keys():
        raise UsageError("`columns=` gives an end and a duration: a unit has one of them")
    ends = places.get("end", ())
    if ends and "start" not in places and DURATION in places and bare[ends[0]] == "offset":
        places["start"] = places.pop("end")  # An offset and a length.
    if DURATION in places_by_name:
        places.pop("end", None)
    if "end" in places or "start" not in places:
        places.pop(DURATION, None)


def _place_asked(names: Sequence[str], role: str, name: str) -> int:
    """Return the place of a column that is asked for by name."""
    one_of("columns", role, (*COLUMNS, DURATION))
    places = [i for i, title in enumerate(names) if title.strip() == name.strip()]
    places = places or [i for i, title in enumerate(names) if as_role(title) == as_role(name)]
    if len(places) != 1:
        if places:
            what = "occurs several times"
        else:
            what = "does not exist"
        titles = ", ".join(title.strip() or "(without a name)" for title in names)
        raise DataError(f"column {name!r} {what}", hint=f"The columns are: {titles}")
    return places[0]


def missing_roles(roles: Container[str]) -> list[str]:
    """Return the roles that a table needs and has no column for.

    Parameters
    ----------
    roles
        Roles that have one.
    """
    ended = "end" in roles or DURATION in roles
    lacking = [role for role in ("annotator", "start") if role not in roles]
    return [*lacking, *(() if ended else ("end",))]


def unknown_columns(
    names: Sequence[str], places_by_role: Mapping[str, Sequence[int]], chosen: Sequence[str] = ()
) -> DataError:
    """Return the error of a table without a column that it needs: all names, known and unknown.

    Parameters
    ----------
    names
        Names of the columns.
    places_by_role
        The columns of each role, as of `places_of_roles`.
    chosen
        Roles that need no column here.
    """
    roles = {places[0]: role for role, places in places_by_role.items() if places}
    known_columns = [f"{names[i].strip()!r} ({role})" for i, role in sorted(roles.items())]
    unknown = [repr(n.strip()) for i, n in enumerate(names) if n.strip() and i not in roles]
    lacking = missing_roles({*places_by_role, *chosen})
    last = " or ".join(filter(None, [", ".join(lacking[:-1]), lacking[-1]]))
    example = ",".join(f"{role}=NAME" for role in lacking)
    message = f"there is no column for {last}; known are {', '.join(known_columns) or 'none'}"
    if unknown:
        message += f", unknown are {first_names(unknown, 12)}"
    hint = f"Say which columns they are: `columns={example}`"
    if lacking == ["annotator"]:
        hint += ". If each file holds one annotator, `layout='{annotator}/{document}'` or the like"
    return DataError(message, hint=hint)


def reader_of(table: Any) -> Any:
    """Return pyarrow's reader of batches for whatever has `__arrow_c_stream__`.

    A table of pyarrow is read as it is: to export a damaged one looks up values that may lie
    outside of its memory, which ends the process before anything could be checked. Batches are to
    be checked with `validate(full=True)` before they are used.
    """
    pyarrow = import_module("pyarrow")
    if isinstance(table, pyarrow.RecordBatchReader):
        return table
    if isinstance(table, pyarrow.RecordBatch):
        return pyarrow.Table.from_batches([table]).to_reader()
    if type(table).__module__.startswith("pyarrow.") and hasattr(table, "to_reader"):
        return table.to_reader()
    if hasattr(table, "validate"):
        table.validate(full=True)
    try:
        return pyarrow.RecordBatchReader.from_stream(table)
    except pyarrow.ArrowException:
        raise
    except ValueError as error:  # pandas: two columns have one name
        hint = "Give each column one name"
        raise DataError(f"table cannot be read: {error}", hint=hint) from None


def exact_sum(first: float, second: float) -> float:
    """Return the sum of two finite numbers as their shortest decimal forms add up.

    >>> exact_sum(0.1, 0.2)
    0.3
    """
    return float(Fraction(repr(float(first))) + Fraction(repr(float(second))))


def name_of(label: Any) -> str:
    """Return a name as text: a whole number that came as a float is its digits.

    Parameters
    ----------
    label
        Not missing.
    """
    if isinstance(label, _FLOATS) and label.is_integer():
        return str(int(label))
    return str(label)
