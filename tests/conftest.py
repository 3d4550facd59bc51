"""What every test may rely on."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

# A shell ignores SIGINT for what it starts in the background, and children inherit that: then no
# test of Ctrl-C, in this process or in one that it starts, would mean anything.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _without_toys(request: pytest.FixtureRequest) -> Iterator[None]:
    """Measures that sweeps register for their tests are nobody else's: one of them always fails."""
    from gammacp.measures.registry import MEASURES

    toys = [n for n in MEASURES._entries if n.startswith("toy-")]
    if "bench" in request.path.parts or not toys:
        yield
        return
    hidden = {name: MEASURES._entries.pop(name) for name in toys}
    try:
        yield
    finally:
        MEASURES._entries.update(hidden)
