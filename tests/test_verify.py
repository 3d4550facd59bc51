"""The checker of certificates: accepted claims are true, by trying every alignment."""

from __future__ import annotations

import ast
import gzip
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

import gammacp.verify
from gammacp import Combined, align, certificate, datasets
from gammacp.alignment import Status
from gammacp.alignment.certificate import write_certificate
from gammacp.verify import Check, RefusedError
from tests.alignment.continua import random_continuum
from tests.certificates import (
    DELTAS,
    accepted,
    bases,
    cost_of,
    hashed,
    is_true,
    mutant,
    near_agreement,
    spot,
    text_of,
)

FILE = Path(gammacp.verify.__file__)


@cache
def all_bases() -> tuple[dict[str, Any], ...]:
    """Return the certificates; collecting the tests computes none of them."""
    return tuple(bases())


def test_the_checker_is_one_file_of_plain_python() -> None:
    """The file has at most 1300 lines, to be read in an evening, and imports only the standard
    library.
    """
    text = FILE.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 1300
    imports = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Import | ast.ImportFrom)]
    names = [getattr(n, "module", None) or n.names[0].name for n in imports]
    assert names
    assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names


def test_the_checker_runs_alone(tmp_path: Path) -> None:
    """Without gammacp on the path, the exit codes 0, 1, 2 and 3 are right."""
    script = tmp_path / "verify.py"
    script.write_text(FILE.read_text(encoding="utf-8"), encoding="utf-8")
    good, less = tmp_path / "good.json", tmp_path / "less.json"
    continuum = datasets.load("alex-paul-suzan")
    write_certificate(align(continuum), good)
    data = json.loads(good.read_text(encoding="utf-8"))
    data["claim"]["cost"] = data["claim"]["bound"] = 11.0
    less.write_text(text_of(data), encoding="utf-8")
    codes = []
    for paths in ([good], [good, less], [], [tmp_path / "none.json", good]):
        command = [sys.executable, "-I", str(script), *map(str, paths)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
        codes.append(done.returncode)
        assert "Traceback" not in done.stderr
        if paths == [good]:
            assert "no alignment costs less than 10.4566666667" in done.stdout
    assert codes == [0, 1, 2, 3]


def test_certificates_are_accepted_and_true() -> None:
    for number, base in enumerate(all_bases()):
        assert is_true(base), number
        assert accepted(base), number


def _judge(count: int, seed: int) -> Counter[str]:
    rng = Random(seed)
    told: Counter[str] = Counter()
    for _ in range(count):
        data = mutant(rng.choice(all_bases()), rng)
        if accepted(data):
            assert is_true(data), text_of(data)
            told["true"] += 1
        else:
            told["refused or less"] += 1
    return told


def test_no_false_claim_is_accepted() -> None:
    """Altered claims, groups, units, shares, matrices and problems are judged by brute force."""
    told = _judge(200, 0)
    assert min(told["true"], told["refused or less"]) > 40


@pytest.mark.slow
def test_no_false_claim_of_ten_thousand_is_accepted() -> None:
    told = _judge(10_000, 1)
    assert min(told["true"], told["refused or less"]) > 2000


def _changed(**changes: Any) -> str:
    return text_of({**all_bases()[0], **changes})


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (lambda: text_of(all_bases()[0])[:200], "cut off, or not JSON: .*line 1 column"),
        (lambda: "", "cut off, or not JSON"),
        (lambda: "[" * 100_000, "cut off, or not JSON"),
        (lambda: "[]", "the file: 'version' is missing"),
        (lambda: "{}", "the file: 'version' is missing"),
        (lambda: _changed(version=3), "version: '3' is not one of 1, 2"),
        (lambda: _changed(version=True), "version: 'True'"),
        (lambda: _changed(units=all_bases()[3]["units"]), "hash: made for other units"),
        (lambda: _changed(opening=float("nan")), "opening: 'nan' is not a number"),
        (lambda: _changed(opening=10**400), "opening: '1000"),
        (
            lambda: _changed(claim={**all_bases()[0]["claim"], "cost": "1"}),
            "claim.cost: '1' is not a number",
        ),
        (
            lambda: _changed(claim={**all_bases()[0]["claim"], "error": -1e-9}),
            "claim.error: '-1e-09' is not",
        ),
        (
            lambda: _changed(claim={**all_bases()[0]["claim"], "cost": -1e-9}),
            "claim.cost: '-1e-09' is not",
        ),
        (
            lambda: _changed(opening=2 * all_bases()[0]["opening"]),
            "opening: not Delta for each pair of the ann",
        ),
        (lambda: _changed(annotators=["A", "A"]), "annotators: a name is no text, or there twice"),
        (lambda: _changed(annotators=["A", None]), "annotators: a name is no text, or there twice"),
        (lambda: _changed(categories=["x", "x"]), "categories: a name is no text, or there twice"),
        (
            lambda: _changed(claim={**all_bases()[0]["claim"], "status": "proven"}),
            "claim.status: 'proven'",
        ),
        (lambda: _changed(groups=all_bases()[0]["groups"][:-1]), "groups: unit .* is in 0 of them"),
        (
            lambda: _changed(groups=[*all_bases()[0]["groups"], [0]]),
            "groups: unit 0 is in 2 of them",
        ),
        (lambda: _changed(groups=[[99]]), r"groups\[0\]\[0\]: '99'"),
        (lambda: _changed(groups=[[]]), r"groups\[0\]: empty"),
        (lambda: _changed(annotators=["A"], opening=0), r"units\[\d+\]\[0\]: '1'"),
        (
            lambda: _changed(proof={"kind": "shares", "shares": [0]}),
            "proof.shares: not a list, or not",
        ),
        (lambda: _changed(proof={"kind": "faith"}), "proof.kind: 'faith'"),
        (
            lambda: text_of(hashed({**all_bases()[0], "units": [[0, 5.0, 1.0, None]]})),
            r"units\[0\]\[2\]: '1.0' is no",
        ),
    ],
)
def test_an_invalid_certificate_is_refused_with_the_place(
    text: Callable[[], str], place: str
) -> None:
    with pytest.raises(RefusedError, match=place):
        Check(text()).claim()


