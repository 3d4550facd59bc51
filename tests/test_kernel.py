"""Compiled code is used again only while nothing that was compiled into it has changed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import gammacp
from gammacp import kernel as module

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


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Calls `outer.twice(1)` in a process of its own; `inner` and `other` are parts of gammacp."""
    package = tmp_path / "gammacp"
    package.mkdir()
    source = Path(gammacp.__file__).parent
    (package / "__init__.py").write_text("")
    for name in ("kernel.py", "stopping.py"):
        (package / name).write_text((source / name).read_text())
    (tmp_path / "outer.py").write_text(OUTER)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    # Python's own bytecode is taken for new where a file of equal size changes within a second.
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")

    def call(factor: float, other: str = "", before: str = "") -> list[str]:
        (package / "inner.py").write_text(INNER.format(factor))
        (package / "other.py").write_text(INNER.format(7) + other)
        done = subprocess.run(
            [sys.executable, "-c", before + CODE, str(tmp_path)],
            capture_output=True,
            text=True,
            check=True,
            env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
        )
        return done.stdout.split()

    return call


def test_a_kernel_is_compiled_anew_when_one_that_it_calls_changes(run) -> None:  # type: ignore[no-untyped-def]
    assert run(1.0) == ["2.0", "0", "True"]
    assert run(1.0) == ["2.0", "1", "False"]
    assert run(3.0) == ["6.0", "0", "True"]


def test_a_kernel_is_kept_when_another_one_changes(run) -> None:  # type: ignore[no-untyped-def]
    assert run(1.0) == ["2.0", "0", "True"]
    assert run(1.0, other="# changed") == ["2.0", "1", "False"]


def test_a_numba_that_loads_otherwise_is_left_as_it_is(run) -> None:  # type: ignore[no-untyped-def]
    changed = "import numba, numba.core.runtime.nrt as runtime\ndel runtime.rtsys\n"
    assert run(1.0, before=changed) == ["2.0", "0", "True"]
    assert run(1.0, before=changed) == ["2.0", "1", "True"]


def test_the_hash_covers_kernels_and_what_they_import() -> None:
    root = Path(module.__file__).parent
    kernels = [p for p in root.rglob("*.py") if "gammacp.kernel import" in p.read_text()]
    hashes = {module.sources(p) for p in kernels}
    assert len(hashes) == len(kernels) > 10
