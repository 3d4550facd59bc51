"""Access to the studio and limits on uploads: each sentence of docs/studio.md on them."""

import asyncio
import errno
import gzip
import hmac
import io
import os
import re
import socket
import threading
import zipfile
from collections.abc import AsyncIterator, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import Any

import httpx
import pytest

from gammacp import align
from gammacp.campaign.consensus import consensus
from gammacp.continuum import Continuum, Unit
from gammacp.errors import DataError
from gammacp.formats import FORMATS
from gammacp.studio.choice import Choice
from gammacp.studio.journal import Journal
from gammacp.studio.server import Studio, application, serve
from gammacp.studio.uploads import UploadLimits, path_inside
from gammacp.studio.work import Findings, Now, Review
from tests.conftest import Run
from tests.studio.conftest import framed

HERE = Path(__file__).parents[2]
TOKEN = "T0ken"
HOST = "127.0.0.1:8000"
ORIGIN = {"origin": f"http://{HOST}"}
SMALL = UploadLimits(file=20_000, unpacked=50_000, together=60_000, files=5, rows=30)


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    folder, scratch = tmp_path / "campaign", tmp_path / "scratch"
    folder.mkdir()
    scratch.mkdir()
    app = Studio(folder, {}, scratch, SMALL)
    yield app
    app.work.close()


def run_in_thread(answer: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine in a new thread, as this one may run the event loop of playwright."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(copy_context().run, asyncio.run, answer).result()


class Client:
    """Client of an application by plain HTTP, without a server."""

    def __init__(self, studio: Studio) -> None:
        self.app = application(studio, TOKEN, (HOST,))

    def send(self, method: str, path: str, **given: Any) -> httpx.Response:
        async def answer() -> httpx.Response:
            transport = httpx.ASGITransport(self.app)  # type: ignore[arg-type]
            async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}") as client:
                return await client.request(method, f"http://{HOST}{path}", **given)

        return run_in_thread(answer())

    def get(self, path: str, **given: Any) -> httpx.Response:
        return self.send("GET", path, **given)

    def post(self, path: str, **given: Any) -> httpx.Response:
        return self.send("POST", path, **given)


@pytest.fixture
def client(studio: Studio) -> Client:
    return Client(studio)


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def test_the_page_is_behind_the_token(client: Client) -> None:
    answer = client.get(f"/{TOKEN}/")
    assert answer.status_code == 200
    assert "Drop exports here" in answer.text


