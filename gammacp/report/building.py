"""Computation of everything that a report shows."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from html import escape
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, Unpack

from gammacp.base.files import write_text
from gammacp.base.left_out import LeftOut, gather
from gammacp.campaign.calibrate import Calibration
from gammacp.campaign.calibrate import calibrate as calibrated
from gammacp.campaign.compare import Comparison, compare
from gammacp.campaign.compare.sessions import first_sessions
from gammacp.campaign.consensus import CorpusConsensus, consensus_of_each
from gammacp.campaign.replace import Candidacy, replace
from gammacp.continuum import Continuum, Corpus
from gammacp.errors import DataError
from gammacp.measures.agreement import Agreement
from gammacp.measures.corpora.score import CorpusScore
from gammacp.measures.random_sets import Continua, named_continua
from gammacp.measures.registry import MEASURES, expand_names
from gammacp.measures.settings import GammaOptions, Settings, spelled_out
from gammacp.report.images import Grounds, grounds
from gammacp.report.page import Contents, page
from gammacp.report.page_tables import VIEWED
from gammacp.report.values import corpus_values


@dataclass(frozen=True)
class Report:
    """A self-contained HTML page, which notebooks show in a frame."""

    contents: Contents

    @property
    def html(self) -> str:
        """Return the page as HTML."""
        return page(self.contents)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file. An interrupted write leaves no partial file.

        Parameters
        ----------
        path
            The file, usually `.html`.
        """
        write_text(path, self.html)

    def _repr_html_(self) -> str:
        return frame(self.html, 900)


def frame(html: str, height: int) -> str:
    """Return an iframe with a whole page, isolated from the styles and scripts of the outer page.

    The frame gets the height of the page `html` once it is loaded; `height` applies where scripts
    are not allowed.
    """
    fit = "this.style.height = this.contentDocument.body.scrollHeight + 'px'"
    return (
        f'<iframe srcdoc="{escape(html)}" style="width:100%;height:{height}px;border:0" '
        f'onload="{fit}" title="gammacp report"></iframe>'
    )


@spelled_out
def report(
    continua: Continua,
    *,
    title: str = "",
    measures: Collection[str] = (),
    reference: str | None = None,
    against: Mapping[str, Continuum] | None = None,
    calibrate: bool = False,
    groups: Collection[str] = (),
    teams: Mapping[str, str] | None = None,
    session: str | None = None,
    in_order: bool = False,
    deciding: Mapping[str, Any] = MappingProxyType({}),
    draws: int = 2000,
    leave_one_out: bool = True,
    executor: Executor | None = None,
    progress: Callable[[str], None] | None = None,
    first: Callable[[Agreement], None] | None = None,
    failures: tuple[str, ...] = (),
    left_out: tuple[LeftOut, ...] = (),
    images: Iterable[str | os.PathLike[str]] = (),
    **options: Unpack[GammaOptions],
) -> Report:
    """Compute a report on some continua.

    Parameters
    ----------
    continua
        A continuum, a corpus, or continua by name.
    title
        Heading; by default the names of the documents.
    measures
        Further measures to show beside γ, with intervals over documents.
    reference
        An annotator to compare with the others.
    against
        Continua of another round. The page shows the difference, with interval and test.
    calibrate
        Whether to show which amounts of errors would give this γ (takes up to a minute for
        3 × 100 units).
    session
        Pattern of annotator names, if people annotated twice. The report then uses their first
        sessions, and has a section on the others.
    groups, teams, in_order, draws, leave_one_out, executor, progress, first
        As for `gammacp.campaign.compare.compare`.
    deciding
        Options of `gammacp.campaign.consensus.consensus_of_each`, such as `weights`, `support` and
        `boundaries`, for the gold standard behind the review list.
    failures
        Sentences on files that could not be read, shown on the page.
    left_out
        Content that readers skipped, shown on the page; by default that recorded in the continua.
    images
        Paths to search for images under the drawings of shapes, which are named like the
        documents: folders with their subfolders, and the folders of files without them.
    options
        Options of `GammaOptions`.
    """
    settings = Settings.of(**options)
    # Looked up here, so that an unknown name fails before anything is computed.
    measures = [MEASURES[name].name for name in expand_names(measures)]
    continua_by_name = {name or "continuum": c for name, c in named_continua(continua).items()}
    comparison = compare(
        continua_by_name,
        reference=reference,
        against=against,
        draws=draws,
        groups=groups,
        teams=teams,
        session=session,
        in_order=in_order,
        leave_one_out=leave_one_out,
        explain=True,
        executor=executor,
        progress=progress,
        first=first,
        **options,
    )
    continua_by_name = dict(first_sessions(continua_by_name, session))
    parts = _Parts(
        continua_by_name, comparison, settings, options, executor, progress or (lambda _: None)
    )
    # Each part tells the progress, so that their order here is the order on the screen.
    gold = parts.gold(deciding)
    calibration = parts.calibration() if calibrate else None
    candidacy = None if reference is None else parts.candidacy(reference)
    values = parts.values(measures, reference)
    return Report(
        Contents(
            title=title or _title(continua_by_name),
            comparison=comparison,
            gold=gold,
            values=values,
            calibration=calibration,
            candidacy=candidacy,
            failures=failures,
            left_out=left_out or gather(c.left_out for c in continua_by_name.values()),
            images=parts.images(images),
        )
    )


