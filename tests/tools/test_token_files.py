"""Test how WebAnno TSV, older TSV and IOB files, which share the ending .tsv, are read."""

import json
from pathlib import Path
from typing import Any

import pytest

from gammacp import DataError, Label, Unit, read, read_corpus
from tests.tools.story import counted, links_by_starts

SPAN = "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Span|value\n"
SLOTS = (
    "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Span|\n"
    "#T_SP=custom.Host|ROLE_custom.Host:links_custom.Link|custom.Span\n"
)


def tsv(folder: Path, content: str) -> Path:
    """Write the content to a file of one annotator and return its path."""
    file = folder / "d" / "ann.tsv"
    file.parent.mkdir(exist_ok=True)
    file.write_text(content, encoding="utf-8")
    return file


def test_the_last_row_may_be_part_of_a_token(tmp_path: Path) -> None:
    file = tsv(tmp_path, f"{SPAN}\n\n#Text=Test\n1-1\t0-4\tTest\t_\t\n1-1.1\t0-1\tT\tOTH\t\n")
    assert list(read(file)) == [Unit("ann", 0, 1, "OTH")]
    cut = tsv(tmp_path, f"{SPAN}\n\n#Text=Test it\n1-1\t0-4\tTest\t_\t\n1-1.1\t0-1\tT\tOTH\t\n")
    with pytest.raises(DataError, match="file ends before its text"):
        read(cut)


def test_slots_are_no_categories(tmp_path: Path) -> None:
    rows = "#Text=a b\n1-1\t0-1\ta\t*\tp1;p2\t1-2;1-1\t\n1-2\t2-3\tb\t*\t_\t*\t\n"
    file = tsv(tmp_path, f"{SLOTS}\n\n{rows}")
    c = read(file, layer="Host")
    # the second host has a slot without a value
    assert list(c) == [Unit("ann", 0, 1, None), Unit("ann", 2, 3, None)]
    assert counted(c)["annotation", "layer Span was not chosen"] == 2


def test_slots_are_features(tmp_path: Path) -> None:
    """Links that fill slots are read as in WebAnno's own tests.

    Annotations have ids where they cover several tokens or are stacked.
    """
    rows = (
        "#Text=😀 this is a test .\n"
        "1-1\t0-2\t😀\t*\t*;b\\;c\t1-2[1];1-6.1\t\n"
        "1-2\t3-7\tthis\t*[1]|*[2]\t_[3]|by;to[4]\t*|1-2[2];1-1\t\n"
        "1-3\t8-10\tis\t*[1]|*[2]\t_\t_\t\n"
        "1-4\t11-12\ta\t_\tx;x\t1-2[4];1-4\t\n"
        "1-5\t13-17\ttest\t_\t_\t*\t\n"
        "1-6\t18-19\t.\t_\t_\t_\t\n"
        "1-6.1\t18-19\t.\t*\t_\t_\t\n"
    )
    file = tsv(tmp_path, f"{SLOTS}\n\n{rows}")
    c = read(file, layer="Host", features=["links", "links.target"])
    assert {(u.start, u.end, u.category) for u in c} == {
        (0, 1, Label(None, {"links": "b;c", "links.target": "2-9+b;c 17-18"})),
        (2, 6, None),
        (2, 6, Label(None, {"links": "by+to", "links.target": "by 2-9+to 0-1"})),
        (10, 11, Label(None, {"links": "x", "links.target": "x 2-6+x 10-11"})),
        (12, 16, None),
    }
    assert counted(c) == {("annotation", "layer Span was not chosen"): 4}
    assert read(file, layer="Host", features=["links"]).features == ("links",)
    alone = read(file, layer="Host")
    place = {u.id: (u.start, u.end) for u in alone}
    found = {(x.type, place[x.source], place[x.target]) for x in alone.links}
    # The [4] refers to a host: no span begins at 1-4.
    assert found == {("x", (10, 11), (2, 6)), ("x", (10, 11), (10, 11))}
    assert counted(alone) == {
        ("annotation", "layer Span was not chosen"): 4,
        ("link", "leads to another layer (`read(fillers=units)` reads its target)"): 4,
    }
    whole = read(file, layer="Host", fillers="units")
    place = {u.id: (u.start, u.end) for u in whole}
    found = {(x.type, place[x.source], place[x.target]) for x in whole.links}
    assert found == {
        ("x", (10, 11), (2, 6)),
        ("x", (10, 11), (10, 11)),
        ("", (0, 1), (2, 9)),
        ("b;c", (0, 1), (17, 18)),
        ("by", (2, 6), (2, 9)),
        ("to", (2, 6), (0, 1)),
    }
    assert [(u.start, u.end) for u in whole].count((2, 9)) == 2
    assert not counted(whole)
    tsv(tmp_path, f"{SLOTS}\n\n{rows.replace('1-2[2]', '1-2[7]')}")
    with pytest.raises(DataError, match=r"ann\.tsv:8: slot 'by;to' is filled by '1-2\[7\]'"):
        read(file, layer="Host", features=["links"])


