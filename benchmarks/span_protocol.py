"""Kasner et al. (2025), "Large Language Models as Span Annotators", from their public data.

    git clone https://github.com/llm-span-annotators/span-annotation
    python benchmarks/span_protocol.py span-annotation [--task iaa] [--tables FOLDER]

Each model against all people of a task (the first row: each person against the others), by the
formulas of factgenie's `iaa` commands, with which the paper computes its table: counts of each
document and category (Pearson's r), F₁ of characters with equal categories (hard) or any (soft),
the mean γ of documents in which two annotators marked something, as pygamma-agreement gives it with
the seed 42, and S_empty = 1 / (1 + units), the mean of the other documents. factgenie's F₁ leaves
out documents in which one side marked nothing; beside it stands F₁ of all documents.

`--tables` writes the spans without any text, for `gammacp replace --protocol`. The first record
counts where somebody annotated a document twice.
"""

from __future__ import annotations

import argparse
import csv
import json
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Span = tuple[int, int, str]
Annotations = dict[str, dict[str, list[Span]]]
"""Spans by document and annotator; an annotator who marked nothing has an empty list."""

CROWD = "iaa"
"""A task that 29 people did: only for `--tables`; pygamma-agreement cannot align so many."""
TASKS: Mapping[str, tuple[str, str]] = {
    CROWD: ("human/d2t-eval/iaa", "model/d2t-eval/iaa"),
    "d2t": ("human/d2t-eval/test", "model/d2t-eval/test"),
    "mt": ("human/mt-eval", "model/mt-eval/zeroshot"),
    "propaganda": ("human/propaganda", "model/propaganda/zeroshot"),
}
COLUMNS = (
    "task",
    "model",
    "documents",
    "people",
    "units_model",
    "units_people",
    "r",
    "f1_hard",
    "f1_soft",
    "f1_hard_all",
    "f1_soft_all",
    "gamma",
    "gamma_documents",
    "s_empty",
    "s_empty_documents",
)


@dataclass(frozen=True)
class Task:
    """One task of the paper.

    Attributes
    ----------
    people, models
        Their annotations by document and name.
    repeated
        Number of records that were left out because the same annotator had one of the document.
    missing
        Models without a file.
    """

    people: Annotations
    models: dict[str, Annotations]
    repeated: int
    missing: tuple[str, ...]


def read_task(folder: Path, name: str) -> Task:
    """Read the people and models of a task.

    Parameters
    ----------
    folder
        The clone.
    name
        Name of one of `TASKS`.
    """
    human, model = (folder / "annotations" / part for part in TASKS[name])
    people, repeated = read_annotations(human / "annotations.jsonl", "group-{group}")
    models = {}
    missing = []
    for path in sorted(p for p in model.iterdir() if p.is_dir()):
        title = path.name.removeprefix("zeroshot-")
        file = path / "annotations.jsonl"
        if not file.exists():
            missing.append(title)
            continue
        models[title], twice = read_annotations(file, title)
        repeated += twice
    return Task(people, models, repeated, tuple(missing))


def read_annotations(path: Path, name: str) -> tuple[Annotations, int]:
    """Read a file of annotations, and count the records that are left out.

    Parameters
    ----------
    path
        One record of a document and an annotator a line.
    name
        Names of the annotators; {group} stands for the record's group.
    """
    annotations: Annotations = defaultdict(dict)
    repeated = 0
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            # Numbers of examples are not unique among translations; those of WMT are.
            number = "orig_example_idx" if "orig_example_idx" in record else "example_idx"
            keys = ("dataset", "split", "setup_id", number)
            # Systems are written in capitals by people's files of translations, and not by models'.
            document = "/".join(str(record[key]) for key in keys).lower()
            who = name.format(group=record["annotator_group"])
            if who in annotations[document]:
                repeated += 1
                continue
            annotations[document][who] = [*spans_of(record["annotations"])]
    return dict(annotations), repeated


def spans_of(annotations: Iterable[Mapping[str, Any]]) -> Iterator[Span]:
    """Yield the spans that cover any character; pygamma-agreement takes no others."""
    for one in annotations:
        start = int(one["start"])
        end = start + len(one["text"])
        if start < end:
            yield start, end, f"type {one['type']}"


@dataclass
class Overlap:
    """Characters of two sides and those that both cover."""

    first: int = 0
    second: int = 0
    both: int = 0

    def add(self, first: np.ndarray, second: np.ndarray) -> None:
        """Add a document: how many spans cover each character, by category or not."""
        self.first += int(first.sum())
        self.second += int(second.sum())
        self.both += int(np.minimum(first, second).sum())

    @property
    def f1(self) -> float:
        """F₁ of characters."""
        if not self.first + self.second:
            return float("nan")
        return 2 * self.both / (self.first + self.second)


def cover(spans: Sequence[Span], length: int, categories: Sequence[str]) -> np.ndarray:
    """Return how many spans cover each character, a row per category."""
    counts = np.zeros((len(categories), length), np.int64)
    for start, end, category in spans:
        counts[categories.index(category), start:end] += 1
    return counts


