import json
import os
import subprocess
import sys
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from gammacp.bench.ledger.claims import load_ledgers
from tests.conftest import Outcome, Run

NUMBERS = count()
GOOD = '''"""A toy experiment."""

def run(out, *, quick, data):
    (out / "toy.csv").write_text("measure,x,y\\ngamma,0,1\\ngamma,1,0.5\\nser,0,1\\nser,1,2\\n")
'''
CLAIM = """
title = "Toy 2001"
[[claim]]
words = "γ decreases"
place = "§1"
kind = "sweep"
csv = "toy/toy.csv"
check = "decreasing"
where = {{ measure = "{measure}" }}
x = "x"
y = "{y}"
{more}
[[left_out]]
words = "γ is nice"
place = "§2"
reason = "a judgement"
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # Otherwise workers of later tests would be told to import the study.
    monkeypatch.setattr("gammacp.plugins.LOADED", {})
    folder = tmp_path / f"study_{next(NUMBERS)}"
    folder.mkdir()
    (folder / "toy.py").write_text(GOOD)
    (folder / "_shared.py").write_text("raise AssertionError")
    return tmp_path


def folder_of(checkout: Path) -> Path:
    """Return the folder of the experiments.

    It is a package, and a process can import only one of a name, so each test has its own name.
    """
    (folder,) = checkout.glob("study_*")
    return folder


def reproduce(run: Run, checkout: Path, *args: object) -> Outcome:
    return run(
        "reproduce", *args, "--experiments", folder_of(checkout), "--results", checkout / "r"
    )


def claims(checkout: Path, measure: str = "gamma", y: str = "y", more: str = "") -> None:
    write(checkout, CLAIM.format(measure=measure, y=y, more=more))


def write(checkout: Path, text: str, name: str = "toy2001") -> None:
    folder = folder_of(checkout) / "claims"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.toml").write_text(text)


def test_a_claim_is_run_and_then_checked(run: Run, checkout: Path) -> None:
    claims(checkout)
    result = reproduce(run, checkout, "toy", "--json")
    assert result.code == 0
    (entry,) = json.loads(result.out)["claims"]
    assert entry["holds"] is True
    assert (checkout / "r" / "toy" / "toy.csv").exists()
    assert reproduce(run, checkout, "--check").code == 0


def test_a_coarse_run_names_the_claims_it_does_not_check(run: Run, checkout: Path) -> None:
    claims(checkout, more="full_scale = true")
    assert "not checked: 1\n" in reproduce(run, checkout, "toy", "--quick").out
    told = json.loads(reproduce(run, checkout, "toy", "--quick", "--json").out)
    assert (told["claims"], told["not_checked"]) == ([], 1)
    assert "not checked" not in reproduce(run, checkout, "--check").out


def test_an_experiment_that_reads_results_of_others_runs_after_them(
    run: Run, checkout: Path
) -> None:
    claims(checkout)
    text = (folder_of(checkout) / "toy.py").read_text()
    (folder_of(checkout) / "first.py").write_text(f"{text}\nREADS = ('toy',)\n")
    told = reproduce(run, checkout, "all").err
    assert told.index("toy: ") < told.index("first: ")


def test_list(run: Run, checkout: Path) -> None:
    result = reproduce(run, checkout)
    assert "A toy experiment." in result.out
    assert "_shared" not in result.out


def test_an_experiment_is_executed_once(run: Run, checkout: Path) -> None:
    claims(checkout)
    path = folder_of(checkout) / "toy.py"
    times = checkout / "times"
    path.write_text(f"{GOOD}\nwith open({str(times)!r}, 'a') as file:\n    file.write('.')\n")
    assert reproduce(run, checkout, "toy").code == 0
    assert (checkout / "times").read_text() == "."


def test_a_failing_claim_exits_1_unless_explained(run: Run, checkout: Path) -> None:
    claims(checkout, "ser")
    assert reproduce(run, checkout, "toy").code == 1
    claims(checkout, "ser", more='fails_because = "it rises"')
    result = reproduce(run, checkout, "--check")
    assert result.code == 0
    assert "FAILS" in result.out
    assert "it rises" in result.out


def test_an_unneeded_explanation_is_an_error(run: Run, checkout: Path) -> None:
    claims(checkout, more='fails_because = "it rises"')
    result = reproduce(run, checkout, "toy")
    assert result.code == 1
    assert "holds, and still says why it fails" in result.err
    # A coarse run cannot know.
    assert reproduce(run, checkout, "--check", "--quick").code == 0


def test_options_failed_and_paper_select_claims(run: Run, checkout: Path) -> None:
    claims(checkout)
    write(checkout, CLAIM.format(measure="ser", y="y", more='fails_because = "r"'), "rival2002")
    everything = reproduce(run, checkout, "toy")
    assert everything.out.count("γ decreases") == 2
    assert everything.out.count("holds  ") == 1
    failing = reproduce(run, checkout, "--check", "--failed", "--json")
    assert [c["paper"] for c in json.loads(failing.out)["claims"]] == ["rival2002"]
    one = json.loads(reproduce(run, checkout, "--check", "--paper", "2001", "--json").out)
    assert [c["paper"] for c in one["claims"]] == ["toy2001"]
    assert one["counts"] == [
        {
            "paper": "toy2001",
            "kinds": {"sweep": {"holds": 1, "open": 0, "fails": 0}},
            "not_encoded": 1,
        }
    ]
    wrong = reproduce(run, checkout, "--check", "--paper", "1999")
    assert wrong.code == 2
    assert "there are: rival2002, toy2001" in wrong.err


def test_definitions_and_fitted_claims_do_not_count_as_reproduced(run: Run, checkout: Path) -> None:
    def told() -> str:
        return reproduce(run, checkout, "toy").out.splitlines()[-2]

    claims(checkout)
    assert told().startswith("reproduced: 1 of 1 ")
    claims(checkout, more="fitted = true")
    assert told().startswith("reproduced: 0 of 0 ")
    text = CLAIM.format(measure="gamma", y="y", more="")
    write(checkout, text.replace('"sweep"', '"definition"'))
    assert told().startswith("reproduced: 0 of 0 ")


def test_too_few_sets_are_no_failure_to_reproduce(run: Run, checkout: Path) -> None:
    """One of two sets rises and one falls, which decides nothing."""
    rows = "measure,x,mean,values\\ngamma,0,0.7,1 0.4\\ngamma,1,0.55,0.5 0.6\\n"
    text = GOOD.partition('write_text("')[0] + f'write_text("{rows}")\n'
    (folder_of(checkout) / "toy.py").write_text(text)
    claims(checkout, y="mean")
    told = reproduce(run, checkout, "toy", "--quick").out
    assert "too few sets to decide (1)" in told
    assert "reproduced: too few sets to decide on any of 1 claims" in told
    assert "0 of 1" not in told
    counts = json.loads(reproduce(run, checkout, "--check", "--json").out)["counts"]
    assert counts[0]["kinds"] == {"sweep": {"holds": 0, "open": 1, "fails": 0}}


def test_the_verdicts_fit_a_terminal(
    run: Run, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    claims(checkout, "ser", more=f'fails_because = "{"it rises and rises " * 20}"')
    lines = reproduce(run, checkout, "toy").out.split("reproduced:")[0].splitlines()
    assert max(map(len, lines[:10])) <= 60


def test_lists_and_overrides_make_several_predicates(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(
        """
        [[claim]]
        words = "w"
        place = "p"
        kind = "code"
        csv = "e/f.csv"
        check = "equals"
        y = "v"
        value = 1
        where = { a = [1, 2] }
        tests = [{}, { where = { a = 3 }, value = 2 }, { check = "all-below", value = 5 }]
        """
    )
    (ledger,) = load_ledgers(tmp_path)
    told = [(p.where["a"], p.check, p.parameters["value"]) for p in ledger.claims[0].tests]
    assert told == [
        (1, "equals", 1),
        (2, "equals", 1),
        (3, "equals", 2),
        (1, "all-below", 5),
        (2, "all-below", 5),
    ]


BROKEN = [
    ("z = 1", "sweep", "unknown key 'z'"),
    ("tests = [{ valeu = 1 }]", "sweep", "decreasing: unknown key 'valeu'"),
    ("other = { measure = 'ser' }", "sweep", "takes no 'other'"),
    ("tests = [{ check = 'less-than' }]", "sweep", "needs 'other'"),
    ("tests = [{ check = 'equals' }]", "sweep", "equals has no 'value'"),
    ("tests = [{ check = 'eqals' }]", "sweep", "did you mean 'equals'"),
    ("within = 0.5", "sweep", "'within' is not [low, high]"),
    ("", "swept", "kind 'swept' is not one of arithmetic"),
]


@pytest.mark.parametrize(("more", "kind", "message"), BROKEN)
def test_an_invalid_ledger_is_an_error(
    run: Run, checkout: Path, more: str, kind: str, message: str
) -> None:
    text = CLAIM.format(measure="gamma", y="y", more=more).replace('"sweep"', f'"{kind}"')
    write(checkout, text)
    result = reproduce(run, checkout, "--check")
    assert result.code == 3
    assert message in result.err
    assert "γ decreases" in result.err


def test_bad_claims_are_named(run: Run, checkout: Path) -> None:
    claims(checkout, y="z")
    result = reproduce(run, checkout, "toy")
    assert result.code == 3
    assert "column 'z' is missing" in result.err
    assert "'γ decreases'" in result.err
    claims(checkout, measure="nobody")
    assert "no row has" in reproduce(run, checkout, "--check").err
    for text, message in (
        ("[[claim]]\nwords = 'x'\n", "claim 1 (x) has no 'place'"),
        ("[[claim", "toy2001.toml"),
        ("colour = 1", "unknown key 'colour'"),
        ("[[left_out]]\nwords = 'x'\nplace = 'y'\n", "left_out 1 has no 'reason'"),
        (CLAIM.format(measure="gamma", y="y", more="") * 2, "toy2001.toml"),
        (
            CLAIM.format(measure="gamma", y="y", more="")
            .replace("γ is nice", "γ decreases")
            .replace("§2", "§1"),
            "stands twice",
        ),
    ):
        write(checkout, text)
        result = reproduce(run, checkout, "--check")
        assert (result.code, message in result.err) == (3, True), result.err
    (folder_of(checkout) / "claims" / "toy2001.toml").unlink()
    assert "there are no claims" in reproduce(run, checkout, "--check").err


def test_a_failed_run_leaves_the_results_alone(run: Run, checkout: Path) -> None:
    claims(checkout)
    assert reproduce(run, checkout, "toy").code == 0
    before = (checkout / "r" / "toy" / "toy.csv").read_text()
    path = folder_of(checkout) / "toy.py"
    path.write_text(
        "from gammacp import DataError\n"
        "def run(out, *, quick, data):\n"
        "    (out / 'toy.csv').write_text('half')\n"
        "    raise DataError('broken')\n"
    )
    assert reproduce(run, checkout, "toy").code == 3
    assert (checkout / "r" / "toy" / "toy.csv").read_text() == before
    assert sorted(p.name for p in (checkout / "r").iterdir()) == ["preregistered.json", "toy"]


def test_unknown_experiment_and_missing_folder(run: Run, checkout: Path) -> None:
    result = reproduce(run, checkout, "tyo")
    assert result.code == 2
    assert "did you mean 'toy'" in result.err
    result = run("reproduce", "--experiments", checkout / "nowhere")
    assert result.code == 2
    assert "no folder of experiments" in result.err


def test_all_of_no_experiments_is_wrong_usage(run: Run, checkout: Path) -> None:
    (checkout / "empty").mkdir()
    result = run("reproduce", "all", "--experiments", checkout / "empty")
    assert result.code == 2
    assert "has no experiments; begin one with" in result.err
    assert run("reproduce", "--experiments", checkout / "empty").code == 0


def test_data_that_do_not_ship_are_named(run: Run, checkout: Path) -> None:
    claims(checkout)
    path = folder_of(checkout) / "toy.py"
    path.write_text(GOOD + "\nNEEDS_DATA = True\n")
    result = reproduce(run, checkout, "toy")
    assert result.code == 2
    assert "--data DIR" in result.err


def test_the_folder_may_have_any_name_and_its_neighbours_do_not_run(tmp_path: Path) -> None:
    """A folder of any name is imported in its own process and in worker processes."""
    folder = tmp_path / "studies"
    folder.mkdir()
    (folder / "_shared.py").write_text("def double(x):\n    return 2 * x\n")
    (folder / "toy.py").write_text(
        '"""A toy."""\n'
        "from studies._shared import double\n"
        "from gammacp.pools.opening import open_pool\n\n"
        "def run(out, *, quick, data):\n"
        "    with open_pool('processes', 1) as pool:\n"
        "        (out / 'toy.csv').write_text(str(list(pool.executor.map(double, [1, 4]))))\n"
    )
    root = Path(__file__).parents[2]
    (folder / "claims").mkdir()
    (folder / "claims" / "toy2001.toml").write_text(CLAIM.format(measure="gamma", y="y", more=""))
    for name in ("json", "statistics", "ledger", "tomllib"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a stranger ran')\n")
    (tmp_path / "empty").mkdir()
    done = subprocess.run(
        [sys.executable, "-P", "-m", "gammacp", "reproduce", "toy", "--experiments", folder],
        cwd=tmp_path / "empty",
        env=os.environ | {"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "ModuleNotFoundError" not in done.stderr
    assert "a stranger ran" not in done.stdout + done.stderr
    written = tmp_path / "empty" / "results" / "toy" / "toy.csv"
    assert written.read_text() == "[2, 8]", done.stderr


def test_a_figure_is_kept_in_one_format(tmp_path: Path) -> None:
    from gammacp.bench.ledger.running import LARGEST_SVG, SMALL_SVG, keep_one_format

    sizes = {"small.svg": SMALL_SVG, "shorter.svg": SMALL_SVG + 1, "longer.svg": LARGEST_SVG}
    sizes |= {"large.svg": LARGEST_SVG + 1, "small.png": 9, "alone.png": 7, "curves.csv": 3}
    for name, size in sizes.items():
        (tmp_path / name).write_bytes(b"x" * size)
    # Two pictures have a thousand shades; noise compresses so badly that its PNG is longer than the
    # SVG.
    shades = np.stack([np.tile(np.arange(40), (25, 1)) * 6, *np.indices((25, 40))], axis=-1)
    noise = np.random.default_rng(0).integers(256, size=(200, 200, 3))
    for name, colours in (("large", shades), ("longer", shades), ("shorter", noise)):
        Image.fromarray(colours.astype(np.uint8)).save(tmp_path / f"{name}.png")
    keep_one_format(tmp_path)
    for name in ("large", "longer"):
        with Image.open(tmp_path / f"{name}.png") as kept:
            assert kept.size == (40, 25)
            found = kept.convert("RGB").getcolors(1000)
        assert found is not None
        assert len(found) <= 256
    assert {p.name for p in tmp_path.iterdir()} == {
        "small.svg",
        "shorter.svg",
        "longer.png",
        "large.png",
        "alone.png",
        "curves.csv",
    }


def test_claims_that_change_after_the_run_are_reported(run: Run, checkout: Path) -> None:
    claims(checkout)

    def changed() -> object:
        told = json.loads(reproduce(run, checkout, "--check", "--json").out)
        return told["changed_since_run"]["toy"]["claims"]

    assert reproduce(run, checkout, "toy").code == 0
    assert changed() is False
    claims(checkout, more="window = 0.5")
    assert changed() is True
    assert "changed after the run began: toy" in reproduce(run, checkout, "--check").out
    # Why a claim fails can only be written after a run.
    claims(checkout, "ser", more='fails_because = "it rises"')
    assert reproduce(run, checkout, "toy").code == 0
    claims(checkout, "ser", more='fails_because = "it rises, and rises"')
    assert changed() is False
    (checkout / "r" / "preregistered.json").unlink()
    assert changed() is None
    (checkout / "r" / "preregistered.json").write_text("[1]")
    assert reproduce(run, checkout, "--check").code == 3


def test_a_run_that_fails_leaves_open_whether_claims_came_first(run: Run, checkout: Path) -> None:
    claims(checkout)
    assert reproduce(run, checkout, "toy").code == 0
    path = folder_of(checkout) / "toy.py"
    path.write_text("def run(out, *, quick, data):\n    raise ValueError\n")
    with pytest.raises(ValueError):
        reproduce(run, checkout, "toy")
    told = json.loads(reproduce(run, checkout, "--check", "--json").out)
    assert told["changed_since_run"] == {"toy": {"claims": None, "experiment": None}}


def test_mutants_find_claims_that_cannot_fail(run: Run, checkout: Path) -> None:
    claims(checkout)
    assert reproduce(run, checkout, "toy").code == 0
    told = reproduce(run, checkout, "--mutants", "--json")
    assert told.code == 0
    (claim,) = json.loads(told.out)["claims"]
    # γ falls from 1 to .5, and still falls if raised or lowered.
    assert claim["withstands"] == ["raised", "lowered"]
    assert claim["false_after"] == ["flat", "turned around", "two points exchanged"]
    wide = CLAIM.format(measure="gamma", y="y", more="low = -1e9\nhigh = 1e9")
    write(checkout, wide.replace("decreasing", "between"))
    told = reproduce(run, checkout, "--mutants")
    assert told.code == 1
    assert "cannot fail: §1: γ decreases" in told.out


def test_a_new_experiment_runs_as_documented(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / f"study_{next(NUMBERS)}"
    done = run("reproduce", "--new", "moves", "--experiments", folder)
    assert (done.code, sorted(p.name for p in folder.rglob("moves.*"))) == (
        0,
        ["moves.py", "moves.toml"],
    )
    results = tmp_path / "results"
    place = ("--experiments", folder, "--results", results)
    told = json.loads(run("reproduce", "moves", "--quick", "--json", *place).out)
    assert [c["verdict"] for c in told["claims"]] != ["fails"] * 2
    assert told["claims"][1]["holds"]
    assert run("reproduce", "--mutants", *place).code == 0
    assert run("reproduce", "--new", "moves", "--experiments", folder).code == 2
    for name in ("_moves", "a-b", "../x", ""):
        assert run("reproduce", "--new", name, "--experiments", folder).code == 2
    assert run("reproduce", "--new", "x", "--check", "--experiments", folder).code == 2


@pytest.mark.parametrize("name", ["my-study", "json", "gammacp"])
def test_a_folder_that_cannot_be_a_package_is_refused(run: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    told = run("reproduce", "--experiments", tmp_path / name)
    assert told.code == 2
    assert "rename" in told.err


def test_an_experiment_that_changes_after_its_run_is_reported(run: Run, checkout: Path) -> None:
    claims(checkout)
    assert reproduce(run, checkout, "toy").code == 0
    path = folder_of(checkout) / "toy.py"
    path.write_text(path.read_text() + "# another word\n")
    told = json.loads(reproduce(run, checkout, "--check", "--json").out)
    assert told["changed_since_run"] == {"toy": {"claims": False, "experiment": True}}


def test_a_claim_about_a_missing_experiment_is_an_error(run: Run, checkout: Path) -> None:
    write(checkout, CLAIM.format(measure="gamma", y="y", more="").replace("toy/toy", "tyo/toy"))
    for arguments in (("--check",), ("toy",), ("--mutants",)):
        told = reproduce(run, checkout, *arguments)
        assert told.code == 3
        assert "did you mean 'toy'" in told.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no claim"),
        ("[claim]\nwords = 'w'", "Write [[claim]]"),
        (CLAIM.format(measure="gamma", y="y", more='fails_because = " "'), "is empty"),
        (CLAIM.format(measure="gamma", y="y", more="other = 3"), "not a table"),
        ("title = 3", "not text"),
        (
            CLAIM.format(measure="gamma", y="y", more="").replace('csv = "toy/toy.csv"', "csv = 3"),
            "not text",
        ),
    ],
)
def test_invalid_claims_are_named(run: Run, checkout: Path, text: str, message: str) -> None:
    claims(checkout)
    assert reproduce(run, checkout, "toy").code == 0
    write(checkout, text)
    told = reproduce(run, checkout, "--check")
    assert (told.code, message in told.err) == (3, True), told.err


def test_without_claims_there_is_nothing_to_check(run: Run, checkout: Path) -> None:
    assert reproduce(run, checkout, "toy").code == 0
    for option in ("--check", "--mutants"):
        told = reproduce(run, checkout, option)
        assert (told.code, "there are no claims" in told.err) == (2, True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def run(out:\n", "SyntaxError"),
        ("import nothing_of_the_kind\n", "nothing_of_the_kind"),
        ("def run(out):\n    pass\n", "no function run(out, *, quick, data)"),
        ("READS = ('gone',)\n" + GOOD, "'gone' is unknown"),
        ("def run(out, *, quick, data):\n    pass\n", "run wrote nothing"),
    ],
)
def test_an_experiment_that_cannot_run_says_why(
    run: Run, checkout: Path, text: str, message: str
) -> None:
    (folder_of(checkout) / "toy.py").write_text(text)
    told = reproduce(run, checkout, "toy")
    assert (told.code, message in told.err) == (2, True), told.err
    if "wrote nothing" not in message:
        # The other experiments are listed nevertheless.
        listed = reproduce(run, checkout)
        assert (listed.code, "cannot run" in listed.out) == (0, True)


def test_two_curves_in_one_predicate_are_an_error(run: Run, checkout: Path) -> None:
    rows = "measure,x,mean,values\ngamma,0,1,1 1\nser,0,1,1 1\n"
    text = GOOD.partition('write_text("')[0] + f"write_text({rows!r})\n"
    (folder_of(checkout) / "toy.py").write_text(text)
    both = CLAIM.format(measure="*", y="mean", more="")
    write(checkout, both)
    told = reproduce(run, checkout, "toy")
    assert (told.code, "2 rows have x = 0" in told.err) == (3, True), told.err
