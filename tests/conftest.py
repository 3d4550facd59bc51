"""What every test may rely on."""

from __future__ import annotations

import signal

# A shell ignores SIGINT for what it starts in the background, and children inherit that: then no
# test of Ctrl-C, in this process or in one that it starts, would mean anything.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
