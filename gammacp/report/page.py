"""The page: parts put together into one self-contained HTML document.

The page may load nothing: its content security policy forbids every request and every script but
the view's own, which is named by its hash.
"""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice

from gammacp.alignment import Alignment
from gammacp.base.left_out import LeftOut, by_reason
from gammacp.base.record_tables import Column, Table, count
from gammacp.base.signature import parse
from gammacp.base.text import sentence, with_commas
from gammacp.base.version import __version__
from gammacp.campaign import result_tables as shown
from gammacp.campaign.calibrate import Calibration
from gammacp.campaign.charges import charges_of
from gammacp.campaign.compare import Comparison, PairMatrix
from gammacp.campaign.consensus import Belief, CorpusConsensus, gold_tables
from gammacp.campaign.parts import ComparisonPart
from gammacp.campaign.replace import Candidacy
from gammacp.campaign.verdict import (
    ALIGNED_FOR_MORE,
    DOCUMENTS_FOR_MORE,
    PLACES,
    VerdictPart,
    verdict,
)
from gammacp.inference.contributions import ALIGNMENTS, CLUSTERS, DOCUMENTS
from gammacp.inference.resampling import BootstrapInterval
from gammacp.measures.corpora.score import CorpusScore
from gammacp.measures.explaining.explanation import Explanation
from gammacp.measures.gamma import Gamma
from gammacp.measures.gamma_corpus import CorpusGamma
from gammacp.measures.score_tables import explanation_tables
from gammacp.report import figures, page_tables
from gammacp.report.images import Grounds
from gammacp.report.markup import Markup, element, hint, join, number, table
from gammacp.report.planes import planes
from gammacp.report.values import values_section
from gammacp.report.viewer import alignment_document, alignment_view, asset, fill, script, style

KINDS_TITLE = "Who differs, and how"
# Largest number of bars on the first screen; tables show the others.
_FIRST_BARS = 6
# Words in the label of an interval for the parts that it generalises over.
_PARTS = {DOCUMENTS: "", CLUSTERS: "clusters", ALIGNMENTS: "alignments"}
# Largest number of annotators whose pairs are shown as a matrix.
_WIDEST = 30

_LEFT_OUT = (
    Column("file", "file"),
    Column("kind", "kind"),
    Column("count", "count", count),
    Column("reason", "reason", wrapped=True),
)


@dataclass(frozen=True, kw_only=True)
class Contents:
    """Contents of a report.

    Attributes
    ----------
    title
        Heading of the page.
    comparison
        Scores with their alignments, annotators, categories.
    gold
        Gold standard of each document; None if there is none to show.
    values
        Values of all documents by measure.
    calibration
        Calibration of γ; None unless requested.
    candidacy
        Whether the reference can replace a person; None without a reference.
    failures
        Sentences on data that could not be read, shown above everything else.
    left_out
        Items that readers skipped.
    images
        Images under the drawings of shapes.
    """

    title: str
    comparison: Comparison
    gold: CorpusConsensus | None = None
    values: Mapping[str, CorpusScore] = field(default_factory=dict)
    calibration: Calibration | None = None
    candidacy: Candidacy | None = None
    failures: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    images: Grounds = field(default_factory=Grounds)


def page(contents: Contents) -> str:
    """Return the HTML document of a report.

    Parameters
    ----------
    contents
        Computed contents of the page.
    """
    return laid_out(contents.title, headline(contents), [*_sections(contents)])


def laid_out(title: str, head: Markup, sections: list[tuple[str, str, Markup]]) -> str:
    """Return a page of a headline and sections: (name for links, title, content).

    Parameters
    ----------
    title, head
        Title of the page, and its first part.
    sections
        Sections below the first part, in order.
    """
    body = element(
        "main",
        element("h1", title),
        head,
        element(
            "nav",
            element("ul", *(element("li", element("a", t, href=f"#{i}")) for i, t, _ in sections)),
            aria_label="Sections",
        ),
        *(section(name, heading, content) for name, heading, content in sections),
    )
    return document(title, body, Markup(script()))


