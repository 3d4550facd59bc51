"""Routes of the studio, and the server, which answers on this machine only."""

import os
import secrets
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from gammacp import datasets
from gammacp.base.files import confine, in_words
from gammacp.errors import DataError, GammacpError
from gammacp.formats import FORMATS
from gammacp.measures.settings import GammaOptions
from gammacp.report.images import images_of, small_jpeg
from gammacp.report.markup import Markup
from gammacp.report.page import policy
from gammacp.report.viewer import script as view_script
from gammacp.studio import export_page, first_page, pages, review_page
from gammacp.studio.choice import Choice, campaign_in, parse
from gammacp.studio.connections import Server
from gammacp.studio.guard import Guard
from gammacp.studio.journal import Journal, write_journal
from gammacp.studio.places import seen_from
from gammacp.studio.questions import decisions_of
from gammacp.studio.review import (
    GOLD,
    NOT_TEXT,
    DecisionRequest,
    Gold,
    content_of_file,
    decision_of,
    gold,
    gold_file,
    workbook,
)
from gammacp.studio.scratch import scratch
from gammacp.studio.signing import Signed
from gammacp.studio.sound import TYPES, recordings
from gammacp.studio.uploads import Intake, UploadLimits
from gammacp.studio.work import BackgroundComputation, Now, Review

