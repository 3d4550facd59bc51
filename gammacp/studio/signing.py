"""Signed answers, which prove that they come from this studio.

After a studio has ended, any user of the machine can take its port. A page that is still open then
sends its requests there, so its address with the token is no longer secret. The page therefore
accepts only answers with an HMAC. Its key was part of the page and never appears in a request.
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
    """An application that signs its answer to every request with a nonce.

    Requests by the browser itself (a page, a recording, a download) have no nonce.

    Attributes
    ----------
    app
        Application that answers.
    key
        Secret shared by the page and the studio.
    """

    app: ASGIApp
    key: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, with a signature if it has a nonce."""
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
