from pathlib import Path

import numpy as np
import pytest

from gammacp import Combined, Continuum, DataError, Unit
from gammacp.base.arrays import Floats
from gammacp.dissimilarity import CATEGORIAL, Matrix, Ordinal, bind
from gammacp.dissimilarity.categorial import steep
from gammacp.testing import check_dissimilarity


def distances(name: str, *categories: str) -> Floats:
    return CATEGORIAL[name].distances(categories)


def test_built_in_distances() -> None:
    assert distances("nominal", "a", "b").tolist() == [[0, 1], [1, 0]]
    assert distances("ordinal", "low", "mid", "high")[0].tolist() == [0, 0.5, 1]
    assert distances("ordinal", "1", "10", "9")[0].tolist() == [0, 1, 0.5]
    assert distances("interval", "1", "2", "5")[0].tolist() == [0, 0.25, 1]
    assert distances("ratio", "1", "3")[0, 1] == 0.5
    assert distances("ratio", "0", "0.0")[0, 1] == 0
    assert distances("levenshtein", "kitten", "sitting")[0, 1] == pytest.approx(3 / 7)


def test_steep_form_is_infinite_at_one() -> None:
    """By footnote 2 of Mathet et al. 2015, f(x) = −ln(1 − x)·x³⁰ + x."""
    values = steep(np.array([0.0, 0.5, 0.9, 1.0]))
    assert values[0] == 0
    assert values[1] == pytest.approx(0.5, abs=1e-8)
    assert values[2] == pytest.approx(-np.log(0.1) * 0.9**30 + 0.9)
    assert values[3] == np.inf


@pytest.mark.parametrize("name", ["nominal", "ordinal", "interval", "ratio", "levenshtein"])
@pytest.mark.parametrize("f_cat", ["identity", "steep"])
def test_promises(name: str, f_cat: str) -> None:
    check_dissimilarity(Combined(categorial=name, f_cat=f_cat, alpha=2, beta=0.5, delta=2))  # type: ignore[arg-type]


def test_unlabelled_units() -> None:
    c = Continuum.from_units([Unit("A", 0, 1, None), Unit("B", 0, 1, None), Unit("C", 0, 1, "x")])
    costs = bind(Combined(delta=3, beta=2), c).category_costs  # type: ignore[attr-defined]
    assert costs[-1, -1] == 0
    assert costs[-1, 0] == costs[0, -1] == 6


def test_labels_that_are_not_numbers() -> None:
    with pytest.raises(DataError, match="category 'a' is not a number, but interval"):
        distances("interval", "1", "a")
    with pytest.raises(DataError, match="'-1' is negative"):
        distances("ratio", "-1", "2")
    with pytest.raises(DataError, match="'z' is not in the order"):
        Ordinal(order=("a", "b")).distances(("a", "z"))


def test_matrix_from_csv(tmp_path: Path) -> None:
    file = tmp_path / "m.csv"
    file.write_text(",a,b,c\nb,0.5,0,1\na,0,0.5,0.25\nc,0.25,1,0\n")
    matrix = Matrix.read(file)
    assert matrix.distances(("a", "c", "b"))[0].tolist() == [0, 0.25, 0.5]
    check_dissimilarity(Combined(categorial=str(file)), categories=("a", "b", "c"))
    with pytest.raises(DataError, match=r"m\.csv: category 'z' is missing"):
        matrix.distances(("a", "z"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        (",a,b\na,0,0.5\nb,0.4,0\n", r"m\.csv:2: distance 'a' to 'b' is 0\.5, but 0\.4"),
        (",a,b\na,0,-1\nb,-1,0\n", r"m\.csv:2: distance 'a' to 'b' is -1"),
        (",a,b\na,0,1\n\nb,1,2\n", r"m\.csv:4: distance 'b' to 'b' is 2"),
        (",a,b\na,0.5,1\nb,1,0\n", r"m\.csv:2: distance 'a' to 'a' is 0\.5, not 0"),
        (",a,b\na,0,x\nb,1,0\n", r"m\.csv:2: distance 'x' is not a number"),
        (",a,b\na,0,nan\nb,nan,0\n", r"m\.csv:2: distance 'a' to 'b' is nan"),
        (",a,b\na,0\nb,1,0\n", r"m\.csv:2: row 'a' has 1 distances, not 2"),
        (",a,b\na,0,1\n", "category 'b' has a column but no row"),
        (",a,b\na,0,1\nz,0,1\n", r"m\.csv:3: row 'z' has no column"),
        (",a,a\na,0,1\n", "each category once"),
    ],
)
def test_bad_matrices(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "m.csv"
    file.write_text(text)
    with pytest.raises(DataError, match=message):
        Matrix.read(file)


def test_missing_matrix_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        Matrix.read(tmp_path / "none.csv")
    with pytest.raises(DataError, match="is a folder"):
        Matrix.read(tmp_path)


def test_equal_numbers_have_one_rank() -> None:
    found = Ordinal().distances(("1", "1.0", "10", "2"))
    assert found[0].tolist() == [0, 0, 1, 0.5]
