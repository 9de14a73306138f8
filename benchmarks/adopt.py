"""What `adopt` finds for VMs made of the pairs of a catalog, and how fast.

usage: adopt.py CATALOG [--every N] [--profile]

CATALOG is a file of manifests: YAML documents, or JSON one a line (also gzipped). Every pair of a cluster instance type
and a cluster preference that KubeVirt admits is expanded; the VMI's spec is taken as the template of a VM that names
neither, and `adopt` looks for what it can adopt. Prints how many find the pair they were made from, how many another
one that makes the same domain with a manifest at most as large, and how many fail. --every N takes each N-th pair.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import time
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, TypeVar

from pairs import Manifest, pairs, read

from virtcatalog.adopt.attempt import Original
from virtcatalog.adopt.candidates import Candidates, Instancetype, Preference, Reference
from virtcatalog.adopt.fleet import adopt
from virtcatalog.adopt.shrink import Names, Pair, ShrunkVm, shrink
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.pipeline import create_vmi, expand

Group = TypeVar("Group", Instancetype, Preference)


def inline(vm: Manifest, cluster: Cluster) -> Manifest | None:
    """The VM that says all that its instance type and preference say; None when KubeVirt does not admit it."""
    result = create_vmi(vm, cluster)
    if not result.admitted or result.vmi is None:
        return None
    metadata, spec = result.vmi["metadata"], result.vmi["spec"]
    annotations = {
        key: value
        for key, value in metadata.get("annotations", {}).items()
        if not key.startswith("kubevirt.io/") or "disable" in key
    }
    template: dict[str, Any] = {"metadata": {"annotations": annotations}, "spec": spec}
    return {**vm, "spec": {"runStrategy": "Always", "template": template}}


def inlined(vms: list[Manifest], cluster: Cluster) -> Iterator[tuple[Manifest, Manifest]]:
    for vm in vms:
        made = inline(vm, cluster)
        if made is not None:
            yield vm, made


def verdict(vm: Manifest, made: Manifest, candidates: Candidates) -> str:
    """Say what `adopt` finds for the inline VM `made` of `vm`."""
    adoption = adopt(made, candidates)
    found = adoption.shrunk
    if adoption.outcome != "adopted" or found is None:
        return f"not adopted: {adoption.outcome}"
    if expand(found.manifest, candidates.cluster).domain_xml != expand(made, candidates.cluster).domain_xml:
        return "another domain"
    names = tuple(name and name.name for name in found.names)
    if names == (vm["spec"]["instancetype"]["name"], vm["spec"]["preference"]["name"]):
        return "the pair it was made from"
    own = with_own_pair(vm, made, candidates)
    if own is None:
        return "another pair; its own is not admitted or makes another domain"
    return "another pair, not larger" if found.size <= own.size else "larger than its own pair"


def with_own_pair(vm: Manifest, made: Manifest, candidates: Candidates) -> ShrunkVm | None:
    """The inline VM shrunk by the pair it was made from, if that makes the same domain."""
    spec = vm["spec"]
    instancetype = Reference("VirtualMachineClusterInstancetype", "", spec["instancetype"]["name"])
    preference = Reference("VirtualMachineClusterPreference", "", spec["preference"]["name"])
    pair = Pair(group_of(instancetype, candidates.instancetypes), group_of(preference, candidates.preferences))
    original = Original(made, expand(made, candidates.cluster))
    shrunk = shrink(original, pair, Names(instancetype, preference), candidates.cluster)
    return shrunk if isinstance(shrunk, ShrunkVm) and not shrunk.domain else None


def group_of(reference: Reference, groups: Collection[Group]) -> Group:
    return next(group for group in groups if reference in {member.reference for member in group.members})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("catalog", type=Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    manifests = read(arguments.catalog)
    candidates = Candidates(manifests)
    vms = list(inlined(pairs(manifests), candidates.cluster))[:: arguments.every]
    profiler = cProfile.Profile()
    if arguments.profile:
        profiler.enable()
    verdicts: Counter[str] = Counter()
    slowest = 0.0
    started = time.perf_counter()
    for vm, made in vms:
        before = time.perf_counter()
        found = verdict(vm, made, candidates)
        slowest = max(slowest, time.perf_counter() - before)
        verdicts[found] += 1
        if not found.endswith(("it was made from", "not larger")):
            print(f"{vm['metadata']['name']}: {found}")
    seconds = time.perf_counter() - started
    profiler.disable()
    for found, count in verdicts.most_common():
        print(f"{count:>6}  {found}")
    print(f"{seconds:.1f} s, {1000 * seconds / len(vms):.0f} ms a VM, slowest {1000 * slowest:.0f} ms")
    if arguments.profile:
        pstats.Stats(profiler).strip_dirs().sort_stats("tottime").print_stats(15)


if __name__ == "__main__":
    main()