def section(name: str, title: str, *content: Markup | None) -> Markup:
    """Return a section under its heading; `name` is its anchor for links."""
    head = element("h2", title, id=f"{name}-title")
    return element("section", head, *content, id=name, aria_labelledby=f"{name}-title")


def left_out(entries: Iterable[LeftOut], *, long: bool = False) -> Markup:
    """Return a table of the content that readers skipped, with a row per kind and reason."""
    return table(Table(_LEFT_OUT, [entry.as_dict() for entry in by_reason(entries)]), long=long)


def provenance(signature: str) -> Markup:
    """Return a paragraph on how the numbers were computed, and by which version."""
    line = element("p", "Signature: ", element("code", signature))
    return join(line, hint(f"gammacp {__version__}"))


def policy(code: str) -> str:
    """Return the content security policy by which nothing is loaded and only `code` runs."""
    digest = b64encode(sha256(code.encode("utf-8")).digest()).decode("ascii")
    # Inline style attributes are allowed for the shades of cells; they cannot load anything.
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def document(title: str, body: Markup, code: Markup, *, allowed: str = "; img-src data:") -> str:
    """Return a whole HTML document around `body`, with the view's style and the script `code`.

    `allowed` are directives of the policy beside `policy`: by default images in the page itself.
    """
    return fill(
        asset("page.html"),
        policy=Markup(policy(code) + allowed),
        version=Markup(__version__),
        title=join(title),
        style=Markup(style()),
        body=body,
        code=code,
    )


def headline(contents: Contents) -> Markup:
    """Return γ with its meaning in plain words."""
    comparison = contents.comparison
    gold = contents.gold
    if gold is None:
        waiting = None
    else:
        waiting = sum(len(d.review) for d in gold.documents.values())
    outcome = verdict(comparison, calibration=contents.calibration, to_review=waiting)
    answer, *parts = outcome.parts()
    # Two columns: what is counted in these documents, and what is said beyond them.
    here = [_verdict_part(part) for part in parts if part.name == "here"]
    beyond = [_verdict_part(part) for part in parts if part.name != "here"]
    columns = [
        element("div", kinds_figure(comparison), *here),
        element("div", *beyond, *map(_paragraph, _further_sentences(contents))),
    ]
    score = comparison.overall.score
    intervals = scale_bars(score, comparison)
    shown = gamma_on_scale(score, answer.sentences, intervals, columns=columns)
    return join(missing(contents.failures), shown)


def kinds_figure(comparison: Comparison) -> Markup | None:
    """Return bars of the differences of each annotator; None if nobody differs.

    Parameters
    ----------
    comparison
        Comparison of the annotators.
    """
    if comparison.kinds is None:
        return None
    charges = charges_of(comparison.kinds, most=_FIRST_BARS)
    if charges.rows:
        return figures.charges_figure(charges)
    return None


def scale_bars(score: Gamma, comparison: Comparison | None) -> list[figures.ScaleBar]:
    """Return the intervals under the scale, for these data and for other data like these.

    Parameters
    ----------
    score
        γ of all documents, or of a single one.
    comparison
        Comparison that has the interval over documents; None if there is none.
    """
    bars = []
    if isinstance(score, CorpusGamma) and score.continua > 1:
        here = "these documents"
    else:
        here = "this text"
    if score.interval is not None:
        bars.append(figures.ScaleBar(about=here, interval=score.interval, colour=figures.HERE))
    if comparison is None or comparison.bootstrap is None:
        return bars
    bootstrap = comparison.bootstrap
    if bootstrap.interval is not None:
        about = _about_others(bootstrap)
        bars.append(
            figures.ScaleBar(about=about, interval=bootstrap.interval, colour=figures.ELSEWHERE)
        )
    return bars


