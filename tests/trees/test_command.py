from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Run

CDT = Path(__file__).parents[1] / "fixtures" / "cdt"
KEYS = ["alpha", "observed", "expected", "las", "uas", "jaccard", "items", "tokens", "ignored"]


def syntax(run: Run, *arguments: object) -> tuple[int, str, str]:
    outcome = run("syntax", *arguments)
    return outcome.code, outcome.out, outcome.err


def test_json_has_the_documented_keys(run: Run) -> None:
    code, out, err = syntax(run, CDT / "es", "--json")
    document = json.loads(out)
    assert code == 0
    assert [*document][: len(KEYS) + 1] == [*KEYS, "defects"]
    assert list(document["alpha"]) == ["plain", "diff", "norm"]
    assert document["alpha"]["plain"] == pytest.approx(0.86633602, abs=1e-8)
    assert (document["items"], document["tokens"], document["ignored"]) == (55, 924, 2)
    assert document["jaccard"] is None
    assert {d["kind"] for d in document["defects"]} == {"several roots", "token count", "cycle"}
    assert "4 annotators: henrik, jonas, lotte, soren; 5 documents" in err
    assert "pairs" not in document


def test_tables_show_all_requested_parts(run: Run) -> None:
    code, out, err = syntax(
        run,
        CDT / "it",
        "--by-annotator",
        "--sentences",
        3,
        "--bootstrap",
        10,
        "--sample-pairs",
        400,
    )
    assert code == 0
    assert "iorn – lisa" in out
    assert "without morten" in out
    assert "0998-it 4" in out
    # The table breaks long cells into lines.
    assert "the annotators split sentences at different places" in " ".join(out.split())
    assert "bootstrap" in out
    assert "95 % sampling" in out
    assert "seed 0" in err
    assert "15 of 136 sentences with differing token counts are left out of LAS, UAS, label" in err
    _, again, _ = syntax(
        run,
        CDT / "it",
        "--by-annotator",
        "--sentences",
        3,
        "--bootstrap",
        10,
        "--sample-pairs",
        400,
    )
    assert again == out


def test_json_holds_all_requested_parts(run: Run) -> None:
    _, out, _ = syntax(
        run,
        CDT / "es",
        "--json",
        "--by-annotator",
        "--sentences",
        2,
        "--bootstrap",
        10,
        "--seed",
        3,
    )
    document = json.loads(out)
    assert len(document["pairs"]) == 6
    assert len(document["without"]) == 4
    assert len(document["sentences"]) == 2
    assert document["sentences"][0]["annotations"]["lotte"]["line"] > 0
    assert len(document["bootstrap"]["las"]) == 2


def test_the_smallest_possible_p_is_reported(run: Run) -> None:
    document = json.loads(syntax(run, CDT / "es", "--json")[1])
    assert document["beyond_chance"]["plain"]["least_p"] == 1 / 200


def test_the_lower_end_of_the_interval_can_be_required(run: Run) -> None:
    """The interval is that of the value that --fail-under tests: beyond chance, or as published."""
    low, _ = json.loads(syntax(run, CDT / "es", "--json")[1])["beyond_chance"]["plain"]["interval"]
    assert syntax(run, CDT / "es", "--fail-under-lower", low - 0.001)[0] == 0
    code, _, err = syntax(run, CDT / "es", "--fail-under-lower", low + 0.001)
    assert (code, "the lower end of α plain beyond chance's interval is" in err) == (5, True)
    published = ("--preset", "skjaerholt-2014", "--fail-under-lower", 0.1)
    assert syntax(run, CDT / "es", *published)[0] == 5
    assert syntax(run, CDT / "es", *published, "--bootstrap", 50)[0] == 0


def test_phrase_structure_has_jaccard_instead_of_las(run: Run, tmp_path: Path) -> None:
    (tmp_path / "ann.mrg").write_text("(S (NP (PRP I)) (VP (VBD ran)))", encoding="utf-8")
    (tmp_path / "ben.mrg").write_text("(S (PRP I) (VP (VBD ran)))", encoding="utf-8")
    code, out, err = syntax(run, tmp_path, "--json")
    document = json.loads(out)
    assert code == 0
    assert document["jaccard"] == pytest.approx(4 / 5)
    assert document["las"] is None
    assert "with words" in err


