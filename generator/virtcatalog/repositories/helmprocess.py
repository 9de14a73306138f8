"""How helm is started, to render a chart that a stranger wrote. No other module starts helm.

A chart's templates run within helm: they compute texts, and reach no file but those of the chart's folder, no
environment, no cluster and no command. What reaches further is kept from it: it sees a folder that `charts` has
written, without links and schemas, and an empty home, and it has no plugins, no registries, no kubeconfig and no DNS.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from virtcatalog.api.corekinds import KUBERNETES
from virtcatalog.api.kinds import KINDS
from virtcatalog.errors import VirtcatalogError
from virtcatalog.limits import HELM_BYTES, HELM_OUTPUT_BYTES, HELM_SECONDS

#: The first helm whose templates look up no host names, unless it is told to (CVE-2023-25165).
OLDEST: Final = (3, 11, 1)

_OPTIONS: Final = (
    *("template", "--skip-tests", f"--kube-version={KUBERNETES}"),
    *(f"--api-versions={version}" for version in KINDS),
    *(f"--api-versions={version}/{kind}" for version, kinds in KINDS.items() for kind in kinds),
)
_LIMITED: Final = sys.platform == "linux"
_SHOWN: Final = 300


class HelmError(VirtcatalogError):
    """helm cannot render a chart."""


def find_helm() -> str:
    """Return where the user's helm is, "" when there is none that can be used.

    It is never one of the current folder, which may be a stranger's checkout.
    """
    program = shutil.which("helm")
    return program if program is not None and Path(program).is_absolute() and _is_usable(program) else ""


def _is_usable(program: str) -> bool:
    from subprocess import DEVNULL, TimeoutExpired, run
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="virtcatalog-helm-") as home:
        command = [program, "version", "--template", "{{.Version}}"]
        try:
            process = run(  # noqa: S603 - a list of constants
                command, capture_output=True, stdin=DEVNULL, env=_environment(home), timeout=HELM_SECONDS, check=False
            )
        except (OSError, TimeoutExpired):
            return False
    version = re.match(rb"v(\d+)\.(\d+)(?:\.(\d+))?", process.stdout)
    return version is not None and tuple(int(part or 99) for part in version.groups()) >= OLDEST


def template(
    program: str, folder: Path, name: str, namespace: str, values: Sequence[Path], settings: Sequence[str]
) -> bytes:
    """Return what helm renders of a chart, which is in `chart/` of a folder of our own; raises HelmError.

    `values` are files in that folder, the later laid over the earlier; `settings` are `--set` options.
    """
    from subprocess import DEVNULL, Popen, TimeoutExpired

    home = folder / "home"
    home.mkdir(exist_ok=True)
    options = (f"--namespace={namespace or 'default'}", *(f"--values={file}" for file in values), *settings)
    command = [program, *_OPTIONS, *options, "--", name, str(folder / "chart")]
    printed, errors = folder / "printed", folder / "said"
    try:
        with printed.open("wb") as out, errors.open("wb") as err:
            process = Popen(command, stdin=DEVNULL, stdout=out, stderr=err, env=_environment(str(home)))  # noqa: S603 - a list
    except (OSError, ValueError) as error:
        raise HelmError(f"helm cannot be run: {getattr(error, 'strerror', None) or error}") from error
    with process:
        _limit(process.pid)
        try:
            process.wait(timeout=3 * HELM_SECONDS if _LIMITED else HELM_SECONDS)
        except TimeoutExpired:
            process.kill()
    if process.returncode < 0:
        raise HelmError(f"helm takes more than {HELM_SECONDS} seconds, or prints too much")
    if process.returncode:
        raise HelmError(_failure(errors.read_bytes()))
    return printed.read_bytes()


def _limit(process: int) -> None:
    """Let helm take so much and no more: a line of a template can stand for work without an end."""
    if sys.platform == "linux":  # as _LIMITED, in words that type checkers know
        import resource

        limits = (
            (resource.RLIMIT_CPU, HELM_SECONDS),
            (resource.RLIMIT_DATA, HELM_BYTES),
            (resource.RLIMIT_FSIZE, HELM_OUTPUT_BYTES),
            (resource.RLIMIT_CORE, 0),
        )
        for limit, most in limits:
            with suppress(OSError, ValueError):  # it has ended already, or may take less anyway
                resource.prlimit(process, limit, (most, most))


def _environment(home: str) -> dict[str, str]:
    folders = {f"HELM_{name}_HOME": f"{home}/{name.lower()}" for name in ("CONFIG", "CACHE", "DATA")}
    return {
        **folders,
        "HOME": home,
        "TMPDIR": home,
        "PATH": "",
        "LC_ALL": "C",
        "HELM_PLUGINS": f"{home}/plugins",
        "HELM_REGISTRY_CONFIG": f"{home}/registry.json",
        "HELM_REPOSITORY_CONFIG": f"{home}/repositories.yaml",
        "KUBECONFIG": os.devnull,
        # Nothing of a local chart is fetched; should anything try, it gets no further than this machine.
        **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9"),
        "GOTRACEBACK": "none",
    }


_NO_MEMORY = ("out of memory", "cannot allocate memory", "failed to create new OS thread")
"""What Go's runtime says when it gets no more of it."""


def _failure(text: bytes) -> str:
    """What helm says last of why it fails: what is before may be warnings."""
    errors = text.decode(errors="replace")
    if any(words in errors for words in _NO_MEMORY):
        return f"helm takes more than {HELM_BYTES // 2**20} MiB of memory"
    lines = [line.strip() for line in errors.splitlines() if line.startswith("Error:")] or ["Error: helm fails"]
    return f"helm: {lines[0].removeprefix('Error: ')[:_SHOWN]}"
