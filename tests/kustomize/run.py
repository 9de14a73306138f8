"""Holds our builder against the real kustomize over random trees, object by object.

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
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from trees import Tree

from virtcatalog.manifests.folder import held_at
from virtcatalog.repositories.kustomize.build import Built, build

HERE = Path(__file__).parent
Data = dict[str, Any]


def judge(folder: str) -> str:
    """Build the program, and return where it is."""
    program = f"{folder}/kustomize-judge"
    subprocess.run(["go", "build", "-o", program, "."], cwd=HERE, check=True)
    return program


def answers(program: str, trees: Iterable[Tree]) -> Iterator[tuple[Tree, Data]]:
    """Yield what kustomize makes of trees."""
    listed = list(trees)
    lines = "".join(json.dumps({"files": tree.files, "at": tree.at}) + "\n" for tree in listed)
    done = subprocess.run([program], input=lines, capture_output=True, text=True, check=True)
    yield from zip(listed, map(json.loads, done.stdout.splitlines()), strict=True)


def ours(tree: Tree) -> Built:
    """What we make of a tree."""
    files = {tuple(path.split("/")): text.encode() for path, text in tree.files.items()}
    return build(held_at(files, tuple(tree.at.split("/"))), tree.at)


def plain(value: Any) -> Any:
    """Data without what the API server does not keep: null in a map."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items() if inner is not None}
    return [plain(inner) for inner in value] if isinstance(value, list) else value


def difference(built: Built, answer: Data) -> str:
    """Say how two answers differ, "" where they do not; what is not built here is no difference."""
    faults = [str(problem) for problem in built.problems]
    if "error" in answer:
        return "" if faults or built.unrendered else f"kustomize refuses it: {answer['error']}"
    if faults:
        return "kustomize builds it: " + "; ".join(faults)
    if built.unrendered:
        return ""
    made = sorted(json.dumps(plain(resource.data), sort_keys=True) for resource in built.resources)
    real = sorted(json.dumps(plain(data), sort_keys=True) for data in answer["objects"])
    if made == real:
        return ""
    lines = [f"- {text}" for text in real if text not in made] + [f"+ {text}" for text in made if text not in real]
    return "\n".join(("objects differ", *lines))


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
    with tempfile.TemporaryDirectory() as folder:
        program = arguments.program or judge(folder)
        seeds = range(arguments.seed, arguments.seed + arguments.trees)
        counts = {"built": 0, "refused": 0, "unrendered": 0, "different": 0}
        for seed, (tree, answer) in zip(seeds, answers(program, map(Tree, seeds)), strict=True):
            built = ours(tree)
            what = difference(built, answer)
            unrendered = bool(built.unrendered) and not what
            counts["unrendered" if unrendered else "refused" if "error" in answer else "built"] += 1
            counts["different"] += bool(what)
            if what and counts["different"] <= arguments.show:
                files = "\n".join(f"--- {path}\n{text}" for path, text in sorted(tree.files.items()))
                print(f"seed {seed}, {tree.at}: {what}\n{files}\n")
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    return 1 if counts["different"] or not counts["built"] else 0


if __name__ == "__main__":
    sys.exit(main())
