"""Signatures: with the files they reproduce a number, and they differ between selections."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gammacp.base.signature import Signature, parse

ANNOTATORS = ("Ann", "Bob|1", "Cid;a", "D, E")
CATEGORIES = ("a", "b:c", "50%", "d,e")
FLAGS = {"only": "--only", "exclude": "--exclude", "annotators": "--annotators"}


def files(folder: Path, documents: int) -> list[str]:
    """Write documents in which all annotators mark nearly the same, and return the paths."""
    paths = []
    for number in range(documents):
        path = folder / f"{number}.csv"
        rows = [
            [annotator, CATEGORIES[(k + (i == k % 4)) % 4], 10 * k + i % 2, 10 * k + 7 - k % 3]
            for i, annotator in enumerate(ANNOTATORS)
            for k in range(6 + number)
        ]
        with path.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([["annotator", "category", "start", "end"], *rows])
        paths.append(str(path))
    return paths


def quoted(names: tuple[str, ...]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="").writerow(names)
    return stream.getvalue()


def arguments(line: str) -> list[str]:
    """Return the options that a signature stands for."""
    found: Signature = parse(line)
    given = []
    for key, values in found.selection:
        if key == "map":
            given += ["--map", "=".join(values)]
        elif key == "bounds":
            given += [f"--bounds={':'.join(values)}"]
        else:
            given += [FLAGS[key], quoted(values)]
    parts = found.parts
    weights = parts["d"].removeprefix("combined(").removesuffix(")").split(",")
    for entry in weights:
        key, _, value = entry.partition(":")
        names = {"a": "alpha", "b": "beta", "d": "delta", "pos": "positional", "cat": "categorial"}
        if value.startswith("ordinal("):
            continue
        given += [f"--{names.get(key, 'f-cat')}", value]
    given += ["--chance", parts["chance"].partition("(")[0], "--seed", parts["seed"]]
    given += ["--samples", parts["n"]] if "n" in parts else ["--precision", parts["e"]]
    return [*given, "--confidence", parts["c"], "--method", parts["method"]]


SELECTIONS = st.fixed_dictionaries(
    {},
    optional={
        "--exclude": st.sampled_from(ANNOTATORS).map(lambda n: quoted((n,))),
        "--only": st.lists(st.sampled_from(CATEGORIES[:3]), min_size=2, unique=True).map(
            lambda names: quoted(tuple(names))
        ),
        "--annotators": st.sampled_from(["New", "Ann", quoted(("X|Y", "Z,Z"))]),
        "--bounds": st.sampled_from(["0:100", "-5.25:99.5"]),
        "--map": st.sampled_from(["d,e=a", "d,e=x|y", "d,e=d,e"]),
    },
)
METHODS = st.fixed_dictionaries(
    {"--samples": st.integers(2, 4)},
    optional={
        "--alpha": st.sampled_from([0.1, 3, 1 / 3]),
        "--beta": st.sampled_from([0, 2.5]),
        "--delta": st.sampled_from([2]),
        "--positional": st.sampled_from(["sporadic", "sporadic-2011", "hamming"]),
        "--categorial": st.sampled_from(["nominal", "levenshtein", "ordinal"]),
        "--chance": st.sampled_from(["shift", "statistical", "shift-pooled"]),
        "--seed": st.integers(0, 9),
        "--confidence": st.sampled_from([0.9]),
        "--method": st.sampled_from(["greedy", "cpsat"]),
    },
)


def options(drawn: dict[str, object]) -> list[str]:
    return [f"{flag}={value}" for flag, value in drawn.items()]


def measured(run: Any, paths: list[str], given: list[str]) -> dict[str, Any]:
    result = run("gamma", *paths, *given, "--json")
    assert result.code == 0, result.err
    document: dict[str, Any] = json.loads(result.out)
    return document["corpus"] or document["results"][0]


@settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(selection=SELECTIONS, method=METHODS, documents=st.sampled_from([1, 2]))
def test_signature_and_files_reproduce_the_number(
    run: Any,
    tmp_path: Path,
    selection: dict[str, object],
    method: dict[str, object],
    documents: int,
) -> None:
    paths = files(tmp_path, documents)
    first = measured(run, paths, options({**selection, **method}))
    again = measured(run, paths, arguments(first["signature"]))
    assert again["signature"] == first["signature"]
    for key in ("gamma", "interval", "observed_disorder", "expected_disorder", "samples", "units"):
        assert again[key] == first[key], key


@settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(SELECTIONS, SELECTIONS)
def test_two_selections_have_two_signatures(
    run: Any, tmp_path: Path, one: dict[str, object], other: dict[str, object]
) -> None:
    (path,) = files(tmp_path, 1)
    lines = []
    for selection in (one, other):
        measures = run(
            "measure", path, "-m", "ser,cu-alpha,binary-u-alpha", *options(selection), "--json"
        )
        assert measures.code == 0, measures.err
        scores = json.loads(measures.out)["results"][0]["measures"]
        lines.append(
            [(s["signature"], s["value"], s["observed"], s["expected"]) for s in scores.values()]
        )
    for (a, *numbers), (b, *others) in zip(*lines, strict=True):
        assert a != b or numbers == others


def test_no_two_settings_share_a_signature(run: Any, tmp_path: Path) -> None:
    paths = files(tmp_path, 1)
    for name, order in (("up", ["a", "b:c", "50%"]), ("down", ["50%", "a", "b:c"])):
        (tmp_path / f"{name}.toml").write_text(f"category = {{order = {order}}}")
    given = [
        "--samples=2", "--samples=3", "--samples=2 --alpha=1.0000001", "--samples=2 --gap=0.1",
        *(f"--samples=2 --dissimilarity={tmp_path / name}.toml" for name in ("up", "down")),
    ]  # fmt: skip
    lines = [measured(run, paths, [*g.split(), "--map=d,e=a"])["signature"] for g in given]
    assert len(set(lines)) == len(given)


def test_matrices_have_different_signatures(run: Any, tmp_path: Path) -> None:
    paths, lines = files(tmp_path, 1), []
    for distance in (0.5, 0.25):
        matrix = tmp_path / "m.csv"
        matrix.write_text(f",a,b:c\na,0,{distance}\nb:c,{distance},0\n")
        given = ["--only=a,b:c", "--samples=2", f"--categorial={matrix}"]
        lines.append(measured(run, paths, given)["signature"])
        cu_alpha = run(
            "measure", *paths, "-m", "cu-alpha", "--only=a,b:c", "--metric", matrix, "--json"
        )
        lines.append(json.loads(cu_alpha.out)["results"][0]["measures"]["cu-alpha"]["signature"])
    assert len(set(lines)) == 4
    assert all("m.csv" in line for line in lines)


def test_the_signature_of_a_corpus_has_the_drawn_number_of_samples(
    run: Any, tmp_path: Path
) -> None:
    paths = files(tmp_path, 3)
    found = measured(run, paths, ["--chance=shift", "--samples=4"])
    assert found["samples"] == 12
    assert parse(found["signature"]).parts["samples"] == "12"
    assert not math.isnan(found["gamma"])


def test_reader_options_are_in_the_signature(run: Any, tmp_path: Path) -> None:
    paths = files(tmp_path, 1)
    found = measured(run, paths, ["--samples=2", "--format=csv"])
    assert parse(found["signature"]).selection == (("format", ("csv",)),)
