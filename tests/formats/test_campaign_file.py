"""Contents of campaign.toml, and errors with their line."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from gammacp.base.files import lift_confinement
from gammacp.base.toml_files import line_of, toml_key
from gammacp.base.validation import validated
from gammacp.continuum import Continuum, Unit
from gammacp.errors import DataError, UsageError
from gammacp.formats.campaign_file import KEYS, Campaign, Keys, campaign_of, read_campaign
from gammacp.formats.campaign_writing import campaign_text

CAMPAIGN = """\
paths = ["data"]   # all of it
exclude = ["Max"]

[rename]
1 = "Ann"
"2" = "Bob"

[map]
n = "noun"

[rounds]
first = ["a"]
rest = ["data/b.csv"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    for name in "ab":
        rows = [f"{who},{c},{i},{i + 5}" for who in "12" for i, c in ((0, "n"), (9, "v"))]
        (tmp_path / "data" / f"{name}.csv").write_text("\n".join([*rows, "Max,v,1,2"]))
    (tmp_path / "campaign.toml").write_text(CAMPAIGN)
    return tmp_path


def chosen(campaign: Campaign) -> dict[str, Continuum]:
    return campaign.select(campaign.collect()).continua


def test_a_campaign_is_read_as_the_file_says(folder: Path) -> None:
    campaign = read_campaign(folder / "campaign.toml")
    a, b = chosen(campaign).values()
    assert (a.name, b.name, a.annotators, a.categories) == ("a", "b", ("Ann", "Bob"), ("noun", "v"))
    assert list(a) == [
        Unit("Ann", 0, 5, "noun"), Unit("Ann", 9, 14, "v"),
        Unit("Bob", 0, 5, "noun"), Unit("Bob", 9, 14, "v"),
    ]  # fmt: skip
    assert a.selection == (
        "map=n,noun", "rename=1,Ann", "rename=2,Bob", "exclude=Max", f"campaign={campaign.stamp}",
    )  # fmt: skip


def test_the_stamp_depends_on_values_and_not_on_notation(folder: Path) -> None:
    file = folder / "campaign.toml"
    stamps = {read_campaign(file).stamp}
    file.write_text("# a comment\n" + CAMPAIGN.replace('["data"]', "[ 'data' ]"))
    assert {read_campaign(file).stamp} == stamps
    file.write_text(CAMPAIGN.replace("noun", "name"))
    assert {read_campaign(file).stamp} != stamps


def test_given_values_override_the_file_and_rounds_select_documents(folder: Path) -> None:
    campaign = read_campaign(folder / "campaign.toml")
    (only,) = chosen(campaign.but({"exclude": ["Bob"]}, "first")).values()
    assert (only.name, only.annotators) == ("a", ("Ann", "Max"))
    assert only.selection[-2:] == (f"campaign={campaign.stamp}", "round=first")
    (rest,) = chosen(campaign.but({}, "rest")).values()
    assert rest.name == "b"
    with pytest.raises(DataError, match=r"toml:11: round 'x' is unknown\. There are: first, rest"):
        campaign.but({}, "x")
    with pytest.raises(UsageError, match=r"`round=` x needs a campaign\.toml"):
        Campaign({}).but({}, "x")


@pytest.mark.parametrize("entries", ['["c"]', '["data/c.csv"]'])
def test_a_round_need_not_have_all_annotators(folder: Path, entries: str) -> None:
    (folder / "data" / "c.csv").write_text("1,v,0,5\n2,v,0,5\n")
    file = folder / "campaign.toml"
    file.write_text(CAMPAIGN.replace('["a"]', entries))
    (c,) = chosen(read_campaign(file).but({}, "first")).values()
    assert (c.annotators, c.categories) == (("Ann", "Bob"), ("v",))
    file.write_text(file.read_text().replace("exclude", "only = ['n']\nexclude"))
    with pytest.raises(DataError, match=r":2: category 'n' does not occur"):
        chosen(read_campaign(file).but({}, "first"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('paths = ["data"\n', r"campaign\.toml:1: not TOML: Unclosed array"),
        ('paths = ["data"]\nlayers = "x"\n', r":2: key 'layers' is unknown\. There are: paths"),
        ('paths = "data"\n', r':1: paths = "data" is not a list\. Write it as \["a", "b"\]'),
        (
            'paths = [\n "data",\n "daat",\n]\n',
            r":3: 'daat' does not exist\. Paths are relative to",
        ),
        ('exclude = ["a"]\n', r"campaign\.toml: there are no paths"),
        (
            'paths = ["data"]\nbounds = [9, 1]\n',
            r":2: bounds = \[9, 1\].* is not \[START, END\] with START <= END",
        ),
        ('paths = ["data"]\nbounds = [true, 1]\n', r":2: bounds\[0\] = true is not a number"),
        ('paths = ["data"]\nbounds = [0, nan]\n', r":2: bounds\[1\] = NaN is not a finite number"),
        (
            f'paths = ["data"]\nbounds = [0, {10**30}]\n',
            r":2: bounds\[1\] = 10{30} is not a number <= 90",
        ),
        ('paths = ["data"]\nbounds = [0]\n', r":2: bounds\[1\] is missing"),
        ('paths = ["data"]\nonly = ["a", 1]\n', r":2: only\[1\] = 1 is not a text"),
        ('paths = ["data"]\nalign_texts = 1\n', r":2: align_texts = 1 is not true or false"),
        (
            'paths = ["data"]\nrename = "x"\n',
            r':2: rename = "x" is not a table\. Begin one: \[rename\]',
        ),
        (
            'paths = ["data"]\n[rename]\n1 = "A"\n2 = 3\n',
            r':4: rename\.2 = 3 is not a text\. Write it as "a"',
        ),
        ('paths = ["data"]\n[option]\nlayer = "x"\n', r":3: layer is not an option of a format"),
        pytest.param(
            'paths = ["data"]\nlayer = "x"\n',
            r":2: option 'layer' is not one of csv",
            marks=pytest.mark.needs("tools"),
        ),
        ('paths = ["data"]\nformat = "cvs"\n', r":2: format 'cvs' is unknown"),
        ('paths = ["data"]\nexclude = [\n"1",\n"9"]\n', r":4: annotator '9' does not occur"),
        ('paths = ["data"]\n[map]\nq = "n"\n', r":3: category 'q' does not occur"),
        ('paths = ["data"]\n[rename]\n1 = "2"\n', r":3: .*two annotators of .*a\.csv would be '2'"),
    ],
)
def test_errors_have_a_line_and_a_remedy(folder: Path, text: str, message: str) -> None:
    (folder / "campaign.toml").write_text(text)
    with pytest.raises(DataError, match=message):
        chosen(read_campaign(folder / "campaign.toml"))


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ('["a", "c*"]', r":3: document 'c\*' of round 'r' does not occur\. There are: a, b"),
        ('["a", "data/b.csv"]', r":3: round 'r' names files, but also 'a'"),
    ],
)
def test_bad_rounds(folder: Path, entries: str, message: str) -> None:
    (folder / "campaign.toml").write_text(f'paths = ["data"]\n[rounds]\nr = {entries}\n')
    with pytest.raises(DataError, match=message):
        chosen(read_campaign(folder / "campaign.toml").but({}, "r"))


