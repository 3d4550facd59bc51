"""Damaged files: a DataError or a sound continuum, never a traceback, never a hang.

`pytest -m slow tests/formats/test_mutations.py` runs 200 mutations per format.
"""

import random
import shutil
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from gammacp import DataError, UsageError, read, write
from gammacp.formats import FORMATS, collect
from tests.formats.story import FIXTURES

# What is read, and which of its files is damaged.
TARGETS = {
    "bids": ("bids", "bids/bob/sub-01_task-x_events.tsv"),
    "boris": ("story.boris", "story.boris"),
    "boris table": ("boris-tabular.tsv", "boris-tabular.tsv"),
    "brat": ("brat", "brat/bob/story.ann"),
    "brat text": ("brat", "brat/bob/story.txt"),
    "cas json": ("cas", "cas/story/bob.json"),
    "cas xmi": ("cas", "cas/story/ann.xmi"),
    "catma": ("catma", "catma/collections/C_bob/annotations/bob_0.json"),
    "catma-tei": ("catma-tei", "catma-tei/story/annotationcollections/bob.xml"),
    "conll": ("conll", "conll/ann/story.conll"),
    "csv": ("made.csv", "made.csv"),
    "doccano": ("doccano", "doccano/ann.jsonl"),
    "elan": ("tiers.eaf", "tiers.eaf"),
    "factgenie": ("factgenie.jsonl", "factgenie.jsonl"),
    "glozz": ("story.aa", "story.aa"),
    "jams": ("story.jams", "story.jams"),
    "json": ("made.json", "made.json"),
    "label-studio": ("label-studio.json", "label-studio.json"),
    "mqm": ("mqm.tsv", "mqm.tsv"),
    "mu-shroom": ("mu-shroom", "mu-shroom/bob.jsonl"),
    "prodigy": ("prodigy.jsonl", "prodigy.jsonl"),
    "refi-qda": ("refi-qda", "refi-qda/project.qde"),
    "rttm": ("rttm", "rttm/ann/all.rttm"),
    "segeval": ("segeval.json", "segeval.json"),
    "segmentation-table": ("segments.tsv", "segments.tsv"),
    "textgrid": ("MaureenMarvinRobin.TextGrid", "MaureenMarvinRobin.TextGrid"),
    "web-annotation": ("web-annotation.jsonld", "web-annotation.jsonld"),
    "webanno": ("webanno", "webanno/story/ann.tsv"),
    "zip": ("project.zip", "project.zip"),
}
# Formats whose end is marked, so that a truncated file cannot look whole.
CLOSED = [
    "boris",
    "catma",
    "catma-tei",
    "jams",
    "refi-qda",
    "cas json",
    "cas xmi",
    "elan",
    "glozz",
    "json",
    "label-studio",
    "segeval",
    "textgrid",
    "web-annotation",
    "zip",
]


def flipped(content: bytes, r: random.Random) -> bytes:
    damaged = bytearray(content)
    for _ in range(r.randint(1, 4)):
        damaged[r.randrange(len(damaged))] ^= 1 << r.randrange(8)
    return bytes(damaged)


def truncated(content: bytes, r: random.Random) -> bytes:
    return content[: r.randrange(len(content))]


def cut(content: bytes, r: random.Random) -> bytes:
    start = r.randrange(len(content))
    return content[:start] + content[start + r.randint(1, 40) :]


def repeated(content: bytes, r: random.Random) -> bytes:
    start = r.randrange(len(content))
    return content[: start + r.randint(1, 40)] + content[start:]


def filled(content: bytes, r: random.Random) -> bytes:
    start = r.randrange(len(content))
    return content[:start] + r.randbytes(3) + content[start:]


DAMAGES: list[Callable[[bytes, random.Random], bytes]] = [flipped, truncated, cut, repeated, filled]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mutations") / "formats"
    shutil.copytree(FIXTURES, path)
    for name in ("made.csv", "made.json"):
        write(read(FIXTURES / "MaureenMarvinRobin.eaf"), path / name)
    with zipfile.ZipFile(path / "project.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("ann.xmi", "bob.json"):
            archive.write(path / "cas" / "story" / name, f"annotation/story/{name}")
    return path


def mutate(folder: Path, target: str, count: int) -> None:
    what, file = folder / TARGETS[target][0], folder / TARGETS[target][1]
    whole = file.read_bytes()
    kinds: list[Callable[[bytes, random.Random], bytes]] = [
        flipped,
        truncated,
        cut,
        repeated,
        filled,
    ]
    try:
        for i in range(count):
            r = random.Random(f"{target} {i}")
            file.write_bytes(kinds[i % len(kinds)](whole, r))
            began = time.monotonic()
            try:
                found = collect([what])
            except (DataError, UsageError):
                continue
            assert time.monotonic() - began < 5
            for continuum in found.continua.values():
                assert (continuum.ends >= continuum.starts).all()
                if continuum.text is not None and continuum.offset_unit == "characters":
                    assert continuum.bounds[0] >= 0
                    assert continuum.bounds[1] <= len(continuum.text)
    finally:
        file.write_bytes(whole)


@pytest.mark.parametrize("target", TARGETS)
def test_damaged_files(folder: Path, target: str) -> None:
    mutate(folder, target, 25)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_200_damaged_files(folder: Path, target: str) -> None:
    mutate(folder, target, 200)


@pytest.mark.parametrize("target", CLOSED)
def test_a_truncated_file_never_looks_whole(folder: Path, target: str) -> None:
    what, file = folder / TARGETS[target][0], folder / TARGETS[target][1]
    whole = file.read_bytes()
    step = max(1, len(whole) // 40)
    try:
        for length in range(0, len(whole.rstrip()), step):
            file.write_bytes(whole[:length])
            found = collect([what])
            assert not found.continua, f"{length} of {len(whole)} bytes were read"
            assert found.failures
    finally:
        file.write_bytes(whole)


def test_every_format_is_damaged_here() -> None:
    with_another_library = {"spacy", "review-list"}
    assert {t.split()[0] for t in TARGETS} - {"zip"} == set(FORMATS) - with_another_library
