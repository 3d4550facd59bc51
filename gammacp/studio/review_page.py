"""Review page of the studio: questions on many units, the queue of disagreements, and links."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any

from gammacp.base.record_tables import Column, Record, Table, count, permille, position
from gammacp.campaign.consensus.gold_tables import links_to_review
from gammacp.report import page_tables
from gammacp.report.markup import Markup, element, hint, join, json_script, table
from gammacp.report.page import section
from gammacp.report.viewer import alignment_view, fill
from gammacp.studio.pages import key, own, whole_page
from gammacp.studio.questions import Question, shown
from gammacp.studio.review import link_keys, queue
from gammacp.studio.work import Review

_ENDS = ("source", "target")
_QUESTIONS = (
    Column("title", "question", wrapped=True),
    Column("units", "units", count),
    Column("documents", "documents", count),
    Column("share", "share of the disorder", permille),
)


def reviewing(review: Review, script: str, heard: Container[str] = (), secret: str = "") -> str:
    """Return the review page: the queue of disagreements, the text, the lanes and the buttons.

    `script` runs on the page, `heard` are the documents with a recording, and `secret` is the key
    of answers.
    """
    items = _items(review, heard)
    doubtful = links_to_review(review.consensus, link_keys)
    if not (items or doubtful.records):
        words = element("p", "There is nothing to review: the annotators agree on everything.")
        return whole_page("Review", "review", (key(secret), words), script)
    if items:
        worst = page_tables.review(review.consensus, first=_button_to_go(items))
    else:
        worst = None
    if doubtful.records:
        links = table(doubtful, first=_link_buttons, long=True)
    else:
        links = None
    body = (
        key(secret),
        own("who.html"),
        section("questions", "Many units, one decision", *_questions(review.questions))
        if review.questions
        else None,
        fill(own("review.html"), items=json_script(items)),
        review.drawn and section("shapes", "What was drawn", review.drawn),
        section("lanes", "Lanes", alignment_view(list(review.documents.values()))),
        worst and section("queue", "Worst first", worst),
        links and section("links", "Links", links),
    )
    return whole_page("Review", "review", body, script)


def _items(review: Review, heard: Container[str]) -> list[dict[str, Any]]:
    """Return the items of the queue with their lane, question, and whether there is a recording."""
    places = {name: i for i, name in enumerate(review.documents)}
    question_of_item = {item: k for k, q in enumerate(review.questions) for item in q.items}
    return [
        {
            **item,
            "place": places[item["document"]],
            "heard": item["document"] in heard,
            "question": question_of_item.get((item["document"], item["key"])),
        }
        for item in queue(review.consensus)
    ]


def _button_to_go(items: Sequence[Mapping[str, Any]]) -> Callable[[Record], Markup]:
    """Return a function from a row of the queue to the button that shows its unit."""
    numbers = {(item["document"], item["group"]): i for i, item in enumerate(items)}

    def go(record: Record) -> Markup:
        number = numbers[record["file"], record["group"]]
        button = element(
            "button", f"{number + 1}", type="button", class_="link", data_item=number,
            aria_label=f"Go to unit {number + 1}",
        )  # fmt: skip
        return join(button, " ", element("small", "", data_said=number))

    return go


def _link_buttons(record: Record) -> Markup:
    """Return the buttons that decide a link."""

    def button(text: str, action: str, annotator: str | None = None) -> Markup:
        return element(
            "button", text, type="button", data_link=record["key"], data_act=action,
            data_document=record["file"], data_annotator=annotator,
        )  # fmt: skip

    takes = [
        button(f"{name}: {_link(link)}", "take", name) for name, link in record["links"].items()
    ]
    if record["tied"]:
        merged = []
    else:
        merged = [button("Merge", "merge")]
    outcome = element("small", "", data_said_link=record["key"])
    return join(*takes, *merged, button("No link", "drop"), " ", outcome)


def _questions(questions: Sequence[Question]) -> Iterable[Markup]:
    """Return the questions, each with buttons that decide all its units, largest share first."""
    yield hint(
        "Units in which one annotator differs from the others in the same way are one question. "
        "The order is the share of the disorder that they carry. An answer is for all units that "
        "nobody has decided yet."
    )
    yield json_script(shown(questions))

    def answer(record: Record) -> Markup:
        def button(text: str, side: str) -> Markup:
            return element(
                "button", text, type="button", data_question=record["number"], data_answer=side
            )

        return element(
            "div",
            button("As most have them", "others"),
            button(f"As {record['annotator']} has them", "theirs"),
            button("Look", "look"),
            element("small", "", data_answered=record["number"]),
            class_="answers",
        )

    records = [
        {
            "number": k,
            "annotator": q.annotator,
            "title": q.title,
            "units": len(q.items),
            "documents": q.documents,
            "share": q.share,
        }
        for k, q in enumerate(questions)
    ]
    yield table(Table(_QUESTIONS, records), first=answer, long=True)
    undo = element("button", "Undo mine", type="button", data_act="undo")
    yield element("p", undo, " ", element("span", id="answered", role="status"))


def _link(link: Mapping[str, Any] | None) -> str:
    if link is None:
        return "no link"
    ends = (f"{position(e['start'])}–{position(e['end'])}" for e in (link[x] for x in _ENDS))
    return f"{link['type']} {' → '.join(ends)}"