def test_relations_chains_and_other_layers_are_counted(tmp_path: Path) -> None:
    head = (
        "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Span|value|note\n#T_SP=custom.Other|kind\n"
        "#T_CH=custom.Chain|referenceRelation|referenceType\n#T_RL=custom.Rel|label|BT_custom.Span\n"
    )
    rows = (
        "#Text=a b c\n"
        "1-1\t0-1\ta\tX[1]|Y\tn[1]|*\tk[1]\t*->1-1\t*[1]\t_\t_\t\n"
        "1-2\t2-3\tb\tX[1]\tn[1]\tk[1]\t*->1-1|*->2-1\t*[1]|*\tr|s\t1-1|1-1[1_0]\t\n"
        "1-3\t4-5\tc\t_\t_\tk\t*\t*\t_\t_\t\n"
    )
    c = read(tsv(tmp_path, f"{head}\n\n{rows}"), layer="Span", feature="value")
    assert [(u.start, u.end, u.category) for u in c] == [(0, 1, "Y"), (0, 3, "X")]
    assert counted(c) == {
        ("annotation", "layer Other was not chosen"): 2,
        ("annotation", "layer Chain was not chosen"): 2,
        ("annotation", "layer Chain gives it no number in a chain"): 1,
        ("relation", "layer Rel links annotations"): 2,
        ("value", "feature note is not the category"): 1,
    }


def test_relations_of_the_chosen_layer_are_links(tmp_path: Path) -> None:
    """Each relation is written at its target, and `|` separates several.

    It has the ids of both ends where these have ids.
    """
    head = (
        "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Span|value\n#T_RL=custom.Rel|label|BT_custom.Span\n"
    )
    rows = (
        "#Text=a b c d\n"
        "1-1\t0-1\ta\tX[1]\t_\t_\t\n"
        "1-2\t2-3\tb\tX[1]\tr\\|1\t1-3[0_1]\t\n"
        "1-3\t4-5\tc\tY\t*|s\t1-4|1-2[1_0]\t\n"
        "1-4\t6-7\td\tZ\t_\t_\t\n"
    )
    file = tsv(tmp_path, f"{head}\n\n{rows}")
    c = read(file, layer="Span", feature="value")
    place = {u.id: u.category for u in c}
    found = [(x.type, place[x.source], place[x.target]) for x in c.links]
    assert found == [("r|1", "Y", "X"), ("", "Z", "Y"), ("s", "X", "Y")]
    assert not counted(c)
    broken = tsv(tmp_path, f"{head}\n\n{rows.replace('1-3[0_1]', '1-9')}")
    with pytest.raises(DataError, match=r"relation begins at '1-9', which is not a token"):
        read(broken, layer="Span", feature="value")
    lost = tsv(tmp_path, f"{head}\n\n{rows.replace('1-4|1-2[1_0]', '1-4')}")
    with pytest.raises(DataError, match=r"layer custom\.Rel hold different numbers of relations"):
        read(lost, layer="Span", feature="value")


