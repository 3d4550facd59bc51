"""Connections to the studio, limited in number and in the time to send a request head.

Any user of the machine can open connections and send half a head on each. As soon as there are more
connections than a browser needs, those without a request in progress are closed, the oldest first.
This leaves room for the owner's next connection.
"""

import asyncio
from collections.abc import Mapping
from socket import socket
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 96  # connections; a browser opens 6, and small systems allow 256 open files
SECONDS = 5.0  # for a request head, counted from the connection or the previous answer
_AT_ONCE = 16  # accepted before anything is read: too few to push out a client that asks at once
_QUEUE = 512  # connections that wait in the system until they are accepted


class Limited(H11Protocol):
    """A connection that is closed if no request head arrives in time."""

    _began = 0.0
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept a connection on `transport`; if there are too many, close the one idle longest."""
        super().connection_made(transport)
        self._wait_for_head()
        if len(self.connections) > MOST:
            idle = [c for c in self.connections if isinstance(c, Limited) and c._is_idle]
            min(idle, key=lambda c: (c.cycle is not None, c._began), default=self)._give_up()

    def on_response_complete(self) -> None:
        """Start to wait for the next request head."""
        super().on_response_complete()
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting for a request head."""
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
    """Server of an application on a listening socket.

    Parameters
    ----------
    app
        The application.
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
        """Start with a longer queue of waiting connections than asyncio would set."""
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(_QUEUE)

    async def serve(self, sockets: list[socket] | None = None) -> None:
        """Answer requests until Ctrl-C."""
        asyncio.get_running_loop().set_exception_handler(_report_unless_full)
        await super().serve(sockets)


def _report_unless_full(loop: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
    """Report errors, except that the system has no room for a connection: asyncio tries again."""
    if "socket.accept()" not in str(context.get("message")):
        loop.default_exception_handler(dict(context))
