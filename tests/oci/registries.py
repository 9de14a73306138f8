"""Debian's docker-registry on this machine, with a certificate of a test's authority and a password."""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from certificates import Pair

PROGRAM = "docker-registry"
USER, PASSWORD = "maintainer", "secret"
#: `htpasswd -nbB maintainer secret`
HTPASSWD = f"{USER}:$2b$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a\n"


class Running(NamedTuple):
    """A registry that runs: its address, the file with its authority, and the folder of its docker config."""

    host: str
    authority: Path
    docker: Path
    storage: Path


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def docker_config(folder: Path, host: str, user: str = USER, password: str = PASSWORD) -> Path:
    """Write what `docker login` writes; return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    auth = base64.b64encode(f"{user}:{password}".encode()).decode()
    (folder / "config.json").write_text(json.dumps({"auths": {host: {"auth": auth}}}))
    return folder


@contextmanager
def registry(folder: Path, authority: Pair, server: Pair, token: dict[str, object] | None = None) -> Iterator[Running]:
    """Run a registry that wants a password or a `token`; on a laptop without one the tests that want it are skipped."""
    program = shutil.which(PROGRAM)
    if program is None:
        if os.environ.get("CI"):
            raise FileNotFoundError(f"{PROGRAM}: apt-get install {PROGRAM}")
        pytest.skip(f"there is no {PROGRAM}: apt-get install {PROGRAM}")
    port = free_port()
    (folder / "htpasswd").write_text(HTPASSWD)
    settings = {
        "version": 0.1,
        "log": {"level": "error"},
        "storage": {"filesystem": {"rootdirectory": str(folder / "storage")}},
        "http": {
            "addr": f"127.0.0.1:{port}",
            "secret": "of a test",
            "tls": {"certificate": str(server.certificate), "key": str(server.key)},
        },
        "auth": {"token": token} if token else {"htpasswd": {"realm": "test", "path": str(folder / "htpasswd")}},
    }
    (folder / "config.yml").write_text(json.dumps(settings))
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([program, "serve", folder / "config.yml"], stdout=log, stderr=log)
    try:
        _wait(port, process, folder / "log")
        host = f"127.0.0.1:{port}"
        yield Running(host, authority.certificate, docker_config(folder / "docker", host), folder / "storage")
    finally:
        process.terminate()
        process.wait()


def _wait(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(200):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        assert process.poll() is None, log.read_text()
        time.sleep(0.05)
    raise TimeoutError(log.read_text())


@contextmanager
def interrupted(upstream: str, after: int) -> Iterator[str]:
    """Yield the address of a line to a server that is cut for good once so many bytes have been sent to it."""
    listening = socket.create_server(("127.0.0.1", 0))
    host, _, port = upstream.partition(":")
    left = [after]

    def carry(here: socket.socket, there: socket.socket, *, counted: bool) -> None:
        with suppress(OSError):
            while content := here.recv(4096):
                left[0] -= len(content) if counted else 0
                if left[0] < 0:
                    break
                there.sendall(content)
        for end in (here, there):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def accept() -> None:
        with suppress(OSError):
            while True:
                client, _ = listening.accept()
                server = socket.create_connection((host, int(port)))
                threading.Thread(target=carry, args=(client, server), kwargs={"counted": True}, daemon=True).start()
                threading.Thread(target=carry, args=(server, client), kwargs={"counted": False}, daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"127.0.0.1:{listening.getsockname()[1]}"
    finally:
        listening.close()
