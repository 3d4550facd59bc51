"""Experiments of a folder: one file each, run into a folder of its own.

An experiment is a module in the folder whose name does not begin with an underscore. Its
docstring's first line says what it reproduces; it has

    run(out: Path, *, quick: bool, data: Path | None) -> None

which writes tidy CSV and figures into `out`. `quick` asks for a coarse version in seconds; `data`
is the folder given with `--data` (an experiment that cannot do without sets `NEEDS_DATA = True`).
One that reads the results of others names them in `READS` and runs after them.

The folder is a package of its own name: modules in `study/` import each other as `study._shared`,
and so do worker processes. Nothing that lies beside the folder can be imported because of that.
"""

import importlib.util
import inspect
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

from gammacp.base.arguments import one_of
from gammacp.errors import UsageError
from gammacp.plugins import load_package, why_it_fails

LARGEST_SVG = 200_000
"""Size in bytes above which a figure is kept as PNG."""
SMALL_SVG = 25_000
"""Size in bytes up to which a figure is kept as SVG."""
LONGER_SVG = 1.25
"""Times as many bytes as the PNG that an SVG between these sizes may have."""


@dataclass(frozen=True)
class ExperimentFile:
    """An experiment: one file of the folder."""

    name: str
    path: Path
    summary: str
    needs_data: bool
    reads: tuple[str, ...]
    run: Callable[..., None]


def import_folder(folder: Path) -> str:
    """Make a folder of experiments a package of its own name, and return the name.

    Parameters
    ----------
    folder
        Folder of the experiments.

    Raises
    ------
    UsageError
        There is no such folder, its name is not one that Python can import, or is taken.
    """
    place = folder.resolve()
    if not place.is_dir():
        raise UsageError(
            f"{folder} is no folder of experiments: name another one, or begin one "
            "(`gammacp reproduce` does both)"
        )
    name = package_name(folder)
    if not _is_package_of(sys.modules.get(name), place):
        load_package(place, name)
    return name


def package_name(folder: Path) -> str:
    """Return the name by which the experiments of a folder import each other.

    Parameters
    ----------
    folder
        Folder of the experiments; it need not be there yet.

    Raises
    ------
    UsageError
        Its name is not one that Python can import, or is taken.
    """
    place = folder.resolve()
    name = place.name
    if not name.isidentifier():
        raise UsageError(
            f"{folder}: experiments import each other by the name of their folder, and {name!r} "
            "is none that Python can import: rename it (letters, digits and _)"
        )
    if not _is_package_of(sys.modules.get(name), place):
        other_module = importlib.util.find_spec(name)
        if other_module is not None and not _lies_in(other_module, place):
            raise UsageError(
                f"{folder}: there is another Python module called {name!r}: rename the folder"
            )
    return name


def _is_package_of(module: Any, place: Path) -> bool:
    """Return whether a module is the package of a folder."""
    paths = getattr(module, "__path__", ())
    return any(Path(path).resolve() == place for path in paths)


def _lies_in(spec: ModuleSpec, place: Path) -> bool:
    """Return whether the module that Python would import is the folder itself."""
    return any(Path(path).resolve() == place for path in spec.submodule_search_locations or ())


def find(folder: Path) -> dict[str, Path]:
    """Return the experiments of a folder by name."""
    return {p.stem: p for p in sorted(folder.glob("*.py")) if not p.stem.startswith("_")}


def experiment_file(name: str, folder: Path) -> Path:
    """Return the file of the experiment of that name.

    Raises
    ------
    UsageError
        There is none; the message lists what there is.
    """
    files = find(folder)
    return files[one_of("experiment", name, files)]


def load(name: str, folder: Path) -> ExperimentFile:
    """Import the experiment of that name, which executes it anew.

    Raises
    ------
    UsageError
        There is none, it fails while it is imported, it has no function `run` with these
        parameters, or it reads the results of an experiment that is not there.
    """
    path = experiment_file(name, folder)
    package = import_folder(folder)
    try:
        module = _module(f"{package}.{name}", path)
    except Exception as error:
        raise UsageError(f"{path}: {why_it_fails(error)}") from None
    function = getattr(module, "run", None)
    if not callable(function) or not _takes(function, "out", "quick", "data"):
        raise UsageError(f"{path} has no function run(out, *, quick, data)")
    summary = (module.__doc__ or "").strip().split("\n")[0]
    needs_data = bool(getattr(module, "NEEDS_DATA", False))
    reads = tuple(getattr(module, "READS", ()))
    for other in reads:
        one_of(f"{path}: READS", other, find(folder))
    return ExperimentFile(name, path, summary, needs_data, reads, function)


def _takes(function: Callable[..., Any], first: str, *named: str) -> bool:
    """Return whether a function accepts one positional and these keyword arguments."""
    values: dict[str, object] = dict.fromkeys(named)
    try:
        inspect.signature(function).bind(first, **values)
    except TypeError:
        return False
    return True


def _module(full_name: str, path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(full_name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[full_name] = module
    spec.loader.exec_module(module)
    return module


def run(experiment: ExperimentFile, results: Path, *, quick: bool, data: Path | None) -> Path:
    """Run an experiment into `results/NAME`, which is replaced only when everything went well.

    Raises
    ------
    UsageError
        It needs data that were not given, or wrote nothing.
    """
    if experiment.needs_data and data is None:
        raise UsageError(
            f"experiment {experiment.name!r} needs files that do not ship (`data=DIR`)"
        )
    results.mkdir(parents=True, exist_ok=True)
    target = results / experiment.name
    with tempfile.TemporaryDirectory(prefix=f".{experiment.name}-", dir=results) as scratch:
        fresh = Path(scratch) / "new"
        fresh.mkdir()
        experiment.run(fresh, quick=quick, data=data)
        if not any(fresh.iterdir()):
            raise UsageError(f"{experiment.path}: run wrote nothing into the folder `out`")
        keep_one_format(fresh)
        if target.exists():
            target.rename(Path(scratch) / "old")
        fresh.rename(target)
    return target


def keep_one_format(folder: Path) -> None:
    """Keep only one of SVG and PNG for figures that have both: the SVG unless it is large.

    An SVG stores every letter and mark as an outline, so that a figure with many of them is smaller
    as PNG. Remaining PNGs are reduced to 256 colours, which saves two thirds of their size.
    """
    for drawing in sorted(folder.rglob("*.svg")):
        picture = drawing.with_suffix(".png")
        if not picture.exists():
            continue
        size = drawing.stat().st_size
        if size > SMALL_SVG:
            _with_palette(picture, shaded=size > LARGEST_SVG)
        most = max(SMALL_SVG, LONGER_SVG * picture.stat().st_size)
        if size <= min(most, LARGEST_SVG):
            picture.unlink()
        else:
            drawing.unlink()


def _with_palette(picture: Path, *, shaded: bool) -> None:
    """Reduce a PNG to at most 256 colours.

    An octree keeps the colours of thin lines, which a median cut merges with those of large areas.
    A median cut distinguishes pale shades, which heat maps have.
    """
    from PIL import Image

    method = Image.Quantize.MEDIANCUT if shaded else Image.Quantize.FASTOCTREE
    with Image.open(picture) as image:
        reduced = image.convert("RGB").quantize(256, method=method, dither=Image.Dither.NONE)
    reduced.save(picture, optimize=True)
