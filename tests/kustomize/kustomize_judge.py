"""Holds our builder against the real kustomize over random trees, object by object, and our cases against it.

`make kustomize-judge` runs it; kustomize is a Go module that go.mod names. It prints trees that come out otherwise, and
exits 1 when there are any.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from posixpath import join, normpath
from typing import Any, NamedTuple

from kustomize_trees import Tree
from ruamel.yaml import YAML

from virtcatalog.manifests.folder import held_at
from virtcatalog.repositories.kustomize.build import Built, build

HERE = Path(__file__).parent
#: The folder in which a case's kustomization is.
AT = "tree/folder"
Data = dict[str, Any]


class Asked(NamedTuple):
    """Files by their paths, and the folder that is built."""

    name: str
    files: dict[str, str]
    at: str


def judge(folder: str) -> str:
    """Build the program, and return where it is."""
    program = f"{folder}/kustomize-judge"
    subprocess.run(["go", "build", "-o", program, "."], cwd=HERE, check=True)
    return program


def answers(program: str, trees: Sequence[Asked]) -> list[Data]:
    """Return what kustomize makes of trees: objects, or an error."""
    lines = "".join(json.dumps({"files": tree.files, "at": tree.at}) + "\n" for tree in trees)
    done = subprocess.run([program], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def drawn(seeds: Iterable[int]) -> list[Asked]:
    """Return random trees."""
    return [Asked(f"seed {seed}", tree.files, tree.at) for seed in seeds for tree in (Tree(seed),)]


def cases() -> list[tuple[Asked, Data]]:
    """Return the cases, and the answers that they have for kustomize's."""
    return [
        (
            Asked(case["title"], {normpath(join(AT, path)): text for path, text in case["files"].items()}, AT),
            {"error": "refused"} if case.get("refused") else {"objects": case["objects"]},
        )
        for case in YAML(typ="safe").load((HERE / "cases.yaml").read_text(encoding="utf-8"))
    ]


def ours(tree: Asked) -> Built:
    """Return what we make of a tree."""
    files = {tuple(path.split("/")): text.encode() for path, text in tree.files.items()}
    return build(held_at(files, tuple(tree.at.split("/"))), tree.at)


def plain(value: Any) -> Any:
    """Return data without what the API server does not keep: null in a map."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items() if inner is not None}
    return [plain(inner) for inner in value] if isinstance(value, list) else value


def lines_of(objects: Iterable[Data]) -> list[str]:
    """Return objects as lines, in their order."""
    return [json.dumps(plain(data), sort_keys=True) for data in objects]


def difference(built: Built, answer: Data) -> str:
    """Say how two answers differ, "" where they do not; what is not built here is no difference."""
    faults = [str(problem) for problem in built.problems]
    if "error" in answer:
        return "" if faults or built.unrendered else f"kustomize refuses it: {answer['error']}"
    if faults:
        return "kustomize builds it: " + "; ".join(faults)
    if built.unrendered:
        return ""
    here, there = lines_of(resource.data for resource in built.resources), lines_of(answer["objects"])
    if here == there:
        return ""
    texts = [f"- {text}" for text in there if text not in here] + [f"+ {text}" for text in here if text not in there]
    return "\n".join(("objects differ", *texts) if texts else ("the order differs", *there))


def changed(case: Data, answer: Data) -> str:
    """Say how a case's answer differs from kustomize's, "" where it does not."""
    same = ("error" in case) == ("error" in answer)
    return "" if same and lines_of(case.get("objects") or ()) == lines_of(answer.get("objects") or ()) else "changed"


def main() -> int:
    """Compare trees; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=3, help="so many differences are printed")
    parser.add_argument("--program", help="the program, if it is built already")
    arguments = parser.parse_args()
    if not arguments.program and not shutil.which("go"):
        print("kustomize is a Go module: install Go 1.24 or later to compare with it", file=sys.stderr)
        return 1
    counts = {"built": 0, "refused": 0, "unrendered": 0, "different": 0}
    with tempfile.TemporaryDirectory() as folder:
        program = arguments.program or judge(folder)
        trees = drawn(range(arguments.seed, arguments.seed + arguments.trees))
        differences = []
        for tree, answer in zip(trees, answers(program, trees), strict=True):
            built = ours(tree)
            what = difference(built, answer)
            unrendered = bool(built.unrendered) and not what
            counts["unrendered" if unrendered else "refused" if "error" in answer else "built"] += 1
            differences += [(tree, what)] * bool(what)
        listed = cases()
        for (tree, case), answer in zip(listed, answers(program, [tree for tree, _ in listed]), strict=True):
            differences += [(tree, f"the case is {what}: {answer}") for what in (changed(case, answer),) if what]
    counts["different"] = len(differences)
    for tree, what in differences[: arguments.show]:
        files = "\n".join(f"--- {path}\n{text}" for path, text in sorted(tree.files.items()))
        print(f"{tree.name}, {tree.at}: {what}\n{files}\n")
    print(", ".join(f"{count} {name}" for name, count in counts.items()), f"and {len(listed)} cases", sep=", ")
    return 1 if counts["different"] or not counts["built"] else 0


if __name__ == "__main__":
    sys.exit(main())
