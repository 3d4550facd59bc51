"""`gammacp align`: the best alignment of one continuum, with its certificate."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from gammacp.cli.alignment_table import alignment_records, print_alignment, write_trace
from gammacp.cli.interrupting import end_if_interrupted
from gammacp.cli.options.groups import option
from gammacp.cli.options.reading import File, Reading, errors_of, load
from gammacp.cli.options.settings import Constraining, Seed, SolvingFlags, Weighing
from gammacp.cli.output import (
    AsJson,
    FrameFile,
    check_figure_path,
    check_frame_path,
    message,
    outputs,
    print_json,
    say,
    write_figure,
    write_frame,
)
from gammacp.cli.progress import progress
from gammacp.errors import UsageError


def align(
    reading: Reading,
    weighing: Weighing,
    solving: SolvingFlags,
    constraining: Constraining,
    file: File = None,
    certificate: Path | None = option(
        "Write the claim and its proof (JSON), for gammacp verify.", "FILE"
    ),
    figure: Path | None = option(
        "Draw the alignment, a lane per annotator (.svg, .png, .pdf).", "FILE"
    ),
    frame: FrameFile = None,
    trace: Path | None = option(
        "Write how far each step of the work has come (CSV): work, best, bound.", "FILE"
    ),
    pool: int | None = option(
        "List so many of the best alignments and count all that are as good.", "K"
    ),
    within: float | None = option(
        "With --pool: list and count all whose disorder is at most so much beyond the least; "
        "inf: the K best.  [default: 0]",
        "X",
    ),
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Align one text, and say how far it is proven.

    Ctrl-C stops with the best alignment so far and its bound.

    Example: gammacp align interview.eaf --only laughter

    Most used: --only, --delta and --json.
    """
    from gammacp.alignment import align as solve
    from gammacp.alignment.certificate import why_no_proof, write_certificate
    from gammacp.alignment.reporting import tracing
    from gammacp.base.stopping import interruptible
    from gammacp.measures.pair_rows import pair_rows

    check_frame_path(frame)
    check_figure_path(figure)
    if pool is not None or within is not None:
        # Imported here, as below: most alignments are shown alone.
        from gammacp.cli.alignment_pool import check_pool

        check_pool(pool, within, solving.method)

    writes = outputs(certificate=certificate, figure=figure, frame=frame, trace=trace)
    loaded = load(file, reading, weighing.features, writes=writes)
    name, continuum = loaded.only()
    with (
        progress("aligning"),
        errors_of(name),
        tracing() as points,
        interruptible() as interrupted,
    ):
        how = solving.options() | constraining.options()
        if pool is not None and constraining.options():
            raise UsageError("--pool lists alignments without constraints: leave --constraint out")
        alignment = solve(continuum, weighing.dissimilarity(), **how, seed=seed)
        found = None
        if pool is not None:
            from gammacp.cli.alignment_pool import pool_of

            found = pool_of(alignment, pool, within, solving.options(), seed)
    if certificate is not None and write_certificate(alignment, certificate) == "none":
        message(f"gammacp: {certificate} has no proof: {why_no_proof(alignment)}")
    if trace is not None:
        write_trace(points, alignment, trace)
    if frame is not None:
        write_frame(pair_rows({name: alignment}), frame)
    drawn = {}
    if figure is not None:
        from gammacp.alignment.figure import picture_of

        drawn = {"figure": write_figure(partial(picture_of, alignment), figure)}
    if json:
        print_json(
            {
                **alignment.as_dict(),
                **({} if alignment.effort is None else alignment.effort._asdict()),
                "unitary_alignments": alignment_records(alignment),
                **drawn,
                **({} if found is None else {"pool": found.as_dict()}),
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
        if not alignment.is_certifiable:
            say(f"its certificate would have no proof: {why_no_proof(alignment)}")
        for note in alignment.notes if alignment.status == "optimal" else ():
            say(note)
        if found is not None:
            found.show()
    end_if_interrupted(interrupted, "this is the best alignment so far")
    solving.check_proven(alignment.status)
