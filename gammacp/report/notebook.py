"""Display of results in notebooks: the verdict, then parts of the report, in a frame."""

from collections.abc import Iterable, Mapping
from itertools import islice

from gammacp.alignment import Alignment, Status
from gammacp.base.display import VIEWS
from gammacp.base.record_tables import Table
from gammacp.base.signature import parse
from gammacp.base.text import sentence, with_commas
from gammacp.campaign import result_tables
from gammacp.campaign.calibrate import Calibration
from gammacp.campaign.compare import Comparison
from gammacp.campaign.consensus import Consensus, CorpusConsensus
from gammacp.campaign.consensus.gold_tables import consensus_summary
from gammacp.campaign.plan import Plan
from gammacp.campaign.replace import Replacement
from gammacp.campaign.verdict import graded
from gammacp.continuum import Continuum, Corpus
from gammacp.measures.corpora.score import CorpusScore
from gammacp.measures.gamma import Gamma, GammaScore
from gammacp.measures.gamma_corpus import CorpusGamma
from gammacp.measures.score import Score, Scores
from gammacp.measures.score_tables import corpus_table, gamma_table, measure_table
from gammacp.report import figures, page_tables
from gammacp.report.building import frame
from gammacp.report.markup import Markup, element, hint, join, table, verbatim
from gammacp.report.page import Contents, document, large_number, meaning, page, scale_bars
from gammacp.report.viewer import alignment_document, alignment_view, script

# Largest number of rows of a table in a notebook; `as_dict` has all rows.
_ROWS = 100


def continuum(result: Continuum) -> str:
    """Show the units of each annotator."""
    shown = min(result.n_units, figures.LANE_UNITS)
    if shown == result.n_units:
        some = ""
    else:
        some = f"; the first {shown} are drawn"
    words = f"{result.n_annotators} annotators, {result.n_units} units{some}."
    content = join(element("p", words), figures.lanes(result))
    return _frame(result.name or "Continuum", content, 130 + 32 * min(result.n_annotators, 12))


def corpus(result: Corpus) -> str:
    """Show the size of each document."""
    units = sum(c.n_units for c in result.values())
    words = (
        f"{_counted(len(result), 'document')}, {_counted(len(result.annotators), 'annotator')}, "
        f"{_counted(units, 'unit')}, {len(result.categories)} categories."
    )
    first = islice(result.items(), _ROWS)
    sizes = [{"document": n, "annotators": c.n_annotators, "units": c.n_units} for n, c in first]
    listed = table(Table(result_tables.SIZES, sizes))
    left_out = (hint(verbatim(f"Left out: {entry}")) for entry in result.left_out)
    return _plain("Corpus", join(_verdict(words), listed, _cut(len(result)), *left_out))


def alignment(result: Alignment) -> str:
    """Show the cost of the best alignment and whether it is proven, above the alignment view."""
    words = f"{_counted(len(result), 'unitary alignment')}, disorder {result.disorder:.4f}"
    if result.status is Status.OPTIMAL:
        words += ": proven to be the best alignment"
    notes = (element("p", verbatim(sentence(note))) for note in result.notes)
    return _frame("Alignment", join(_verdict(f"{words}."), *notes, _view(result)), 650)


def gamma(result: GammaScore) -> str:
    """Show the meaning of γ and its scale, above the alignment view."""
    return _frame("γ", join(_grade_section(result, 1), _view(result.alignment)), 790)


def corpus_gamma(result: CorpusGamma) -> str:
    """Show the meaning of γ of a corpus and its scale, above γ of its documents."""
    first = islice(result.scores.items(), _ROWS)
    records = [{"file": name, **score.as_dict()} for name, score in first]
    listed = join(table(gamma_table(records)), _cut(len(result.scores)))
    return _plain("γ of a corpus", join(_grade_section(result, result.continua), listed))


def score(result: Score) -> str:
    """Show a value, or why there is none, above the values by category."""
    name = _measure_of(result)
    listed = None
    if result.by_category:
        listed = table(_drop_empty_columns(measure_table({name: result})))
    return _plain(name, join(_value_section(name, result), listed))


def corpus_score(result: CorpusScore) -> str:
    """Show the value of a corpus above those of its categories and pairs."""
    name = _measure_of(result)
    return _plain(name, join(_value_section(name, result), table(corpus_table({name: result}))))


def scores(result: Scores) -> str:
    """Show several measures in one table."""
    corpus_scores = {n: s for n, s in result.items() if isinstance(s, CorpusScore)}
    continuum_scores = {n: s for n, s in result.items() if isinstance(s, Score)}
    tables = []
    if corpus_scores:
        tables.append(table(corpus_table(corpus_scores)))
    if continuum_scores:
        tables.append(table(_drop_empty_columns(measure_table(continuum_scores))))
    notes: dict[str, list[str]] = {}
    for name, one in (corpus_scores | continuum_scores).items():
        for note in [*one.notes, *([one.reason] if one.reason else [])]:
            notes.setdefault(note, []).append(name)
    hints = (hint(verbatim(f"{', '.join(who)}: {sentence(note)}")) for note, who in notes.items())
    return _plain("Measures", join(*tables, *hints))


def comparison(result: Comparison) -> str:
    """Show the whole page of a comparison, which begins with the verdict."""
    return frame(page(Contents(title="Comparison", comparison=result)), 900)


def calibration(result: Calibration) -> str:
    """Show the sentence, the curves and the table."""
    return _frame("What this γ means", meaning(result), 760)


