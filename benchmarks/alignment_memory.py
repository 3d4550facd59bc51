"""Peak memory of one piece of work, from the kernel's own books (Linux).

`ru_maxrss` is the peak of the whole process, including imports and warm-up, so that smaller work
after them would measure 0. The peak in /proc can be reset, so it is used instead.
"""

import ctypes
import re
from pathlib import Path


def reset_peak() -> float:
    """Release free memory, reset the peak to the memory held now, and return it in MB."""
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def peak_since(held: float) -> float:
    """Return the peak since `reset_peak`, in MB above `held`, which that returned."""
    return _status("VmHWM") - held


def _status(name: str) -> float:
    match = re.search(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(match[1]) / 1024 if match else float("nan")
