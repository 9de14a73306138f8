"""What is fuzzed: each target takes bytes, and must end with a result, or with an error of virtcatalog's own."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

from choices import Choices
from click.testing import CliRunner

from virtcatalog import HOSTS, Cluster, expand, load_catalog, process
from virtcatalog.api.golang import unmarshal
from virtcatalog.api.quantity import Quantity
from virtcatalog.api.template import OpenShiftTemplate
from virtcatalog.bring.convert.files import convert_files
from virtcatalog.bring.libvirt.domain import import_domain
from virtcatalog.bring.libvirt.rules import Rules
from virtcatalog.bring.objects.catalog import draft, prove
from virtcatalog.bring.objects.read import collected
from virtcatalog.bring.openstack.objects import import_resources
from virtcatalog.bring.openstack.read import read as read_cloud
from virtcatalog.bring.vmware.bring import Bringer
from virtcatalog.bring.vmware.fates import verdict
from virtcatalog.bring.vmware.inventory import Inventory
from virtcatalog.bring.vmware.machine import Machine
from virtcatalog.bring.vmware.manifest import Target
from virtcatalog.bring.vmware.mapping import Mapping, load_mapping, written
from virtcatalog.bring.vmware.ova import read_ova
from virtcatalog.bring.vmware.ovf import read_ovf
from virtcatalog.bring.vmware.rvtools import SHEETS, read_rvtools
from virtcatalog.bring.vmware.table import read_csv
from virtcatalog.bring.vmware.workbook import read_workbook
from virtcatalog.catalog.amounts import Amount, ExpressionError
from virtcatalog.catalog.expressions import evaluate
from virtcatalog.catalog.work import Work, WorkError
from virtcatalog.cli import COMMANDS, main
from virtcatalog.errors import ManifestError, Problem, UnsupportedError, VirtcatalogError
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.hostfile import dump_host, read_host
from virtcatalog.kubevirt.template.admission import admit_template
from virtcatalog.kubevirt.template.process import convert_template
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.dump import read_dump
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.folder import held
from virtcatalog.manifests.git import Repository
from virtcatalog.manifests.loose import LooseText
from virtcatalog.manifests.read import read_apart
from virtcatalog.manifests.spool import Spool
from virtcatalog.manifests.stream import Stream
from virtcatalog.render.output import render
from virtcatalog.repositories.kustomize.build import build
from virtcatalog.review.read import read_side
from virtcatalog.rightsize.metrics import read_metrics

CATALOG: dict[str, Any] = {
    "catalog.yaml": {
        "name": "test",
        "vendor": "example.org",
        "kubevirt": "v1.7.4",
        "parameters": {"gpu": "example.org/gpu", "list": [1, 2]},
        "labels": {"a/b": "c"},
        "allow": [{"rule": "naming", "objects": ["x*"], "reason": "so"}],
        "operator": {"commonInstancetypes": "disabled"},
        "gitops": {"argocd": {"prune": False, "syncWave": 1}, "flux": {"prune": True}},
    },
    "components.yaml": {"tpm": {"spec": {"preferredTPM": {}}}, "big": {"components": [], "labels": {"x": "z"}}},
    "overlays.yaml": {
        "lab": {
            "scope": "namespaced",
            "namespace": "lab",
            "select": {"names": ["m.*"]},
            "patches": [{"select": {"names": ["m.small"]}, "metadata": {"labels": {"p": "q"}}}],
        }
    },
    "instancetypes/m.yaml": {
        "class": "m",
        "version": 1,
        "memoryPerVcpu": "4Gi",
        "displayName": "M {{ size }} of {{ memory }}",
        "deprecated": {"replacedBy": "m1.large", "sunset": "2027-06-01"},
        "components": ["big"],
        "spec": {"gpus": [{"name": "g", "deviceName": "{{ gpu }}"}]},
        "sizes": {"small": {"vcpus": 1}, "large": {"vcpus": 4, "memory": "1Gi", "deprecated": None}},
        "variants": {"-x": {"sizes": ["small"], "annotations": {"n": "{{ vcpus * 2 | int ~ 'x' }}"}}},
    },
    "preferences/linux.yaml": {
        "defaults": {"osType": "linux", "components": ["tpm"]},
        "preferences": {"linux": {"arch": "arm64", "requirements": {"vcpus": 2, "memory": "1Gi"}}},
        "variants": {"efi": {"preferences": ["l*"], "spec": {"firmware": {"preferredEfi": {}}}}},
    },
    "templates/linux.yaml": {
        "defaults": {"vm": {"spec": {"template": {"spec": {"domain": {"devices": {}}}}}}, "message": "${NAME}"},
        "sizes": {"small": {"instancetype": "m1.{{ size }}"}},
        "workloads": {"server": {"parameters": {"P": {"from": "[a-z]{3}"}}, "labels": {"l": "{{ os }}"}}},
        "systems": {
            "linux": {
                "preference": "linux",
                "image": "{{ os }}",
                "vm": {"metadata": {"annotations": {"a": "${{P}}-{{ image }}"}}},
                "workloads": {"server": ["small"]},
                "tests": {"one": {"NAME": "x", "P": "1"}},
            }
        },
    },
    "vms.yaml": {"web.yaml.j2": {"parameters": {"name": "web"}, "environments": {"lab": {"name": "w"}}}},
}
VM: dict[str, Any] = {
    "apiVersion": "kubevirt.io/v1",
    "kind": "VirtualMachine",
    "metadata": {"name": "web", "namespace": "default", "labels": {"a": "b"}, "annotations": {"c": "d"}},
    "spec": {
        "runStrategy": "Always",
        "instancetype": {"name": "medium"},
        "preference": {"name": "linux", "inferFromVolume": None},
        "dataVolumeTemplates": [
            {
                "metadata": {"name": "root"},
                "spec": {"storage": {"resources": {"requests": {"storage": "1Gi"}}}, "source": {"blank": {}}},
            }
        ],
        "template": {
            "metadata": {"labels": {"x": "y"}},
            "spec": {
                "architecture": "amd64",
                "domain": {
                    "clock": {"utc": {}, "timer": {"hpet": {"present": False}}},
                    "features": {"acpi": {}, "hyperv": {"relaxed": {}}, "smm": {"enabled": True}},
                    "firmware": {
                        "bootloader": {"efi": {"secureBoot": True}},
                        "uuid": "5d307ca9-b3ef-428c-8861-06e72d69f223",
                    },
                    "ioThreadsPolicy": "auto",
                    "devices": {
                        "disks": [
                            {"name": "root", "bootOrder": 1, "disk": {"bus": "virtio"}, "cache": "none"},
                            {"name": "cd", "cdrom": {"bus": "sata"}},
                            {"name": "init", "disk": {"bus": "scsi"}},
                        ],
                        "interfaces": [
                            {"name": "default", "masquerade": {}, "ports": [{"port": 80, "protocol": "TCP"}]}
                        ],
                        "inputs": [{"name": "tablet", "type": "tablet", "bus": "usb"}],
                        "rng": {},
                        "tpm": {"persistent": True},
                        "watchdog": {"name": "w", "i6300esb": {"action": "reset"}},
                    },
                },
                "networks": [{"name": "default", "pod": {}}],
                "volumes": [
                    {"name": "root", "dataVolume": {"name": "root"}},
                    {"name": "cd", "containerDisk": {"image": "example.org/x:1"}},
                    {"name": "init", "cloudInitNoCloud": {"userData": "#cloud-config\n"}},
                ],
                "nodeSelector": {"a": "b"},
                "tolerations": [{"key": "a", "operator": "Exists"}],
                "accessCredentials": [],
            },
        },
    },
}
OWN: dict[str, Any] = {
    "apiVersion": "kubevirt.io/v1",
    "kind": "VirtualMachine",
    "metadata": {"name": "own"},
    "spec": {
        "runStrategy": "Halted",
        "template": {
            "spec": {
                "domain": {
                    "cpu": {
                        "cores": 2,
                        "sockets": 2,
                        "dedicatedCpuPlacement": True,
                        "numa": {"guestMappingPassthrough": {}},
                    },
                    "memory": {"guest": "4Gi", "hugepages": {"pageSize": "2Mi"}},
                    "resources": {"requests": {"memory": "4Gi", "cpu": "4"}, "limits": {"memory": "4Gi"}},
                    "machine": {"type": "q35"},
                    "devices": {
                        "gpus": [{"name": "g", "deviceName": "example.org/gpu"}],
                        "disks": [],
                        "interfaces": [],
                    },
                }
            }
        },
    },
}
OBJECTS: list[dict[str, Any]] = [
    {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterInstancetype",
        "metadata": {"name": "medium"},
        "spec": {"cpu": {"guest": 4}, "memory": {"guest": "4Gi"}, "annotations": {"x": "y"}},
    },
    {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterPreference",
        "metadata": {"name": "linux"},
        "spec": {
            "devices": {"preferredDiskBus": "virtio", "preferredRng": {}},
            "firmware": {"preferredEfi": {"secureBoot": False}},
            "requirements": {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}},
            "cpu": {"preferredCPUTopology": "spread", "spreadOptions": {"across": "CoresThreads", "ratio": 2}},
        },
    },
    {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
        "spec": {
            "configuration": {
                "developerConfiguration": {"featureGates": ["CPUManager", "HostDevices"], "memoryOvercommit": 100},
                "permittedHostDevices": {
                    "pciHostDevices": [{"pciVendorSelector": "10DE:20B7", "resourceName": "example.org/gpu"}]
                },
                "machineType": "q35",
            }
        },
    },
    {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "root"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
            "volumeMode": "Block",
        },
    },
]
_OLD_VMI: dict[str, Any] = {
    "domain": {
        "cpu": {"cores": 2, "sockets": 2, "features": [{"name": "vmx"}], "dedicatedCpuPlacement": True},
        "memory": {"hugepages": {"pageSize": "2Mi"}},
        "resources": {"requests": {"memory": "4Gi"}},
        "clock": {"utc": {}, "timer": {"hpet": {"present": False}}},
        "firmware": {"bootloader": {"bios": {"useSerial": True}, "efi": {}}},
        "devices": {"disks": [{"name": "a", "volumeName": "b", "floppy": {}}], "rng": {}},
    },
    "volumes": [{"name": "b", "registryDisk": {"image": "x"}}],
    "networks": [{"name": "n", "genie": {"networkName": "x"}}],
}
OLD_OBJECTS: list[dict[str, Any]] = [
    {
        "apiVersion": "kubevirt.io/v1alpha1",
        "kind": "OfflineVirtualMachine",
        "metadata": {"name": "old"},
        "spec": {"Running": True, "Template": {"spec": _OLD_VMI}},
        "status": {},
    },
    {
        "apiVersion": "kubevirt.io/v1alpha3",
        "kind": "VirtualMachine",
        "metadata": {"name": "web"},
        "spec": {
            "flavor": {"name": "f", "kind": "VirtualMachineFlavor", "profile": "p"},
            "preference": {"name": "p", "revisionName": "r"},
            "liveUpdateFeatures": {"cpu": {"maxSockets": 4}, "memory": {"maxGuest": "1Gi"}},
            "dataVolumeTemplates": [{"apiVersion": "cdi.kubevirt.io/v1alpha1"}],
            "template": {"spec": _OLD_VMI},
        },
    },
    {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachineInstancePreset",
        "metadata": {"name": "p"},
        "spec": {"selector": {}, "domain": _OLD_VMI["domain"]},
    },
    {
        "apiVersion": "flavor.kubevirt.io/v1alpha1",
        "kind": "VirtualMachineFlavor",
        "metadata": {"name": "f"},
        "profiles": [{"name": "p", "default": True, "cpu": {"cores": 2}}, {"name": "q"}],
    },
    {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {"name": "r", "labels": {}, "ownerReferences": [{"name": "web"}]},
        "data": {"apiVersion": "instancetype.kubevirt.io/v1alpha1", "spec": "e30="},
        "revision": 0,
    },
    {
        "apiVersion": "v1",
        "kind": "List",
        "items": [
            {
                "apiVersion": "instancetype.kubevirt.io/v1alpha2",
                "kind": "VirtualMachinePreference",
                "metadata": {"name": "x"},
                "spec": {"cpu": {"preferredCPUTopology": "preferCores"}},
            },
            {
                "apiVersion": "pool.kubevirt.io/v1alpha1",
                "kind": "VirtualMachinePool",
                "spec": {
                    "scaleInStrategy": {"proactive": {"selectionPolicy": {"basePolicy": "Random"}}},
                    "virtualMachineTemplate": {"spec": {"flavor": {}}},
                },
            },
            {"apiVersion": "kubevirt.io/v1alpha1", "kind": "Migration", "spec": {"selector": {"name": "x"}}},
            {
                "apiVersion": "snapshot.kubevirt.io/v1alpha1",
                "kind": "X",
                "spec": {"volumeBackups": [{"diskName": "d"}]},
            },
        ],
    },
]
CATALOG_OBJECTS: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "List",
    "items": [
        *OBJECTS[:2],
        *(
            {
                "apiVersion": "instancetype.kubevirt.io/v1beta1",
                "kind": kind,
                "metadata": {
                    "name": name,
                    "labels": {"instancetype.kubevirt.io/class": "m", "instancetype.kubevirt.io/size": name[2:]},
                    "annotations": {"instancetype.kubevirt.io/displayName": f"{name} {{{{ x }}}}"},
                },
                "spec": spec,
            }
            for kind, names, spec in (
                (
                    "VirtualMachineInstancetype",
                    ("m.a", "m.b", "m.ax", "m.bx"),
                    {
                        "cpu": {"guest": 2, "maxSockets": 4},
                        "memory": {"guest": "2Gi", "hugepages": {"pageSize": "2Mi"}},
                    },
                ),
                (
                    "VirtualMachinePreference",
                    ("linux", "linux.x", "windows.10", "windows.11"),
                    {
                        "devices": {"preferredRng": {}},
                        "features": {"preferredSmm": {}},
                        "preferredArchitecture": "amd64",
                    },
                ),
            )
            for name in names
        ),
    ],
}
KUSTOMIZE: dict[str, Any] = {
    "kustomization.yaml": {
        "resources": ["types.yaml", "base"],
        "components": ["big"],
        "nameSuffix": ".x",
        "labels": [{"pairs": {"a": "b"}}],
        "patches": [
            {"target": {"kind": "Virtual.*", "labelSelector": "a=b"}, "path": "patch.yaml"},
            {"target": {"name": "medium"}, "patch": '[{"op": "replace", "path": "/spec/cpu/guest", "value": 2}]'},
        ],
    },
    "types.yaml": OBJECTS[0],
    "base/kustomization.yaml": {"resources": ["preference.yaml"], "namespace": "lab", "namePrefix": "a-"},
    "base/preference.yaml": OBJECTS[1],
    "big/kustomization.yaml": {"kind": "Component", "commonAnnotations": {"c": "d"}},
    "patch.yaml": {"spec": {"memory": None, "$patch": "merge"}},
}
TEMPLATE = (
    "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: '{{ name }}'}\n"
    "spec: {runStrategy: Always, template: {spec: {domain: {devices: {}}}}}\n"
)
NAMES = {"vcpus": 4, "memory": Amount(Quantity.parse("4Gi")), "list": [3, 1], "map": {"a": {"b": "c"}}, "nothing": None}
_ATOMS = (
    *(
        "vcpus",
        "memory",
        "list",
        "map",
        "nothing",
        "map.a",
        "1",
        "0",
        "-1",
        "2**64",
        "1e308",
        "'a'",
        "'\\n'",
        "[1]",
        "{}",
    ),
    *(
        "range(9)",
        "range(9999)",
        "none",
        "true",
        "'1Gi'",
        "'\\ud800'",
        "loop",
        "self",
        "x",
        "[[1],[2]]",
        "{'a': 1}",
        "''",
    ),
)
_OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "~", "==", "<", "in", "and", "or", "|", ".", "[", "is", "if")
_FILTERS = (
    *("abs", "count", "default('x')", "dictsort", "first", "float", "indent(9)", "int", "items", "join(',')", "last"),
    *("length", "list", "map('upper')", "map(attribute='a')", "max", "min", "reject('odd')", "replace('a', 'bb')"),
    *(
        "reverse",
        "round(2)",
        "select('in', list)",
        "sort",
        "string",
        "sum",
        "title",
        "tojson",
        "trim",
        "unique",
        "upper",
    ),
    *("selectattr('a')", "sum(start=[])", "sort(attribute='a')", "join(list)", "attr('x')", "center(9)", "d"),
)
_TESTS = ("odd", "defined", "none", "mapping", "in(list)", "divisibleby(0)", "eq(1)", "iterable", "callable", "string")


def _expression(choices: Choices, depth: int = 0) -> str:
    if depth > 5 or not choices.left or not choices.number(3):
        return choices.one((*_ATOMS, choices.text()))
    left, operator = _expression(choices, depth + 1), choices.one(_OPERATORS)
    if operator == "|":
        return f"({left} | {choices.one(_FILTERS)})"
    if operator == "is":
        return f"({left} is {choices.one(_TESTS)})"
    if operator == ".":
        return f"{left}.{choices.one(('a', 'count', 'items', '__class__', 'index', 'format'))}"
    right = _expression(choices, depth + 1)
    if operator == "[":
        return f"{left}[{right}{choices.one(('', ':', '::2'))}]"
    if operator == "if":
        return f"({left} if {right}{choices.one(('', ' else ' + left))})"
    return f"({left} {operator} {right})"


def _template(choices: Choices) -> str:
    parts = []
    for _ in range(1 + choices.number(4)):
        inner = _expression(choices)
        forms = (
            *("{{ %s }}", "x{{ %s }}", "{%% if %s %%}a{%% endif %%}", "{%% for i in %s %%}{{ i }}{%% endfor %%}"),
            *(
                "{%% set a = %s %%}{{ a }}",
                "{%% for i in range(99) %%}{%% for j in %s %%}{{ loop.index }}{%% endfor %%}{%% endfor %%}",
            ),
            *("{# %s #}", "{{ %s", "{%% %s %%}"),
        )
        parts.append(choices.one(forms) % inner)
    return "".join(parts)


def expressions(data: bytes) -> None:
    try:
        value = evaluate(_template(Choices(data)), NAMES, Work())
    except (ExpressionError, WorkError) as error:
        error.message.encode()
        return
    json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    assert "object at 0x" not in repr(value)


def quantities(data: bytes) -> None:
    choices = Choices(data)
    pieces = ("", "1", "0", "9" * 30, ".", "-", "+", "Ki", "Ei", "m", "n", "e", "E", "e9", "e-9", " ", "1" * 300, "٣")
    text = "".join(choices.one(pieces) for _ in range(choices.number(6))) + choices.text()
    for value in (text, choices.value()):
        try:
            quantity = Quantity.parse(value)
        except ValueError as error:
            message = str(error)
            assert len(message) < 1000
            continue
        # For amounts beyond exa Go has no suffix.
        beyond_exa = quantity.notation != "DecimalExponent" and quantity._nano % 10**30 == 0
        assert beyond_exa or Quantity.parse(str(quantity)) == quantity or quantity.value == 2**63 - 1
        assert isinstance(quantity.value + quantity.milli_value, int)


def _written(choices: Choices, document: Any) -> bytes:
    """A document as a file, which may have been damaged as a text, too."""
    text = json.dumps(document, ensure_ascii=choices.number(1) == 0).encode("utf-8", "surrogatepass")
    return choices.mangled(text) if choices.number(3) == 3 else text


def _catalog_files(choices: Choices) -> dict[str, bytes]:
    files = {path: _written(Choices(b""), document) for path, document in CATALOG.items()}
    for _ in range(1 + choices.number(2)):
        path = choices.one(tuple(CATALOG))
        files[path] = _written(choices, choices.edited(CATALOG[path]))
    template = TEMPLATE.encode()
    files["vms/web.yaml.j2"] = choices.mangled(template) if choices.number(3) == 0 else template
    return files


def catalogs(data: bytes) -> None:
    try:
        catalog = load_catalog("catalog", _catalog_files(Choices(data)))
        render(catalog)
        catalog.objects()
        for overlay in catalog.overlays:
            catalog.objects(overlay.name)
    except VirtcatalogError as error:
        str(error).encode()


def templates(data: bytes) -> None:
    choices = Choices(data)
    document = choices.edited(choices.one((VM_TEMPLATE, OPENSHIFT_TEMPLATE)))
    parameters = {choices.one(("NAME", "CPUS", "x")): str(choices.value())[:999] for _ in range(choices.number(2))}
    try:
        if isinstance(document, dict):
            admit_template(document)
            dump(process(document, parameters, seed=1).vm)
    except VirtcatalogError as error:
        str(error).encode("utf-8", "surrogateescape")
    try:
        text = LooseText(_written(choices, document), "f")
        for reading in text.readings():
            template = unmarshal(reading.data, OpenShiftTemplate, of_yaml=reading.of_yaml)
            converted = dump(convert_template(template))
            assert dump(next(LooseText(converted).readings()).data)
            break
    except VirtcatalogError as error:
        str(error).encode("utf-8", "surrogateescape")


def yaml(data: bytes) -> None:
    choices = Choices(data)
    pieces = (
        b"- ",
        b"a: ",
        b"\n",
        b"  ",
        b"&a ",
        b"*a ",
        b"[",
        b"]",
        b"{",
        b"}",
        b"'",
        b'"',
        b"|",
        b">",
        b"!!x ",
        b"? ",
    )
    pieces += (
        b"---\n",
        b"...\n",
        b"#",
        b"<<: *a",
        b"\t",
        b"1e9",
        b"0o7",
        b"~",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\x00",
        b", ",
    )
    content = b"".join(choices.one(pieces) for _ in range(choices.number(60))) + choices.rest()
    text = Text(content, "f")
    for _, document in text.documents():
        with contextlib.suppress(VirtcatalogError, RecursionError):
            assert dump([document]) is not None
    for problem in text.problems:
        str(problem).encode("utf-8", "surrogateescape")
    read_apart(content, "f")


@cache
def _cluster() -> Cluster:
    return Cluster(OBJECTS)


def _expanded(vm: Any, cluster: Cluster) -> None:
    try:
        result = expand(vm, cluster)
    except UnsupportedError:
        return
    assert result.admitted == (result.domain_xml is not None)


def vms(data: bytes) -> None:
    choices = Choices(data)
    _expanded(choices.edited(choices.one((VM, OWN))), _cluster())


def clusters(data: bytes) -> None:
    choices = Choices(data)
    release = choices.one(("v1.7.4", "v1.8.4", "v1.9.0"))
    try:
        cluster = Cluster(choices.edited(OBJECTS), release=release)
    except (VirtcatalogError, TypeError):
        return  # TypeError: what is given as objects is no list
    for vm in (VM, OWN):
        _expanded(vm, cluster)


def dumps(data: bytes) -> None:
    choices = Choices(data)
    listed = {"apiVersion": "v1", "kind": "List", "items": [VM, *OBJECTS, {"kind": "List", "items": [OWN]}]}
    try:
        for manifest in read_dump(Stream(Spool().copy(_written(choices, choices.edited(listed))), "f")):
            assert isinstance(manifest, dict)
    except VirtcatalogError as error:
        str(error).encode("utf-8", "surrogateescape")


def conversions(data: bytes) -> None:
    choices = Choices(data)
    objects = choices.edited(OLD_OBJECTS)
    listed = objects if isinstance(objects, list) else [objects]
    files = {f"{number}.json": _written(choices, document) for number, document in enumerate(listed)}
    try:
        for file in convert_files(files, choices.one(("", "2Gi"))):
            for manifest, converted in file.objects:
                for change in converted.changes:
                    str(manifest.problem(change.path, change.sentence)).encode("utf-8", "surrogateescape")
    except VirtcatalogError as error:
        str(error).encode("utf-8", "surrogateescape")


def imports(data: bytes) -> None:
    choices = Choices(data)
    tree = {path: _written(choices, choices.edited(document)) for path, document in KUSTOMIZE.items()}
    try:
        built = [resource.data for resource in build(held(tree), "x").resources] if choices.number(2) else []
        content = _written(choices, choices.edited(CATALOG_OBJECTS))
        manifests = collected([("f", content)], [("x", built)]).manifests
        if manifests:
            relabel = bool(choices.number(1))
            prove(draft(manifests, "house", relabel=relabel), manifests, relabel=relabel)
    except VirtcatalogError as error:
        str(error).encode("utf-8", "surrogateescape")


def metrics(data: bytes) -> None:
    """What VMs use, as JSON or CSV: values, or an error that says where."""
    choices = Choices(data)
    labels = {"namespace": "a", "name": "b", "resource": choices.one(("cpu", "memory", "x", 3))}
    series = {"metric": labels, choices.one(("value", "values")): choices.one(([1, "1"], [[1, "NaN"]], [], 3, None))}
    answer = {"status": "success", "data": {"resultType": choices.one(("vector", "matrix")), "result": [series] * 2}}
    edited = json.dumps(choices.edited(answer), default=str).encode()
    try:
        for content in (edited, b"namespace,name,cpu,memory\n" + data, data):
            for usage in read_metrics(content, "f", 95).usage.values():
                assert all(value is None or 0 <= value <= 2**60 for value in (usage.cpu, usage.memory))
    except ManifestError as error:
        str(error).encode("utf-8", "surrogateescape")


@cache
def _host() -> Any:
    from virtcatalog.manifests.document import Text as Read

    ((_, host),) = Read(dump_host(HOSTS["reference"]), "f").documents()
    return host


def hosts(data: bytes) -> None:
    choices = Choices(data)
    try:
        profile = read_host(_written(choices, choices.edited(_host())), "f")
        _expanded(OWN, Cluster(OBJECTS, host=profile))
    except VirtcatalogError as error:
        str(error).encode("utf-8", "surrogateescape")


#: What stands in the wrong place of a domain often enough; more is in a fuzzer's bytes.
_MARKUP = (
    "",
    "<disk/>",
    "<cpu><topology/></cpu>",
    "</devices>",
    "<!DOCTYPE x>",
    "&lt;",
    "&x;",
    "<!--",
    "]]>",
    "=''",
    "0x",
    "-1",
)


def _marked_up(choices: Choices, text: str) -> bytes:
    """XML with some of its words in another's place, or with something else in theirs."""
    for _ in range(1 + choices.number(4)):
        words = re.split(r"([\s<>='\"/]+)", text)
        place = choices.number(len(words) - 1)
        words[place] = choices.one((*_MARKUP, str(choices.value()), words[choices.number(len(words) - 1)]))
        text = "".join(words)
    return text.encode("utf-8", "surrogatepass")


