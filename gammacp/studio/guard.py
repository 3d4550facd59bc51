"""Guard of the server: it answers only this machine, and pages that know the address.

Every address begins with a random token. A cookie would do less: browsers send it to every port of
a host, and so to whatever another user of the machine serves there.
"""

import hmac
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HEADERS = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


@dataclass(frozen=True)
class Guard:
    """An application whose paths all begin with a secret token.

    Attributes
    ----------
    app
        Application that answers the requests that are let in.
    token
        The first part of every path.
    hosts
        Allowed values of the Host header. This stops DNS rebinding, in which the page of another
        host is made to point to this machine: it sends the name of its own host.
    """

    app: ASGIApp
    token: str
    hosts: Iterable[str]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] == "http":
            refused = self._why_refused(scope)
        else:
            refused = "this address serves only HTTP"

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if refused is not None:
            answer = PlainTextResponse(
                f"gammacp studio: {refused}\n", 403, headers={"connection": "close"}
            )
            await answer(scope, receive, send_guarded)
            return
        # If the page is closed during an upload, there is no answer and no traceback.
        with suppress(ClientDisconnect):
            await self.app({**scope, "root_path": f"/{self.token}"}, receive, send_guarded)

    def _why_refused(self, scope: Scope) -> str | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if host not in self.hosts:
            return "no such host"
        sent_token = scope["path"].partition("/")[2].partition("/")[0]  # "*" has none
        if not hmac.compare_digest(sent_token.encode("utf-8", "replace"), self.token.encode()):
            return "open the address that was printed where it was started"
        if scope["method"] not in ("GET", "HEAD") and headers.get("origin") != f"http://{host}":
            return "a change must come from the page itself"
        return None
