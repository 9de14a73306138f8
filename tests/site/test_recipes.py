"""How domains are put together of parts: every VM's comes out of them as KubeVirt makes it, or is not told at all."""

from __future__ import annotations

from uuid import uuid5

import pytest
from ruamel.yaml import YAML

from virtcatalog import Cluster, expand, load_catalog
from virtcatalog.catalog.model import CLUSTER_INSTANCETYPE, CLUSTER_PREFERENCE
from virtcatalog.kubevirt import identity
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.pod.amounts import extract
from virtcatalog.pool import Processes
from virtcatalog.releases import RELEASES
from virtcatalog.site import probes, recipes
from virtcatalog.site.domains import domains
from virtcatalog.site.notes import BOTH, KUBEVIRT, PREFERENCE, TYPE, UNKNOWN, VM, Lines, Notes
from virtcatalog.site.pages import render
from virtcatalog.site.pairs import matrix
from virtcatalog.site.probes import CLAIM, IMAGE, LINKS, POD_LINK, Disk
from virtcatalog.site.recipes import Cook, Plain, Recipe, Untold, compose

SIZED = Disk("sized", "data", 5 * 2**30)


def catalog(types: str = "{}", preferences: str = "  plain: {}\n"):
    files = {
        "catalog.yaml": "name: house\nkubevirt: v1.9.0\n",
        "instancetypes/m.yaml": f"class: m\nmemoryPerVcpu: 4Gi\nspec: {types}\nsizes: {{small: {{vcpus: 2}}}}\n",
        "preferences/p.yaml": f"preferences:\n{preferences}",
    }
    return load_catalog("catalog", {path: text.encode() for path, text in files.items()})


def cook(made, conditions: Conditions | None = None) -> Cook:
    types = [each.manifest(CLUSTER_INSTANCETYPE) for each in made.instancetypes]
    return Cook(types, [each.manifest(CLUSTER_PREFERENCE) for each in made.preferences], conditions or Conditions())


def told(made, conditions: Conditions | None = None):
    """What is told of the type with the only preference."""
    return cook(made, conditions).told("m.small", [True])[1]


VMS = (
    ((IMAGE,), None, False),
    ((IMAGE, SIZED), (POD_LINK,), True),
    ((CLAIM,), (), False),
    ((CLAIM, Disk("claim", "b"), Disk("sized", "c", 2**40)), (POD_LINK, *LINKS[:2]), True),
    ((Disk("claim", "a"), Disk("sized", "root", 2**31, first=True)), LINKS, False),
    ((Disk("claim", "a"), Disk("claim", "root", first=True), *[Disk("claim", f"d{n}") for n in range(5)]), (), True),
)


@pytest.mark.parametrize(
    ("types", "preference"),
    [
        ("{}", "{}"),
        ("{}", "{spec: {devices: {preferredDiskBus: virtio, preferredInterfaceModel: e1000e}}}"),
        ("{}", "{spec: {devices: {preferredDiskBus: scsi}}}"),
        ("{}", "{spec: {devices: {preferredDiskBus: virtio, preferredDiskDedicatedIoThread: true}}}"),
        ("{}", "{spec: {devices: {preferredDiskBus: sata, preferredDiskDedicatedIoThread: true}}}"),
        ("{ioThreadsPolicy: shared}", "{spec: {devices: {preferredDiskBus: virtio}}}"),
        ("{ioThreadsPolicy: auto}", "{spec: {devices: {preferredDiskBus: virtio}}}"),
        ("{cpu: {dedicatedCPUPlacement: true}}", "{spec: {devices: {preferredBlockMultiQueue: true}}}"),
        ("{memory: {guest: 1Gi}}", "{spec: {devices: {preferredDiskBus: virtio}}}"),
        ("{annotations: {kubevirt.io/pci-interface-slot-count: '9'}}", "{spec: {devices: {preferredDiskBus: virtio}}}"),
        (
            "{}",
            "{spec: {firmware: {preferredEfi: {secureBoot: false}}, devices: {preferredTPM: {}}}}",
        ),
    ],
)
@pytest.mark.parametrize("release", RELEASES)
def test_every_vm_comes_out_as_it_is_made(types, preference, release):
    look(types, preference, Conditions(release=RELEASES[release]))


@pytest.mark.parametrize("preference", ["{preferredArchitecture: s390x}", "{requirements: {architecture: arm64}}"])
def test_so_does_one_of_another_architecture(preference):
    look("{}", f"{{spec: {preference}}}", Conditions())


