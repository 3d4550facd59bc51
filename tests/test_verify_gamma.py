"""The checker of proofs of γ: sums and rotations of accepted proofs are right, by brute force."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

import gammacp.verify
from gammacp import Continuum, Corpus, Unit, datasets, gamma
from gammacp.errors import DataError, UsageError
from gammacp.measures.agreement import agreement
from gammacp.measures.gamma_proof.redraw import redraw_sets
from gammacp.measures.gamma_proof.writing import MANIFEST, write_gamma_proof
from gammacp.verify import Around, RefusedError, check
from tests.certificates import hashed
from tests.manifests import (
    _matches,
    accepted,
    hash_of,
    is_true,
    mutant,
    read,
    small_continuum,
    unalign,
    write_base,
)

FILE = Path(gammacp.verify.__file__)


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    root = tmp_path_factory.mktemp("proofs")
    made = [write_base(root / f"cut-{seed}", seed) for seed in range(4)]
    made.append(write_base(root / "two", 5, annotators=2))
    made.append(write_base(root / "statistical", 6, chance="statistical"))
    return tuple(made)


def test_proofs_are_accepted_and_true(bases: tuple[Path, ...]) -> None:
    for path in bases:
        assert is_true(path)
        assert accepted(path)


def _judge(bases: tuple[Path, ...], folder: Path, count: int, seed: int) -> Counter[str]:
    rng = Random(seed)
    told: Counter[str] = Counter()
    for _ in range(count):
        path = mutant(rng.choice(bases), folder, rng)
        if accepted(path):
            assert is_true(path), path.read_text(encoding="utf-8")
            told["true"] += 1
        else:
            told["refused or less"] += 1
    return told


def test_no_false_gamma_is_accepted(bases: tuple[Path, ...], tmp_path: Path) -> None:
    """Altered sums, sets, certificates, rotations and circles are judged by brute force."""
    told = _judge(bases, tmp_path / "mutant", 90, 0)
    assert told["true"] > 4
    assert told["refused or less"] > 30


@pytest.mark.slow
def test_no_false_gamma_of_five_hundred_is_accepted(
    bases: tuple[Path, ...], tmp_path: Path
) -> None:
    told = _judge(bases, tmp_path / "mutant", 500, 1)
    assert told["true"] > 40
    assert told["refused or less"] > 250


def test_the_proof_is_of_the_measured_gamma(tmp_path: Path) -> None:
    """Cases are one text, documents with their own random sets, and documents that share them."""
    continua = {f"d{i}": small_continuum(20 + i, units=3) for i in range(4)}
    corpus = Corpus.from_continua(continua)
    cases: list[tuple[Any, str]] = [
        (datasets.load("dalton"), "cut"),
        (datasets.load("dalton"), "shift"),
        (corpus, "cut"),
        (corpus, "documents"),
    ]
    for number, (data, chance) in enumerate(cases):
        options: Any = {"samples": 8, "chance": chance, "seed": 3}
        proof = write_gamma_proof(agreement(data, **options), data, tmp_path / str(number), options)
        score = gamma(data, **options)
        assert proof.value == pytest.approx(score.value, abs=1e-12)
        assert proof.interval == pytest.approx(score.interval, abs=1e-9)
        proven, lines, found = check(str(proof.path))
        assert proven, lines
        assert found is not None
        assert found.value == pytest.approx(score.value, abs=1e-12)
        assert found.interval == pytest.approx(score.interval, abs=1e-9)
        assert bool(found.turns) == (chance != "documents")
        assert "again" in redraw_sets(proof.path)


def test_the_checker_runs_alone(bases: tuple[Path, ...], tmp_path: Path) -> None:
    """The checker needs only Python and the folder."""
    shutil.copy(FILE, tmp_path / "verify.py")
    shutil.copytree(bases[0].parent, tmp_path / "proof")
    command = [sys.executable, "-I", "verify.py", f"proof/{MANIFEST}"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert "from 5 certificates" in done.stdout
    assert "not shown: that the turns were random" in done.stdout
    # Within the folder, the path has no folder.
    done = subprocess.run(
        [sys.executable, "-I", "../verify.py", MANIFEST], cwd=tmp_path / "proof", check=False
    )
    assert done.returncode == 0


def _tamper(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps({**read(path), **changes}), encoding="utf-8")


@pytest.mark.parametrize(
    ("key", "value", "place"),
    [
        ("version", 2, "version: '2'"),
        ("version", True, "version: 'True'"),
        ("value", float("nan"), "value: 'nan' is not a number"),
        ("value", "0.5", "value: '0.5' is not a number"),
        ("value", None, None),
        ("interval", [0.1], "interval: not a list, or not of the right length"),
        ("interval", 3, "interval: not a list"),
        ("confidence", 1, "confidence: '1'"),
        ("confidence", 1 - 2**-53, "confidence: '0.9999999999999999'"),
        ("observed", 10**400, "observed: '1000"),
        ("signature", 3, "signature: not a text"),
        ("chance", None, "chance: not a text"),
        ("chance", "documents", "chance 'documents' is no turn"),
        ("exempt", "faith", "exempt: 'faith' is not one of"),
        ("exempt", "model", "exempt: 'model' is not so of chance 'cut"),
        ("exempt", "grid", "exempt: 'grid' is not so of chance 'cut"),
        ("circle", None, "circle: 'length' is missing"),
        ("circle", {"length": 1.0}, "circle: shorter than what the units span"),
        ("circle", {"length": float("inf")}, "circle.length: 'inf'"),
        ("circle", {"length": 40.0}, r"circle: longer than \d\d\.\d+, which bounds or gaps"),
        ("mean", "median", "mean: 'median'"),
        ("documents", [], "documents: empty"),
        ("documents", {}, "documents: not a list"),
        ("sets", [], "sets: fewer than two"),
        ("sets", [1, 2], r"sets\[0\]: 'k' is missing"),
        ("parts", [], None),
        ("parts", 7, "parts: not a list"),
    ],
)
def test_an_invalid_proof_is_refused_with_the_place(
    bases: tuple[Path, ...], tmp_path: Path, key: str, value: Any, place: str | None
) -> None:
    shutil.copytree(bases[0].parent, tmp_path / "p")
    path = tmp_path / "p" / MANIFEST
    _tamper(path, **{key: value})
    if place is None:
        assert not accepted(path)
        return
    with pytest.raises(RefusedError, match=place):
        check(str(path))


@pytest.mark.parametrize(
    ("row", "place"),
    [
        ({"file": "nowhere.json"}, "'nowhere.json' is missing"),
        ({"file": "../p/document.json"}, "not the plain name"),
        ({"file": "/etc/passwd"}, "not the plain name"),
        ({"file": "C:x.json"}, "not the plain name"),
        ({"file": "..\\x.json"}, "not the plain name"),
        ({"file": "x\0.json"}, "not the plain name"),
        ({"file": 3}, "not a text"),
        ({"file": None}, "not a text"),
        ({"file": "link.json"}, "is missing, or no file of this folder"),
        ({"file": "folder.json"}, "is missing, or no file of this folder"),
        ({"hash": "sha256:0"}, "was changed, or is another file"),
        ({"hash": None}, "not a text"),
        ({"k": 7}, "not 1: a set is missing"),
        ({"k": "1"}, "k: '1' is not a number"),
        ({"stratum": -1}, "stratum: '-1'"),
        ({"stratum": 0}, "stratum: chance 'cut' has no strata"),
    ],
)
def test_a_wrong_file_name_is_refused(
    bases: tuple[Path, ...], tmp_path: Path, row: dict[str, Any], place: str
) -> None:
    folder = tmp_path / "p"
    shutil.copytree(bases[0].parent, folder)
    (tmp_path / "outside.json").write_text("{}", encoding="utf-8")
    (folder / "link.json").symlink_to(tmp_path / "outside.json")
    (folder / "folder.json").mkdir()
    path = folder / MANIFEST
    sets = read(path)["sets"]
    sets[1] |= row
    _tamper(path, sets=sets)
    with pytest.raises(RefusedError, match=place):
        check(str(path))


JUNK = (None, True, 10**400, float("nan"), "x\0", [[]], {"file": "x.json"})


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the keys that lead to each value of a manifest."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from _places(value[key], (*path, key))
    elif isinstance(value, list):
        for number in range(min(len(value), 1)):
            yield from _places(value[number], (*path, number))


def test_invalid_values_never_cause_a_traceback(bases: tuple[Path, ...], tmp_path: Path) -> None:
    """Every value of a manifest is replaced by values of every type."""
    shutil.copytree(bases[0].parent, tmp_path / "p")
    path = tmp_path / "p" / MANIFEST
    manifest = read(path)
    for keys in _places(manifest):
        for junk in JUNK:
            changed: Any = {"": json.loads(json.dumps(manifest))}
            inside = changed
            for key in ("", *keys)[:-1]:
                inside = inside[key]
            inside[("", *keys)[-1]] = junk
            path.write_text(json.dumps(changed[""]), encoding="utf-8")
            with contextlib.suppress(RefusedError, OverflowError):
                check(str(path))


def test_repeated_altered_and_foreign_certificates_are_refused(
    bases: tuple[Path, ...], tmp_path: Path
) -> None:
    folder = tmp_path / "p"
    shutil.copytree(bases[0].parent, folder)
    path = folder / MANIFEST
    manifest = read(path)
    first, second = manifest["sets"][:2]
    _tamper(path, sets=[first, {**first, "k": 1}, *manifest["sets"][2:]])
    with pytest.raises(RefusedError, match=f"{first['file']}' is named twice"):
        check(str(path))
    shutil.copy(folder / first["file"], folder / second["file"])
    _tamper(path, sets=manifest["sets"])
    with pytest.raises(RefusedError, match=f"{second['file']}' was changed"):
        check(str(path))
    copied = {**second, "hash": hash_of(folder / second["file"])}
    _tamper(path, sets=[first, copied, *manifest["sets"][2:]])
    with pytest.raises(RefusedError, match=f"{second['file']}' has the units of '{first['file']}'"):
        check(str(path))
    foreign = read(bases[1])["sets"][1]
    shutil.copy(bases[1].parent / foreign["file"], folder / "foreign.json")
    _tamper(path, sets=[first, {**foreign, "file": "foreign.json"}, *manifest["sets"][2:]])
    with pytest.raises(RefusedError, match=r"'foreign.json': the units of '.' are not turned"):
        check(str(path))
    (folder / second["file"]).write_text("{", encoding="utf-8")
    copied["hash"] = hash_of(folder / second["file"])
    _tamper(path, sets=[first, copied, *manifest["sets"][2:]])
    with pytest.raises(RefusedError, match=f"{second['file']}: cut off, or not JSON"):
        check(str(path))


def test_an_unproven_certificate_proves_no_gamma(bases: tuple[Path, ...], tmp_path: Path) -> None:
    """The certificate's line is printed with its name, and the rest is checked nevertheless."""
    folder = tmp_path / "p"
    shutil.copytree(bases[0].parent, folder)
    path = folder / MANIFEST
    sets = read(path)["sets"]
    certificate = folder / sets[2]["file"]
    data = read(certificate)
    certificate.write_text(json.dumps({**data, "proof": {"kind": "none"}}), encoding="utf-8")
    sets[2]["hash"] = hash_of(certificate)
    _tamper(path, sets=sets)
    proven, lines, _ = check(str(path))
    assert not proven
    assert any(line.startswith(f"{certificate.name}: NOT checked") for line in lines)


