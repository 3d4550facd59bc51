"""Results that a sweep leaves in its folder: a table, figures and the provenance of each error."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from gammacp.base.files import write_text
from gammacp.base.plots import can_plot
from gammacp.base.software import differences
from gammacp.bench.captions import caption_of
from gammacp.bench.curves import Point, by_error, by_measure, curves, write_curves
from gammacp.bench.figures import file_name, plot_errors, plot_measures
from gammacp.bench.store import Store, StoredSweep
from gammacp.bench.sweep import Sweep


@dataclass(frozen=True)
class Written:
    """The points, the files, and what to know: measures that do not apply, a missing extra."""

    points: list[Point]
    paths: list[Path]
    notes: list[str]


def write_results(sweep: Sweep, store: Store, folder: Path, *, figures: bool = True) -> Written:
    """`<error>.csv`, `.json`, `.svg`, `.png` for each error, `measure-<name>.*` for each measure.

    Figures per measure are drawn where there are several errors.

    Parameters
    ----------
    sweep
        Sweep whose cells are written.
    store
        Store of the cells.
    folder
        Made where it is not there.
    figures
        Whether to draw; without matplotlib they are left out.
    """
    experiment = store.begin(sweep)
    points = curves(store, experiment, sweep)
    paths = []
    for error, group in by_error(points).items():
        paths.append(folder / f"{file_name(error)}.csv")
        write_curves(group, paths[-1])
    _write_provenance(sweep, store, experiment, folder)
    notes = []
    kinds = store.kinds(experiment)
    if len(kinds) > 1:
        differing = differences(kinds[0], kinds[-1])
        notes.append(f"cells were computed by {len(kinds)} kinds of software ({differing})")
    notes += _not_applicable(store, experiment, points)
    if without := _without(store, experiment):
        notes.append(
            f"{without} values rest on random sets, some of which have no value: see `without` "
            "in their signatures (bench export)"
        )
    if figures and can_plot():
        if sweep.beyond_chance:
            quantity = "agreement beyond chance"
        else:
            quantity = "agreement"
        about = _caption(sweep, store, experiment)
        paths += plot_errors(points, folder, quantity, about=about)
        if len(sweep.errors) > 1:
            paths += plot_measures(points, folder, quantity, about=about)
    elif figures:
        notes.append("no figures: matplotlib is missing; pip install 'gammacp[plot]'")
    return Written(points, paths, notes)


def _without(store: Store, experiment: StoredSweep) -> int:
    """Values beyond chance whose expectation leaves out random sets."""
    ((count,),) = store.rows(
        "SELECT count(*) FROM cells JOIN texts g ON g.id = signature"
        " WHERE experiment = ? AND g.text LIKE '%|without:%'",
        experiment.id,
    )
    return int(count)


def _not_applicable(store: Store, experiment: StoredSweep, points: list[Point]) -> Iterator[str]:
    """Measures without any value under an error, with a reason that they gave."""
    for error, group in by_error(points).items():
        for measure, curve in by_measure(group).items():
            if all(p.undefined == p.sets for p in curve):
                reason = store.first("reason", 'magnitude, "set"', experiment, error, measure)
                yield f"{error}: {measure} has no value: {reason}"


def _signatures(sweep: Sweep, store: Store, experiment: StoredSweep, error: str) -> dict[str, str]:
    """One signature of each measure under an error."""
    order = 'magnitude DESC, "set"'
    return {
        name: signature
        for name in sweep.measures
        if (signature := store.first("signature", order, experiment, error, name))
    }


def _caption(sweep: Sweep, store: Store, experiment: StoredSweep) -> str:
    """Annotators, units and chance, a line each."""
    signatures = _signatures(sweep, store, experiment, sweep.errors[0])
    parts = caption_of(json.loads(experiment.configuration), signatures.values())
    return "\n".join(parts.split(", "))


def _write_provenance(sweep: Sweep, store: Store, experiment: StoredSweep, folder: Path) -> None:
    """`<error>.json` for each error: configuration, extent and a signature per measure."""
    for error in sweep.errors:
        document = {
            "error": error,
            "magnitudes": list(sweep.magnitudes),
            "sets": sweep.sets,
            "configuration": json.loads(experiment.configuration),
            "hash": experiment.hash,
            "software": store.kinds(experiment),
            "signatures": _signatures(sweep, store, experiment, error),
        }
        text = json.dumps(document, ensure_ascii=False, indent=2)
        write_text(folder / f"{file_name(error)}.json", text + "\n")


def read_provenance(curve: Path) -> Mapping[str, object] | None:
    """Read how a curve was made from the file beside it; None if there is no such file.

    Parameters
    ----------
    curve
        `<error>.csv`.
    """
    path = curve.with_suffix(".json")
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if isinstance(document, dict) and "configuration" in document:
        return document
    return None
