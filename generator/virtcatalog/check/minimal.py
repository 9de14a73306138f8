"""Minimal VMs: expanded to judge an instance type or a preference by KubeVirt's rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from virtcatalog.api.decode import convert
from virtcatalog.api.instancetype import VirtualMachinePreferenceSpec
from virtcatalog.api.kinds import CATALOG_API_VERSION, CLUSTER_INSTANCETYPE
from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog.places import Source
from virtcatalog.check.subject import Subject
from virtcatalog.kubevirt.preference.topology import SPREADS, THREADS_PER_CORE, preferred_topology, spread_options
from virtcatalog.manifests.identity import Data


def minimal_vm(instancetype: Subject | None, preference: Subject | None) -> Data:
    """Return a minimal VM: a root disk, cloud-init, an architecture if one is required."""
    subjects = {"instancetype": instancetype, "preference": preference}
    namespace = next(
        (subject.namespace for subject in subjects.values() if subject is not None and subject.namespace), "default"
    )
    required = required_architecture(preference.spec) if preference is not None else ""
    architecture = {"architecture": required} if required else {}
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "check", "namespace": namespace},
        "spec": {
            **{
                key: {"kind": subject.kind, "name": subject.name}
                for key, subject in subjects.items()
                if subject is not None
            },
            "runStrategy": "Always",
            "template": {
                "spec": {
                    **architecture,
                    "domain": {"devices": {}},
                    "volumes": [
                        {"name": "root", "containerDisk": {"image": "registry.example.org/guest:1"}},
                        {"name": "seed", "cloudInitNoCloud": {"userData": "#cloud-config\n"}},
                    ],
                }
            },
        },
    }


def required_architecture(spec: Mapping[str, Any]) -> str:
    """Return the architecture that a preference requires and does not bring itself, so that the VM has to name it."""
    return "" if spec.get("preferredArchitecture") else (spec.get("requirements") or {}).get("architecture") or ""


def lone_vm(subject: Subject) -> Data:
    """Return a VM of one object and what that needs: a preference's requirements, UEFI for launch security."""
    if subject.is_preference:
        return minimal_vm(host_of(subject), subject)
    vm = minimal_vm(subject, None)
    if subject.spec.get("launchSecurity"):
        vm["spec"]["template"]["spec"]["domain"]["firmware"] = {"bootloader": {"efi": {"secureBoot": False}}}
    return vm


def host_of(preference: Subject) -> Subject:
    """Return an instance type that has what a preference requires, and vCPUs that it can spread."""
    spec = convert(preference.spec, VirtualMachinePreferenceSpec)
    vcpus, memory = 1, Quantity.parse("1Gi")
    if spec.requirements is not None and spec.requirements.cpu is not None:
        vcpus = max(vcpus, spec.requirements.cpu.guest)
    if spec.requirements is not None and spec.requirements.memory is not None:
        memory = max(memory, spec.requirements.memory.guest)
    if preferred_topology(spec) == "spread":
        ratio, across = spread_options(spec)
        unit = ratio * THREADS_PER_CORE if across == SPREADS[-1] else ratio
        vcpus += -vcpus % unit if unit else 0
    manifest = {
        "apiVersion": CATALOG_API_VERSION,
        "kind": CLUSTER_INSTANCETYPE,
        "metadata": {"name": f"check.{vcpus}.{str(memory).lower()}"},
        "spec": {"cpu": {"guest": vcpus}, "memory": {"guest": str(memory)}},
    }
    return Subject(manifest=manifest, origin="catalog", place=lambda _field: Source(""))
