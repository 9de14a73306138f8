"""Has Argo CD's own diff and Flux's own apply judge VMs that an API server stores, and compares with what we print.

`make sync-judge` runs it. The judge is a Go program that go.mod names the libraries of; the API server is that of
tests/cluster. VMs lie in files, and are synced as Argo CD does on its side and on the server, and as Flux does: first
as they are written, in all kinds of spellings, where each difference has to be one that `check` names; then as
`check --fix` writes the files, with the rules that `gitops argocd -f` prints for all of them together, none of which
may be spare; then with a change of CPU, memory, disks, networks and firmware, which every way of syncing has to see.
Exits 1 for any difference.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[1]))

from sync_commands import Vms, built, judged
from sync_health import misjudged
from sync_objects import printed, unread, unserved
from sync_vms import CLAIM, INFERRING, candidates, changes

from cluster.running import RunningCluster, running_cluster
from virtcatalog import Cluster
from virtcatalog.api.decode import to_manifest
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance
from virtcatalog.gitops.stored import marshalled
from virtcatalog.releases import DEFAULT, RELEASES, Release

WAYS = ("client", "merge", "server", "flux")
Data = dict[str, Any]
Named = Mapping[str, set[str]]
INFERRED = INFERRING["metadata"]["name"]
_ITEM = re.compile(r"\[\d+\]")


class Judge:
    """Asks the judge about VMs in a cluster, and counts what it says."""

    def __init__(self, program: str, cluster: RunningCluster, vms: Vms) -> None:
        self._program = program
        self._cluster = cluster
        self._vms = vms
        self._rules: dict[str, list[Data]] = {"ignore": [], "ignoreMerging": []}
        self.counts: Counter[str] = Counter()
        for way in ("client", "server", "flux"):
            cluster.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": way}})
            cluster.api.create({**CLAIM, "metadata": {**CLAIM["metadata"], "namespace": way}})

    def as_written(self) -> Iterator[str]:
        """Say where `check` names other fields than the judge, and take out VMs that the API server does not store."""
        named = self._vms.named()
        for name, vm, answer in self._asked("written", self._vms.read()):
            if name == INFERRED and answer["errors"].keys() != {"server", "flux"}:
                yield f"a VM that infers its type is not refused when it is applied again: {answer['errors']}"
            elif name != INFERRED and answer["errors"]:
                self.counts["refused"] += 1  # by a schema: of what the webhooks refuse nothing is asked
                self._vms.remove(name)
                continue
            self.counts["synced"] += 1
            self.counts.update(f"out of sync in {way}" for way in WAYS if answer[way])
            yield from (f"{shown(vm)}: {fault}" for fault in unlike(named[name], answer))
        if self.counts["refused"] * 5 > self.counts["synced"]:
            yield f"too many are refused: {self.counts['refused']}, and {self.counts['synced']} are not"

    def as_fixed(self) -> Iterator[str]:
        """Say what is still out of sync once files are fixed, and which rules are printed that no VM needs."""
        self._vms.fix()
        self._rules = {"ignore": self._vms.rules("client"), "ignoreMerging": self._vms.rules("merge")}
        named = self._vms.named()
        needed: dict[str, set[int]] = {"needed": set(), "neededMerging": set()}
        for name, vm, answer in self._asked("fixed", self._vms.read(), lambda name: {"needs": bool(named[name])}):
            for way in WAYS:
                left = answer[way] or ([answer["errors"][way]] if way in answer["errors"] else [])
                if name == INFERRED and way in ("server", "flux"):
                    continue  # what asks the API server is answered with a refusal, whatever the rules
                self.counts[f"fixed, and out of sync in {way}"] += bool(left)
                if left:
                    yield f"{shown(vm)}: fixed, and still out of sync in {way}: {left}"
            for which, numbers in needed.items():
                numbers.update(answer[which] or ())
        for rules, which in (("ignore", "needed"), ("ignoreMerging", "neededMerging")):
            self.counts[f"rules to {rules}"] = len(self._rules[rules])
            for number, rule in enumerate(self._rules[rules]):
                if number not in needed[which]:
                    yield f"no VM needs the rule {rule} to {rules}"

    def as_changed(self, most: int) -> Iterator[str]:
        """Say which changes of a number of VMs are not seen, with the rules for all VMs."""
        vms = self._vms.read()
        some = list(vms.items())[:: max(len(vms) // most, 1)]
        changed = {f"{name}-{what}": (vm, change) for name, vm in some for what, change in changes(vm)}
        after = {name: change for name, (_, change) in changed.items()}
        questions = {name: vm for name, (vm, _) in changed.items()}
        for name, vm, answer in self._asked("changed", questions, lambda name: {"changed": after[name]}):
            self.counts["changes"] += 1
            for way in WAYS:
                # Of what is asked with a dry run, the webhooks may refuse the change.
                if not answer[way] and not (way in ("server", "flux") and way in answer["errors"]):
                    yield f"{shown(vm)}: {way} does not see the change {name.rpartition('-')[2]}: {answer['errors']}"

    def _asked(
        self, how: str, vms: Mapping[str, Data], also: Callable[[str], Data] = lambda _: {}
    ) -> Iterator[tuple[str, Data, Data]]:
        """What the judge says of each VM, each under a name of its own."""
        questions = [question(f"{how}-{name}", vm, self._rules | also(name)) for name, vm in vms.items()]
        answers = judged(self._program, questions, "sync", str(self._cluster.kubeconfig))
        yield from zip(vms, vms.values(), answers, strict=True)


def question(name: str, manifest: Data, others: Data) -> Data:
    """Return a question about a manifest, and what it is changed to, under a name."""
    parts = {"manifest": manifest, "changed": others.get("changed", manifest)}
    for part, data in parts.items():
        metadata = {key: value for key, value in data["metadata"].items() if key != "generateName"}
        parts[part] = {**data, "metadata": {**metadata, "name": name}}
    return {"id": name, **others, **parts}


def unlike(named: Named, answer: Data) -> Iterator[str]:
    """Say where the judge finds other fields out of sync than `check` names; a null may be shown, or not."""
    fields = named["out-of-sync"]
    merged = fields | named["out-of-sync-merged"]
    for way, wanted, others in (("client", fields, set()), ("merge", merged, named["null-value"])):
        theirs = set(answer[way] or ())
        more = [field for field in theirs - wanted - others if not _is_beside(field, wanted)]
        if more or wanted - theirs:
            yield f"{way}: Argo CD shows {sorted(more)}, and not {sorted(wanted - theirs)}"
    for way in ("server", "flux"):
        if answer[way]:
            yield f"{way}: differs in {answer[way]}"


def _is_beside(field: str, wanted: set[str]) -> bool:
    """Whether a field is in a list with one that differs: lists are replaced as a whole, so that it shows, too."""
    item = _ITEM.search(field)
    return item is not None and any(other.startswith(f"{field[: item.start()]}[") for other in wanted)


def as_go_writes(release: Release, obj: VirtualMachine | VirtualMachineInstance) -> Data:
    """Return what KubeVirt's webhook writes, with all that Go never leaves out: our types leave it out."""
    return marshalled(to_manifest(obj), type(obj), release)


