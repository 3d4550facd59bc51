"""The studio's page during work: many files, fast typing, a restart, and an example."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import gammacp as gc
from gammacp import datasets
from gammacp.continuum import Continuum, Unit
from gammacp.formats import write
from tests.studio.conftest import Running

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

TEXT = "The cat sat. The dog ran; nobody saw. " * 3
Starting = Callable[..., Running]


def document(n_differences: int = 4) -> Continuum:
    units = [Unit(who, 4, 7, "animal") for who in ("Ann", "Bob")]
    for i in range(n_differences):
        units += [Unit("Ann", 17 + 20 * i, 20 + 20 * i, "animal")]
        units += [Unit("Bob", 17 + 20 * i, 20 + 20 * i, "thing")]
    return Continuum.from_units(
        units, bounds=(0, len(TEXT)), name="one", text=TEXT, offset_unit="characters"
    )


@pytest.fixture(scope="module")
def studio(
    starting: Starting, browser: "Browser", tmp_path_factory: pytest.TempPathFactory
) -> Running:
    assert browser.is_connected()
    folder = tmp_path_factory.mktemp("secret place") / "campaign"
    return starting(folder, "--samples", "5", "--chance", "cut")


@pytest.fixture
def page(browser: "Browser", studio: Running) -> Iterator["Page"]:
    complaints: list[str] = []
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(60_000)  # for a cold cache
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(studio.address)
    yield page
    page.close()
    assert complaints == []


def shows(page: "Page", selector: str, text: str) -> None:
    from playwright.sync_api import expect

    expect(page.locator(selector)).to_contain_text(text, timeout=60_000)


def test_the_empty_page_has_an_example_that_leaves_the_folder_empty(
    page: "Page", studio: Running
) -> None:
    shows(page, "#empty", "ELAN")
    page.get_by_role("button", name="Try the example").click()
    page.get_by_role("link", name="Start the review").wait_for()
    shows(page, "#live", "This is the example that comes with gammacp")
    expected = gc.gamma(datasets.load("alex-paul-suzan"), samples=5, chance="cut").value
    gamma_text = page.locator(".headline .score").inner_text().split()[-1]
    assert float(gamma_text.replace("−", "-")) == pytest.approx(expected, abs=5e-4)
    page.goto(studio.address + "review")
    page.get_by_label("Reviewer").fill("Rae")
    page.get_by_label("Reviewer").press("Enter")
    page.keyboard.press("1")
    shows(page, "#said", "Saved")
    page.goto(studio.address)
    page.get_by_role("button", name="Close the example").click()
    page.locator("#empty").wait_for()
    assert studio.client.get("decisions").json() == {"decisions": []}
    assert list(studio.folder.iterdir()) == []


@pytest.mark.slow
def test_a_folder_of_many_files_is_a_few_requests(
    page: "Page", studio: Running, tmp_path: Path
) -> None:
    contents = {f"s{i % 3}/{i}.csv": f"Ann,x,{i},{i + 5}\nBob,x,{i},{i + 6}\n" for i in range(700)}
    contents |= {f"s0/{i}.conf": "x" for i in range(30)}
    for name, content in contents.items():
        (tmp_path / "many" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "many" / name).write_text(content)
    asked: list[str] = []
    page.on("request", lambda r: asked.append(r.url) if r.url.endswith("/files") else None)
    held: list[Route] = []
    page.route("**/files", lambda route: held.append(route))
    page.locator("#folder").set_input_files(tmp_path / "many")
    shows(page, "#uploads", "Copying: 0 of 730 files")
    assert page.locator("#bar").get_attribute("max") == "730"
    page.locator("#stop").click()
    shows(page, "#uploads", "Cancelled: 0 of 730 files are here")
    assert not page.locator("#bar").is_visible()
    page.unroute("**/files")
    page.locator("#folder").set_input_files(tmp_path / "many")
    shows(page, "#uploads", "700 files are here")
    assert len(asked) == 1 + 2
    # The first 20 of the refused files are listed, and one entry counts the others.
    assert page.locator("#refused li").count() == 21
    shows(page, "#refused", "10 more files were refused")
    for name, content in contents.items():
        file = studio.folder / "many" / name
        assert file.exists() == name.endswith(".csv")
        assert not file.exists() or file.read_text() == content
    studio.client.post("run/cancel")
    studio.wait("cancelled", "done")
    for file in sorted(studio.folder.rglob("*"), reverse=True):
        file.unlink() if file.is_file() else file.rmdir()


def test_an_unreadable_file_does_not_stop_the_others(
    page: "Page", studio: Running, tmp_path: Path
) -> None:
    files = [tmp_path / f"{n}.txt" for n in "abc"]
    for file in files:
        file.write_text(file.stem)
    page.evaluate(
        """() => { const old = window.fetch; window.fetch = async (path, how) => {
          if (how?.body instanceof Blob && (await how.body.text()).includes('"b.txt"'))
            throw new TypeError();
          return old(path, how); }; }"""
    )
    page.locator("#files").set_input_files(files)
    shows(page, "#uploads", "2 files are here")
    shows(page, "#refused", "b.txt: the browser cannot read this file")
    for there in studio.folder.iterdir():
        there.unlink()


@pytest.fixture
def read(page: "Page", studio: Running) -> "Page":
    """Return the page of a folder with a document in which annotators differ four times."""
    if not (studio.folder / "one.json").exists():
        write(document(), studio.folder / "one.json")
        studio.client.post("run/read")
    page.locator(".next a[href='./review']").wait_for()
    return page


def workers_of(studio: Running) -> list[int]:
    """Return the studio's processes that compute."""
    listed = [*Path(f"/proc/{studio.process.pid}/task").glob("*/children")]
    if not listed:
        pytest.skip("the system does not list processes as Linux does")
    numbers = [int(number) for children in listed for number in children.read_text().split()]
    return [n for n in numbers if b"spawn_main" in Path(f"/proc/{n}/cmdline").read_bytes()]


