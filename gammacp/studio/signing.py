"""Answers that prove to come from this studio.

Once a studio has ended, any user of the machine can take its port, and a page that is still open
asks there: its address, token and all, is no secret any more. The page therefore takes an answer
only with an HMAC under a key that it got when it was loaded and that no request carries.
"""

import hmac
from dataclasses import dataclass
from hashlib import sha256

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

NONCE = "gammacp-nonce"
PROOF = "gammacp-proof"
_LONGEST_NONCE = 100  # characters; the page sends 36


@dataclass(frozen=True)
class Signed:
    """An application whose answers are signed for whoever sends a nonce.

    What the browser itself asks for (a page, a recording, a download) comes without one.

    Attributes
    ----------
    app
        Application that answers.
    key
        Secret that the page and the studio share.
    """

    app: ASGIApp
    key: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, with a signature if one is asked for."""
        if scope["type"] == "http":
            nonce = Headers(scope=scope).get(NONCE, "")
        else:
            nonce = ""
        if not nonce or len(nonce) > _LONGEST_NONCE:
            await self.app(scope, receive, send)
            return
        start: Message = {}
        body = b""

        async def send_signed(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start":
                start = message
                return
            body += message.get("body", b"")
            if message.get("more_body", False):
                return
            headers = MutableHeaders(scope=start)
            headers[PROOF] = proof(self.key, nonce, start["status"], body)
            await send(start)
            await send({"type": "http.response.body", "body": body})

        await self.app(scope, receive, send_signed)


def proof(key: str, nonce: str, status: int, body: bytes) -> str:
    """Return the HMAC-SHA256 of an answer to one request, in hexadecimal digits."""
    signed = f"{nonce}\n{status}\n".encode() + body
    return hmac.new(key.encode(), signed, sha256).hexdigest()