def domains(data: bytes) -> None:
    choices = Choices(data)
    text = _marked_up(choices, choices.one(_domains()))
    try:
        imported = import_domain(text, "d.xml", Rules(), _CONDITIONS)
        assert all(part.why or part.fate == "carried" for part in imported.parts)
    except (ManifestError, UnsupportedError) as error:
        str(error).encode("utf-8", "surrogateescape")


def descriptors(data: bytes) -> None:
    choices = Choices(data)
    text = _marked_up(choices, choices.one(_descriptors()))
    with tempfile.SpooledTemporaryFile() as archive:
        with tarfile.open(fileobj=archive, mode="w") as tar:
            member = tarfile.TarInfo("a.ovf")
            member.size = len(text)
            tar.addfile(member, BytesIO(text))
        archive.seek(0)
        packed = bytearray(archive.read())
    if choices.number(3) == 0:
        packed[choices.number(len(packed) - 1)] = choices.number(255)
    try:
        _bring(read_ovf(read_ova(lambda start, end: bytes(packed[start:end]), "d.ova"), "d.ova"))
    except VirtcatalogError as error:
        str(error).encode("utf-8", "surrogateescape")


def _bring(machines: Iterable[Machine]) -> None:
    bringer = Bringer((), Target(Mapping()), _CONDITIONS)
    for brought in map(bringer.bring, machines):
        fates = [verdict(attribute, brought) for attribute in brought.machine.attributes]
        assert all(fate.why or fate.fate == "carried" for fate in fates)


