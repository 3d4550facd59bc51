"""Frame that all pages of the studio share, and the pages without content of their own.

`first_page`, `review_page` and `export_page` build the other pages in this frame. The report is the
page of `gammacp report` with links back to the studio.
"""

from collections.abc import Iterable

from gammacp.base.text import with_commas
from gammacp.report.markup import Markup, element, join
from gammacp.report.page import document
from gammacp.report.viewer import asset, fill
from gammacp.studio.work import Now

_PLACES = (("", "Files"), ("report", "Report"), ("review", "Review"), ("export", "Export"))
_ALLOWED = "; connect-src 'self'; media-src 'self'; img-src blob: data:"


def own(name: str) -> Markup:
    """Return the text of an asset of the studio: a script, style sheet or piece of HTML."""
    return Markup(asset(name, "gammacp.studio"))


def whole_page(title: str, here: str, body: Iterable[Markup | None], script: str) -> str:
    """Return a whole page with the navigation.

    Parameters
    ----------
    title
        Heading.
    here
        End of the address of the page.
    body
        Content of the page.
    script
        The only script that may run on the page.
    """
    main = element("main", navigation(here), element("h1", title), *body)
    return document(title, main, Markup(script), allowed=_ALLOWED)


def navigation(here: str) -> Markup:
    """Return the links to the pages, with their style."""
    links = (
        element("a", name, href=f"./{place}", aria_current="page" if place == here else None)
        for place, name in _PLACES
    )
    listed = element("ul", *(element("li", a) for a in links))
    style = element("style", own("studio.css"))
    return join(style, element("nav", listed, aria_label="Studio", class_="studio"))


def key(secret: str) -> Markup:
    """Return the element with the secret key of answers, which the script reads and removes."""
    return element("span", id="key", data_key=secret, hidden=True)


def report_page(page: str) -> str:
    """Return the report with links back to the studio; its policy and script are unchanged."""
    return page.replace("<body>", f"<body>{navigation('report')}", 1)


def waiting(place: str, title: str, state: Now) -> str:
    """Return a placeholder for a page that is not available yet, with the reason.

    Parameters
    ----------
    place, title
        End of the address, and heading of the page.
    state
        State of the computation.
    """
    words = fill(own("waiting.html"), title=join("Not there yet"), words=join(why_not_yet(state)))
    return whole_page(title, place, (words,), "")


def why_not_yet(state: Now) -> str:
    """Return the reason why there is no report yet, and what to do."""
    if state.state == "idle":
        return "There are no files yet: drop exports, or try the example."
    if state.state in ("running", "paused"):
        return f"It is being made: {state.findings.stage or 'nearly done'}. Files shows γ first."
    if state.state == "cancelled":
        return "The computation was cancelled: Files has the button Resume."
    return "The files gave no report: Files says why."


def refusal(problem: str) -> str:
    """Return the page that explains why something could not be written."""
    words = element("p", problem, class_="warning", role="alert")
    back = element("p", element("a", "Back", href="../export"))
    return whole_page("Not written", "none", (words, back), "")


def number_of(count: int, thing: str) -> str:
    """Return a number of things in words, with thousands separators."""
    return f"{with_commas(count)} {thing}{'s' * (count != 1)}"
