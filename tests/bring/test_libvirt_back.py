"""Domains that virtcatalog made come back: the VM that is made of one has the same domain.

`benchmarks/imports.py` does this for all pairs of common-instancetypes; here is a sample of them.
"""

from __future__ import annotations

import importlib
from itertools import product
from pathlib import Path

import pytest
from importing import bring

from conformance.cases import cases, catalog
from sampling import thorough
from virtcatalog import Cluster, UnsupportedError, expand
from virtcatalog.bring.libvirt.domain import import_domain
from virtcatalog.bring.libvirt.rules import Rules
from virtcatalog.errors import ManifestError

ROOT = Path(__file__).parents[2]
EVERY = 61


@pytest.fixture(scope="module")
def pairs():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        return importlib.import_module("pairs")


def test_those_of_pairs_do_and_nothing_is_lost(pairs):
    cluster, tried = Cluster(catalog()), 0
    for vm in pairs.pairs(list(catalog()))[::EVERY]:
        result = expand(vm, cluster)
        if not result.admitted:
            continue
        imported = bring(result.domain_xml.encode())
        tried += 1
        assert imported.domain_xml == result.domain_xml, vm["metadata"]["name"]
        assert imported.same
        assert {part.fate for part in imported.parts} == {"carried"}
        assert imported.added == []
    assert tried > 40


@thorough
def test_those_of_the_conformance_cases_do_or_it_is_said_where_they_differ():
    same = tried = 0
    chosen = cases()[::6]
    for case in chosen:
        cluster = case.cluster()
        try:
            result = expand(case.vm, cluster)
            if not result.admitted:
                continue
            kubevirt = _configuration(case)
            imported = import_domain(result.domain_xml.encode(), "d.xml", Rules(), cluster.conditions, [kubevirt])
        except UnsupportedError:
            continue
        except ManifestError as error:
            assert "a domain has some memory" in str(error)  # noqa: PT017
            continue
        tried += 1
        same += imported.same
        assert imported.same == (imported.domain_xml == result.domain_xml), case
        if not imported.same:
            assert imported.reasons or imported.added or any(part.fate != "carried" for part in imported.parts), case
    assert tried > len(chosen) / 4
    assert same / tried > 0.97


def _configuration(case):
    developer = {**case.config.get("developerConfiguration", {}), "featureGates": case.featureGates}
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
        "spec": {"configuration": {**case.config, "developerConfiguration": developer}},
    }


@pytest.mark.usefixtures("in_words")
@pytest.mark.parametrize(("bus", "shared"), list(product(["virtio", "sata", "scsi"], [True, False])))
def test_that_of_a_vm_with_disks_of_every_kind_does(bus, shared):
    disks = [
        {"name": "root", "disk": {"bus": bus}, "bootOrder": 1, "serial": "R1", "cache": "writeback"},
        {"name": "data", "disk": {"bus": bus, **({"readonly": True} if bus != "sata" else {})}, "shareable": shared},
        {"name": "seed", "cdrom": {"bus": "sata", "readonly": False}},
        {"name": "empty", "disk": {"bus": bus}, "io": "threads", "errorPolicy": "report"},
    ]
    volumes = [
        {"name": "root", "persistentVolumeClaim": {"claimName": "root"}},
        {"name": "data", "persistentVolumeClaim": {"claimName": "data"}},
        {"name": "seed", "cloudInitConfigDrive": {"userData": "x"}},
        {"name": "empty", "emptyDisk": {"capacity": "2Gi"}},
    ]
    vm = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "db", "namespace": "prod"},
        "spec": {
            "runStrategy": "Always",
            "template": {
                "spec": {"domain": {"memory": {"guest": "1Gi"}, "devices": {"disks": disks}}, "volumes": volumes}
            },
        },
    }
    result = expand(vm, Cluster())
    imported = bring(result.domain_xml.encode())
    assert imported.domain_xml == result.domain_xml
    assert (imported.same, imported.added, {part.fate for part in imported.parts}) == (True, [], {"carried"})
    assert imported.vm["metadata"] == {"name": "db", "namespace": "prod"}
    assert [need.field.rpartition("volumes")[2] for need in imported.needs] == [
        "[name=root].persistentVolumeClaim.claimName",
        "[name=data].persistentVolumeClaim.claimName",
        "[name=seed].cloudInitConfigDrive.userData",
        "[name=empty].emptyDisk.capacity",
    ]