def test_bad_input_is_one_line_and_exit_3(run: Run, tmp_path: Path) -> None:
    code, out, err = syntax(run, CDT / "da-lotte.conll")
    assert (code, out) == (3, "")
    assert "one annotator only" in err
    code, _, err = syntax(run, CDT / "da-lotte.conll", CDT / "da-morten.conll", "--strict")
    assert code == 3
    assert "da-lotte.conll:" in err.splitlines()[-1]
    bad = tmp_path / "da-zoe.conll"
    bad.write_text("1\tx\n", encoding="utf-8")
    code, _, err = syntax(run, bad, CDT / "da-morten.conll")
    assert code == 3
    assert f"{bad}:1: 2 columns" in err
    code, _, err = syntax(run, tmp_path / "nothing.conll", bad)
    assert code == 3
    assert "Traceback" not in err


def test_measure_takes_trees_and_sends_graphs_to_syntax(run: Run) -> None:
    trees = CDT / "da-lotte.conll", CDT / "da-morten.conll"
    found = run("measure", *trees, "-m", "alpha-plain,las", "--beyond-chance", "--json")
    (one,) = json.loads(found.out)["results"]
    assert one["measures"]["las"]["beyond_chance"]["value"] == pytest.approx(0.8965, abs=1e-4)
    graphs = [CDT.parent / "graphs" / f"{name}.amr" for name in ("ann", "ben")]
    for options in ((), ("-m", "las,alpha-norm")):
        refused = run("measure", *graphs, *options)
        assert (refused.code, "gammacp syntax" in refused.err.replace("`", "")) == (3, True)


def test_undefined_is_null_with_a_reason(run: Run, tmp_path: Path) -> None:
    for name in ("ann", "ben"):
        (tmp_path / f"{name}.conll").write_text("1\tx\t_\t_\t_\t_\t0\tr\n", encoding="utf-8")
    code, out, _ = syntax(run, tmp_path, "--json")
    assert code == 0
    assert json.loads(out)["alpha"] == {"plain": None, "diff": None, "norm": None}
    assert "expected disagreement is 0" in json.loads(out)["reason"]


def test_fail_under_exits_with_5(run: Run) -> None:
    files = CDT / "da-lotte.conll", CDT / "da-morten.conll"
    assert syntax(run, *files, "--fail-under", 0.95)[0] == 0
    code, _, err = syntax(run, *files, "--fail-under", 0.96)
    assert code == 5
    assert "α plain beyond chance is 0.9514, below 0.96" in err
    # With the preset, the published α is the only value.
    assert syntax(run, *files, "--preset", "skjaerholt-2014", "--fail-under", 0.956)[0] == 0
    code, _, err = syntax(run, *files, "--preset", "skjaerholt-2014", "--fail-under", 0.957)
    assert (code, "α plain as published is 0.9568, below" in err) == (5, True)


@pytest.mark.parametrize(
    ("option", "value"), [("--leaves", "labels"), ("--leaves", "words"), ("--size", "nodes")]
)
def test_options_of_phrase_structure_are_refused_for_other_trees(
    run: Run, option: str, value: str
) -> None:
    files = CDT / "da-lotte.conll", CDT / "da-morten.conll"
    graphs = [CDT.parent / "graphs" / f"{name}.amr" for name in ("ann", "ben")]
    for paths, kind in ((files, "dependency"), (graphs, "graph")):
        code, _, err = syntax(run, *paths, option, value)
        assert (code, f"{option[2:]} '{value}' is not for {kind} trees" in err) == (2, True)


def test_sentences_left_out_of_accuracies_are_reported(run: Run) -> None:
    assert (
        "2 of 55 sentences with differing token counts are left out of LAS, UAS, label"
        in syntax(run, CDT / "es")[2]
    )
    found = run("measure", CDT / "es", "-m", "las,alpha-plain")
    assert "las: 2 of 55 sentences left out because their token counts differ" in found.err


