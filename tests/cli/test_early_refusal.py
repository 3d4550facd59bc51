"""Errors on wrong values before files are read, with the most similar name."""

from pathlib import Path

import pytest

from gammacp.base.arguments import one_of
from gammacp.errors import UsageError
from tests.conftest import Run

REFUSED = [
    ("gamma --precision 7", "precision 7.0 is not between 0 and 1"),
    ("gamma --precision 0", "precision 0.0 is not between 0 and 1"),
    ("gamma --confidence 2", "confidence 2.0 is not between 0 and 1"),
    ("gamma --samples 1", "samples 1 < 2"),
    ("gamma --chance shfit", "did you mean 'shift'?"),
    ("gamma --chance cut/documnts", "did you mean 'documents'?"),
    ("gamma --time-limit=-3", "greater than or equal to 0"),
    ("gamma --format cvs", "did you mean 'csv'?"),
    ("align --method bipartit", "did you mean 'bipartite'?"),
    ("align --positional hammin", "did you mean 'hamming'?"),
    ("measure -m f1-exakt", "did you mean 'f1-exact'?"),
    ("measure -m kappa --coefficient cohn", "did you mean 'cohen'?"),
    ("measure -m easydiag-kappa --overlap 3", "less than or equal to 1"),
    ("measure -m f1-exact --match-labels corpu", "--match-labels 'corpu' is unknown"),
    ("measure --by categry", "did you mean 'category'?"),
]
OF_SUBJECTS = [
    ("campaign", "compare --by categry", "'kind'; did you mean 'category'?"),
    ("campaign", "compare --by documents", "did you mean 'document'?"),
    ("campaign", "calibrate --error splitt", "did you mean 'split'?"),
    ("campaign", "consensus --method magic", "solver 'magic' is unknown"),
    ("links", "links --ends alined", "did you mean 'aligned'?"),
    ("segmentation", "segmentation --similarity x", "similarity 'x' is unknown"),
    ("segmentation", "segmentation --windowdiff 2003", "did you mean '2002'?"),
]


def refuse(run: Run, line: str, said: str) -> None:
    command, *options = line.split()
    refused = run(command, "there-is-no-such-file.csv", *options)
    assert refused.code == 2
    assert said in " ".join(refused.err.split())
    assert "Value error" not in refused.err
    assert refused.out == ""


@pytest.mark.parametrize(("line", "said"), REFUSED)
def test_wrong_values(run: Run, line: str, said: str) -> None:
    refuse(run, line, said)


@pytest.mark.parametrize(
    ("line", "said"),
    [pytest.param(*rest, marks=pytest.mark.needs(subject)) for subject, *rest in OF_SUBJECTS],
)
def test_wrong_values_of_subjects(run: Run, line: str, said: str) -> None:
    refuse(run, line, said)


def test_five_of_many_measures_are_listed(run: Run) -> None:
    said = run("measure", "x.csv", "-m", "gamme").err
    assert "did you mean 'gamma'? the nearest of " in said
    listed = said.partition(" are: ")[2].partition(" (")[0].split(", ")
    assert len(listed) == 5 and listed[0] == "gamma"
    assert "gammacp measures lists all" in said


def test_few_names_are_all_listed() -> None:
    known = [f"name{i:02}" for i in range(20)]
    with pytest.raises(UsageError, match=f"there are: {', '.join(known)}$"):
        one_of("name", "x", known)


def test_names_in_the_data(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("document,annotator,category,start,end\nd-one,Ann,x,0,4\nd-one,Bob,x,0,4\n")
    for option, value, meant in (
        ("--exclude", "An", "Ann"),
        ("--document", "d-on", "d-one"),
        ("--rename", "Bop=B", "Bob"),
    ):
        refused = run("measure", file, "-m", "f1-exact", option, value)
        assert refused.code == 3
        assert f"does not occur. Did you mean '{meant}'? There are: " in refused.err
    assert "Did you mean" not in run("measure", file, "--exclude", "Zacharias").err


def test_the_measures_fit_a_pipe_of_100_columns(run: Run) -> None:
    found = run("measures")
    assert max(map(len, found.out.splitlines())) <= 100
    rows = [line.split()[0] for line in found.out.splitlines() if line[1:2].strip()]
    assert {"gamma", "f1-exact"} <= set(rows)
    # The omitted columns are named.
    assert found.err.startswith("gammacp: too narrow for ")
    assert found.err.endswith("reference: --json shows them\n")


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("gamma", "--only"),
        ("gamma", "--exclude"),
        ("gamma", "--annotators"),
        ("gamma", "--document"),
        ("gamma", "--include"),
        ("measure", "--by"),
        ("measure", "--columns"),
        ("convert --out out.csv", "--beside"),
    ],
)
@pytest.mark.parametrize("text", ["", " , "])
def test_a_list_without_names_is_refused(run: Run, command: str, name: str, text: str) -> None:
    refused = run(*command.split(), "there-is-no-such-file.csv", name, text)
    assert refused.code == 2
    assert f"{name} is empty" in " ".join(refused.err.split())
