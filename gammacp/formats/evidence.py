"""Quotes that come with annotations, as evidence of how their offsets count.

Each reader collects the quotes in a file with their offsets, and asks `settle` for the convention
(`gammacp.formats.offsets`) under which every quote is found at its offsets. Nothing is guessed: it
is an error if no convention fits, or if several fit that place the spans differently.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gammacp.base.arguments import one_of
from gammacp.formats.conventions import FACT, ConventionNote, fact_of
from gammacp.formats.offsets import CODE_POINTS, Convention, CountedText, conventions
from gammacp.formats.source import Source
from gammacp.formats.spans import Spans

TRUST = "trust"
CHECKED = ("check", TRUST)
_BLANKS = re.compile(r"(?:\s|\\n)+")
_SHOWN = 40
# Fewer quoted characters than this in the whole file may fit other places by chance.
_LEAST = 4
# Largest number of quotes that are counted for an error message.
_COUNTED = 1000


@dataclass(frozen=True)
class Quote:
    """A span of a file with the text that the file says is there.

    Attributes
    ----------
    parts
        (start, end) of each fragment, as in the file; an end of None is where the text ends.
    text
        Quoted text, with fragments joined by a blank; None without a quote.
    what, line
        Name of the span in messages, and its line.
    """

    parts: tuple[tuple[int, int | None], ...]
    text: str | None
    what: str
    line: int | None = None


@dataclass
class Quoted:
    """The spans of one document, and the texts that they may be in.

    Attributes
    ----------
    texts
        Candidate texts, the likeliest first; none if the file has no text.
    optional
        Whether the document counts as one without a text if its quotes fit none of the texts.
    quotes
        All its spans, those without a quote included.
    has
        Name of the text in messages: "text", "task".
    """

    texts: Sequence[str]
    quotes: list[Quote] = field(default_factory=list)
    has: str = "text"
    optional: bool = False


@dataclass(frozen=True)
class Settled:
    """One document with the convention of its offsets.

    Attributes
    ----------
    text
        The text that the offsets are in, if there is any.
    counted
        The text with the convention of its offsets.
    notes
        Notes on it.
    """

    text: str | None
    counted: CountedText
    notes: tuple[ConventionNote, ...] = ()

    def places(self, quote: Quote) -> list[tuple[int | None, int | None]]:
        """Return the start and end of each fragment of a span, in code points.

        Parameters
        ----------
        quote
            The span.
        """
        return _places(quote, self.counted)

    def tell(self, spans: Spans) -> None:
        """State on a document how its offsets were read.

        Parameters
        ----------
        spans
            The document.
        """
        if self.notes:
            spans.facts[FACT] = fact_of(self.notes)


def settle(
    source: Source,
    documents: Sequence[Quoted],
    *,
    own: Sequence[Convention] = (CODE_POINTS,),
    first: Sequence[Convention] = (),
    offsets: str = "check",
    hint: str = "",
) -> list[Settled]:
    """Find the convention under which every quote of a file is found at its offsets.

    Parameters
    ----------
    source
        The file.
    documents
        All documents of the file.
    own
        Conventions that are usual in this format, the default first. They are tried first, and
        each document may have another one of them.
    first
        Conventions that are tried next, on the whole file. The first one that fits all quotes is
        used, even if others would fit as well.
    offsets
        "check", or "trust" to go by the offsets alone in the first of the format's own.
    hint
        Other advice if the quotes do not fit.

    Raises
    ------
    DataError
        The quotes fit under no convention, or under several that place the spans differently.
    """
    one_of("offsets", offsets, CHECKED)
    if offsets == TRUST:
        return [Settled(_first(d), own[0].of(_first(d) or "")) for d in documents]
    usual = [_usual(document, own) for document in documents]
    if all(fit is not None for fit in usual):
        return [
            _noted(source, d, *fit, own) for d, fit in zip(documents, usual, strict=True) if fit
        ]
    if _quoted_characters(documents) < _LEAST:
        raise _misfit(source, documents, own, hint)
    for convention in first:
        if (settled := _all(documents, convention)) is not None:
            return _told(source, documents, convention, settled)
    fitting = [(c, readings) for c in conventions() if (readings := _all(documents, c)) is not None]
    if not fitting:
        raise _misfit(source, documents, own, hint)
    one, settled = fitting[0]
    for convention, other in fitting[1:]:
        if _spots(documents, settled) != _spots(documents, other):
            raise source.error(
                f"quotes do not fit where they are; they fit if {one.words}, but also if "
                f"{convention.words}, in other places",
                hint=f"{_trusting(hint)}, once they are corrected",
            )
    return _told(source, documents, one, settled)


def _told(
    source: Source,
    documents: Sequence[Quoted],
    convention: Convention,
    settled: Sequence[Settled],
) -> list[Settled]:
    """Return the documents with a note that they are read by another convention."""
    count = sum(q.text is not None for d in documents for q in d.quotes)
    evidence = (
        f"offsets do not fit what the file quotes, but all quotes fit if {convention.words}; they "
        "are read in this way"
    )
    note = ConventionNote(source.place, convention.name, evidence, applied=True, quotes=count)
    return [Settled(s.text, s.counted, (note,)) for s in settled]


def _quoted_characters(documents: Sequence[Quoted]) -> int:
    return sum(len((q.text or "").strip()) for d in documents for q in d.quotes)


def _trusting(hint: str) -> str:
    trusting = "give `read(offsets=trust)` to go by the offsets alone"
    if hint:
        return f"{hint}, or {trusting}"
    return trusting[0].upper() + trusting[1:]


def _first(document: Quoted) -> str | None:
    if document.texts:
        return document.texts[0]
    return None


def _usual(
    document: Quoted, conventions: Sequence[Convention]
) -> tuple[Convention, Settled] | None:
    """Return the first of the format's own conventions that a document fits; None without any."""
    for convention in conventions:
        if (settled := _fit(document, convention)) is not None:
            return convention, settled
    if document.optional:
        return conventions[0], Settled(None, conventions[0].of(""))
    return None


