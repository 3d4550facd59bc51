"""JSON lines of span annotation: factgenie's campaigns, Mu-SHROOM's hallucinated spans.

After factgenie (ufal/factgenie: crowdsourcing.py, workflows.py): a record of an example has
`metadata` with the annotator and the categories, `annotations` of `start`, `text` and `type` (the
category's number), and the `output` that was annotated. After the task description of Mu-SHROOM
(SemEval 2025 task 3, helsinki-nlp.github.io/shroom): a record has `model_output_text`,
`hard_labels` [[start, end], …] and `soft_labels` [{"start", "end", "prob"}, …].
"""

from pathlib import Path

from gammacp.arguments import one_of
from gammacp.continuum import Corpus
from gammacp.errors import UsageError
from gammacp.formats.offsets import from_utf16
from gammacp.formats.records import Record, mapping, name, objects, records, size, string
from gammacp.formats.registry import holding, registered
from gammacp.formats.source import Source
from gammacp.formats.spans import CHARACTERS, Documents


def read_factgenie(source: Source) -> Corpus:
    """One document per example and set-up.

    Raises
    ------
    DataError
        A record has no example, or an annotation is not what its output has in its place.

    Notes
    -----
    Positions
        characters (code points; UTF-16 is converted)
    Annotators
        `annotator_id`, else `annotator_group`, else the campaign
    Category
        category of the annotation's `type`
    Spans
        every annotation is a unit: overlapping and repeated ones are kept; flags, options, sliders
        and texts are left out
    """
    documents = Documents(source, CHARACTERS)
    for record, line in records(source):
        parts = [name(record.get(k)) for k in ("dataset", "split", "setup_id", "example_idx")]
        if None in parts:
            raise source.error("record has no dataset, split, setup_id and example_idx", line=line)
        about = mapping(record.get("metadata"))
        keys = ("annotator_id", "annotator_group", "campaign_id", "id")
        who = next((w for k in keys if (w := name(about.get(k)))), source.annotator)
        listed = objects(source, about, "annotation_span_categories", line=line, missing_ok=True)
        categories = {str(i): name(c.get("name")) for i, c in enumerate(listed)}
        key = "/".join(p or "" for p in parts)
        text = record.get("output")
        spans = documents.of(key, text if isinstance(text, str) else None, line=line)
        if who in spans.annotators:
            raise source.error(f"{who} annotated {key} twice", line=line, hint="Keep one record")
        spans.declare(who)
        for annotation in objects(source, record, "annotations", line=line):
            kind = name(annotation.get("type"))
            label = categories.get(kind or "", kind)
            start, end = _placed(source, annotation, spans.text, line)
            spans.add(who, label, start, end, line=line, what=key)
        for kind in ("flags", "options", "sliders", "text_fields"):
            what = "is about the whole example"
            spans.leave_out(kind.removesuffix("s"), what, size(record.get(kind)))
    return documents.corpus()


def _placed(
    source: Source, annotation: Record, text: str | None, line: int | None
) -> tuple[object, object]:
    """Where an annotation is: it has a start and what it covers, both in one kind of characters."""
    start, quote = annotation.get("start"), string(source, annotation, "text", line=line)
    if type(start) is not int or start < 0:
        raise source.error(f"start {start!r} is not a character position", line=line)
    if text is None or text.startswith(quote, start):
        return start, start + len(quote)
    place = from_utf16(text)(start)
    if place is None or not text.startswith(quote, place):
        raise source.error(f"{quote[:40]!r} is not what the output has at {start}", line=line)
    return place, place + len(quote)


def read_mu_shroom(source: Source, *, labels: str = "hard", least: str = "0") -> Corpus:
    """One document per record; a file is an annotator, of a system or of the reference.

    Parameters
    ----------
    labels
        "hard" or "soft": which spans are the units.
    least
        Probability that soft spans must have at least.

    Raises
    ------
    DataError
        A record has no id or text, or a span lies outside it.

    Notes
    -----
    Positions
        characters (code points)
    Annotators
        the file's name; with `annotations` by annotator, these
    Category
        none: spans are unlabelled
    Spans
        hard labels are units (`--option labels=soft`: soft ones, from the probability
        `--option least=0.5` on); the others are left out
    """
    one_of("labels", labels, ("hard", "soft"))
    try:
        bound = float(least)
    except ValueError:
        raise UsageError(f"least {least!r} is not a probability") from None
    documents = Documents(source, CHARACTERS)
    for record, line in records(source):
        key = name(record.get("id"))
        if key is None or key in documents.found:
            raise source.error(f"record has {'no id' if key is None else 'an id twice'}", line=line)
        text = record.get("model_output_text")
        spans = documents.of(key, text if isinstance(text, str) else None, line=line)
        soft = objects(source, record, "soft_labels", line=line, missing_ok=True)
        hard = record.get("hard_labels", [])
        chosen = mapping(record.get("annotations")) or {source.annotator: hard}
        if mapping(record.get("annotations")):
            spans.leave_out("label", "of the vote, not of an annotator", size(hard) + len(soft))
        elif labels == "soft":
            sure = [source.position(str(s.get("prob")), "probability", line=line) for s in soft]
            kept = [s for s, p in zip(soft, sure, strict=True) if p >= bound]
            chosen = {source.annotator: [[s.get("start"), s.get("end")] for s in kept]}
            spans.leave_out("label", "hard label", size(hard))
            spans.leave_out("label", f"less probable than {bound:g}", len(soft) - len(kept))
        else:
            spans.leave_out("label", "soft label", len(soft))
        for who, listed in chosen.items():
            spans.declare(who)
            if not isinstance(listed, list) or not all(
                isinstance(x, list) and len(x) == 2 for x in listed
            ):
                raise source.error("labels are not a list of [start, end]", line=line)
            for start, end in listed:
                spans.add(who, None, start, end, line=line, what=key)
    return documents.corpus()


def _sniff_mu_shroom(head: bytes, path: Path) -> bool:
    first = head.split(b"\n", 1)[0]
    own = b'"hard_labels":' in first or b'"soft_labels":' in first
    # doccano and Prodigy keep the columns of what they were given.
    others = (b'"label":', b'"labels":', b'"entities":', b'"spans":', b'"start_offset":')
    return holding(".jsonl", b'"id":')(first, path) and own and not any(k in first for k in others)


registered(
    "factgenie",
    "factgenie JSONL",
    (".jsonl",),
    holding(".jsonl", b'"example_idx"', b'"setup_id"'),
    read_factgenie,
    layout="{annotator}",
)
registered(
    "mu-shroom",
    "Mu-SHROOM JSONL",
    (".jsonl",),
    _sniff_mu_shroom,
    read_mu_shroom,
    layout="{annotator}",
)