_CELLS = (
    "",
    ",",
    '"',
    "\n",
    "True",
    "-1",
    "0",
    '"1,024"',
    "9" * 400,
    "vm-101",
    "web-01",
    "[a] b",
    "SCSI controller 9",
    "\0",
    "=1+1",
)


def workbooks(data: bytes) -> None:
    choices, parts = Choices(data), dict(_workbook())
    path = choices.one(tuple(parts))
    parts[path] = _marked_up(choices, parts[path]).decode("utf-8", "surrogateescape")
    content = BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text.encode("utf-8", "surrogateescape"))
    packed = bytearray(content.getvalue())
    if choices.number(3) == 0:
        packed[choices.number(len(packed) - 1)] = choices.number(255)
    problems: list[Problem] = []
    try:
        if tables := read_workbook(bytes(packed), "w.xlsx", SHEETS):
            _bring(read_rvtools(tables, problems).machines())
    except VirtcatalogError as error:
        str(error).encode("utf-8", "surrogateescape")


def exports(data: bytes) -> None:
    choices = Choices(data)
    tables, problems = {}, list[Problem]()
    try:
        for sheet, content in _exports().items():
            cells = re.split(r"([,\n])", content)
            for _ in range(choices.number(4)):
                cells[2 * choices.number(len(cells) // 2)] = choices.one((*_CELLS, str(choices.value())))
            text = "".join(cells).encode("utf-8", "surrogatepass")
            if choices.number(5):
                tables[sheet] = read_csv(choices.mangled(text) if choices.number(9) == 9 else text, f"{sheet}.csv")
        if tables:
            _bring(read_rvtools(tables, problems).machines())
    except VirtcatalogError as error:
        str(error).encode("utf-8", "surrogateescape")
    for problem in problems:
        str(problem).encode("utf-8", "surrogateescape")


MAPPING: dict[str, Any] = {
    "networks": {"VM Network": "pod", "DMZ": "vlans/dmz", "Old": "ignored"},
    "datastores": {"ssd": {"storageClass": "ceph", "volumeMode": "Block", "accessMode": "ReadWriteMany"}},
    "guests": {"BeOS 5": "fedora"},
}


def mappings(data: bytes) -> None:
    choices = Choices(data)
    with tempfile.NamedTemporaryFile(suffix=".yaml") as file:
        try:
            Path(file.name).write_bytes(_written(choices, choices.edited(MAPPING)))
            mapping = load_mapping(file.name)
            Path(file.name).write_text(written(mapping), "utf-8", "surrogatepass")
            assert load_mapping(file.name).networks == mapping.networks
        except ManifestError as error:
            str(error).encode("utf-8", "surrogateescape")


def inventories(data: bytes) -> None:
    choices, problems = Choices(data), list[Problem]()
    files = {
        f"{name}.json": _written(choices, choices.edited(document)) for name, document in _inventory_files().items()
    }
    _bring(Inventory(files, problems).machines())
    for problem in problems:
        str(problem).encode("utf-8", "surrogateescape")


FLAVORS: list[Any] = [
    {"Name": "m1", "VCPUs": 4, "RAM": 4096, "Disk": 20, "Properties": {"hw:cpu_policy": "dedicated"}},
    {
        "name": "c1",
        "vcpus": 8,
        "ram": 8192,
        "properties": {
            "hw:cpu_sockets": "2",
            "hw:cpu_max_threads": "1",
            "hw:mem_page_size": "large",
            "pci_passthrough:alias": "a:1,b:2",
            "resources:VGPU": "1",
            "trait:HW_CPU_X86_AVX": "required",
            "quota:cpu_shares": "1",
        },
    },
    {
        "name": "Fedora 41",
        "disk_format": "qcow2",
        "min_ram": 512,
        "properties": {"hw_disk_bus": "scsi", "os_type": "windows", "hw_tpm_version": "2.0", "hw_video_model": "none"},
    },
]


def clouds(data: bytes) -> None:
    choices = Choices(data)
    resources, problems = read_cloud(_written(choices, choices.edited(FLAVORS)), "f")
    imported = import_resources(resources, {"a": "example.org/a"})
    for problem in (*problems, *imported.problems):
        str(problem).encode("utf-8", "surrogateescape")
    with contextlib.suppress(VirtcatalogError):
        Cluster(imported.objects)


_CONDITIONS = Conditions(release=None, architecture="amd64", host=HOSTS["reference"])


@cache
def _domains() -> tuple[str, ...]:
    foreign = sorted((Path(__file__).parents[1] / "bring" / "foreign").glob("*.xml"))
    own = expand(OWN, Cluster(OBJECTS)).domain_xml or ""
    return (own, *(file.read_text() for file in foreign))


@cache
def _descriptors() -> tuple[str, ...]:
    return tuple(file.read_text() for file in sorted((Path(__file__).parents[1] / "bring" / "vmware").glob("*.ovf")))


@cache
def _exports() -> dict[str, str]:
    folder = Path(__file__).parents[1] / "bring" / "vmware" / "rvtools"
    return {sheet: (folder / f"RVTools_tab{sheet}.csv").read_text() for sheet in SHEETS}


@cache
def _inventory_files() -> dict[str, Any]:
    folder = Path(__file__).parents[1] / "bring" / "vmware" / "inventory"
    return {file.stem: json.loads(file.read_text()) for file in sorted(folder.iterdir())}


@cache
def _workbook() -> dict[str, str]:
    """The parts of a workbook of one VM, whose cells are texts of their own."""
    parts, relations = {}, ""
    rows = {
        "vInfo": ("VM", "CPUs", "Memory", "Disks", "web", "2", "4096", "1"),
        "vDisk": ("VM", "Capacity MiB", "web", "8"),
    }
    for sheet, cells in rows.items():
        texts = [f'<c t="inlineStr"><is><t>{cell}</t></is></c>' for cell in cells]
        half = len(texts) // 2
        parts[f"xl/{sheet}.xml"] = (
            f"<w><row r='1'>{''.join(texts[:half])}</row><row r='2'>{''.join(texts[half:])}</row></w>"
        )
        relations += f'<Relationship Id="{sheet}" Target="{sheet}.xml"/>'
    names = "".join(f'<sheet name="{sheet}" r:id="{sheet}"/>' for sheet in rows)
    parts["xl/workbook.xml"] = f'<workbook xmlns:r="r">{names}</workbook>'
    parts["xl/_rels/workbook.xml.rels"] = f"<r>{relations}</r>"
    return parts


@cache
def _repository() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="fuzz-git-"))
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    return folder


