"""Page of downloads: the gold standard in every format, the report and the journal."""

from collections.abc import Container
from dataclasses import replace
from typing import Any

from gammacp.base.record_tables import Column, Record, Table
from gammacp.base.text import with_commas
from gammacp.continuum import Corpus
from gammacp.formats import FORMATS, Format
from gammacp.formats.writing import losses
from gammacp.report.markup import Markup, element, join, table
from gammacp.report.page import section
from gammacp.report.viewer import fill
from gammacp.studio.pages import number_of, own, whole_page, why_not_yet
from gammacp.studio.places import without_options
from gammacp.studio.review import Gold, cannot_hold
from gammacp.studio.work import Now

_JOURNALS = ("CSV", "JSON")
_FORMATS = (Column("format", "format"), Column("losses", "what is lost, or why not", wrapped=True))


def exporting(gold: Markup | None, state: Now) -> str:
    """Return the page of downloads: the gold standard, if any, and its companions.

    Parameters
    ----------
    gold
        The gold standard; None before there is one.
    state
        State of the computation.
    """
    if gold:
        companions = [("The report as one file", "./report?file")]
    else:
        companions = []
    companions += [(f"The journal of decisions ({e})", f"./journal.{e.lower()}") for e in _JOURNALS]
    links = (element("li", element("a", name, href=href)) for name, href in companions)
    none = element("p", f"There is no gold standard yet. {why_not_yet(state)}")
    body = (gold or none, section("more", "Also here", element("ul", *links)))
    return whole_page("Export", "export", body, "")


def _with_bounds(format: Format) -> Format:
    """Return the format marked as keeping bounds, for data without declared bounds to lose."""
    return replace(format, keeps=replace(format.keeps, bounds=True))


def gold_standard(
    gold: Gold, *, with_undecided: bool, came_as: Container[str] = (), bounded: bool = True
) -> Markup:
    """Return the links to the gold standard in every format, formats of the input first.

    `came_as` are the formats of the input. `bounded` says whether bounds were declared, which some
    formats lose. `with_undecided` says whether undecided units are included.
    """
    notes = []
    if gold.tied:
        units = number_of(gold.tied, "unit")
        notes.append(f"{units} not yet reviewed: the category is tied, and left open.")
    if gold.loose:
        links = number_of(gold.loose, "link")
        notes.append(f"{links} left out, because a unit at one end is not in the gold standard.")
    if gold.stale:
        decisions = number_of(gold.stale, "decision")
        notes.append(f"{decisions} not applied, because the annotations or the choice changed.")
    parts = [element("p", note) for note in notes]
    if with_undecided:
        query = ""
    else:
        query = "?decided"
    if gold.undecided:
        treatment = "included as in the consensus"
        turn = "leave them out"
        if not with_undecided:
            treatment = "left out"
            turn = "include them as in the consensus"
        other = element("a", turn, href="./export?decided" if with_undecided else "./export")
        parts.append(element("p", f"Unreviewed units are {treatment}; ", other, "."))
    corpus = Corpus.from_continua(gold.continua)
    any_shapes = any(c.axes > 1 for c in corpus.values())
    records: list[dict[str, Any]] = [
        {
            "format": f"{f.title} (as your files)" if name in came_as else f.title,
            "name": name,
            "losses": (refused := cannot_hold(gold.continua, name))
            or "; ".join(map(without_options, losses(corpus, f if bounded else _with_bounds(f))))
            or "nothing",
            "refused": refused,
        }
        for name, f in FORMATS.items()
        if f.writer is not None and (f.keeps.shapes if any_shapes else f.data_kind != "shapes")
    ]
    excel = {
        "format": "Excel table",
        "name": "xlsx",
        "losses": "a table for people, without the text and bounds",
    }
    records.append({**excel, "refused": None})
    records.sort(key=lambda r: (bool(r["refused"]), r["name"] not in came_as))

    def link(record: Record) -> Markup:
        name = record["name"]
        if record["refused"]:
            return element("span", "not possible", class_="hint")
        return element("a", "Download", href=f"./gold/{name}{query}", aria_label=f"Download {name}")

    return fill(
        own("gold.html"),
        units=join(with_commas(sum(c.n_units for c in corpus.values()))),
        documents=join(number_of(len(corpus), "document")),
        decided=join(with_commas(gold.decided)),
        undecided=join(with_commas(gold.undecided)),
        notes=join(*parts),
        formats=table(Table(_FORMATS, records), first=link),
    )
