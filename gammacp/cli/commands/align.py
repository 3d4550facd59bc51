"""`gammacp align`: the best alignment of one continuum, with its certificate."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gammacp.cli.alignment_table import alignment_records, print_alignment, write_trace
from gammacp.cli.interrupting import end_if_interrupted
from gammacp.cli.options.groups import option
from gammacp.cli.options.loading import errors_of, load
from gammacp.cli.options.reading import File, Reading
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

if TYPE_CHECKING:
    from gammacp.alignment.alignment import Alignment
    from gammacp.cli.alignment_pool import ShownPool


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
    from gammacp.alignment.reporting import tracing
    from gammacp.base.stopping import interruptible

    check_frame_path(frame)
    check_figure_path(figure)
    if pool is not None or within is not None:
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
        listed = _pool_of(alignment, pool, within, solving, seed)
    if trace is not None:
        write_trace(points, alignment, trace)
    drawn = _write_files(name, alignment, certificate, frame, figure)
    if json:
        print_json({**_document(alignment), **drawn, **_pool_document(listed), **loaded.json})
    else:
        _print(alignment)
        if listed is not None:
            listed.show()
    end_if_interrupted(interrupted, "this is the best alignment so far")
    solving.check_proven(alignment.status)


def _pool_of(
    alignment: Alignment,
    pool: int | None,
    within: float | None,
    solving: SolvingFlags,
    seed: int,
) -> ShownPool | None:
    """Return the alignments that `--pool` lists; None without that option."""
    if pool is None:
        return None
    from gammacp.cli.alignment_pool import pool_of

    return pool_of(alignment, pool, within, solving.options(), seed)


def _write_files(
    name: str,
    alignment: Alignment,
    certificate: Path | None,
    frame: Path | None,
    figure: Path | None,
) -> dict[str, Any]:
    """Write the requested files, and return the JSON of the figure.

    Print a message if the certificate contains no proof.
    """
    if certificate is not None:
        from gammacp.alignment.certificate import why_no_proof, write_certificate

        if write_certificate(alignment, certificate) == "none":
            message(f"gammacp: {certificate} has no proof: {why_no_proof(alignment)}")
    if frame is not None:
        from gammacp.measures.explaining.pair_rows import pair_rows

        write_frame(pair_rows({name: alignment}), frame)
    if figure is None:
        return {}
    from gammacp.alignment.figure import picture_of

    return {"figure": write_figure(partial(picture_of, alignment), figure)}


def _document(alignment: Alignment) -> dict[str, Any]:
    """Return the JSON of an alignment, with the effort of the solver."""
    document = alignment.as_dict()
    if alignment.effort is not None:
        document |= alignment.effort._asdict()
    return document | {"unitary_alignments": alignment_records(alignment)}


def _pool_document(listed: ShownPool | None) -> dict[str, Any]:
    """Return the JSON of the alignments that `--pool` lists; empty without that option."""
    if listed is None:
        return {}
    return {"pool": listed.as_dict()}


def _print(alignment: Alignment) -> None:
    """Print the alignment, the state of its proof, and notes."""
    from gammacp.alignment.certificate import why_no_proof

    print_alignment(alignment)
    say(
        f"disorder {alignment.disorder:.12g}, {alignment.status}, "
        f"bound {alignment.bound:.12g}, gap {alignment.gap:.2%}, method {alignment.method}"
    )
    if alignment.constraints:
        say(f"keeps {', '.join(map(str, alignment.constraints))}")
    if not alignment.is_certifiable:
        say(f"its certificate would have no proof: {why_no_proof(alignment)}")
    if alignment.status == "optimal":
        for note in alignment.notes:
            say(note)
