"""Change of the signature with every option that changes a number.

Each command is run with each such option, and the signatures in its JSON are compared. Options that
select data are tried once for all commands (`test_campaign.py`), and options that change no number
are listed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

from gammacp.campaign.calibrate import Curve
from gammacp.cli.app import build_one
from gammacp.cli.options.reading import CountedData, FilePlaces, Reading
from shuffling import ReferenceModel, model_text, shuffled_set
from tests.conftest import Run

SILENT = {
    "json", "jobs", "executor", "fail_under", "require_optimal", "help", "files",
    "alignment", "explain", "certificate", "certificate_sets",  # shown beside γ
    "group",  # compares values that are signed: within, across
    "team",  # in the signature of gamma and compare: tests/inference/test_teams.py
    "cluster", "weight", "session", "order",  # selections, signed as such (see their own tests)
    "fail_under_lower", "ci", "bootstrap",  # the old name of --interval
    "figure", "curves", "frame", "assign", "plot", "by", "leave_one_out", "groups_file", "pairs",
    "protocol",  # another table, with signatures of its own
}  # fmt: skip
READING = {f.name for group in (Reading, CountedData, FilePlaces) for f in fields(group)}
GAMMA: dict[str, list[list[object]]] = {
    "alpha": [["--alpha", 2]],
    "beta": [["--beta", 2]],
    "delta": [["--delta", 2]],
    "positional": [["--positional", "sporadic-2011"]],
    "categorial": [["--categorial", "ordinal"]],
    "f_cat": [["--f-cat", "steep"]],
    "own": [["--dissimilarity", "own.toml"]],
    "chance": [["--chance", "shift"]],
    "precision": [["--precision", 0.1]],
    "confidence": [["--confidence", 0.9]],
    "samples": [["--samples", 6]],
    "seed": [["--seed", 1]],
    "method": [["--method", "milp"]],
    "gap": [["--gap", 0.01]],
    "time_limit": [["--time-limit", 60]],
    "preset": [["--preset", "mathet-2011"]],
}
SLOW = ("plan", "plan of a pilot")

# For each command: its arguments, and the options that change a number. `GAMMA` is tried with one
# command only.
COMMANDS: dict[str, tuple[list[object], dict[str, list[list[object]]]]] = {
    "gamma": (
        ["d.csv", "--samples", 5],
        {
            **GAMMA,
            "interval": [["--interval"]],
            "constraint": [["--constraint", "same-category"], ["--constraint", "at-most=2"]],
        },
    ),
    "compare": (
        ["d.csv", "--samples", 5, "--interval"],
        {
            "interval": [["--no-interval"]],
            "against": [["--against", "e.csv"]],
            "reference": [["--reference", "Cid"]],
        },
    ),
    "calibrate": (
        ["one.csv", "--samples", 5, "--sets", 3, "--error", "category", "--jobs", 1],
        {"error": [["--error", "category:overlap=true"]], "sets": [["--sets", 4]]},
    ),
    "replace": (
        ["d.csv", "--candidate", "Cid", "--min-documents", 2],
        {
            "candidate": [["--candidate", "Bea"]],
            "score": [["--score", "overlap"]],
            "epsilon": [["--epsilon", 0.1]],
            "min_documents": [["--min-documents", 3]],
            "expert": [["--expert", "Ann"]],
            "bootstrap": [["--bootstrap", 30]],
            "seed": [["--seed", 1]],
            "alpha": [["--alpha", 2]],
            "gap": [["--gap", 0.01]],
        },
    ),
    "plan": (
        ["--model", "a.toml", "--gamma", 0.6, "--per-document", 2, "--samples", 5],
        {
            "model": [["--model", "b.toml"]],
            "gamma": [["--gamma", 0.7]],
            "per_document": [["--per-document", 3]],
            "half_width": [["--half-width", 0.1]],
            "difference": [["--difference", 0.1]],
            "verdict": [["--verdict", 0.2]],
            "price": [["--price", 2]],
            "price_document": [["--price-document", 1]],
            "error": [["--error", "position"]],
            "alpha": [["--alpha", 2]],
        },
    ),
    "plan of a pilot": (
        ["d.csv", "--samples", 5, "--verdict", 0.2],
        {"candidate": [["--candidate", "Cid"], ["--candidate", "Bea"]]},
    ),
    "measure": (
        ["one.csv", "-m", "u-alpha,kappa-d", "--bootstrap", 20],
        {
            "bootstrap": [["--bootstrap", 30]],
            "seed": [["--seed", 1]],
            "coefficient": [["--coefficient", "cohen"]],
            "beyond_chance": [["--beyond-chance", "--samples", n] for n in (5, 6)],
        },
    ),
    "segmentation": (
        ["tiles.csv", "--bootstrap", 20],
        {
            "bootstrap": [["--bootstrap", 30]],
            "seed": [["--seed", 1]],
            "n": [["--n", 3]],
            "edit": [["--edit", "optimal"]],
            "similarity": [["--similarity", "b"]],
            "windowdiff": [["--windowdiff", "nltk"]],
            "beyond_chance": [["--beyond-chance", "--samples", n] for n in (5, 6)],
        },
    ),
    "syntax": (
        ["trees", "--folders", "annotators", "--bootstrap", 20],
        {
            "bootstrap": [["--bootstrap", 30]],
            "seed": [["--seed", 1]],
            "sample_pairs": [["--sample-pairs", 2]],
            "labels": [["--labels", "universal"]],
        },
    ),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("signatures")
    model = ReferenceModel(n_units=5)
    (folder / "own.toml").write_text('[category]\ntype = "tree"\n')
    (folder / "a.toml").write_text(model_text(model))
    (folder / "b.toml").write_text(model_text(ReferenceModel(n_units=6)))
    people = dict(
        zip(("annotator-1", "annotator-2", "annotator-3"), ("Ann", "Bea", "Cid"), strict=True)
    )
    for name, seed in (("d", 1), ("e", 2), ("one", 3)):
        rows = ["document,annotator,category,start,end"]
        for d in range(1 if name == "one" else 5):
            c = shuffled_set(model, "position+category", 0.3, index=d, seed=seed)
            rows += [f"d{d},{people[u.annotator]},{u.category},{u.start:g},{u.end:g}" for u in c]
        (folder / f"{name}.csv").write_text("\n".join(rows) + "\n")
    rng = np.random.default_rng(0)
    tiles = ["document,annotator,category,start,end"]
    for d in range(5):
        for who in people.values():
            cuts = [0, *sorted(rng.choice(np.arange(1, 20), 4, replace=False).tolist()), 20]
            tiles += [f"d{d},{who},x,{s},{e}" for s, e in pairwise(cuts)]
    (folder / "tiles.csv").write_text("\n".join(tiles) + "\n")
    for who in people.values():
        (folder / "trees" / who).mkdir(parents=True)
        sentences = []
        for _ in range(6):
            head, label = rng.integers(1, 3), rng.choice(["obj", "nsubj:pass"])
            rest = f"3\tc\t_\tX\t_\t_\t{head}\t{label}\t_\t_"
            second = f"2\tb\t_\tX\t_\t_\t1\t{rng.choice(['obj', 'obl'])}\t_\t_"
            sentences.append(f"1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n{second}\n{rest}\n")
        (folder / "trees" / who / "t.conllu").write_text("\n".join(sentences) + "\n")
    return folder


def signatures(found: Any) -> Iterator[str]:
    """Yield all values of `signature` at any depth."""
    if isinstance(found, dict):
        for key, value in found.items():
            if key == "signature" and value is not None:
                yield value
            yield from signatures(value)
    elif isinstance(found, list):
        for value in found:
            yield from signatures(value)


def _traced(cell: Any, errors: Any, *_: object) -> tuple[dict[str, Curve], dict[str, str]]:
    curve = Curve.start(cell.sets).with_cell(1.0, np.zeros(cell.sets), 0.0)
    return dict.fromkeys(errors, curve), {}


@pytest.mark.parametrize(
    "command",
    [pytest.param(c, marks=pytest.mark.slow) if c in SLOW else c for c in COMMANDS],
)
def test_every_option_that_changes_a_number_is_in_the_signature(
    command: str, files: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    # The results of simulations do not matter here.
    monkeypatch.setattr("gammacp.campaign.plan.spread.Simulation.magnitude", lambda *_: 0.3)
    monkeypatch.setattr("gammacp.campaign.plan.spread.MOST_DOCUMENTS", 5)
    monkeypatch.setattr("gammacp.campaign.plan.planning.power", lambda *_, **__: 0.8)
    monkeypatch.setattr("gammacp.campaign.plan.planning.enough_documents", lambda *_, **__: 30.0)
    monkeypatch.setattr("gammacp.campaign.calibrate.calibration.trace", _traced)
    base, options = COMMANDS[command]

    def signed(*more: object) -> frozenset[str]:
        # If an option is given twice the last one counts, but repeatable ones must be replaced.
        words = [str(word) for word in base]
        own = {str(m) for m in more}
        replaced = {"--error", "--candidate", "--per-document"} & own
        for option in replaced | ({"--samples"} if "--precision" in own else set()):
            if option in words:
                at = words.index(option)
                del words[at : at + 2]
        done = run(command.split()[0], *words, *more, "--json")
        assert done.code == 0, done.err
        found = frozenset(signatures(json.loads(done.out)))
        assert found
        return found

    plain = signed()
    assert plain == signed()
    for name, tried in options.items():
        made = [plain, *(signed(*words) for words in tried)]
        assert len(set(made)) == len(made), f"{name}: {sorted(made[0])}"


@pytest.mark.parametrize("command", ["gamma", "compare", "calibrate", "replace", "plan"])
def test_every_option_is_listed(command: str) -> None:
    application = build_one(command)
    assert application is not None
    names = {p.name for p in typer.main.get_command(application).params}
    tried = {
        o for words, (_, found) in COMMANDS.items() if words.split()[0] == command for o in found
    }
    known = {*SILENT, *READING, *GAMMA, *tried}
    assert names <= known, f"say in COMMANDS or SILENT of {command}: {sorted(names - known)}"
