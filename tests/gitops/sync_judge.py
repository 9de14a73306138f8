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
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

from ruamel.yaml import YAML

sys.path.insert(0, str(Path(__file__).parents[1]))

from cluster.api import Api, ApiError
from cluster.running import running_cluster
from duel.draw import Drawer
from loading import read_manifests
from virtcatalog import Cluster, UnsupportedError
from virtcatalog.api.decode import to_manifest
from virtcatalog.api.kinds import API_VERSIONS
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance
from virtcatalog.api.quantity import Quantity
from virtcatalog.gitops.comparison import Drift, drifts
from virtcatalog.gitops.deploying import health_expressions
from virtcatalog.gitops.fixing import respelled
from virtcatalog.gitops.health import config_map
from virtcatalog.gitops.ignoring import needs
from virtcatalog.gitops.stored import marshalled, stored
from virtcatalog.kubevirt.pipeline import create_vmi
from virtcatalog.releases import RELEASES, Release

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
#: Manifests of others, beside the checkout where there are any: they are run, and stay where they are.
REAL = REPOSITORY.parent / "shared/conformance/real/cases-real.jsonl.gz"
DEFINITIONS = {
    "github.com/argoproj/argo-cd/v3": ["manifests/crds/application-crd.yaml", "manifests/crds/applicationset-crd.yaml"],
    "github.com/fluxcd/kustomize-controller": ["config/crd/bases/*_kustomizations.yaml"],
    "github.com/fluxcd/source-controller": ["config/crd/bases/*_[go]*repositories.yaml"],
}
"""Where the modules of crds/go.mod have the definitions of what is printed."""
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


_READY, _PAUSED = {"type": "Ready", "status": "True"}, {"type": "Paused", "status": "True"}
_NOT_READY = {"type": "Ready", "status": "False", "reason": "GuestNotRunning"}
_BROKEN = {"type": "Running", "status": "False", "reason": "Error", "message": "no such image"}
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
    ("VirtualMachineInstance", {}, {}, "Progressing"),
    ("VirtualMachineInstance", {}, {"phase": "Scheduling"}, "Progressing"),
    ("VirtualMachineInstance", {}, {"phase": "Running", "conditions": [_NOT_READY]}, "Progressing"),
    ("VirtualMachineInstance", {}, {"phase": "Running", "conditions": [_READY]}, "Healthy"),
    ("VirtualMachineInstance", {}, {"phase": "Running", "conditions": [_READY, _PAUSED]}, "Suspended"),
    ("VirtualMachineInstance", {}, {"phase": "Failed"}, "Degraded"),
    ("VirtualMachineInstance", {}, {"phase": "Succeeded"}, "Healthy"),
    ("DataVolume", {}, {}, "Progressing"),
    ("DataVolume", {}, {"phase": "ImportInProgress"}, "Progressing"),
    ("DataVolume", {}, {"phase": "ImportInProgress", "conditions": [_BROKEN]}, "Degraded"),
    ("DataVolume", {}, {"phase": "WaitForFirstConsumer"}, "Healthy"),
    ("DataVolume", {}, {"phase": "Succeeded"}, "Healthy"),
    ("DataVolume", {}, {"phase": "Failed"}, "Degraded"),
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


EXPRESSIONS = (
    ("VirtualMachineInstance", None, ""),
    ("VirtualMachineInstance", {}, "InProgress"),
    ("VirtualMachineInstance", {"phase": "Scheduled"}, "InProgress"),
    ("VirtualMachineInstance", {"phase": "Running"}, "Current"),
    ("VirtualMachineInstance", {"phase": "Failed"}, "Failed"),
    ("DataVolume", {"phase": "ImportInProgress"}, "InProgress"),
    ("DataVolume", {"phase": "WaitForFirstConsumer"}, "Current"),
    ("DataVolume", {"phase": "Succeeded"}, "Current"),
    ("DataVolume", {"phase": "Failed"}, "Failed"),
)
"""Objects by kind and status, and what Flux takes them for by our expressions; without a status it waits."""
URL = "https://git.example.org/platform/catalog.git"
PRINTED = (
    ("argocd", "--repo-url", URL),
    ("argocd", "--repo-url", URL, "--cluster", "lab=one", "--cluster", "lab=two"),
    ("argocd", "--repo-url", URL, "--path", "output/overlays/lab", "--path", "output/overlays/production"),
    ("argocd", "--repo-url", URL, "-f", "catalog/vms"),
    ("argocd", "--repo-url", URL, "-f", "catalog/vms", "--compare", "merge"),
    ("flux", "--repo-url", URL, "--path", "output/overlays/lab"),
    ("flux", "--repo-url", "oci://registry.example.org/catalog", "--revision", ">=1.0.0", "--path", "overlays/lab"),
    ("flux", "--repo-url", URL, "--path", "output/overlays/lab", "-f", "catalog/vms"),
)
"""What `virtcatalog gitops` is asked to print."""