def _noted(
    source: Source,
    document: Quoted,
    convention: Convention,
    settled: Settled,
    conventions: Sequence[Convention],
) -> Settled:
    counts = settled.counted
    plain = conventions[0].of(settled.text or "")
    unlike = convention != conventions[0] and _differ(document, counts, plain)
    if not unlike:
        return settled
    evidence = f"all quotes fit if {convention.words}, as this format may have them"
    count = sum(q.text is not None for q in document.quotes)
    note = ConventionNote(
        source.place, convention.name, evidence, applied=True, usual=True, quotes=count
    )
    return Settled(settled.text, counts, (note,))


def _differ(document: Quoted, one: CountedText, other: CountedText) -> bool:
    return any(_places(q, one) != _places(q, other) for q in document.quotes)


def _all(documents: Sequence[Quoted], convention: Convention) -> list[Settled] | None:
    """Return all documents under a convention; None if a quote does not fit."""
    settled_documents: list[Settled] = []
    for document in documents:
        settled = _fit(document, convention, strict=True)
        if settled is None and document.optional:
            settled = Settled(None, convention.of(""))
        if settled is None:
            return None
        settled_documents.append(settled)
    return settled_documents


def _fit(document: Quoted, convention: Convention, *, strict: bool = False) -> Settled | None:
    """Return the document under a convention, with the first text that fits all quotes, or None.

    Parameters
    ----------
    strict
        Whether spans without a quote must be in a text, too.
    """
    quoted = any(q.text is not None for q in document.quotes)
    if not document.texts or not (quoted or strict):
        return Settled(_first(document), convention.of(_first(document) or ""))
    for text in document.texts:
        counted = convention.of(text)
        checked = (q for q in document.quotes if strict or q.text is not None)
        if all(_fits(text, q, counted) for q in checked):
            return Settled(text, counted)
    return None