def test_packed_files_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Files packed with gzip are read as unpacked ones, and refused if cut off, damaged or too
    large.
    """
    plain, packed = tmp_path / "a.json", tmp_path / "a.json.gz"
    plain.write_text(text_of(all_bases()[0]), encoding="utf-8")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert gammacp.verify.check(str(packed)) == gammacp.verify.check(str(plain))
    whole = packed.read_bytes()
    for content in (whole[:-9], whole[:-8] + b"x" * 8, whole[:12] + b"\xff" * 9, b"\x1f\x8b"):
        packed.write_bytes(content)
        assert gammacp.verify.main([str(packed)]) == 3
        assert "cannot be unpacked" in capsys.readouterr().err


def test_an_endless_packed_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gammacp.verify.MOST_TEXT", 1000)
    packed = tmp_path / "a.json.gz"
    packed.write_bytes(gzip.compress(b" " * 2000))
    with pytest.raises(RefusedError, match="more than 1,000 bytes"):
        gammacp.verify.check(str(packed))


def test_more_than_is_proven_is_not_verified() -> None:
    """A greedy alignment with a bound below its cost is verified as such, and not as optimal."""
    data = certificate(align(random_continuum(32, 4, 8), method="greedy"))
    assert data["claim"]["status"] == "feasible"
    assert data["claim"]["bound"] < data["claim"]["cost"] - 0.1
    proven, said = Check(text_of(data)).claim()
    assert proven
    assert any(line.startswith("bound verified") for line in said)
    data["claim"]["status"] = "optimal"
    assert not Check(text_of(data)).claim()[0]


def test_without_a_proof_only_the_cost_is_verified() -> None:
    data = {**all_bases()[0], "proof": {"kind": "none"}}
    proven, said = Check(text_of(data)).claim()
    assert not proven
    assert "NOT checked" in said[-1]
    assert not any("NOT" in line for line in said[:-1])


@pytest.mark.parametrize("delta", DELTAS)
def test_soft_alignments_are_accepted_at_every_delta(delta: float) -> None:
    """The double of Δ·C(n, 2) may lie below the product, but covers count as bounded
    nevertheless.
    """
    for seed in range(12):
        found = align(random_continuum(seed, 2 + seed % 4, 8), Combined(delta=delta), cover=True)
        assert found.status is Status.OPTIMAL
        assert accepted(certificate(found)), seed


def test_annotators_and_dissimilarity_are_in_the_first_line() -> None:
    found = align(datasets.load("alex-paul-suzan"), Combined(delta=0.7))
    assert Check(text_of(certificate(found))).claim()[1][0] == (
        "annotators 'Alex', 'Paul', 'Suzan'; dissimilarity: Delta 0.7, sporadic * 0.7, "
        "different categories 0.7"
    )


def test_a_further_annotator_changes_the_cost() -> None:
    """The opening must fit the annotators, and control characters in names are escaped."""
    data = {**all_bases()[0], "annotators": [*all_bases()[0]["annotators"], "\x1b[2J"]}
    with pytest.raises(RefusedError, match="opening: not Delta for each pair"):
        Check(text_of(data))
    data["opening"] = data["dissimilarity"]["delta"] * 3
    proven, said = Check(text_of(data)).claim()
    assert not proven
    assert r"'\x1b[2J'" in said[0]
    assert "NOT the cost that is claimed" in said[1]


def test_mispaired_units_are_no_best_alignment() -> None:
    """Units paired with their neighbours cost 2e-6, and 0 is the least cost.

    There are 2 × 200 equal units nearly at one place.
    """
    data = certificate(align(near_agreement(200, 0.0, distance=5e-4)))
    assert data["claim"]["cost"] == 0.0
    assert accepted(data)
    second = [group[1] for group in data["groups"]]
    data["groups"] = [[group[0], second[i ^ 1]] for i, group in enumerate(data["groups"])]
    cost = float(cost_of(data) or 0)
    assert 1e-7 < cost < 1e-5
    for error in (4e-6, 1.0, 1e9):
        data["claim"] |= {"cost": cost, "bound": cost, "error": error}
        assert not accepted(data)
        data["claim"] |= {"cost": 0.0, "bound": 0.0}
        assert not accepted(data)


@pytest.mark.parametrize("apart", [1e-5, 1e-7, 1e-9])
def test_near_agreement_is_proven_at_the_nearer_delta(apart: float) -> None:
    """For 2 × 100 units, costs below 1e-4 are proven to a millionth."""
    data = certificate(align(near_agreement(100, apart)))
    assert 0 < data["claim"]["error"] <= 1e-6 * data["claim"]["cost"] < 1e-10
    assert data["proof"]["delta"] < data["dissimilarity"]["delta"]
    assert accepted(data)
    assert not accepted({**data, "proof": {**data["proof"], "delta": 2.0}})


@pytest.mark.slow
def test_pooled_categories_are_a_proof() -> None:
    """Units nearly at one place are proven with pooled categories."""
    data = certificate(align(spot(3, 40)))
    assert data["claim"]["status"] == "optimal"
    assert accepted(data)


def test_unverified_assumptions_are_named() -> None:
    """Listed costs of pairs and tables of categories are taken as given."""
    listed = next(b for b in all_bases() if b["dissimilarity"]["positional"] == "listed")
    table = next(b for b in all_bases() if isinstance(b["dissimilarity"]["categorial"], list))
    assert Check(text_of(listed)).claim()[1][1] == "taken as given: what pairs of units cost"
    assert Check(text_of(table)).claim()[1][1].startswith("taken as given: the table")
    bad = json.loads(text_of(table))
    bad["dissimilarity"]["categorial"][0][1] = 7.25
    with pytest.raises(RefusedError, match="not symmetric"):
        Check(text_of(bad))


def test_any_shares_give_a_valid_bound() -> None:
    """Zeros or random shares give a bound that holds, so an accepted claim is true."""
    rng = Random(5)
    for base in all_bases():
        if base["proof"]["kind"] != "shares":
            continue
        size = len(base["units"])
        for shares in ([0] * size, [rng.randrange(-(2**45), 2**45) for _ in range(size)]):
            data = {**base, "proof": {"kind": "shares", "shares": shares}}
            if accepted(data):
                assert is_true(data)


def test_positions_must_be_doubles_and_pairs_unique() -> None:
    """Units are compared as doubles, so whole numbers between two doubles would hide a
    difference.
    """
    near = 2**47 - 1  # less than half of the distance between doubles at 2**100
    assert float(2**100 + near) == 2.0**100
    units = [[0, 2**100, 2**100 + 2**50, None], [1, 2**100 + near, 2**100 + 2**50, None]]
    with pytest.raises(RefusedError, match=r"units\[1\]: not a unit, or at a place that is no"):
        Check(text_of(hashed({**all_bases()[0], "units": units})))
    listed = next(base for base in all_bases() if base.get("pairs"))
    first, second, cost = listed["pairs"][0]
    again = {**listed, "pairs": [[second, first, cost + 1], *listed["pairs"]]}
    with pytest.raises(RefusedError, match="a pair that is there twice"):
        Check(text_of(again))


def test_constraints_are_not_verified() -> None:
    """The checker does not check whether groups keep constraints, and says so."""
    proven, lines = Check(_changed(constraints=["non-crossing"])).claim()
    assert proven
    assert "not shown: that groups keep non-crossing" in lines
