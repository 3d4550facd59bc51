"""Peak memory of one piece of work, from the kernel's own books (Linux).

`ru_maxrss` is the highest mark of the whole process, imports and warm-up included, so that
smaller work after them measures 0. The mark in /proc can be put back instead.
"""

import ctypes
import re
from pathlib import Path


def reset_peak() -> float:
    """Give free memory back, put the mark back to what is held now, and return that, in MB."""
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def peak_since(held: float) -> float:
    """Peak since `reset_peak`, which returned `held`, in MB above it."""
    return _status("VmHWM") - held


def _status(name: str) -> float:
    found = re.search(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else float("nan")