def test_rotations_are_those_of_brute_force() -> None:
    """Random circles have units at one place or across the ends, and some rotated units are
    altered.
    """
    rng = Random(2)
    counts: Counter[bool] = Counter()
    for _ in range(600):
        length = rng.choice((10.0, 7.3))
        own = [
            (
                rng.choice((rng.randrange(7), rng.random() * 7)),
                rng.choice((1.0, 2.5)),
                rng.choice("xy"),
            )
            for _ in range(rng.randrange(1, 6))
        ]
        by = rng.random() * length
        drawn = [((start / length + by / length) % 1.0 * length, x, c) for start, x, c in own]
        rng.shuffle(drawn)
        if rng.random() < 0.5:
            start, extent, category = drawn[0]
            drawn[0] = rng.choice(
                (
                    ((start + 1) % length, extent, category),
                    (start, extent + 0.5, category),
                    (start, extent, "z"),
                )
            )
        found = Around(own, length).is_turned(Around(drawn, length))
        near, circle = Fraction(length) / 10**8, Fraction(length)
        exact = [
            [(Fraction(s), Fraction(s) + Fraction(x), c) for s, x, c in part]
            for part in (own, drawn)
        ]
        wanted = any(
            _matches(
                [(s + other[0] - one[0], e - s, c) for s, e, c in exact[0]],
                exact[1], circle, near,
            )
            for one in exact[0]
            for other in exact[1]
        )  # fmt: skip
        assert found == wanted, (own, drawn, length)
        counts[found] += 1
    assert min(counts[True], counts[False]) > 150


