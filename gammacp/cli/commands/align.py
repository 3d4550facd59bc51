"""`gammacp align`: the best alignment of one continuum, with its certificate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gammacp.cli.alignment_table import alignment_records, print_alignment, write_trace
from gammacp.cli.interrupting import end_if_interrupted
from gammacp.cli.options.groups import option
from gammacp.cli.options.reading import File, Reading, errors_of, load
from gammacp.cli.options.settings import Constraining, Seed, SolvingFlags, Weighing
from gammacp.cli.output import (
    AsJson,
    FrameFile,
    check_frame_path,
    message,
    outputs,
    print_json,
    say,
    write_frame,
)
from gammacp.cli.progress import progress

if TYPE_CHECKING:
    from gammacp.alignment import Alignment


def align(
    reading: Reading,
    weighing: Weighing,
    solving: SolvingFlags,
    constraining: Constraining,
    file: File = None,
    certificate: Path | None = option(
        "Write the claim and its proof (JSON), for gammacp verify.", "FILE"
    ),
    frame: FrameFile = None,
    trace: Path | None = option(
        "Write how far each step of the work has come (CSV): work, best, bound.", "FILE"
    ),
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """The best alignment of one text, and how far it is proven.

    Ctrl-C stops with the best alignment so far and its bound.

    Example: gammacp align interview.eaf --only laughter

    Most used: --only, --delta and --json.
    """
    from gammacp.alignment import align as solve
    from gammacp.alignment.certificate import write_certificate
    from gammacp.alignment.reporting import tracing
    from gammacp.base.stopping import interruptible
    from gammacp.measures.pair_rows import pair_rows

    check_frame_path(frame)

    writes = outputs(certificate=certificate, frame=frame, trace=trace)
    loaded = load(file, reading, weighing.features, writes=writes)
    name, continuum = loaded.only()
    with (
        progress("aligning"),
        errors_of(name),
        tracing() as points,
        interruptible() as interrupted,
    ):
        how = solving.options() | constraining.options()
        alignment = solve(continuum, weighing.dissimilarity(), **how, seed=seed)
    if certificate is not None and write_certificate(alignment, certificate) == "none":
        message(f"gammacp: {certificate} has no proof: {_why_no_proof(alignment)}")
    if trace is not None:
        write_trace(points, alignment, trace)
    if frame is not None:
        write_frame(pair_rows({name: alignment}), frame)
    if json:
        print_json(
            {
                **alignment.as_dict(),
                **({} if alignment.effort is None else alignment.effort._asdict()),
                "unitary_alignments": alignment_records(alignment),
                **loaded.json,
            }
        )
    else:
        print_alignment(alignment)
        say(
            f"disorder {alignment.disorder:.12g}, {alignment.status}, "
            f"bound {alignment.bound:.12g}, gap {alignment.gap:.2%}, method {alignment.method}"
        )
        if alignment.constraints:
            say(f"keeps {', '.join(map(str, alignment.constraints))}")
        for note in alignment.notes if alignment.status == "optimal" else ():
            say(note)
    end_if_interrupted(interrupted, "this is the best alignment so far")
    solving.check_proven(alignment.status)


def _why_no_proof(alignment: Alignment) -> str:
    """Return why a certificate has no proof."""
    if alignment.constraints:
        return "a checker cannot check yet that no better alignment keeps the constraints"
    return f"the method {alignment.method} leaves none that can be checked. --method auto does"