def _places(quote: Quote, counted: CountedText) -> list[tuple[int | None, int | None]]:
    spans: list[tuple[int | None, int | None]] = []
    for start, end in quote.parts:
        if end is None:
            low = counted.place(start)
            spans.append((low, None if low is None else low + len(quote.text or "")))
        else:
            spans.append(counted.span(start, end))
    return spans


def _fits(text: str, quote: Quote, counted: CountedText) -> bool:
    pieces: list[str] = []
    for start, end in _places(quote, counted):
        if start is None or end is None or not 0 <= start <= end <= len(text):
            return False
        pieces.append(text[start:end])
    covered = " ".join(pieces)
    return quote.text is None or covered == quote.text or _plain(covered) == _plain(quote.text)


def _plain(text: str) -> str:
    """Return a text as tools may quote it: line breaks and composed characters vary."""
    return unicodedata.normalize("NFC", _BLANKS.sub(" ", text)).removeprefix("\ufeff")


def _spots(documents: Sequence[Quoted], settled: Sequence[Settled]) -> list[object]:
    pairs = zip(documents, settled, strict=True)
    return [s.places(quote) for document, s in pairs for quote in document.quotes]


def _misfit(
    source: Source, documents: Sequence[Quoted], conventions: Sequence[Convention], hint: str
) -> Exception:
    """Return an error on the first quote that does not fit, with counts of those that do."""
    usual, has, first = next(_misfits(documents, conventions))
    message = f"{first.what}: {_problem(usual, has, first)}"
    counts = _counts(documents, conventions[0])
    if counts:
        message += f"; {counts}"
    return source.error(message, line=first.line, hint=_trusting(hint))


def _misfits(
    documents: Sequence[Quoted], conventions: Sequence[Convention]
) -> Iterator[tuple[str, str, Quote]]:
    for document in documents:
        if _usual(document, conventions) is None:
            text = document.texts[0]
            counted = conventions[0].of(text)
            for quote in document.quotes:
                if quote.text is not None and not _fits(text, quote, counted):
                    yield text, document.has, quote


def _problem(text: str, has: str, quote: Quote) -> str:
    end = quote.parts[-1][1]
    if end is not None and end > len(text):
        return f"end {end} lies beyond the text of {len(text)} characters"
    start = quote.parts[0][0]
    if end is not None:
        where = f"{start}-{end}"
    else:
        where = f"{start}"
    return f"{(quote.text or '')[:_SHOWN]!r} is not what the {has} has at {where}"


def _counts(documents: Sequence[Quoted], usual: Convention) -> str:
    """Describe how many quotes fit the best convention, or two that together fit all of them."""
    fitting = {c: _which_fit(documents, c) for c in dict.fromkeys((usual, *conventions()))}
    total = min(_COUNTED, sum(q.text is not None for d in documents for q in d.quotes))
    if total < _COUNTED:
        quotes = f"{total} quotes"
    else:
        quotes = f"the first {total} quotes"
    best = max(fitting, key=lambda c: len(fitting[c]))
    rest = {c: fitting_quotes - fitting[best] for c, fitting_quotes in fitting.items()}
    other = max(rest, key=lambda c: len(rest[c]))
    many = len(fitting[best])
    few = len(rest[other])
    if few and many + few == total:
        return (
            f"the quotes contradict each other: {many} of {quotes} fit if {best.words}, {few} if "
            f"{other.words}"
        )
    if many:
        return f"{many} of {quotes} fit if {best.words}"
    return ""


def _which_fit(documents: Sequence[Quoted], convention: Convention) -> set[tuple[int, int]]:
    fitting: set[tuple[int, int]] = set()
    remaining = _COUNTED
    for number, document in enumerate(documents):
        quoted = [(i, q) for i, q in enumerate(document.quotes) if q.text is not None][:remaining]
        remaining -= len(quoted)
        for text in document.texts[:1] if quoted else ():
            counted = convention.of(text)
            fitting |= {(number, i) for i, quote in quoted if _fits(text, quote, counted)}
    return fitting
