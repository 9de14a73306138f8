"""A registry in memory, which writes down what it is asked: by whom, for what, and with what kind of body."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

from serving import Handler, served
from virtcatalog.oci.image import digest_of


class Memory:
    """What a registry holds by name and digest; with `lists` it lists itself what is about an artifact."""

    def __init__(self, *, lists: bool = False) -> None:
        self.host, self.lists = "", lists
        self.blobs: dict[str, bytes] = {}
        self.manifests: dict[str, bytes] = {}
        self.types: dict[str, str] = {}
        self.requests: list[str] = []


@contextmanager
def memory(*, lists: bool = False) -> Iterator[Memory]:
    """Serve one over plain HTTP; uploads go to a place of their own, with a query."""
    ours = Memory(lists=lists)

    class Answering(Handler):
        def do_HEAD(self) -> None:
            self.answer(ours.blobs)

        def do_GET(self) -> None:
            self.answer(ours.manifests if "/manifests/" in self.path else ours.blobs)

        def answer(self, held: dict[str, bytes]) -> None:
            name = self.note()
            self.respond(200, b"" if self.command == "HEAD" else held[name]) if name in held else self.respond(404)

        def do_POST(self) -> None:
            self.note()
            self.content()
            self.respond(202, b"", {"Location": "/upload?state=a%2Fb"})

        def do_PUT(self) -> None:
            name, content = self.note(), self.content()
            query = parse_qs(urlsplit(self.path).query)
            if query:
                assert query["state"] == ["a/b"]
                [name] = query["digest"]
                assert (digest_of(content), self.headers["Content-Type"]) == (name, "application/octet-stream")
                ours.blobs[name] = content
            else:
                ours.manifests[name] = content
                ours.types[name] = self.headers["Content-Type"]
            headers = {"OCI-Subject": "sha256:a"} if ours.lists and b'"subject"' in content else {}
            self.respond(201, b"", headers)

        def note(self) -> str:
            path = urlsplit(self.path).path
            ours.requests.append(f"{self.command} {path}")
            return path.rpartition("/")[2]

    with served(Answering) as ours.host:
        yield ours