def test_bounds_widen_the_interval(tmp_path: Path) -> None:
    """Greedy alignments have bounds below their costs; claiming a higher bound is refused."""
    continuum = datasets.load("alex-paul-suzan")
    options: Any = {"samples": 6, "method": "greedy"}
    found = agreement(continuum, **options)
    proof = write_gamma_proof(found, continuum, tmp_path / "p", options)
    low, high = proof.interval
    assert proof.interval == pytest.approx(found.score.interval)
    proven, lines, checked = check(str(proof.path))
    assert proven, lines
    assert checked is not None
    assert checked.interval == pytest.approx([low, high])
    assert any(line.endswith("of proven bounds") for line in lines)
    assert any(line.startswith("gamma = ") and "not proven to be best" in line for line in lines)
    assert read(proof.path)["status"] == "feasible"
    least = checked.gamma_range[0]
    assert low < least < checked.value <= checked.gamma_range[1] < high
    exact = gamma(continuum, samples=6).value
    assert least <= exact <= checked.gamma_range[1]
    _tamper(proof.path, interval=[low, high - 1e-4])
    proven, lines, _ = check(str(proof.path))
    assert not proven
    assert any(line.startswith("NOT what is claimed: interval") for line in lines)


def _unaligned(path: Path, claimed: str = "feasible") -> None:
    """Leave the units of all random sets alone, without bounds, and claim the resulting sums."""
    manifest = read(path)
    for row in manifest["sets"]:
        unalign(row, path.parent)
    path.write_text(json.dumps(manifest), encoding="utf-8")
    _, _, found = check(str(path))
    assert found is not None
    low, high = found.interval
    assert low == float("-inf")
    _tamper(
        path,
        value=found.value,
        interval=[None, high],
        observed=found.observed / found.weight,
        expected=found.expected / found.weight,
        status=claimed,
    )


def test_an_unbounded_interval_is_claimed_as_such(bases: tuple[Path, ...], tmp_path: Path) -> None:
    """Random sets without bounds give no lower end, and only null may stand for it."""
    shutil.copytree(bases[0].parent, tmp_path / "p")
    path = tmp_path / "p" / MANIFEST
    honest = read(path)["interval"]
    _tamper(path, interval=[None, honest[1]])
    assert not accepted(path)
    _tamper(path, interval=honest)
    _unaligned(path)
    assert accepted(path)
    high = read(path)["interval"][1]
    for low in (0.75, -1e300, high, 0):
        _tamper(path, interval=[low, high])
        assert not accepted(path), low
    _tamper(path, interval=[None, None])
    assert not accepted(path)


