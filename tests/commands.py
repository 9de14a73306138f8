"""virtcatalog, its modules for CI and pytest as programs without their start: a process has imported all, and forks.

For tests that have bash, make or Git hooks run many commands: the fixture `programs` is a folder that goes first on
PATH. A command has the arguments, environment, folder and files of whoever calls it, and what it leaves in memory ends
with its fork. A test of the start itself, of signals, of terminals or of modules in a checkout runs the real program.
"""

from __future__ import annotations

import gc
import io
import marshal
import os
import pkgutil
import select
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from runpy import run_module
from tempfile import TemporaryDirectory

#: What stands for a program on PATH: it hands over what it was called with, and ends as the command ends. It imports
#: nothing that is written in Python, which would take longer than all else that it does.
_CLIENT = """\
#!{python} -IS
import _socket, marshal, posix
import sys
if sys.argv[0].endswith("/python") and sys.argv[1:4] not in {ours!r}:
    posix.execv(sys.executable, [sys.executable, *sys.argv[1:]])
server = _socket.socket(_socket.AF_UNIX)
server.connect({address!r})
files = b"".join(file.to_bytes(4, sys.byteorder) for file in (0, 1, 2))
server.sendmsg([b"."], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, files)])
called = memoryview(marshal.dumps((sys.argv, posix.environ, posix.getcwd())))
while called:
    called = called[server.send(called):]
server.shutdown(_socket.SHUT_WR)
status = server.recv(16)
posix._exit(int(status) if status else 70)
"""


#: The modules that CI's jobs run, as they call Python for them; all else that Python is called for, it does itself.
_OURS = [["-I", "-m", f"virtcatalog.ci.{name}"] for name in ("base", "github", "gitlab", "kind")]


@contextmanager
def serving() -> Iterator[Path]:
    """Yield the folder that has the programs, while there is a process that runs them."""
    with TemporaryDirectory(prefix="virtcatalog-") as home:
        address, programs = Path(home, "socket"), Path(home, "bin")
        programs.mkdir()
        text = _CLIENT.format(python=sys.executable, address=str(address), ours=_OURS)
        for name in ("virtcatalog", "pytest", "python"):
            client = programs / name
            client.write_text(text, encoding="utf-8")
            client.chmod(0o755)
        command = [sys.executable, "-I", __file__, str(address)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
            assert server.stdout is not None
            assert server.stdout.readline() == b"ready\n"
            yield programs
            server.communicate()  # it ends with its input


def _serve(address: str) -> socket.socket:
    """Fork for every command that is asked for, and return in the fork, as the command, what waits for its status."""
    import virtcatalog
    from virtcatalog.cli import COMMANDS, main

    for module in pkgutil.walk_packages(virtcatalog.__path__, "virtcatalog."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    import_module("syrupy")
    for name in COMMANDS:
        main.get_command(None, name)
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        os.write(1, b"ready\n")
        while True:
            readable, _, _ = select.select([listener, sys.stdin], [], [])
            if sys.stdin in readable:
                sys.exit()
            connection, _ = listener.accept()
            if not os.fork():
                break
            connection.close()
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
    _, files, _, _ = socket.recv_fds(connection, 1, 3)
    arguments, environment, folder = marshal.loads(b"".join(iter(lambda: connection.recv(65536), b"")))
    variables = {os.fsdecode(name): os.fsdecode(value) for name, value in environment.items()}
    _become(files, arguments, variables, folder)
    return connection


def _become(files: list[int], arguments: list[str], environment: dict[str, str], folder: str) -> None:
    """Take the place of the process that was called so."""
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    sys.stdin, sys.stdout, sys.stderr = (
        io.TextIOWrapper(os.fdopen(number, mode, closefd=False), encoding="utf-8", line_buffering=number == 2)
        for number, mode in enumerate(("rb", "wb", "wb"))
    )
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv[:] = arguments


def _run() -> object:
    """Do what was called, and return its status."""
    match Path(sys.argv[0]).name:
        case "pytest":
            import pytest

            return pytest.console_main()
        case "python":
            name = sys.argv[3]
            del sys.argv[:3], sys.modules[name]
            run_module(name, run_name="__main__", alter_sys=True)
            return 0
    from virtcatalog.cli import main

    return main()


if __name__ == "__main__":
    caller = _serve(sys.argv[1])
    try:
        sys.exit(_run())
    except SystemExit as end:
        sys.stdout.flush()
        status = end.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
        status = 1
    with suppress(OSError):
        caller.sendall(str(status).encode())
    os._exit(status)  # freeing what all have imported takes longer than most commands