def of_kubevirt(domain, volumes=()):
    """What comes back of a VM's domain."""
    vm = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "db", "namespace": "prod"},
        "spec": {
            "runStrategy": "Always",
            "template": {"spec": {"domain": {"memory": {"guest": "1Gi"}, "devices": {}, **domain}, "volumes": volumes}},
        },
    }
    result = expand(vm, Cluster())
    assert result.admitted, result.reasons
    imported = bring(result.domain_xml.encode())
    return imported.vm["spec"]["template"]["spec"], [
        need.field.removeprefix("spec.template.spec.") for need in imported.needs
    ]


@pytest.mark.usefixtures("in_words")
def test_a_kernel_comes_back_without_its_image():
    container = {"image": "registry.example.org/kernel", "kernelPath": "/boot/vmlinuz", "initrdPath": "/boot/initrd"}
    spec, needs = of_kubevirt({"firmware": {"kernelBoot": {"container": container, "kernelArgs": "quiet"}}})
    assert spec["domain"]["firmware"]["kernelBoot"] == {
        "container": {"image": "registry.invalid/kernel", "kernelPath": "/vmlinuz", "initrdPath": "/initrd"},
        "kernelArgs": "quiet",
    }
    assert needs == ["domain.firmware.kernelBoot.container.image"]


@pytest.mark.usefixtures("in_words")
@pytest.mark.parametrize(
    ("source", "back"),
    [
        ({"configMap": {"name": "x"}}, {"configMap": {"name": "v"}}),
        ({"secret": {"secretName": "x"}}, {"secret": {"secretName": "v"}}),
        ({"sysprep": {"configMap": {"name": "x"}}}, {"sysprep": {"configMap": {"name": "v"}}}),
        (
            {"downwardAPI": {"fields": [{"path": "a", "fieldRef": {"fieldPath": "metadata.name"}}]}},
            {"downwardAPI": {"fields": []}},
        ),
        ({"serviceAccount": {"serviceAccountName": "x"}}, {"serviceAccount": {"serviceAccountName": "default"}}),
    ],
    ids=lambda source: next(iter(source)),
)
def test_a_volume_of_an_object_comes_back_and_needs_its_name(source, back):
    disks = [{"name": "v", "cdrom" if "sysprep" in source else "disk": {"bus": "sata"}}]
    spec, needs = of_kubevirt({"devices": {"disks": disks}}, [{"name": "v", **source}])
    assert spec["volumes"] == [{"name": "v", **back}]
    assert needs == [f"volumes[name=v].{next(iter(source))}"]


@pytest.mark.usefixtures("in_words")
def test_a_filesystem_that_shares_configuration_comes_back_beside_claims_that_stay():
    spec, needs = of_kubevirt(
        {"devices": {"filesystems": [{"name": "conf", "virtiofs": {}}], "disks": [{"name": "root", "disk": {}}]}},
        [{"name": "conf", "configMap": {"name": "x"}}, {"name": "root", "persistentVolumeClaim": {"claimName": "x"}}],
    )
    volumes = {volume.pop("name"): volume for volume in spec["volumes"]}
    assert volumes["conf"] == {"configMap": {"name": "conf"}}
    assert [*volumes["root"]] == ["persistentVolumeClaim"]
    assert spec["domain"]["devices"]["filesystems"] == [{"name": "conf", "virtiofs": {}}]
    assert len(needs) == 2


@pytest.mark.parametrize(("nics", "slots"), [(1, "1"), (2, "3"), (5, "6")])
def test_that_of_a_vm_with_its_own_number_of_ports_for_hotplug_has_as_many(nics, slots):
    names = [f"net{number}" for number in range(nics)]
    domain = {
        "memory": {"guest": "1Gi"},
        "devices": {
            "interfaces": [{"name": name, "bridge": {}} for name in names],
            "autoattachPodInterface": False,
        },
    }
    networks = [{"name": name, "multus": {"networkName": name}} for name in names]
    vm = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "router", "namespace": "prod"},
        "spec": {
            "runStrategy": "Always",
            "template": {
                "metadata": {"annotations": {"kubevirt.io/pci-interface-slot-count": slots}},
                "spec": {"domain": domain, "networks": networks},
            },
        },
    }
    result = expand(vm, Cluster())
    imported = bring(result.domain_xml.encode())
    ports = result.domain_xml.count('model="pcie-root-port"')
    assert ports > 0
    assert imported.domain_xml.count('model="pcie-root-port"') == ports