def test_gamma_of_suboptimal_alignments_is_not_proven(
    bases: tuple[Path, ...], tmp_path: Path
) -> None:
    """Unaligned random sets raise γ; the checker counts them and gives the possible range of γ."""
    shutil.copytree(bases[0].parent, tmp_path / "p")
    path = tmp_path / "p" / MANIFEST
    honest = read(path)["value"]
    assert read(path)["status"] == "optimal"
    _unaligned(path, "optimal")
    proven, lines, found = check(str(path))
    assert not proven
    assert read(path)["value"] > honest
    (told,) = (line for line in lines if line.startswith("NOT proven to be best: gamma = 1 - "))
    assert "alignments of 4 of 4 random sets and of 0 of 1 documents are not proven to be" in told
    assert "gamma of the best is only known to lie in -inf to " in told
    assert found is not None
    assert found.gamma_range[0] <= honest <= found.gamma_range[1]
    _tamper(path, status="feasible")
    proven, lines, _ = check(str(path))
    assert proven
    assert any(line.startswith("gamma = ") and "alignments of 4 of 4" in line for line in lines)
    _tamper(path, status="proven")
    with pytest.raises(RefusedError, match="status: 'proven' is not one of"):
        check(str(path))


def test_strata_must_be_those_of_the_chance_model(bases: tuple[Path, ...], tmp_path: Path) -> None:
    """Sets put into strata of similar ones would give a narrower interval."""
    shutil.copytree(bases[5].parent, tmp_path / "p")
    path = tmp_path / "p" / MANIFEST
    manifest = read(path)
    for given in ([0, 1, 0, 1], [0, 0, 0, 0]):
        sets = [{**row, "stratum": s} for row, s in zip(manifest["sets"], given, strict=True)]
        _tamper(path, sets=sets)
        with pytest.raises(RefusedError, match="stratum: chance 'statistical' has no s"):
            check(str(path))
    model = {"chance": "statistical(over=2)", "exempt": "model"}
    for given in ([0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 2, 0]):
        sets = [{**row, "stratum": s} for row, s in zip(manifest["sets"], given, strict=True)]
        _tamper(path, sets=sets, **model)
        with pytest.raises(RefusedError, match=r"not of stratum \d: 2 are drawn from in turn"):
            check(str(path))
    sets = [{**row, "stratum": row["k"] % 2} for row in manifest["sets"]]
    _tamper(path, sets=sets, **model)
    _, lines, found = check(str(path))
    assert found is not None
    assert found.strata == 2
    assert any(line.startswith("taken as given: 2 strata") for line in lines)
    for over in (3, 0):
        _tamper(path, chance=f"statistical(over={over})")
        with pytest.raises(RefusedError, match=r"strata|fewer than the 1 documents"):
            check(str(path))


def test_weights_of_documents_are_reported(tmp_path: Path) -> None:
    """Weights are reported unless all are 1, and none may be so large that others vanish."""
    corpus = Corpus.from_continua({f"d{i}": small_continuum(20 + i, units=3) for i in range(2)})
    options: Any = {"samples": 3, "chance": "cut"}
    proof = write_gamma_proof(agreement(corpus, **options), corpus, tmp_path / "p", options)
    assert not any("weights" in line for line in check(str(proof.path))[1])
    manifest = read(proof.path)
    row = manifest["parts"][1]["documents"][0]
    row["weight"] = 0.25
    _tamper(proof.path, **manifest)
    _, lines, found = check(str(proof.path))
    assert "taken as given: weights of documents: 'd0' 1, 'd1' 0.25" in lines
    assert found is not None
    assert found.weights == {"d0": 1.0, "d1": 0.25}
    row["weight"] = 1e-100
    _tamper(proof.path, **manifest)
    with pytest.raises(RefusedError, match="a document counts for nothing"):
        check(str(proof.path))
    row |= {"weight": 1.0, "name": "d0"}
    _tamper(proof.path, **manifest)
    with pytest.raises(RefusedError, match="name: 'd0' is there twice"):
        check(str(proof.path))


def test_a_repeated_key_is_refused(bases: tuple[Path, ...], tmp_path: Path) -> None:
    """Other programs may read the other one of two equal keys, in a manifest or in a
    certificate.
    """
    shutil.copytree(bases[0].parent, tmp_path / "p")
    path = tmp_path / "p" / MANIFEST
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("{", '{"value": 0.99, ', 1), encoding="utf-8")
    with pytest.raises(RefusedError, match="the key 'value' is there twice"):
        check(str(path))
    certificate = bases[0].parent / read(bases[0])["documents"][0]["file"]
    text = certificate.read_text(encoding="utf-8")
    own = tmp_path / "twice.json"
    own.write_text(text.replace("{", '{"claim": {"cost": 0}, ', 1), encoding="utf-8")
    with pytest.raises(RefusedError, match="the key 'claim' is there twice"):
        check(str(own))


