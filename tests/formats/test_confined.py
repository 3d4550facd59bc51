"""Confinement of files: an audit hook sees that they lead nowhere outside and run no code."""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import get_origin

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gammacp.base.files import confine, content_of, lift_confinement
from gammacp.base.toml_files import toml_value
from gammacp.dissimilarity import dissimilarity
from gammacp.errors import DataError, GammacpError
from gammacp.formats.campaign_file import KEYS, campaign_of, read_campaign
from gammacp.formats.finding import matches
from tests.confinement import NAMES, ROWS, entries, make_folders, watched, write_campaign
from tests.conftest import Run


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("root")
    make_folders(folder)
    return folder


@settings(max_examples=60, deadline=None)
@example(paths=["*/**"], name="d.toml", rounds=[])
@given(paths=st.lists(entries(), min_size=1, max_size=3), name=NAMES, rounds=st.lists(entries()))
def test_nothing_outside_is_opened(
    root: Path, paths: list[str], name: str, rounds: list[str]
) -> None:
    camp = root / "camp"
    write_campaign(root, paths, name, rounds)
    with watched(camp), suppress(GammacpError):
        campaign = read_campaign(camp / "campaign.toml")
        with suppress(GammacpError), campaign.confine():
            dissimilarity(campaign.dissimilarity or "combined", importing=False)
        for chosen in (campaign, campaign.but({}, "first")):
            with suppress(GammacpError):
                found = chosen.collect()
                assert "SECRET" not in {n for c in found.continua.values() for n in c.annotators}
    assert not any(camp.rglob("canary"))