def shown(manifest: Data) -> str:
    return f"{manifest['metadata']['name']} {json.dumps(manifest)[:400]}"


def main() -> int:
    arguments = _arguments()
    drawn = candidates(arguments.vms, arguments.seed, Cluster([], release=arguments.release))
    faults: list[str] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        patch("cluster.reviews.to_manifest", partial(as_go_writes, RELEASES[arguments.release])),
        running_cluster(release=arguments.release) as cluster,
    ):
        program = arguments.program or built(folder)
        objects = printed()
        faults += [*misjudged(program, folder), *unread(program, objects), *unserved(cluster.api, objects)]
        vms = {INFERRED: INFERRING} | {f"vm-{number}": vm for number, vm in enumerate(drawn)}
        judge = Judge(program, cluster, Vms(Path(folder), vms, CLAIM, arguments.release))
        faults += [*judge.as_written(), *judge.as_fixed(), *judge.as_changed(arguments.changed)]
    for fault in faults[:20]:
        print(fault)
    counts = {"objects printed": len(objects), **judge.counts, "faults": len(faults)}
    print(f"{arguments.release}, seed {arguments.seed}: " + ", ".join(f"{what}: {n}" for what, n in counts.items()))
    return 1 if faults or not judge.counts["synced"] else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vms", type=int, default=1000, help="how many VMs in all")
    parser.add_argument("--changed", type=int, default=40, help="how many of them are changed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--release", choices=RELEASES, default=DEFAULT.name)
    parser.add_argument("--program", help="the judge, where it is built already")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