@pytest.mark.slow
def test_typed_text_stays_while_the_worker_computes(read: "Page", studio: Running) -> None:
    """This holds however long the worker takes, and for the form that follows."""
    read.get_by_text("More").click()
    read.get_by_label("Another name for thing").fill("ani")
    read.get_by_label("Bob (5)").uncheck()
    read.get_by_label("Dissimilarity").select_option("mqm")
    read.get_by_label("Bounds").press_sequentially("0:1")
    workers = workers_of(studio)
    assert workers
    for worker in workers:
        os.kill(worker, signal.SIGSTOP)
    try:
        studio.client.post("run/read")
        for digit in "23" * 30:
            read.keyboard.type(digit, delay=20)
        shows(read, "#live [role=status]", "Working: getting ready")
    finally:
        for worker in workers:
            os.kill(worker, signal.SIGCONT)
    while studio.state()["state"] != "done":
        read.keyboard.type("4", delay=20)
    typed = read.get_by_label("Bounds").input_value()
    assert typed.startswith("0:1" + "23" * 30)
    studio.wait("done")
    shows(read, "#unsent", "not computed yet")
    read.locator(".next a[href='./review']").wait_for()
    read.keyboard.type("00")  # the field still has the focus, with the cursor at its end
    assert read.get_by_label("Bounds").input_value() == typed + "00"
    assert read.get_by_label("Another name for thing").input_value() == "ani"
    assert not read.get_by_label("Bob (5)").is_checked()
    assert read.get_by_label("Dissimilarity").input_value() == "mqm"
    read.get_by_label("Another name for thing").fill("")
    read.get_by_label("Bob (5)").check()
    read.get_by_label("Dissimilarity").select_option("")
    read.get_by_label("Bounds").fill("")
    with read.expect_response("**/choice"):
        read.get_by_role("button", name="Compute with this choice").click()
    read.locator("#unsent").get_by_text("not computed yet").wait_for(state="detached")
    assert studio.wait("done")


def test_pages_avoid_certain_words(read: "Page", studio: Running) -> None:
    for place in ("", "report", "review", "export"):
        read.goto(studio.address + place)
        html = read.content()
        for word in ("secret place", "(by itself)", "(nobody)", "What counts", "became no unit"):
            assert word not in html, (place, word)
    assert "What is measured" in studio.client.get("").text


def test_no_message_shows_the_path_of_the_folder(studio: Running) -> None:
    answer = studio.drop("one.json", b"another")
    assert answer.json()["files"][0]["problem"].startswith("one.json: another file of this name")
    (studio.folder / "bad.csv").write_text("annotator,category,start,end\nAnn,x,seven,9\n")
    studio.client.post("run/read")
    studio.wait("done")
    page = studio.client.get("").text + studio.client.get("report").text
    (studio.folder / "bad.csv").unlink()
    assert "bad.csv" in page
    assert "secret place" not in page


def test_enter_leaves_the_field_and_keys_apply_to_the_shown_unit(
    read: "Page", studio: Running
) -> None:
    held: list[Route] = []
    read.goto(studio.address + "review")
    read.route("**/decisions", lambda route: held.append(route))
    read.get_by_label("Reviewer").fill("")
    read.get_by_label("Reviewer").press_sequentially("Anna")
    read.keyboard.press("Enter")
    shown = []
    for key in "12x":  # faster than any answer
        shown.append(read.locator("#decide-title").inner_text())
        read.keyboard.press(key)
    assert shown == [f"Unit {n} of 4" for n in (1, 2, 3)]
    for n in range(3):
        for _ in range(200):
            if len(held) > n:
                break
            read.wait_for_timeout(20)
        held[n].continue_()
    shows(read, "#said", "Saved: no unit")
    rows = studio.client.get("decisions").json()["decisions"]
    assert [row["action"] for row in rows] == ["take", "take", "drop"]
    assert [row["annotator"] for row in rows] == ["Ann", "Bob", None]
    assert len({row["item"] for row in rows}) == 3
    assert {row["reviewer"] for row in rows} == {"Anna"}
    assert read.get_by_label("Reviewer").input_value() == "Anna"
    shows(read, "#decide-title", "Unit 4 of 4")
    read.unroute("**/decisions")
    read.route("**/decisions", lambda route: route.abort())
    read.keyboard.press("1")
    shows(read, "#failed", "Not saved")
    shows(read, "#decide-title", "Unit 4 of 4")