@pytest.mark.parametrize("path", ["/", "/state", "/T0ke/", "/T0kenx/state", "//", "/t0ken/", "/é/"])
def test_without_the_token_nothing_is_served(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 403
    assert TOKEN not in answer.text


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:8001", "evil:8000", ""])
def test_another_host_name_gets_nothing(client: Client, host: str) -> None:
    assert client.get(f"/{TOKEN}/", headers={"host": host}).status_code == 403


@pytest.mark.parametrize(
    "origin", [None, "null", "http://evil.example", "http://127.0.0.1:8001", "https://" + HOST]
)
@pytest.mark.parametrize("path", ["files", "choice", "run/start"])
def test_requests_of_another_origin_change_nothing(
    client: Client, studio: Studio, path: str, origin: str | None
) -> None:
    headers = {} if origin is None else {"origin": origin}
    assert client.post(f"/{TOKEN}/{path}", content=b"{}", headers=headers).status_code == 403
    assert list(studio.folder.iterdir()) == []


def test_an_answer_is_signed_for_the_client(client: Client, studio: Studio) -> None:
    """The signature is the HMAC of nonce, status and content (RFC 2104)."""
    for path in ("", "state", "decisions?after=x"):
        nonce = f"nonce of {path}"
        answer = client.get(f"/{TOKEN}/{path}", headers={"gammacp-nonce": nonce})
        signed = f"{nonce}\n{answer.status_code}\n".encode() + answer.content
        expected = hmac.new(studio.key.encode(), signed, "sha256").hexdigest()
        assert answer.headers["gammacp-proof"] == expected
    assert "gammacp-proof" not in client.get(f"/{TOKEN}/state").headers
    long = {"gammacp-nonce": "x" * 101}
    assert "gammacp-proof" not in client.get(f"/{TOKEN}/state", headers=long).headers
    assert studio.key in client.get(f"/{TOKEN}/").text


def test_a_websocket_is_refused(client: Client) -> None:
    async def receive() -> dict[str, str]:
        return {"type": "websocket.connect"}

    sent: list[str] = []

    async def send(message: Any) -> None:
        sent.append(message["type"])

    scope = {"type": "websocket", "path": f"/{TOKEN}/", "headers": [(b"host", HOST.encode())]}
    run_in_thread(client.app(scope, receive, send))  # type: ignore[arg-type]
    assert "websocket.accept" not in sent


@pytest.mark.parametrize("path", ["files", "choice", "decisions"])
def test_an_aborted_upload_is_no_error(client: Client, studio: Studio, path: str) -> None:
    body = framed({"a.csv": b"Ann,x,0,1\n"})[:-3]
    messages = [
        {"type": "http.request", "body": body, "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> dict[str, object]:
        return messages.pop(0)

    async def send(message: Any) -> None:
        pass

    headers = [(b"host", HOST.encode()), (b"origin", f"http://{HOST}".encode())]
    scope = {"type": "http", "method": "POST", "path": f"/{TOKEN}/{path}", "headers": headers}
    scope |= {"query_string": b"", "http_version": "1.1"}
    run_in_thread(client.app(scope, receive, send))  # type: ignore[arg-type]
    assert list(studio.folder.iterdir()) == []
    assert studio.intake.size == 0
    assert not messages


def test_pages_load_nothing_and_are_in_no_frame(client: Client) -> None:
    headers = client.get(f"/{TOKEN}/").headers
    policy = dict(d.strip().split(" ", 1) for d in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
    assert policy["script-src"].startswith("'sha256-")
    assert policy["connect-src"] == "'self'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in headers


def drop(client: Client, name: str, content: bytes) -> str:
    """Return the message of the page on a file: "" if the file was accepted."""
    answer = client.post(f"/{TOKEN}/files", content=framed({name: content}), headers=ORIGIN)
    assert answer.status_code == 200, answer.text
    problem: str = answer.json()["files"][0].get("problem", "")
    return problem


def test_a_file_keeps_its_name_and_place(client: Client, studio: Studio) -> None:
    assert drop(client, "brat/Lisa/näme 1.ann", b"T1") == ""
    assert (studio.folder / "brat" / "Lisa" / "näme 1.ann").read_bytes() == b"T1"


@pytest.mark.parametrize(
    "name",
    ["../a.csv", "a/../../b.csv", "/etc/a.csv", "..\\a.csv", "C:\\a.csv", ".hidden", "a//b.csv", "",
     "a\0.csv", "gammacp-review.sqlite", "a\n.csv", "x" * 300, "<b>.csv", "GammaCP-Review.SQLite",
     "gammacp-review.ſqlite", "GAMMACP-REVIEW.SQLITE-JOURNAL", "ｇammacp-review.sqlite", "a.csv.",
     "a.csv ", "nul.csv", "a/CON.txt", "Com1.csv", "lpt³.csv", "aux .csv", "prn"],
)  # fmt: skip
def test_no_name_leads_out_of_the_folder(client: Client, studio: Studio, name: str) -> None:
    before = sorted(studio.folder.parent.rglob("*"))
    assert "Rename it" in drop(client, name, b"x")
    assert sorted(studio.folder.parent.rglob("*")) == before


@pytest.mark.parametrize("name", ["a.py", "a.mdb", "a.exe", "a/.b/c", "plain", "a.csv.lnk", "a.so"])
def test_files_that_nothing_reads_are_not_kept(client: Client, studio: Studio, name: str) -> None:
    answer = drop(client, name, b"x")
    assert "gammacp cannot read or play" in answer or "hidden" in answer
    assert list(studio.folder.iterdir()) == []


def test_files_of_any_reader_or_player_are_kept() -> None:
    """This includes texts that readers look for beside a file."""
    for _, entry in FORMATS.items():
        for ending in entry.extensions:
            assert path_inside(f"a{ending.upper()}") == f"a{ending.upper()}"
    sources = [p.read_text(encoding="utf-8") for p in (HERE / "gammacp").rglob("*.py")]
    beside = {e for source in sources for e in re.findall(r"""beside\(["'](\.\w+)""", source)}
    assert beside >= {".txt", ".ac"}
    for ending in (*beside, ".zip", ".wav", ".mp4", ".toml"):
        assert path_inside(f"b/a{ending}") == f"b/a{ending}"


def test_a_file_that_is_there_is_not_replaced(client: Client, studio: Studio) -> None:
    assert drop(client, "a.csv", b"one") == ""
    assert drop(client, "a.csv", b"one") == ""
    assert "another file of this name" in drop(client, "a.csv", b"two")
    assert (studio.folder / "a.csv").read_bytes() == b"one"


def test_a_large_file_is_refused(client: Client, studio: Studio) -> None:
    assert "larger than" in drop(client, "a.csv", b"x" * (SMALL.file + 1))
    assert list(studio.folder.iterdir()) == []


def test_too_much_in_all_is_refused(client: Client) -> None:
    answers = [drop(client, f"{i}.csv", b"x" * SMALL.file) for i in range(4)]
    assert answers[:3] == [""] * 3
    assert "dropped" in answers[3]


def test_too_many_lines_are_refused(client: Client, studio: Studio) -> None:
    assert "more than 30 lines" in drop(client, "a.csv", b"x\n" * 31)
    assert "more than 30 lines" in drop(
        client, "a.zip", zipped({f"{i}.csv": b"x\n" * 16 for i in "ab"})
    )
    assert "more than 30 lines or entries" in drop(client, "a.zip", zipped({"a.json": b"[]," * 31}))
    assert list(studio.folder.iterdir()) == []
    assert drop(client, "a.csv", b"x\n" * 30) == ""


def test_the_content_of_gzip_counts(client: Client, studio: Studio) -> None:
    archive = zipped({"a.json": b"[]," * 31})
    for name, content in (("a.csv.gz", b"A,x,0,1\n" * 31), ("a.zip.gz", archive)):
        assert "more than 30 lines or entries" in drop(client, name, gzip.compress(content))
    assert "MB unpacked" in drop(client, "b.csv.gz", gzip.compress(b"A" * 60_000))
    assert list(studio.folder.iterdir()) == []
    assert drop(client, "a.csv.gz", gzip.compress(b"A,x,0,1\n" * 30)) == ""


def test_too_many_files_are_refused(client: Client, studio: Studio) -> None:
    answers = [drop(client, f"{i}.csv", b"x") for i in range(SMALL.files + 1)]
    assert answers[:-1] == [""] * SMALL.files
    assert f"more than {SMALL.files} files" in answers[-1]
    assert len(list(studio.folder.iterdir())) == SMALL.files


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"a.csv": b"0" * 60_000}, "unpacked"),
        ({"in.zip": zipped({"a.csv": b"0" * 60_000})}, "unpacked"),
        ({"a.xlsx": zipped({"sheet.xml": b"0" * 60_000})}, "unpacked"),
        ({f"{i}.csv": b"x" for i in range(6)}, "more than 5 files"),
        ({"../a.csv": b"x"}, "outside itself"),
        ({"/etc/a.csv": b"x"}, "outside itself"),
        ({"..\\a.csv": b"x"}, "outside itself"),
    ],
)
def test_a_bad_archive_is_refused(
    client: Client, studio: Studio, files: dict[str, bytes], told: str
) -> None:
    assert told in drop(client, "a.zip", zipped(files))
    assert list(studio.folder.iterdir()) == []


