"""An API server that lists objects in pages, and can fail in every way that one fails. It counts what writes."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from ssl import SSLContext
from typing import Any
from urllib.parse import parse_qs, urlsplit

from serving import Handler, served
from virtcatalog.live.resources import PODS, RESOURCES, SURROUNDINGS

Data = dict[str, Any]
Answer = tuple[int, bytes, dict[str, str]]
#: What is answered in place of the list, None for the list: of a path, its query and the number of the request.
Fault = Callable[[str, dict[str, str], int], Answer | None]

_PATHS = {(resource.api_version, resource.kind): resource.path for resource in (*RESOURCES, *SURROUNDINGS, PODS)}


def status(code: int, message: str, **headers: str) -> Answer:
    """A refusal as the API server words it; `Retry_After` is the header."""
    body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "code": code}
    return code, json.dumps(body).encode(), {key.replace("_", "-"): value for key, value in headers.items()}


class Server:
    """What is served, and what was asked: `verbs` by method, `requests` as path and query.

    `refusal` is the status that dry runs get which are not taken.
    """

    def __init__(
        self, objects: Iterable[Data], fault: Fault | None = None, token: str = "", refusal: int = 422
    ) -> None:
        self.fault, self.token, self.refusal = fault, token, refusal
        self.verbs: list[str] = []
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.lists: dict[str, list[Data]] = {path: [] for path in _PATHS.values()}
        for obj in objects:
            self.lists[_PATHS[obj["apiVersion"], obj["kind"]]].append(obj)
        self._texts: dict[str, list[bytes]] = {}
        self._lock = threading.Lock()

    def answer(self, path: str, query: dict[str, str], authorization: str) -> Answer:
        with self._lock:
            self.requests.append((path, query))
            number = len(self.requests)
        if self.token and authorization != f"Bearer {self.token}":
            return status(401, "Unauthorized")
        if self.fault is not None and (fault := self.fault(path, query, number)) is not None:
            return fault
        if path not in self.lists:
            return status(404, "the server could not find the requested resource")
        return 200, self._page(path, query), {"Content-Type": "application/json"}

    def _page(self, path: str, query: dict[str, str]) -> bytes:
        texts = self._texts.get(path)
        if texts is None:
            texts = self._texts[path] = [json.dumps(item).encode() for item in self.lists[path]]
        first, limit = int(query.get("continue", "0")), int(query.get("limit", len(texts) or 1))
        further = f'"continue": "{first + limit}"' if first + limit < len(texts) else ""
        return b'{"kind": "List", "metadata": {%s}, "items": [%s]}' % (
            further.encode(),
            b",".join(texts[first : first + limit]),
        )


@contextmanager
def serving(server: Server, folder: Path, tls: SSLContext | None = None, **user: Any) -> Iterator[str]:
    """Yield the kubeconfig of a server that runs, whose context is `lab`."""

    class Answers(Handler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            server.verbs.append("GET")
            parts = urlsplit(self.path)
            query = {key: values[0] for key, values in parse_qs(parts.query).items()}
            code, body, headers = server.answer(parts.path, query, self.headers.get("Authorization", ""))
            if code == 0:  # the server dies
                self.close_connection = True
                return
            self.respond(code, body, headers)

        def _refuse(self) -> None:
            server.verbs.append(self.command)
            self.send_error(405)

        def do_PATCH(self) -> None:
            """A dry run is taken, unless it is of a VM called `refused-…`; nothing else is."""
            parts = urlsplit(self.path)
            if parse_qs(parts.query).get("dryRun") != ["All"]:
                self._refuse()
                return
            assert self.headers["Content-Type"] == "application/apply-patch+yaml"
            server.verbs.append("dry run")
            self.content()
            refused = parts.path.rpartition("/")[2].startswith("refused-")
            code, body, _ = status(server.refusal, "the webhook says no") if refused else (200, b"{}", {})
            self.respond(code, body)

        do_POST = do_PUT = do_DELETE = do_HEAD = _refuse

    with served(Answers, tls) as address:
        scheme = "http" if tls is None else "https"
        file = folder / "kubeconfig"
        file.write_text(json.dumps(kubeconfig(f"{scheme}://{address}", **user)))
        yield str(file)


def kubeconfig(server: str, **user: Any) -> Data:
    """A kubeconfig with one context."""
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "lab",
        "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": "me"}}],
        "clusters": [{"name": "lab", "cluster": {"server": server}}],
        "users": [{"name": "me", "user": user}],
    }
