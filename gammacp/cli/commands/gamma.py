"""`gammacp gamma`: γ of each continuum and, for several, of the corpus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gammacp.base.failures import documents_missing
from gammacp.base.text import in_short
from gammacp.cli.interrupting import end_if_interrupted
from gammacp.cli.options.groups import option
from gammacp.cli.options.loading import Loaded, load, teams_of
from gammacp.cli.options.reading import TEAM, Files, Reading, Sampled
from gammacp.cli.options.settings import (
    ComputingFlags,
    Constraining,
    GammaFlags,
    Thresholds,
    wants_interval,
)
from gammacp.cli.output import AsJson, message, messages, print_json, say, show, tell_signatures
from gammacp.errors import DataError, UsageError

if TYPE_CHECKING:
    from threading import Event

    from gammacp.base.record_tables import Table
    from gammacp.inference.resampling import BootstrapInterval
    from gammacp.measures.agreement import Agreement
    from gammacp.measures.explaining.explanation import Explanation, FurtherExplanation
    from gammacp.measures.random_sets import Continua
    from gammacp.measures.settings import GammaOptions, Memory


def gamma(
    reading: Reading,
    settings: GammaFlags,
    sampled: Sampled,
    computing: ComputingFlags,
    thresholds: Thresholds,
    constraining: Constraining,
    files: Files = None,
    alignment: bool = option("Also print the best alignment of each file.", default=False),
    explain: bool = option(
        "Take γ apart: what positions, categories and missing units cost, and who bears it.",
        default=False,
    ),
    interval: bool = option(
        "Add an interval over documents, or over the parts of a long text.", default=False
    ),
    bootstrap: int | None = option("The old name of --interval.", min=0, hidden=True),
    team: Path | None = TEAM,
    certificate: Path | None = option(
        "Write a proof of γ into this new folder, for gammacp verify: the certificates of all "
        "alignments, and gamma.proof.json, which adds them up.",
        "FOLDER",
    ),
    certificate_sets: int | None = option(
        "Write certificates of the first N random sets alone, and no proof of γ.", min=0
    ),
    json: AsJson = False,
) -> None:
    """Agreement γ of each file and, for several, of the corpus.

    Ctrl-C stops with what is known so far: γ from the random sets that are done, or the observed
    disorder alone.

    Example: gammacp gamma interview.eaf --explain

    Most used: --only, --explain and --json.
    """
    interval = wants_interval(interval, bootstrap)
    thresholds.require_interval(interval)
    options: GammaOptions = {**settings.options(), **constraining.options()}  # type: ignore[typeddict-item]
    _check_certificates(certificate, certificate_sets)
    loaded = load(
        files,
        reading,
        settings.weighing.features,
        about=sampled.values(),
        by_default_chance="chance" not in options,
    )
    measured = _measure(
        loaded,
        options,
        computing,
        teams=teams_of(team, loaded.continua),
        interval=interval,
        confidence=settings.sampling.confidence,
        explain=explain,
        certificate=certificate,
        certificate_sets=certificate_sets,
    )
    if json:
        _print_json(measured, loaded)
    elif measured.overall.computed:
        _print(measured, options, _missing(loaded), alignment=alignment)
    for sentence in measured.proven:
        message(sentence)
    end_if_interrupted(measured.interrupted, _how_far(measured.overall))
    if not measured.overall.computed:
        raise DataError(f"no continuum has a γ: {in_short(measured.overall.reasons)}")
    settings.solving.check_proven(measured.overall.score.status)
    thresholds.check_gamma(measured.overall, measured.over, loaded.files)


@dataclass(frozen=True)
class _Measured:
    """γ of the files, and what the options add to it.

    Attributes
    ----------
    overall
        γ of each file, and of the corpus.
    over
        Interval over documents; None without `--interval`.
    apart
        Explanation of γ.
    proven
        Sentences on the certificates that were written.
    interrupted
        Set if Ctrl-C ended the computation.
    """

    overall: Agreement
    over: BootstrapInterval | None
    apart: _TakenApart
    proven: Sequence[str]
    interrupted: Event

    @property
    def answers(self) -> dict[str, Any]:
        """Return the answers on how sure γ is, by name."""
        from gammacp.measures.agreement import ANSWERS

        return {name: answer(self.overall) for name, answer in ANSWERS.items()}


def _measure(
    loaded: Loaded,
    options: GammaOptions,
    computing: ComputingFlags,
    *,
    teams: Mapping[str, str] | None,
    interval: bool,
    confidence: float,
    explain: bool,
    certificate: Path | None,
    certificate_sets: int | None,
) -> _Measured:
    """Compute γ, explain it, and write certificates, as the options ask.

    Raises
    ------
    DataError
        There is a single continuum, which has no γ.
    """
    from gammacp.base.stopping import interruptible
    from gammacp.measures.agreement import agreement

    # Unreadable files count: one readable file among several is a corpus of one document.
    several = len(loaded.continua) > 1 or bool(loaded.failures)
    continua = loaded.corpus() if several else loaded.continua
    shared: Memory | None = {} if explain else None
    what = "documents or random sets" if several else "random annotation sets"
    with computing.pool(what) as (pool, progress_line), interruptible() as interrupted:
        overall = agreement(
            continua,
            bootstrap=int(interval),
            executor=pool,
            progress=progress_line,
            shared=shared,
            **options,
        ).with_over(confidence=confidence, with_parts=interval, teams=teams)
        apart = _TakenApart()
        if explain and overall.computed:
            apart = _take_apart(continua, shared, options)
        proven = _certify(
            certificate, certificate_sets, overall, continua, options, interrupted=interrupted
        )
    if not several and not overall.computed:
        raise DataError(str(overall.score.reason), file=loaded.only()[0])
    over = overall.bootstrap(confidence=confidence) if interval else None
    return _Measured(overall, over, apart, proven, interrupted)


@dataclass(frozen=True)
class _TakenApart:
    """Explanation of γ by parts; empty without `--explain`.

    Attributes
    ----------
    parts
        Costs of positions, categories and missing units.
    further
        Explanations of γ that subjects contribute, by name.
    refused
        Names of unavailable explanations, each with the reason.
    """

    parts: Explanation | None = None
    further: Mapping[str, FurtherExplanation] = field(default_factory=dict)
    refused: Sequence[tuple[str, str]] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the parts as `--json` has them."""
        document: dict[str, Any] = {}
        if self.parts is not None:
            document["explanation"] = self.parts.as_dict()
        document |= {name: each.as_dict() for name, each in self.further.items()}
        return document | {name: {"reason": reason} for name, reason in self.refused}

    def show(self) -> None:
        """Print the explanations, those of subjects last."""
        if self.parts is not None:
            from gammacp.measures.score_tables import explanation_tables

            _print_tables(explanation_tables(self.parts), self.parts.in_words())
        for part in self.further.values():
            _print_tables(part.tables(), part.in_words())
        messages((reason, name) for name, reason in self.refused)