def test_left_out_sentences_are_reported_and_an_error_with_strict(run: Run, tmp_path: Path) -> None:
    row = "{0}\t{1}\t_\t_\t_\t_\t{2}\t{3}"

    def block(*words: str) -> str:
        return "\n".join(row.format(i, w, i - 1, w[:2]) for i, w in enumerate(words, 1)) + "\n"

    text = [block(f"w{k}", "goes", f"to{k}") for k in range(6)]
    (tmp_path / "ann.conll").write_text("\n".join(text), encoding="utf-8")
    (tmp_path / "ben.conll").write_text("\n".join(text[:3:-1] + text[:3]), encoding="utf-8")
    (tmp_path / "readme.txt").write_text("no tree")
    code, out, err = syntax(run, tmp_path, "--json")
    document = json.loads(out)
    assert (code, document["items"], document["alpha"]["plain"]) == (0, 5, 1)
    ann, folder = str(tmp_path / "ann.conll"), str(tmp_path)
    assert [(e["file"], e["kind"], e["count"]) for e in document["left_out"]] == [
        (ann, "sentence", 1),
        (folder, "file", 1),
    ]
    assert f"{ann}: left out: 1 sentence: no other annotator has the sentence" in err
    assert "the sentences from lines 13" in err
    code, out, err = syntax(run, tmp_path, "--strict")
    assert (code, out) == (3, "")
    assert f"{ann}:13: sentence 4 of ann is left out, since nobody else has it" in err
    assert "|sel:pairing=order|" in json.loads(
        syntax(run, tmp_path, "--json", "--pairing", "order")[1]
    )["signature"]  # fmt: skip


@pytest.mark.parametrize("command", ["gamma", "measure", "compare", "consensus", "inspect"])
def test_commands_for_units_recommend_syntax_for_trees(
    run: Run, tmp_path: Path, command: str
) -> None:
    (tmp_path / "a.mrg").write_text("(S (NP (PRP I)) (VP (VBD ran)))", encoding="utf-8")
    for path in (tmp_path / "a.mrg", CDT / "da-lotte.conll"):
        outcome = run(command, path)
        assert outcome.code == 3
        assert "`gammacp syntax`" in outcome.err


def test_conventions_and_consensus_on_the_command_line(run: Run, tmp_path: Path) -> None:
    gold = tmp_path / "gold.conllu"
    files = CDT / "da-lotte.conll", CDT / "da-morten.conll"
    code, out, err = syntax(run, *files, "--json", "--labels", "universal", "--consensus", gold)
    document = json.loads(out)
    assert code == 0
    assert document["consensus"]["sentences"] == 162
    assert f"{gold}: consensus of 162 sentences" in err
    assert gold.read_text(encoding="utf-8").count("# sent_id") == 162
    assert "words" in document["universal"]
    beyond = document["beyond_chance"]
    assert list(beyond) == ["plain", "diff", "norm", "las", "uas", "label"]
    assert beyond["plain"]["chance"] == "length-matched"
    published = json.loads(syntax(run, *files, "--json", "--preset", "skjaerholt-2014")[1])
    assert published["beyond_chance"] is None
    assert published["alpha"]["plain"] == pytest.approx(0.95680042, abs=1e-8)
    assert syntax(run, *files, "--labels", "categories")[0] == 2


def test_the_breakdown_and_the_note_on_few_sentences(run: Run) -> None:
    code, out, err = syntax(run, CDT / "es", "--breakdown", "--json")
    document = json.loads(out)
    assert code == 0
    start = "6 sentences left out of the chance baseline"
    assert any(note.startswith(start) for note in document["notes"])
    found = document["breakdown"]
    assert found["left_out"] == document["ignored"]
    tokens = sum(row["tokens"] for row in found["by"]["length"])
    assert tokens == pytest.approx(sum(row["tokens"] for row in found["by"]["distance"]))
    uas = sum(row["tokens"] * row["uas"] for row in found["by"]["length"]) / tokens
    assert uas == pytest.approx(document["uas"])
    code, out, err = syntax(run, CDT / "es", "--breakdown", "--preset", "skjaerholt-2014")
    assert all(header in out for header in ("π head", "confused", "head distance"))
    assert "--json has " in err
    assert "left out of the chance baseline" not in err


def test_measure_takes_measures_of_trees(run: Run) -> None:
    outcome = run("measure", CDT / "es", "-m", "alpha-plain,las", "--json")
    (result,) = json.loads(outcome.out)["results"]
    assert result["measures"]["alpha-plain"]["value"] == pytest.approx(0.86633602, abs=1e-8)
    assert "4 annotators: henrik" in outcome.err
    assert run("measure", CDT / "es", "-m", "las", "--tier", "x").code == 2


