"""Half-sent headers of strangers, which neither delay the owner's requests nor fill the log."""

import logging
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPConnection

import pytest
from starlette.responses import PlainTextResponse

from gammacp.studio import connections
from gammacp.studio.connections import MOST, Server
from gammacp.studio.guard import Guard

HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Yield the port of a server in a thread, which waits one second for headers."""
    monkeypatch.setattr(connections, "SECONDS", 1.0)
    listening = socket.create_server(("127.0.0.1", 0))
    number: int = listening.getsockname()[1]
    app = Guard(PlainTextResponse("hello"), "token", (f"127.0.0.1:{number}",))
    server = Server(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield number
    server.should_exit = True
    thread.join()


def asked(port: int, path: str = "/token/") -> tuple[int, str | None]:
    owner = HTTPConnection("127.0.0.1", port, timeout=30)
    owner.request("GET", path)
    answer = owner.getresponse()
    answer.read()
    owner.close()
    return answer.status, answer.getheader("connection")


def half_sent(port: int, content: bytes = HALF) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=30)
    with suppress(OSError):
        connection.sendall(content)
    return connection


def is_closed(connection: socket.socket) -> bool:
    """Return whether the server closes the connection, after waiting for it."""
    try:
        while connection.recv(1 << 16):
            pass
    except TimeoutError:
        return False
    except OSError:
        pass
    return True


def test_the_owner_is_answered_among_hundreds_of_half_sent_headers(
    port: int, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "SECONDS", 600.0)
    with caplog.at_level(logging.WARNING):
        held = []
        for _ in range(2):
            held += [half_sent(port) for _ in range(2 * MOST)]
            assert asked(port)[0] == 200
        assert all(map(is_closed, held[: 3 * MOST]))  # the oldest connections
    assert caplog.records == []
    for connection in held:
        connection.close()


def test_an_endless_header_is_cut_off(port: int) -> None:
    slow = half_sent(port)
    stop = threading.Event()

    def drip() -> None:
        with suppress(OSError):
            while not stop.wait(0.1):
                slow.sendall(b"a")

    thread = threading.Thread(target=drip)
    thread.start()
    assert is_closed(slow)
    stop.set()
    thread.join()
    slow.close()


def test_a_second_header_has_no_more_time_than_the_first(port: int) -> None:
    whole = f"GET /token/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    slow = half_sent(port, whole + HALF)
    assert slow.recv(12) == b"HTTP/1.1 200"
    assert is_closed(slow)
    slow.close()


def test_strangers_keep_no_connection(port: int, caplog: pytest.LogCaptureFixture) -> None:
    assert asked(port) == (200, None)
    assert asked(port, "/other/") == (403, "close")
    garbage = half_sent(port, b"\x16\x03\x01 no HTTP\r\n\r\n")
    assert garbage.recv(100).startswith(b"HTTP/1.1 400")
    garbage.close()
    assert caplog.records == []
