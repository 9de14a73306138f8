"""HTTP servers of the tests, on the loopback address."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import MappingProxyType
from typing import Any

_POLL = 0.01
"""How many seconds a server may take to see that it is to end."""


class Handler(BaseHTTPRequestHandler):
    """A handler that logs nothing."""

    #: Head and body are two writes, and the second would wait 40 ms for the other side's word about the first.
    disable_nagle_algorithm = True

    def content(self) -> bytes:
        """Return the request's body."""
        return self.rfile.read(int(self.headers["Content-Length"]))

    def respond(self, status: int, body: Any = b"", headers: Mapping[str, str] = MappingProxyType({})) -> None:
        """Answer with a body; what is not bytes is written as JSON."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Nothing: a client may go, for instance when it does not trust the server."""


@contextmanager
def served(handler: type[BaseHTTPRequestHandler], tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """Serve until the context ends; it gives `HOST:PORT`."""
    with _Server(("127.0.0.1", 0), handler) as server:
        if tls is not None:  # each connection is secured by its own thread
            server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        Thread(target=server.serve_forever, args=(_POLL,), daemon=True).start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
