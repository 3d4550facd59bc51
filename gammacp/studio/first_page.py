"""First page of the studio: the progress, what was read from the files, and the form of choices.

`live` is the part of the page that is updated during the computation.
"""

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from html import escape

from gammacp.base.frames import places_of_roles
from gammacp.base.record_tables import Column, Record, Table, count
from gammacp.base.text import visible, with_commas
from gammacp.campaign.consensus.gold_tables import links_to_review
from gammacp.errors import DataError
from gammacp.formats import FORMATS
from gammacp.formats.joining import Joining
from gammacp.report.markup import Markup, element, join, table
from gammacp.report.page import left_out, section
from gammacp.report.viewer import fill
from gammacp.studio.choice import Choice
from gammacp.studio.pages import number_of, own
from gammacp.studio.review import item_keys
from gammacp.studio.understanding import TableHead, Understood
from gammacp.studio.uploads import UploadLimits
from gammacp.studio.work import Findings, Now, Review

_ROLES = ("annotator", "category", "start", "end", "duration", "document")
_UNCHOSEN = {"dissimilarity": "default", "reference": "none", "round": "all"}
# Five times the size measured in docs/studio.md; the whole report then takes 90 seconds.
_MANY_DOCUMENTS = 5000
_MANY_UNITS = 150_000
_MANY = (
    f"With more than {_MANY_DOCUMENTS} documents or {_MANY_UNITS} units, the report takes minutes. "
    "The command line suits them better: gammacp report FILES -o out.html"
)
_DOCUMENTS = (
    Column("file", "document"),
    Column("format", "format"),
    Column("annotators", "annotators", count),
    Column("units", "units", count),
)
_FAILURES = (
    Column("file", "file"),
    Column("line", "line", count),
    Column("message", "what is wrong", wrapped=True),
    Column("hint", "what to do", wrapped=True),
)
# A stage with progress, such as "24 of 40 random annotation sets".
_COUNTED = re.compile(r"([0-9]+) of ([0-9]+)\b")


def dropping(folder: str, limits: UploadLimits) -> Markup:
    """Return the area of the page on which to drop files."""
    return fill(own("drop.html"), folder=join(folder), limits=join(limits.in_words()))


def live(
    now: Now,
    choice: Choice,
    problem: str | None = None,
    campaign: bytes | None = None,
    *,
    is_example: bool = False,
    standing: Container[tuple[str, str]] = (),
) -> Markup:
    """Return the part of the page that changes while the computation goes on.

    At the top it shows the `problem` with the last choice, and the text of a dropped `campaign`
    file with the question whether to use its settings. `standing` has the document and key of every
    decided unit.
    """
    findings = now.findings
    parts = [_progress(findings, now.state)]
    if now.state == "idle":
        tools = ", ".join(sorted((f.title for _, f in FORMATS.items()), key=str.casefold))
        parts.insert(0, fill(own("empty.html"), tools=join(tools)))
    if is_example:
        parts.insert(0, own("example.html"))
    if problem is not None:
        parts.insert(0, element("p", problem, class_="warning", role="alert"))
    if campaign is not None:
        says = Markup(escape(visible(campaign.decode("utf-8", "replace"), keep="\n\t")))
        parts.insert(0, fill(own("campaign.html"), says=says))
    if findings.review is not None:
        parts.append(_next_step(findings.review, standing))
    if findings.headline is not None:
        parts.append(findings.headline)
    if findings.understood is not None:
        about = [_reading_section(findings.understood), _choosing(findings.understood, choice)]
        table_to_name = findings.understood.offers.table
        # Ask a question that blocks everything else first.
        if table_to_name is not None and table_to_name.unread:
            about.reverse()
        parts += about
    return element("div", *parts, id="live", data_version=now.version, data_state=now.state)


def _next_step(review: Review, standing: Container[tuple[str, str]]) -> Markup:
    """Return the links to the review and the report, with the number of open decisions.

    `standing` has document and key of every decided unit.
    """
    n_units = sum(len(c.review) for c in review.consensus.values())
    doubtful = len(links_to_review(review.consensus).records)
    if not (n_units or doubtful):
        return own("agreed.html")
    n_open = sum(
        bool(unit.reasons) and (name, key) not in standing
        for name, c in review.consensus.items()
        for key, unit in zip(item_keys(c), c.units, strict=True)
    )
    if doubtful:
        links = f" and {number_of(doubtful, 'link')}"
    else:
        links = ""
    if n_open < n_units:
        if not (n_open or doubtful):
            return fill(own("decided.html"), units=join(number_of(n_units, "unit")))
        units = f"{with_commas(n_open)} of {number_of(n_units, 'unit')}{links} are left"
        return fill(own("next.html"), action=join("Go on with the review"), units=join(units))
    n_questions = len(review.questions)
    if 0 < n_questions < n_units:
        about = f" in {number_of(n_questions, 'question')}"
    else:
        about = ""
    units = f"of {number_of(n_units, 'unit')}{about}{links}"
    return fill(own("next.html"), action=join("Start the review"), units=join(units))


