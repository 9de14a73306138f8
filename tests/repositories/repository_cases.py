"""Small repositories, each before and after a commit, with what the commit does to which VM.

`cases/*.yaml` has them by name: `before` are files by their paths, `after` what the commit changes in them (a text, a
list of pairs of texts of which the first is replaced by the second, or null for a file that goes). A text `vm NAME
key=value …` stands for a VM, `type NAME key=value …` for an instance type: `manifest` has the keys.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from click.testing import CliRunner
from ruamel.yaml import YAML

from checkouts import git
from virtcatalog.cli import main

#: A HelmRelease up to its spec, and the two kinds of charts that follow: of the repository, and of elsewhere.
HELM_RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: vms, namespace: shop}
spec:
"""
LOCAL_CHART = "  chart: {spec: {chart: ./charts/vms, sourceRef: {kind: GitRepository, name: flux-system}}}\n"
REMOTE_CHART = "  chart: {spec: {chart: app, sourceRef: {kind: HelmRepository, name: far}}}\n"
_CASES = Path(__file__).parent / "cases"
_VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: {name}{namespace}
spec:
  runStrategy: Always{type}
  template:
    spec:
      domain:{cores}{memory}
        devices: {{}}
"""
_TYPE = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata:
  name: {name}
spec:
  cpu:
    guest: {cpus}
  memory:
    guest: {memory}
"""


class Case(NamedTuple):
    """A repository and a commit; `verdicts` are lines `environment: vm now/next because`, sorted."""

    name: str
    before: dict[str, str]
    after: dict[str, str | None]
    verdicts: list[str]
    status: int
    says: list[str]


def cases() -> list[Case]:
    """Return all of them."""
    return [
        _case(f"{file.stem}: {name}", data)
        for file in sorted(_CASES.glob("*.yaml"))
        for name, data in YAML(typ="safe").load(file.read_text(encoding="utf-8")).items()
    ]


def _case(name: str, data: dict[str, Any]) -> Case:
    before = {path: manifest(text) for path, text in data["before"].items()}
    after = {path: _changed(before.get(path, ""), change) for path, change in data["after"].items()}
    verdicts = data.get("verdicts") or []
    status = data.get("status", 1 if verdicts else 0)
    return Case(name, before, after, verdicts, status, data.get("says") or [])


def _changed(text: str, change: Any) -> str | None:
    if change is None:
        return None
    if isinstance(change, str):
        return manifest(change)
    for old, new in change:
        assert text.count(old) >= 1, f"{old!r} is not in the file"
        text = text.replace(old, new)
    return text


def manifest(text: str) -> str:
    """Return the manifests that lines stand for: `vm web namespace=prod cores=2 memory=2Gi`."""
    documents = []
    for line in text.splitlines():
        kind, *words = line.split()
        if kind not in ("vm", "type"):
            return text
        documents.append(_manifest(kind, words[0], dict(word.split("=", 1) for word in words[1:])))
    return "---\n".join(documents)


def _manifest(kind: str, name: str, keys: dict[str, str]) -> str:
    if kind == "type":
        return _TYPE.format(name=name, **{"cpus": 2, "memory": "2Gi", **keys})
    named = f"\n  instancetype: {{name: {keys['type']}}}" if "type" in keys else ""
    cores, memory = (
        keys.get(key, default if not named else "") for key, default in (("cores", "2"), ("memory", "2Gi"))
    )
    return _VM.format(
        name=name,
        namespace=f"\n  namespace: {keys['namespace']}" if "namespace" in keys else "",
        type=named,
        cores=f"\n        cpu:\n          cores: {cores}" if cores else "",
        memory=f"\n        memory:\n          guest: {memory}" if memory else "",
    )


def report(*arguments: str) -> tuple[dict[str, Any], int]:
    """Run `diff`, and return its report and its exit status."""
    done = CliRunner().invoke(main, ["diff", *arguments, "-o", "json"])
    return json.loads(done.stdout), done.exit_code


def committed(case: Case, folder: Path) -> None:
    """Make a git repository of a case, with two commits."""
    git(folder, "init", "-q", "-b", "main")
    for files in (case.before, case.after):
        for path, text in files.items():
            file = folder / path
            if text is None:
                file.unlink()
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "commit")


def lines(report: dict[str, Any]) -> list[str]:
    """Return the verdicts of a report as cases have them."""
    return sorted(
        f"{verdict['environment'] or '-'}: {verdict['vm']} {verdict['now']}/{verdict['next']} "
        + ", ".join(f"{cause['file']}:{cause['line']}" for cause in verdict["because"])
        for verdict in report["vms"]
    )