def test_exemptions_are_reported(tmp_path: Path) -> None:
    """Exempt are a rhythm, a grid, an annotator who stopped, and a model without rotations."""
    tiles = []
    spans = []
    for who, late in (("A", 0), ("B", 1)):
        tiles += [Unit(who, 5 * i + late, 5 * i + 5 + late, "xy"[i % 2]) for i in range(9)]
        spans += [Unit(who, 5 * i + late, 5 * i + 3 + late, "x") for i in (0, 1, 3, 4)]
    stopped = Continuum.from_units(spans, read_until={"A": 23.5})
    words = Continuum.from_units(spans, offset_unit="tokens")
    cases = {
        "completed": (Continuum.from_units(tiles), "cut"),
        "grid": (words, "cut"),
        "read until": (stopped, "cut"),
        "model": (Continuum.from_units(spans), "statistical"),
    }
    for reason, (continuum, chance) in cases.items():
        options: Any = {"samples": 3, "chance": chance}
        found = agreement(continuum, **options)
        proof = write_gamma_proof(found, continuum, tmp_path / reason, options)
        assert proof.exempt == (reason,)
        proven, lines, checked = check(str(proof.path))
        assert proven
        assert checked is not None and checked.exempt and not checked.turns
        assert any("not shown: that sets are turned units" in line for line in lines)
        if reason in ("grid", "read until"):
            with pytest.raises(DataError, match="cannot be drawn again"):
                redraw_sets(proof.path)
        else:
            assert "again" in redraw_sets(proof.path)


def _replace_set(path: Path, number: int, data: Any) -> None:
    """Write another certificate of a random set, under the same name."""
    manifest = read(path)
    row = manifest["sets"][number]
    certificate = path.parent / row["file"]
    certificate.write_text(json.dumps(hashed(data)), encoding="utf-8")
    row["hash"] = hash_of(certificate)
    path.write_text(json.dumps(manifest), encoding="utf-8")


def test_a_reordered_copy_is_refused(tmp_path: Path) -> None:
    """Sets are compared without the order of their units."""
    continuum = datasets.load("figure10")
    options: Any = {"samples": 3, "chance": "cut"}
    proof = write_gamma_proof(agreement(continuum, **options), continuum, tmp_path / "p", options)
    data = read(proof.path.parent / read(proof.path)["sets"][0]["file"])
    last = len(data["units"]) - 1
    data["units"].reverse()
    data["groups"] = [[last - unit for unit in group] for group in data["groups"]]
    data["proof"]["shares"].reverse()
    _replace_set(proof.path, 2, data)
    with pytest.raises(RefusedError, match=r"set-2.json' has the units of '.*set-0.json'"):
        check(str(proof.path))


def test_touching_units_may_be_cut_at_the_same_place_again(tmp_path: Path) -> None:
    """Two annotators who mark everything are cut at three places each, so that sets may be
    equal.
    """
    rows = [Unit("A", s, e, c) for s, e, c in ((0, 3, "x"), (3, 7, "y"), (7, 10, "z"))]
    rows += [Unit("B", s, e, c) for s, e, c in ((0, 4, "x"), (4, 6, "y"), (6, 10, "z"))]
    continuum = Continuum.from_units(rows)
    options: Any = {"samples": 12, "chance": "cut"}
    proof = write_gamma_proof(agreement(continuum, **options), continuum, tmp_path / "p", options)
    proven, lines, found = check(str(proof.path))
    assert proven
    assert found is not None and found.turns
    assert found.equal >= 12 - 9
    assert f"not shown: why {found.equal} random sets have the units of another" in lines


def test_shift_may_draw_annotators_without_units(tmp_path: Path) -> None:
    rows = [Unit("A", 0.0, 1.0, "x"), Unit("A", 3.0, 4.5, "x")]
    continuum = Continuum.from_units(rows, annotators=["A", "B"])
    options: Any = {"samples": 12, "chance": "shift"}
    proof = write_gamma_proof(agreement(continuum, **options), continuum, tmp_path / "p", options)
    proven, lines, found = check(str(proof.path))
    assert proven
    assert found is not None
    assert found.empty > 0
    assert any("random sets without units" in line for line in lines)