def _about_others(bootstrap: BootstrapInterval) -> str:
    """Return the population of an interval, with the number of parts if it is small.

    From so few parts the verdict draws no conclusion about other data, so the label shows them.
    """
    if bootstrap.kind == ALIGNMENTS:
        others = "other text"
        enough = ALIGNED_FOR_MORE
    else:
        others = "other documents"
        enough = DOCUMENTS_FOR_MORE
    if bootstrap.parts >= enough:
        return others
    number_of_parts = f"{with_commas(bootstrap.parts)} {_PARTS[bootstrap.kind]}".rstrip()
    return f"{others} ({number_of_parts} are few)"


def missing(sentences: Iterable[str]) -> Markup:
    """Return a warning that the numbers lack data that could not be read.

    Parameters
    ----------
    sentences
        Sentences on missing data; empty if nothing is missing.
    """
    return join(*(element("p", warning, class_="warning", role="alert") for warning in sentences))


def gamma_on_scale(
    score: Gamma,
    sentences: Iterable[str],
    intervals: Iterable[figures.ScaleBar] = (),
    *,
    columns: Sequence[Markup] = (),
) -> Markup:
    """Show γ as a large number and on its scale, with sentences beside it.

    Parameters
    ----------
    score
        γ.
    sentences
        Sentences beside the scale, with the verdict first.
    intervals
        Intervals under the scale.
    columns
        Parts below the scale, side by side.
    """
    if score.defined:
        scale = figures.scale(score.value, intervals)
    else:
        scale = None
    paragraphs = map(_paragraph, sentences)
    return large_number("γ, agreement beyond chance", score.value, scale, *paragraphs, more=columns)


def _verdict_part(part: VerdictPart) -> Markup:
    """Return a part of the verdict: a list under its heading, or paragraphs without one."""
    if not part.heading:
        return join(*map(_paragraph, part.sentences))
    heading = part.heading
    if part.name == "places":
        # The page itself lists what needs a decision, in a section of its own.
        heading = PLACES
    items = (element("li", _with_minus(sentence)) for sentence in part.sentences)
    return join(element("h3", heading), element("ul", *items))


def _paragraph(words: str) -> Markup:
    """Return a paragraph of words."""
    return element("p", _with_minus(words))


def _with_minus(words: str) -> str:
    """Return words in which hyphens before numbers become minus signs.

    Only numbers with decimals are changed, so that names such as "B -3" or "in/-3.csv" are kept.
    """
    minus = re.sub(r"(?<![^\s(])-(?=\d+\.\d)", "\N{MINUS SIGN}", words)
    return minus.replace(" %", "\N{NO-BREAK SPACE}%")


def large_number(
    measure: str, value: float, *words: Markup | None, more: Sequence[Markup] = ()
) -> Markup:
    """Return a large number under the name of its measure, with comments.

    Parameters
    ----------
    measure, value
        Name of the measure, and its value.
    words
        Comments beside the number.
    more
        Further parts below, side by side, or on a narrow screen one below the other.
    """
    score = element("div", element("small", measure), number(value), class_="score")
    if more:
        under = element("div", *more, class_="more")
    else:
        under = None
    return element("div", score, element("div", *words, class_="words"), under, class_="headline")


def _further_sentences(contents: Contents) -> list[str]:
    """Return the sentences behind the verdict, caveats, and notes on skipped content."""
    comparison = contents.comparison
    computed = comparison.overall.computed
    units = sum(s.units for s in computed.values())
    if len(computed) != 1:
        documents = f"{with_commas(len(computed))} documents"
    else:
        documents = "1 document"
    sentences = [
        f"{len(comparison.pairs.annotators)} annotators, {documents}, {with_commas(units)} units."
    ]
    # The verdict already starts with the kinds of differences.
    parts = (part for name, part in comparison.parts.items() if name != "kinds")
    sentences += [headline for part in parts if (headline := part.headline())]
    sentences += map(sentence, comparison.overall.score.caveats())
    if contents.left_out:
        passed = sum(entry.count for entry in contents.left_out)
        if passed == 1:
            entries = "entry was"
        else:
            entries = "entries were"
        sentences.append(f"{passed} {entries} skipped; “Skipped while reading” says why.")
    return sentences


