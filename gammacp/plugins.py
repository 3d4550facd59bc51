"""Extensions: modules of users that register a measure, a chance model, a format, ….

They are loaded by name or path (`load`, on the command line `--import`), or come with a package
that is installed and names its modules under the entry point group `gammacp.plugins`. The working
directory may be a stranger's, so a name is looked for only where Python itself looks; a module that
lies in the working directory is given by its path.

    [project.entry-points."gammacp.plugins"]
    mine = "my_package.gammacp_measures"

What a module registers when it is imported can be chosen by name everywhere, in worker processes
too: they are told what `loaded_names()` says.
"""

import sys
import warnings
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any

from gammacp.errors import GammacpError, UsageError

GROUP = "gammacp.plugins"

# Names and paths that were loaded, in order, for worker processes.
LOADED: dict[str, ModuleType] = {}


def load(name: str) -> ModuleType:
    """Import a module of the user's own.

    Parameters
    ----------
    name
        Name of a module that Python finds on `sys.path`, or the path of a `.py` file or of a
        package's folder. A file is imported under its own name, without the ending.

    Raises
    ------
    UsageError
        There is no such module or file, it fails while it is imported, or its name is taken.
    """
    if _is_path(name):
        path = Path(name).resolve()
    else:
        path = None
    if path is None:
        key = name
    else:
        key = str(path)
    if key not in LOADED:
        LOADED[key] = _import(name) if path is None else _imported_file(path)
    return LOADED[key]


def _is_path(name: str) -> bool:
    return name.endswith(".py") or "/" in name or "\\" in name


def load_package(folder: Path, name: str) -> ModuleType:
    """Import a folder as the package of a name, whatever the folder is called.

    Nothing beside the folder can be imported because of that. Worker processes do the same.

    Parameters
    ----------
    folder
        Folder of the package; `__init__.py` may be missing.
    name
        Name by which its modules import each other; it must not be taken.
    """
    place = folder.resolve()
    key = f"{name}={place}"
    if key not in LOADED:
        spec = ModuleSpec(name, None, is_package=True)
        if (place / "__init__.py").is_file():
            package_spec = spec_from_file_location(
                name, place / "__init__.py", submodule_search_locations=[str(place)]
            )
            assert package_spec is not None
            spec = package_spec
        else:
            spec.submodule_search_locations = [str(place)]
        LOADED[key] = _executed(spec, place)
    return LOADED[key]


def load_all(names: Iterable[str]) -> list[ModuleType]:
    """Import several modules, in order, as a worker process does when it begins.

    Parameters
    ----------
    names
        Names and paths as `load` takes them, or `NAME=FOLDER` as `loaded_names` gives them for
        what `load_package` imported.
    """
    modules = []
    for name in names:
        package, equals, folder = name.partition("=")
        if equals and package.isidentifier() and Path(folder).is_absolute():
            modules.append(load_package(Path(folder), package))
        else:
            modules.append(load(name))
    return modules


def loaded_names() -> tuple[str, ...]:
    """Return the loaded names and paths: the argument of `load_all` in another process."""
    return tuple(LOADED)


@cache
def load_installed() -> None:
    """Import, once, the modules that installed packages name under `gammacp.plugins`.

    A module that cannot be imported causes a warning; the others are still imported.
    """
    from importlib.metadata import entry_points

    for entry in entry_points(group=GROUP):
        try:
            entry.load()
        except Exception as error:
            why = why_it_fails(error)
            warnings.warn(f"plug-in {entry.name!r} ({entry.value}): {why}", stacklevel=2)


