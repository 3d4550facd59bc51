"""Available cores by affinity and by a container's quota, in files of both Linux versions."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gammacp.errors import UsageError
from gammacp.pools import available_cores, processes_for


@pytest.fixture(autouse=True)
def sixteen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)), raising=False)


def system(root: Path, groups: str, **files: str) -> Path:
    """Write a /proc and a /sys with the given control groups."""
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/cgroup").write_text(groups)
    for name, text in files.items():
        path = root / "sys/fs/cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.mark.parametrize(
    ("groups", "files", "cores"),
    [
        ("0::/\n", {"cpu.max": "max 100000\n"}, 16),
        ("0::/\n", {"cpu.max": "200000 100000\n"}, 2),
        ("0::/\n", {"cpu.max": "150000 100000\n"}, 2),
        ("0::/\n", {"cpu.max": "10000 100000\n"}, 1),
        ("0::/\n", {}, 16),
        # In nested groups the narrower quota counts.
        ("0::/job/step\n", {"job/step/cpu.max": "max 100000", "job/cpu.max": "300000 100000"}, 3),
        # In version 1, controllers share a folder or have their own.
        (
            "5:memory:/x\n4:cpu,cpuacct:/docker/abc\n",
            {
                "cpu,cpuacct/docker/abc/cpu.cfs_quota_us": "400000",
                "cpu,cpuacct/docker/abc/cpu.cfs_period_us": "100000",
            },
            4,
        ),
        # Inside a container, only the root of the group is mounted.
        (
            "4:cpu,cpuacct:/docker/abc\n",
            {"cpu/cpu.cfs_quota_us": "500000", "cpu/cpu.cfs_period_us": "100000"},
            5,
        ),
        ("3:cpu:/\n", {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, 16),
        ("3:memory:/\n", {"memory/cpu.max": "100000 100000"}, 16),
    ],
)
def test_the_quota_of_a_container(
    tmp_path: Path, groups: str, files: dict[str, str], cores: int
) -> None:
    assert available_cores(system(tmp_path, groups, **files)) == cores


def test_without_control_groups_only_affinity_counts(tmp_path: Path) -> None:
    assert available_cores(tmp_path) == 16


def test_every_command_uses_the_same_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gammacp.pools.cores.available_cores", lambda: 3)
    assert [processes_for(None), processes_for(None, pays=False), processes_for(2)] == [3, 1, 2]
    with pytest.raises(UsageError, match="jobs 0 < 1"):
        processes_for(0)
    with pytest.raises(UsageError, match="25 jobs on 3 cores would overload"):
        processes_for(25)
