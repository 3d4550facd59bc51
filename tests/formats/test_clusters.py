"""Clusters of documents, by a feature, by names or by a table, in every command."""

from pathlib import Path

import numpy as np
import pytest

from gammacp.continuum import Continuum, Unit
from gammacp.continuum.declaring import declare_annotators, declare_bounds
from gammacp.continuum.renaming import rename_categories
from gammacp.continuum.selecting import drop_short_units, keep_annotators, keep_categories
from gammacp.errors import DataError, UsageError
from gammacp.formats.clusters import clustered
from tests.conftest import Run

COMPARED = ("--samples", 5, "--by", "document", "--json")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Write twelve documents of six authors, given by the names of documents and by a column."""
    rng, rows = np.random.default_rng(1), ["document,annotator,category,start,end,author"]
    for d in range(12):
        author = f"a{d // 2}"
        for annotator in "AB":
            for i in range(5):
                start = 20 * i + rng.normal(0, 1 + d // 2)
                rows.append(f"{author}-{d},{annotator},x,{start:.2f},{start + 12:.2f},{author}")
    path = tmp_path / "units.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "authors.csv"
    path.write_text("document,cluster\n" + "".join(f"a{d // 2}-{d},a{d // 2}\n" for d in range(12)))
    return path


@pytest.mark.parametrize(
    ("said", "code", "told"),
    [
        ("{clusters}-*", 2, "is not a pattern with {cluster} once"),
        ("{cluster}_{cluster}", 2, "is not a pattern with {cluster} once"),
        ("{cluster}_*", 3, "its name does not fit the cluster '{cluster}_*'"),
        ("autor", 3, "autor"),
        ("missing.csv", 3, "missing.csv: file does not exist"),
    ],
)
def test_impossible_clusters_are_refused(
    run: Run, corpus: Path, said: str, code: int, told: str
) -> None:
    found = run("gamma", corpus, "--samples", 2, "--cluster", said)
    assert (found.code, told in found.err) == (code, True), found.err


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("document,cluster\na,1\na,2\n", "t.csv:3: document 'a' has two clusters"),
        ("document,cluster\na,\n", "t.csv:2: document 'a' has no cluster"),
        ("document,cluster\nb,1\n", "no row for a. Give each document a row"),
        ("document;cluster\na;1\n", None),
        ("doc,cluster\na,1\n", "there is no column 'document'; there are: doc, cluster"),
    ],
)
def test_tables(tmp_path: Path, rows: str, told: str | None) -> None:
    path = tmp_path / "t.csv"
    path.write_text(rows)
    continua = {"a": Continuum.from_units([Unit("A", 0, 1), Unit("B", 0, 1)], name="a")}
    if told is None:
        assert clustered(continua, path)["a"].cluster == "1"
        return
    with pytest.raises(DataError) as error:
        clustered(continua, path)
    assert told in str(error.value)


def test_units_of_one_document_have_one_cluster(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "u.csv"
    path.write_text("annotator,category,start,end,who\nA,x,0,9,p\nB,x,0,9,q\n")
    found = run("gamma", path, "--cluster", "who")
    assert (found.code, "units of the document differ in who ('p', 'q')" in found.err) == (
        3,
        True,
    ), found.err


def test_a_dataset_has_no_clusters(run: Run) -> None:
    assert run("gamma", "--dataset", "alex-paul-suzan", "--cluster", "x").code == 2


def test_a_cluster_stays_with_its_document() -> None:
    c = Continuum.from_units([Unit("A", 0, 1, "x"), Unit("B", 0, 3, "y")]).in_cluster("p")
    for other in (
        keep_annotators(c, ["A"]), keep_categories(c, ["x"]), drop_short_units(c, 2),
        rename_categories(c, {"x": "z"}), declare_bounds(c, (0, 9)),
        declare_annotators(c, ["C"]), c.atoms(),
    ):  # fmt: skip
        assert other.cluster == "p"
    with pytest.raises(UsageError):
        clustered({"c": c}, "{cluster}{cluster}")
