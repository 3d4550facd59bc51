"""The cache of compiled code: used only while none of its sources has changed.

A damaged, full or foreign cache costs time, and changes no result.
"""

import json
import os
import pkgutil
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

import gammacp
from gammacp.kernel import KERNELS, Kernel
from gammacp.kernel import cache as kernel_cache
from tests.forked import run_forked

CODE = """
import sys
sys.path.insert(0, sys.argv[1])
import outer, gammacp.kernel
value, hits = outer.twice(1.0), sum(outer.twice.stats.cache_hits.values())
print(value, hits, "numba.np.linalg" in sys.modules)
"""
INNER = (
    "from gammacp.kernel import kernel\nFACTOR = {0}\n@kernel\ndef one(x):\n    return FACTOR * x\n"
)
OUTER = (
    "from gammacp.kernel import kernel\nfrom gammacp.inner import one\n@kernel\ndef twice(x):\n"
    "    return 2 * one(x)\n"
)
Run = Callable[..., list[str]]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a gammacp that has only kernels, and a module `outer` that imports from it."""
    package = tmp_path / "gammacp"
    package.mkdir()
    source = Path(gammacp.__file__).parent
    (package / "__init__.py").write_text("")
    for folder in ("kernel", "base"):
        shutil.copytree(source / folder, package / folder, ignore=lambda *_: {"__pycache__"})
    shutil.copy(source / "errors.py", package)
    (package / "inner.py").write_text(INNER.format(1.0))
    (tmp_path / "outer.py").write_text(OUTER)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    # Python takes its bytecode for current if a file of equal size changes within a second.
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    return tmp_path


def execute(code: str, package: Path, *, anew: bool = False) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own that shows warnings.

    With `anew` it imports numba itself, which then reads the variables of the environment.
    """
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    if anew:
        command = [sys.executable, "-W", "always", "-c", code, str(package)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
    else:
        done = run_forked(code, str(package), environment=environment, folder=package)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture
def run(package: Path) -> Run:
    """Return a function that calls `outer.twice(1)` in a process of its own.

    `inner` and `other` are modules of the package.
    """

    def call(factor: float, other: str = "", before: str = "", *, anew: bool = False) -> list[str]:
        (package / "gammacp" / "inner.py").write_text(INNER.format(factor))
        (package / "gammacp" / "other.py").write_text(INNER.format(7) + other)
        return execute(before + CODE, package, anew=anew).stdout.split()

    return call


def test_a_kernel_is_recompiled_when_one_that_it_calls_changes(run: Run) -> None:
    assert run(1.0) == ["2.0", "0", "True"]
    assert run(1.0) == ["2.0", "1", "False"]
    assert run(3.0) == ["6.0", "0", "True"]


def test_a_kernel_stays_cached_when_another_one_changes(run: Run) -> None:
    assert run(1.0) == ["2.0", "0", "True"]
    assert run(1.0, other="# changed") == ["2.0", "1", "False"]


def test_constants_and_integers_share_compiled_code(package: Path) -> None:
    (package / "gammacp" / "inner.py").write_text(
        "from gammacp.kernel import kernel\n@kernel\ndef plus(x, n):\n    return x + n\n"
    )
    (package / "outer.py").write_text(
        "from gammacp.kernel import kernel\nfrom gammacp.inner import plus\n"
        "@kernel\ndef sums(x, n):\n    return plus(x, 0) + plus(x, 1) + plus(x, n)\n"
    )
    code = (
        "import sys\nsys.path.insert(0, sys.argv[1])\nimport outer\n"
        "print(outer.sums(1.0, 2), len(outer.plus.overloads))\n"
    )
    assert execute(code, package).stdout.split() == ["6.0", "1"]


def test_a_numba_with_another_loader_is_left_alone(run: Run) -> None:
    changed = "import numba, numba.core.runtime.nrt as runtime\ndel runtime.rtsys\n"
    assert run(1.0, before=changed) == ["2.0", "0", "True"]
    assert run(1.0, before=changed) == ["2.0", "1", "True"]


def test_the_hash_covers_kernels_and_their_imports() -> None:
    root = Path(gammacp.__file__).parent
    kernels = [p for p in root.rglob("*.py") if "gammacp.kernel import" in p.read_text()]
    hashes = {kernel_cache.hash_of_sources(p) for p in kernels}
    assert len(hashes) == len(kernels) > 10


def test_the_hash_covers_every_kernel_that_a_kernel_calls() -> None:
    for found in pkgutil.walk_packages(gammacp.__path__, "gammacp."):
        if "kernel" in found.name:
            import_module(found.name)
    calls = 0
    for caller in KERNELS:
        module = Path(caller.py_func.__code__.co_filename)
        for name in caller.py_func.__code__.co_names:
            called = caller.py_func.__globals__.get(name)
            if isinstance(called, Kernel):
                calls += 1
                file = Path(called.py_func.__code__.co_filename)
                assert file in kernel_cache.compiled_files(module), (caller, called)
    assert calls > 10


# All in one process: every damage, each time with a dispatcher that has loaded nothing yet.
DAMAGES = """
import json, sys, warnings
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import outer, gammacp.kernel.cache as kernel_cache
from gammacp.kernel import kernel

def call():
    fresh = kernel(outer.twice.py_func)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        value = fresh(1.0)
    kernel_cache._warn.cache_clear()
    return value, sum(fresh.stats.cache_hits.values()), [str(w.message) for w in told]

found = [call(), call()]
for damage in json.loads(Path(sys.argv[1], "damages.json").read_text()):
    (path,) = Path(sys.argv[1], "cache").rglob("outer.twice-*.kernel")
    content = bytearray(path.read_bytes())
    if damage[0] == "cut":
        del content[int(damage[1] * len(content)) :]
    else:
        content[int(damage[1] * len(content))] ^= 1 << damage[2]
    path.write_bytes(content)
    found.append(call())
print(json.dumps(found))
"""


def test_damaged_code_is_recompiled_with_a_warning(package: Path) -> None:
    """Flipped bits and cut files are noticed; a flipped bit could change results without
    an error.
    """
    draw = random.Random(0)
    cuts = [("cut", part) for part in (0, 0.005, 0.01, 0.5, 0.999)]
    flips = [("flip", draw.random(), draw.randrange(8)) for _ in range(25)]
    (package / "damages.json").write_text(json.dumps([*cuts, *flips]))
    whole, again, *damaged = json.loads(execute(DAMAGES, package).stdout)
    assert whole == [2.0, 0, []]
    assert again == [2.0, 1, []]
    assert len(damaged) == 30
    for value, hits, told in damaged:
        assert (value, hits, len(told)) == (2.0, 0, 1)
        assert "is damaged" in told[0]
        assert "compiled again" in told[0]


def test_code_written_by_others_is_not_loaded(package: Path, run: Run) -> None:
    """Compiled code runs with the rights of whoever loads it, so its owner is checked."""
    if not hasattr(os, "getuid") or os.getuid() != 0:
        pytest.skip("only root can give a file away")
    assert run(1.0)[:2] == ["2.0", "0"]
    (path,) = (package / "cache").rglob("outer.twice-*.kernel")
    os.chown(path, 65534, 65534)
    assert run(1.0)[:2] == ["2.0", "0"]
    assert path.stat().st_uid == 0, "replaced by code of one's own"


BESIDE = """
import os, sys
del os.environ["NUMBA_CACHE_DIR"]
os.environ["XDG_CACHE_HOME"] = sys.argv[1] + "/elsewhere"
sys.path.insert(0, sys.argv[1])
import gammacp.kernel.folders as kernel_folders
"""
READ_ONLY = """
make = kernel_folders.TemporaryFile
def refuse(dir):
    if dir.name == "__pycache__":
        raise PermissionError(13, "Permission denied")
    return make(dir=dir)
kernel_folders.TemporaryFile = refuse
"""


def test_code_of_an_image_serves_users_who_cannot_write_there(package: Path, run: Run) -> None:
    assert run(1.0, before=BESIDE)[:2] == ["2.0", "0"]
    assert run(1.0, before=BESIDE + READ_ONLY)[:2] == ["2.0", "1"]
    assert list((package / "elsewhere").rglob("*.kernel")) == []


NO_PLACE = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
"""


@pytest.mark.slow
def test_a_full_disk_costs_only_the_cache(package: Path) -> None:
    pytest.importorskip("resource")
    done = execute(NO_PLACE + CODE, package, anew=True)  # its output is no file
    assert done.stdout.split()[:2] == ["2.0", "0"]
    assert done.stderr.count("compiled code cannot be kept") == 1
    assert "NUMBA_CACHE_DIR" in done.stderr
    assert [p for p in (package / "cache").rglob("*") if p.is_file()] == []


def test_kernels_are_plain_python_where_numba_is_told_so(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    code = "import sys; sys.path.insert(0, sys.argv[1]); import outer; print(type(outer.twice))"
    assert "function" in execute(code, package, anew=True).stdout


@pytest.mark.slow
def test_two_concurrent_processes_compile_once(package: Path) -> None:
    slow = (
        "import sys, time\nsys.path.insert(0, sys.argv[1])\nfrom gammacp.kernel.cache import "
        "KernelCache\nkeep = KernelCache.save_overload\ndef late(*args):\n"
        "    if 'outer' in args[0]._name: time.sleep(1.5)\n    keep(*args)\n"
        "KernelCache.save_overload = late\n"
    )
    started = [
        subprocess.Popen(
            [sys.executable, "-c", slow + CODE, str(package)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    told = [process.communicate()[0].split()[:2] for process in started]
    assert [value for value, _ in told] == ["2.0"] * 2
    assert sorted(hits for _, hits in told) == ["0", "1"]


def test_compilation_is_announced_once(package: Path) -> None:
    (package / "gammacp" / "inner.py").write_text(INNER.format(1.0))
    told = (
        "import sys; sys.path.insert(0, sys.argv[1]); import gammacp.base.stopping as stopping\n"
        "stopping.compile_listeners.append(lambda: print('compiles'))\n"
    )
    assert execute(told + CODE, package).stdout.split()[:2] == ["compiles", "2.0"]
    assert execute(told + CODE, package).stdout.split()[:2] == ["2.0", "1"]


SHIPPED = """
import os, sys
for name in ("NUMBA_CACHE_DIR", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"):
    os.environ.pop(name, None)
os.environ["XDG_CACHE_HOME"] = sys.argv[1] + "/elsewhere"
"""


@pytest.mark.slow
def test_generic_code_of_a_wheel_is_used(
    package: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = package / "gammacp" / "kernel" / "shipped"
    with monkeypatch.context() as building:
        building.setenv("NUMBA_CPU_NAME", "generic")
        building.setenv("NUMBA_CPU_FEATURES", "")
        assert run(1.0, anew=True)[:2] == ["2.0", "0"]
    shipped.mkdir()
    for file in (package / "cache").rglob("*.kernel"):
        shutil.move(file, shipped)
    assert len(list(shipped.iterdir())) == 2
    assert run(1.0, before=SHIPPED)[:2] == ["2.0", "1"]
    # Code of other sources or of another numba is ignored.
    assert run(3.0, before=SHIPPED)[:2] == ["6.0", "0"]
    other = SHIPPED + "import numba; numba.__version__ = '0.0'\n"
    assert run(1.0, before=other)[:2] == ["2.0", "0"]


@pytest.mark.parametrize(
    "content",
    ["disable_jit: 1\n", *(pytest.param(c, marks=pytest.mark.slow) for c in ("a: [\n", "- 1\n"))],
)
def test_numba_reads_no_file_of_the_working_directory(tmp_path: Path, content: str) -> None:
    """A foreign folder can neither switch compilation off nor crash the process."""
    (tmp_path / ".numba_config.yaml").write_text(content)
    code = (
        "import gammacp.kernel, sys, yaml, numba; from numba.core import config; "
        "config.reload_config(); print(numba.config.DISABLE_JIT, yaml.safe_load('1'))"
    )
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_DISABLE")}
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment | {"PYTHONPATH": root},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "0 1\n"), done.stderr
    assert done.stderr.count(".numba_config.yaml is not read") == 1
    assert "Traceback" not in done.stderr