def test_a_circle_is_checked_against_bounds_and_gaps(tmp_path: Path) -> None:
    """Declared bounds are printed, and positions must be distinct on the circle."""
    rows = [Unit("A", 1.0, 2.0, "x"), Unit("B", 1.5, 3.0, "x"), Unit("B", 5.0, 6.0, "y")]
    options: Any = {"samples": 3, "chance": "cut"}
    plain = Continuum.from_units(rows)
    proof = write_gamma_proof(agreement(plain, **options), plain, tmp_path / "p", options)
    # The span is 5; gaps are 4 for A and (5 - 2.5) / 2 for B, so 1 / (1/4 + 1/1.25) on both sides.
    length = 5 + 2 / (1 / 4 + 1 / 1.25)
    assert read(proof.path)["circle"]["length"] == pytest.approx(length, rel=1e-12)
    assert check(str(proof.path))[0]
    _tamper(proof.path, circle={"length": length * (1 + 1e-6)})
    with pytest.raises(RefusedError, match=r"circle: longer than 6\.90476190476"):
        check(str(proof.path))
    bound = Continuum.from_units(rows, bounds=(0.0, 100.0))
    proof = write_gamma_proof(agreement(bound, **options), bound, tmp_path / "q", options)
    proven, lines, _ = check(str(proof.path))
    assert proven
    assert "taken as given: bounds 0 to 100 were declared" in lines
    document = read(proof.path)["documents"][0]
    for bounds, place in (
        ("x", "bounds: not a list"),
        ([0], "bounds: not a list"),
        ([0, "1"], r"bounds\[1\]: '1' is not a number"),
        ([9, 1], "bounds: the first is beyond the second"),
    ):
        _tamper(proof.path, documents=[{**document, "bounds": bounds}])
        with pytest.raises(RefusedError, match=place):
            check(str(proof.path))
    _tamper(proof.path, documents=[{**document, "bounds": [0, 1e13]}], circle={"length": 1e13})
    with pytest.raises(RefusedError, match="so long that rounding moves its shortest unit"):
        check(str(proof.path))


@pytest.mark.parametrize("by", [1e-3, 1e-6, 1e-9, 1e-11])
def test_positions_and_lengths_must_be_those_of_the_data(tmp_path: Path, by: float) -> None:
    """Rounding, below 1e-13 here, is the only difference that is accepted."""
    continuum = datasets.load("figure10")
    options: Any = {"samples": 2, "chance": "cut"}
    proof = write_gamma_proof(agreement(continuum, **options), continuum, tmp_path / "p", options)
    honest = read(proof.path.parent / read(proof.path)["sets"][0]["file"])
    for start, end in ((by, by), (0.0, by)):
        data = json.loads(json.dumps(honest))
        data["units"][0][1] += start
        data["units"][0][2] += end
        _replace_set(proof.path, 0, data)
        with pytest.raises(RefusedError, match=r"the units of '.*' are not turned"):
            check(str(proof.path))
    _replace_set(proof.path, 0, honest)
    assert check(str(proof.path))[0]


def test_a_rotated_set_of_another_seed_is_refused_by_drawing_again(tmp_path: Path) -> None:
    """The set is a valid rotation, so only drawing again with the seed reveals it."""
    continuum = datasets.load("figure10")
    options: Any = {"samples": 3, "chance": "cut"}
    proof = write_gamma_proof(agreement(continuum, **options), continuum, tmp_path / "p", options)
    other: Any = {**options, "seed": 9}
    second = write_gamma_proof(agreement(continuum, **other), continuum, tmp_path / "q", other)
    manifest = read(second.path)
    signature = manifest["signature"].replace("seed:9", "seed:0")
    _tamper(second.path, seed=0, signature=signature)
    assert check(str(second.path))[0]
    with pytest.raises(
        DataError, match=f"{manifest['sets'][0]['file']} is not the set 0 that seed"
    ):
        redraw_sets(second.path)
    assert "seed 0 gives these 3 random sets" in redraw_sets(proof.path)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"signature": ("samples:5", "samples:6")}, "signature says samples:6, and the proof"),
        ({"signature": ("chance:cut", "chance:shift")}, "signature says chance:shift, and the"),
        ({"signature": ("seed:4", "seed:5")}, "signature says seed:5, and the proof is of seed:4"),
        ({"signature": ("c:0.95", "c:0.99")}, "signature says c:0.99, and the proof is of c:0.95"),
        ({"signature": ("|samples:5", "")}, "signature says samples:, and the proof"),
        ({"signature": ("|", "")}, "cannot be drawn again: .* is not a signature"),
        ({"sets": 4}, "signature says samples:5, and the proof is of samples:4"),
        ({"seed": 5}, "signature says seed:4, and the proof is of seed:5"),
        ({"seed": "4.0"}, "signature says seed:4, and the proof is of seed:4.0"),
        ({"seed": "4"}, "cannot be drawn again: .*seed"),
        ({"chance": "cut("}, "documents give chance 'cut', not 'cut\\('"),
        ({"chance": "cut(completed=5)"}, "documents give chance 'cut', not"),
        ({"chance": "nonsense"}, "cannot be drawn again: .*nonsense"),
        ({"circle": {"length": 50.0}}, "documents give circle 60.18.*, not 50.0"),
        ({"mean": "ratio"}, "documents give mean 'sets', not 'ratio'"),
    ],
)
def test_settings_must_be_those_of_the_signature(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    """A proof with other settings than its signature names is not drawn again."""
    continuum = datasets.load("alex-paul-suzan")
    options: Any = {"samples": 5, "chance": "cut", "seed": 4}
    proof = write_gamma_proof(agreement(continuum, **options), continuum, tmp_path / "p", options)
    manifest = read(proof.path)
    for key, value in changes.items():
        if key == "signature":
            manifest[key] = manifest[key].replace(*value)
        elif key == "sets":
            manifest[key] = manifest[key][:value]
        else:
            manifest[key] = value
        if key == "chance":
            manifest["signature"] = manifest["signature"].replace("chance:cut", f"chance:{value}")
    _tamper(proof.path, **manifest)
    with pytest.raises(DataError, match=said):
        redraw_sets(proof.path)


def test_nothing_is_written_partly_or_over_existing_files(tmp_path: Path) -> None:
    continuum = small_continuum(0)
    options: Any = {"samples": 3, "chance": "cut"}
    found = agreement(continuum, **options)
    folder = tmp_path / "p"
    folder.mkdir()
    write_gamma_proof(found, continuum, folder, options)
    before = sorted(path.name for path in folder.iterdir())
    with pytest.raises(UsageError, match="is not empty"):
        write_gamma_proof(found, continuum, folder, options)
    assert sorted(path.name for path in folder.iterdir()) == before
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match="is a file"):
        write_gamma_proof(found, continuum, tmp_path / "file", options)
    clash = Corpus.from_continua({"A": small_continuum(1), "a.set-0": small_continuum(2)})
    both = agreement(clash, **options)
    with pytest.raises(DataError, match=r"would get the name .\.set-0\.json"):
        write_gamma_proof(both, clash, tmp_path / "r", options)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "p"]


