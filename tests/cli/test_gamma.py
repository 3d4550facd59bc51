import json
import re
import tomllib
from pathlib import Path

import pytest

from tests.conftest import Run

KEYS = {
    "file",
    "gamma",
    "interval",
    "over",
    "observed_disorder",
    "expected_disorder",
    "samples",
    "precision",
    "status",
    "bound",
    "annotators",
    "units",
    "p",
    "least_p",
    "direction",
    "reason",
    "notes",
    "bootstrap",
    "signature",
    "value",
    "observed",
    "expected",
    "by_category",
}


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.csv"
    path.write_text("A,x,0,5\nA,y,10,14\nB,x,1,5\nB,y,9,14\n")
    return path


def test_json_has_the_agreed_keys(run: Run, good: Path) -> None:
    result = run("gamma", good, "--json")
    assert result.code == 0
    document = json.loads(result.out)
    assert document["corpus"] is None
    (one,) = document["results"]
    assert set(one) == KEYS
    assert one["file"] == str(good)
    assert (one["annotators"], one["units"], one["status"]) == (2, 4, "optimal")
    assert one["interval"][0] <= one["gamma"] <= one["interval"][1]


@pytest.mark.needs("campaign")
def test_one_sentence_stands_before_the_table(run: Run, good: Path) -> None:
    said = json.loads(run("gamma", good, "--json").out)["verdict"]
    first = run("gamma", good).out.splitlines()[0]
    assert first == said["statements"][0]["words"]


def test_table_names_the_value_and_the_seed(run: Run, good: Path) -> None:
    result = run("gamma", good, "--seed", 5, "--alignment")
    value = json.loads(run("gamma", good, "--seed", 5, "--json").out)["results"][0]["gamma"]
    assert f"{value:.4f}" in result.out
    assert "x 0–5" in result.out
    assert "seed 5" in result.err