def test_an_archive_is_kept_packed(client: Client, studio: Studio) -> None:
    content = zipped({"a/b.csv": b"annotator,category,start,end\n"})
    assert drop(client, "a.zip", content) == ""
    assert [f.name for f in studio.folder.iterdir()] == ["a.zip"]


def test_a_broken_archive_says_so(client: Client) -> None:
    assert "damaged" in drop(client, "a.zip", zipped({"a.csv": b"x"})[:40])


@pytest.mark.parametrize(
    "choice", [b"", b"{", b"[]", b'{"layer": 3}', b'{"what": 1}', b"x" * 2**21]
)
def test_an_invalid_choice_is_refused(client: Client, choice: bytes) -> None:
    answer = client.post(f"/{TOKEN}/choice", content=choice, headers=ORIGIN)
    assert answer.status_code == 422
    assert answer.json()["problem"]


def test_an_invalid_path_is_refused(client: Client) -> None:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    for path in ("*", "", TOKEN):
        scope = {
            "type": "http", "method": "OPTIONS", "path": path, "query_string": b"",
            "headers": [(b"host", HOST.encode())],
        }  # fmt: skip
        run_in_thread(client.app(scope, receive, send))  # type: ignore[arg-type]
    assert [m["status"] for m in sent if "status" in m] == [403] * 3