def look(types: str, preference: str, conditions: Conditions) -> None:
    made = catalog(types, f"  plain: {preference}\n")
    cluster = Cluster.under(made.objects(), conditions)
    kitchen = cook(made, conditions)
    recipe = kitchen.told("m.small", [True])[1]
    assert isinstance(recipe, Recipe)
    named = {"instancetype": {"name": "m.small"}, "preference": {"name": "plain"}}
    for disks, links, cloud in VMS:
        result = expand(probes.vm(named, kitchen.architectures[1], disks, links, cloud=cloud), cluster)
        wanted = probes.templated(result.domain_xml)
        assert compose(recipe, disks, (POD_LINK,) if links is None else links, cloud=cloud) == wanted


def test_a_pair_whose_domains_do_not_come_of_parts_has_its_plain_vm(monkeypatch):
    made = catalog()
    numbers = recipes.free_ports
    monkeypatch.setattr(recipes, "free_ports", lambda *given: numbers(*given) + 1)  # as if a rule were not known here
    found = told(made)
    assert isinstance(found, Plain)
    named = {"instancetype": {"name": "m.small"}, "preference": {"name": "plain"}}
    result = expand(probes.plain(named, ""), Cluster(made.objects()))
    assert "\n".join(unit.text for unit in found.run) + "\n" == probes.templated(result.domain_xml)
    assert "compute:" in found.requests


def test_a_pair_that_is_refused_says_why():
    found = told(
        catalog(preferences="  plain: {spec: {preferredArchitecture: s390x}}\n"), Conditions(release=RELEASES["v1.7.4"])
    )
    assert isinstance(found, Untold)
    assert "MultiArchitecture" in found.why


def test_what_does_not_fit_is_not_made():
    assert cook(catalog()).told("m.small", [False])[1] is None


def test_preferences_that_say_the_same_beside_their_requirements_share_a_recipe():
    rest = "spec: {devices: {preferredDiskBus: scsi}}"
    named = f"  a: {{{rest}}}\n  b: {{{rest}, requirements: {{vcpus: 2}}}}\n"
    named += "  c: {}\n  d: {requirements: {vcpus: 3}}\n"
    none, one, other, empty, refused = cook(catalog(preferences=named)).told("m.small", [True, True, True, False])
    assert one is other
    assert refused is None
    assert len({id(each) for each in (none, one, empty)}) == 3


class TestRequests:
    def test_are_those_of_each_sort_of_vm(self):
        made = catalog(preferences="  plain: {}\n")
        named = {"instancetype": {"name": "m.small"}, "preference": {"name": "plain"}}
        cluster, recipe = Cluster(made.objects()), told(made)
        vms = [((CLAIM,), ()), ((CLAIM,), (POD_LINK,)), ((IMAGE,), ()), ((IMAGE, SIZED), (POD_LINK, "net1"))]
        for text, (disks, links) in zip(recipe.requests, vms, strict=True):
            pod = expand(probes.vm(named, "", disks, links, cloud=True), cluster).pod
            shown = YAML(typ="safe").load(text)
            assert shown["pod"].items() <= extract(pod).items()
            containers = [*pod["spec"]["containers"], *pod["spec"].get("initContainers", ())]
            assert shown["containers"] == {each["name"]: each.get("resources", {}) for each in containers}


class TestNotes:
    def sources(self, types: str, preference: str) -> dict[str, str]:
        recipe = told(catalog(types, f"  plain: {preference}\n"))
        units = [*(unit for run in recipe.runs for unit in run), *recipe.disks, *recipe.links]
        found = {}
        for text, letters in units:
            lines = text.split("\n")
            for line, letter in zip(lines, letters if len(letters) > 1 else letters * len(lines), strict=True):
                found.setdefault(line.strip(), letter)
        return found

    def test_each_line_has_its_source(self):
        preference = "{spec: {cpu: {preferredCPUTopology: cores}, devices: {preferredDiskBus: virtio}}}"
        found = self.sources("{ioThreadsPolicy: shared}", preference)
        assert found['<memory unit="b">8589934592</memory>'] == TYPE
        assert found[f'<target dev="vd{probes.hole("letter")}" bus="virtio"/>'] == PREFERENCE
        assert found[f'<alias name="ua-{probes.hole("disk")}"/>'] == VM
        assert found[f"<name>default_{probes.hole('name')}</name>"] == VM
        assert found["<acpi/>"] == KUBEVIRT
        assert [letter for line, letter in found.items() if "<topology" in line] == [BOTH]
        threads = f'iothread="{probes.hole("thread")}"'
        assert {letter for line, letter in found.items() if threads in line} == {BOTH}

    def test_a_closing_tag_goes_with_its_opening_one(self):
        block = '  <a x="1">\n    <b/>\n  </a>'
        notes = Notes(Lines(["<domain>\n  <a>\n    <b/>\n  </a>\n  <devices>\n    <d/>\n  </devices>\n</domain>"]), [])
        assert notes.unit(block).sources == PREFERENCE + KUBEVIRT + PREFERENCE

    def test_nothing_is_said_without_the_other_domains(self):
        assert Notes(None, []).unit("  <a/>").sources == Notes(Lines([]), None).unit("  <a/>").sources == UNKNOWN


