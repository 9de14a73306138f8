"""What `gitops feed` prints, and its CronJob's container run on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from click.testing import CliRunner

import otheryaml
from virtcatalog.cli import main


def printed(*arguments: str) -> list[dict[str, Any]]:
    result = CliRunner().invoke(main, ["gitops", *arguments])
    assert result.exit_code == 0, result.output
    return list(otheryaml.load_all(result.stdout))


def container_of(job: dict[str, Any]) -> dict[str, Any]:
    (container,) = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    typed: dict[str, Any] = container
    return typed


class Job:
    """Runs the container of a feed's CronJob here: its paths are below a folder, and `virtcatalog` is a stand-in."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder, self.container = folder, container_of(printed(*arguments)[-1])
        for name in ("bin", "credentials", "account"):
            (folder / name).mkdir()

    def virtcatalog(self, script: str) -> None:
        program = self.folder / "bin" / "virtcatalog"
        program.write_text(script)
        program.chmod(0o755)

    def run(self, **environment: str) -> subprocess.CompletedProcess[str]:
        work = self.folder / "work"
        subprocess.run(["rm", "-rf", str(work)], check=True)
        work.mkdir()
        script = self.container["command"][-1]
        for inside, here in (
            ("/work", str(work)),
            ("/credentials", f"{self.folder}/credentials"),
            ("/var/run/secrets/kubernetes.io/serviceaccount", f"{self.folder}/account"),
            ("/opt/virtcatalog/bin/python", sys.executable),
        ):
            script = script.replace(inside, here)
        values = {pair["name"]: pair["value"] for pair in self.container.get("env", ())}
        path = f"{self.folder}/bin:{os.environ['PATH']}"
        variables = {**os.environ, **values, "PATH": path, **environment}
        return subprocess.run(["sh", "-c", script], env=variables, capture_output=True, text=True, check=False)
