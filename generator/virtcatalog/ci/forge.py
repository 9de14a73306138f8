"""Requests to the API of a forge, with a token that nobody else gets, and the one comment that is replaced."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from http.client import HTTPException
from typing import IO, Any, Final, NamedTuple
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from virtcatalog.errors import VirtcatalogError

PAGE: Final = 100
_SECONDS: Final = 30


class ForgeError(VirtcatalogError):
    """A forge does not take a request; `forbidden` when the token may not do this, whenever it is tried."""

    def __init__(self, message: str, *, forbidden: bool = False) -> None:
        super().__init__(message)
        self.forbidden = forbidden


class _NoRedirects(HTTPRedirectHandler):
    """Whoever a request is sent on to would get the token with it."""

    def redirect_request(self, *_: object) -> None:
        return None


class Api(NamedTuple):
    """The API of a forge: what it is called, and the headers that say who asks."""

    name: str
    headers: Mapping[str, str]

    def __call__(self, method: str, url: str, content: Mapping[str, str] | None = None) -> Any:
        """Send JSON, and return the JSON of the answer; raises ForgeError."""
        data = None if content is None else json.dumps(content).encode()
        headers = {"Content-Type": "application/json", **self.headers}
        try:
            request = Request(url, data, headers, method=method)
            with build_opener(_NoRedirects).open(request, timeout=_SECONDS) as answer:
                return json.load(answer)
        except HTTPError as error:
            raise self._refused(error) from error
        except (OSError, HTTPException) as error:
            raise ForgeError(f"{self.name} cannot be reached: {error}") from error
        except (ValueError, RecursionError) as error:
            raise ForgeError(f"{self.name} answers what is no JSON: {error}") from error

    def _refused(self, error: HTTPError) -> ForgeError:
        status = f"{error.code} {error.reason}"
        if 300 <= error.code < 400:
            to = error.headers.get("Location", "elsewhere")
            return ForgeError(f"{self.name} redirects to {to} ({status}), which would get the token: not followed")
        if _is_limited(error):
            return ForgeError(f"{self.name} takes no more requests for now ({status}): its rate limit is reached")
        return ForgeError(f"{self.name} does not take the request: {status}", forbidden=error.code in (401, 403, 404))


def _is_limited(error: HTTPError) -> bool:
    """Whether too many requests are what is wrong, which GitHub says with 403, too."""
    headers = error.headers
    if error.code == 429 or "Retry-After" in headers or headers.get("X-RateLimit-Remaining") == "0":
        return True
    return error.code == 403 and "rate limit" in _text(error).lower()


def _text(body: IO[bytes]) -> str:
    try:
        return body.read(2**16).decode(errors="replace")
    except (OSError, HTTPException):
        return ""


def pages(ask: Callable[[int], Any]) -> Iterator[dict[str, Any]]:
    """Yield what a list of a forge holds, page by page; `ask` gets the number of the page."""
    page = 1
    while True:
        items = ask(page)
        if not isinstance(items, list):
            raise ForgeError("a list of comments was asked for, and the answer is none")
        yield from items
        if len(items) < PAGE:
            return
        page += 1
