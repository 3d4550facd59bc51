"""The option `--constraint` of `align` and `gamma`: names, values, TOML files and errors."""

import json
from pathlib import Path

import pytest

from tests.conftest import Run

LINK = """
[[constraint]]
kind = "must-link"
units = [{annotator = "A", start = 0, end = 5}, {annotator = "B", start = 9, end = 14}]
[[constraint]]
kind = "at-most"
units = 2
"""


@pytest.fixture
def units(tmp_path: Path) -> Path:
    path = tmp_path / "units.csv"
    path.write_text("A,x,0,5\nA,y,10,14\nB,x,1,5\nB,y,9,14\nC,x,0,6\n")
    return path


def test_constraints_have_names_with_values_or_a_file(
    run: Run, units: Path, tmp_path: Path
) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(LINK)
    found = run("align", units, "--constraint", file, "--constraint", "non-crossing", "--json")
    said = json.loads(found.out)
    assert said["constraints"] == ["must-link(A 0–5; B 9–14)", "at-most(2)", "non-crossing"]
    assert said["status"] == "optimal"
    held = [{n for n, u in g["units"].items() if u} for g in said["unitary_alignments"]]
    assert max(map(len, held)) == 2
    (linked,) = [
        g["units"]
        for g in said["unitary_alignments"]
        if g["units"]["A"] and g["units"]["A"]["start"] == 0
    ]
    assert linked["B"]["start"] == 9


def test_a_certificate_with_a_binding_constraint_says_it_has_no_proof(
    run: Run, units: Path, tmp_path: Path
) -> None:
    path = tmp_path / "proof.json"
    bound = run("align", units, "--constraint", "at-most=1", "--certificate", path)
    assert bound.code == 0
    assert "cannot check yet that no better alignment keeps the constraints" in bound.err
    assert json.loads(path.read_text())["proof"] == {"kind": "none"}
    assert run("verify", path).code == 1
    assert run("align", units, "--constraint", "at-most=3", "--certificate", path).code == 0
    assert run("verify", path).code == 0


def test_align_warns_that_a_certificate_would_prove_nothing(run: Run, units: Path) -> None:
    bound = ("align", units, "--constraint", "at-most=1")
    assert json.loads(run(*bound, "--json").out)["certificate"] == "none"
    assert "its certificate would have no proof: a checker cannot check yet" in run(*bound).out
    for free in (("align", units), ("align", units, "--constraint", "at-most=3")):
        assert "certificate" not in json.loads(run(*free, "--json").out)
        assert "certificate" not in run(*free).out


def test_a_proof_of_gamma_names_the_constraints_but_not_the_method(
    run: Run, units: Path, tmp_path: Path
) -> None:
    asked = ("gamma", units, "--samples", "5", "--certificate")
    bound = run(*asked, tmp_path / "bound", "--constraint", "at-most=1")
    assert bound.code == 0
    assert "cannot check yet that no better alignment keeps the constraints" in bound.err
    assert "method" not in bound.err.split("gammacp: ")[-1]
    by_method = run(*asked, tmp_path / "milp", "--method", "milp")
    assert "the method milp leaves none that can be checked; auto does" in by_method.err


def test_the_signature_of_gamma_names_constraints(run: Run, units: Path) -> None:
    options = ("--samples", "5", "--constraint", "same-category", "--constraint", "non-crossing")
    found = json.loads(run("gamma", units, *options, "--json").out)
    signature = found["results"][0]["signature"]
    assert "|constraints:same-category+non-crossing|" in signature


@pytest.mark.parametrize(
    ("value", "code", "said"),
    [
        ("at-most=0", 2, "at-most 0 < 1"),
        ("at-most=two", 2, "'two' is not a whole number"),
        ("at-most", 2, "needs a value"),
        ("non-crossing=1", 2, "takes no value"),
        ("nothing", 2, "constraint 'nothing' is unknown"),
        ("must-link=A", 2, "write it in a TOML file"),
        ("nowhere.toml", 3, "nowhere.toml"),
        ("at-least=4", 3, "no alignment keeps at-least"),
    ],
)
def test_impossible_constraints_are_refused(
    run: Run, units: Path, value: str, code: int, said: str
) -> None:
    done = run("align", units, "--constraint", value)
    assert (done.code, said in done.err) == (code, True), done.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no [[constraint]]"),
        ("[[rule]]\n", "unknown key 'rule'"),
        ("[[constraint]]\nunits = 3\n", 'number 1 needs kind = "…"'),
        ('[[constraint]]\nkind = "at-most"\nunits = 0\n', "number 1: at-most 0 < 1"),
        ('[[constraint]]\nkind = "at-most"\nmost = 3\n', "has no key 'most'; its keys: units"),
        (LINK.replace("end = 14", "end = 15"), "must-link names B 9–15, and there is no such unit"),
        (LINK.replace('"B"', '"D"'), "there is no annotator 'D'. The annotators are A, B, C"),
        (LINK.replace(", end = 14", ""), "is no unit: it needs annotator, start, end"),
        (LINK.replace("end = 14", 'end = 14, category = "z"'), "B 9–14 z, and there is no such"),
    ],
)
def test_errors_in_a_file_of_constraints_are_named(
    run: Run, units: Path, tmp_path: Path, text: str, said: str
) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(text)
    done = run("align", units, "--constraint", file)
    assert (done.code, said in done.err) == (3, True), done.err


def test_gamma_refuses_constraints_on_single_units(run: Run, units: Path, tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(LINK)
    done = run("gamma", units, "--constraint", file)
    assert done.code == 2
    assert "must-link cannot be put on random sets" in done.err