def _progress(findings: Findings, state: str) -> Markup:
    status = {
        "running": f"Working: {findings.stage or 'nearly done'}.",
        "paused": f"Paused: {findings.stage}.",
        "cancelled": f"Cancelled: {findings.stage}. Results so far stay; Resume starts over.",
    }.get(state, "")
    actions = {
        "running": (("pause", "Pause"), ("cancel", "Cancel")),
        "paused": (("resume", "Resume"), ("cancel", "Cancel")),
        "cancelled": (("start", "Resume"),),
    }.get(state, ())
    buttons = [
        join(element("button", name, type="button", data_do=do), " ") for do, name in actions
    ]
    if state == "running":
        done = _COUNTED.match(findings.stage)
        if done:
            of = {"value": done[1], "max": done[2]}
        else:
            of = {}
        bar = element("progress", aria_label="Working", **of)
    else:
        bar = None
    understood = findings.understood
    # With one annotator per document nothing can be compared. The question about joining files says
    # so already, so that the problem is not repeated.
    is_question = (
        understood
        and understood.joinings
        and all(d["annotators"] == 1 for d in understood.documents)
    )
    if is_question:
        said_of_it = None
    else:
        said_of_it = findings.problem
    problem = said_of_it and element("p", said_of_it, class_="warning", role="alert")
    work = element("p", element("span", status, role="status"), " ", bar, " ", *buttons)
    return join(work if status else None, problem)


def _reading_section(understood: Understood) -> Markup:
    units = sum(int(str(d["units"])) for d in understood.documents)
    summary = (
        f"{number_of(len(understood.documents), 'document')}, "
        f"{number_of(len(understood.annotators), 'annotator')}, {number_of(units, 'unit')}, "
        f"{number_of(len(understood.categories), 'label')}."
    )
    parts: list[Markup | None] = [element("p", summary)]
    if not understood.documents:
        parts = [element("p", "Nothing could be read.")]
        # An unreadable file may also affect documents that have further files.
        if understood.incomplete:
            parts.append(element("p", understood.incomplete, class_="warning"))
    if len(understood.documents) > _MANY_DOCUMENTS or units > _MANY_UNITS:
        parts.append(element("p", _MANY, class_="warning", role="note"))
    if understood.offers.paths:
        parts.append(
            element("p", f"campaign.toml lists what is read: {', '.join(understood.offers.paths)}.")
        )
    if understood.joinings:
        parts.append(_question(understood.joinings))
    if understood.problem is not None:
        parts.append(element("p", understood.problem, class_="warning", role="alert"))
    if understood.failures:
        parts.append(element("h3", f"Not read: {len(understood.failures)}"))
        failures = [_failure(e, understood.offers.table) for e in understood.failures]
        parts.append(table(Table(_FAILURES, failures), long=True))
    if understood.warnings:
        lines = (f"{w} ({n} documents)" if n > 1 else w for w, n in understood.warnings)
        listed = element("ul", *(element("li", line) for line in lines))
        title = f"Warnings ({len(understood.warnings)})"
        parts.append(element("details", element("summary", title), listed))
    if understood.left_out:
        skipped = sum(entry.count for entry in understood.left_out)
        # The headline refers to this heading.
        parts.append(element("h3", f"Skipped while reading ({with_commas(skipped)})"))
        parts.append(left_out(understood.left_out, long=True))
    if understood.documents:
        listed = table(Table(_DOCUMENTS, understood.documents), long=True)
        parts.append(element("details", element("summary", "Documents"), listed))
    return section("understood", "What was read", *parts)


def _failure(error: DataError, head: TableHead | None) -> Record:
    """Return a row on an unreadable file, with a hint to the form if it is a table to name."""
    record = {c.key: getattr(error, c.key) for c in _FAILURES}
    if head is not None and head.unread and record["file"] == head.file:
        record["hint"] = "Say under “What is measured” which column is what"
    return record


def _question(ways: Iterable[Joining]) -> Markup:
    """Return the question whether to join files of one annotator each, with a button per layout."""
    question_text = (
        "Each file holds one annotator, so there is nothing to compare yet. Are they several "
        "annotators of the same documents?"
    )
    buttons = [
        element("button", f"Yes: {way.in_words()}", type="button", data_layout=way.layout)
        for way in ways
    ]
    question = element("p", question_text, class_="warning", role="alert")
    return join(question, element("p", *buttons, class_="versions"))


