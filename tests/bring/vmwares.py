"""Machines of vSphere in tests, and what becomes of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from virtcatalog import HOSTS, load_catalog
from virtcatalog.bring.vmware.bring import Bringer
from virtcatalog.bring.vmware.fates import verdict
from virtcatalog.bring.vmware.machine import Disk, Machine, Nic
from virtcatalog.bring.vmware.manifest import Target
from virtcatalog.bring.vmware.mapping import Mapping, Storage
from virtcatalog.kubevirt.conditions import Conditions

FIXTURES = Path(__file__).parent / "vmware"
CONDITIONS = Conditions(release=None, architecture="amd64", host=HOSTS["reference"])
MAPPING = Mapping(networks={"VM Network": "pod", "DMZ": "dmz", "Old": "ignored"}, datastores={"ssd": Storage()})
GIB = 2**30

#: What became of all that is looked at, where a test wants to know.
sentences = None


@cache
def objects():
    return tuple(load_catalog("common-instancetypes").objects())


def machine(**fields):
    """A machine with two vCPUs, 8 GiB, a disk and a network card."""
    usual = {
        "name": "web",
        "id": "vm-1",
        "file": "f",
        "line": 1,
        "guests": ("ubuntu64Guest",),
        "vcpus": 2,
        "memory": 8 * GIB,
        "disks": (Disk("Hard disk 1", 40 * GIB, "ssd", "scsi"),),
        "nics": (Nic("Network adapter 1", "VM Network", "00:50:56:9a:00:01", "vmxnet3"),),
        "attributes": (),
        "firmware": "bios",
        "tpm": False,
    }
    return Machine(**{**usual, **fields})


def bringer(catalog=None, **target):
    return Bringer(objects() if catalog is None else catalog, Target(**{"mapping": MAPPING, **target}), CONDITIONS)


def bring(catalog=None, target=None, **fields):
    """What becomes of one machine."""
    return bringer(catalog, **(target or {})).bring(machine(**fields))


def domain(brought):
    """The domain of the VM's template."""
    return brought.vm["spec"]["template"]["spec"]["domain"]


def fates(brought, path=""):
    """The fates of the attributes of a path, as `fate: why`."""
    verdicts = [(attribute.path, verdict(attribute, brought)) for attribute in brought.machine.attributes]
    if sentences is not None:
        sentences.extend(f"{place}: {verdict.fate}: {verdict.why}" for place, verdict in verdicts)
    return [f"{verdict.fate}: {verdict.why}" for place, verdict in verdicts if place.endswith(path)]
