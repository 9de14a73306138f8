"""The commands whose answers are held against each other: the judge, and virtcatalog over a folder of VMs."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from virtcatalog.manifests.emit import dump

HERE = Path(__file__).parent
Data = dict[str, Any]


def built(folder: str) -> str:
    """Build the judge, and return where it is."""
    program = f"{folder}/sync-judge"
    subprocess.run(["go", "build", "-o", program, "."], cwd=HERE, check=True)
    return program


def judged(program: str, objects: Sequence[Data], *arguments: str) -> list[Data]:
    """Return what the judge says of each object."""
    lines = "".join(json.dumps(manifest) + "\n" for manifest in objects)
    done = subprocess.run([program, *arguments], input=lines, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


class Vms:
    """A folder with a file for each VM, which virtcatalog is asked about; `claim` is there beside them."""

    def __init__(self, folder: Path, vms: Mapping[str, Data], claim: Data, release: str) -> None:
        self._folder = folder
        self._release = release
        (folder / "vms").mkdir()
        (folder / "claim.yaml").write_text(dump(claim), encoding="utf-8")
        for name, vm in vms.items():
            self._file(name).write_text(f"# {name}\n{dump(vm)}", encoding="utf-8")

    def remove(self, name: str) -> None:
        """Take a VM out."""
        self._file(name).unlink()

    def read(self) -> dict[str, Data]:
        """Return the VMs as their files have them, by name."""
        files = sorted((self._folder / "vms").iterdir())
        return {file.stem: YAML(typ="safe").load(file.read_text(encoding="utf-8")) for file in files}

    def named(self) -> dict[str, dict[str, set[str]]]:
        """Return what `check` finds, by VM and rule: the fields."""
        fields: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for finding in json.loads(self._run("check", "-f", "vms", "-f", "claim.yaml", "-o", "json", "--no-cache")):
            fields[Path(finding["file"]).stem][finding["rule"]].add(finding["field"])
        return fields

    def fix(self) -> None:
        """Have `check --fix` write the files as they are stored."""
        self._run("check", "-f", "vms", "--fix", "--no-cache")

    def rules(self, compare: str) -> list[Data]:
        """Return what `gitops argocd` has an Application ignore, one rule for each field."""
        printed = YAML(typ="safe").load(
            self._run("gitops", "argocd", "-f", "vms", "-f", "claim.yaml", "--compare", compare)
        )
        return [
            {"group": rule["group"], "kind": rule["kind"], "jqPathExpressions": [expression]}
            for rule in printed["ignoreDifferences"]
            for expression in rule["jqPathExpressions"]
        ]

    def _file(self, name: str) -> Path:
        return self._folder / "vms" / f"{name}.yaml"

    def _run(self, *arguments: str) -> str:
        command = [sys.executable, "-m", "virtcatalog", *arguments, "--kubevirt", self._release]
        done = subprocess.run(command, cwd=self._folder, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            raise SystemExit(f"{' '.join(command[2:])} has status {done.returncode}: {done.stderr}")
        return done.stdout