def _title(named: Mapping[str, Continuum]) -> str:
    names = [Path(n).name for n in named]
    if len(names) > 3:
        return f"Agreement on {len(names)} documents"
    return f"Agreement on {', '.join(names)}"


@dataclass(frozen=True)
class _Parts:
    """Parts of a report that follow the comparison; each tells the progress when it begins."""

    continua: Mapping[str, Continuum]
    comparison: Comparison
    settings: Settings
    options: GammaOptions
    executor: Executor | None
    tell: Callable[[str], None]

    @property
    def chosen(self) -> dict[str, Any]:
        """Return the options that have a value."""
        return {name: value for name, value in self.options.items() if value is not None}

    def gold(self, deciding: Mapping[str, Any]) -> CorpusConsensus:
        """Return the gold standard, decided by options of `consensus_of_each`."""
        self.tell("consensus")
        if self.chosen.keys() & {"dissimilarity", "alpha", "beta", "delta"}:
            dissimilarity = self.settings.dissimilarity
        else:
            dissimilarity = None
        return consensus_of_each(
            Corpus.from_continua(self.continua),
            dissimilarity=dissimilarity,
            method=self.settings.method,
            gap=self.settings.gap,
            time_limit=self.settings.time_limit,
            seed=self.settings.seed,
            executor=self.executor,
            **deciding,
        )

    def calibration(self) -> Calibration | None:
        """Return which errors would give γ of all annotators, under the same chance model."""
        overall = self.comparison.overall
        if not overall.score.defined:
            return None
        self.tell("what this γ means")
        chosen: GammaOptions = {**self.options, "chance": overall.chance}
        documents = {n: s.alignment.continuum for n, s in overall.computed.items()}
        return calibrated(documents, score=overall.score, executor=self.executor, **chosen)

    def candidacy(self, reference: str) -> Candidacy | None:
        """Return whether the reference can replace a person; None with fewer than two people."""
        self.tell("whether the reference may stand in for a person")
        settings = self.settings
        try:
            result = replace(
                self.continua,
                [reference],
                dissimilarity=settings.dissimilarity,
                executor=self.executor,
                seed=settings.seed,
                method=settings.method,
                gap=settings.gap or None,
                time_limit=settings.time_limit,
            )
        except DataError:
            return None
        return result.candidates[0]

    def images(self, paths: Iterable[str | os.PathLike[str]]) -> Grounds:
        """Return the images under the drawings, found below these paths."""
        viewed = islice(self.comparison.overall.computed.items(), VIEWED)
        continua = {name: score.alignment.continuum for name, score in viewed}
        return grounds(continua, map(Path, paths))

    def values(self, measures: Collection[str], reference: str | None) -> dict[str, CorpusScore]:
        """Return the values of the corpus by measure."""
        self.tell("values of the corpus")
        return corpus_values(
            self.continua,
            self.comparison,
            measures,
            reference=reference,
            executor=self.executor,
            options=self.chosen,
        )