@pytest.mark.parametrize("after", ["9" * 19, "9" * 5000, "-1", "x", "", "\u0661"])
def test_an_invalid_number_is_refused(client: Client, after: str) -> None:
    assert client.get(f"/{TOKEN}/decisions", params={"after": after}).status_code == 422
    assert client.get(f"/{TOKEN}/decisions?after=7").json() == {"decisions": []}


def test_an_impossible_gold_standard_is_an_error(client: Client) -> None:
    answer = client.get(f"/{TOKEN}/gold/json")
    assert answer.status_code == 422
    assert "nothing to review yet" in answer.text


@pytest.mark.parametrize("kept", [b"not a database" * 100, '{"of another version": 1}'])
def test_an_unreadable_choice_leaves_that_of_the_file(
    studio: Studio, client: Client, monkeypatch: pytest.MonkeyPatch, kept: bytes | str
) -> None:
    (studio.folder / "campaign.toml").write_text('paths = ["."]\nonly = ["x"]\n', encoding="utf-8")
    monkeypatch.setattr(studio, "start", lambda: None)
    if isinstance(kept, bytes):
        studio.journal.path.write_bytes(kept)
    else:
        studio.journal.keep_choice(kept)
    studio.begin()
    assert studio.choice.only == ("x",)
    shown = client.get(f"/{TOKEN}/").text
    problem = "cannot be used"
    if isinstance(kept, bytes):
        problem = "cannot be read or kept"
        assert "move it away" in shown
    assert problem in shown
    if isinstance(kept, bytes):
        studio.journal.path.unlink()
    answer = client.post(f"/{TOKEN}/choice", content=b'{"only": ["y"]}', headers=ORIGIN)
    assert answer.status_code == 200, answer.text
    assert studio.choice.only == ("y",)
    assert problem not in client.get(f"/{TOKEN}/").text


SAYS = 'paths = ["."]\nexclude = ["Bob"]  # <b>\u202e</b>\n'