@pytest.mark.slow
def test_a_text_is_ruled_in_whole_numbers(read: "Page", studio: Running) -> None:
    read.add_init_script(
        """const old = CanvasRenderingContext2D.prototype.fillText;
        window.drawn = new Set();
        CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
          window.drawn.add(String(text)); return old.call(this, text, ...rest); };"""
    )
    read.goto(studio.address + "review")
    canvas = read.locator("canvas[data-part=canvas]")
    canvas.hover()
    for _ in range(30):
        read.mouse.wheel(0, -400)
        read.keyboard.press("+")
    read.wait_for_timeout(200)
    drawn = read.evaluate("[...window.drawn]")
    numbers = [text for text in drawn if text.replace(".", "").isdigit()]
    assert len(numbers) > 5
    assert [text for text in numbers if "." in text] == []
    read.locator("#decide-title").click()
    read.keyboard.press("e")
    assert read.get_by_label("From").get_attribute("step") == "1"


@pytest.mark.slow
def test_an_open_page_continues_after_a_restart(
    starting: Starting, browser: "Browser", tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    write(document(), folder / "one.json")
    first = starting(folder, "--samples", "5")
    first.wait("done")
    context = browser.new_context()
    files, review = context.new_page(), context.new_page()
    files.goto(first.address)
    files.locator(".next a[href='./review']").wait_for()
    files.get_by_label("Another name for thing").fill("animal")
    review.goto(first.address + "review")
    review.get_by_label("Reviewer").fill("Rae")
    review.get_by_label("Reviewer").press("Enter")
    first.close()
    shows(files, "#uploads", "The studio does not answer")
    shows(review, "#failed", "The studio does not answer")
    second = starting(folder, "--samples", "5")
    second.wait("done")
    assert second.address.split("/")[2] == first.address.split("/")[2]
    assert second.address != first.address
    newest = context.new_page()
    newest.goto(second.address)  # the address that the command opens by itself
    files.wait_for_url(second.address)
    review.wait_for_url(second.address + "review")
    shows(files, "#uploads", "The studio was restarted")
    shows(review, "#said", "The studio was restarted")
    assert review.get_by_label("Reviewer").input_value() == "Rae"
    files.locator(".next a[href='./review']").wait_for()
    assert files.get_by_label("Another name for thing").input_value() == "animal"
    review.keyboard.press("1")
    shows(review, "#said", "Saved")
    third = starting(folder, "--samples", "5")  # two studios at a time
    assert third.address.split("/")[2] != second.address.split("/")[2]
    context.close()


@contextmanager
def impostor(port: int) -> Iterator[list[str]]:
    """Answer on a port as an impostor would, and list the requests sent there."""
    sent: list[str] = []

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = b'<div id="live" data-version="9">WE OWN THIS PAGE</div>'
            if "/state" in self.path:
                body = b'{"state": "done", "stage": "", "version": "9", "folder": "x"}'
            elif "/decisions" in self.path:
                body = b'{"decisions": []}'
            self.answer(body)

        def do_POST(self) -> None:
            sent.append(self.path)
            self.answer(b'{"files": [{}], "decision": {"kept": false, "item": "x"}}')

        def answer(self, content: bytes) -> None:
            self.send_response(200)
            self.send_header("gammacp-proof", "00" * 32)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Suppress output on stderr."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield sent
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.usefixtures("read")
def test_an_impostor_on_the_port_is_not_believed(
    studio: Running, browser: "Browser", tmp_path: Path
) -> None:
    """This test must be the last one, as it ends the studio."""
    context = browser.new_context()
    files, review = context.new_page(), context.new_page()
    files.goto(studio.address)
    files.locator(".next a[href='./review']").wait_for()
    review.goto(studio.address + "review")
    review.get_by_label("Reviewer").fill("Rae")
    review.get_by_label("Reviewer").press("Enter")
    studio.close()
    with impostor(int(studio.address.split("/")[2].split(":")[1])) as sent:
        shows(files, "#uploads", "The studio does not answer")
        review.keyboard.press("1")
        shows(review, "#failed", "Not saved: the answer does not come from this studio")
        file = tmp_path / "private.csv"
        file.write_text("Ann,x,0,1\n")
        files.locator("#files").set_input_files(file)
        shows(files, "#uploads", "The studio does not answer: 0 of 1 file are here")
        assert files.get_by_text("WE OWN THIS PAGE").count() == 0
        assert sent == []
    context.close()
