"""An oracle behind pipes: a program that reads a case a line, as JSON, and writes an answer a line."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import selectors
import shlex
import subprocess
from typing import Any, Protocol

_SECONDS = 10
_START_SECONDS = 300
_PIPE = 65536
#: A domain of hundreds of thousands of vCPUs is longer: KubeVirt writes it, and nothing is learnt of it.
_LONGEST = 16 * 2**20


class OracleError(Exception):
    """The oracle gives no answer that can be read."""


class Asked(Protocol):
    """What can be asked about a case."""

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return what it expects of a case; OracleError when it does not say."""
        ...


class Oracle:
    """A program that is asked; started again when it has died."""

    def __init__(self, command: str, *, memory_mib: int = 0) -> None:
        self._command, self._memory = shlex.split(command), memory_mib * 2**20
        self._process: subprocess.Popen[bytes] | None = None
        self._asked = 0

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return what it expects of a case; OracleError with what it says instead."""
        try:
            answer = json.loads(self._exchange(json.dumps(question).encode() + b"\n"))
        except (OSError, ValueError) as error:
            self.close()
            raise OracleError(f"{self._command[0]}: {error}") from error
        if not isinstance(answer, dict) or not isinstance(answer.get("expected"), dict):
            problem = answer.get("error", answer) if isinstance(answer, dict) else answer
            raise OracleError(str(problem)[:2000])
        return answer["expected"]

    def close(self) -> None:
        """End the program."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _exchange(self, line: bytes) -> bytes:
        if self._process is None:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=self._limit, bufsize=0
            )
            self._asked = 0
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line)
        seconds = _SECONDS if self._asked else _START_SECONDS
        self._asked += 1
        answer = bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while not answer.endswith(b"\n"):
                if not selector.select(seconds):
                    raise OSError(f"no answer in {seconds} s")
                part = os.read(self._process.stdout.fileno(), _PIPE)
                if not part:
                    raise OSError(f"it ended with status {self._process.wait()}")
                answer += part
                if len(answer) > _LONGEST:
                    raise OSError(f"an answer of more than {_LONGEST >> 20} MiB")
        return bytes(answer)

    def _limit(self) -> None:
        if self._memory:
            resource.setrlimit(resource.RLIMIT_AS, (self._memory, self._memory))

    def __enter__(self) -> Oracle:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self.close()