def test_data_are_compared_as_multisets(bases: tuple[Path, ...], tmp_path: Path) -> None:
    """CSV with and without a header and JSON match in any order; different data do not."""
    certificate = bases[0].parent / read(bases[0])["documents"][0]["file"]
    found = read(certificate)
    rows = [
        (found["annotators"][a], found["categories"][c], repr(s), repr(e))
        for a, s, e, c in found["units"]
    ]
    plain, header, data = tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "c.json"
    plain.write_text("# bounds: 0 20\n" + "\n".join(map(",".join, rows)), encoding="utf-8")
    text = "".join(f"{e};{who};{s};{c};d\n" for who, c, s, e in reversed(rows))
    header.write_text(f"end;annotator;start;category;document\n{text}A;;;\n", encoding="utf-8")
    units = [[who, c, float(s), float(e)] for who, c, s, e in rows]
    data.write_text(json.dumps({"gammacp": 1, "continuum": {"units": units}}), encoding="utf-8")
    with pytest.raises(RefusedError, match="has not the columns"):
        check(str(certificate), str(header))
    header.write_text(f"end;annotator;start;category;document\n{text};A;;;\n", encoding="utf-8")
    for path in (plain, header, data):
        for claim in (certificate, bases[0]):
            proven, lines, _ = check(str(claim), str(path))
            assert proven
            assert lines[-1] == f"the {len(rows)} units are those of {path}"
    plain.write_text("\n".join(map(",".join, [*rows[1:], rows[1]])), encoding="utf-8")
    proven, lines, _ = check(str(certificate), str(plain))
    assert not proven
    assert "1 are not there, 1 of it are not here" in lines[-1]
    for text in ("<xml/>", '{"a": 1}', "A,x,0,1:30\n", "A,x,0,nan\n", '{"gammacp": 1}', ""):
        plain.write_text(text, encoding="utf-8")
        if text:
            with pytest.raises(RefusedError, match="gammacp convert FILE"):
                check(str(certificate), str(plain))
        else:
            assert not check(str(certificate), str(plain))[0]


def test_data_are_compared_by_document(tmp_path: Path) -> None:
    """Annotators who exchange their documents have the same units, but in other documents."""
    continua = {f"d{i}": small_continuum(40 + i) for i in range(2)}
    corpus = Corpus.from_continua(continua)
    options: Any = {"samples": 2, "chance": "cut"}
    proof = write_gamma_proof(agreement(corpus, **options), corpus, tmp_path / "p", options)
    rows = [
        (name, unit.annotator, str(unit.category), repr(unit.start), repr(unit.end))
        for name, continuum in continua.items()
        for unit in continuum
    ]
    data = tmp_path / "units.csv"
    head = "document,annotator,category,start,end\n"

    def told(table: list[tuple[str, ...]]) -> tuple[bool, str]:
        data.write_text(head + "\n".join(map(",".join, table)), encoding="utf-8")
        proven, lines, _ = check(str(proof.path), str(data))
        return proven, lines[-1]

    assert told(rows) == (True, f"the {len(rows)} units of 2 documents are those of {data}")
    renamed = [(f"corpus/{name}.csv", *rest) for name, *rest in rows]
    assert told(renamed)[0]
    assert told(renamed)[1].endswith(", whatever they are called")
    other = {"d0": "d1", "d1": "d0"}
    exchanged = [(other[name] if who == "A" else name, who, *rest) for name, who, *rest in rows]
    assert told(exchanged) == (False, f"NOT the documents of {data}: other units, or names, of "
                               "'d0', 'd1'")  # fmt: skip
    swapped = [(other[name], *rest) for name, *rest in rows]
    assert not told(swapped)[0]
    assert not told([("one", *rest) for _, *rest in rows])[0]
    nameless, said = told([("", *rest) for _, *rest in rows])
    assert nameless
    assert said.endswith("which does not say of which document")
    inside = [
        {"name": name, "units": [[u.annotator, u.category, u.start, u.end] for u in continuum]}
        for name, continuum in continua.items()
    ]
    own = tmp_path / "units.json"
    own.write_text(json.dumps({"gammacp": 1, "corpus": {"continua": inside}}), encoding="utf-8")
    assert check(str(proof.path), str(own))[0]
    inside[0]["name"], inside[1]["name"] = inside[1]["name"], inside[0]["name"]
    own.write_text(json.dumps({"gammacp": 1, "corpus": {"continua": inside}}), encoding="utf-8")
    assert not check(str(proof.path), str(own))[0]


