"""The computation behind the page, in a worker process that reports progress and can be paused.

Worker and server communicate through a folder that only its owner can read. The worker replaces a
file with its progress, and the server creates a file that makes the worker pause. Files are always
complete, even if one of the two processes is killed.
"""

import pickle
import time
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from typing import Any

from gammacp.base.files import atomic_write, confine, in_words
from gammacp.campaign.consensus import Consensus
from gammacp.campaign.verdict import verdict
from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.errors import GammacpError
from gammacp.measures.agreement import Agreement
from gammacp.measures.settings import GammaOptions
from gammacp.pools import Processes, WorkerDied, memory_of_machine
from gammacp.report import Report, report
from gammacp.report.images import grounds
from gammacp.report.markup import Markup, join
from gammacp.report.page import gamma_on_scale, headline, missing, scale_bars, section
from gammacp.report.planes import planes
from gammacp.report.values import values_section
from gammacp.report.viewer import alignment_document
from gammacp.studio.choice import Choice
from gammacp.studio.places import seen_from
from gammacp.studio.questions import Question, questions_of
from gammacp.studio.understanding import Understood, understand

_EVERY = 0.1  # seconds between two progress reports
_POLL = 0.05
_LEAST_MEMORY = 3 << 30  # bytes; code and libraries take half a gigabyte
# names of files in a mailbox
_LETTER = "findings"
_PAUSE = "pause"
_UNDERWAY = "Who differs and how, what to review, and the report follow in a moment."
_STARTING = "getting ready (the first time, code is compiled: up to 10 s of processor time)"