def _take_apart(continua: Continua, shared: Memory | None, options: GammaOptions) -> _TakenApart:
    """Explain γ, from the alignments that it was computed from."""
    # Imported with its option: most runs print γ alone.
    from gammacp.measures.explaining.explanation import explanation_of, further_explanations

    parts = explanation_of(continua, shared=shared, **options)
    return _TakenApart(parts, *further_explanations(continua, shared=shared, **options))


def _print_json(measured: _Measured, loaded: Loaded) -> None:
    """Print γ, the answers on how sure it is, what it is made of and what was left out."""
    whole = {"results": measured.overall.results(), "corpus": measured.overall.corpus}
    whole |= {name: each and each.as_dict() for name, each in measured.answers.items()}
    print_json({**whole, **measured.apart.as_dict(), **loaded.json})


def _say_first_sentences(judged: Mapping[str, Any]) -> None:
    """Print the sentences of each answer that stand above the table."""
    for answer in judged.values():
        if not answer:
            continue
        for sentence in answer.headline():
            say(sentence)


def _print_tables(tables: Iterable[tuple[str, Table]], sentences: Iterable[str]) -> None:
    """Print tables under their titles, and sentences on stderr."""
    for title, table in tables:
        show(table, title=title)
    for sentence in sentences:
        message(sentence)


def _certify(
    folder: Path | None,
    sets: int | None,
    overall: Agreement,
    continua: Continua,
    options: GammaOptions,
    *,
    interrupted: Event,
) -> Sequence[str]:
    """Write the proof of γ, or certificates alone, and return sentences about them.

    Parameters
    ----------
    folder
        Folder to write into; None to write nothing.
    sets
        The number of random sets whose certificates are written, without a proof of γ.
    overall, continua, options
        The agreement, and the continua and options that it was computed from.
    interrupted
        Set if Ctrl-C ended the computation, in which case there is no proof.
    """
    if folder is None:
        return ()
    if sets is not None:
        return _write_certificates(folder, overall, continua, sets, options)
    if interrupted.is_set():
        return (f"gammacp: interrupted, so the proof {folder} is not written",)
    return _write_proof(folder, overall, continua, options)


def _check_certificates(folder: Path | None, sets: int | None) -> None:
    """Refuse invalid options for certificates before anything is computed."""
    if folder is None and not sets:
        return
    if folder is None:
        raise UsageError("--certificate-sets needs --certificate FOLDER, where the certificates go")
    from gammacp.measures.gamma_proof.writing import check_new_folder, check_writable

    if sets is None:
        check_new_folder(folder)
    else:
        check_writable(folder)


