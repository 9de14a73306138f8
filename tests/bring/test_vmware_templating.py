"""VMs that are alike: one template makes exactly their manifests."""

from __future__ import annotations

import pytest
from vmwares import GIB, bringer, machine

from virtcatalog.bring.vmware.machine import Disk, Nic
from virtcatalog.bring.vmware.templating import Templates
from virtcatalog.kubevirt.template.process import process

UUID = "421a7d0c-55e1-4b90-a6f3-00000000000"


def templates(*machines, **target):
    gathered, own = Templates(), bringer(**target)
    vms = {brought.name: brought.vm for brought in map(own.bring, machines)}
    for brought in map(bringer(**target).bring, machines):
        gathered.add(brought)
    return list(gathered.shared()), vms


def alike(number, **fields):
    nics = (Nic("a", "VM Network", f"00:50:56:9a:00:0{number}", "vmxnet3"), Nic("b", "DMZ"))
    return machine(**{"name": f"web-{number}", "uuid": f"{UUID}{number}", "nics": nics, **fields})


def test_vms_that_differ_in_names_and_addresses_are_one_template():
    (template,), _ = templates(alike(1), alike(2), alike(3))
    assert template.name == "ubuntu-u1-large"
    assert list(template.vms) == ["web-1", "web-2", "web-3"]
    assert template.vms["web-2"] == {
        "NAME": "web-2",
        "UUID": f"{UUID}2",
        "SERIAL": "VMware-42 1a 7d 0c 55 e1 4b 90-a6 f3 00 00 00 00 00 02",
        "MAC_0": "00:50:56:9a:00:02",
    }
    assert [parameter["name"] for parameter in template.manifest["spec"]["parameters"]] == list(template.vms["web-2"])


@pytest.mark.parametrize("target", [{}, {"namespace": "shop"}, {"disks": "upload"}, {"run_strategy": "Always"}])
def test_the_template_makes_the_vms(target):
    disks = tuple(Disk(f"d{number}", GIB, "ssd", "scsi", 0, number) for number in range(3))
    machines = [alike(number, disks=disks, notes=f"of {number}: $5") for number in range(2)]
    (template,), vms = templates(*machines, **target)
    for name, values in template.vms.items():
        vm = process(template.manifest, values).vm
        metadata = {key: value for key, value in vms[name]["metadata"].items() if key != "namespace"}
        assert vm["metadata"] == metadata
        assert vm["spec"]["template"]["spec"]["volumes"] == vms[name]["spec"]["template"]["spec"]["volumes"]
        claims = [
            [template["metadata"]["name"] for template in vm["spec"].get("dataVolumeTemplates", [])]
            for vm in (vm, vms[name])
        ]
        assert claims[0] == claims[1]


def test_a_vm_whose_own_text_looks_like_a_parameter_stays_out():
    (template,), _ = templates(*(alike(number, notes="costs ${NAME}" if number == 2 else "-") for number in range(4)))
    assert list(template.vms) == ["web-0", "web-1", "web-3"]


@pytest.mark.parametrize(
    "fields",
    [{"memory": 16 * GIB}, {"firmware": "efi"}, {"guests": ("rhel9_64Guest",)}, {"uuid": ""}, {"notes": "mine"}],
)
def test_what_else_differs_is_another_vm(fields):
    assert templates(alike(1), alike(2, **fields))[0] == []


def test_one_vm_is_no_template():
    assert templates(alike(1))[0] == []


def test_names_of_templates_differ():
    groups, _ = templates(alike(1), alike(2), alike(3, firmware="efi"), alike(4, firmware="efi"))
    assert [template.name for template in groups] == ["ubuntu-u1-large", "ubuntu-u1-large-2"]


def test_a_template_whole():
    disks = (Disk("d", GIB, "ssd", "scsi"),)
    machines = [alike(number, disks=disks, notes=f"no. {number}") for number in (1, 2)]
    (template,), _ = templates(*machines, namespace="shop", disks="upload")
    words = {
        "NAME": "What the VM is called, and its disks' claims are made of",
        "DESCRIPTION": "What vCenter's notes say",
        "UUID": "The SMBIOS UUID",
        "SERIAL": "VMware's serial number of the UUID",
        "MAC_0": "The MAC address of a network card",
    }
    storage = {"resources": {"requests": {"storage": "1Gi"}}}
    domain = {
        "firmware": {"uuid": "${UUID}", "serial": "${SERIAL}", "bootloader": {"bios": {}}},
        "devices": {
            "disks": [{"name": "disk-0", "disk": {}, "bootOrder": 1}],
            "interfaces": [
                {"name": "net-0", "masquerade": {}, "macAddress": "${MAC_0}"},
                {"name": "net-1", "bridge": {}},
            ],
        },
    }
    networks = [{"name": "net-0", "pod": {}}, {"name": "net-1", "multus": {"networkName": "dmz"}}]
    volumes = [{"name": "disk-0", "dataVolume": {"name": "${NAME}-disk-0"}}]
    assert template.manifest == {
        "apiVersion": "template.kubevirt.io/v1beta1",
        "kind": "VirtualMachineTemplate",
        "metadata": {"name": "ubuntu-u1-large"},
        "spec": {
            "parameters": [{"name": name, "required": True, "description": text} for name, text in words.items()],
            "virtualMachine": {
                "metadata": {"name": "${NAME}", "annotations": {"description": "${DESCRIPTION}"}},
                "spec": {
                    "runStrategy": "Halted",
                    "instancetype": {"name": "u1.large"},
                    "preference": {"name": "ubuntu"},
                    "dataVolumeTemplates": [
                        {
                            "metadata": {"name": "${NAME}-disk-0"},
                            "spec": {"source": {"upload": {}}, "storage": storage},
                        }
                    ],
                    "template": {"spec": {"domain": domain, "networks": networks, "volumes": volumes}},
                },
            },
        },
    }
    assert template.vms["web-1"]["DESCRIPTION"] == "no. 1"


def test_a_template_of_vms_without_addresses_or_notes_has_fewer_parameters():
    (template,), _ = templates(*(machine(name=f"db-{number}", nics=()) for number in (1, 2)))
    assert template.vms == {"db-1": {"NAME": "db-1"}, "db-2": {"NAME": "db-2"}}


def test_a_template_of_vms_without_a_type_or_preference_is_called_vm():
    (template,), _ = templates(*(alike(number) for number in (1, 2)), catalog=[])
    assert template.name == "vm"
