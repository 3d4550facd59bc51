"""The experiments of a checkout: one file each, run into a folder of its own.

An experiment is a module in `experiments/` whose name does not begin with an underscore. Its
docstring's first line says what it reproduces; it has

    run(out: Path, *, quick: bool, data: Path | None) -> None

which writes tidy CSV and figures into `out`. `quick` asks for a coarse version in seconds; `data`
is the folder given with `--data` (an experiment that cannot do without sets `NEEDS_DATA = True`).
One that reads the results of others names them in `READS` and runs after them.
"""

import importlib.util
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gammacp.base.arguments import one_of
from gammacp.errors import UsageError

LARGEST_SVG = 200_000
"""Size in bytes above which a figure is kept as PNG."""


@dataclass(frozen=True)
class Experiment:
    """One file of `experiments/`."""

    name: str
    path: Path
    summary: str
    needs_data: bool
    reads: tuple[str, ...]
    run: Callable[..., None]


def find(folder: Path) -> dict[str, Path]:
    """Experiments by name."""
    return {p.stem: p for p in sorted(folder.glob("*.py")) if not p.stem.startswith("_")}


def where(name: str, folder: Path) -> Path:
    """The file of the experiment of that name; UsageError that lists what there is."""
    found = find(folder)
    return found[one_of("experiment", name, found)]


def load(name: str, folder: Path) -> Experiment:
    """The experiment of that name, executed anew."""
    path = where(name, folder)
    module = _module(name, path)
    if not callable(getattr(module, "run", None)):
        raise UsageError(f"{path} has no function run(out, *, quick, data)")
    summary = (module.__doc__ or "").strip().split("\n")[0]
    needs_data = bool(getattr(module, "NEEDS_DATA", False))
    reads = tuple(getattr(module, "READS", ()))
    return Experiment(name, path, summary, needs_data, reads, module.run)


def _module(name: str, path: Path) -> Any:
    # Experiments share code as `experiments._name`, and workers import them by that name too.
    full = f"experiments.{name}"
    spec = importlib.util.spec_from_file_location(full, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[full] = module
    spec.loader.exec_module(module)
    return module


def run(experiment: Experiment, results: Path, *, quick: bool, data: Path | None) -> Path:
    """Run it into `results/NAME`, which is replaced only when everything went well."""
    if experiment.needs_data and data is None:
        raise UsageError(f"experiment {experiment.name!r} needs files that do not ship: --data DIR")
    results.mkdir(parents=True, exist_ok=True)
    target = results / experiment.name
    with tempfile.TemporaryDirectory(prefix=f".{experiment.name}-", dir=results) as scratch:
        fresh = Path(scratch) / "new"
        fresh.mkdir()
        experiment.run(fresh, quick=quick, data=data)
        keep_one_format(fresh)
        if target.exists():
            target.rename(Path(scratch) / "old")
        fresh.rename(target)
    return target


def keep_one_format(folder: Path) -> None:
    """Delete the PNG of each figure that is also there as SVG, or the SVG if it is too large.

    A figure with many thousand marks is smaller as PNG; all others are sharper as SVG.
    """
    for drawing in sorted(folder.rglob("*.svg")):
        picture = drawing.with_suffix(".png")
        if not picture.exists():
            continue
        if drawing.stat().st_size <= LARGEST_SVG:
            picture.unlink()
        else:
            drawing.unlink()
