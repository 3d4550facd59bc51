"""`gammacp gamma`: γ of each continuum and, for several, of the corpus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from gammacp.cli.alignment_table import print_alignment
from gammacp.cli.counting import Counter, counting
from gammacp.cli.options.groups import flatten
from gammacp.cli.options.reading import Files, Loaded, Reading, load, placed
from gammacp.cli.options.settings import (
    FailUnder,
    Sampling,
    Solving,
    Weighing,
    check_threshold,
    gamma_options,
)
from gammacp.cli.output import (
    AsJson,
    end_if_interrupted,
    message,
    number,
    print_json,
    print_table,
)

if TYPE_CHECKING:
    from gammacp.measures.gamma import GammaScore
    from gammacp.measures.gamma_corpus import CorpusGamma
    from gammacp.measures.gamma_run import GammaOptions
    from gammacp.measures.score import Score

    S = TypeVar("S", bound=Score)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("gamma")(flatten(gamma))


def gamma(
    reading: Reading,
    weighing: Weighing,
    sampling: Sampling,
    solving: Solving,
    files: Files = None,
    alignment: Annotated[
        bool, typer.Option("--alignment", help="Print the best alignment of each continuum too.")
    ] = False,
    bootstrap: Annotated[
        int,
        typer.Option(
            help="Draws of a bootstrap interval, over unitary alignments and, for the corpus, "
            "over documents; 0 for none.",
            min=0,
        ),
    ] = 0,
    fail_under: FailUnder = None,
    json: AsJson = False,
) -> None:
    """γ of each continuum and, for several, of the corpus.

    Ctrl-C ends it with what is known so far: γ from the random sets that are done, or the
    observed disorder alone.
    """
    from gammacp.stopping import interruptible

    options = gamma_options(weighing, sampling, solving)
    loaded = load(files, reading)
    with counting("random annotation sets") as progress, interruptible() as interrupted:
        scores, corpus = _scores(loaded, options, progress)
    if bootstrap:
        scores, corpus = _bootstrapped(scores, corpus, bootstrap, sampling)
    if json:
        print_json(
            {
                "results": [_result(name, s) for name, s in scores.items()],
                "corpus": None if corpus is None else _corpus_result(corpus),
            }
        )
    else:
        _print(scores, corpus, options, len(loaded.failures), alignment=alignment)
    end_if_interrupted(interrupted, _how_far(scores))
    _check(scores, corpus, solving, fail_under)


def _scores(
    loaded: Loaded, options: GammaOptions, progress: Counter
) -> tuple[dict[str, GammaScore | Score], CorpusGamma | None]:
    from gammacp.measures.gamma import gamma as gamma_of_one
    from gammacp.measures.gamma_corpus import gamma_corpus

    if len(loaded.continua) == 1 and not loaded.failures:
        name, continuum = loaded.only()
        with placed(name):
            return {name: gamma_of_one(continuum, progress=progress, **options)}, None
    corpus = gamma_corpus(loaded.corpus(), progress=progress, **options)
    return dict(corpus.scores), corpus


def _how_far(scores: Mapping[str, GammaScore | Score]) -> str:
    """What an interrupted run says of itself."""
    from gammacp.measures.gamma import GammaScore

    computed = [s for s in scores.values() if isinstance(s, GammaScore)]
    sets = max((s.samples for s in computed), default=0)
    if not any(s.defined for s in computed):
        return "no γ yet, because too few random annotation sets are done"
    if len(scores) == 1:
        return f"γ rests on the {sets} random annotation sets that are done"
    whole = sum(s.defined for s in computed)
    return f"{whole} of {len(scores)} continua have a γ, from the random sets that are done"


def _bootstrapped(
    scores: dict[str, GammaScore | Score],
    corpus: CorpusGamma | None,
    draws: int,
    sampling: Sampling,
) -> tuple[dict[str, GammaScore | Score], CorpusGamma | None]:
    from gammacp.campaign.compare import with_bootstrap

    def with_interval(score: S, documents: dict[str, GammaScore | Score]) -> S:
        return with_bootstrap(
            score, documents, draws=draws, confidence=sampling.confidence, seed=sampling.seed
        )

    each = {name: with_interval(score, {name: score}) for name, score in scores.items()}
    return each, None if corpus is None else with_interval(corpus, scores)


def _result(name: str, score: GammaScore | Score) -> dict[str, Any]:
    from gammacp.measures.gamma import GammaScore

    known = score if isinstance(score, GammaScore) else None
    return {
        "file": name,
        "gamma": score.value,
        "interval": score.interval,
        "observed_disorder": score.observed,
        "expected_disorder": score.expected,
        "samples": known.samples if known else 0,
        "status": known.status if known else None,
        "bound": known.bound if known else None,
        "annotators": known.annotators if known else None,
        "units": known.units if known else None,
        "reason": score.reason,
        "bootstrap": score.bootstrap,
        "signature": score.signature,
    }


def _corpus_result(corpus: CorpusGamma) -> dict[str, Any]:
    return {
        "file": None,
        "gamma": corpus.value,
        "interval": corpus.interval,
        "observed_disorder": corpus.observed,
        "expected_disorder": corpus.expected,
        "samples": corpus.samples,
        "status": corpus.status,
        "bound": corpus.bound,
        "annotators": corpus.annotators,
        "units": corpus.units,
        "reason": corpus.reason,
        "bootstrap": corpus.bootstrap,
        "signature": corpus.signature,
        "continua": corpus.continua,
        "mean": corpus.mean,
    }


_COLUMNS = (
    "file",
    "γ",
    "interval",
    "observed",
    "expected",
    "samples",
    "status",
    "annotators",
    "units",
)


def _print(
    scores: dict[str, GammaScore | Score],
    corpus: CorpusGamma | None,
    options: GammaOptions,
    unread: int,
    *,
    alignment: bool,
) -> None:
    from gammacp.measures.gamma import GammaScore

    results = [_result(name, score) for name, score in scores.items()]
    if corpus is not None:
        total = f"corpus ({corpus.continua} of {len(scores) + unread} continua)"
        results.append({**_corpus_result(corpus), "file": total})
        mean = {"file": "mean of the continua", "gamma": corpus.mean}
        results.append({**dict.fromkeys(results[-1]), **mean})
    columns: tuple[str, ...] = _COLUMNS
    rows = [_row(r) for r in results]
    if any(r["bootstrap"] for r in results):
        columns = (*columns[:3], "bootstrap", *columns[3:])
        rows = [
            [*row[:3], _between(r["bootstrap"]), *row[3:]]
            for row, r in zip(rows, results, strict=True)
        ]
    print_table(columns, rows, numeric=columns[1:])
    for r in results:
        if r["reason"]:
            message(f"{r['file']}: γ is undefined: {r['reason']}")
    for name, score in scores.items():
        if alignment and isinstance(score, GammaScore):
            print_alignment(score.alignment, title=name if len(scores) > 1 else "")
    signature = corpus.signature if corpus is not None else next(iter(scores.values())).signature
    message("; ".join(filter(None, (f"seed {options['seed']}", signature))))


def _between(interval: tuple[float, float] | None) -> str:
    return "–" if interval is None else f"{number(interval[0])} to {number(interval[1])}"


def _row(r: dict[str, Any]) -> list[str]:
    return [
        r["file"],
        number(r["gamma"]),
        _between(r["interval"]),
        number(r["observed_disorder"]),
        number(r["expected_disorder"]),
        *("–" if r[k] is None else str(r[k]) for k in ("samples", "status", "annotators", "units")),
    ]


def _check(
    scores: dict[str, GammaScore | Score],
    corpus: CorpusGamma | None,
    solving: Solving,
    fail_under: float | None,
) -> None:
    """Exit codes: nothing succeeded, no proof, below the threshold."""
    from gammacp.errors import DataError
    from gammacp.measures.gamma import GammaScore

    computed = [s for s in scores.values() if isinstance(s, GammaScore)]
    if not computed:
        reasons = "; ".join(f"{name}: {s.reason}" for name, s in scores.items())
        raise DataError(f"no continuum has a γ ({reasons})")
    for score in computed:
        solving.check_proven(score.status)
    value = corpus.value if corpus is not None else computed[0].value
    check_threshold(value, fail_under, "γ of the corpus" if corpus is not None else "γ")
