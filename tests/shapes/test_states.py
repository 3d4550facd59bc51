"""States of CVAT's jobs, from segments of the XML or from the task.json of a backup."""

import json
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

from gammacp import read_corpus

JOBS = [(0, 1, "completed", "annotation"), (2, 2, "in progress", "annotation")]
JOBS += [(3, 3, "completed", "ground_truth"), (4, 4, "dreaming", "annotation")]
IMAGES = 5


def export(folder: Path, jobs: Sequence[tuple[int, int, str, str]]) -> Path:
    """Write a CVAT file with a box on each image, by an annotator called ann."""
    root = ElementTree.Element("annotations")
    segments = ElementTree.SubElement(ElementTree.SubElement(root, "meta"), "task")
    ElementTree.SubElement(segments, "id").text = "7"
    for first, last, state, kind in jobs:
        segment = ElementTree.SubElement(segments, "segment")
        values = {"start": first, "stop": last, "state": state, "type": kind}
        for key, value in values.items():
            ElementTree.SubElement(segment, key).text = str(value)
    place = {"xtl": "1", "ytl": "2", "xbr": "3", "ybr": "4", "label": "dog"}
    for number in range(IMAGES):
        image = ElementTree.SubElement(root, "image", {"id": str(number), "name": f"i{number}"})
        ElementTree.SubElement(image, "box", place)
    path = folder / "ann" / "annotations.xml"
    path.parent.mkdir()
    ElementTree.ElementTree(root).write(path)
    return path


def images(*states: str) -> set[str]:
    """Return the images of jobs in given states, from the list of jobs."""
    named = [(range(a, b + 1), "gt" if kind == "ground_truth" else s) for a, b, s, kind in JOBS]
    return {f"i{n}" for numbers, state in named if state in states for n in numbers}


READ = images("completed", "dreaming")


@pytest.mark.parametrize("beside", [False, True])
def test_images_of_unfinished_jobs_are_left_out(tmp_path: Path, beside: bool) -> None:
    path = export(tmp_path, [] if beside else JOBS)
    if beside:
        keys = ("start_frame", "stop_frame", "status", "type")
        jobs = [dict(zip(keys, job, strict=True)) for job in JOBS]
        (path.parent / "task.json").write_text(json.dumps({"name": "t", "jobs": jobs}))
    corpus = read_corpus(path)
    assert set(corpus) == READ
    assert {e.state: e.count for e in corpus.left_out if e.state} == {
        "unfinished": len(images("in progress")),
        "reference": len(images("gt")),
    }
    more = read_corpus(path, include="unfinished")
    assert set(more) == READ | images("in progress")
    every = read_corpus(path, include="unfinished,reference")
    assert set(every) == {f"i{n}" for n in range(IMAGES)}


def test_without_states_everything_is_read(tmp_path: Path) -> None:
    corpus = read_corpus(export(tmp_path, []))
    assert len(corpus) == IMAGES
    assert not [e for e in corpus.left_out if e.state]
