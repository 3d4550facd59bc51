"""Connections to the studio: few, and with little time for a head.

Any user of the machine can open connections and send half a head on each. Those that nobody is
answered on are given up, the oldest first, as soon as there are more than a browser needs; so the
owner's next one is taken.
"""

import asyncio
from collections.abc import Mapping
from socket import socket
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 96  # connections; a browser opens 6, and small systems 256 files
SECONDS = 5.0  # for a head, from the connection or the answer before
_AT_ONCE = 16  # accepted before anything is read: far fewer than would push out who asks at once
_QUEUE = 512  # that wait in the system until they are accepted


class Limited(H11Protocol):
    """A connection."""

    _began = 0.0
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take it; if there are too many, give up the one that has asked nothing for longest."""
        super().connection_made(transport)
        self._wait_for_head()
        if len(self.connections) > MOST:
            idle = [c for c in self.connections if isinstance(c, Limited) and c._is_idle]
            min(idle, key=lambda c: (c.cycle is not None, c._began), default=self)._give_up()

    def on_response_complete(self) -> None:
        """Wait for the next head."""
        super().on_response_complete()
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    @property
    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _wait_for_head(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._began = self.loop.time()
        self._timer = self.loop.call_later(SECONDS, self._end_if_idle)

    def _end_if_idle(self) -> None:
        if self._is_idle:
            self._give_up()

    def _give_up(self) -> None:
        self.connections.discard(self)
        self.transport.abort()


class Server(uvicorn.Server):
    """The server of an application, on a socket that listens.

    Parameters
    ----------
    app
        Application that answers.
    """

    def __init__(self, app: Any) -> None:
        """Configure the server for this app."""
        super().__init__(
            uvicorn.Config(
                app, http=Limited, ws="none", lifespan="off", backlog=_AT_ONCE,
                log_level="error", access_log=False,
            )
        )  # fmt: skip

    async def startup(self, sockets: list[socket] | None = None) -> None:
        """Begin; asyncio takes one number for what it accepts at once and for what may wait."""
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(_QUEUE)

    async def serve(self, sockets: list[socket] | None = None) -> None:
        """Answer until Ctrl-C."""
        asyncio.get_running_loop().set_exception_handler(_report_unless_full)
        await super().serve(sockets)


def _report_unless_full(loop: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
    """Without a word where the system has no room for a connection: asyncio tries again."""
    if "socket.accept()" not in str(context.get("message")):
        loop.default_exception_handler(dict(context))