def test_syntax_takes_the_options_for_reading_files(run: Run, tmp_path: Path) -> None:
    """Only the chosen annotators and documents are compared, as with units."""
    for who in ("ann", "ben", "zoe"):
        for document, words in (("one", "a b c"), ("two", "d e f")):
            rows = [f"{i}\t{w}\t_\t_\t_\t_\t{i - 1}\t{who[0] if w == 'c' else 'r'}\t_\t_"
                    for i, w in enumerate(words.split(), 1)]  # fmt: skip
            (tmp_path / f"{document}-{who}.conll").write_text("\n".join(rows) + "\n")
    everything = json.loads(syntax(run, tmp_path, "--json")[1])
    assert everything["items"] == 2
    options = ("--exclude", "zoe", "--rename", "ben=Bob", "--document", "o*")
    code, out, err = syntax(run, tmp_path / "*.conll", *options, "--json", "--by-annotator")
    document = json.loads(out)
    assert (code, document["items"], [p["annotators"] for p in document["pairs"]]) == (
        0, 1, [["ann", "Bob"]],
    )  # fmt: skip
    assert "|sel:rename=ben,Bob;exclude=zoe;document=o*|" in document["signature"]
    same = syntax(run, tmp_path, *options, "--layout", "{document}-{annotator}", "--json")[1]
    assert json.loads(same)["alpha"] == document["alpha"]
    campaign = tmp_path / "campaign.toml"
    campaign.write_text(
        'paths = ["*.conll"]\nexclude = ["zoe"]\nrename = {ben = "Bob"}\n[rounds]\nfirst = ["o*"]\n'
    )
    by_file = json.loads(syntax(run, campaign, "--round", "first", "--json")[1])
    assert by_file["alpha"] == document["alpha"]
    assert "round=first" in by_file["signature"]
    for option, value, code, said in (
        ("--exclude", "eve", 3, "annotator 'eve' does not occur"),
        ("--document", "three", 3, "document 'three' does not occur. There are: one, two"),
        ("--min-length", 2, 2, "--min-length does not apply here: it is for units"),
        ("--format", "conll", 2, "--trees names them"),
        ("--layout", "x", 2, "layout 'x' is not a path with"),
        ("--dataset", "dalton", 2, "none ship"),
    ):
        refused = syntax(run, tmp_path, option, value)
        assert (refused[0], refused[1]) == (code, ""), option
        assert said in refused[2]
    campaign.write_text('paths = ["*.conll"]\nmap = {a = "b"}\n')
    code, _, err = syntax(run, campaign)
    assert (code, "campaign.toml:2: map does not apply here" in err) == (3, True)


def test_only_the_document_of_a_malformed_file_is_lost(run: Run, tmp_path: Path) -> None:
    for folder in ("ann", "ben"):
        (tmp_path / folder).mkdir()
        for name in ("one", "two"):
            (tmp_path / folder / f"{name}.conll").write_text("1\tx\t_\t_\t_\t_\t0\tr\n")
    good = json.loads(syntax(run, tmp_path, "--document", "one", "--json")[1])
    (tmp_path / "ben" / "two.conll").write_text("1\tx\n")
    code, out, err = syntax(run, tmp_path, "--json")
    document = json.loads(out)
    assert (code, document["items"], document["alpha"]) == (3, good["items"], good["alpha"])
    assert "two.conll:1: 2 columns where" in err.replace(f"{tmp_path}/ben/", "")
    (lost,) = document["left_out"]
    assert (lost["file"], lost["kind"]) == (str(tmp_path / "ann" / "two.conll"), "file")
    assert syntax(run, tmp_path, "--strict")[0] == 3


@pytest.mark.parametrize("options", [(), ("--labels", "universal"), ("--exclude", "lotte")])
def test_measure_gives_the_same_numbers_as_syntax(run: Run, options: tuple[str, ...]) -> None:
    """The numbers are equal to the last bit for the same files and options."""
    shown = json.loads(
        syntax(run, CDT / "es", *options, "--json", "--preset", "skjaerholt-2014")[1]
    )
    measured = run("measure", CDT / "es", "-m", "alpha-plain,alpha-diff,las", *options, "--json")
    ((found),) = json.loads(measured.out)["results"]
    scores = {name: score["value"] for name, score in found["measures"].items()}
    assert scores == {
        "alpha-plain": shown["alpha"]["plain"],
        "alpha-diff": shown["alpha"]["diff"],
        "las": shown["las"],
    }
    assert json.loads(measured.out)["left_out"] == shown["left_out"]


def test_measures_of_units_refuse_the_options_of_trees(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("A,x,0,4\nB,x,0,5\n")
    refused = run("measure", tmp_path / "a.csv", "-m", "ser", "--pairing", "id")
    assert (refused.code, "--pairing is for trees" in refused.err) == (2, True)
