"""Features beside the category, in each format that can hold them."""

import json
from pathlib import Path

import pytest

import gammacp as gc
from gammacp import Continuum, DataError, Label, Unit
from gammacp.continuum.selecting import keep_categories
from tests.conftest import Run

CSV = """annotator,category,start,end,severity
Ann,a,0,2,Minor
Bob,a,0,2,Major
Bob,,3,4,Major
Max,,,,
"""


def features(path: Path, *names: str, **options: object) -> list[tuple[str | None, dict[str, str]]]:
    found = gc.read(path, features=names, **options)
    labels = [u.category for u in found]
    return [(x.category, dict(x.features)) if isinstance(x, Label) else (x, {}) for x in labels]


def test_csv(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text(CSV)
    assert features(file, "severity") == [
        ("a", {"severity": "Minor"}), ("a", {"severity": "Major"}), (None, {"severity": "Major"}),
    ]  # fmt: skip
    assert gc.read(file).features == ()
    with pytest.raises(DataError, match=r"a\.csv:1: feature 'kind' is not one column. The columns"):
        gc.read(file, features=["kind"])


@pytest.mark.parametrize("ending", ["csv", "tsv", "json"])
def test_written_features_are_read_back(tmp_path: Path, ending: str) -> None:
    c = Continuum.from_units(
        [
            Unit("Ann", 0, 2, Label("a, b", {"x": "1;2", "y": "[=]"})),
            Unit("Bob", 0, 2, Label(None, {"x": '"q"'})),
            Unit("Bob", 3, 4, "a"),
            Unit("Bob", 5, 6),
        ]
    )
    corpus = gc.Corpus.from_continua({"d": c, "e": keep_categories(c, ["a"])})
    wanted = ["x", "y"]
    for document in (c, corpus):
        file = tmp_path / f"f.{ending}"
        gc.write(document, file)
        read = gc.read if isinstance(document, Continuum) else gc.read_corpus
        found = read(file, features=wanted)
        both = (found, document) if isinstance(found, gc.Corpus) else ({"": found}, {"": document})
        assert {n: list(c) for n, c in both[0].items()} == {n: list(c) for n, c in both[1].items()}


def test_the_command_line(run: Run, tmp_path: Path) -> None:
    file, order = tmp_path / "a.csv", tmp_path / "order.toml"
    file.write_text(CSV)
    order.write_text('features.severity = {order = ["Minor", "Major"]}')
    done = run("align", file, "--dissimilarity", order, "--json")
    # Ann and Bob differ only in severity, half of d_cat; Max has nothing there.
    first = json.loads(done.out)["unitary_alignments"][0]
    assert first["disorder"] == pytest.approx((0.5 + 1 + 1) / 3)
    done = run("measure", file, "-m", "cu-alpha", "--dissimilarity", order, "--json")
    said = json.loads(done.out)["results"][0]["measures"]["cu-alpha"]["signature"]
    assert "metric:features(category:nominal,severity:ordinal(Minor,Major))" in said
    assert run("convert", file, tmp_path / "b.json", "--beside", "severity").code == 0
    assert gc.read(tmp_path / "b.json").features == ("severity",)
    # Features of JSON count only if they are requested.
    plain = json.loads(run("align", tmp_path / "b.json", "--json").out)
    assert plain["unitary_alignments"][0]["disorder"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["align", 'features.severity = {order = ["Minor", "Critical"]}'],
            3,
            "severity 'Major' is not in",
        ),
        (["align", "features.severe = {}"], 3, "feature 'severe' is not one column"),
        (
            ["align", "category = {weight = 0}\nfeatures.severity = {weight = 0}"],
            3,
            "sum to 0",
        ),
        (
            ["align", "--feature", "severity"],
            2,
            'write features."severity" = {} into FILE.toml and give',
        ),
        (
            ["align", "--feature", "how bad"],
            2,
            'write features."how bad" = {} into FILE.toml and give',
        ),
        (
            ["align", "--feature", "severity:ordinal=Minor<Major"],
            2,
            'Write features."severity" = {type = "ordinal", order = ["Minor", "Major"]} into',
        ),
        (
            ["measure", "-m", "ser", "features.severity = {}"],
            2,
            "--dissimilarity is an option of none",
        ),
        (["align", "--option", "features=severity"], 2, "set in --dissimilarity FILE.toml"),
    ],
)
def test_impossible_features_are_refused(
    run: Run, tmp_path: Path, arguments: list[str], code: int, message: str
) -> None:
    file, weighed = tmp_path / "a.csv", tmp_path / "d.toml"
    file.write_text(CSV)
    if "=" in arguments[-1] and not arguments[-2].startswith("--"):
        weighed.write_text(arguments.pop())
        arguments += ["--dissimilarity", str(weighed)]
    done = run(*arguments, file)
    assert (done.code, message in done.err) == (code, True), done.err


def test_a_feature_named_like_a_used_column_is_refused(tmp_path: Path) -> None:
    c = Continuum.from_units([Unit("Ann", 0, 5, Label("A", {"Doc": "x"}))])
    with pytest.raises(DataError, match="feature 'Doc' would be read as another column"):
        gc.write(c, tmp_path / "a.csv")
    corpus = gc.Corpus.from_continua({"d": c})
    gc.write(corpus, tmp_path / "b.csv")
    assert gc.read_corpus(tmp_path / "b.csv", features=["Doc"])["d"].features == ("Doc",)
    file = tmp_path / "c.csv"
    file.write_text("annotator,category,start,end,file\nAnn,A,0,5,x\nBob,A,0,5,y\n")
    assert features(file, "file") == [("A", {"file": "x"}), ("A", {"file": "y"})]
