"""Who a registry takes us for: the user's docker config, and the credential helpers that it names.

Source: docker/cli, cli/config/configfile (file.go, auths, credHelpers, credsStore) and docker-credential-helpers.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import re
import subprocess
from typing import Any, Final

import msgspec

from virtcatalog.checkouts import checkout_of
from virtcatalog.manifests.sources import is_file
from virtcatalog.oci.reference import OciError, content_of

_SECONDS: Final = 60
_NAME: Final = re.compile(r"[A-Za-z0-9][\w.-]*", re.ASCII)
_IDENTITY: Final = "<token>"
_DOCKER_HUB: Final = {"docker.io": "https://index.docker.io/v1/"}


class Login(msgspec.Struct, frozen=True):
    """A user and password, or an identity token that a registry's token server takes in their place."""

    user: str = ""
    password: str = ""
    identity: str = ""

    @property
    def basic(self) -> str:
        """The header of HTTP's basic authentication, "" without a user."""
        return f"Basic {base64.b64encode(f'{self.user}:{self.password}'.encode()).decode()}" if self.user else ""


def login(host: str) -> Login:
    """Return who we are at a registry, nobody where no file says; OciError for a file that cannot be used.

    The file is that of REGISTRY_AUTH_FILE, or config.json in DOCKER_CONFIG or ~/.docker.
    """
    file = _file()
    if file is None:
        return Login()
    config = _read(file)
    server = _DOCKER_HUB.get(host, host)
    helpers, auths = config.get("credHelpers"), config.get("auths")
    helper = helpers.get(server) or helpers.get(host) if isinstance(helpers, dict) else None
    helper = helper or config.get("credsStore")
    if helper:
        return _of_helper(str(helper), server, file)
    for name, entry in auths.items() if isinstance(auths, dict) else ():
        if isinstance(entry, dict) and (name == server or host in (name, _host(name))):
            return _of_entry(entry, name, file)
    return Login()


def _file() -> str | None:
    own_file = os.environ.get("REGISTRY_AUTH_FILE")
    folder = os.environ.get("DOCKER_CONFIG") or os.path.expanduser("~/.docker")  # noqa: PTH111
    file = own_file or f"{folder}/config.json"
    return file if own_file or is_file(file) else None


def _read(file: str) -> dict[str, Any]:
    try:
        config = json.loads(content_of(file))
    except (ValueError, RecursionError) as error:
        raise OciError(f"{file}: is no JSON: {error}") from None
    if not isinstance(config, dict):
        raise OciError(f"{file}: is no docker config")
    return config


def _host(name: str) -> str:
    """The host of an entry: old ones are URLs."""
    return name.partition("://")[2].partition("/")[0] if "://" in name else name


def _of_entry(entry: dict[str, Any], name: str, file: str) -> Login:
    if entry.get("identitytoken"):
        return Login(identity=str(entry["identitytoken"]))
    if entry.get("username"):
        return Login(str(entry["username"]), str(entry.get("password") or ""))
    if not entry.get("auth"):
        return Login()
    try:
        user, colon, password = base64.b64decode(str(entry["auth"]), validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        user = colon = password = ""
    if not colon:
        raise OciError(f"{file}: auths[{name!r}].auth is no USER:PASSWORD in base64")
    return Login(user, password.strip("\0"))


def _of_helper(name: str, server: str, file: str) -> Login:
    """Ask a helper, as docker does; it is a program of the user's, and a checkout names none."""
    if not _NAME.fullmatch(name):
        raise OciError(f"{file}: {name!r} is no name of a credential helper")
    checkout = checkout_of(os.path.dirname(os.path.realpath(file)))  # noqa: PTH120
    if checkout:
        raise OciError(f"{file}: lies in the checkout {checkout}, and anybody may name credential helpers there")
    try:
        process = subprocess.run(  # noqa: S603 - the user's own configuration names it
            [f"docker-credential-{name}", "get"], input=server.encode(), capture_output=True, timeout=_SECONDS
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise OciError(f"docker-credential-{name} gave no credentials: {error}") from error
    if process.returncode:
        output = process.stdout.decode(errors="replace").strip()
        if "credentials not found" in output:
            return Login()
        raise OciError(f"docker-credential-{name} gave no credentials: {output or process.returncode}")
    try:
        answer = json.loads(process.stdout)
        user, secret = str(answer["Username"]), str(answer["Secret"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise OciError(f"docker-credential-{name} printed no credentials") from None
    return Login(identity=secret) if user == _IDENTITY else Login(user, secret)