def git(data: bytes) -> None:
    choices = Choices(data)
    lines = [b"commit refs/heads/main\ncommitter a <a@b> 0 +0000\ndata 0\n"]
    files = _catalog_files(choices)
    paths = [os.fsencode(f"catalog/{path}") for path in files]
    for path, content in zip(paths, files.values(), strict=True):
        lines.append(b"M 644 inline %s\ndata %d\n%s\n" % (path, len(content), content))
    for _ in range(choices.number(3)):
        folder = choices.one((b"catalog/", b"catalog/vms/", b"", b"catalog/preferences/"))
        name = folder + choices.one(
            (b"x.yaml", b"vms", b"a\\377.yaml", b"catalog.yaml", b"y" * 300, b".git2", b"c d.yaml")
        )
        target = choices.one(
            (b"../../etc/passwd", b"/dev/zero", b".", b"..", b"catalog.yaml", b"x.yaml", b"loop/" * 50)
        )
        mode = choices.one((b"120000", b"100755", b"100644"))
        lines.append(b'M %s inline "%s"\ndata %d\n%s\n' % (mode, name, len(target), target))
    stream = b"".join(lines)
    done = subprocess.run(
        ["git", "fast-import", "--quiet", "--force"], input=stream, cwd=_repository(), capture_output=True, check=False
    )
    for crash in _repository().glob(".git/fast_import_crash_*"):
        crash.unlink()
    if done.returncode:
        return
    try:
        repository = Repository(_repository())
        revision = choices.one(
            ("main", "HEAD", "x", "-h", "main:catalog", "main^{tree}", "m" * 5000, "a\x00b", "\udcff")
        )
        commit = repository.commit(revision)
        folder = repository.folder(commit, choices.one(("catalog", ".", "../x", "catalog/../catalog", "x", "/etc")))
        if folder is not None:
            read_side(folder, "main:catalog")
    except VirtcatalogError as error:
        str(error).encode("utf-8", "surrogateescape")


