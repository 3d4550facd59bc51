"""Recordings of documents, which are played during the review; no other file of the folder is."""

import wave
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gammacp.continuum import Continuum, Unit
from gammacp.formats import write
from gammacp.studio.sound import recordings
from tests.studio.conftest import Running

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SECONDS, RATE = 12, 8000


def spoken(unit: str, scale: float) -> Continuum:
    units = [Unit("Ann", 2, 2.5, "a"), Unit("Bob", 2.1, 2.6, "b"), Unit("Ann", 8, 9, "a")]
    scaled = [Unit(u.annotator, u.start * scale, u.end * scale, u.category) for u in units]
    bounds = (0, SECONDS * scale)
    return Continuum.from_units(scaled, bounds=bounds, name="talk", offset_unit=unit)


def record(path: Path) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(RATE)
        file.writeframes(bytes([128]) * RATE * SECONDS)


def wait_for(page: "Page", what: str) -> None:
    for _ in range(1500):
        if page.evaluate(f"(sound => {what})(document.querySelector('#sound'))"):
            return
        page.wait_for_timeout(20)
    raise AssertionError(what)


def test_a_recording_has_the_name_of_its_document(tmp_path: Path) -> None:
    (tmp_path / "media").mkdir()
    for name in ("b.mp4", "media/a.MP3", "media/a.wav", "d.eaf", "c.wav", "d.wav"):
        (tmp_path / name).touch()
    documents = dict.fromkeys(("day1/a", "b.mp4", "none", "d.eaf", "a.1"), spoken("s", 1))
    read = Continuum.from_units([Unit("Ann", 0, 1, "a")], name="c", offset_unit="characters")
    assert recordings(tmp_path, {**documents, "c": read}) == {
        "day1/a": tmp_path / "media" / "a.wav",
        "b.mp4": tmp_path / "b.mp4",
        "d.eaf": tmp_path / "d.wav",
    }


def test_a_link_out_of_the_folder_is_not_played(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    record(tmp_path / "secret.wav")
    (tmp_path / "in" / "a.wav").symlink_to(tmp_path / "secret.wav")
    (tmp_path / "in" / "b.wav").touch()
    (tmp_path / "in" / "c.wav").symlink_to("b.wav")
    heard = recordings(tmp_path / "in", dict.fromkeys("abc", spoken("s", 1)))
    assert sorted(heard) == ["b", "c"]


@pytest.mark.parametrize(
    ("unit", "scale"), [pytest.param("s", 1, marks=pytest.mark.slow), ("ms", 1000)]
)
def test_only_the_unit_is_played(
    starting: Callable[..., Running], browser: "Browser", tmp_path: Path, unit: str, scale: float
) -> None:
    write(spoken(unit, scale), tmp_path / "talk.json")
    record(tmp_path / "talk.wav")
    studio = starting(tmp_path, "--samples", "5", "--chance", "cut")
    assert studio.wait("done")["state"] == "done"
    whole = studio.client.get("sound", params={"document": "talk.json"})
    assert whole.status_code == 200, whole.text
    assert whole.headers["content-type"] == "audio/wav"
    part = studio.client.get(
        "sound", params={"document": "talk.json"}, headers={"range": "bytes=44-1043"}
    )
    assert (part.status_code, len(part.content)) == (206, 1000)
    for name in ("talk.wav", "../talk.json", ""):
        assert studio.client.get("sound", params={"document": name}).status_code == 422
    page = browser.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(studio.address + "review")
    wait_for(page, "sound.readyState > 0")
    assert page.evaluate("document.querySelector('#sound').duration") == SECONDS
    page.locator("#decide-title").click()
    page.keyboard.press("p")
    wait_for(page, "!sound.paused")
    assert page.evaluate("document.querySelector('#sound').currentTime") >= 2
    wait_for(page, "sound.paused")
    assert 2.6 <= page.evaluate("document.querySelector('#sound').currentTime") < 7
    assert page.locator("#failed").inner_text() == ""
    assert complaints == []
    page.close()
