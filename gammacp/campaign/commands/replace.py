"""`gammacp replace`: test whether a system may stand in for a person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gammacp.cli.options.groups import option
from gammacp.cli.options.loading import Loaded, load
from gammacp.cli.options.reading import Files, Reading, Sampled
from gammacp.cli.options.settings import ComputingFlags, Seed, SolvingFlags, Weighing
from gammacp.cli.output import AsJson, message, print_json, say, show, tell_signatures
from gammacp.errors import UsageError

if TYPE_CHECKING:
    from gammacp.campaign.replace import Replacement


def replace(
    reading: Reading,
    weighing: Weighing,
    solving: SolvingFlags,
    sampled: Sampled,
    computing: ComputingFlags,
    files: Files = None,
    candidate: list[str] | None = option(
        "Annotator to test as a stand-in (repeatable); all others are people.", "NAME"
    ),
    score: str = option("How agreement is scored: {scores}.", "NAME", default="disorder"),
    epsilon: str = option(
        "How much worse than a person a cheaper candidate may be: against experts (0.2), skilled "
        "(0.15), crowd (0.1), or a number.",
        "WHO|SHARE",
        default="experts",
    ),
    min_documents: int = option(
        "Do not test people with fewer documents; below 30 the test is exact.", default=30, min=1
    ),
    expert: str | None = option("Ask who is closer to this person: the candidate or the others."),
    protocol: bool = option(
        "Print γ, soft-F₁, F₁ beyond chance, presence and counts beside the test, for each "
        "candidate and for the people among themselves.",
        default=False,
    ),
    bootstrap: int = option("Bootstrap draws.", default=2000, min=1),
    samples: int | None = option(
        "With --protocol: draw this many random sets instead of aiming at a precision.", min=1
    ),
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Test whether a system may stand in for a person.

    The alternative annotator test, with candidates ranked.

    Example: gammacp replace exports/ --candidate gpt

    Most used: --candidate, --epsilon and --json.
    """
    from gammacp.campaign.replace import SCORES
    from gammacp.campaign.replace import replace as test

    _check_protocol(solving, samples, protocol=protocol)
    people = [*(candidate or ()), *([expert] if expert else ())]
    loaded = load(
        files, reading, weighing.features, about=sampled.values(), links=True, people=people
    )
    aligned = protocol or (score in SCORES and SCORES[score].aligned)
    options: dict[str, Any] = {
        "score": score,
        "epsilon": epsilon,
        "min_documents": min_documents,
        "expert": expert,
        "draws": bootstrap,
        "dissimilarity": weighing.dissimilarity(),
        "method": solving.method,
        "gap": solving.gap,
        "time_limit": solving.time_limit,
        "seed": seed,
    }
    with computing.pool("testing", pays=aligned and loaded.takes_long) as (pool, _):
        if protocol:
            options |= {"samples": samples, "executor": pool}
            _print_protocol(loaded, candidate or (), options, json=json)
            return
        replacement = test(loaded.corpus().continua, candidate or (), executor=pool, **options)
    solving.check_proven("feasible" if replacement.unproven else "optimal")
    _show(replacement, loaded, json=json)


def _check_protocol(solving: SolvingFlags, samples: int | None, *, protocol: bool) -> None:
    """Refuse options that do not go with `--protocol`, or not without it."""
    if protocol and solving.require_optimal:
        raise UsageError(
            "--protocol takes no --require-optimal: its values of several documents say only in "
            "notes what is not proven"
        )
    if samples is not None and not protocol:
        raise UsageError("--samples is about γ and F₁ beyond chance, which --protocol prints")


def _print_protocol(
    loaded: Loaded, candidates: Sequence[str], options: dict[str, Any], *, json: bool
) -> None:
    """Print the numbers of the span protocol, with these options of `span_protocol`."""
    from gammacp.campaign.commands.print_protocol import print_protocol
    from gammacp.campaign.replace.span_protocol import span_protocol

    numbers = span_protocol(loaded.corpus().continua, candidates, **options)
    print_protocol(numbers, loaded, as_json=json)


def _show(replacement: Replacement, loaded: Loaded, *, json: bool) -> None:
    """Print the candidates, and of a single one how it compares with each person."""
    from gammacp.campaign import result_tables

    if json:
        print_json({**replacement.as_dict(), **loaded.json})
        return
    show(result_tables.replacement(replacement))
    if len(replacement.candidates) == 1:
        show(result_tables.people(replacement.candidates[0]))
    for candidacy in replacement.candidates:
        say(f"\n{candidacy.in_words()}")
        for note in candidacy.notes:
            message(f"{candidacy.name}: {note}")
    tell_signatures(replacement.signature)
