"""Dissimilarities in files: the same as options, and errors with their line."""

import json
from pathlib import Path

import pytest

import gammacp as gc
from gammacp import Combined, DataError
from gammacp.datasets import load
from gammacp.dissimilarity import DISSIMILARITIES, Matrix, dissimilarity
from gammacp.dissimilarity.categorial import categorial
from gammacp.dissimilarity.features import with_features
from tests.conftest import Run

WHOLE = """
beta = 2
positional = "sporadic-2011"
[category]
tree = {A = ["x", "y"], B = []}
[features.severity]
order = ["Minor", "Major"]
weight = 0.5
[features.targets]
type = "masi"
separator = ";"
[features.kind]
labels = ["p", "q"]
distances = [[0, 0.25], [0.25, 0]]
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "d.toml"
    file.write_text(text)
    return file


def test_a_file_equals_its_options(tmp_path: Path) -> None:
    (tmp_path / "tree.csv").write_text("A,\nB,\nx,A\ny,A\n")
    found = dissimilarity(str(written(tmp_path, WHOLE)))
    tree = categorial(f"tree={tmp_path / 'tree.csv'}")
    same = with_features(tree, ["severity:ordinal=Minor<Major@0.5", "targets:masi=;"])
    kind = Matrix(("p", "q"), [[0, 0.25], [0.25, 0]])  # type: ignore[arg-type]
    parts = found.categorial.parts
    assert (found.beta, found.positional, found.features) == (
        2, "sporadic-2011", ("severity", "targets", "kind"),
    )  # fmt: skip
    labels = ("x", "y", "B", "A")
    assert (parts[0].kind.distances(labels) == same.parts[0].kind.distances(labels)).all()
    assert parts[1:3] == same.parts[1:]
    assert parts[3].kind.signature == kind.signature


def test_a_file_without_features_is_as_without_a_file(tmp_path: Path) -> None:
    c = load("alex-paul-suzan")
    found = gc.gamma(c, dissimilarity=dissimilarity(str(written(tmp_path, ""))), samples=5)
    assert found.signature == gc.gamma(c, samples=5).signature
    file = written(tmp_path, 'delta = 2\n[category]\ntype = "levenshtein"\n')
    assert dissimilarity(str(file)) == Combined(delta=2, categorial=categorial("levenshtein"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("alpha = [", r"d\.toml:1: not TOML"),
        ("gamma = 1", r"d\.toml:1: key 'gamma' is unknown\. There are: alpha"),
        ("alpha = true", r"d\.toml:1: alpha = true is not a number"),
        ("alpha = -1", r"alpha -1(\.0)? is not a number >= 0"),
        ("alpha = nan", "alpha = NaN is not a finite number"),
        (f"alpha = {10**400}", "alpha = 10{199}.* is not a number"),
        ("[category]\nweight = '1'", r"d\.toml:2: category\.weight = \"1\" is not a number"),
        ('positional = "far"', "positional dissimilarity 'far' is unknown"),
        (
            "\n[category]\ncolour = 1",
            r"d\.toml:3: key 'category\.colour' is unknown\. There are: type",
        ),
        (
            '[category]\ntype = "nominall"',
            r"d\.toml:1: categorial dissimilarity 'nominall' is unkn",
        ),
        ('[category]\norder = ["a"]\ntype = "masi"', "order does not apply to type 'masi'"),
        ('[category]\norder = ["a", "a"]', "has an empty name, or one name twice"),
        ("[category]\ntree = {a = [1]}", "tree has 1 below 'a'"),
        ("[category]\ntree = {a = ['b'], b = ['a']}", "label 'a' has two parents"),
        ("[category]\nlabels = ['a']\ndistances = [[1]]", "distance 'a' to 'a' is 1, not 0"),
        (
            "[category]\nlabels = ['a']\ndistances = [['x']]",
            r"d\.toml:3: category\.distances\[0\]\[0\] = \"x\" is not a number",
        ),
        ("[category]\nlabels = ['a', 'b']\ndistances = [[0, 1], [1]]", "rows of distances differ"),
        ("[category]\ntype = 'matrix'", "needs a file, or labels"),
        ("[category]\nweight = 0\n[features.x]\nweight = 0", "category, x sum to 0"),
        ('[category]\ntype = "masi"\nseparator = ""', r"d\.toml:3: separator is empty"),
        ("[category]\ntype = 'tree'\nfile = 'no.csv'", r"d\.toml:3: file .*no\.csv: file does"),
        ("[category]\nlabels = ['a', 'a']\ndistances = [[0, 0], [0, 0]]", "names 'a' twice"),
        (
            "[features]\nx = 1",
            r"d\.toml:2: features\.x = 1 is not a table\. Begin one: \[features\.x\]",
        ),
    ],
)
def test_impossible_values_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        dissimilarity(str(written(tmp_path, text)))


@pytest.mark.parametrize(
    ("name", "a", "b", "distance"),
    [
        (
            "mqm",
            ("Accuracy/Mistranslation", "Minor"),
            ("Accuracy/Addition", "Major"),
            (1 / 2 + 1 / 3) / 2,
        ),
        (
            "pdtb",
            ("Comparison.Contrast", "Explicit"),
            ("Comparison", "Implicit"),
            (1 / 3 + 0.5) / 1.5,
        ),
    ],
)
def test_presets_by_hand(
    name: str, a: tuple[str, str], b: tuple[str, str], distance: float
) -> None:
    found = DISSIMILARITIES[name]
    (feature,) = found.features
    labels = tuple(gc.Label(category, {feature: value}) for category, value in (a, b))
    assert found.categorial.distances(labels)[0, 1] == pytest.approx(distance)


def test_the_command_line_takes_files_and_presets(run: Run, tmp_path: Path) -> None:
    data = tmp_path / "a.csv"
    data.write_text("annotator,category,start,end,severity\nA,E/a,0,2,Minor\nB,E/b,0,2,Major\n")
    done = run("align", data, "--dissimilarity", "mqm", "--json")
    first = json.loads(done.out)["unitary_alignments"][0]
    assert first["disorder"] == pytest.approx((1 / 2 + 1 / 3) / 2)
    done = run("align", data, "--dissimilarity", written(tmp_path, WHOLE))
    assert done.code == 3
    assert "feature 'targets' is not one column" in done.err
    done = run("align", data, "--dissimilarity", "mqm", "--alpha", "2")
    assert done.code == 2
    assert "--dissimilarity replaces --alpha" in done.err
