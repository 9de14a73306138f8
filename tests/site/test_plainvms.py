"""The plain VM of every pair: its domain is what KubeVirt makes, each line has its source, and each pair has a row."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import pytest
from ruamel.yaml import YAML

from virtcatalog import Cluster, expand, load_catalog
from virtcatalog.api.kinds import CLUSTER_INSTANCETYPE, CLUSTER_PREFERENCE
from virtcatalog.fleet.pool import Processes
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.pod.amounts import extract
from virtcatalog.releases import RELEASES
from virtcatalog.site.domains import domains
from virtcatalog.site.pages import render
from virtcatalog.site.pairs import matrix
from virtcatalog.site.plainvms import (
    BOTH,
    KUBEVIRT,
    PREFERENCE,
    TYPE,
    UNKNOWN,
    VM,
    DomainLines,
    PlainVM,
    PlainVMs,
    Sources,
    _facts,
    _requests,
    blocks,
    plain_vm,
)


def catalog(types: str = "{}", preferences: str = "  plain: {}\n", sizes: str = "{small: {vcpus: 2}}"):
    files = {
        "catalog.yaml": "name: house\nkubevirt: v1.9.0\n",
        "instancetypes/m.yaml": f"class: m\nmemoryPerVcpu: 4Gi\nspec: {types}\nsizes: {sizes}\n",
        "preferences/p.yaml": f"preferences:\n{preferences}",
    }
    return load_catalog("catalog", {path: text.encode() for path, text in files.items()})


def plain_vms(loaded, conditions: Conditions | None = None) -> PlainVMs:
    types = [instancetype.manifest(CLUSTER_INSTANCETYPE) for instancetype in loaded.instancetypes]
    preferences = [preference.manifest(CLUSTER_PREFERENCE) for preference in loaded.preferences]
    return PlainVMs(types, preferences, conditions or Conditions())


def of_the_pair(loaded, conditions: Conditions | None = None) -> PlainVM | str | None:
    """The plain VM of the type with the only preference."""
    return plain_vms(loaded, conditions).of_type("m.small", [True])[1]


@pytest.mark.parametrize(
    ("types", "preference"),
    [
        ("{}", "{}"),
        ("{}", "{spec: {devices: {preferredDiskBus: scsi}}}"),
        ("{ioThreadsPolicy: auto}", "{spec: {devices: {preferredDiskBus: virtio}}}"),
        ("{}", "{spec: {firmware: {preferredEfi: {secureBoot: false}}, devices: {preferredTPM: {}}}}"),
        ("{}", "{spec: {preferredArchitecture: s390x}}"),
        ("{}", "{spec: {requirements: {architecture: arm64}}}"),
    ],
)
def test_the_domain_and_the_requests_are_what_kubevirt_makes(types, preference):
    loaded = catalog(types, f"  plain: {preference}\n")
    vms = plain_vms(loaded)
    vm = vms.of_type("m.small", [True])[1]
    assert isinstance(vm, PlainVM)
    result = expand(plain_vm("m.small", "plain", vms.architectures[1]), Cluster(loaded.objects()))
    assert "\n".join(block.text for block in vm.blocks) + "\n" == result.domain_xml
    requests, pod = YAML(typ="safe").load(vm.requests), result.pod
    assert requests["pod"].keys() <= {"requests", "limits", "devices"}
    assert requests["pod"].items() <= extract(pod).items()
    containers = [*pod["spec"]["containers"], *pod["spec"].get("initContainers", ())]
    assert requests["containers"] == {container["name"]: container.get("resources", {}) for container in containers}


def result(os: str, devices: str = "", **more):
    xml = f"<domain><os>{os}</os><devices>{devices}</devices></domain>"
    return SimpleNamespace(domain_xml=xml, vmi={"spec": {"domain": more}}, pod=None, pod_error="no Pod is made")


X86, ARM = '<type arch="x86_64">hvm</type>', '<type arch="aarch64">hvm</type>'
CPUS = ("Guest CPUs", "1: sockets 1, cores 1, threads 1")


@pytest.mark.parametrize(
    ("os", "firmware"),
    [
        (X86, "BIOS"),
        (ARM, ""),
        ("", ""),
        (f"{X86}<loader/>", "UEFI"),
        (f'{ARM}<loader secure="no"/>', "UEFI"),
        (f'{X86}<loader secure="yes"/>', "UEFI, secure boot"),
    ],
)
def test_the_firmware_of_a_guest(os, firmware):
    assert _facts(result(os)) == (("Firmware", firmware), ("Disk", ""), ("Network", ""), CPUS)


def test_the_first_disk_and_the_first_network_of_a_guest():
    target, model = '<disk><target dev="sda" bus="{}"/></disk>', '<interface><model type="{}"/></interface>'
    devices = "".join(element.format(name) for element, name in ((target, "sata"), (target, "scsi"), (model, "e1000e")))
    assert _facts(result(X86, devices))[1:3] == (("Disk", "sata"), ("Network", "e1000e"))
    assert _facts(result(X86, "<disk><target/></disk>"))[1:3] == (("Disk", ""), ("Network", ""))


def test_up_to_how_much_a_guest_gets_stands_beside_what_it_has():
    cpu, memory = {"sockets": 2, "cores": 3, "maxSockets": 8}, {"guest": "1Gi", "maxGuest": "4Gi"}
    assert _facts(result(X86, cpu=cpu, memory=memory))[3:] == (
        ("Guest CPUs", "6: sockets 2, cores 3, threads 1, up to 24 by hotplug"),
        ("Guest memory", "1 GiB, up to 4 GiB by hotplug"),
    )


def test_a_vm_without_a_pod_requests_nothing_and_says_why():
    assert _requests(result(X86)) == "# no Pod is made\n"


def test_init_containers_request_too():
    amounts = {"requests": {"cpu": "1"}}
    containers, first = (
        [{"name": "compute", "resources": amounts}, {"name": "log"}],
        [{"name": "init", "resources": {}}],
    )
    pod = {"spec": {"containers": containers, "initContainers": first}}
    requests = YAML(typ="safe").load(_requests(SimpleNamespace(pod=pod)))
    assert requests["containers"] == {"compute": amounts, "log": {}, "init": {}}


def test_a_pair_that_is_refused_says_why():
    loaded = catalog(preferences="  plain: {spec: {preferredArchitecture: s390x}}\n")
    refused = of_the_pair(loaded, Conditions(release=RELEASES["v1.7.4"]))
    assert isinstance(refused, str)
    assert "MultiArchitecture" in refused


def test_a_pair_that_is_not_modelled_says_so():
    vast = catalog(sizes="{small: {vcpus: 100000, memory: 1Gi}}")
    assert of_the_pair(vast) == (
        "spec.template.spec.domain.cpu: not supported by virtcatalog: a domain with a list of 100000 vCPUs is not made"
    )


def test_what_does_not_fit_is_not_expanded():
    assert plain_vms(catalog()).of_type("m.small", [False])[1] is None


def test_preferences_that_say_the_same_beside_their_requirements_share_a_vm():
    rest = "spec: {devices: {preferredDiskBus: scsi}}"
    preferences = f"  a: {{{rest}}}\n  b: {{{rest}, requirements: {{vcpus: 2}}}}\n"
    preferences += "  c: {}\n  d: {requirements: {vcpus: 3}}\n"
    none, a, b, c, d = plain_vms(catalog(preferences=preferences)).of_type("m.small", [True, True, True, False])
    assert a is b
    assert d is None
    assert all(isinstance(vm, PlainVM) for vm in (none, a, c))
    assert len({id(vm) for vm in (none, a, c)}) == 3


class TestSources:
    def of_lines(self, types: str, preference: str) -> dict[str, str]:
        vm = of_the_pair(catalog(types, f"  plain: {preference}\n"))
        sources: dict[str, str] = {}
        for text, letters in vm.blocks:
            lines = text.split("\n")
            for line, letter in zip(lines, letters if len(letters) > 1 else letters * len(lines), strict=True):
                sources.setdefault(line.strip(), letter)
        return sources

    def test_each_line_has_its_source(self):
        preference = "{spec: {cpu: {preferredCPUTopology: cores}, devices: {preferredDiskBus: virtio}}}"
        sources = self.of_lines("{ioThreadsPolicy: shared}", preference)
        assert sources['<memory unit="b">8589934592</memory>'] == TYPE
        assert sources['<target dev="vda" bus="virtio"/>'] == PREFERENCE
        assert sources['<alias name="ua-root"/>'] == VM
        assert sources["<name>default_my-vm</name>"] == VM
        assert {letter for line, letter in sources.items() if 'name="uuid"' in line} == {VM}
        assert sources["<acpi/>"] == KUBEVIRT
        assert [letter for line, letter in sources.items() if "<topology" in line] == [BOTH]
        assert {letter for line, letter in sources.items() if 'iothread="1"' in line} == {BOTH}

    def test_a_closing_tag_goes_with_its_opening_one(self):
        block = '  <a x="1">\n    <b/>\n  </a>'
        without = DomainLines("<domain>\n  <a>\n    <b/>\n  </a>\n  <devices>\n    <d/>\n  </devices>\n</domain>")
        assert Sources(without, []).block(block).sources == PREFERENCE + KUBEVIRT + PREFERENCE

    def test_nothing_is_known_without_the_other_domains(self):
        domain = DomainLines("<domain>\n  <a/>\n  <devices>\n    <d/>\n  </devices>\n</domain>")
        assert Sources(None, []).block("  <a/>").sources == Sources(domain, None).block("  <a/>").sources == UNKNOWN

    def test_a_domain_is_split_where_its_elements_are(self):
        xml = "<domain>\n  <!-- c -->\n  <a>\n    <b>\n      <c/>\n    </b>\n  </a>\n  <devices>\n    <d>\n      <e/>\n"
        xml += "    </d>\n    <f/>\n  </devices>\n</domain>\n"
        parts = blocks(xml)
        assert "\n".join(parts) + "\n" == xml
        assert parts[2:6] == [
            "  <a>\n    <b>\n      <c/>\n    </b>\n  </a>",
            "  <devices>",
            "    <d>\n      <e/>\n    </d>",
            "    <f/>",
        ]


class TestFiles:
    def test_are_the_same_from_several_processes(self, monkeypatch):
        loaded = catalog(
            preferences="  plain: {}\n  wide: {requirements: {vcpus: 3}}\n", sizes="{a: {vcpus: 2}, b: {vcpus: 3}}"
        )
        one = domains(loaded, matrix(loaded))
        monkeypatch.setattr("virtcatalog.site.domains.WORTH_IT", 1)
        assert domains(loaded, matrix(loaded), None, Processes(2)) == one
        assert sorted(one.files) == ["domains/m.a.js", "domains/m.b.js"]

    def test_have_a_row_for_no_preference_and_for_each(self):
        loaded = catalog(
            preferences="  plain: {}\n  same: {requirements: {vcpus: 1}}\n  wide: {requirements: {vcpus: 3}}\n"
        )
        script = domains(loaded, matrix(loaded)).files["domains/m.small.js"]
        name, texts, requests, rows = json.loads(re.search(r"site\.domain\((.*)\);", script)[1])
        assert name == "m.small"
        assert rows[1] == rows[2]  # plain and same
        assert rows[3] == 0  # wide does not fit
        vm = of_the_pair(loaded)
        assert [tuple(texts[place]) for place in rows[1][1:]] == list(vm.blocks)
        assert requests[rows[1][0]] == vm.requests

    @pytest.mark.parametrize(
        ("wanted", "most", "there"), [(None, 1, True), (None, 0, False), (True, 0, True), (False, 9, False)]
    )
    def test_are_made_where_there_are_not_too_many_pairs_or_as_is_asked(self, monkeypatch, wanted, most, there):
        monkeypatch.setattr("virtcatalog.site.domains.MOST", most)
        pages = render(catalog(), with_domains=wanted)
        assert ("domains/m.small.js" in pages) == there
        assert ("This catalog has 1 pair whose domains were not made in advance" in pages["form.html"]) != there
