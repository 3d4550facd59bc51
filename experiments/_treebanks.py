"""The Copenhagen treebanks for the experiments after Skjærholt (2014).

`--data DIR` may hold them with their words (`DIR/syntax/cdt`); without it their heads and labels
serve, which come with the tests. No measure here reads a word.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from experiments._common import write_csv
from experiments._figures import curves_page
from experiments._sweep import points_of
from gammacp.bench.curves import Point
from gammacp.bench.sweep import Sweep
from gammacp.trees.measures.annotations import Sentence
from gammacp.trees.treebank import ReadTreebank, read_treebank
from gammacp.trees.with_bench.sweep import PAPER_MAGNITUDES, PAPER_SETS, Perturbed, sample_sentences

CORPORA = ("da", "en", "es", "it")
MEASURES = ("plain", "diff", "norm", "las")
# Values of Table 2, in percent. The Norwegian and the Czech-English corpora are not available.
PUBLISHED = {
    "NDT 1": (98.4, 93.0, 98.8, 94.0),
    "NDT 2": (98.9, 95.0, 99.1, 94.4),
    "NDT 3": (97.9, 91.2, 98.7, 95.3),
    "da": (95.7, 84.7, 96.2, 90.4),
    "en": (92.4, 70.7, 95.0, 88.4),
    "es": (86.6, 48.8, 85.8, 78.9),
    "it": (84.5, 55.7, 89.2, 81.3),
    "PCEDT": (95.9, 89.9, 96.5, 68.0),
}
_SHIPPED = Path(__file__).resolve().parents[1] / "tests" / "fixtures" / "cdt"


def corpus(name: str, data: Path | None) -> ReadTreebank:
    """Return one of `CORPORA`, with all its annotators."""
    folder = _SHIPPED if data is None else data / "syntax" / "cdt"
    if not folder.is_dir():
        folder = _SHIPPED
    return read_treebank(sorted(folder.glob(f"{name}-*.conll")) or [folder / name])


def one_annotator(name: str, data: Path | None) -> list[Sentence]:
    """Return all sentences by the first annotator of a corpus."""
    treebank = corpus(name, data).treebank
    first = treebank.annotators[0]
    return [i.annotations[first] for i in treebank.items if first in i.annotations]


def perturbation_figure(
    error: str, out: Path, *, quick: bool, data: Path | None, samples: Iterable[str] = ("da", "en")
) -> None:
    """One of Figures 3–5: `<error>.csv`, a panel per sample, ten runs with 95 % bands of the mean.

    The paper's sample is 100 sentences of the Norwegian treebank; here they are of the Danish and
    the English one.
    """
    points, number = {}, 20 if quick else 100
    for name in samples:
        sentences = sample_sentences(one_annotator(name, data), number=number)
        points[name] = tree_points(
            out,
            Perturbed(sentences),
            (error,),
            magnitudes=(0.1, 0.4, 0.7, 1.0) if quick else PAPER_MAGNITUDES,
            sets=4 if quick else PAPER_SETS,
            name=f"trees-{error}-{name}",
        )
    rows = [
        {"sample": name, **row}
        for name, (_, sample_points) in points.items()
        for row in sample_points
    ]
    write_csv(out / f"{error}.csv", rows)
    panels = {f"CDT ({name})": sample_points for name, (sample_points, _) in points.items()}
    trees_page(out / error, panels, number)


def tree_points(
    out: Path,
    source: Perturbed,
    errors: tuple[str, ...],
    *,
    magnitudes: tuple[float, ...],
    sets: int,
    name: str,
) -> tuple[list[Point], list[dict[str, object]]]:
    """Return the curves of a sweep over errors in trees, by all measures, and their rows."""
    sweep = Sweep(
        source=source,
        errors=errors,
        measures=source.measures,
        magnitudes=magnitudes,
        sets=sets,
        n_annotators=2,
        experiment=name,
    )
    return points_of(out, sweep)


def trees_page(stem: Path, panels: Mapping[str, Sequence[Point]], sentences: int) -> None:
    """Plot curves over the probability of errors; cut the axis, as α_diff falls far below 0."""
    about = f"{sentences} sentences, two annotators,"
    curves_page(stem, panels, columns=3, x="probability", floor=-1.0, about=about)
