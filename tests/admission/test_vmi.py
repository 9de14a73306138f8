"""The list of rules: all run, in any VMI, with the fields that each webhook gives."""

import pytest

from virtcatalog.api.decode import convert
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.admission.vmi import validate_vmi, validate_vmi_spec
from virtcatalog.kubevirt.cluster import Cluster


def vmi(metadata=None, **spec):
    domain = {"devices": {}, "memory": {"guest": "1Gi"}, **spec.pop("domain", {})}
    manifest = {"metadata": metadata or {}, "spec": {"architecture": "amd64", "domain": domain, **spec}}
    return convert(manifest, VirtualMachineInstance)


def refused(vmi):
    return {cause.field for cause in validate_vmi(vmi, Cluster([]))}


def test_a_plain_vmi_is_admitted():
    assert refused(vmi()) == set()


def test_every_rule_speaks_whatever_the_others_find():
    found = refused(
        vmi(
            {"annotations": {"hooks.kubevirt.io/hookSidecars": "[]"}},
            hostname="-",
            evictionStrategy="Move",
            domain={"machine": {"type": "pc"}, "devices": {"disks": [{"name": "a", "disk": {}}]}},
            architecture="riscv64",
            volumes=[{"name": "b", "emptyDisk": {"capacity": "1Gi"}}],
        )
    )
    assert found == {
        "spec.hostname",
        "spec.domain.machine.type",
        "spec.domain.devices.disks[0].name",
        "spec.evictionStrategy",
        "spec.domain.volumes[0].name",
        "metadata.annotations",
        "spec.architecture",
    }


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"domain": {"memory": {}}}, ""),
        ({"volumes": [{"name": "b", "emptyDisk": {"capacity": "1Gi"}}]}, "spec.domain.volumes[0].name"),
        ({"domain": {"features": {"hyperv": {}, "hypervPassthrough": {}}}}, "spec.domain.features.hyperv"),
        ({"domain": {"devices": {"video": {"type": "qxl"}}}}, "spec.domain.devices.video.type"),
        ({"domain": {"devices": {"watchdog": {"name": "w"}}}}, "spec.domain.devices.watchdog"),
    ],
)
def test_what_a_template_may_and_a_vmi_may_not(spec, field):
    assert refused(vmi(**spec)) == {field}
    assert validate_vmi_spec(vmi(**spec).spec, "spec.template.spec", Cluster([]).configuration) == []


def test_labels_of_kubevirt_may_be_on_the_vmi_that_kubevirt_makes():
    assert refused(vmi({"labels": {"kubevirt.io/nodeName": "node-1"}})) == set()


def test_fields_begin_with_the_place_of_the_spec():
    spec = vmi(hostname="-", evictionStrategy="Move").spec
    causes = validate_vmi_spec(spec, "spec.template.spec", Cluster([]).configuration)
    assert [cause.field for cause in causes] == ["spec.template.spec.hostname", "spec.template.spec.evictionStrategy"]


def test_a_discontinued_binding_is_refused():
    devices = {"interfaces": [{"name": "a", "macvtap": {}}]}
    found = refused(vmi(domain={"devices": devices}, networks=[{"name": "a", "multus": {"networkName": "net"}}]))
    assert "spec.domain.devices.interfaces[0].macvtap" in found
