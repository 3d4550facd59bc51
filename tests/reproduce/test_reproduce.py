import json
from pathlib import Path

import pytest

from tests.conftest import Outcome, Run

GOOD = '''"""A toy experiment."""

def run(out, *, quick, data):
    (out / "toy.csv").write_text("measure,x,y\\ngamma,0,1\\ngamma,1,0.5\\nser,0,1\\nser,1,2\\n")
'''
CLAIM = """
[[claim]]
experiment = "toy"
source = "§1"
text = "γ decreases"
csv = "toy.csv"
check = "decreasing"
where = {{ measure = "{measure}" }}
x = "x"
y = "{y}"
{more}
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "experiments"
    folder.mkdir()
    (folder / "toy.py").write_text(GOOD)
    (folder / "_shared.py").write_text("raise AssertionError")
    return tmp_path


def reproduce(run: Run, checkout: Path, *args: object) -> Outcome:
    return run(
        "reproduce", *args, "--experiments", checkout / "experiments", "--results", checkout / "r"
    )


def claims(checkout: Path, measure: str = "gamma", y: str = "y", more: str = "") -> None:
    text = CLAIM.format(measure=measure, y=y, more=more)
    (checkout / "experiments" / "claims.toml").write_text(text)


def test_run_and_check(run: Run, checkout: Path) -> None:
    claims(checkout)
    result = reproduce(run, checkout, "toy", "--json")
    assert result.code == 0
    (entry,) = json.loads(result.out)["claims"]
    assert entry["holds"] is True
    assert (checkout / "r" / "toy" / "toy.csv").exists()
    assert reproduce(run, checkout, "--check").code == 0


def test_list(run: Run, checkout: Path) -> None:
    result = reproduce(run, checkout)
    assert "A toy experiment." in result.out
    assert "_shared" not in result.out


def test_a_failing_claim_exits_1_unless_explained(run: Run, checkout: Path) -> None:
    claims(checkout, "ser")
    assert reproduce(run, checkout, "toy").code == 1
    claims(checkout, "ser", more='fails_because = "it rises"')
    result = reproduce(run, checkout, "--check")
    assert result.code == 0
    assert "FAILS" in result.out
    assert "it rises" in result.out


def test_bad_claims_are_named(run: Run, checkout: Path) -> None:
    claims(checkout, y="z")
    result = reproduce(run, checkout, "toy")
    assert result.code == 3
    assert "column 'z' is missing" in result.err
    claims(checkout, measure="nobody")
    assert "no row has" in reproduce(run, checkout, "--check").err
    (checkout / "experiments" / "claims.toml").write_text("[[claim]]\ntext = 'x'\n")
    assert "claim 1 has no 'check'" in reproduce(run, checkout, "--check").err
    (checkout / "experiments" / "claims.toml").write_text("[[claim")
    assert reproduce(run, checkout, "--check").code == 3


def test_a_failed_run_leaves_the_results_alone(run: Run, checkout: Path) -> None:
    claims(checkout)
    assert reproduce(run, checkout, "toy").code == 0
    before = (checkout / "r" / "toy" / "toy.csv").read_text()
    path = checkout / "experiments" / "toy.py"
    path.write_text(
        "from gammacp import DataError\n"
        "def run(out, *, quick, data):\n"
        "    (out / 'toy.csv').write_text('half')\n"
        "    raise DataError('broken')\n"
    )
    assert reproduce(run, checkout, "toy").code == 3
    assert (checkout / "r" / "toy" / "toy.csv").read_text() == before
    assert [p.name for p in (checkout / "r").iterdir()] == ["toy"]


def test_unknown_experiment_and_missing_checkout(run: Run, checkout: Path) -> None:
    result = reproduce(run, checkout, "tyo")
    assert result.code == 2
    assert "did you mean 'toy'" in result.err
    result = run("reproduce", "--experiments", checkout / "nowhere")
    assert result.code == 2
    assert "checkout" in result.err


def test_data_that_does_not_ship(run: Run, checkout: Path) -> None:
    path = checkout / "experiments" / "toy.py"
    path.write_text(GOOD + "\nNEEDS_DATA = True\n")
    result = reproduce(run, checkout, "toy")
    assert result.code == 2
    assert "--data DIR" in result.err
