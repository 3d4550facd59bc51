"""segeval's JSON of segmentations.

After SegEval (Fournier 2013; segeval.data.jsonutils): {"items": {item: {coder: [masses]}}}, or
the inner object alone. A mass is how many smallest parts (sentences, paragraphs) a segment has.
Segments are unlabelled units that cover the item from 0 on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import accumulate, pairwise
from pathlib import Path

from gammacp.continuum import Corpus
from gammacp.formats.registry import Format, register
from gammacp.formats.source import Source
from gammacp.formats.spans import Documents


def read(source: Source) -> Corpus:
    """One document per item."""
    root = source.json()
    items = root.get("items", root) if isinstance(root, dict) else None
    if not isinstance(items, dict):
        raise source.error("JSON is not {item: {coder: [masses]}}")
    documents = Documents(source, "parts")
    for item, coders in items.items():
        if not isinstance(coders, dict):
            raise source.error(f"item {item!r} is not {{coder: [masses]}}")
        _read_item(source, documents, item, coders)
    return documents.corpus()


def _read_item(
    source: Source, documents: Documents, item: str, coders: Mapping[str, object]
) -> None:
    spans = documents.of(item)
    totals: dict[str, int] = {}
    for coder, masses in coders.items():
        if not isinstance(masses, list) or not all(type(m) is int and m > 0 for m in masses):
            raise source.error(f"masses of {coder!r} in {item!r} are not positive whole numbers")
        spans.declare(coder)
        edges = [0, *accumulate(masses)]
        totals[coder] = edges[-1]
        for start, end in pairwise(edges):
            spans.add(coder, None, start, end, what=f"item {item!r}")
    if len(set(totals.values())) > 1:
        listed = ", ".join(f"{coder} {total}" for coder, total in totals.items())
        raise source.error(
            f"masses of {item!r} do not sum to the same length: {listed}",
            hint="Coders of one item segment the same text",
        )


_START = re.compile(rb'\s*\{\s*(?:"items"\s*:\s*\{\s*)?"[^"]*"\s*:\s*\{\s*"[^"]*"\s*:\s*\[\s*\d')


def _sniff(head: bytes, path: Path) -> bool:
    named = b'"segmentation_type"' in head
    return path.suffix.lower() == ".json" and (named or _START.match(head) is not None)


FORMAT = register(
    Format(
        name="segeval",
        title="segeval JSON",
        extensions=(".json",),
        sniff=_sniff,
        read=read,
        offset_unit="smallest parts (sentences, paragraphs)",
        annotators="coder's key",
        category="none: segments are unlabelled",
        policy="segments cover the item without gaps",
        many=True,
    )
)
