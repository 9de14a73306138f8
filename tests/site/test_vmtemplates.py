"""The pages of VM templates: their parameters, what they make, and what KubeVirt makes of that."""

from __future__ import annotations

import json
from html import unescape

import msgspec
import pytest
from offering import TEMPLATES
from pagetext import words
from syrupy.assertion import SnapshotAssertion

from virtcatalog import load_catalog
from virtcatalog.site.pages import render
from virtcatalog.site.vmtemplates import offers

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {{name: {name}}}
spec:
  runStrategy: Always
  instancetype: {{name: {instancetype}}}
  preference: {{name: {preference}}}
  template: {{spec: {{domain: {{devices: {{}}}}}}}}
"""
FILES = {
    "catalog.yaml": "name: house\nkubevirt: v1.9.0\n",
    "overlays.yaml": "lab: {templates: vms}\nproduction: {templates: vms, kubevirt: v1.9.0}\n",
    "instancetypes/m.yaml": "class: m\nmemoryPerVcpu: 4Gi\nsizes: {small: {vcpus: 1}, large: {vcpus: 4}}\n",
    "preferences/p.yaml": "preferences: {plain: {}, wide: {requirements: {vcpus: 4}}}\n",
    "templates/linux.yaml": TEMPLATES.replace("linux-9", "plain"),
    "vms.yaml": "web.yaml.j2:\n  parameters: {size: m.small}\n  environments: {lab: {}, production: {size: m.large}}\n",
    "vms/web.yaml.j2": VM.format(name="web", instancetype="{{ size }}", preference="plain"),
    "vms/plain.yaml": VM.format(name="plain-vm", instancetype="m.large", preference="wide"),
    "vms/narrow.yaml": VM.format(name="narrow", instancetype="m.small", preference="wide"),
    "vms/vast.yaml": VM.format(name="vast", instancetype="m.small", preference="plain")
    .replace("  instancetype: {name: m.small}\n", "")
    .replace("{devices: {}}", "{cpu: {sockets: 100000}, memory: {guest: 1Gi}, devices: {}}"),
    "vms/tiny.yaml": VM.format(name="tiny", instancetype="m.small", preference="plain").replace(
        "{devices: {}}",
        "{devices: {disks: [{name: d, disk: {}}]}}, volumes: [{name: d, emptyDisk: {capacity: 100Ki}}]",
    ),
}


def catalog(**changed: str):
    files = FILES | changed
    return load_catalog("catalog", {path: text.encode() for path, text in files.items()})


@pytest.fixture(scope="module")
def offers_by_name():
    templates, files = offers(catalog())
    return {offer.name: offer for offer in (*templates, *files)}


@pytest.fixture(scope="module")
def pages():
    return render(catalog())


def test_a_template_has_its_parameters_and_what_it_makes(offers_by_name):
    offer = offers_by_name["alpine-server-small"]
    assert (offer.page, offer.types, offer.preferences) == (
        "templates/alpine-server-small.html",
        ("m.small",),
        ("plain",),
    )
    parameters = {
        parameter.name: (parameter.value, parameter.made_of, parameter.required) for parameter in offer.parameters
    }
    assert parameters == {
        "NAME": ("", "alpine-[a-z0-9]{6}", False),
        "DISK": ("30Gi", "", False),
        "USER": ("", "", True),
    }
    (vm,) = offer.vms  # without a set of values, a required parameter makes no VM
    assert (vm.title, vm.environments) == ("db-1", ("lab", "production"))
    assert vm.values == (("NAME", "db-1"), ("USER", "root"))
    assert dict(vm.facts)["Guest CPUs"] == "1: sockets 1, cores 1, threads 1"
    assert dict(vm.facts)["Pod requests"].startswith("cpu 100m, memory 4.")


def test_all_that_is_said_of_each(offers_by_name, snapshot: SnapshotAssertion):
    assert {name: msgspec.to_builtins(offer) for name, offer in offers_by_name.items()} == snapshot


def test_a_file_is_made_in_each_environment_with_its_values(offers_by_name):
    offer = offers_by_name["web"]
    assert (offer.types, offer.environments) == (("m.small", "m.large"), ("lab", "production"))
    assert [(vm.environments, vm.values) for vm in offer.vms] == [
        (("lab",), (("size", "m.small"),)),
        (("production",), (("size", "m.large"),)),
    ]
    assert [(parameter.name, parameter.value) for parameter in offer.parameters] == [("size", "m.small or m.large")]


def test_what_is_alike_in_every_environment_is_there_once(offers_by_name):
    assert [vm.environments for vm in offers_by_name["plain"].vms] == [("lab", "production")]


def test_a_vm_that_kubevirt_refuses_says_why(offers_by_name):
    (vm,) = offers_by_name["narrow"].vms
    assert vm.facts == ()
    assert "4 vCPUs" in vm.refused[0]


def test_a_vm_that_is_admitted_and_never_starts_says_why(offers_by_name):
    (vm,) = offers_by_name["tiny"].vms
    assert vm.facts == ()
    (reason,) = vm.refused
    assert reason.startswith("spec.template.spec.volumes[0].emptyDisk.capacity: ")


def test_the_pages_have_it_and_link_what_it_names(pages):
    page = pages["templates/alpine-server-small.html"]
    assert 'href="../types/m.small.html"' in page
    assert "DISK Disk: How large 30Gi" in words(page)
    assert "USER has to be given" in words(page)
    assert "NAME The VM's name. made of alpine-[a-z0-9]{6}" in unescape(words(page))
    assert "${NAME} is there." in page
    assert "db-1 in lab, production With NAME=db-1 , USER=root ." in words(page)
    assert "kind: VirtualMachineTemplate" in page
    assert 'href="templates/alpine-server-small.html"' in pages["templates.html"]
    assert "USER (required)" in pages["templates.html"]
    assert 'href="vms/web.html"' in pages["templates.html"]


def test_types_and_preferences_link_the_templates_that_have_them(pages):
    assert 'href="../templates/alpine-server-small.html"' in pages["types/m.small.html"]
    assert 'href="../vms/web.html"' in pages["types/m.small.html"]
    assert 'href="../vms/narrow.html"' in pages["preferences/wide.html"]
    assert "VM templates with it" not in render(catalog_without())["types/m.small.html"]


def catalog_without():
    files = {path: text for path, text in FILES.items() if not path.startswith(("vms", "templates"))}
    return load_catalog("catalog", {path: text.encode() for path, text in files.items()})


def test_a_catalog_without_templates_says_so():
    assert "The catalog has no VM templates." in render(catalog_without())["templates.html"]


def test_files_of_any_name_have_pages_of_their_own():
    text = FILES["vms/plain.yaml"]
    stems = ("a b", "a-b", "a&b", "é")
    odd = {f"vms/{stem}.yaml": text.replace("plain-vm", f"v{stem.encode().hex()}") for stem in stems}
    assert {offer.file: offer.page for offer in offers(catalog(**odd))[1] if offer.file in odd} == {
        "vms/a b.yaml": "vms/a-b.html",
        "vms/a&b.yaml": "vms/a-b-2.html",
        "vms/a-b.yaml": "vms/a-b-3.html",
        "vms/é.yaml": "vms/vm.html",
    }


def test_hostile_texts_are_shown_and_not_obeyed():
    hostile = json.dumps("</script><img src=x onerror=alert(1)>\u202e")
    text = FILES["templates/linux.yaml"].replace("displayName: Disk", f"displayName: {hostile}")
    text = text.replace('"${NAME} is there."', hostile).replace("description: It serves.", f"description: {hostile}")
    for path, page in render(catalog(**{"templates/linux.yaml": text})).items():
        if path.endswith(".html"):
            assert "<img" not in page, path
            assert "\u202e" not in page, path
