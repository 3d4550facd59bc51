"""JSON lines of span annotation: factgenie's campaigns, Mu-SHROOM's hallucinated spans.

After factgenie (ufal/factgenie: crowdsourcing.py, workflows.py): a record of an example has
`metadata` with the annotator and the categories, `annotations` of `start`, `text` and `type` (the
category's number), and the `output` that was annotated. After the task description of Mu-SHROOM
(SemEval 2025 task 3, helsinki-nlp.github.io/shroom): a record has `model_output_text`,
`hard_labels` [[start, end], …] and `soft_labels` [{"start", "end", "prob"}, …].
"""

from gammacp.base.arguments import one_of
from gammacp.continuum import Corpus
from gammacp.errors import UsageError
from gammacp.formats.evidence import Quote, Quoted, settle
from gammacp.formats.offsets import CODE_POINTS, IN_UTF_16
from gammacp.formats.records import records
from gammacp.formats.registry import registered, sniff_ending_and_keys
from gammacp.formats.source import Record, Source
from gammacp.formats.spans import CHARACTERS, Documents, Spans


def read_factgenie(source: Source, *, annotator: str = "id", offsets: str = "check") -> Corpus:
    """Return one document per example and set-up.

    Parameters
    ----------
    annotator
        "id": annotators are people and models; "group": they are the annotator groups of each
        campaign, between which factgenie itself measures agreement. A group has one annotation of
        each example, by one of several people.
    offsets
        "check": the unit in which offsets count is inferred from the texts of annotations; "trust":
        offsets are code points, whatever these texts are.

    Raises
    ------
    DataError
        A record has no example or no annotator group, or the texts of annotations fit their
        outputs under no convention.

    Notes
    -----
    Positions
        characters (code points; UTF-16 and other conventions that all quotes fit are converted, and
        `--option offsets=trust` goes by the offsets alone)
    Annotators
        `annotator_id`, else CAMPAIGN-anngroup-GROUP of `annotator_group`, else the campaign
        (`--option annotator=group`: always the group); the other name is left out if it differs
    Category
        category of the annotation's `type`
    Spans
        every annotation is a unit: overlapping and repeated ones are kept; flags, options, sliders
        and text fields are left out
    """
    one_of("annotator", annotator, ("id", "group"))
    documents = Documents(source, CHARACTERS)
    unused_names: set[str] = set()
    quoted: list[Quoted] = []
    added: list[tuple[Spans, str, list[str | None]]] = []
    for record in records(source):
        who, unused = _annotator(record, by_group=annotator == "group")
        if unused is not None:
            unused_names.add(unused)
        categories = _categories(record)
        key = _example(record)
        spans = documents.of(key, record.text("output"), line=record.line)
        if who in spans.annotators:
            raise record.error(f"{who} annotated {key} twice", hint="Keep one record")
        spans.declare(who)
        listed = record.objects("annotations")
        quotes = [_quote(annotation, key) for annotation in listed]
        # Each record is settled by itself, because models and browsers count differently.
        texts = [] if spans.text is None else [spans.text]
        quoted.append(Quoted(texts, quotes, has="output"))
        kinds = [annotation.name("type") for annotation in listed]
        added.append((spans, who, [categories.get(kind or "", kind) for kind in kinds]))
        _leave_out_ratings(spans, record)
    if len(unused_names) > 1:
        other = "id" if annotator == "group" else "group"
        reason = f"is not the annotator (`annotator={other}` makes it one)"
        documents.leave_out(f"annotator {other}", reason, len(unused_names))
    conventions = (CODE_POINTS, IN_UTF_16)
    settled_documents = settle(source, quoted, own=conventions, offsets=offsets)
    for (spans, who, labels), document, settled in zip(
        added, quoted, settled_documents, strict=True
    ):
        settled.tell(spans)
        for label, quote in zip(labels, document.quotes, strict=True):
            ((start, end),) = settled.places(quote)
            spans.add(who, label, start, end, line=quote.line, what=quote.what)
    return documents.corpus()


def _leave_out_ratings(spans: Spans, record: Record) -> None:
    """Count what a record says about the whole example, which is no span."""
    for kind in ("flags", "options", "sliders", "text_fields"):
        count = record.size(kind)
        spans.leave_out(kind.removesuffix("s"), "is about the whole example", count)


def _example(record: Record) -> str:
    """Return the name of the document that a record annotates: an example and a set-up."""
    parts = [record.name(key) for key in ("dataset", "split", "setup_id", "example_idx")]
    if None in parts:
        raise record.error("record lacks one of dataset, split, setup_id, example_idx")
    return "/".join(part or "" for part in parts)