def consensus(result: Consensus) -> str:
    """Show how much is left to decide, above the items to review, worst first."""
    return _frame("Consensus", _open_decisions({"": result}), 520)


def corpus_consensus(result: CorpusConsensus) -> str:
    """Show how much is left to decide in all documents, above the items to review, worst first."""
    notes = [hint(verbatim(sentence(note))) for note in result.belief.notes]
    failed = [hint(verbatim(sentence(str(failure)))) for failure in result.failures]
    summary = None
    if 1 < len(result.documents) <= _ROWS:
        summary = table(consensus_summary(result.documents))
    content = join(_open_decisions(result.documents), summary, *notes, *failed)
    return _frame("Consensus", content, 620)


def plan(result: Plan) -> str:
    """Show the advice above the designs that reach the goal."""
    signed = _signed(result.signature)
    designs = table(result_tables.designs(result))
    return _plain("Plan", join(_verdict(result.advice()), designs, signed))


def replacement(result: Replacement) -> str:
    """Show the verdict on each candidate, above the numbers behind it."""
    verdicts = [_verdict(candidate.in_words()) for candidate in result.candidates]
    people = None
    if len(result.candidates) == 1:
        people = table(result_tables.people(result.candidates[0]))
    notes = [
        hint(verbatim(f"{candidate.name}: {sentence(note)}"))
        for candidate in result.candidates
        for note in candidate.notes
    ]
    listed = table(result_tables.replacement(result))
    content = join(*verdicts, listed, people, *notes, _signed(result.signature))
    return _plain("May a system stand in for a person?", content)


def plain_view(title: str, verdict: str, content: Table, notes: Iterable[str] = ()) -> str:
    """Return a view of a verdict, a table and notes, for results of other subjects.

    Parameters
    ----------
    title
        Title of the frame, for screen readers.
    verdict
        The sentence that stands first.
    content
        Table behind the verdict.
    notes
        Sentences below the table.
    """
    below = (hint(verbatim(sentence(note))) for note in notes)
    return _plain(title, join(_verdict(verdict), table(content), *below))


def _grade_section(result: Gamma, documents: int) -> Markup:
    """Return the meaning of γ in words, its scale, and caveats."""
    _, statement = graded(result, documents)
    meaning = element("p", verbatim(statement.words))
    remarks = map(hint, map(verbatim, result.remarks()))
    if not result.defined:
        return join(meaning, *remarks)
    scale = figures.scale(result.value, scale_bars(result, None))
    return large_number("γ", result.value, meaning, scale, *remarks, _signed(result.signature))


def _value_section(name: str, result: Score | CorpusScore) -> Markup:
    """Return a value with its interval and caveats."""
    notes = [hint(verbatim(sentence(note))) for note in result.notes]
    signed = _signed(result.signature)
    if not result.defined:
        reason = result.reason or "the measure has one for each category"
        return join(_verdict(f"There is no value: {sentence(reason)}"), *notes, signed)
    words = None
    if result.interval is not None:
        low, high = result.interval
        words = element("p", verbatim(f"95 % interval: {low:.3f} to {high:.3f}"))
    return large_number(name, result.value, words, *notes, signed)


def _drop_empty_columns(full: Table) -> Table:
    """Return the table of measures without columns that are empty for all of them."""
    return full.without_empty("observed", "expected", "interval")


def _open_decisions(documents: Mapping[str, Consensus]) -> Markup:
    """Return the number of units that need a decision, and a table of them."""
    units = sum(len(consensus.kept) for consensus in documents.values())
    doubtful = sum(len(consensus.review) for consensus in documents.values())
    words = f"The gold standard has {_counted(units, 'unit')}. "
    if doubtful == 0:
        words += "The annotators agree on all of them."
        return _verdict(words)
    if doubtful == 1:
        words += "1 unit needs a look:"
    else:
        words += f"{with_commas(doubtful)} units need a look, worst first:"
    return join(_verdict(words), page_tables.review(documents))


def _counted(number: int, what: str) -> str:
    if number == 1:
        return f"1 {what}"
    return f"{with_commas(number)} {what}s"


def _measure_of(result: Score | CorpusScore) -> str:
    """Return the measure's name, which stands first in the signature."""
    if result.signature:
        return parse(result.signature).name
    return "value"


def _verdict(words: str) -> Markup:
    """Return the first sentence, in which parameters of the library are kept."""
    return element("p", element("strong", verbatim(words)))


def _signed(signature: str) -> Markup | None:
    if not signature:
        return None
    return hint("Signature: ", element("code", signature))


def _cut(number: int) -> Markup | None:
    """Return a hint that a table of `number` rows is cut; None if it is not."""
    if number <= _ROWS:
        return None
    return hint(f"The first {_ROWS} of {with_commas(number)}.")


def _view(result: Alignment) -> Markup:
    return alignment_view([alignment_document(result, result.continuum.name or "continuum")])


def _frame(title: str, content: Markup, height: int) -> str:
    """Return a frame with content that needs the script of the report."""
    body = element("main", element("section", content))
    return frame(document(title, body, Markup(script())), height)


def _plain(title: str, content: Markup) -> str:
    """Return a frame with content that needs no script."""
    body = element("main", element("section", content))
    return frame(document(title, body, Markup("")), 420)


_VIEWS = (
    *(continuum, corpus, alignment, gamma, corpus_gamma, score, corpus_score, scores),
    *(comparison, calibration, consensus, corpus_consensus, plan, replacement),
)
for _function in _VIEWS:
    VIEWS.register(_function.__name__, _function)