def test_a_glob_finds_what_the_standard_library_finds(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import glob

    monkeypatch.chdir(root / "secret")
    (root / "secret" / "deep" / "er").mkdir(parents=True, exist_ok=True)
    (root / "secret" / "deep" / "er" / "s.csv").touch()
    for pattern in ("*.csv", "**/*.csv", "?.*", "*/*/s.csv", "no*", ".h*", "[sm].csv", "../s*/m.*"):
        assert [str(p) for p in matches(pattern)] == sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207
        whole = str(Path.cwd() / pattern)
        expected = {Path(p).resolve() for p in glob.glob(whole, recursive=True)}  # noqa: PTH207
        assert {p.resolve() for p in matches(whole)} == expected


def test_the_option_outside_lifts_confinement_for_one_command(
    run: Run, root: Path, tmp_path: Path
) -> None:
    file = tmp_path / "campaign.toml"
    entry = os.path.relpath(root / "secret" / "s.csv", tmp_path)
    file.write_text(f"# mine\npaths = [{toml_value(entry)}]\n")
    refused = run("inspect", file)
    assert refused.code == 3
    assert f"campaign.toml:2: '{entry}' leads out of {tmp_path}" in refused.err
    assert "--outside" in refused.err
    for arguments in (("--outside", "inspect", file), ("inspect", file, "--outside")):
        assert "SECRET" in run(*arguments).out
    assert run("inspect", file).code == 3  # the option ends with its command
    made = run("init", root / "secret" / "s.csv", "-o", tmp_path / "new.toml")
    assert made.err.strip().endswith("new.toml --outside")
    assert "SECRET" in run("inspect", tmp_path / "new.toml", "--outside").out


def test_paths_on_the_command_line_may_be_anywhere(run: Run, tmp_path: Path) -> None:
    """A path on the command line may lead anywhere, even beside a campaign.toml that may not."""
    here, there = tmp_path / "here", tmp_path / "there"
    for folder, late in ((here, 1), (there, 3)):
        folder.mkdir()
        rows = [
            f"{a},x,{40 * i + d},{40 * i + 9}\n"
            for i in range(30)
            for a, d in (("A", 0), ("B", late))
        ]
        (folder / "s.csv").write_text("".join(rows))
    (here / "campaign.toml").write_text('paths = ["s.csv"]\n')
    other = there / "s.csv"
    options = ("--samples", 3, "--no-interval", "--jobs", 1)
    typed = run("compare", here / "campaign.toml", "--against", other, *options)
    assert typed.code == 0, typed.err


@pytest.mark.parametrize(
    "command",
    [
        "syntax",
        "segmentation",
        "report --trees",
        pytest.param("measure -m las", marks=pytest.mark.needs("trees")),
    ],
)
def test_commands_with_their_own_readers_are_confined(
    run: Run, root: Path, tmp_path: Path, command: str
) -> None:
    (tmp_path / "link.conllu").symlink_to(root / "secret" / "s.csv")
    (tmp_path / "campaign.toml").write_text('paths = ["link.conllu"]\n')
    name, *options = command.split()
    if options[:1] == ["--trees"]:
        options = ["--trees", "dependency", "-o", str(tmp_path / "x.html")]
    outcome = run(name, tmp_path / "campaign.toml", *options)
    assert outcome.code == 3
    assert "leads out of" in outcome.err


def test_confinement_can_be_nested(root: Path) -> None:
    camp, secret = root / "camp", root / "secret"
    with lift_confinement(), confine(camp):
        content_of(secret / "s.csv")
        with confine(camp, always=True), pytest.raises(DataError, match="leads out of"):
            content_of(secret / "s.csv")
    content_of(secret / "s.csv")


COMMANDS = (
    "gamma --samples 3", "align", "measure -m gamma --samples 3", "compare --samples 3",
    "consensus", "calibrate --samples 3", "replace --candidate B", "report -o x.html",
    "watch --once", "plan", "inspect", "convert", "bench", "segmentation", "syntax",
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_imports_a_module_named_by_a_campaign(
    run: Run, root: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    camp = root / "camp"
    monkeypatch.chdir(camp)
    name, *options = command.split()
    for own in ("evil:X", "evil.py:X", "./evil.py:X", f"{camp}/evil.py:X"):
        (camp / "own.toml").write_text(f'paths = ["s.csv"]\ndissimilarity = "{own}"\n')
        outcome = run(name, "own.toml", *options)
        if name in ("gamma", "align", "compare", "report"):
            assert outcome.code == 3
            assert "own.toml:2: " in outcome.err
            assert f"if you trust it, give --import {own.removesuffix(':X')}" in outcome.err
    assert "evil" not in sys.modules
    assert not (camp / "canary").exists()


def test_a_campaign_may_name_a_module_that_was_imported_by_option(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Following the advice of the error literally gives the result."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.csv").write_text(ROWS.format("A"))
    own = "from gammacp import Combined\nclass X(Combined):\n    pass\n"
    (tmp_path / "trusted_own.py").write_text(own)
    for name in ("trusted_own", "trusted_own.py"):
        (tmp_path / "own.toml").write_text(f'paths = ["s.csv"]\ndissimilarity = "{name}:X"\n')
        told = run("align", "own.toml", "--import", "trusted_own.py", "--json")
        assert told.code == 0, told.err
        assert told.out == run("align", "s.csv", "--json").out.replace("Combined", "X")


@pytest.mark.parametrize(
    "key", [name for name, key in KEYS.items() if get_origin(key.annotation) is not dict]
)
def test_no_key_of_a_campaign_imports(
    root: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    camp = root / "camp"
    monkeypatch.chdir(camp)
    for value in ("evil:X", ["evil:X"], "evil.py", ["evil.py"], "evil", "matrix=evil.py"):
        others = "" if key == "paths" else 'paths = ["s.csv"]\n'
        (camp / "own.toml").write_text(f"{others}{key} = {toml_value(value)}\n")
        with watched(camp), suppress(GammacpError):
            campaign = campaign_of([camp / "own.toml"])
            campaign.select(campaign.collect())
    for line in ('positional = "{}"', 'f_cat = "{}"', '[category]\ntype = "{}"',
                 '[category]\ntype = "tree"\nfile = "{}"'):  # fmt: skip
        for value in ("evil:X", "evil.py:X", "evil", "evil.py", "matrix=../secret/m.csv",
                      "../secret/m.csv", str(root / "secret" / "m.csv")):  # fmt: skip
            (camp / "own.toml").write_text(line.format(value))
            with watched(camp), suppress(GammacpError):
                dissimilarity("own.toml")
    assert "evil" not in sys.modules
    assert not (camp / "canary").exists()


BY_NAME = {
    "gammacp/__init__.py", "gammacp/alignment/duals/lp.py", "gammacp/cli/app.py",
    "gammacp/pygamma/__init__.py", "gammacp/base/frames.py", "gammacp/base/frame_columns.py",
    "gammacp/base/lazy.py",  # names that packages give in their own code
    "gammacp/kernel/plain.py",  # the package's own kernels, from the module that defines them
    "gammacp/plugins.py",
    "gammacp/bench/ledger/running.py",  # experiments of the folder that --experiments names
    "gammacp/pools/cluster.py",
    "gammacp/registry.py", "gammacp/segmentation/__init__.py", "gammacp/cli/warming.py",
}  # fmt: skip
UNPICKLED = {
    "gammacp/testing/checking.py", "gammacp/kernel/numba_code.py", "gammacp/pools/cluster.py",
    "gammacp/pools/local.py", "gammacp/studio/work.py",
}  # fmt: skip


def test_code_is_imported_by_name_in_known_places_only() -> None:
    """Calls that import or run code by name occur only in listed files.

    For a new one, ask whether the name may come from a file that somebody else wrote.
    """
    import ast

    top = Path(__file__).parents[2]
    importing = ("import_module", "__import__", "spec_from_file_location", "exec_module")
    running = ("exec", "eval")
    unpickling = ("pickle.load", "pickle.loads", "marshal.loads")
    words_of_calls = (*importing, *running, "pickle", "marshal")
    named, unpickled = set[str](), set[str]()
    for path in (p for package in ("gammacp", "shuffling") for p in (top / package).rglob("*.py")):
        place = path.relative_to(top).as_posix()
        text = path.read_text(encoding="utf-8")
        if not any(word in text for word in words_of_calls):  # parsing every file takes seconds
            continue
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.Call) or not isinstance(
                node.func, ast.Name | ast.Attribute
            ):
                continue
            words = ast.unparse(node.func)
            if words.rpartition(".")[2] in importing or words in running:
                named.add(place)
            if words in unpickling:
                unpickled.add(place)
    there = {p for p in BY_NAME | UNPICKLED if (top / p).exists()}
    assert (named, unpickled) == (BY_NAME & there, UNPICKLED & there)


def test_matching_a_layout_is_fast(tmp_path: Path) -> None:
    name = "a" * 200 + ".csv"
    (tmp_path / name).write_text(ROWS.format("A"))
    (tmp_path / "campaign.toml").write_text(f'paths = ["{name}"]\nlayout = "{"*a" * 20}b"\n')
    ((_, error),) = read_campaign(tmp_path / "campaign.toml").collect().failures
    assert "does not fit the layout" in str(error)
