"""The real corpora of the atlas: a row of a table each, with its reader, licence and source."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gammacp.continuum import Continuum, Unit
from gammacp.errors import GammacpError
from gammacp.formats.reading import read_corpus
from gammacp.segmentation import read_codings

Documents = Mapping[str, Continuum]
MODELS = ("claude", "deepseek", "gemini", "gpt4o", "llama3", "o3-mini")


@dataclass(frozen=True)
class RealCorpus:
    """One corpus, with its place under `--data DIR` and the source to download it from.

    `people` tells whether annotators are the same in all documents, so that they can be compared.
    """

    name: str
    path: str
    about: str
    licence: str
    source: str
    read: Callable[[Path], Documents]
    people: bool = False


def _spans(path: Path) -> Documents:
    return dict(read_corpus(path).continua)


def _types(path: Path) -> Documents:
    """Return spans as `_spans` does, with the first part of "Fluency/Punctuation" as category."""
    return {
        name: Continuum.from_units(
            [Unit(u.annotator, u.start, u.end, (u.category or "").partition("/")[0]) for u in c],
            annotators=c.annotators,
            bounds=c.bounds,
        )
        for name, c in _spans(path).items()
    }


def _texts(pattern: str) -> Callable[[Path], Documents]:
    """Return a file per document."""
    return lambda path: {p.stem: next(iter(_spans(p).values())) for p in sorted(path.glob(pattern))}


def _segments(path: Path) -> Documents:
    """Segmentations as units that cover everything, without categories."""
    names = [n for n in json.loads(path.read_text("utf-8")) if not n.endswith("_hypotheses")]
    codings = read_codings(path)
    continua = {}
    for name in names:
        units, mass = [], 0
        for coder, segmentation in codings[name].items():
            ends = np.cumsum(segmentation.masses)
            mass = int(ends[-1])
            starts = [0, *ends[:-1]]
            units += [Unit(coder, float(a), float(b)) for a, b in zip(starts, ends, strict=True)]
        continua[name] = Continuum.from_units(units, bounds=(0.0, float(mass)))
    return continua


CORPORA = (
    RealCorpus(
        "toxic spans", "crowds/toxic-spans.csv", "toxic passages of comments, 3–7 workers",
        "CC0", "github.com/ipavlopoulos/toxic_spans, data", _spans,
    ),
    RealCorpus(
        "MQM en–de", "crowds/wmt23-mqm-ende.csv", "errors in translations, 3 of 10 raters",
        "Apache-2.0", "github.com/google/wmt-mqm-human-evaluation, generalMT2023", _types, True,
    ),
    RealCorpus(
        "D2T errors", "crowds/llm-spans", "errors in generated texts, 29 people and 6 models",
        "MIT", "github.com/llm-span-annotators/span-annotation", _texts("d2t-*.csv"), True,
    ),
    RealCorpus(
        "D2T trial", "crowds/llm-spans", "the same task on two texts, 209 people",
        "MIT", "github.com/llm-span-annotators/span-annotation", _texts("qualification-*.csv"),
    ),
    RealCorpus(
        "names (CoNLL)", "formats/brat", "named entities, 4 annotators",
        "MIT", "github.com/kldtz/bratiaa, example-files", _spans, True,
    ),
    RealCorpus(
        "Moonstone", "segmentation/moonstone.json", "topics of chapters, 4 or 6 coders",
        "BSD-3", "github.com/cfournie/segmentation.evaluation", _segments,
    ),
    RealCorpus(
        "Stargazer", "segmentation/hearst1997.json", "topics of one text, 7 coders",
        "BSD-3", "github.com/cfournie/segmentation.evaluation", _segments,
    ),
)  # fmt: skip


def read(corpus: RealCorpus, data: Path | None) -> Documents | str:
    """Return the documents of a corpus, or the reason why there are none."""
    if data is None:
        return "no --data DIR"
    path = data / corpus.path
    if not path.exists():
        return f"{corpus.path} is not there"
    try:
        return corpus.read(path) or f"{corpus.path} holds no document"
    except GammacpError as error:
        return str(error)