class TestParts:
    def test_a_domain_is_split_where_its_elements_are(self):
        xml = "<domain>\n  <!-- c -->\n  <a>\n    <b>\n      <c/>\n    </b>\n  </a>\n  <devices>\n    <d>\n      <e/>\n"
        xml += "    </d>\n    <f/>\n  </devices>\n</domain>\n"
        found = probes.blocks(xml)
        assert "\n".join(found) + "\n" == xml
        assert found[2:6] == [
            "  <a>\n    <b>\n      <c/>\n    </b>\n  </a>",
            "  <devices>",
            "    <d>\n      <e/>\n    </d>",
            "    <f/>",
        ]

    def test_identities_are_made_of_the_name_alone(self):
        made = {what: str(uuid5(space, f"{start}db")) for what, (space, start) in identity.named_by("apps").items()}
        assert made["firmware-uuid"] == identity.firmware_uuid("apps", "db")
        assert made["firmware-serial"] == identity.firmware_serial("apps", "db")
        assert made["vmi"] == identity.vmi_uid("apps", "db")
        assert made["vm"] == identity.owner_uid("VirtualMachine", "apps", "db")
        assert made["legacy"] == identity.legacy_firmware_uuid("db")


class TestFiles:
    def test_are_the_same_from_several_processes(self, monkeypatch):
        files = {
            "catalog.yaml": b"name: house\nkubevirt: v1.9.0\n",
            "instancetypes/m.yaml": b"class: m\nmemoryPerVcpu: 4Gi\nsizes: {a: {vcpus: 2}, b: {vcpus: 3}}\n",
            "preferences/p.yaml": b"preferences:\n  plain: {}\n  wide: {requirements: {vcpus: 3}}\n",
        }
        made = load_catalog("catalog", files)
        one = domains(made, matrix(made))
        monkeypatch.setattr("virtcatalog.site.domains.WORTH_IT", 1)
        assert domains(made, matrix(made), None, Processes(2)) == one
        assert sorted(one.files) == ["domains.js", "domains/m.a.js", "domains/m.b.js"]

    def test_what_types_share_is_in_one_of_them(self):
        sizes = "\n".join(f"  s{number}: {{vcpus: {number}}}" for number in range(1, 9))
        files = {
            "catalog.yaml": b"name: house\nkubevirt: v1.9.0\n",
            "instancetypes/m.yaml": f"class: m\nmemoryPerVcpu: 4Gi\nsizes:\n{sizes}\n".encode(),
            "preferences/p.yaml": b"preferences:\n  plain: {}\n",
        }
        made = load_catalog("catalog", files)
        found = domains(made, matrix(made)).files
        assert "<acpi/>" in found["domains.js"]
        assert not [path for path, text in found.items() if "<acpi/>" in text and path != "domains.js"]
        assert "34359738368" in found["domains/m.s8.js"]
        assert "34359738368" not in found["domains.js"]

    @pytest.mark.parametrize(
        ("wanted", "most", "there"), [(None, 1, True), (None, 0, False), (True, 0, True), (False, 9, False)]
    )
    def test_are_made_where_there_are_not_too_many_pairs_or_as_is_said(self, monkeypatch, wanted, most, there):
        monkeypatch.setattr("virtcatalog.site.domains.MOST", most)
        pages = render(catalog(), made_in_advance=wanted)
        assert ("domains.js" in pages) == ('<script src="domains.js">' in pages["form.html"]) == there
        assert ("This catalog has 1 pair whose domains were not made in advance" in pages["form.html"]) != there
