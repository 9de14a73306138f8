"""Which proxy leads to a server, and how long a server is left alone."""

from __future__ import annotations

import re
import time
from email.utils import formatdate

import pytest

from virtcatalog.network import AGAIN, LONGEST_WAIT, pause, proxy_of_environment, split_proxy

_USE = "name one by http:// or https://"


@pytest.mark.parametrize(
    ("url", "place", "login"),
    [
        ("http://proxy:3128", "http://proxy:3128", ""),
        ("proxy:3128", "http://proxy:3128", ""),
        ("https://me:pass%20word@proxy", "https://proxy", "me:pass word"),
        ("http://m%40e@[::1]:8080", "http://[::1]:8080", "m@e:"),
    ],
)
def test_a_proxy_is_named_by_a_url_that_may_hold_a_login(url: str, place: str, login: str) -> None:
    assert split_proxy(url) == (place, login)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("socks5://proxy", "socks5:// proxies are not supported"),
        ("http://", "that is no URL"),
        ("http://proxy:port", "that is no URL"),
        ("http://[::1", "that is no URL"),
    ],
)
def test_any_other_proxy_is_of_no_use(url: str, why: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(why)}: {_USE}$"):
        split_proxy(url)


@pytest.mark.parametrize(
    ("no_proxy", "server", "proxied"),
    [
        ("", "https://api.example.org:6443", True),
        ("", "http://api.example.org", False),  # whose variable is another
        ("", "https://localhost", False),
        ("", "https://localhost.", False),
        ("", "https://127.0.0.9", False),
        ("", "https://[::1]:6443", False),
        ("*", "https://api.example.org", False),
        ("other.org, EXAMPLE.org", "https://api.example.org", False),
        ("example.org", "https://example.org", False),
        ("example.org", "https://badexample.org", True),
        (".example.org", "https://example.org", True),
        (".example.org", "https://api.example.org", False),
        ("*.example.org", "https://api.example.org", False),
        ("example.org:443", "https://api.example.org:443", False),
        ("example.org:443", "https://api.example.org:6443", True),
        ("10.0.0.0/8", "https://10.1.2.3", False),
        ("10.0.0.1/8", "https://10.1.2.3", False),
        ("10.0.0.0/8", "https://11.1.2.3", True),
        ("10.1.2.3", "https://10.1.2.3", False),
        ("10.1.2.3:6443", "https://10.1.2.3:6443", False),
        ("10.1.2.4:6443", "https://10.1.2.3:6443", True),
        ("10.1.2.3:6443", "https://10.1.2.3:443", True),
        ("[fd00::1]:6443", "https://[fd00::1]:6443", False),
        ("example.org", "https://10.1.2.3", True),
    ],
)
@pytest.mark.parametrize("variable", ["no_proxy", "NO_PROXY"])
def test_no_proxy_names_hosts_domains_networks_and_ports(
    monkeypatch: pytest.MonkeyPatch, variable: str, no_proxy: str, server: str, proxied: bool
) -> None:
    for name in ("no_proxy", "NO_PROXY", "https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy")
    monkeypatch.setenv(variable, no_proxy)
    assert proxy_of_environment(server) == ("http://proxy" if proxied else "")


@pytest.mark.parametrize(
    ("wanted", "number", "seconds"),
    [
        ("7", 0, 7.0),
        ("0.5", 3, 0.5),
        ("30", 0, 30.0),
        ("31", 0, 30.0),
        ("-1", 0, 0.0),
        ("soon", 0, 0.25),
        (None, 1, 0.5),
        (None, 2, 1.0),
        (None, 6, 16.0),
        (None, 7, 30.0),
    ],
)
def test_a_server_says_how_long_it_is_left_alone_else_longer_each_time(
    wanted: str | None, number: int, seconds: float
) -> None:
    assert pause({} if wanted is None else {"Retry-After": wanted}, number) == seconds


def test_a_server_may_name_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 1_000_000.0)
    assert pause({"Retry-After": formatdate(1_000_010, usegmt=True)}, 0) == 10.0
    assert pause({"Retry-After": formatdate(999_990, usegmt=True)}, 0) == 0.0
    assert pause({"Retry-After": formatdate(1_000_100, usegmt=True)}, 0) == 30.0


def test_a_proxy_without_a_port_or_of_another_scheme_is_asked_as_the_variable_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("no_proxy", "NO_PROXY", "https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    assert proxy_of_environment("https://api.example.org") == ""
    monkeypatch.setenv("http_proxy", "http://lower")
    monkeypatch.setenv("HTTP_PROXY", "http://upper")
    assert proxy_of_environment("http://api.example.org") == "http://lower"
    assert proxy_of_environment("https://api.example.org") == ""
    monkeypatch.setenv("http_proxy", "")
    assert proxy_of_environment("http://api.example.org") == "http://upper"
    monkeypatch.setenv("no_proxy", " , other.org")
    monkeypatch.setenv("NO_PROXY", "api.example.org")
    assert proxy_of_environment("http://api.example.org") == "http://upper"
    monkeypatch.setenv("no_proxy", "")
    assert proxy_of_environment("http://api.example.org") == ""


def test_after_which_answers_a_server_is_asked_again() -> None:
    assert {429, 500, 502, 503, 504} == AGAIN
    assert LONGEST_WAIT == 30