def cli(data: bytes) -> None:
    choices = Choices(data)
    with tempfile.TemporaryDirectory(prefix="fuzz-cli-") as folder:
        before = Path.cwd()
        os.chdir(folder)
        try:
            _call(choices)
        finally:
            os.chdir(before)
            shutil.rmtree(folder, ignore_errors=True)
            Path(folder).mkdir(exist_ok=True)


def _call(choices: Choices) -> None:
    for path, content in _catalog_files(choices).items():
        file = Path("catalog", path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    Path("vm.yaml").write_bytes(_written(choices, choices.edited(choices.one((VM, OWN)))))
    Path("cluster.yaml").write_bytes(_written(choices, choices.edited(choices.one(tuple(OBJECTS)))))
    template = choices.one((VM_TEMPLATE, OPENSHIFT_TEMPLATE))
    Path("template.yaml").write_bytes(_written(choices, choices.edited(template)))
    Path("link.yaml").symlink_to("/dev/zero")
    calls: tuple[list[str], ...] = (
        ["build"],
        ["build", "--check"],
        ["check", "-o", choices.one(("text", "json", "github", "junit", "sarif"))],
        ["check", "-f", "vm.yaml", "-f", "cluster.yaml"],
        ["diff", "catalog", "vm.yaml"],
        ["diff", "cluster.yaml", "catalog", "-f", "vm.yaml", "-o", choices.one(("text", "markdown", "json", "github"))],
        ["expand", "-f", "vm.yaml", "-f", "cluster.yaml", "-o", choices.one(("xml", "json"))],
        ["explain", "-f", "vm.yaml", "--field", choices.one(("cpu", "devices.disks[0]", "x[", "\x1b", "a" * 3000))],
        ["impact", choices.one(("m", "linux", "x", "\ud800", ""))],
        ["convert", "-f", "vm.yaml", "-f", "cluster.yaml", "-o", choices.one(("yaml", "diff", "json"))],
        ["template", "process", "-f", "template.yaml", "-p", choices.one(("NAME=x", "CPUS=", 'A=1,"', "\ud800=x"))],
        ["template", "convert", "-f", "template.yaml", "-o", choices.one(("yaml", "json"))],
        ["adopt", "-f", "vm.yaml", "-o", choices.one(("yaml", "diff", "json"))],
        ["adopt", "-f", "vm.yaml", "--in-place"],
        ["create", "vm", *_flags(choices), *_flags(choices), "-c", choices.one(("catalog", "common-instancetypes@v1"))],
        ["create", "instancetype", "-c", "catalog", "--name", choices.one(_NAMES), "--cpu", "2", "--memory", "1Gi"],
        ["create", "preference", "-c", "catalog", "--name", choices.one(_NAMES), "--machine-type", "\ud800"],
        ["expand", "-f", "vm.yaml", "--at", choices.one(("HEAD", "", "--x", "a\x00b"))],
        ["release", choices.one(("v1", "", "a" * 300, "v 1", "é"))],
        ["hosts", choices.one(("reference", "vm.yaml", "x" * 5000, "."))],
        ["schema", choices.one(("VirtualMachine", "x" * 300, ""))],
        ["gitops", "flux", "--repo-url", choices.one(("https://example.org/x.git", "x", "\x1b"))],
        ["check", choices.one(("link.yaml", "vm.yaml", "/dev/null", "a\x00b", "x" * 5000))],
        [choices.one(tuple(COMMANDS)), choices.one(("--help", "-x", "\ud800", ""))],
    )
    result = CliRunner().invoke(main, choices.one(calls))
    assert result.exit_code in (0, 1, 2), result.stderr
    for text in (result.stdout, result.stderr):
        assert "Traceback" not in text
        assert "\x1b" not in text


_NAMES = ("m.new", "../x", "linux.x", "", "\ud800", "a" * 300)
_FLAGS = ("memory", "instancetype", "infer-preference", "volume-pvc", "volume-import", "ssh-key", "access-cred", "user")
_TEXTS = (
    *(
        "",
        "x",
        "src:a",
        "src:a,bootorder:1",
        "type:blank,size:1Gi",
        "type:ds,src:a,name:\ud800",
        'a,"b',
        "\x1b",
        "1e30",
    ),
    *(
        "type:http,size:1,url:u,extraheaders:",
        "src:k,method:nocloud",
        "a/b/c",
        "virtualmachineinstancetype/m",
        "9" * 300,
    ),
)


def _flags(choices: Choices) -> list[str]:
    return [f"--{choices.one(_FLAGS)}={choices.one(_TEXTS)}"]


VM_TEMPLATE: dict[str, Any] = {
    "apiVersion": "template.kubevirt.io/v1beta1",
    "kind": "VirtualMachineTemplate",
    "metadata": {"name": "t", "creationTimestamp": "2026-01-31T12:00:00+01:00"},
    "spec": {
        "message": "${NAME}",
        "parameters": [
            {"name": "NAME", "generate": "expression", "from": "vm-[a-z\\A]{5}[0-9]{2}"},
            {"name": "CPUS", "value": "2", "required": True},
        ],
        "virtualMachine": {
            "metadata": {"name": "${NAME}", "namespace": "x-${NAME}", "labels": {"${CPUS}": "x${CPUS}${NAME}"}},
            "spec": {
                "dataVolumeTemplates": [{"metadata": {"name": "d"}, "spec": {"storage": {}}}],
                "template": {"spec": {"domain": {"cpu": {"cores": "${{CPUS}}"}, "memory": {"guest": "1.5Gi"}}}},
            },
            "status": {"conditions": [{"type": "Ready", "status": "True"}], "observedGeneration": 2.0},
        },
    },
}
OPENSHIFT_TEMPLATE: dict[str, Any] = {
    "kind": "Template",
    "metadata": {"name": "t", "labels": {"a": "b"}},
    "objects": [VM_TEMPLATE["spec"]["virtualMachine"]],
    "parameters": VM_TEMPLATE["spec"]["parameters"],
}


TARGETS: dict[str, Callable[[bytes], None]] = {
    target.__name__: target
    for target in (
        catalogs,
        conversions,
        imports,
        templates,
        expressions,
        quantities,
        yaml,
        vms,
        clusters,
        dumps,
        hosts,
        domains,
        descriptors,
        exports,
        inventories,
        mappings,
        workbooks,
        clouds,
        metrics,
        git,
        cli,
    )
}
