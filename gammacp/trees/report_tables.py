"""The tables of a report on a treebank: columns over the records of its JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from gammacp.base.record_tables import (
    Column,
    Record,
    Table,
    count,
    interval,
    number,
    percent,
    share,
)
from gammacp.base.text import counted, first_names
from gammacp.trees.measures.alpha import DELTAS
from gammacp.trees.report import TreeReport

_SCORES = {"las": "LAS", "uas": "UAS", "label": "label", "jaccard": "Jaccard", "f1": "F₁"}
_BEYOND = (("beyond chance", "value"), ("95 % over sentences", "interval"), ("p", "p"))
# In which order numbers leave a narrow terminal.
_RANKS = {"expected, length-matched": 1, "observed": 2, "expected": 3}
_MOST = 20
_UD = {"tokens": "tokens", "sentences": "sentences", "words": "words", "upos": "UPOS"}
_UD |= {"xpos": "XPOS", "features": "features", "alltags": "AllTags", "lemma": "lemma"}
_UD |= {name: name.upper() for name in ("uas", "las", "clas", "mlas", "blex", "elas", "eulas")}


def value_or_interval(value: Any, digits: int = 4) -> str:
    """Return a number or an interval; nothing where a row has none."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        return interval(value, digits)
    return number(value, digits)


def _of(group: str, delta: str, header: str, form: Any) -> Column:
    return Column(f"{group}_{delta}", header, form, value=lambda record: record[group][delta])


_SENTENCE, _LINES = (
    Column("sentence", "sentence", value=lambda r: f"{r['document']} {r['sentence']}".strip()),
    Column(
        "lines",
        "lines",
        value=lambda r: " ".join(f"{a}:{x['line']}" for a, x in r["annotations"].items()),
    ),
)
SENTENCES = (
    _SENTENCE,
    *(_of("share", delta, f"share {delta}", share) for delta in DELTAS),
    _LINES,
    Column("what", "difference", wrapped=True),
)


def tables(report: TreeReport) -> list[Table]:
    """Return the tables of agreement, annotators, documents and sentences, as far as computed.

    Values beyond chance come first; annotators have them, too, if they were computed.

    Parameters
    ----------
    report
        Report on trees or graphs.
    """
    document = report.as_dict()
    if "alpha" in document:
        listed = _trees(document)
    else:
        listed = _graphs(document)
    if scores := document.get("universal"):
        columns = (Column(name, header, number) for name, header in _UD.items() if name in scores)
        record = {"title": "F₁ of Universal Dependencies", **scores}
        listed.insert(1, Table((Column("title", ""), *columns), [record]))
    return listed


def _trees(document: Record) -> list[Table]:
    names = [name for name in _SCORES if document[name] is not None]
    values = (
        *(_of("alpha", delta, f"α {delta}", value_or_interval) for delta in DELTAS),
        *(Column(name, _SCORES[name], value_or_interval) for name in names),
    )
    shown = [*values]
    if document["evalb"] is not None:
        shown.append(Column("evalb", "EVALB", value_or_interval))
    listed = [_by_measure(shown, _rows(document, names))]
    if "pairs" in document:
        parts = [{"title": " – ".join(p["annotators"]), **p} for p in document["pairs"]]
        for part in document["without"]:
            (missing,) = set(document["annotators"]) - set(part["annotators"])
            parts.append({"title": f"without {missing}", **part})
        columns = (
            Column("annotators", "annotators", value=lambda record: record["title"]),
            Column("items", "sentences", count),
            *values,
        )
        listed.append(Table(columns, [{**part, **_beyond(part, "value")} for part in parts]))
    if rows := document.get("documents", []):
        columns = (
            Column("document", "document"),
            Column("items", "sentences", count),
            Column("share", "share plain", share),
            *(Column(name, _SCORES[name], number) for name in names),
        )
        listed.append(Table(columns, rows))
    if "breakdown" in document:
        listed += _breakdown(document["breakdown"])
    if "sentences" in document:
        listed.append(Table(SENTENCES, document["sentences"]))
    return listed


def _by_measure(measures: Sequence[Column], rows: Sequence[Record]) -> Table:
    """Return a table with a row per measure and a column per kind of value.

    Parameters
    ----------
    measures
        Columns that take the value of a measure from a row.
    rows
        Records of one kind of value each, named by their `title`.
    """
    kinds = [row["title"] for row in rows]
    columns = (Column(kind, kind, value_or_interval, rank=_RANKS.get(kind, 0)) for kind in kinds)
    records = []
    for measure in measures:
        values = {kind: measure.of(row) for kind, row in zip(kinds, rows, strict=True)}
        records.append({"title": measure.header, **values})
    return Table((Column("title", "measure"), *columns), records)


_ACCURACIES = tuple(Column(name, _SCORES[name], number) for name in ("las", "uas", "label"))


def _breakdown(breakdown: Record) -> list[Table]:
    """Return tables by relation, by most confused pairs of relations, and by groups of tokens."""
    tokens = Column("tokens", "tokens", _tokens)
    relations = (
        Column("relation", "relation"),
        tokens,
        Column("agreed", "agreed", _tokens),
        Column("label", "π label", number),
        Column("head", "π head", number),
    )
    confusions = (
        Column("relations", "confused", value=lambda record: " – ".join(record["relations"])),
        Column("count", "tokens", _tokens),
    )
    tables = [
        Table(relations, breakdown["relations"][:_MOST]),
        Table(confusions, breakdown["confusions"][:_MOST]),
    ]
    for name, header in (("length", "sentence"), ("distance", "head distance"), ("upos", "UPOS")):
        if rows := breakdown["by"][name]:
            tables.append(Table((Column("group", header), tokens, *_ACCURACIES), rows))
    return [table for table in tables if table.records]


