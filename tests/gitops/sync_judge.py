"""Has Argo CD's own diff and Flux's own apply judge VMs that an API server stores, and compares with what we say.

`make sync-judge` runs it. The judge is a Go program that go.mod names the libraries of; the API server is that of
tests/cluster. VMs are synced as Argo CD does on its side and on the server, and as Flux does: first as they are
written, in all kinds of spellings, then as `check --fix` writes them, with the rules of `gitops argocd -f`; then with a
change of CPU, memory, disks, networks and firmware, which every way of syncing has to see. Exits 1 for any difference.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[1]))

from cluster.running import running_cluster
from duel.draw import Drawer
from virtcatalog import Cluster, UnsupportedError
from virtcatalog.api.decode import to_manifest
from virtcatalog.api.kinds import API_VERSIONS
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance
from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog.environment import Overlay
from virtcatalog.catalog.places import Source
from virtcatalog.gitops.drift import Drift, drifts
from virtcatalog.gitops.fixing import respelled
from virtcatalog.gitops.health import config_map
from virtcatalog.gitops.ignoring import needs
from virtcatalog.gitops.stored import marshalled, stored
from virtcatalog.kubevirt.pipeline import create_vmi
from virtcatalog.manifests.read import read_manifests
from virtcatalog.releases import RELEASES, Release
from virtcatalog.render.gitops import Destination, Origin, application_set, applications

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
#: Manifests of others, beside the checkout where there are any: they are run, and stay where they are.
REAL = REPOSITORY.parent / "shared/conformance/real/cases-real.jsonl.gz"
WAYS = ("client", "merge", "server", "flux")
Data = dict[str, Any]


def built(folder: str) -> str:
    """Build the judge, and return where it is."""
    program = f"{folder}/sync-judge"
    subprocess.run(["go", "build", "-o", program, "."], cwd=HERE, check=True)
    return program


def examples() -> Iterator[Data]:
    """Yield the repository's own VMs."""
    for folder in ("catalog/vms", "tests/elements/vms"):
        for file in sorted((REPOSITORY / folder).rglob("*.yaml")):
            yield from (manifest.data for manifest in read_manifests(file.read_bytes(), file.name))


def real() -> Iterator[Data]:
    """Yield other people's VMs, each once."""
    seen = set()
    with gzip.open(REAL, "rt") as lines:
        for line in lines:
            vm = json.loads(line)["vm"]
            text = json.dumps(vm, sort_keys=True)
            if text not in seen:
                seen.add(text)
                yield vm


def drawn(seed: int, release: str) -> Iterator[Data]:
    """Yield random VMs without end, spelled at random."""
    number = 0
    while True:
        drawer = Drawer(seed * 1_000_000 + number, release)
        number += 1
        yield misspelled(drawer.vm(f"drawn-{number}"), random.Random(seed * 1_000_000 + number))


def misspelled(vm: Data, chance: random.Random) -> Data:
    """Return a VM with what people write and clusters do not store."""
    vm = _respell(deepcopy(vm), chance)
    spec = vm["spec"]["template"].setdefault("spec", {})
    additions: list[tuple[Data, str, Any]] = [
        (vm["metadata"], "labels", {}),
        (vm["metadata"], "annotations", {}),
        (vm["metadata"], "creationTimestamp", None),
        (vm["metadata"], "generation", 4),
        (vm["spec"]["template"].setdefault("metadata", {}), "creationTimestamp", None),
        (spec, "nodeSelector", {}),
        (spec, "tolerations", []),
        (spec.setdefault("domain", {}), "machine", {"type": ""}),
        (spec["domain"].setdefault("devices", {}), "gpus", []),
        (spec["domain"].setdefault("cpu", {}), "dedicatedCpuPlacement", False),
    ]
    for template in vm["spec"].get("dataVolumeTemplates", ()):
        additions += [(template.setdefault("metadata", {}), "creationTimestamp", None)]
    for holder, name, value in additions:
        if chance.random() < 0.2:
            holder.setdefault(name, value)
    return vm


def _respell(value: Any, chance: random.Random, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _respell(item, chance, name) for name, item in value.items()}
    if isinstance(value, list):
        return [_respell(item, chance, key) for item in value]
    if key in ("guest", "memory", "storage", "cpu") and isinstance(value, str) and chance.random() < 0.5:
        return _respelled_quantity(value, chance)
    return value


def _respelled_quantity(text: str, chance: random.Random) -> Any:
    try:
        amount = Quantity.parse(text)
    except ValueError:
        return text
    if text.endswith("Gi") and text[:-2].isdecimal():
        return f"{int(text[:-2]) * 1024}Mi"
    if text.isdecimal():
        return chance.choice((int(text), f"{text}000m"))
    return "0.5" if str(amount) == "500m" else text