def _annotator(record: Record, *, by_group: bool) -> tuple[str, str | None]:
    """Return the name of a record's annotator, and the name that it could have instead, if any."""
    about = record.inner("metadata")
    person = about.name("annotator_id")
    group = _group(about)
    if by_group:
        if group is None:
            raise record.error("record has no annotator_group")
        return group, person
    if person is not None:
        return person, group
    return group or about.name("campaign_id", "id") or record.source.annotator, None


def _categories(record: Record) -> dict[str, str | None]:
    """Return the names of a record's categories by the number that annotations have as type."""
    listed = record.inner("metadata").objects("annotation_span_categories", missing_ok=True)
    return {str(number): category.name("name") for number, category in enumerate(listed)}


def _group(about: Record) -> str | None:
    """Return the annotator group of a record as factgenie calls it; None without a group."""
    group = about.name("annotator_group")
    campaign = about.name("campaign_id", "id")
    if group is None or campaign is None:
        return group
    return f"{campaign}-anngroup-{group}"


def _quote(annotation: Record, key: str) -> Quote:
    """Return the place of an annotation, which has a start and the text that it covers."""
    start = annotation.get("start")
    covered = annotation.string("text")
    if type(start) is not int or start < 0:
        raise annotation.error(f"start {start!r} is not a character position")
    return Quote(((start, None),), covered, key, annotation.line)


def read_mu_shroom(source: Source, *, labels: str = "hard", least: str = "0") -> Corpus:
    """Return one document per record; a file holds one annotator, a system or the reference.

    Parameters
    ----------
    labels
        Kind of the spans that are units: "hard" or "soft".
    least
        Smallest probability of soft spans that are read.

    Raises
    ------
    DataError
        A record has no id or text, or a span lies outside it.

    Notes
    -----
    Positions
        characters (code points)
    Annotators
        the file's name; if records have `annotations` by annotator, these annotators
    Category
        none: units are unlabelled
    Spans
        hard labels are units and soft labels are left out (`--option labels=soft`: the reverse;
        `--option least=0.5`: only soft labels with at least that probability)
    """
    one_of("labels", labels, ("hard", "soft"))
    try:
        bound = float(least)
    except ValueError:
        raise UsageError(f"least {least!r} is not a probability") from None
    documents = Documents(source, CHARACTERS)
    for record in records(source):
        key = record.name("id")
        line = record.line
        if key is None or key in documents.spans_by_name:
            raise record.error(f"record has {'no id' if key is None else 'an id twice'}")
        spans = documents.of(key, record.text("model_output_text"), line=line)
        soft = record.objects("soft_labels", missing_ok=True)
        annotations = record.inner("annotations")
        if not annotations and f"{labels}_labels" not in record:
            if labels == "hard":
                other = "soft"
            else:
                other = "hard"
            hint = f"Its other labels are read with `read(labels={other})`"
            raise record.error(f"record has no {labels}_labels", hint)
        chosen = annotations or {source.annotator: record.get("hard_labels", [])}
        if annotations:
            count = record.size("hard_labels") + len(soft)
            spans.leave_out("label", "of the vote, not of an annotator", count)
        elif labels == "soft":
            probable = [s for s in soft if s.position("prob", "probability") >= bound]
            chosen = {source.annotator: [[s.get("start"), s.get("end")] for s in probable]}
            spans.leave_out("label", "hard label", record.size("hard_labels"))
            spans.leave_out("label", f"less probable than {bound:g}", len(soft) - len(probable))
        else:
            spans.leave_out("label", "soft label", len(soft))
        for who, listed in chosen.items():
            spans.declare(who)
            if isinstance(listed, list):
                pairs = listed
            else:
                pairs = [listed]
            if not all(isinstance(x, list) and len(x) == 2 for x in pairs):
                raise record.error("labels are not a list of [start, end]")
            for start, end in pairs:
                spans.add(who, None, start, end, line=line, what=key)
    return documents.corpus()


registered(
    "factgenie",
    "factgenie JSONL",
    (".jsonl",),
    sniff_ending_and_keys(".jsonl", b'"example_idx"', b'"setup_id"'),
    read_factgenie,
    layout="{annotator}",
)
registered(
    "mu-shroom",
    "Mu-SHROOM JSONL",
    (".jsonl",),
    sniff_ending_and_keys(
        ".jsonl",
        b'"id":',
        (b'"hard_labels":', b'"soft_labels":'),
        # Exports of doccano and Prodigy keep the keys of their input, so they may have these, too.
        none_of=(b'"label":', b'"labels":', b'"entities":', b'"spans":', b'"start_offset":'),
        first_line=True,
    ),
    read_mu_shroom,
    layout="{annotator}",
)