def _tokens(value: float, _digits: int = 0) -> str:
    if value == round(value):
        return f"{value:.10g}"
    return f"{value:.1f}"


def _beyond(part: Record, key: str) -> Record:
    """Return the values of a part beyond chance under the names of its published values."""
    beyond = part["beyond_chance"]
    if not beyond:
        return {}
    values = {name: one[key] for name, one in beyond.items()}
    return {"alpha": {delta: values[delta] for delta in DELTAS}, **values}


def _rows(document: Record, names: Sequence[str]) -> list[Record]:
    """Return the agreement, its intervals, and the disagreements, as records."""
    rows: list[Record] = []
    if document["beyond_chance"]:
        rows += [{"title": title, **_beyond(document, key)} for title, key in _BEYOND]
    rows.append({"title": "as published" if rows else "agreement", **document})
    for title, key in (("95 % sampling", "interval"), ("95 % bootstrap", "bootstrap")):
        if drawn := document.get(key):
            alpha = {delta: drawn.get(delta) for delta in DELTAS}
            rows.append({"title": title, "alpha": alpha, **{n: drawn.get(n) for n in names}})
    rows += [{"title": n, "alpha": document[n]} for n in ("observed", "expected")]
    if document["beyond_chance"]:
        rows.append(
            {"title": "expected, length-matched", "alpha": _beyond(document, "expected")["alpha"]}
        )
    return rows


def in_words(report: TreeReport) -> list[str]:
    """Return sentences on what was compared, the chance model, missing proofs and undefined values.

    Parameters
    ----------
    report
        Report on trees or graphs.
    """
    return list(_said(report.document))


def _said(document: Record) -> Iterator[str]:
    items = document["items"]
    size = f"{counted(items, 'sentence')}"
    if "alpha" in document:
        tokens = document["tokens"]
        yield f"{size}, {counted(tokens, 'token')}"
        if ignored := document["ignored"]:
            scores = ", ".join(_SCORES[name] for name in _SCORES if document[name] is not None)
            yield (
                f"{ignored} of {items} sentences with differing token counts are left out of "
                f"{scores}; α includes them"
            )
        key = "plain"
        units = "tokens "
        others = "trees"
    else:
        yield f"{size}, {document['graphs']} graphs, {document['triples']} triples"
        key = "smatch"
        units = ""
        others = "{} pairs of graphs"
    if beyond := (document["beyond_chance"] or {}).get(key):
        if beyond["samples"]:
            yield (
                f"chance baseline: {others.format(beyond['samples'])} of the same annotators for "
                f"other sentences of similar size (exactly the same size for "
                f"{percent(beyond['equal_length'])} of the annotations, otherwise up to "
                f"{beyond['widest']} {units}more or fewer)"
            )
        if beyond["reason"]:
            yield f"beyond chance: {beyond['reason']}"
    if parts := document.get("breakdown"):
        hidden = [max(0, len(parts[key]) - _MOST) for key in ("relations", "confusions")]
        if any(hidden):
            relations, confusions = hidden
            more = f"{relations} more relations, {confusions} more confusions"
            yield f"breakdown: the tables are cut; `as_dict()` has {more}"
        if lost := parts["left_out"]:
            yield f"breakdown: {lost} sentences with differing token counts are left out"
    yield from document["notes"]
    if reason := document.get("reason"):
        yield reason
    scores = document.get("universal", {})
    if other := scores.get("other_text"):
        yield f"UD: {other} pairs of annotations not compared, since their texts differ"
    if lost := scores.get("no_words"):
        yield f"UD: {lost} sentences not compared, since they have no words"
    if recut := scores.get("recut"):
        yield (
            f"UD: {counted(recut, 'stretch')} of text, cut into different sentences, "
            "compared as a whole"
        )
    if others := scores.get("other_documents"):
        yield f"UD: sentences not counted in {others} documents, since their texts differ"
    if several := scores.get("several_edges"):
        yield (
            f"EULAS: {several} words have several edges of one universal relation to one head; "
            "each is matched once (the shared task's program counts all pairs, so its score can "
            "exceed 1)"
        )


_GRAPHS = {"smatch": "Smatch F₁", "precision": "precision", "recall": "recall", "plain": "α"}
_TRIPLES = 3


def _graphs(document: Record) -> list[Table]:
    beyond = document["beyond_chance"]
    rows: list[Record] = [
        {"title": title, **{name: beyond[name][key] for name in beyond}}
        for title, key in (*_BEYOND[:2], ("expected disagreement", "expected"))
    ]
    rows.append({"title": "as published", **document})
    columns = [Column(name, header, value_or_interval) for name, header in _GRAPHS.items()]
    listed = [Table((Column("title", ""), *columns), rows)]
    values = [Column(name, header, number) for name, header in _GRAPHS.items() if name != "plain"]
    size = Column("items", "sentences", count)
    for key, title in (("documents", "document"), ("pairs", "annotators")):
        if parts := document.get(key, []):
            listed.append(Table((Column(title, title, _name), size, *values), parts))
    if "sentences" in document:
        columns_of_sentences = (
            Column("share", "share of differences", share),
            Column("smatch", "Smatch F₁", number),
            _LINES,
            Column("what", "difference", value=_what, wrapped=True),
        )
        listed.append(Table((_SENTENCE, *columns_of_sentences), document["sentences"]))
    return listed


def _what(record: Record) -> str:
    return "; ".join(
        f"only {name}: {first_names(rows, _TRIPLES)}"
        for name, rows in record["only"].items()
        if rows
    )


def _name(value: str | tuple[str, str], _digits: int = 0) -> str:
    if isinstance(value, str):
        return value
    return " – ".join(value)
