"""`gammacp gamma`: γ of each continuum and, for several, of the corpus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from gammacp.cli.alignment_table import print_alignment
from gammacp.cli.counting import Counter, counting
from gammacp.cli.options.groups import flatten
from gammacp.cli.options.reading import Files, Loaded, Reading, load
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
    print_json,
    show,
)
from gammacp.errors import DataError

if TYPE_CHECKING:
    from gammacp.measures.agreement import Agreement
    from gammacp.measures.gamma import Gamma
    from gammacp.measures.gamma_corpus import CorpusGamma
    from gammacp.measures.settings import GammaOptions


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
    from gammacp.measures.gamma_corpus import CorpusGamma
    from gammacp.stopping import interruptible

    options = gamma_options(weighing, sampling, solving)
    loaded = load(files, reading)
    with counting("random annotation sets") as progress, interruptible() as interrupted:
        found = _measured(loaded, options, progress)
    if bootstrap:
        found = found.with_bootstrap(
            draws=bootstrap, confidence=sampling.confidence, seed=sampling.seed
        )
    scores = dict(found.documents)
    corpus = found.score if isinstance(found.score, CorpusGamma) else None
    if json:
        print_json(found.as_dict())
    else:
        _print(scores, corpus, options, len(loaded.failures), alignment=alignment)
    end_if_interrupted(interrupted, _how_far(scores))
    _check(scores, corpus, solving, fail_under)


def _measured(loaded: Loaded, options: GammaOptions, progress: Counter) -> Agreement:
    """γ of what was read; bad data of a single file are an error that names it."""
    from gammacp.measures.agreement import agreement

    if len(loaded.continua) > 1 or loaded.failures:
        return agreement(loaded.corpus(), progress=progress, **options)
    found = agreement(loaded.continua, progress=progress, **options)
    if not found.computed:
        raise DataError(found.score.reason or "", file=loaded.only()[0])
    return found


def _how_far(scores: Mapping[str, Gamma]) -> str:
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


def _print(
    scores: dict[str, Gamma],
    corpus: CorpusGamma | None,
    options: GammaOptions,
    unread: int,
    *,
    alignment: bool,
) -> None:
    from gammacp.measures.gamma import GammaScore
    from gammacp.measures.tables import gamma_table

    records = [{"file": name, **score.as_dict()} for name, score in scores.items()]
    if corpus is not None:
        total = f"corpus ({corpus.continua} of {len(scores) + unread} continua)"
        records.append({**corpus.as_dict(), "file": total})
        records.append({"file": "mean of the continua", "gamma": corpus.mean})
    show(gamma_table(records))
    for record in records:
        if record.get("reason"):
            message(f"{record['file']}: γ is undefined: {record['reason']}")
    for name, score in scores.items():
        if alignment and isinstance(score, GammaScore):
            print_alignment(score.alignment, title=name if len(scores) > 1 else "")
    signature = corpus.signature if corpus is not None else next(iter(scores.values())).signature
    message("; ".join(filter(None, (f"seed {options['seed']}", signature))))


def _check(
    scores: dict[str, Gamma],
    corpus: CorpusGamma | None,
    solving: Solving,
    fail_under: float | None,
) -> None:
    """Exit codes: nothing succeeded, no proof, below the threshold."""
    from gammacp.measures.gamma import GammaScore

    computed = [s for s in scores.values() if isinstance(s, GammaScore)]
    if not computed:
        reasons = "; ".join(f"{name}: {s.reason}" for name, s in scores.items())
        raise DataError(f"no continuum has a γ ({reasons})")
    for score in computed:
        solving.check_proven(str(score.status))
    value = corpus.value if corpus is not None else computed[0].value
    check_threshold(value, fail_under, "γ of the corpus" if corpus is not None else "γ")
