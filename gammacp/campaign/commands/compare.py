"""`gammacp compare`: who agrees with whom, about what, and where."""

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from gammacp.campaign.commands.comparing import Comparing
from gammacp.cli.options.groups import option
from gammacp.cli.options.reading import Files, Reading
from gammacp.cli.options.settings import GammaFlags, Thresholds
from gammacp.cli.output import (
    AsJson,
    FrameFile,
    check_figure_path,
    check_frame_path,
    outputs,
    print_json,
    tell_signatures,
    write_figure,
    write_frame,
)
from gammacp.cli.sparing import spare_files
from gammacp.registry import names

TABLES = ("document", "annotator", "pair", "category")
"""Tables of this subject, which are printed by default."""
BESIDE = names("comparison table")
"""Tables of other subjects, which are printed by default where the data have them."""

if TYPE_CHECKING:
    from gammacp.campaign.compare import Comparison

    By: TypeAlias = str
else:
    By = StrEnum("By", {name.upper(): name for name in (*TABLES, *BESIDE)})


def compare(
    reading: Reading,
    settings: GammaFlags,
    comparing: Comparing,
    thresholds: Thresholds,
    files: Files = None,
    by: list[By] | None = option(
        "Compute and print only these tables (repeatable).  [default: all]"
    ),
    figure: Path | None = option(
        "Draw the pairs, and what each annotator does differently (.svg, .png, .pdf).", "FILE"
    ),
    frame: FrameFile = None,
    json: AsJson = False,
) -> None:
    """Compare annotators, documents and categories.

    Example: gammacp compare round-2/ --against round-1/

    Most used: --by, --against and --reference.
    """
    from gammacp.campaign.commands.comparison_tables import print_comparison
    from gammacp.campaign.compare import compare as compare_all

    thresholds.require_interval(comparing.wants_interval)
    options = settings.options()
    tables = [str(table) for table in by or TABLES]
    check_frame_path(frame)
    check_figure_path(figure)
    writes = outputs(frame=frame, figure=figure)
    spare_files(writes, comparing.against or ())
    features = settings.weighing.features
    loaded = comparing.load(files, reading, features, writes, options)
    # Imported here, as what computes: `--help` imports every command.
    from gammacp.campaign.commands.against_gold import is_against_gold, tell_against_gold

    if is_against_gold(loaded.continua, comparing.reference):
        tell_against_gold(loaded, str(comparing.reference), tables, thresholds, json=json)
        return
    with comparing.computing.pool("comparing", pays=loaded.takes_long) as (executor, progress_line):
        comparison = compare_all(
            loaded.corpus().continua,
            by=tables,
            # A figure shows pairs and kinds; it has what it needs if one of them was asked for.
            also=() if by and (figure is None or {"pair", "kind"} & {*tables}) else BESIDE,
            **comparing.options(files, reading, features, loaded.continua),
            executor=executor,
            progress=progress_line.tell,
            **options,
        )
    drawn = _draw(comparison, figure)
    if frame is not None:
        write_frame(comparison.overall.pair_rows(), frame)
    if json:
        print_json({**comparison.as_dict(), **drawn, **loaded.json})
    else:
        print_comparison(comparison, tables)
        tell_signatures(*comparison.signatures, seed=settings.sampling.seed)
    settings.solving.check_proven(comparison.overall.score.status)
    thresholds.check_gamma(comparison.overall, comparison.bootstrap, loaded.files)


def _draw(comparison: "Comparison", path: Path | None) -> dict[str, Any]:
    """Draw the comparison if a file is given; return the JSON of the figure, or nothing."""
    if path is None:
        return {}
    from gammacp.campaign.compare.figure import picture_of

    return {"figure": write_figure(partial(picture_of, comparison), path)}