def _write_proof(
    folder: Path, overall: Agreement, continua: Continua, options: GammaOptions
) -> list[str]:
    """Write the proof of γ; return sentences on its place and on what it does not cover."""
    from gammacp.measures.gamma_proof.writing import InterruptedProofError, write_gamma_proof

    if not overall.score.defined:
        return [f"gammacp: γ is undefined, so the proof {folder} is not written"]
    try:
        proof = write_gamma_proof(overall, continua, folder, options)
    except InterruptedProofError:
        return [f"gammacp: interrupted, so the proof {folder} is not written"]
    lines = [f"proof of γ with {proof.certificates} certificates: gammacp verify {proof.path}"]
    if proof.without_proof:
        name, why = next(iter(proof.without_proof.items()))
        lines.append(
            f"gammacp: {len(proof.without_proof)} certificates have no proof of a bound, as verify "
            f"will say, such as {name}: {why}"
        )
    if abs(proof.value - overall.value) > 1e-9:
        lines.append(
            f"gammacp: the proof is of γ = {proof.value:.6g}: alignments found again at the limit "
            "are others"
        )
    return lines


def _write_certificates(
    folder: Path, overall: Agreement, continua: Continua, sets: int, options: GammaOptions
) -> list[str]:
    """Write certificates alone; return a sentence where Ctrl-C left some out."""
    from gammacp.alignment.certificate import write_certificate
    from gammacp.base.stopping import due
    from gammacp.formats.layout import file_name
    from gammacp.measures.gamma_proof.sets_to_certify import alignments_behind

    behind = alignments_behind(overall, continua, sets, options)
    stems = [Path(n).stem if Path(n).is_file() else n for n in behind]
    written: set[str] = set()
    for i, (stem, alignments) in enumerate(zip(stems, behind.values(), strict=True), 1):
        if stems.count(stem) == 1:
            document_stem = stem
        else:
            document_stem = f"{stem}-{i}"
        for kind, aligned in alignments.items():
            name = f"{file_name(document_stem, 'document')}{kind}.json"
            if name.casefold() in written:
                raise DataError(f"two certificates would get the name {name}", hint="Rename one")
            if due():
                return [f"gammacp: interrupted: {len(written)} certificates are in {folder}"]
            written.add(name.casefold())
            write_certificate(aligned, folder / name)
    return []


def _how_far(overall: Agreement) -> str:
    """Return a sentence on how far an interrupted run got."""
    whole = len(overall.rated)
    if not whole:
        return "no γ yet: too few random annotation sets are done"
    if len(overall.documents) == 1:
        return f"γ rests on the {overall.score.samples} random annotation sets done so far"
    return (
        f"{whole} of {len(overall.documents)} continua have a γ, from the random sets done so far"
    )


def _missing(loaded: Loaded) -> int:
    """Return a lower bound of the number of unreadable documents."""
    files = sum(not each.documents for each in loaded.failures)
    return len(documents_missing(loaded.failures)) + files


def _print(measured: _Measured, options: GammaOptions, unread: int, *, alignment: bool) -> None:
    """Print the first sentences, the tables and intervals, and the explanation."""
    overall = measured.overall
    if overall.score.defined:
        _say_first_sentences(measured.answers)
    _print_scores(overall, options, unread, alignment=alignment, over=measured.over)
    measured.apart.show()


def _print_scores(
    overall: Agreement,
    options: GammaOptions,
    unread: int,
    *,
    alignment: bool,
    over: BootstrapInterval | None,
) -> None:
    """Print the table, intervals, notes and what a methods section needs, in this order.

    An interval `over` documents is told once, in a sentence of its own.
    """
    from gammacp.measures.gamma_corpus import CorpusGamma
    from gammacp.measures.score_tables import gamma_table

    records = [*overall.results(marked=True)]
    corpus = overall.score
    n_documents = len(records)
    if isinstance(corpus, CorpusGamma):
        total = f"corpus ({corpus.continua} of {len(overall.documents) + unread} continua)"
        records.append({**corpus.as_dict(), "file": total})
        records.append({"file": "mean of the continua", "gamma": corpus.mean})
    show(gamma_table(records, total=len(records) - n_documents))
    if over is not None:
        message(over.in_words())
    if corpus.over is not None:
        message(corpus.over.in_words(documents=over is None))
    undefined = [r for r in records if r.get("reason")]
    messages((f"γ is undefined: {r['reason']}", r["file"]) for r in undefined)
    messages((note, r["file"]) for r in records for note in r.get("notes", ()))
    if isinstance(corpus, CorpusGamma) and (words := corpus.in_words()):
        message(f"\nFor the methods section: {' '.join(words)}")
    if alignment:
        from gammacp.cli.alignment_table import print_alignment, tell_open

        for name, score in overall.computed.items():
            print_alignment(score.alignment, title=name if len(overall.documents) > 1 else "")
        tell_open(
            {name: score.alignment for name, score in overall.computed.items()},
            len(overall.computed),
        )
    tell_signatures(overall.score.signature, seed=options["seed"])