def _choosing(understood: Understood, choice: Choice) -> Markup:
    """Return the form of the choices, filled in."""
    features_of_layers = [
        fs for name, fs in understood.offers.layers.items() if choice.layer in (None, "", name)
    ]
    offered: tuple[tuple[str, str, Iterable[str]], ...] = (
        ("layer", "Layer", understood.offers.layers),
        ("feature", "Feature", dict.fromkeys(f for fs in features_of_layers for f in fs)),
        ("round", "Round", understood.offers.rounds),
        ("dissimilarity", "Dissimilarity", understood.offers.dissimilarities),
        ("reference", "Compare one annotator with the rest", understood.annotators),
    )
    selects = (_select(n, t, o, getattr(choice, n)) for n, t, o in offered if o)
    annotators = _names("exclude", "rename", understood.annotators, choice.rename,
                        lambda name: name not in choice.exclude)  # fmt: skip
    categories = _names("only", "map", understood.categories, choice.map,
                        lambda name: not choice.only or name in choice.only)  # fmt: skip
    return fill(
        own("choice.html"),
        columns=join(_naming(understood.offers.table, choice) if understood.offers.table else None),
        selects=join(*selects),
        annotators=join(_boxes("Annotators", annotators)),
        categories=join(_boxes("Labels", categories)),
        fields=join(*_more(understood, choice)),
    )


def _boxes(title: str, boxes: Sequence[Markup]) -> Markup | None:
    """Return boxes under a title; None without boxes."""
    if not boxes:
        return None
    return element("fieldset", element("legend", title), *boxes)


def _naming(head: TableHead, choice: Choice) -> Markup:
    """Return the fields that assign columns, above the first rows of the table."""
    names, *rows = head.rows or ((),)
    column_of_role: dict[str, str] = dict(choice.columns)
    if not column_of_role:
        column_of_role = {role: names[places[0]] for role, places in places_of_roles(names).items()}
    offered = [name for name in dict.fromkeys(names) if name.strip()]
    selects = (
        _select(f"columns-{role}", role.capitalize(), offered, column_of_role.get(role))
        for role in _ROLES
    )
    if head.unread:
        question = "Which column is what? The names of some columns are not known."
    else:
        question = ""
    cells = element("tr", *(element("th", name, scope="col") for name in names))
    lines = (element("tr", *(element("td", cell) for cell in row)) for row in rows)
    return element(
        "fieldset",
        element("legend", f"Columns of {head.file}"),
        element("p", question, class_="warning", role="alert") if question else None,
        element("div", *selects, class_="toolbar"),
        element(
            "div",
            element(
                "table",
                element("caption", "The first rows"),
                element("thead", cells),
                element("tbody", *lines),
            ),
            class_="scroll",
            tabindex="0",
        ),
        id="columns",
    )


def _names(
    box_name: str,
    text_name: str,
    names: Mapping[str, int],
    others: Mapping[str, str],
    chosen: Callable[[str], bool],
) -> list[Markup]:
    """Return a checkbox, the number of units and a field for a new name, for each of `names`."""
    return [
        element(
            "span",
            element(
                "label",
                element("input", type="checkbox", name=box_name, value=name,
                        checked=chosen(others.get(name, name))),
                f"{name} ({n})",
            ),
            element("input", name=text_name, data_of=name, value=others.get(name, ""),
                    placeholder="call it…", aria_label=f"Another name for {name}", size=8),
            class_="named",
        )
        for name, n in names.items()
    ]  # fmt: skip


def _more(understood: Understood, choice: Choice) -> Iterable[Markup]:
    yield _select("format", "Format", [n for n, _ in FORMATS.items()], choice.format)
    if choice.bounds is None:
        bounds = ""
    else:
        bounds = ":".join(f"{b:.15g}" for b in choice.bounds)
    texts = [
        ("tier", "Tiers", choice.tier, "a pattern"),
        ("layout", "Names from paths", choice.layout, "{annotator}/{document}"),
        ("bounds", "Bounds", bounds, "START:END"),
        ("annotators", "Annotators without units", ", ".join(choice.annotators), "A, B"),
        ("measures", "Measures beside γ", ", ".join(choice.measures), "f1-strict, alpha"),
    ]
    for name, title, value, tip in texts["tier" not in understood.offers.options :]:
        field = element("input", name=name, value=value or "", placeholder=tip)
        yield element("label", f"{title} ", field)
    box = element("input", type="checkbox", name="calibrate", checked=choice.calibrate)
    yield element("label", box, " Say which errors would give this γ (takes a while)")


def _select(name: str, title: str, offered: Iterable[str], chosen: str | None) -> Markup:
    options = [element("option", _UNCHOSEN.get(name, "automatic"), value="")]
    options += [element("option", o, value=o, selected=o == chosen) for o in offered]
    return element("label", f"{title} ", element("select", *options, name=name))
