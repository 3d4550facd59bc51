"""Results in notebooks: parts of the report, each in a frame of its own."""

from gammacp.alignment import Alignment
from gammacp.base.display import VIEWS
from gammacp.base.text import sentence
from gammacp.campaign.calibrate import Calibration
from gammacp.campaign.compare import Comparison
from gammacp.campaign.consensus import Consensus
from gammacp.continuum import Continuum
from gammacp.measures.gamma import GammaScore
from gammacp.report import figures, page_tables
from gammacp.report.building import frame
from gammacp.report.markup import Markup, element, hint, join, verbatim
from gammacp.report.page import Contents, document, large_number, meaning, page, scale_bars
from gammacp.report.viewer import alignment_document, alignment_view, script


def continuum(result: Continuum) -> str:
    """Show who marked what, and where."""
    kept = min(result.n_units, figures.LANE_UNITS)
    if kept == result.n_units:
        some = ""
    else:
        some = f"; the first {kept} are drawn"
    words = f"{result.n_annotators} annotators, {result.n_units} units{some}."
    content = join(element("p", words), figures.lanes(result))
    return _frame(result.name or "Continuum", content, 130 + 32 * min(result.n_annotators, 12))


def alignment(result: Alignment) -> str:
    """The alignment view."""
    said = (element("p", verbatim(sentence(note))) for note in result.notes)
    return _frame("Alignment", join(*said, _view(result)), 620)


def gamma(result: GammaScore) -> str:
    """γ on its scale over the alignment view."""
    if not result.defined:
        return str(element("p", verbatim(f"γ is undefined: {result.reason}")))
    scale = figures.scale(result.value, scale_bars(result, None))
    said = map(hint, map(verbatim, result.remarks()))
    signed = hint("Signature: ", element("code", result.signature))
    head = large_number("γ", result.value, scale, *said, signed)
    return _frame("γ", join(head, _view(result.alignment)), 760)


def comparison(result: Comparison) -> str:
    """The whole page of a comparison."""
    return frame(page(Contents(title="Comparison", comparison=result)), 900)


def calibration(result: Calibration) -> str:
    """The sentence, the curves and the table."""
    return _frame("What this γ means", meaning(result), 760)


def consensus(result: Consensus) -> str:
    """Show what a person should look at, worst first."""
    counts = f"{len(result.kept)} units, {len(result.review)} to review, worst first:"
    listed = page_tables.review({"": result})
    return _frame("Consensus", join(element("p", counts), listed), 520)


def _view(result: Alignment) -> Markup:
    return alignment_view([alignment_document(result, result.continuum.name or "continuum")])


def _frame(title: str, content: Markup, height: int) -> str:
    body = element("main", element("section", content))
    return frame(document(title, body, Markup(script())), height)


for _function in (continuum, alignment, gamma, comparison, calibration, consensus):
    VIEWS.register(_function.__name__, _function)
