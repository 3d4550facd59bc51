"""Grids of boundaries: which grid is chosen, and that chance moves annotations by whole places."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import gammacp as gc
from gammacp import Continuum, Unit
from gammacp.chance.cut import prepare_cut
from gammacp.continuum.declaring import declare_grid
from gammacp.continuum.grid import Grid, grids_of_text
from gammacp.errors import DataError
from tests.conftest import Run

RNG = np.random.default_rng
TEXT = "".join(f"{'word' * (k % 3 + 1)}{'. ' if k % 7 == 6 else ' '}" for k in range(120)).strip()


def spans(level: str) -> list[tuple[float, float]]:
    (grid,) = (g for g in grids_of_text(TEXT) if g.name == level)
    return list(zip(grid.starts, grid.ends, strict=True))


def marked(level: str, rng: np.random.Generator, *, text: str | None = TEXT) -> Continuum:
    """Return three annotators who each mark a random third of the places of a level."""
    units = [
        Unit(name, start, end, "x")
        for name in "ABC"
        for start, end in spans(level)
        if rng.random() < 0.3
    ]
    return Continuum.from_units(units, bounds=(0, len(TEXT)), text=text, offset_unit="characters")


@pytest.mark.parametrize(("level", "grid"), [("sentences", "sentences"), ("tokens", "tokens")])
def test_annotations_move_on_the_coarsest_grid_that_holds_all(level: str, grid: str) -> None:
    c = marked(level, RNG(1))
    sampler = prepare_cut([c], 3)
    assert f"(grid={grid})" in sampler.signature
    starts, ends = ({e[k] for e in spans(level)} for k in (0, 1))
    for seed in range(20):
        drawn = sampler.draw(RNG(seed))
        assert set(drawn.starts) <= starts
        assert set(drawn.ends) <= ends
        assert all(
            len(drawn.starts[drawn.rows_of(a)]) == len(c.starts[c.rows_of(a)]) for a in "ABC"
        )


def test_one_boundary_within_a_word_leaves_no_grid() -> None:
    c = marked("words", RNG(1))
    torn = Continuum.from_units(
        [*c, Unit("A", 1, 3, "x")], bounds=c.bounds, text=TEXT, offset_unit="characters"
    )
    assert "grid" not in prepare_cut([torn], 3).signature


def test_sharing_only_whole_words_is_no_agreement() -> None:
    """Independent annotators have an exact F₁ beyond chance of 0 if the text, and so its words, is
    known.
    """
    known, unknown = [], []
    for seed in range(40):
        c, bare = marked("words", RNG(seed)), marked("words", RNG(seed), text=None)
        for found, data in ((known, c), (unknown, bare)):
            (score,) = gc.measure(data, ["f1-exact"], beyond_chance=True, samples=19).values()
            assert score.beyond_chance is not None
            found.append(score.beyond_chance.value)
            told = any("has no p" in note for note in score.notes)
            assert (score.beyond_chance.p is None) == told == (data is bare)
    assert abs(np.mean(known)) < 0.03
    assert np.mean(unknown) > 0.2


def test_gamma_names_the_grid() -> None:
    score = gc.gamma(marked("sentences", RNG(3)), samples=20)
    assert score.in_words()[0].startswith("Chance turns each annotator's units by whole sentences")
    assert "chance:cut(grid=sentences)" in score.signature


def test_tokens_are_a_grid_and_frames_must_be_given() -> None:
    units = [
        Unit(a, 4.0 * k + j, 4.0 * k + j + 2, "x") for j, a in enumerate("AB") for k in (0, 2, 5, 9)
    ]
    tokens = Continuum.from_units(units, offset_unit="tokens", bounds=(0, 50))
    frames = declare_grid(Continuum.from_units(units, offset_unit="s"), Grid("frames", 0.5))
    drawn = prepare_cut([tokens], 2).draw(RNG(0))
    assert not (drawn.starts % 1).any()
    sampler = prepare_cut([frames], 2)
    assert "grid=frames" in sampler.signature
    assert not any((sampler.draw(RNG(k)).starts % 0.5).any() for k in range(9))
    with pytest.raises(DataError, match="does not begin and end on the grid"):
        declare_grid(frames, Grid("frames", 3.0))


def test_a_grid_from_a_file_a_number_and_json(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [
        f"{a},x,{3 * k},{3 * k + 2}"
        for a, ks in (("A", (0, 2, 5, 9)), ("B", (1, 5, 7, 11)))
        for k in ks
    ]
    Path("a.csv").write_text("\n".join(rows) + "\n")
    Path("g.csv").write_text(
        "start,end\n" + "\n".join(f"{3 * k},{3 * k + 2}" for k in range(14)) + "\n"
    )
    file = json.loads(run("gamma", "a.csv", "--grid", "g.csv", "--json").out)["results"][0]
    assert "chance:cut(grid=places)" in file["signature"]
    assert run("convert", "a.csv", "b.json", "--grid", "g.csv").code == 0
    stored = json.loads(run("gamma", "b.json", "--json").out)["results"][0]
    assert stored["gamma"] == file["gamma"]
    Path("campaign.toml").write_text('paths = ["a.csv"]\ngrid = "g.csv"\n')
    kept = json.loads(run("gamma", "campaign.toml", "--json").out)["results"][0]
    assert kept["gamma"] == file["gamma"]
    assert run("gamma", "a.csv", "--grid", "1").code == 0
    off = run("gamma", "a.csv", "--grid", "2")
    assert (off.code, "does not begin and end on the grid" in off.err) == (3, True)
    Path("g.csv").write_text("start,end\n0,2\n1,5\n")
    bad = run("gamma", "a.csv", "--grid", "g.csv")
    assert (bad.code, "g.csv:3" in bad.err) == (3, True)


def test_a_corpus_of_whole_sentences_notes_that_documents_use_no_grid() -> None:
    from gammacp.measures.agreement import agreement

    for level, noted in (("sentences", True), ("words", False)):
        documents = {f"d{i}": marked(level, RNG(i)) for i in range(4)}
        for chance in ("documents", "cut"):
            found = agreement(documents, samples=2, chance=chance).score.notes
            assert any("whole sentences" in n for n in found) == (noted and chance == "documents")
