from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gammacp.bench.curves import Point, curves
from gammacp.bench.runner import run as run_sweep
from gammacp.bench.store import Store
from gammacp.bench.sweep import Sweep
from gammacp.bench.work import check
from gammacp.errors import DataError, UsageError
from gammacp.pools import open_pool
from gammacp.trees.measures.annotations import Dependencies, Phrase, Sentence
from gammacp.trees.treebank import read_sentences
from gammacp.trees.with_bench.sweep import (
    PAPER_ERRORS,
    Perturbed,
    parse_tree_error,
    perturb,
    sample_sentences,
)
from shuffling.trees import LabelConfusion
from tests.conftest import Run

CDT = Path(__file__).parents[1] / "fixtures" / "cdt"


def tree_sweep(sample: tuple[Sentence, ...], **changes: Any) -> Sweep:
    given: dict[str, Any] = {
        "source": Perturbed(sample),
        "errors": PAPER_ERRORS,
        "measures": Perturbed(sample).measures,
        "n_annotators": 2,
    }
    return Sweep(**(given | changes))


def points_of(sweep: Sweep, folder: Path) -> list[Point]:
    with Store.writing(folder / "s.sqlite") as store, open_pool("serial") as pool:
        assert run_sweep(sweep, store, pool).failures == []
        return curves(store, store.begin(sweep), sweep)


@pytest.fixture(scope="module")
def sample() -> tuple[Sentence, ...]:
    return sample_sentences(read_sentences(CDT / "da-morten.conll"), number=30, seed=1)


def test_curves_have_the_published_shapes(sample: tuple[Sentence, ...], tmp_path: Path) -> None:
    """The curves agree with Skjærholt (2014, §3).

    LAS at p_label = 1 is 1/#labels, wrong heads cost α more than wrong labels, α_diff falls below
    −1, and α_norm is lenient.
    """
    sweep = tree_sweep(sample, magnitudes=(0.0, 0.2, 1.0), sets=4)
    points = {(p.error, p.measure, p.magnitude): p for p in points_of(sweep, tmp_path)}
    mean = {key: p.mean for key, p in points.items()}
    for error in sweep.errors:
        for measure in sweep.measures:
            assert mean[error, measure, 0.0] == 1
        norm, plain, diff = (mean[error, f"alpha-{d}", 0.2] for d in ("norm", "plain", "diff"))
        assert plain > diff
        assert norm > diff
    labels = {x for s in sample if isinstance(s, Dependencies) for x in s.relations}
    assert mean["label", "las", 1.0] == pytest.approx(1 / len(labels), abs=0.03)
    assert mean["attach", "alpha-norm", 1.0] > mean["attach", "alpha-plain", 1.0]
    assert mean["attach", "alpha-plain", 0.2] < mean["label", "alpha-plain", 0.2]
    assert mean["label+attach", "alpha-diff", 1.0] < -1
    assert all(p.sets == 4 and p.undefined == 0 for p in points.values())


@pytest.mark.slow
def test_a_cell_does_not_depend_on_the_other_cells_of_a_sweep(
    sample: tuple[Sentence, ...], tmp_path: Path
) -> None:
    small = tree_sweep(sample, errors=("attach",), magnitudes=(0.5,), sets=2, seed=4)
    large = replace(small, errors=("label", "attach"), magnitudes=(0.1, 0.5))
    (tmp_path / "large").mkdir()
    assert points_of(small, tmp_path) == [
        p
        for p in points_of(large, tmp_path / "large")
        if p.error == "attach" and p.magnitude == 0.5
    ]
    # A store that holds some cells is completed by any executor.
    with Store.writing(tmp_path / "s.sqlite") as store, open_pool("processes", 2) as pool:
        assert run_sweep(large, store, pool).reused == small.n_cells
        points = curves(store, store.begin(large), large)
    assert points == points_of(large, tmp_path / "large")


def test_variants_of_errors_and_phrase_structure() -> None:
    rng = np.random.default_rng(0)
    phrase = Phrase(("S", (("NP", (("D", ()), ("N", ()))), ("VP", (("V", ()), ("N", ()))))))
    for attachment in ("attach", "attach:uniform", "attach:local"):
        (changed,) = perturb([phrase], f"label+{attachment}", 1.0, rng)
        assert changed.n_tokens == 4
    assert Perturbed((phrase, phrase)).measures[-1] == "jaccard"
    confusion = LabelConfusion.observed(["a", "b"], ["b", "a"])
    sentence = Dependencies((0, 1), ("a", "b"))
    (swapped,) = perturb([sentence], "label:confusion", 1.0, rng, confusion=confusion)
    assert isinstance(swapped, Dependencies)
    assert swapped.relations == ("b", "a")


def test_impossible_sweeps_are_refused(sample: tuple[Sentence, ...]) -> None:
    with pytest.raises(UsageError, match="error 'position'"):
        parse_tree_error("position")
    with pytest.raises(UsageError, match="no such variant"):
        parse_tree_error("attach:far")
    with pytest.raises(UsageError, match="needs a confusion matrix"):
        check(tree_sweep(sample, errors=("label:confusion",)))
    with pytest.raises(
        UsageError, match="measure 'gamma' does not apply to trees; these do: alpha-plain"
    ):
        check(tree_sweep(sample, measures=("gamma",)))
    with pytest.raises(UsageError, match="3 annotators, but trees have two"):
        check(tree_sweep(sample, n_annotators=3))
    with pytest.raises(DataError, match="no sentence"):
        Perturbed(())
    with pytest.raises(DataError, match="every sentence has a cycle"):
        sample_sentences([Dependencies((2, 1), ("a", "b"))])


@pytest.mark.slow
def test_the_bench_command_writes_tables_and_figures(run: Run, tmp_path: Path) -> None:
    arguments = ("--trees", CDT / "es" / "lotte" / "0104-es-lotte.conll", "--sets", 2)
    out = tmp_path / "out"
    outcome = run(
        "bench", *arguments, "--error", "attach", "--magnitudes", "0.5", "--out", out, "--json"
    )
    assert outcome.code == 0
    rows = list(csv.DictReader((out / "attach.csv").read_text(encoding="utf-8").splitlines()))
    columns = ["error", "magnitude", "measure", "mean", "sd", "sets", "undefined"]
    assert list(rows[0]) == columns
    printed = json.loads(outcome.out)["errors"]["attach"]
    assert [float(r["mean"]) for r in rows] == [p["mean"] for p in printed]
    assert (out / "attach.svg").exists()
    assert run("bench", *arguments, "--error", "split").code == 2
    assert run("bench", *arguments, "-m", "gamma").code == 2