def _intervals(comparison: Comparison) -> list[str]:
    """Return the intervals of γ and its parts, for the methods section."""
    sentences = shown.intervals(comparison)
    score = comparison.overall.score
    place = 0
    if score.interval is not None:
        sentences[place] = sentences[place].replace(
            "(Monte-Carlo interval", "(Monte-Carlo interval, blue bar"
        )
        place += 1
    if comparison.bootstrap is not None:
        sentences[place] = sentences[place].replace(" confidence;", " confidence, orange bar;", 1)
    return sentences + score.remarks()


def _sections(contents: Contents) -> Iterator[tuple[str, str, Markup]]:
    """Return anchor, title and content of each section that is not empty."""
    comparison = contents.comparison
    computed = comparison.overall.computed
    viewed = {n: s.alignment for n, s in islice(computed.items(), page_tables.VIEWED)}
    cut = None
    if len(computed) > len(viewed):
        cut = hint(f"The first {page_tables.VIEWED} of {with_commas(len(computed))} documents.")
    if viewed:
        views = [alignment_document(alignment, n) for n, alignment in viewed.items()]
        yield "alignment", "Alignment", join(cut, alignment_view(views))
    if (drawn := planes(viewed, contents.images)) is not None:
        yield "shapes", "What was drawn", join(cut, drawn)
    if "kinds" in comparison.parts:
        listed = [*_part_tables(comparison.parts["kinds"])]
        if listed:
            yield "kinds", KINDS_TITLE, join(*listed)
    if contents.gold is not None:
        yield from _gold_section(contents.gold, viewed)
    if contents.calibration is not None:
        yield "meaning", "What this γ means", meaning(contents.calibration)
    if comparison.explanation is not None:
        yield "disorder", "Where the disagreement is", _disorder(comparison.explanation)
    if contents.values:
        yield "values", "Values to report", values_section(contents.values)
    yield "documents", "Documents", table(shown.documents(comparison), long=True)
    yield "annotators", "Annotators", _annotators(comparison)
    if (groups := comparison.groups) is not None:
        yield (
            "groups",
            "Groups of annotators",
            _table_with_words(shown.groups(groups), groups.in_words()),
        )
    if (twice := comparison.sessions) is not None:
        yield (
            "sessions",
            "The same people twice",
            _table_with_words(shown.sessions(twice), twice.in_words()),
        )
    if (ordered := comparison.over_time) is not None:
        words = "\n".join(ordered.in_words())
        yield "time", "Over time", _table_with_words(shown.over_time(ordered), words)
    if comparison.categories:
        yield "categories", "Categories", _categories(comparison)
    for name, part in comparison.parts.items():
        if name != "kinds":
            yield name, part.heading(), join(*_part_tables(part))
    if (reference := comparison.reference) is not None:
        title = f"{reference.name} against the annotators"
        yield "reference", title, page_tables.reference(reference)
    if (tested := contents.candidacy) is not None:
        people = table(shown.people(tested), long=True)
        title = f"May {tested.name} stand in for a person?"
        yield "replace", title, join(element("p", tested.in_words()), people)
    if (other := comparison.against) is not None:
        rounds = shown.rounds(comparison.overall.score, other.agreement.score)
        yield "rounds", "Against the other round", _table_with_words(rounds, other.in_words())
    if contents.left_out:
        yield "passed", "Skipped while reading", left_out(contents.left_out)
    yield "method", "For the methods section", _method(comparison)


def _part_tables(part: ComparisonPart) -> Iterator[Markup]:
    """Yield a part's tables under their titles."""
    for title, part_table in part.tables():
        if part_table.records:
            yield join(element("h3", title), table(part_table))


