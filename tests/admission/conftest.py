"""Ask one admission rule about a fragment of a VMI's spec, or the VM webhook about a VM.

Tests name the types and fields of the causes; `__snapshots__` holds the sentence of every cause, by test and case.
"""

import pytest

import otheryaml
from virtcatalog.api.configuration import KubeVirtConfiguration
from virtcatalog.api.decode import convert
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstanceSpec
from virtcatalog.kubevirt.admission.vm import admit_vm
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.releases import DEFAULT

KUBEVIRT = {"apiVersion": "kubevirt.io/v1", "kind": "KubeVirt", "metadata": {"name": "kubevirt"}}


def read(text):
    """Read YAML in which a key may be dotted: `domain.cpu.cores: 2`."""
    values = {}
    for key, value in (otheryaml.load(text) or {}).items():
        *parents, last = key.split(".")
        place = values
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = value
    return values


def shown(causes):
    """Write causes as `Invalid spec.domain.cpu`, the type without what all types begin with; all have a message."""
    assert all(cause.message for cause in causes)
    return [f"{cause.type.removeprefix('FieldValue')} {cause.field}" for cause in causes]


@pytest.fixture
def configuration():
    """Make a cluster's configuration from the YAML of a KubeVirt CR's spec.configuration and feature gates."""

    def make(text="", gates=(), release=DEFAULT):
        values = read(text)
        if gates:
            values.setdefault("developerConfiguration", {})["featureGates"] = list(gates)
        return Configuration(convert(values, KubeVirtConfiguration), release=release)

    return make


@pytest.fixture
def judged(configuration):
    """Ask a rule what it finds in the YAML of a VMI's spec, on amd64, whose `domain.devices` may be left out."""

    def ask(rule, text, config="", gates=(), release=DEFAULT):
        spec = {"architecture": "amd64", **read(text)}
        spec.setdefault("domain", {}).setdefault("devices", {})
        vmi_spec = convert(spec, VirtualMachineInstanceSpec)
        return list(rule(vmi_spec, "spec", configuration(config, gates, release)))

    return ask


@pytest.fixture
def recorded(snapshot):
    """Hold the sentences of causes by the test's snapshot, and return their types and fields."""

    def compare(causes):
        if causes:
            assert [f"{cause.field}: {cause.message}" for cause in causes] == snapshot
        return shown(causes)

    return compare


@pytest.fixture
def causes_of(judged, recorded):
    """Ask a rule, as `judged` does, for the types and fields of what it finds."""
    return lambda *arguments, **options: recorded(judged(*arguments, **options))


@pytest.fixture
def messages(judged):
    """Ask a rule, as `judged` does, for what it says."""
    return lambda *arguments, **options: [cause.message for cause in judged(*arguments, **options)]


@pytest.fixture
def refused(recorded):
    """Ask the VM webhook about the YAML of a VM's spec; what every VM needs may be left out."""

    def ask(text, config="", gates=(), **metadata):
        vm_spec = read(text)
        spec = vm_spec.setdefault("template", {}).setdefault("spec", {})
        spec.setdefault("architecture", "amd64")
        domain = spec.setdefault("domain", {})
        domain.setdefault("devices", {})
        domain.setdefault("machine", {"type": "q35"})
        if not {"running", "runStrategy"} & vm_spec.keys():
            vm_spec["runStrategy"] = "Halted"
        vm = convert({"metadata": metadata, "spec": vm_spec}, VirtualMachine)
        values = read(config)
        if gates:
            values.setdefault("developerConfiguration", {})["featureGates"] = list(gates)
        return recorded(admit_vm(vm, Cluster([{**KUBEVIRT, "spec": {"configuration": values}}])))

    return ask