def instance_of(name: str, *, needs: tuple[str, ...], importing: bool) -> Any:
    """Return an object of the class that `MODULE:CLASS` names, made without arguments.

    `needs`: methods of which it must have one. `importing`: whether its module is loaded now;
    otherwise `--import` must have done so.
    """
    module, colon, class_name = name.rpartition(":")
    if not (colon and module and class_name):
        raise UsageError(f"{name!r} is not MODULE:CLASS")
    plugin_class = getattr(load(module) if importing else _loaded_before(module), class_name, None)
    if not isinstance(plugin_class, type):
        raise UsageError(f"module {module!r} has no class {class_name!r}")
    if not any(hasattr(plugin_class, method) for method in needs):
        raise UsageError(f"{name!r} has no method {needs[0]!r}")
    try:
        return plugin_class()
    except TypeError as error:
        raise UsageError(f"{name!r} cannot be made without arguments: {error}") from None


def _loaded_before(name: str) -> ModuleType:
    if name.endswith(".py"):
        stem = Path(name).stem
    else:
        stem = name
    for module in LOADED.values():
        if module.__name__ == stem:
            return module
    if name.endswith(".py"):
        path = " (with the path that leads to it from here)"
    elif _is_path(name):
        path = ""
    else:
        path = " (or the path of its file, if it is not installed)"
    raise UsageError(
        f"{name!r} names code, which a data file may not run; if you trust it, give "
        f"`plugins.load({name})`{path}"
    )


def _import(name: str) -> ModuleType:
    try:
        return import_module(name)
    except GammacpError:
        raise
    except ImportError as error:
        hint = ""
        if isinstance(error, ModuleNotFoundError) and error.name == name.partition(".")[0]:
            hint = _hint_of_path(name)
        raise UsageError(f"module {name!r} cannot be imported: {error}{hint}") from None
    except Exception as error:
        raise UsageError(f"module {name!r}: {why_it_fails(error)}") from None


def _hint_of_path(name: str) -> str:
    """Return advice on a module in the working directory; "" if there is none."""
    outermost, _, inner = name.partition(".")
    if Path(f"{outermost}.py").is_file():
        path = f"{outermost}.py"
    elif Path(outermost, "__init__.py").is_file():
        path = f"./{outermost}"
    else:
        return ""
    hint = f"; modules are not looked for in the working directory: give `plugins.load({path})`"
    if inner:
        return f"{hint} before it"
    return hint


def _imported_file(path: Path) -> ModuleType:
    """Import a file, or a package by its folder, whose neighbours it may import."""
    name = path.stem
    if path.is_dir():
        package = path
    else:
        package = None
    if package is None:
        file = path
    else:
        file = path / "__init__.py"
    if not file.is_file():
        raise UsageError(f"{file}: there is no such file to import")
    if not name.isidentifier():
        raise UsageError(f"{path}: {name!r} cannot be a module's name")
    module = sys.modules.get(name)
    if module is not None:
        if Path(getattr(module, "__file__", None) or ".").resolve() == file:
            return module
        raise UsageError(f"{path}: a module {name!r} exists already; rename the file")
    if package is None:
        inside = None
    else:
        inside = [str(package)]
    spec = spec_from_file_location(name, file, submodule_search_locations=inside)
    assert spec is not None
    # As for `python FILE`, but behind everything that is installed.
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    return _executed(spec, path)


def _executed(spec: ModuleSpec, path: Path) -> ModuleType:
    """Return the module of a specification, which can be imported by its name from then on."""
    module = sys.modules[spec.name] = module_from_spec(spec)
    try:
        if spec.loader is not None:
            spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[spec.name]
        if isinstance(error, GammacpError) or not isinstance(error, Exception):
            raise
        raise UsageError(f"{path}: {why_it_fails(error)}") from None
    return module


def why_it_fails(error: Exception) -> str:
    """Explain in a line why an extension cannot be imported.

    Parameters
    ----------
    error
        Exception that the import raised.
    """
    if isinstance(error, GammacpError):
        return str(error)
    place = extract_tb(error.__traceback__)[-1]
    if isinstance(error, SyntaxError):
        where = ""
    else:
        where = f" ({place.filename}:{place.lineno})"
    return f"fails when imported: {type(error).__name__}: {error}{where}"