def _scaled(path: Path, factor: float) -> None:
    """Multiply all costs of a proof by a power of two, which changes neither γ nor its interval."""
    manifest = read(path)
    for row in (*manifest["documents"], *manifest["sets"]):
        data = read(path.parent / row["file"])
        for key in ("delta", "factor", "categorial"):
            data["dissimilarity"][key] *= factor
        for key in ("cost", "bound", "error"):
            data["claim"][key] *= factor
        data["opening"] *= factor
        (path.parent / row["file"]).write_text(json.dumps(data), encoding="utf-8")
        row["hash"] = hash_of(path.parent / row["file"])
    manifest["observed"] *= factor
    manifest["expected"] *= factor
    path.write_text(json.dumps(manifest), encoding="utf-8")


@pytest.mark.parametrize("power", [-33, -300])
def test_disorders_are_compared_relative_to_delta(
    bases: tuple[Path, ...], tmp_path: Path, power: int
) -> None:
    """For a small Δ, an absolute tolerance would accept any disorder, and squares would be 0."""
    shutil.copytree(bases[0].parent, tmp_path / "p")
    path = tmp_path / "p" / MANIFEST
    _scaled(path, 2.0**power)
    assert accepted(path)
    honest = read(path)
    for key in ("observed", "expected"):
        _tamper(path, **{**honest, key: honest[key] * 1.001})
        assert not accepted(path)
    _tamper(path, **{**honest, "interval": [honest["value"]] * 2})
    assert not accepted(path)


def test_a_delta_beyond_doubles_is_refused(bases: tuple[Path, ...], tmp_path: Path) -> None:
    shutil.copytree(bases[0].parent, tmp_path / "p")
    _scaled(tmp_path / "p" / MANIFEST, 2.0**-600)
    with pytest.raises(RefusedError, match=r"dissimilarity\.delta"):
        check(str(tmp_path / "p" / MANIFEST))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"seed": 7}, "the signature says seed:0, and the proof is of seed:7"),
        (
            {"signature": ("samples:4", "samples:5")},
            "says samples:5, and the proof is of samples:4",
        ),
        ({"signature": ("chance:cut", "chance:shift")}, "says chance:shift, and the proof is of"),
        ({"signature": ("c:0.95", "c:0.99")}, "says c:0.99, and the proof is of c:0.95"),
        ({"signature": ("|", " ")}, "says samples:, and the proof is of samples:4"),
    ],
)
def test_the_signature_must_be_that_of_the_sets(
    bases: tuple[Path, ...], tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    """Number of sets, chance, seed and confidence are compared without drawing again."""
    shutil.copytree(bases[0].parent, tmp_path / "p")
    path = tmp_path / "p" / MANIFEST
    if "signature" in changes:
        changes = {"signature": read(path)["signature"].replace(*changes["signature"])}
    _tamper(path, **changes)
    proven, lines, _ = check(str(path))
    assert not proven
    assert any(
        line.startswith("NOT what is claimed: the signature") and said in line for line in lines
    )


def test_unexpected_parts_are_refused(bases: tuple[Path, ...], tmp_path: Path) -> None:
    """Refused are an invalid status, a circle without rotations or too short, and sets beside
    parts.
    """
    shutil.copytree(bases[0].parent, tmp_path / "p")
    path = tmp_path / "p" / MANIFEST
    length = read(path)["circle"]["length"]
    for changes, place in (
        ({"status": "beyond doubt"}, "status: 'beyond doubt'"),
        ({"seed": "x"}, "seed: 'x'"),
        ({"chance": "statistical", "exempt": "model"}, "circle: .* is not one of None"),
        ({"circle": {"length": length * (1 - 1e-6)}}, "circle: shorter than"),
        ({"parts": []}, "parts: beside documents or sets"),
    ):
        honest = read(path)
        _tamper(path, **changes)
        with pytest.raises(RefusedError, match=place):
            check(str(path))
        _tamper(path, **honest)
        if "parts" not in changes:
            assert accepted(path)


def test_a_full_disk_and_an_empty_file_have_a_message(
    bases: tuple[Path, ...], tmp_path: Path
) -> None:
    empty = tmp_path / "empty.json"
    empty.write_text("", encoding="utf-8")
    for path in (empty, tmp_path, tmp_path / "nowhere.json"):
        command = [sys.executable, "-I", str(FILE), str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 3
        assert done.stderr.count("\n") == 1
    full = Path("/dev/full")
    if full.exists():
        with full.open("w") as stream:
            command = [sys.executable, "-I", str(FILE), str(bases[0])]
            done = subprocess.run(
                command, stdout=stream, stderr=subprocess.PIPE, text=True, check=False
            )
        assert done.returncode == 3
        assert done.stderr == "the result cannot be written: No space left on device\n"