CHAINED = (
    "#Text=Ann Lee met Bob . She hit him\n"
    "1-1\t0-3\tAnn\tcoref->1-1\tname[1]\t\n"
    "1-2\t4-7\tLee\tcoref->1-1|*->3-1\tname[1]|a\\->b[3]\t\n"
    "1-3\t8-11\tmet\t_\t_\t\n"
    "1-4\t12-15\tBob\t*->2-1\tname[2]\t\n"
    "1-5\t16-17\t.\t_\t_\t\n"
    "1-6\t18-21\tShe\t*->1-2\tpr[1]\t\n"
    "1-7\t22-25\thit\t_\t_\t\n"
    "1-8\t26-29\thim\t*->2-2\t*[2]\t\n"
)


def test_chains_are_links_between_their_members(tmp_path: Path) -> None:
    """The layout is that of WebAnno's user guide: a relation with the chain and a number.

    Both orders of the two columns are read.
    """
    first = "#FORMAT=WebAnno TSV 3.3\n#T_CH=x.Coref|referenceRelation|referenceType\n\n\n"
    kind = {"layer": "Coref", "feature": "referenceType"}
    c = read(tsv(tmp_path, first + CHAINED), **kind)
    assert {(u.start, u.end, u.category) for u in c} == {
        (0, 7, "name"),
        (4, 7, "a->b"),
        (12, 15, "name"),
        (18, 21, "pr"),
        (26, 29, None),
    }
    assert links_by_starts(c) == {("x.Coref", 0, 18, "chain"), ("x.Coref", 12, 26, "chain")}
    assert counted(c) == {("value", "feature referenceRelation is not the category"): 1}
    turned = [line.split("\t") for line in CHAINED.splitlines()]
    lines = ["\t".join([*x[:3], x[4], x[3], ""]) if len(x) > 3 else x[0] for x in turned]
    head = first.replace("referenceRelation|referenceType", "referenceType|referenceRelation")
    assert read(tsv(tmp_path, head + "\n".join([*lines, ""])), **kind) == c
    with pytest.raises(DataError, match="several features"):
        read(tsv(tmp_path, first + CHAINED))
    with pytest.raises(DataError, match=r"ann\.tsv:9: mention '\*' has no number"):
        read(tsv(tmp_path, first + CHAINED.replace("*->2-1", "*")), **kind)


@pytest.mark.parametrize(
    "content",
    [
        "#id=1\n#text=Ms. Haag .\n1-1\tMs.\tB-PER\n1-2\tHaag\tI-PER\n",
        " # custom.Span | value\n#id=1\n#text=Ms.\n1-1\tMs.\tPER\n",
        "1-1\tMs.\tms.\tNP\tO\tpunct\t1-2\n",
    ],
)
def test_the_error_on_older_tsv_recommends_an_export(tmp_path: Path, content: str) -> None:
    with pytest.raises(DataError, match=r"version 1 or 2.*export it as WebAnno TSV v3\.3"):
        read(tsv(tmp_path, content))


@pytest.mark.parametrize(
    "content",
    [
        "Ann\tB-PER\nmet\tO\n",
        "token\ttag\nAnn\tB-PER\nmet\tO\n",
        "#\thttp://example.org [2010-01-01]\n1\tAnn\tB-PER\tO\n2\tmet\tO\tO\n",
        "-DOCSTART-\tO\n\nAnn\tB-PER\nmet\tO\n",
    ],
)
def test_iob_files_may_end_in_tsv(tmp_path: Path, content: str) -> None:
    # As is usual for CoNLL files, the folder is the annotator.
    c = read(tsv(tmp_path, content), feature="3" if "http" in content else None)
    assert list(c) == [Unit("d", 0, 1, "PER")]


def test_the_error_on_iob_in_another_column_names_the_option(tmp_path: Path) -> None:
    file = tsv(tmp_path, "Ann\tB-PER\tNP\nmet\tO\tV\nBob\tB-PER\tNP\n")
    with pytest.raises(
        DataError, match="Give the number of the column with the tags as `feature=NUMBER`"
    ):
        read(file)
    assert read(file, feature="2").n_units == 2


