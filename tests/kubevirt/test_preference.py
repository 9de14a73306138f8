"""A preference fills in what a VM does not say, and nothing else."""

import pytest
from aliasing import scribble
from device_preference_cases import CASES as DEVICE_CASES
from preference_cases import CASES as OTHER_CASES
from reading import read_preference, read_vm, read_vmi

from virtcatalog.api.core import ObjectMeta
from virtcatalog.api.decode import clone
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.defaults.webhooks import mutate_matchers
from virtcatalog.kubevirt.instancetype.apply import apply_to_vmi
from virtcatalog.kubevirt.preference.apply import apply_preference
from virtcatalog.releases import DEFAULT

CASES = [*OTHER_CASES, *DEVICE_CASES]


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_fills_in(case):
    preference, (spec, metadata) = read_preference(case.preference), read_vmi(case.before)
    apply_preference(preference, spec, metadata, DEFAULT.traits)
    assert (spec, metadata) == read_vmi(case.after)


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_shares_nothing_with_the_catalog(case):
    preference, (spec, metadata) = read_preference(case.preference), read_vmi(case.before)
    untouched = clone(preference)
    apply_preference(preference, spec, metadata, DEFAULT.traits)
    scribble(spec)
    metadata.annotations["scribbled"] = "on"
    assert preference == untouched


def test_cpu_features_without_cpu_are_refused():
    """KubeVirt's webhook crashes on them, so that the VM is refused."""
    preference, (spec, metadata) = read_preference("cpu: {preferredCPUFeatures: [{name: vmx}]}"), read_vmi("{}")
    causes = apply_to_vmi("spec.template.spec", None, preference, spec, metadata, DEFAULT.traits)
    message = "KubeVirt fails on preferredCPUFeatures when the VM has no instance type and no cpu"
    assert causes == [Cause("", "", message)]
    spec, metadata = read_vmi("domain: {cpu: {}}")
    assert apply_to_vmi("spec.template.spec", None, preference, spec, metadata, DEFAULT.traits) == []
    assert [feature.name for feature in spec.domain.cpu.features] == ["vmx"]


PREFERENCE = {
    "apiVersion": "instancetype.kubevirt.io/v1beta1",
    "kind": "VirtualMachineClusterPreference",
    "metadata": {"name": "p"},
    "spec": {
        "preferredArchitecture": "arm64",
        "machine": {"preferredMachineType": "virt"},
        "volumes": {"preferredStorageClassName": "fast"},
        "preferredSubdomain": "later",
    },
}


@pytest.mark.parametrize("kind", ["pvc", "storage"])
def test_a_new_vm_takes_architecture_machine_and_storage_class(kind):
    templates = (
        f"preference: {{name: p}}\ndataVolumeTemplates:\n"
        f"- {{metadata: {{name: a}}, spec: {{{kind}: {{}}}}}}\n"
        f"- {{metadata: {{name: b}}, spec: {{{kind}: {{storageClassName: slow}}}}}}\n"
        f"- {{metadata: {{name: c}}, spec: {{}}}}\n"
    )
    vm = read_vm(templates)
    assert mutate_matchers(vm, Cluster([PREFERENCE])) == []
    template = vm.spec.template.spec
    assert (template.architecture, template.domain.machine.type, template.subdomain) == ("arm64", "virt", "")
    claims = [getattr(template.spec, kind) for template in vm.spec.data_volume_templates]
    assert [claim and claim.storage_class_name for claim in claims] == ["fast", "slow", None]


def test_a_new_vm_keeps_its_own_architecture_and_machine():
    vm = read_vm("preference: {name: p}", "{architecture: amd64, domain: {machine: {type: q35}, devices: {}}}")
    assert mutate_matchers(vm, Cluster([PREFERENCE])) == []
    assert (vm.spec.template.spec.architecture, vm.spec.template.spec.domain.machine.type) == ("amd64", "q35")


def test_a_missing_preference_is_no_matter_of_the_webhooks():
    vm = read_vm("preference: {name: nope}")
    before = clone(vm)
    assert mutate_matchers(vm, Cluster([])) == []
    assert vm == before


def test_annotations_start_from_none():
    metadata = ObjectMeta()
    apply_preference(read_preference("annotations: {a: b}"), read_vmi("{}")[0], metadata, DEFAULT.traits)
    assert metadata.annotations == {"a": "b"}
    assert ObjectMeta().annotations == {}
