"""Makes `cases`, `commands` and `rollouts.jsonl.xz` of a folder that holds what KubeVirt's own code answered.

usage: python -m conformance.take FOLDER

The folder has `cases-*.jsonl.gz`, with lines as in `cases.py` but one `release` each, and whole answers;
`launch-*.jsonl.gz` and `pods-*.jsonl.gz` beside them add the answers of those stages by name, and cases of their own.
KubeVirt's sentences are left out, identities that it draws are named, and cases of which releases answer alike
are one line. `createvm-*`, `process-*` and `convert-*.jsonl.gz` are the command lines; those about texts of other
projects are left out. `rollout-*.jsonl.gz` are the running VMs that change. The same folder gives the same bytes.
"""

from __future__ import annotations

import gzip
import json
import lzma
import sys
from pathlib import Path
from typing import Any

from conformance import commands, rollouts, views
from conformance.cases import CATALOG_KINDS, DEFAULT_RELEASE, FILE

_INPUTS = ("vm", "objects", "arch", "config", "featureGates", "useCatalog")
_OTHERS = ("common-templates", "public", "openshift-docs", "guide", "sample")
_DRAWN = ("from", "value", "sets")
_TEXTS = ("xml", "launch", "pod")


def take(folder: Path) -> bytes:
    """The file that holds the cases of a folder."""
    releases: dict[str, set[str]] = {}
    for path in sorted(folder.glob("cases-*.jsonl.gz")):
        for case in _gathered(path):
            line = {key: case[key] for key in ("group", "name", *_INPUTS)} | {"expected": comparable(case)}
            text = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
            releases.setdefault(text, set()).add(case.get("release", DEFAULT_RELEASE))
    lines = [{**json.loads(text), "releases": sorted(versions)} for text, versions in releases.items()]
    lines.sort(key=lambda line: (line["group"], line["name"], line["releases"]))
    return _written(lines)


def take_commands(folder: Path) -> bytes:
    """The file that holds the command lines of a folder."""
    lines = []
    for stage in commands.STAGES:
        for path in sorted(folder.glob(f"{stage}-*.jsonl.gz")):
            for case in _read(path):
                if case["family"].startswith(_OTHERS):
                    continue
                answers = case.get("expectOneOf") or [case["expect"]]
                lines.append(
                    {
                        "stage": stage,
                        "name": case["id"],
                        "group": case["family"],
                        "args": case["args"],
                        "files": case.get("files") or {},
                        "stdin": case.get("stdin"),
                        "refused": any("error" in answer for answer in answers),
                        "objects": [answer["object"] for answer in answers if "object" in answer],
                        **_of_template(case),
                    }
                )
    return _written(lines)


def take_rollouts(folder: Path) -> bytes:
    """The file that holds the running VMs of a folder."""
    releases: dict[str, set[str]] = {}
    for path in sorted(folder.glob("rollout-*.jsonl.gz")):
        for pair in _read(path):
            line = {
                "name": pair["name"],
                "group": pair["group"],
                "update": pair.get("update", "apply"),
                "old": pair["old"],
                "new": pair["new"],
                "expected": rollouts.view(pair["expected"]),
            }
            text = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
            releases.setdefault(text, set()).add(pair.get("release", DEFAULT_RELEASE))
    lines = [{**json.loads(text), "releases": sorted(versions)} for text, versions in releases.items()]
    lines.sort(key=lambda line: (line["group"], line["name"], line["releases"]))
    return _written(lines)


def _of_template(case: dict[str, Any]) -> dict[str, Any]:
    """What more is held of templates."""
    held: dict[str, Any] = {}
    generated = {name: parameter for name, parameter in (case.get("generated") or {}).items() if "value" in parameter}
    if generated:
        held["generated"] = {name: {key: parameter[key] for key in _DRAWN} for name, parameter in generated.items()}
    admission = case.get("admission") or {}
    if "allowed" in admission:
        held["admission"] = {"allowed": admission["allowed"]}
        if not admission["allowed"] and admission["stage"] == "webhook" and "causes" in admission:
            held["admission"]["fields"] = sorted({cause["field"] for cause in admission["causes"]})
    if "process" in case and "object" in case["expect"]:
        held["parameters"] = case["process"].get("parameters") or {}
        held["made"] = case["process"]["expect"].get("object")
    return held


def _written(lines: list[dict[str, Any]]) -> bytes:
    text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
    return lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)


def _gathered(path: Path) -> list[dict[str, Any]]:
    """The cases of a file, with the answers of further stages in the files beside it."""
    cases = _read(path)
    by_name = {case["name"]: case for case in cases}
    for stage in ("launch", "pods"):
        beside = path.with_name(path.name.replace("cases-", f"{stage}-", 1))
        for more in _read(beside) if beside.exists() else ():
            if "vm" in more:
                cases.append(more)
                by_name[more["name"]] = more
            else:
                by_name[more["name"]]["expected"].update(more["expected"])
    return cases


def _read(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def comparable(case: dict[str, Any]) -> dict[str, Any]:
    """What KubeVirt answers to a case, as it is held and compared."""
    answers = case["expected"]
    expected: dict[str, Any] = {"admission": views.admission(answers["admission"])}
    if any(manifest["kind"] in CATALOG_KINDS for manifest in case["objects"]):
        expected["objects"] = answers["objects"]
    if answers.get("vmi"):
        expected["vmi"] = views.vmi(answers["vmi"])
    expected |= {stage: answers[stage] for stage in _TEXTS if answers.get(stage)}
    if answers.get("podError"):
        expected["podError"] = True
    return views.without_drawn(expected, case["vm"])


if __name__ == "__main__":
    for file, taken in ((FILE, take), (commands.FILE, take_commands), (rollouts.FILE, take_rollouts)):
        file.write_bytes(taken(Path(sys.argv[1])))
        sys.stdout.write(f"{file}: {file.stat().st_size:,} bytes\n")