def asked(program: str, kubeconfig: Path, questions: Sequence[Data]) -> list[Data]:
    """Return what the judge says of each question."""
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    done = subprocess.run(
        [program, "sync", str(kubeconfig)], input=lines, stdout=subprocess.PIPE, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def question(name: str, manifest: Data, ignore: Sequence[Data] = (), changed: Data | None = None) -> Data:
    """Return a question about a manifest under a name of its own."""
    both = [{**part, "metadata": {**part["metadata"], "name": name}} for part in (manifest, changed or manifest)]
    for part in both:
        part["metadata"].pop("generateName", None)
    return {"id": name, "manifest": both[0], "changed": both[1], "ignore": list(ignore)}


def rules(manifest: Data, cluster: Cluster) -> list[Data]:
    """Return what an Application that compares in any way has to ignore."""
    return [
        {"group": rule.group, "kind": rule.kind, "jqPathExpressions": [rule.expression]}
        for rule in needs([manifest], cluster, "structured").ignored
    ]


def unlike(manifest: Data, answer: Data, cluster: Cluster) -> Iterator[str]:
    """Say where the judge and we differ about a manifest as it is written."""
    as_stored = stored(manifest, cluster)
    if as_stored is None:
        yield "the API server stores it, and we say that it does not"
        return
    differing = list(drifts(manifest, as_stored))
    for way, mode in (("client", "client"), ("merge", "structured")):
        ours = {_field(drift) for drift in differing if mode in drift.modes}
        theirs = set(answer[way] or ())
        # A list that differs anywhere is replaced as a whole: what is only added to its items shows along with that.
        shown = {_field(drift) for drift in differing if drift.kind == "added"}
        if not ours <= theirs or theirs - ours - (shown if ours else set()):
            yield f"{way}: Argo CD shows {sorted(theirs - ours)}, and not {sorted(ours - theirs)}"
    for way in ("server", "flux"):
        if answer[way]:
            yield f"{way}: differs in {answer[way]}"


def _field(drift: Drift) -> str:
    """A field as the judge writes it: every key of a map behind a point."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in drift.path).removeprefix(".")


def changes(manifest: Data) -> Iterator[tuple[str, Data]]:
    """Yield a manifest with a change of each kind that no rule may hide."""
    for what in ("cpu", "memory", "disk", "network", "firmware"):
        changed = deepcopy(manifest)
        spec = changed["spec"]["template"]["spec"]
        domain = spec["domain"]
        match what:
            case "cpu":
                domain["cpu"] = {**(domain.get("cpu") or {}), "cores": 7}
            case "memory":
                domain["memory"] = {**(domain.get("memory") or {}), "guest": "3333Mi"}
            case "disk":
                domain["devices"]["disks"] = [
                    *domain["devices"].get("disks", ()),
                    {"name": "new", "disk": {"bus": "scsi"}},
                ]
            case "network":
                spec["networks"] = [*spec.get("networks", ()), {"name": "new", "multus": {"networkName": "new"}}]
            case "firmware":
                firmware = domain.get("firmware") or {}
                efi, bios = {"efi": {"secureBoot": False}}, {"bios": {"useSerial": True}}
                domain["firmware"] = {**firmware, "bootloader": efi if firmware.get("bootloader") == bios else bios}
        yield what, changed


HEALTH = (
    ("VirtualMachine", {"runStrategy": "Halted"}, {"printableStatus": "Stopped"}, "Healthy"),
    ("VirtualMachine", {"runStrategy": "Always"}, {"printableStatus": "Stopped"}, "Progressing"),
    ("VirtualMachine", {"running": False}, {"printableStatus": "Stopped"}, "Healthy"),
    ("VirtualMachine", {"running": True}, {"printableStatus": "Stopped"}, "Progressing"),
    ("VirtualMachine", {"runStrategy": "Always"}, {}, "Progressing"),
    ("VirtualMachine", {"runStrategy": "Always"}, {"printableStatus": "Starting"}, "Progressing"),
    ("VirtualMachine", {"runStrategy": "Always"}, {"printableStatus": "Running"}, "Healthy"),
    ("VirtualMachine", {"runStrategy": "Always"}, {"printableStatus": "Paused"}, "Suspended"),
    ("VirtualMachine", {"runStrategy": "Always"}, {"printableStatus": "CrashLoopBackOff"}, "Degraded"),
    ("VirtualMachine", {"runStrategy": "Always"}, {"printableStatus": "ErrorUnschedulable"}, "Degraded"),
    ("VirtualMachineInstanceReplicaSet", {"replicas": 2}, {"replicas": 2, "readyReplicas": 1}, "Progressing"),
    ("VirtualMachineInstanceReplicaSet", {"replicas": 2}, {"replicas": 2, "readyReplicas": 2}, "Healthy"),
    ("VirtualMachinePool", {}, {"replicas": 1, "readyReplicas": 1}, "Healthy"),
    ("VirtualMachinePool", {"replicas": 0}, {}, "Healthy"),
    ("VirtualMachinePool", {"paused": True, "replicas": 1}, {"replicas": 1}, "Suspended"),
)
"""Objects by kind, spec and status, and the health that Argo CD gives them by our checks."""


def unhealthy(program: str, folder: str) -> Iterator[str]:
    """Say where Argo CD's Lua makes something else of our health checks."""
    settings = Path(folder, "argocd-cm.json")
    settings.write_text(json.dumps(config_map("argocd")))
    objects = [
        {"apiVersion": API_VERSIONS[kind], "kind": kind, "metadata": {"name": "a"}, "spec": spec, "status": status}
        for kind, spec, status, _ in HEALTH
    ]
    for (kind, spec, status, wanted), answer in zip(
        HEALTH, told(program, objects, "health", str(settings)), strict=True
    ):
        if answer["status"] != wanted:
            yield f"health of a {kind} {spec} {status}: {answer}, and not {wanted}"


def unread(program: str) -> Iterator[str]:
    """Say which Applications of `virtcatalog gitops` Argo CD's own types do not take, strictly."""
    overlay = Overlay(name="lab", scope="namespaced", namespace="virt-lab", source=Source(file="overlays.yaml"))
    origin = Origin(name="house", url="https://git.example.org/house.git", tree="output")
    destinations = [Destination(overlay, name, others=True) for name in ("one", "two")]
    objects = [*applications(origin, destinations), application_set(origin, destinations)]
    for manifest, answer in zip(objects, told(program, objects, "objects"), strict=True):
        if answer["error"]:
            yield f"{manifest['kind']}: {answer['error']}"


def told(program: str, objects: Sequence[Data], *arguments: str) -> list[Data]:
    """Return what the judge says of each object."""
    lines = "".join(json.dumps(manifest) + "\n" for manifest in objects)
    done = subprocess.run([program, *arguments], input=lines, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main() -> int:
    arguments = _arguments()
    ours = Cluster([], release=arguments.release)
    written_by_people = islice(chain(examples(), real() if REAL.exists() else ()), arguments.vms // 2)
    candidates = chain(written_by_people, drawn(arguments.seed, arguments.release))
    vms = list(islice((vm for vm in candidates if _is_admitted(vm, ours)), arguments.vms))
    counts: Counter[str] = Counter()
    faults: list[str] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        patch("cluster.reviews.to_manifest", partial(as_go_writes, RELEASES[arguments.release])),
        running_cluster(release=arguments.release) as cluster,
    ):
        program = arguments.program or built(folder)

        def judged(questions: Sequence[Data]) -> list[Data]:
            return told(program, questions, "sync", str(cluster.kubeconfig))

        faults += [*unhealthy(program, folder), *unread(program)]
        for way in ("client", "server", "flux"):
            cluster.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": way}})
        written = [question(f"written-{number}", vm) for number, vm in enumerate(vms)]
        sound: list[Data] = []
        for asking, answer in zip(written, judged(written), strict=True):
            manifest = asking["manifest"]
            if answer["errors"]:
                counts["refused"] += 1  # by a schema: of what the webhooks refuse nothing is asked
                continue
            sound.append(manifest)
            counts["synced"] += 1
            counts.update(f"out of sync in {way}" for way in WAYS if answer[way])
            faults += (f"{_named(manifest)}: {fault}" for fault in unlike(manifest, answer, ours))
        fixed = [respelled(manifest, RELEASES[arguments.release])[0] for manifest in sound]
        again = [question(f"fixed-{number}", vm, rules(vm, ours)) for number, vm in enumerate(fixed)]
        for asking, answer in zip(again, judged(again), strict=True):
            for way in WAYS:
                left = answer[way] or ([answer["errors"].get(way)] if answer["errors"].get(way) else [])
                counts[f"fixed, and out of sync in {way}"] += bool(left)
                if left:
                    faults.append(f"{_named(asking['manifest'])}: fixed, and still out of sync in {way}: {left}")
        if counts["refused"] * 5 > counts["synced"]:
            faults.append(f"too many are refused: {counts['refused']} of {len(vms)}")
        step = max(len(fixed) // arguments.changed, 1)
        changed = [
            question(f"changed-{number}-{what}", vm, rules(vm, ours), change)
            for number, vm in enumerate(fixed[::step])
            for what, change in changes(vm)
        ]
        for asking, answer in zip(changed, judged(changed), strict=True):
            for way in WAYS:
                counts["changes seen"] += bool(answer[way] or answer["errors"])
                if not answer[way] and not answer["errors"]:
                    faults.append(f"{_named(asking['manifest'])}: {way} does not see the change")
    for fault in faults[:20]:
        print(fault)
    print(f"{arguments.release}, seed {arguments.seed}: " + ", ".join(f"{what}: {n}" for what, n in counts.items()))
    return 1 if faults or not counts["synced"] else 0


def as_go_writes(release: Release, obj: VirtualMachine | VirtualMachineInstance) -> Data:
    """Return what KubeVirt's webhook writes, with all that Go never leaves out: our types leave it out."""
    return marshalled(to_manifest(obj), type(obj), release)


def _is_admitted(vm: Data, cluster: Cluster) -> bool:
    try:
        return create_vmi(vm, cluster).refused_by != "vm"
    except UnsupportedError:
        return False


def _named(manifest: Data) -> str:
    return f"{manifest['metadata']['name']} {json.dumps(manifest)[:400]}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vms", type=int, default=1000, help="how many VMs in all")
    parser.add_argument("--changed", type=int, default=40, help="how many of them are changed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--release", default="v1.9.0")
    parser.add_argument("--program", help="the judge, where it is built already")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
