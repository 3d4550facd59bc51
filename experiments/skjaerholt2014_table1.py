"""Skjærholt 2014, Table 1: sentences, tokens and annotators of the Copenhagen treebanks."""

from __future__ import annotations

from pathlib import Path

from experiments._common import write_csv
from experiments._treebanks import CORPORA, corpus

PUBLISHED = {"da": (162, 2394), "en": (264, 5528), "es": (55, 924), "it": (136, 3057)}


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Write counts beside the printed ones, and the defects of each corpus."""
    del quick
    rows, defects = [], []
    for name in CORPORA:
        read = corpus(name, data)
        treebank = read.treebank
        by_text = {item.document: len(item.annotations) for item in treebank.items}
        rows.append(
            {
                "corpus": name,
                "sentences": len(treebank.shared_items),
                "sentences_published": PUBLISHED[name][0],
                "tokens": sum(item.n_tokens for item in treebank.shared_items),
                "tokens_published": PUBLISHED[name][1],
                "annotators": len(treebank.annotators),
                "annotators_per_text": sum(by_text.values()) / len(by_text),
                "fewest": min(by_text.values()),
                "most": max(by_text.values()),
            }
        )
        kinds = sorted({str(d.kind) for d in read.defects})
        for kind in kinds:
            count = sum(str(d.kind) == kind for d in read.defects)
            defects.append({"corpus": name, "defect": kind, "count": count})
    write_csv(out / "table1.csv", rows)
    write_csv(out / "defects.csv", defects)