def printed() -> list[Data]:
    """Return all objects that `virtcatalog gitops` prints of this repository, each under a name of its own."""
    objects = []
    for number, arguments in enumerate(PRINTED):
        command = [sys.executable, "-m", "virtcatalog", "gitops", *arguments]
        done = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if done.returncode not in (0, 1):
            raise SystemExit(f"virtcatalog gitops {' '.join(arguments)} has status {done.returncode}")
        for manifest in YAML(typ="safe").load_all(done.stdout):
            name = f"{manifest['metadata']['name']}-{number}"
            objects.append({**manifest, "metadata": {**manifest["metadata"], "name": name}})
    return objects


def unread(program: str, objects: Sequence[Data]) -> Iterator[str]:
    """Say which Applications Argo CD's own types do not take, strictly, and which its templates do not make."""
    own = [manifest for manifest in objects if manifest["apiVersion"].startswith("argoproj.io/")]
    for manifest, answer in zip(own, told(program, own, "objects"), strict=True):
        name = manifest["metadata"]["name"]
        if answer["error"]:
            yield f"{manifest['kind']} {name}: {answer['error']}"
            continue
        made = [application["metadata"]["name"] for application in answer["applications"]]
        if manifest["kind"] == "ApplicationSet":
            elements = manifest["spec"]["generators"][0]["list"]["elements"]
            wanted = [f"virtcatalog-{element['application']}" for element in elements]
            if made != wanted:
                yield f"ApplicationSet {name} makes {made}, and not {wanted}"


def unequal(program: str) -> Iterator[str]:
    """Say where Flux's CEL makes something else of the expressions of a Kustomization's health checks."""
    questions = []
    for kind, status, _ in EXPRESSIONS:
        asked = {"metadata": {"name": "a", "generation": 1}, **({} if status is None else {"status": status})}
        questions.append({**health_expressions(kind), "object": asked})
    for (kind, status, wanted), answer in zip(EXPRESSIONS, told(program, questions, "expressions"), strict=True):
        if answer["status"] != wanted:
            yield f"health check of a {kind} {status}: {answer}, and not {wanted}"


def unserved(api: Api, objects: Sequence[Data]) -> Iterator[str]:
    """Say which objects an API server with the tools' own CustomResourceDefinitions refuses, strictly."""
    for definition in definitions():
        api.create(definition)
    for manifest in objects:
        path = plural_path(manifest)
        for attempt in range(50):
            try:
                api.ask("POST", path, manifest, fieldValidation="Strict", dryRun="All")
                break
            except ApiError as error:
                if error.code != 404 or attempt == 49:
                    yield f"{manifest['kind']} {manifest['metadata']['name']}: {error}"
                    break
                time.sleep(0.2)  # a definition is served a moment after it is there
    spoiled = next(each for each in objects if each["kind"] == "Kustomization")
    for change in ({"interval": "often"}, {"surprise": True}):
        try:
            body = {**spoiled, "spec": spoiled["spec"] | change}
            api.ask("POST", plural_path(spoiled), body, fieldValidation="Strict", dryRun="All")
            yield f"a Kustomization with {change} is taken: nothing validates"
        except ApiError:
            pass


def plural_path(manifest: Data) -> str:
    """Return where objects of its kind are created, in a namespace that is there."""
    manifest["metadata"].pop("namespace", None)
    kind = manifest["kind"].lower()
    plural = f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}s"
    root = "/apis" if "/" in manifest["apiVersion"] else "/api"
    place = "" if kind == "namespace" else "/namespaces/default"
    return f"{root}/{manifest['apiVersion']}{place}/{plural}"


def definitions() -> Iterator[Data]:
    """Yield the CustomResourceDefinitions of Argo CD and Flux, from the modules that crds/go.mod names."""
    command = ["go", "mod", "download", "-json", *DEFINITIONS]
    done = subprocess.run(command, cwd=HERE / "crds", stdout=subprocess.PIPE, text=True, check=True)
    decoder, text = json.JSONDecoder(), done.stdout.strip()
    while text:
        module, end = decoder.raw_decode(text)
        text = text[end:].strip()
        for pattern in DEFINITIONS[module["Path"]]:
            for file in sorted(Path(module["Dir"]).glob(pattern)):
                yield YAML(typ="safe").load(file.read_text(encoding="utf-8"))


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

        objects = printed()
        counts["objects printed"] = len(objects)
        faults += [*unhealthy(program, folder), *unequal(program), *unread(program, objects)]
        faults += unserved(cluster.api, objects)
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