@dataclass(frozen=True, kw_only=True)
class Review:
    """Parts of a report that the review needs.

    Attributes
    ----------
    consensus
        Consensus by document.
    documents
        Data of the alignment view (`alignment_document`) of documents with items to review.
    drawn
        Drawings of the shapes of all annotators, of documents with shapes.
    questions
        Groups of units that one decision settles, by decreasing share of the disorder.
    """

    consensus: Mapping[str, Consensus]
    documents: Mapping[str, dict[str, Any]]
    drawn: Markup | None = None
    questions: tuple[Question, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Findings:
    """Progress and results of a computation.

    Attributes
    ----------
    stage
        Current stage; "" when the computation is done.
    understood
        Result of reading; None before.
    headline
        γ of all annotators, as HTML; None before.
    problem
        Reason why the computation failed; None if it did not.
    page, review
        The report, and the parts that the review needs; None before the end.
    """

    stage: str = ""
    understood: Understood | None = None
    headline: Markup | None = None
    problem: str | None = None
    page: str | None = None
    review: Review | None = None


class _Post:
    """The worker's side: it reports progress, and waits while paused."""

    def __init__(self, mailbox: Path) -> None:
        self.mailbox = mailbox
        self.found = Findings()
        self.told = 0.0

    def tell(self, stage: str) -> None:
        """Report the next stage, unless the last report was a moment ago; pause while asked to."""
        now = time.monotonic()
        if now - self.told >= _EVERY:
            self.send(stage=stage)
        while (self.mailbox / _PAUSE).exists():
            time.sleep(_POLL)

    def send(self, **found: Any) -> None:
        """Send new findings to the server."""
        self.told = time.monotonic()
        self.found = replace(self.found, **found)
        with atomic_write(self.mailbox / _LETTER) as temporary:
            temporary.write_bytes(pickle.dumps(self.found))

    def first(self, agreement: Agreement) -> None:
        """Send γ and the verdict as soon as they are known, before the report."""
        # The rest of the verdict needs the comparison, which is one of the slow parts.
        sentences = [verdict(agreement).in_words()[0], _UNDERWAY]
        understood = self.found.understood
        if understood and understood.incomplete:
            incomplete = [understood.incomplete]
        else:
            incomplete = []
        intervals = scale_bars(agreement.score, None)
        shown = gamma_on_scale(agreement.score, sentences, intervals)
        self.send(headline=join(missing(incomplete), shown))


def compute(folder: Path, choice: Choice, options: GammaOptions, mailbox: Path) -> Findings:
    """Read the folder, measure, and make the report and the review, in a worker process.

    No file outside the folder is read.

    Parameters
    ----------
    folder, choice, options
        Folder to read, choices made on the page, and options of γ.
    mailbox
        Folder that receives the reports of progress.
    """
    post = _Post(mailbox)
    try:
        with confine(folder, always=True):
            return _compute(folder, choice, options, post)
    except GammacpError as error:
        problem = str(error)
    except OSError as error:
        problem = in_words(error)
    except MemoryError:
        problem = _too_large()
    return replace(post.found, stage="", problem=seen_from(folder, problem))


def _compute(folder: Path, choice: Choice, options: GammaOptions, post: _Post) -> Findings:
    post.send(stage="reading")
    options = options.copy()
    understood, chosen, options["dissimilarity"] = understand(
        folder, choice, options.get("dissimilarity"), options.get("chance")
    )
    post.send(stage="measuring", understood=understood)
    asks = understood.joinings and all(c.n_annotators == 1 for c in chosen.values())
    if not chosen or asks:  # the user has to answer the question of the page first
        return replace(post.found, stage="")
    built = report(
        Corpus.from_continua(chosen, left_out=understood.left_out),
        title=f"Agreement in {folder.name}",
        reference=choice.reference or None,
        calibrate=choice.calibrate,
        measures=choice.measures,
        progress=post.tell,
        first=post.first,
        failures=tuple(filter(None, [understood.incomplete])),
        left_out=understood.left_out,
        images=[folder],
        **options,
    )
    post.send(stage="writing the report")
    values = None
    if built.contents.values:
        values = section("values", "Values to report", values_section(built.contents.values))
    return replace(
        post.found,
        stage="",
        headline=join(headline(built.contents), values),
        page=built.html,
        review=_review(built, folder),
    )


def _too_large() -> str:
    return (
        f"This needs more memory than the {_memory() >> 20} MB that a computation of the studio "
        "may take. Put fewer or smaller files into the folder, or use `gammacp report`"
    )


def _memory() -> int:
    """Return the memory limit of the worker in bytes, which protects the rest of the machine."""
    return max(memory_of_machine() * 3 // 4, _LEAST_MEMORY)


def _review(built: Report, folder: Path) -> Review | None:
    gold = built.contents.gold
    if gold is None:
        return None
    doubtful = {n: gold.alignments[n] for n, c in gold.documents.items() if c.review}
    under = grounds({n: a.continuum for n, a in doubtful.items()}, [folder], linked=True)
    return Review(
        consensus=dict(gold.documents),
        documents={
            n: alignment_document(gold.alignments[n], n)
            for n, c in gold.documents.items()
            if c.review or any(x.reasons for x in c.links)
        },
        drawn=planes(doubtful, under),
        questions=questions_of(built.contents.comparison.kinds, gold.documents),
    )


@dataclass(frozen=True)
class Now:
    """The state of the latest computation: `idle`, `running`, `paused`, `cancelled` or `done`.

    `version` changes whenever there is something new to show.
    """

    state: str
    findings: Findings
    version: str


class BackgroundComputation:
    """The server's side: one computation at a time, in a worker process that is used again."""

    def __init__(self, mailboxes: Path) -> None:
        """Set up the worker pool; `mailboxes` is a folder that only its owner can read."""
        self._pool = Processes(1, memory=_memory())
        self._mailboxes = mailboxes
        self._mailbox = mailboxes
        self._running: Future[Findings] | None = None
        self._number = 0

    def prepare(self) -> None:
        """Start the worker in advance."""
        self._pool.submit(_ready)

    def start(self, folder: Path, choice: Choice, options: GammaOptions) -> None:
        """Start a computation; cancel the running one and remove earlier results."""
        self.cancel()
        for old in self._mailboxes.iterdir():
            rmtree(old, ignore_errors=True)
        self._number += 1
        self._mailbox = self._mailboxes / str(self._number)
        self._mailbox.mkdir()
        self._running = self._pool.submit(compute, folder, choice, options, self._mailbox)

    def cancel(self) -> None:
        """Stop the computation at once and keep its results so far."""
        if self._running is not None:
            self._running.cancel()

    def forget(self) -> None:
        """Cancel the computation and forget its results."""
        self.cancel()
        self._running = None

    def pause(self) -> None:
        """Pause the computation at its next step."""
        (self._mailbox / _PAUSE).touch()

    def resume(self) -> None:
        """Continue a paused computation."""
        (self._mailbox / _PAUSE).unlink(missing_ok=True)

    def now(self) -> Now:
        """Return the state of the computation and its results so far."""
        running = self._running
        if running is None:
            return Now("idle", Findings(), f"{self._number}")
        problem = None
        if running.cancelled():
            state = "cancelled"
            findings = self._letter()
        elif running.done():
            error = running.exception()
            state = "done"
            if error is None:
                problem = None
            else:
                problem = str(error)
            if isinstance(error, WorkerDied):
                problem = f"{problem}. If it is memory: {_too_large()}"
            if error:
                findings = self._letter()
            else:
                findings = running.result()
        else:
            if (self._mailbox / _PAUSE).exists():
                state = "paused"
            else:
                state = "running"
            findings = self._letter()
        findings = replace(findings, problem=problem or findings.problem)
        progress = (
            findings.understood is not None,
            findings.headline is not None,
            findings.page is not None,
        )
        return Now(state, findings, f"{self._number} {state} {progress} {findings.problem}")

    def _letter(self) -> Findings:
        findings = Findings(stage=_STARTING)
        with suppress(FileNotFoundError):
            findings = pickle.loads((self._mailbox / _LETTER).read_bytes())
        return findings

    def close(self) -> None:
        """Stop the worker."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _ready() -> None:
    """Import and compile in a worker all that computations need."""
    rows = [(a, i, "x" if i % 3 else "y") for a in "ABC" for i in range(4)]
    small = Continuum.from_units(Unit(a, 9 * i, 9 * i + 5 + len(c), c) for a, i, c in rows)
    report({"one": small, "two": small}, samples=5, draws=2)
