"""The versions of software on which values depend, for stores and for workers of a sweep.

Versions of Python and of the packages that compute; a hash of the source of gammacp and shuffling,
without what only reads or shows; and a hash of each of the user's modules together with
what it imports. All of it is taken once in a process, when it is first asked for: that is the code
that the process has loaded, whatever becomes of the files.
"""

import ast
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib.machinery import ModuleSpec
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec, resolve_name
from pathlib import Path

from gammacp.base.subjects import subjects
from gammacp.base.version import __version__

_PACKAGES = ("numpy", "scipy", "numba", "ortools", "networkx")
# Packages of the core that workers do not run, since tasks contain the data that were read.
_ASIDE = ("cli", "formats", "datasets")
_OURS = ("gammacp", "shuffling")
_INSTALLED = ("site-packages", "dist-packages")
# By module: its spec, which a reload replaces, and the hash of what was loaded with it.
_LOADED: dict[str, tuple[object, str]] = {}


def software(modules: Iterable[str] = ()) -> dict[str, str]:
    """Return the versions of the software that computes here.

    Parameters
    ----------
    modules
        The user's own modules (measures, errors, dissimilarities, sources); imported already.

    Returns
    -------
    dict
        Versions, and hashes of sources under "source of <module>".
    """
    return {**_own(), **{f"source of {name}": _source_of(name) for name in sorted(set(modules))}}


def differences(remote: Mapping[str, str], local: Mapping[str, str]) -> str:
    """Return the differences between two sets of versions in words; "" if there are none.

    >>> differences({"numpy": "2.0"}, {"numpy": "2.3", "scipy": "1.14"})
    'numpy 2.0 there, 2.3 here; scipy absent there, 1.14 here'
    """
    return "; ".join(
        f"{name} {remote.get(name, 'absent')} there, {local.get(name, 'absent')} here"
        for name in dict.fromkeys((*local, *remote))
        if remote.get(name) != local.get(name)
    )


def processor() -> str:
    """Return the processor's name, if the system tells it: sums may round differently on others."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = (x.partition(":")[2].strip() for x in lines if x.startswith("model name"))
    return next(named, "") or platform.processor() or platform.machine()


@cache
def _own() -> Mapping[str, str]:
    """Versions, and the hash of gammacp's own source; a cluster's workers compare them per task."""
    versions = {
        "python": ".".join(map(str, sys.version_info[:3])),
        "gammacp": __version__,
        "source of gammacp": _own_source(),
    }
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "absent"
    return versions


def _own_source() -> str:
    """Return a hash of the source of gammacp and shuffling, wherever they are installed."""
    digest = sha256()
    aside = {*_ASIDE, *(subject.name for subject in subjects().values() if subject.aside)}
    for package in _OURS:
        spec = find_spec(package)
        assert spec is not None and spec.submodule_search_locations is not None
        folder = Path(spec.submodule_search_locations[0])
        for path in sorted(folder.rglob("*.py")):
            inside = path.relative_to(folder)
            if inside.parts[0] not in aside:
                digest.update(inside.as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def _source_of(name: str) -> str:
    """Return a hash of the sources of a module and of all it imports, but installed packages."""
    spec = getattr(sys.modules.get(name), "__spec__", None)
    entry = _LOADED.get(name)
    if entry is None or entry[0] is not spec:
        sources = dict(_imported_sources(name))
        text = "".join(f"{key}\n{sources[key]}\n" for key in sorted(sources))
        entry = spec, sha256(text.encode()).hexdigest()[:12] if sources else "not in a file"
        _LOADED[name] = entry
    return entry[1]


def _imported_sources(name: str) -> Iterator[tuple[str, str]]:
    """Return (module, source) for the module and those of the user's that it imports."""
    pending = [name]
    seen_modules = {name}
    while pending:
        module = pending.pop()
        same = module.partition(".")[0] == name.partition(".")[0]
        if same or _is_own(module.partition(".")[0]):
            path = _file(module)
        else:
            path = None
        if path is None:
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        yield module, text
        if path.name == "__init__.py":
            package = module
        else:
            package = module.rpartition(".")[0]
        new = set(_imports(text, package)) - seen_modules
        seen_modules |= new
        pending += new


def _imports(text: str, package: str) -> Iterator[str]:
    """Return the modules that a source may import."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (package or not node.level):
            base = resolve_name("." * node.level + (node.module or ""), package)
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _is_own(top: str) -> bool:
    """Return whether a top-level module is neither Python's nor installed, without importing it."""
    if top in (*_OURS, *sys.stdlib_module_names):
        return False
    spec = _spec(top)
    if spec is None:
        places = []
    else:
        places = [spec.origin, *(spec.submodule_search_locations or ())]
    path_parts = [Path(place).parts for place in places if place]
    return bool(path_parts) and not any(set(_INSTALLED).intersection(parts) for parts in path_parts)


def _file(name: str) -> Path | None:
    """Return the source file of a module; None if there is none."""
    origin = getattr(sys.modules.get(name), "__file__", None)
    if origin is None and name != "__main__":
        origin = getattr(_spec(name), "origin", None)
    path = Path(origin or "")
    if path.suffix == ".py" and path.is_file():
        return path
    return None


def _spec(name: str) -> ModuleSpec | None:
    try:
        return find_spec(name)
    except (ImportError, AttributeError, ValueError):
        return None