def _table_with_words(listed: Table, words: str) -> Markup:
    """Return a table, followed by a paragraph for each line of words."""
    return join(table(listed), *(element("p", sentence) for sentence in words.splitlines()))


def _gold_section(
    gold: CorpusConsensus, viewed: Mapping[str, Alignment]
) -> Iterator[tuple[str, str, Markup]]:
    """Return the units to review, and how much the gold standard trusts each annotator."""
    if gold.review:
        listed = page_tables.review(gold.documents, shown=viewed)
        yield "review", "To review, worst first", listed
    if (doubtful := gold_tables.links_to_review(gold.documents)).records:
        yield "links-review", "Links to review", table(doubtful, long=True)
    if gold.belief.fit or gold.belief.notes:
        yield "belief", "How reliable each annotator is", _belief(gold.belief)


def _disorder(explanation: Explanation) -> Markup:
    """Return sentences, the figure and the table of the components of the disorder."""
    (_, components), *_ = explanation_tables(explanation)
    return join(
        *(element("p", sentence) for sentence in explanation.in_words()),
        figures.disorder_figure(explanation),
        table(components),
        Markup(asset("disorder.html")),
    )


def _belief(belief: Belief) -> Markup:
    """Return the estimates of the model for each annotator, and its limits."""
    sentences = [*map(sentence, belief.notes)]
    listed = None
    if belief.fit is not None:
        sentences[:0] = [
            f"A model of each annotator's errors ({belief.weights}) is fitted to all documents and "
            "decides how much each annotator counts.",
            "A unit is kept if the model gives it a probability (its posterior) of at least "
            f"{belief.threshold:.2f}.",
        ]
        listed = table(gold_tables.annotator_qualities(belief.annotators), long=True)
    return join(element("p", " ".join(sentences)), listed)


def _annotators(comparison: Comparison) -> Markup:
    without = (element("p", s) for entry in comparison.without if (s := entry.in_words()))
    return element(
        "div",
        element("div", page_tables.annotators(comparison), *without),
        element("div", element("h3", "γ of each pair"), _pairs(comparison.pairs)),
        class_="stack",
    )


def _pairs(matrix: PairMatrix) -> Markup:
    """Return pairs of annotators as a matrix, or as a list if there are many annotators."""
    hints = map(hint, matrix.in_words())
    if len(matrix.annotators) <= _WIDEST:
        return join(table(shown.pairs(matrix), digits=2, seeks="annotators"), *hints)
    return join(table(shown.listed_pairs(matrix), digits=2, long=True), *hints)


def _categories(comparison: Comparison) -> Markup:
    return fill(
        asset("categories.html"),
        categories=table(shown.categories(comparison)),
        confusion=table(shown.confusion(comparison.confusion, corner=""), seeks="categories"),
    )


def meaning(calibration: Calibration) -> Markup:
    """Return sentence, curves and table of a calibration."""
    sets = join(f"{calibration.sets}")
    people = join(f"{calibration.n_annotators}")
    return join(
        element("p", calibration.in_words()),
        figures.calibration_figure(calibration),
        table(shown.equivalents(calibration)),
        fill(asset("meaning.html"), sets=sets, annotators=people),
    )


def _selection_in_words(score: Gamma) -> list[str]:
    """Return in words which parts of the files were selected or changed."""
    if not score.signature:
        return []
    entries = [f"{key} {', '.join(names)}" for key, names in parse(score.signature).selection]
    if entries:
        return [f"Options that select or read the data: {'; '.join(entries)}."]
    return []


def _method(comparison: Comparison) -> Markup:
    score = comparison.overall.score
    proof = "proven to be the best"
    if score.status != "optimal":
        proof = "not all of them are proven to be the best"
    return join(
        *map(_paragraph, _intervals(comparison)),
        fill(asset("method.html"), found=join(proof)),
        *(element("p", sentence) for sentence in _selection_in_words(score)),
        provenance(score.signature),
    )