def published_numbers(pairs: Sequence[tuple[list[Span], dict[str, list[Span]]]]) -> dict[str, Any]:
    """Compute a row of the table.

    Parameters
    ----------
    pairs
        Spans of the model, and those of each person, of each document.
    """
    every = [s for one, people in pairs for s in (*one, *(x for p in people.values() for x in p))]
    categories = sorted({category for _, _, category in every})
    counts: tuple[list[int], list[int]] = ([], [])
    sums = {name: Overlap() for name in ("f1_hard", "f1_soft", "f1_hard_all", "f1_soft_all")}
    gammas = []
    empty = []
    for one, people in pairs:
        others = [span for spans in people.values() for span in spans]
        for side, spans in zip(counts, (one, others), strict=True):
            side += [sum(category == c for _, _, category in spans) for c in categories]
        length = max((end for _, end, _ in (*one, *others)), default=0)
        first = cover(one, length, categories)
        second = cover(others, length, categories)
        for suffix in ("", "_all"):
            if suffix or (one and others):
                sums[f"f1_hard{suffix}"].add(first, second)
                sums[f"f1_soft{suffix}"].add(first.sum(axis=0), second.sum(axis=0))
        marked = {"model": one, **people}
        marked = {who: spans for who, spans in marked.items() if spans}
        if len(marked) > 1:
            gamma = gamma_of(marked)
            if not np.isnan(gamma):
                gammas.append(gamma)
        else:
            empty.append(1 / (1 + len(one) + len(others)))
    return {
        "documents": len(pairs),
        "units_model": sum(counts[0]) / len(pairs),
        "units_people": sum(counts[1]) / sum(len(people) for _, people in pairs),
        "r": float(np.corrcoef(*counts)[0, 1]),
        **{name: overlap.f1 for name, overlap in sums.items()},
        "gamma": float(np.mean(gammas)) if gammas else float("nan"),
        "gamma_documents": len(gammas),
        "s_empty": float(np.mean(empty)) if empty else float("nan"),
        "s_empty_documents": len(empty),
    }


def gamma_of(marked: Mapping[str, Sequence[Span]]) -> float:
    """γ as pygamma-agreement computes it, with its chance model and 30 random sets."""
    import gammacp.pygamma as pa

    continuum = pa.Continuum()
    for who, spans in marked.items():
        for start, end, category in spans:
            continuum.add(who, pa.Segment(start, end), category)
    np.random.seed(42)  # noqa: NPY002
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(continuum.compute_gamma(pa.CombinedCategoricalDissimilarity()).gamma)


def rows_of(task: Task, name: str, models: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the people among themselves, where documents have two, and each model."""
    together = {a for people in task.people.values() for a in people}
    if "people" in models or not models:
        pairs = [
            (spans, {b: other for b, other in people.items() if b != who})
            for people in task.people.values()
            if len(people) == 2
            for who, spans in [min(people.items())]
        ]
        if pairs:
            yield {"task": name, "model": "people", "people": len(together)} | published_numbers(
                pairs
            )
    for model, documents in task.models.items():
        if models and model not in models:
            continue
        pairs = [
            (documents[document][model], people)
            for document, people in task.people.items()
            if document in documents
        ]
        if not pairs:
            print(f"{name}: {model} shares no document with people, and is left out")
            continue
        row = {"task": name, "model": model, "people": len(together)}
        yield row | published_numbers(pairs)


def write_tables(task: Task, path: Path) -> None:
    """Write the spans of everybody on documents that people and models annotated; no text."""
    modelled = {document for by_document in task.models.values() for document in by_document}
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(("document", "annotator", "category", "start", "end"))
        for document, people in sorted(task.people.items()):
            if document not in modelled:
                continue
            sources = [people, *(m.get(document, {}) for m in task.models.values())]
            for who, spans in (entry for source in sources for entry in source.items()):
                if not spans:
                    writer.writerow((document, who, "", "", ""))
                for start, end, category in spans:
                    writer.writerow((document, who, category, start, end))


def main() -> None:
    """Print the tables and write them to `--out`."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="a clone of their repository")
    parser.add_argument("--task", action="append", choices=[*TASKS], help="only these (repeatable)")
    parser.add_argument("--model", action="append", help="only these models (repeatable)")
    parser.add_argument("--out", type=Path, help="CSV file to write the table to")
    parser.add_argument("--tables", type=Path, help="folder to write the spans to, without text")
    arguments = parser.parse_args()
    if not (arguments.folder / "annotations").is_dir():
        parser.error(f"{arguments.folder} has no folder annotations")
    rows = []
    for name in arguments.task or TASKS:
        task = read_task(arguments.folder, name)
        print(f"{name}: {len(task.people)} documents, {task.repeated} repeated records left out")
        for missing in task.missing:
            print(f"{name}: {missing} has no annotations.jsonl, and is left out")
        if arguments.tables is not None:
            arguments.tables.mkdir(parents=True, exist_ok=True)
            write_tables(task, arguments.tables / f"{name}.csv")
            continue
        if name == CROWD:
            print(f"{name}: only for --tables")
            continue
        for row in rows_of(task, name, arguments.model or ()):
            rows.append(row)
            print(*(f"{key}={short(value)}" for key, value in row.items()), flush=True)
            if arguments.out is not None:
                write_rows(rows, arguments.out)


def write_rows(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write what is known so far."""
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({key: short(value) for key, value in row.items()})


def short(value: Any) -> Any:
    """Return a number with four decimals at most."""
    if isinstance(value, float):
        return round(value, 4)
    return value


if __name__ == "__main__":
    main()
