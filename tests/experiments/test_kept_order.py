"""Verdicts on curves of units that keep their order, apart from those that do not."""

from __future__ import annotations

from pathlib import Path

from experiments import kept_order
from experiments.hidden_configuration import Configuration, errors
from shuffling import Position, parse_errors


def test_only_claims_on_shifted_units_are_taken() -> None:
    shifts = "mathet2015_fig26/position.csv"
    found = kept_order.sentences({shifts})
    assert found
    assert all(shifts in {test.csv for test in claim.tests} for claim in found)
    assert not kept_order.sentences({"mathet2015_fig26/nothing.csv"})


def test_changes_are_counted_by_hand() -> None:
    pairs = [("holds", "open"), ("holds", "open"), ("open", "open"), ("fails", "holds")]
    rows = kept_order.change_rows([{"free": free, "in_order": kept} for free, kept in pairs])
    counts = {(r["free"], r["in_order"]): r["sentences"] for r in rows}
    assert counts["holds", "open"] == 2
    assert counts["open", "open"] == 1
    assert counts["fails", "holds"] == 1
    assert sorted(map(str, counts.values())) == ["0"] * 6 + ["1", "1", "2"]
    assert {(r["free"], r["in_order"]) for r in rows if r["changes"] == "false"} == {
        (outcome, outcome) for outcome in kept_order.OUTCOMES
    }


def write_curve(folder: Path, values: list[list[float]]) -> None:
    """Write the curve of one measure under shifts, from the sets of each magnitude."""
    lines = ["error,magnitude,measure,mean,sd,sets,undefined,values"]
    for number, sets in enumerate(values):
        x = number / (len(values) - 1)
        mean = sum(sets) / len(sets)
        text = " ".join(str(value) for value in sets)
        lines.append(f"position,{x},ser,{mean},0.01,{len(sets)},0,{text}")
    folder.mkdir(exist_ok=True)
    (folder / "position.csv").write_text("\n".join(lines) + "\n")


def test_a_claim_has_the_verdict_of_each_curve(tmp_path: Path) -> None:
    free = tmp_path / "mathet2015_fig26"
    kept = tmp_path / "kept"
    noise = [0.0, 0.01, -0.01, 0.02, -0.02, 0.0]
    write_curve(free, [[1 - 1.5 * x / 20 + e for e in noise] for x in range(21)])
    write_curve(kept, [[1 - 0.5 * x / 20 + e for e in noise] for x in range(21)])
    (below,) = (
        claim
        for claim in kept_order.sentences({"mathet2015_fig26/position.csv"})
        if claim.words == "SER then goes below zero"
    )
    rows = [*kept_order.verdict_rows(free, kept, [below])]
    assert [(row["free"], row["in_order"]) for row in rows] == [("holds", "fails")]


def test_only_units_that_are_kept_apart_keep_their_order() -> None:
    by_figure = errors("factor=3", "factor=2", "factor=1", order=True)
    for figure in ("26a", "26b"):
        shift = parse_errors(by_figure[figure])[0]
        assert isinstance(shift, Position)
        assert shift.order
    free = errors("factor=3", "factor=2", "factor=1")
    assert by_figure["30"] == free["30"]
    assert Configuration(order=True).distance == 1