def test_a_table_of_units_is_not_read_as_iob(tmp_path: Path) -> None:
    file = tmp_path / "a.tsv"
    file.write_text("B\tO\t0\t1\nE\tO\t0\t1\n", encoding="utf-8")
    assert read(file).annotators == ("B", "E")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (f"{SPAN}#T_XY=custom.Other|value\n\n\n#Text=a\n1-1\t0-1\ta\tX\tY\t\n", "unknown kind"),
        (f"{SPAN}\n\n#Text=a\n1-1\t0-1\ta\tX\t\n#T_SP=custom.Late|value\n", "after the first"),
    ],
)
def test_an_unknown_layer_declaration_is_refused(
    tmp_path: Path, content: str, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        read(tsv(tmp_path, content))


def test_declared_columns_name_the_token_column(tmp_path: Path) -> None:
    file = tmp_path / "a.conll"
    file.write_text("# global.columns = ID FORM NER\n1\tAnn\tB-PER\n2\tmet\tO\n")
    c = read(file)
    assert c.text == "Ann met"
    assert [(u.start, u.end, u.category) for u in c] == [(0, 1, "PER")]


def conll(folder: Path, who: str, *rows: str) -> None:
    file = folder / who / "d.conll"
    file.parent.mkdir(parents=True)
    file.write_text("\n".join((*rows, "")), encoding="utf-8")


ENDING = ("Ann B-PER", "Lee I-PER", "saw O", "New B-LOC", "York I-LOC", ". O")


def test_tokens_that_differ_are_aligned_by_characters(tmp_path: Path, run: Any) -> None:
    """The common text is `I do n't like Ann Lee …`, in which only Ann has the blank before
    "n't".
    """
    conll(tmp_path, "Ann", "I O", "do B-NEG", "n't I-NEG", "like O", *ENDING)
    conll(tmp_path, "Bob", "I O", "don't B-NEG", "like O", *ENDING)
    refused = run("gamma", str(tmp_path))
    assert refused.code == 3
    assert "--align-texts" in refused.err
    assert gamma_of(run("gamma", str(tmp_path), "--align-texts", "--json")) == 1
    c = read(tmp_path, align_texts=True)
    line = "I do n't like Ann Lee saw New York ."
    assert c.text == line
    assert c.offset_unit == "characters"
    words = ("do n't", "Ann Lee", "New York")
    places = [(line.index(word), line.index(word) + len(word)) for word in words]
    for who in ("Ann", "Bob"):
        assert [(u.start, u.end) for u in c if u.annotator == who] == places


def test_equal_tokens_are_not_converted_to_characters(tmp_path: Path) -> None:
    for who in ("Ann", "Bob"):
        conll(tmp_path, who, *ENDING)
    c = read(tmp_path, align_texts=True)
    assert c.offset_unit == "tokens"
    assert [(u.start, u.end) for u in c] == [(0, 2), (3, 5)] * 2


def gamma_of(found: Any) -> float:
    return float(json.loads(found.out)["results"][0]["gamma"])


@pytest.mark.parametrize(
    ("rows", "count"),
    [
        (("Wash B-LOC", "##ing B-LOC", "##ton B-LOC", "is O"), 2),
        (("Wash B-LOC", "##ing I-LOC", "##ton I-LOC", "is O"), 0),
        (("Wash@@ B-LOC", "ing@@ B-LOC", "ton B-LOC", "is O"), 2),
        (("▁Wash S-LOC", "ing S-LOC", "ton S-LOC", "▁is O"), 2),
        (("▁Wash B-LOC", "▁Paris B-LOC", "▁is O"), 0),
        (("Paris B-LOC", "Rome B-LOC", "is O"), 0),
        (("Wash B-LOC", "##ing B-PER", "is O"), 0),
    ],
)
def test_subwords_that_begin_a_chunk_are_noted(
    tmp_path: Path, run: Any, rows: tuple[str, ...], count: int
) -> None:
    conll(tmp_path, "Ann", *rows)
    shown = run("inspect", str(tmp_path), "--json")
    noted = json.loads(shown.out)["conventions"]
    assert [entry["convention"] for entry in noted] == ["subwords"] * bool(count)
    if count:
        assert noted[0]["applied"] is False
        assert noted[0]["evidence"].startswith(f"{count} subwords have B- like the piece before")
        assert "write I- on all but the first piece" in run("inspect", str(tmp_path)).out


HIPE = (
    "TOKEN\tNE-COARSE-LIT\tNE-FINE-LIT\tNE-NESTED\tNEL-LIT\tMISC",
    "# hipe2022:document_id = p1",
    "Herr\tB-pers\tB-pers.ind\tO\tQ1\t_",
    "Zug\tI-pers\tI-pers.ind\tB-loc\tQ1\tNoSpaceAfter",
    "#\tO\tO\tO\t_\t_",
    "Bern\tB-loc\tB-loc.adm\tO\tQ70\tEndOfLine",
    "",
    "# hipe2022:document_id = p2",
    "Paris\t_\tB-loc.adm\tO\tQ90\t_",
)


def hipe(folder: Path, *rows: str) -> Path:
    """Write the rows to a file of one annotator and return its path."""
    file = folder / "Ann" / "d.tsv"
    file.parent.mkdir(exist_ok=True)
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return file


def test_the_coarse_column_of_hipe_is_read_by_default(tmp_path: Path) -> None:
    corpus = read_corpus(hipe(tmp_path, *HIPE))
    assert [*corpus] == ["p1", "p2"]
    assert list(corpus["p1"]) == [Unit("Ann", 0, 2, "pers"), Unit("Ann", 3, 4, "loc")]
    assert not corpus["p2"].n_units
    assert counted(corpus["p2"])["token", "has _ instead of a tag and counts as O"] == 1
    left = counted(corpus["p1"])
    for other in ("NE-FINE-LIT", "NE-NESTED"):
        reason = f"has tags, but NE-COARSE-LIT was read (`feature={other}` reads {other})"
        assert left["column", reason] == 1
    # the entity links and the notes
    assert left["column", "neither the token nor the tag"] == 2


@pytest.mark.parametrize("feature", ["NE-FINE-LIT", "ne-fine-lit", "3"])
def test_a_column_is_chosen_by_name_or_number(tmp_path: Path, feature: str) -> None:
    corpus = read_corpus(hipe(tmp_path, *HIPE), feature=feature)
    assert [u.category for u in corpus["p1"]] == ["pers.ind", "loc.adm"]
    assert [u.category for u in corpus["p2"]] == ["loc.adm"]


@pytest.mark.parametrize(
    ("feature", "message"),
    [
        ("NE-FINE", "nor one of the columns NE-COARSE-LIT, NE-FINE-LIT"),
        ("NEL-LIT", "tag 'Q1' is not IOB"),
        ("7", "column 7 does not exist"),
        ("0", "is not a column number"),
    ],
)
def test_an_impossible_column_is_an_error(tmp_path: Path, feature: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(hipe(tmp_path, *HIPE), feature=feature)


def test_with_a_header_the_last_column_of_tags_is_read(tmp_path: Path) -> None:
    rows = ("Token POS Chunk NER Remark", "Ann NNP B-NP B-PER x", "sings VBZ B-VP O _")
    c = read(hipe(tmp_path, *rows), format="conll")
    assert list(c) == [Unit("Ann", 0, 1, "PER")]
    assert counted(c)["column", "has tags, but NER was read (`feature=Chunk` reads Chunk)"] == 1
    with pytest.raises(DataError, match="none of the columns"):
        read(hipe(tmp_path, "Token POS Remark", "Ann NNP x"), format="conll")


def test_columns_without_a_header_are_numbered(tmp_path: Path) -> None:
    c = read(hipe(tmp_path, "Ann NNP B-NP B-PER", "sings VBZ B-VP O"), format="conll")
    assert counted(c)["column", "has tags, but 4 was read (`feature=3` reads 3)"] == 1
    assert counted(c)["column", "neither the token nor the tag"] == 1