@pytest.mark.parametrize("name", ["campaign.toml", "Campaign.TOML"])
def test_a_dropped_campaign_file_counts_only_after_consent(
    studio: Studio, client: Client, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(studio, "start", lambda: None)
    studio.choose(Choice(only=("x",)))
    before = client.get(f"/{TOKEN}/state").json()["version"]
    assert drop(client, name, SAYS.encode()) == ""
    assert not (studio.folder / "campaign.toml").exists()
    assert (studio.choice.only, studio.choice.exclude) == (("x",), ())
    assert client.get(f"/{TOKEN}/state").json()["version"] != before
    shown = client.get(f"/{TOKEN}/").text
    assert "It takes effect only if you agree" in shown
    assert "paths = [&quot;.&quot;]\nexclude" in shown  # lines are kept
    assert "exclude = [&quot;Bob&quot;]  # &lt;b&gt;\\u202e&lt;/b&gt;" in shown
    assert client.post(f"/{TOKEN}/run/obey", headers=ORIGIN).status_code == 200
    assert (studio.folder / "campaign.toml").read_text(encoding="utf-8") == SAYS
    assert (studio.choice.only, studio.choice.exclude) == ((), ("Bob",))
    assert "until you agree" not in client.get(f"/{TOKEN}/").text
    assert drop(client, name, SAYS.encode()) == ""  # the same file again needs no consent
    assert "until you agree" not in client.get(f"/{TOKEN}/").text
    again = Studio(studio.folder, {}, studio.folder.parent / "scratch")
    again.journal = Journal(studio.folder)
    monkeypatch.setattr(again, "start", lambda: None)
    again.begin()
    assert again.choice.exclude == ("Bob",)
    again.work.close()


def test_a_declined_campaign_file_leaves_no_trace(
    studio: Studio, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(studio, "start", lambda: None)
    assert drop(client, "campaign.toml", SAYS.encode()) == ""
    assert client.post(f"/{TOKEN}/run/ignore", headers=ORIGIN).status_code == 200
    assert client.post(f"/{TOKEN}/run/obey", headers=ORIGIN).status_code == 200
    assert list(studio.folder.iterdir()) == []
    (studio.folder / "campaign.toml").write_text("paths = ['.']\n", encoding="utf-8")
    assert drop(client, "campaign.toml", SAYS.encode()) == ""
    refused = client.post(f"/{TOKEN}/run/obey", headers=ORIGIN)
    assert refused.status_code == 422
    assert "another file of this name" in refused.json()["problem"]
    assert (studio.folder / "campaign.toml").read_text(encoding="utf-8") == "paths = ['.']\n"


def test_a_campaign_file_in_a_subfolder_has_no_effect(studio: Studio, client: Client) -> None:
    assert drop(client, "sub/campaign.toml", b"exclude = ['Bob']") == ""
    assert studio.intake.campaign is None
    assert studio.choice == Choice()


def test_a_full_disk_is_named(
    studio: Studio, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(io.BytesIO):
        name = "/dev/full"

        def write(self, _content: object) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr("gammacp.studio.uploads.copyfileobj", lambda *_: Full().write(b""))
        assert drop(client, "a.csv", b"x") == "a.csv: No space left on device"
    monkeypatch.setattr("gammacp.studio.uploads.NamedTemporaryFile", Full)
    answer = drop(client, "a.csv", b"x")
    assert answer == "the folder for temporary files: No space left on device"
    assert studio.intake.size == 0


def test_a_locked_journal_delays_no_other_request(studio: Studio) -> None:
    app, held = application(studio, TOKEN, (HOST,)), threading.Event()

    def rows(_after: int = 0) -> list[Any]:
        assert held.wait(20)
        return []

    studio.journal.rows = rows  # type: ignore[method-assign]

    async def both() -> tuple[int, int]:
        transport = httpx.ASGITransport(app)  # type: ignore[arg-type]
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}") as client:
            waiting = [
                asyncio.create_task(client.get(f"/{TOKEN}/{path}"))
                for path in ("decisions", "journal.json")
            ]
            await asyncio.sleep(0.1)
            state = (await client.get(f"/{TOKEN}/state")).status_code
            assert not any(w.done() for w in waiting)
            held.set()
            return state, sum([(await w).status_code for w in waiting])

    assert run_in_thread(both()) == (200, 400)


def test_simultaneous_files_share_the_limit(studio: Studio) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(4):
            yield b"x" * 5_000
            await asyncio.sleep(0)

    async def together() -> list[Any]:
        coming = (studio.intake.receive(f"{i}.csv", chunks()) for i in range(5))
        return await asyncio.gather(*coming, return_exceptions=True)

    refused = [
        refusals for refusals in run_in_thread(together()) if isinstance(refusals, DataError)
    ]
    sizes = [f.stat().st_size for f in studio.folder.iterdir()]
    assert refused
    assert sum(sizes) == studio.intake.size <= SMALL.together


def test_no_link_leads_out_of_the_folder(client: Client, studio: Studio) -> None:
    outside = studio.folder.parent / "outside"
    outside.mkdir()
    (studio.folder / "sub").symlink_to(outside)
    (studio.folder / "a.csv").symlink_to(outside / "a.csv")
    assert "a link in the folder" in drop(client, "sub/b.csv", b"x")
    assert "another file of this name" in drop(client, "a.csv", b"x")
    assert (studio.folder / "a.csv").is_symlink()
    assert list(outside.iterdir()) == []


def test_text_that_is_not_utf8_is_reported(studio: Studio, client: Client) -> None:
    strange = "d\udce9.csv"
    c = Continuum.from_units([Unit("Ann", 1, 2, "x"), Unit("Bob", 1, 3, "x")], name=strange)
    gold_standards = {strange: consensus(align(c))}
    findings = Findings(review=Review(consensus=gold_standards, documents={}), problem=strange)
    studio.work.now = lambda: Now("done", findings, "1")  # type: ignore[method-assign]
    assert "d\\udce9.csv" in client.get(f"/{TOKEN}/").text
    assert client.get(f"/{TOKEN}/export").status_code == 200
    responses = {
        name: client.get(f"/{TOKEN}/gold/{name}")
        for name, format in FORMATS.items()
        if format.writer
    }
    assert {answer.status_code for answer in responses.values()} <= {200, 422}
    assert "not UTF-8" in responses["csv"].text


def test_early_requests_wait_for_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connected = []

    def told(address: str) -> None:
        host, port = address.split("/")[2].split(":")
        with socket.create_connection((host, int(port)), timeout=5):
            connected.append(address)

    monkeypatch.setattr("uvicorn.Server.run", lambda _self, sockets: sockets[0].close())
    serve(tmp_path, {}, tell=told)
    assert connected


def test_an_invalid_port_is_refused(run: Run, tmp_path: Path) -> None:
    outcome = run("studio", tmp_path / "new", "--port", 80000)
    assert outcome.code == 2
    assert "--port" in outcome.err
    assert "65535" in outcome.err
    assert not (tmp_path / "new").exists()