def test_explain_divides_the_disorder_among_documents(run: Run, good: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("A,x,0,5\nB,y,0,5\nB,x,20,26\n")
    few = ("--samples", 10)
    result = run("gamma", good, other, *few, "--explain")
    assert "γ if perfect" in result.out
    assert "of the disorder is about" in result.err
    found = json.loads(run("gamma", good, other, *few, "--explain", "--json").out)
    parts = found["explanation"]
    assert [r["document"] for r in parts["documents"]] == [str(good), str(other)]
    whole = found["corpus"]["observed_disorder"]
    for key in ("components", "annotators", "pairs", "categories", "documents"):
        assert sum(r["observed"] for r in parts[key]) == pytest.approx(whole)
    assert "explanation" not in json.loads(run("gamma", good, *few, "--json").out)


def test_several_files_are_a_corpus(run: Run, good: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("A,x,0,5\nB,y,0,5\nB,x,20,26\n")
    bad = tmp_path / "bad.csv"
    bad.write_text("A,x,9,5\n")
    lonely = tmp_path / "lonely.csv"
    lonely.write_text("A,x,1,5\n")
    result = run("gamma", good, other, bad, lonely, "--json", "--samples", 10)
    assert result.code == 3
    assert f"{bad}:1: " in result.err
    document = json.loads(result.out)
    assert document["corpus"]["continua"] == 2
    assert KEYS | {"continua", "mean", "within", "between", "marked"} == set(document["corpus"])
    values = {Path(r["file"]).name: r["gamma"] for r in document["results"]}
    assert values["lonely.csv"] is None
    assert document["corpus"]["mean"] == pytest.approx(
        (values["good.csv"] + values["other.csv"]) / 2
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "empty"),
        ("A,x,0\n", ":1: "),
        ("A,x,0,5\nB,x,zero,5\n", ":2: "),
        ("A,x,0,5\nB,x,nan,5\n", ":2: "),
        ("A,x,0,5\nB,x,7,5\n", ":2: "),
        ("A,x,0,5\n", "two annotators"),
        ("A,,,\nB,,,\n", "no unit at all"),
    ],
)
def test_bad_data_exit_3(run: Run, tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(content)
    result = run("gamma", path)
    assert result.code == 3
    assert result.out == ""
    assert message in result.err
    assert "Traceback" not in result.err


def test_missing_file(run: Run, tmp_path: Path) -> None:
    result = run("gamma", tmp_path / "none.csv")
    assert result.code == 3
    assert "none.csv" in result.err


def test_wrong_usage_exits_2(run: Run, good: Path) -> None:
    assert run("gamma", good, "--chance", "shfit").code == 2
    assert "did you mean 'shift'" in run("gamma", good, "--chance", "shfit").err
    assert run("gamma", good, "--precision", "7").code == 2
    assert run("gamma", good, "--samples", "10", "--precision", ".1").code == 2
    assert run("gamma", good, "--method", "magic").code == 2
    assert run("gamma").code == 2
    assert run("gamma", good, "--alpha", "-1").code == 2


def test_thresholds_and_proofs(run: Run, good: Path) -> None:
    assert run("gamma", good, "--fail-under", "0.1").code == 0
    result = run("gamma", good, "--fail-under", "1")
    assert result.code == 5
    assert "below 1" in result.err
    assert run("gamma", good, "--require-optimal").code == 0
    assert run("gamma", good, "--require-optimal", "--method", "greedy").code == 4


def test_an_annotator_without_units_can_be_declared(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("A,x,0,5\nA,y,8,9\n")
    result = run("gamma", path, "--annotators", "B", "--json", "--samples", 5)
    assert result.code == 0
    assert json.loads(result.out)["results"][0]["observed_disorder"] == 2


def test_matrix_without_a_category(run: Run, good: Path, tmp_path: Path) -> None:
    matrix = tmp_path / "matrix.csv"
    matrix.write_text(",x,z\nx,0,1\nz,1,0\n")
    result = run("gamma", good, "--categorial", matrix)
    assert result.code == 3
    assert "'y'" in result.err


def test_interval_metric_needs_numbers(run: Run, good: Path) -> None:
    result = run("gamma", good, "--categorial", "interval")
    assert result.code == 3
    assert "'x'" in result.err


@pytest.mark.parametrize("preset", ["mathet-2015", "mathet-2011", "pygamma"])
def test_presets(run: Run, good: Path, preset: str) -> None:
    result = run("gamma", good, "--preset", preset, "--json")
    assert result.code == 0
    signature = json.loads(result.out)["results"][0]["signature"]
    expected = {
        "mathet-2015": ("chance:shift", "e:0.02", "d:1,"),
        "mathet-2011": ("chance:statistical", "pos:sporadic-2011", "d:4"),
        "pygamma": ("chance:statistical-normal", "e:0.05", "d:1,"),
    }[preset]
    assert all(part in signature for part in expected)


def test_align_json(run: Run, good: Path) -> None:
    result = run("align", good, "--json")
    document = json.loads(result.out)
    keys = {"disorder", "bound", "status", "method", "first", "tolerance"}
    keys |= {"unitary_alignments", "left_out", "failures"}
    keys |= {"work", "nodes", "rounds", "columns_listed", "columns_kept", "prices_by", "proved_by"}
    assert set(document) == keys
    first = document["unitary_alignments"][0]
    assert first["units"] == {
        "A": {"start": 0, "end": 5, "category": "x"},
        "B": {"start": 1, "end": 5, "category": "x"},
    }
    # By hand, (1/9)² twice and x̄ = 2.
    assert document["disorder"] == pytest.approx((1 / 81 + 1 / 81) / 2)
    assert first["disorder"] == pytest.approx(1 / 81)


def test_align_prints_the_proof_status(run: Run, good: Path) -> None:
    result = run("align", good)
    assert "optimal" in result.out
    assert "gap 0.00%" in result.out


def test_solvers_and_cite(run: Run) -> None:
    names = {s["name"] for s in json.loads(run("solvers", "--json").out)["solvers"]}
    assert {"auto", "cpsat", "milp", "bipartite", "greedy", "brute"} <= names
    assert "2015" in run("cite").out


def test_order_of_ordinal_categories(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "ordinal.csv"
    path.write_text("A,low,0,5\nA,mid,9,12\nB,high,0,5\nB,low,9,12\n")
    ordered = tmp_path / "ordered.toml"
    ordered.write_text('category = {order = ["low", "mid", "high"]}')
    result = run("align", path, "--dissimilarity", ordered, "--json")
    disorders = [u["disorder"] for u in json.loads(result.out)["unitary_alignments"]]
    assert disorders == [1, 0.5]
    ordered.write_text('category = {order = ["low", "mid"]}')
    assert run("align", path, "--dissimilarity", ordered).code == 3


def written_as_advised(folder: Path, message: str) -> Path:
    """Write the file that an error advises, between "Write" and "into a file", and return
    its path.
    """
    said = re.search(r"[Ww]rite (.*) into a file and give --\w+ FILE", message)
    assert said, message
    path = folder / "told.toml"
    path.write_text(said[1], encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (("--categorial", "ordinal=low<mid<high"), {"order": ["low", "mid", "high"]}),
        (("--categorial", "masi=;"), {"type": "masi", "separator": ";"}),
        (("--categorial", "tree=kinds.csv@2"), {"type": "tree", "file": "kinds.csv", "weight": 2}),
        (("--metric", "jaccard=|"), {"type": "jaccard", "separator": "|"}),
    ],
    ids=str,
)
def test_old_ways_to_give_a_distance_name_the_new_one(
    run: Run, tmp_path: Path, old: tuple[str, str], new: dict[str, object]
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("A,low,0,5\nA,mid,9,12\nB,high,0,5\nB,low,9,12\n")
    (tmp_path / "kinds.csv").write_text("label,parent\nlow,all\nmid,all\nhigh,all\n")
    command = ("measure", path, "-m", "cu-alpha") if old[0] == "--metric" else ("align", path)
    told = run(*command, *old)
    assert (told.code, told.out) == (2, "")
    file = written_as_advised(tmp_path, told.err)
    assert tomllib.loads(file.read_text())["category"].items() >= new.items()
    assert run(*command, old[0].replace("categorial", "dissimilarity"), file).code == 0


def test_options_of_no_measure_are_refused(run: Run, good: Path) -> None:
    assert run("measure", good, "-m", "cu-alpha", "--metric", "nominal").code == 0
    result = run("measure", good, "-m", "ser", "--metric", "nominal")
    assert result.code == 2
    assert "--metric is an option of none of: ser" in result.err


@pytest.mark.parametrize("command", ["gamma", "align"])
@pytest.mark.parametrize(
    ("rows", "what"),
    [
        ("A,x,1,2\nA,y,5,7\n", "there is only A"),
        ("A,,,\nB,,,\n", "no unit at all"),
        ("annotator,category,start,end\n", "there is none"),
    ],
)
def test_a_file_that_cannot_be_measured_is_named(
    run: Run, tmp_path: Path, command: str, rows: str, what: str
) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(rows)
    result = run(command, path)
    assert (result.code, result.out) == (3, "")
    assert result.err.startswith(f"gammacp: {path}: ")
    assert what in result.err


@pytest.mark.parametrize("option", [("--precision", 0), ("--seed", -1)])
def test_zero_and_negative_values_are_refused_not_ignored(
    run: Run, good: Path, option: tuple[str, int]
) -> None:
    result = run("gamma", good, *option)
    assert (result.code, result.out) == (2, "")
    assert option[0].removeprefix("--") in result.err


def test_a_corpus_without_any_gamma_claims_no_proof(run: Run, tmp_path: Path) -> None:
    files = [tmp_path / "one.csv", tmp_path / "two.csv"]
    for path in files:
        path.write_text("A,x,1,2\n")
    result = run("gamma", *files, "--json")
    assert result.code == 3
    assert json.loads(result.out)["corpus"]["status"] is None


def test_steep_categories_are_never_aligned(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mixed.csv"
    path.write_text("A,x,0,5\nB,y,0,5\n")
    together = json.loads(run("align", path, "--json").out)
    apart = json.loads(run("align", path, "--f-cat", "steep", "--json").out)
    assert len(together["unitary_alignments"]) == 1
    assert len(apart["unitary_alignments"]) == 2