_HOST = "127.0.0.1"
# first port that is never assigned (RFC 6335)
_FIRST_PORT = 49152
_PORTS = 16384
_EXAMPLE = "alex-paul-suzan"
_LARGEST_BODY = 1 << 20
_POLICY = (
    "; connect-src 'self'; media-src 'self'; img-src blob: data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
_LONGEST_NUMBER = 18  # digits, which SQLite can compare
# A handler that is not a coroutine runs in a thread.
Handler = Callable[["Studio", Request], Awaitable[Response] | Response]


class Studio:
    """State of the studio: the folder of a campaign, its computation and its journal."""

    def __init__(
        self, folder: Path, options: GammaOptions, scratch: Path, limits: UploadLimits | None = None
    ) -> None:
        """Set up the studio of a folder; no computation is started.

        Parameters
        ----------
        folder
            Folder of the exports, which also receives dropped files.
        options
            Options of γ.
        scratch
            An empty folder that only its owner can read.
        limits
            Limits of uploads.
        """
        self.folder = folder
        self.options = options
        self.shown = folder
        """Folder that is computed and reviewed: that of the campaign, or one with the example."""
        self.intake = Intake(folder, limits or UploadLimits())
        self.work = BackgroundComputation(scratch)
        self.journal = Journal(folder)
        self.chosen: Choice | None = None
        self.problem: str | None = None
        self.key = secrets.token_urlsafe(32)
        """Key that signs answers; pages contain it, requests do not."""

    def begin(self) -> None:
        """Prepare the worker, and start the computation unless the folder is empty."""
        self.work.prepare()
        self.take_up_choice()
        if any(self.folder.iterdir()):
            self.start()

    def read(self) -> None:
        """Show and compute the folder of the campaign."""
        self._show(self.folder)
        self.start()

    def show_example(self) -> None:
        """Show the example that ships with gammacp; the folder of the campaign is not changed."""
        example = Path(mkdtemp(prefix="example-"))
        (example / f"{_EXAMPLE}.csv").write_text(datasets.text_of(_EXAMPLE), encoding="utf-8")
        self._show(example)
        self.start()

    def leave_example(self) -> None:
        """Leave the example and show the folder of the campaign again."""
        if any(self.folder.iterdir()):
            self.read()
        else:
            self._show(self.folder)
            self.work.forget()

    def take_up_choice(self) -> None:
        """Restore the choices stored for the folder shown."""
        self.chosen = self.problem = None
        try:
            choices = self.journal.choice()
            if choices:
                self.chosen = parse(Choice, choices)
            else:
                self.chosen = None
        except DataError as error:
            self.problem = (
                "The choices saved for this folder cannot be used. A campaign.toml in the folder "
                f"decides, or everything is measured. {error}"
            )

    def _show(self, folder: Path) -> None:
        """Switch to a folder and its own journal."""
        if folder != self.shown:
            self.journal.close()
            self.shown, self.journal = folder, Journal(folder)
            self.take_up_choice()

    @property
    def identity(self) -> str:
        """Return an identifier of the folder that survives restarts and hides the path."""
        return sha256(os.fsencode(self.folder)).hexdigest()

    @property
    def choice(self) -> Choice:
        """Return the choices made on the page, otherwise those of the current campaign.toml."""
        if self.chosen is not None:
            return self.chosen
        with suppress(DataError):  # reading the folder reports the error
            return Choice.of(campaign_in(self.shown))
        return Choice()

    def choose(self, choice: Choice) -> None:
        """Store a choice for the next start, and compute accordingly."""
        self.journal.keep_choice(choice.model_dump_json())
        self.chosen = choice
        self.problem = None
        self.start()

    def start(self) -> None:
        """Start the computation for the current choices."""
        self.work.start(self.shown, self.choice, self.options)

    def obey(self) -> None:
        """Apply the dropped campaign.toml in place of earlier choices."""
        self._show(self.folder)
        self.intake.keep_campaign()
        if self.chosen is not None:
            self.journal.keep_choice("")
            self.chosen = None
        self.start()

    def ignore(self) -> None:
        """Discard the dropped campaign.toml."""
        self.intake.campaign = None

    def now(self) -> Now:
        """Return the state of the computation; its version covers a dropped campaign.toml."""
        now = self.work.now()
        return replace(now, version=f"{now.version} {hash(self.intake.campaign)}")

    def gold(self, with_undecided: bool) -> Gold:
        """Return the gold standard from the standing decisions.

        `with_undecided` says whether to include units still to be reviewed.
        """
        standing = self.journal.standing()
        return gold(self.review.consensus, standing, with_undecided=with_undecided)

    def recordings(self) -> dict[str, Path]:
        """Return the recordings of the documents that can be reviewed."""
        consensus = self.review.consensus
        return recordings(self.shown, {name: c.continuum for name, c in consensus.items()})

    @property
    def review(self) -> Review:
        """Return the review of the finished report; raise a DataError before that.

        Raises
        ------
        DataError
            The computation has not finished.
        """
        finished = self.work.now().findings.review
        if finished is None:
            raise DataError("there is nothing to review yet", hint="Wait for the report")
        return finished


async def _answer_to_error(studio: Studio, request: Request, error: Exception) -> Response:
    """Answer an error with file, line and remedy, as a page for links and otherwise as JSON."""
    if isinstance(error, GammacpError):
        problem = str(error)
    else:
        problem = NOT_TEXT
    status = 422
    if isinstance(error, OSError):
        problem = in_words(error)
        status = 500
    problem = seen_from(studio.folder, problem)
    if "format" in request.path_params:
        return _page(pages.refusal(problem), "", status)
    return JSONResponse({"problem": _utf8(problem).decode()}, status)


async def _body(request: Request) -> bytes:
    """Receive the body of a request, up to the largest size that the page sends."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _LARGEST_BODY:
            raise DataError("more was sent than a page sends", hint="Load the page again")
    return body


def _utf8(text: str) -> bytes:
    """Encode as UTF-8; undecodable bytes of a file name become escapes."""
    return text.encode("utf-8", "backslashreplace")


def _page(html: str, script: str, status: int = 200) -> Response:
    headers = {"content-security-policy": policy(script) + _POLICY}
    return HTMLResponse(_utf8(html), status, headers=headers)


async def _home(studio: Studio, _request: Request) -> Response:
    script = pages.own("again.js") + pages.own("studio.js")
    body = (
        pages.key(studio.key),
        first_page.dropping(studio.folder.name, studio.intake.limits),
        first_page.live(
            studio.now(),
            studio.choice,
            studio.problem,
            studio.intake.campaign,
            is_example=studio.shown != studio.folder,
            standing=studio.journal.standing(),
        ),
    )
    return _page(pages.whole_page(f"Studio: {studio.folder.name}", "", body, script), script)


async def _state(studio: Studio, _request: Request) -> Response:
    now = studio.now()
    progress = {"state": now.state, "stage": now.findings.stage, "version": now.version}
    return JSONResponse({**progress, "folder": studio.identity})


async def _receive(studio: Studio, request: Request) -> Response:
    return JSONResponse({"files": await studio.intake.receive_all(request.stream())})


async def _choose(studio: Studio, request: Request) -> Response:
    await run_in_threadpool(studio.choose, parse(Choice, await _body(request)))
    return JSONResponse({})


def _run(studio: Studio, request: Request) -> Response:
    doing = {
        "start": studio.start,
        "read": studio.read,
        "example": studio.show_example,
        "leave": studio.leave_example,
        "pause": studio.work.pause,
        "resume": studio.work.resume,
        "cancel": studio.work.cancel,
        "obey": studio.obey,
        "ignore": studio.ignore,
    }
    do = request.path_params["do"]
    if do not in doing:
        raise DataError(f"{do!r} is not an action")
    doing[do]()
    return JSONResponse({})


async def _report(studio: Studio, request: Request) -> Response:
    now = studio.work.now()
    page = now.findings.page
    if page is None:
        return _page(pages.waiting("report", "Report", now), "")
    if "file" in request.query_params:
        return _download(_utf8(page), "report.html")
    return _page(pages.report_page(page), view_script())


def _review(studio: Studio, _request: Request) -> Response:
    now = studio.work.now()
    review = now.findings.review
    if review is None:
        return _page(pages.waiting("review", "Review", now), "")
    script = Markup(view_script() + pages.own("again.js") + pages.own("review.js"))
    return _page(review_page.reviewing(review, script, studio.recordings(), studio.key), script)


def _sound(studio: Studio, request: Request) -> Response:
    name = request.query_params.get("document", "")
    recordings_by_document = studio.recordings()
    if name not in recordings_by_document:
        raise DataError(f"there is no recording of {name[:200]!r}")
    return FileResponse(
        recordings_by_document[name], media_type=TYPES[recordings_by_document[name].suffix.lower()]
    )


def _image(studio: Studio, request: Request) -> Response:
    name = request.query_params.get("document", "")
    continua = {n: c.continuum for n, c in studio.review.consensus.items() if n == name}
    lying = images_of(continua, studio.shown)
    if name not in lying:
        raise DataError(f"there is no image of {name[:200]!r}")
    with confine(studio.shown, always=True):
        return Response(small_jpeg(lying[name])[0], media_type="image/jpeg")


def _decisions(studio: Studio, request: Request) -> Response:
    after = request.query_params.get("after", "0")
    if not (after.isascii() and after.isdecimal() and len(after) <= _LONGEST_NUMBER):
        raise DataError(f"after={after[:40]!r} is not the number of a decision")
    return JSONResponse({"decisions": [asdict(row) for row in studio.journal.rows(int(after))]})


async def _decide(studio: Studio, request: Request) -> Response:
    decision_request = parse(DecisionRequest, await _body(request))
    if decision_request.action == "undo":
        row = await run_in_threadpool(
            studio.journal.undo, decision_request.request, decision_request.reviewer
        )
    elif decision_request.items:
        decisions, tied = decisions_of(studio.review.consensus, decision_request)
        rows = await run_in_threadpool(studio.journal.add_all, decisions)
        return JSONResponse({"decisions": len(rows), "tied": tied})
    else:
        decision = decision_of(studio.review.consensus, decision_request)
        row = await run_in_threadpool(studio.journal.add, decision)
    return JSONResponse({"decision": asdict(row)})


def _export(studio: Studio, request: Request) -> Response:
    all_of_it = "decided" not in request.query_params
    now = studio.work.now()
    findings = now.findings
    if findings.understood:
        documents = findings.understood.documents
    else:
        documents = ()
    formats = dict.fromkeys(str(document["format"]) for document in documents)
    bounded = studio.choice.bounds is not None or any(
        FORMATS[name].keeps.bounds for name in formats
    )
    settings: dict[str, Any] = {"with_undecided": all_of_it, "came_as": formats, "bounded": bounded}
    if findings.review:
        gold = export_page.gold_standard(studio.gold(all_of_it), **settings)
    else:
        gold = None
    return _page(export_page.exporting(gold, now), "")


def _gold(studio: Studio, request: Request) -> Response:
    gold = studio.gold("decided" not in request.query_params)
    chosen = request.path_params["format"]
    if chosen == "xlsx":
        return _download(workbook(gold.continua), f"{GOLD}.xlsx")
    file, content = gold_file(gold.continua, chosen)
    return _download(content, file)


def _journal(studio: Studio, request: Request) -> Response:
    name = f"journal.{request.path_params['ending']}"
    rows = studio.journal.rows()
    return _download(content_of_file(name, lambda path: write_journal(path, rows)), name)


def _download(content: bytes, name: str) -> Response:
    disposition = f'attachment; filename="{name}"'
    return Response(
        content, media_type="application/octet-stream", headers={"content-disposition": disposition}
    )


_ROUTES: tuple[tuple[str, str, Handler], ...] = (
    ("GET", "/", _home),
    ("GET", "/state", _state),
    ("GET", "/report", _report),
    ("GET", "/review", _review),
    ("GET", "/sound", _sound),
    ("GET", "/image", _image),
    ("GET", "/decisions", _decisions),
    ("GET", "/export", _export),
    ("GET", "/gold/{format}", _gold),
    ("GET", "/journal.{ending}", _journal),
    ("POST", "/decisions", _decide),
    ("POST", "/files", _receive),
    ("POST", "/choice", _choose),
    ("POST", "/run/{do}", _run),
)


def application(studio: Studio, token: str, hosts: tuple[str, ...]) -> ASGIApp:
    """Return the studio behind its guard.

    Parameters
    ----------
    studio
        The studio.
    token
        First part of every address.
    hosts
        Accepted values of the Host header.
    """
    routes = [Route(path, partial(h, studio), methods=[method]) for method, path, h in _ROUTES]
    handlers = dict.fromkeys(
        (GammacpError, UnicodeError, OSError), partial(_answer_to_error, studio)
    )
    answering = Starlette(routes=routes, exception_handlers=handlers)
    return Guard(Signed(answering, studio.key), token, hosts)


def serve(
    folder: Path,
    options: GammaOptions,
    *,
    port: int = 0,
    tell: Callable[[str], None],
    warn: Callable[[str], None] = lambda _: None,
    open_page: Callable[[str], object] | None = None,
) -> None:
    """Run the studio until Ctrl-C.

    Parameters
    ----------
    folder
        Folder of the campaign, which is created if missing.
    options
        Options of γ.
    port
        Port of the server. 0 chooses a port derived from the folder, so that the browser finds the
        data it stored for the page, or any free one if that is taken.
    tell
        Called with the address.
    warn
        Called with the warning of the page about damaged files in the folder.
    open_page
        Function that opens a file in a browser. The file redirects to the address, so that the
        address does not appear on a command line that other users could see.

    Raises
    ------
    DataError
        `folder` is a file, or cannot be made.
    GammacpError
        The port is taken.
    """
    folder = folder.resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"the folder cannot be made: {error.strerror}",
            file=folder,
            hint="Give a folder; a single file can be dropped on the page",
        ) from None
    listening = _listen(folder, port)
    token = secrets.token_urlsafe(24)
    number = listening.getsockname()[1]
    address = f"http://{_HOST}:{number}/{token}/"
    hosts = (f"{_HOST}:{number}", f"localhost:{number}")
    with scratch() as temporary:
        mailboxes = temporary / "work"
        mailboxes.mkdir()
        studio = Studio(folder, options, mailboxes)
        studio.begin()
        tell(address)
        if studio.problem is not None:
            warn(studio.problem)
        if open_page is not None:
            leading = temporary / "open.html"
            leading.write_text(f'<meta http-equiv="refresh" content="0; url={address}">')
            open_page(leading.as_uri())
        try:
            with suppress(KeyboardInterrupt):
                Server(application(studio, token, hosts)).run(sockets=[listening])
        finally:
            studio.work.close()
            studio.journal.close()


def _listen(folder: Path, port: int) -> socket.socket:
    """Return a listening socket on a port; 0 means that of the folder, or any if it is taken."""
    folder_port = _FIRST_PORT + int(sha256(os.fsencode(folder)).hexdigest(), 16) % _PORTS
    for number in (port,) if port else (folder_port, 0):
        listening = socket.socket()
        # Allow a port to be used again right after it was closed.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((_HOST, number))
            # Clients may connect before the server starts; they wait in the queue.
            listening.listen()
        except OSError as error:
            listening.close()
            problem = GammacpError(f"port {number} cannot be used: {error.strerror}")
        else:
            return listening
    raise problem