def test_a_campaign_file_must_stand_alone(folder: Path) -> None:
    with pytest.raises(UsageError, match="alone: its paths say what is read"):
        campaign_of([folder / "campaign.toml", folder / "data"])


def test_a_written_file_has_every_key_and_reads_the_same(folder: Path) -> None:
    campaign = campaign_of([folder / "data"]).but({"exclude": ["Max"], "rename": {"1": "Ann B."}})
    found = campaign.collect()
    file = folder / "new" / "own.toml"
    file.parent.mkdir()
    text = campaign_text(campaign, found, file)
    file.write_text(text)
    assert 'paths = ["../data"]' in text
    reason = r"'\.\./data' leads out of .*new\. Put .* `lift_confinement\(\)`"
    with pytest.raises(DataError, match=reason):
        read_campaign(file)
    with lift_confinement():
        read = chosen(read_campaign(file))
    for a, b in zip(campaign.select(found).continua.values(), read.values(), strict=True):
        assert list(a) == list(b)
    # With every key uncommented the text is valid TOML with all keys of this format.
    on = (line.removeprefix("# ") for line in text.splitlines())
    said = tomllib.loads("\n".join(x for x in on if re.match(r'["\w]+ = |\[', x)))
    assert said.keys() == KEYS.keys() - {"layer", "feature", "tier"}
    validated(Keys, said)  # each example has the type of its key


def test_keys_have_lines() -> None:
    text = 'a.b = 1\n# c = 2\nc = """\nx"""\n["d e"]\n"f=g" = [\n "x",\n "y" ]\nh = "y"\n'
    found = {
        keys: line_of(text, *keys)
        for keys in [("a", "b"), ("a",), ("c",), ("d e",), ("d e", "f=g"), ("d e", "z"), ("z",)]
    }
    assert [*found.values()] == [1, 1, 3, 5, 6, 5, None]
    assert line_of(text, "d e", "f=g", value="y") == 8
    for name in ("a", "a b", 'a"b', "a\x7f", "ä", ""):
        assert tomllib.loads(f"{toml_key(name)} = 1") == {name: 1}
