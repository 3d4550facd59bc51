"""`gammacp report`: one self-contained page with numbers, alignment view and disagreements."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gammacp.campaign.commands.comparing import Comparing
from gammacp.campaign.commands.deciding import Deciding
from gammacp.cli.incomplete import unread_in_words
from gammacp.cli.options.groups import Brought, option
from gammacp.cli.options.loading import Loaded
from gammacp.cli.options.reading import Files, Reading, split_names
from gammacp.cli.options.settings import GammaFlags, Thresholds
from gammacp.cli.output import AsJson, message, print_json
from gammacp.cli.sparing import spare_files
from gammacp.errors import DataError, UsageError

if TYPE_CHECKING:
    from gammacp.report.page import Contents


def report(
    reading: Reading,
    settings: GammaFlags,
    comparing: Comparing,
    deciding: Deciding,
    thresholds: Thresholds,
    brought: Brought,
    files: Files = None,
    out: Path = option("File to write.", default=Path("report.html"), names=("--out", "-o")),
    title: str = option("Heading.  [default: names of the files]", default=""),
    measures: list[str] | None = option(
        "Also values of the corpus of these measures (A,B; repeatable; see gammacp measures).",
        "NAME",
        names=("--measures", "-m"),
        complete_from="measure",
    ),
    calibrate: bool = option("Also say which errors would give this γ (slow).", default=False),
    images: Path | None = option(
        "Folder of the images to draw under boxes and outlines.  [default: that of the files]"
    ),
    json: AsJson = False,
) -> None:
    """One HTML file with the answer, alignments and what to review.

    Example: gammacp report exports/ -o report.html

    Most used: --out, --title and --calibrate.
    """
    from gammacp.report import report as build

    other = next((group for group in brought.groups if files and group.wants(files)), None)
    if files and other is not None:
        groups = (comparing, deciding, thresholds) != (Comparing(), Deciding(), Thresholds())
        if groups or calibrate or images or measures or settings.changed_options():
            raise UsageError(other.REFUSAL)
        other.write(files, reading, title, out, as_json=json)
        return
    thresholds.require_interval(comparing.wants_interval)
    if images and not images.is_dir():
        raise DataError("is not a folder", file=images, hint="Give the folder with the images")
    options = settings.options()
    features = settings.weighing.features
    loaded = comparing.load(files, reading, features, [out], options)
    spare_files([out], comparing.against or ())
    compared = comparing.options(files, reading, features, loaded.continua)
    pays = calibrate or loaded.takes_long
    with comparing.computing.pool("reporting", pays=pays) as (executor, progress_line):
        built = build(
            loaded.corpus(),
            title=title,
            measures=split_names(measures, "--measures"),
            calibrate=calibrate,
            executor=executor,
            progress=progress_line.tell,
            failures=unread_in_words(),
            left_out=loaded.left_out,
            images=[images] if images else files or (),
            **compared,
            deciding=vars(deciding),
            **options,
        )
    built.write(out)
    _tell(built.contents, out, loaded, json=json)
    comparison = built.contents.comparison
    settings.solving.check_proven(comparison.overall.score.status)
    thresholds.check_gamma(comparison.overall, comparison.bootstrap, loaded.files)


def _tell(contents: Contents, out: Path, loaded: Loaded, *, json: bool) -> None:
    """Print notes on missing images, and the path of the page or, with `json`, the JSON."""
    for note in contents.images.notes:
        message(note)
    if json:
        print_json({"report": str(out), **_document(contents), **loaded.json})
    else:
        message(f"wrote {out}")


def _document(contents: Contents) -> dict[str, Any]:
    """Return the JSON on γ, the values of other measures, and the images."""
    score = contents.comparison.overall.score
    values = {name: s.as_dict() for name, s in contents.values.items()}
    images = contents.images
    return {
        "gamma": score.value,
        "interval": score.interval,
        "corpus": {"measures": values} if values else None,
        "images": {"drawn": len(images.images), "notes": images.notes},
    }
