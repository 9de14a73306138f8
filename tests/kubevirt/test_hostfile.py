"""Host profiles as YAML: what they may hold, where their faults are, and that they come back as they were."""

from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner

from virtcatalog.cli import main
from virtcatalog.errors import ManifestError
from virtcatalog.kubevirt.hostfile import dump_host, load_host, read_host
from virtcatalog.kubevirt.hosts import HOSTS, HugePages, NUMANode

FILES = sorted(Path(__file__).parents[1].glob("hosts/*.yaml"))


@pytest.mark.parametrize("profile", [*HOSTS.values(), *(load_host(str(file)) for file in FILES)], ids=str)
def test_a_profile_is_printed_as_it_is_read(profile):
    assert read_host(dump_host(profile)) == profile


def test_amounts_are_quantities_or_bytes():
    text = "{name: small, numaNodes: [{id: 0, memory: 2Gi, hugePages: [{size: 2097152, count: 4}]}]}"
    profile = read_host(text)
    assert profile.numa_nodes == (NUMANode(id=0, memory=2**31, huge_pages=(HugePages(2**21, 4),)),)
    assert "memory: 2Gi" in dump_host(profile)
    assert "size: 2Mi" in dump_host(profile)


def test_a_long_list_of_cpus_is_refused_before_it_is_written_out():
    """For its 200 million there would be no room."""
    text = f"{{name: a, numaNodes: [{{id: 0, cores: ['{','.join(['0-99999'] * 2000)}']}}]}}"
    with pytest.raises(ManifestError, match="more than 8,192 CPUs"):
        read_host(text)


def test_a_profile_needs_no_more_than_a_name():
    assert str(read_host("name: tiny")) == "tiny v1"


QUANTITY = "is not a quantity such as 2, 0.5, 500m, 1Gi or 1e9"
PAGES = "huge pages have a size, and their count is not negative"
SHARE = "is not a share from 0 to below 1, such as '0.055'"
MAC = "is not how a unicast MAC address begins: four octets, such as '02:00:00:00'"
NEED = "must not be empty: every domain names the profile that it was made with"


def faults(text):
    with pytest.raises(ManifestError) as error:
        read_host(text, "f")
    return [str(problem).removeprefix("f:") for problem in error.value.problems]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("version: 1", ["1:1: name: is required"]),
        ("name: a\ncolour: red", ["2:1: colour: unknown field 'colour'"]),
        ("name: a\nnumaNode: []", ["2:1: numaNode: unknown field 'numaNode'; did you mean 'numaNodes'?"]),
        ("name: a\ntsc: {frequency: fast}", ["2:7: tsc.frequency: must be an integer, not the string 'fast'"]),
        ("[]", ["1:1: a host profile is a map"]),
        ("", ["1:1: a host profile is one document, and here are 0"]),
        ("name: a\n---\nname: b", ["1:1: a host profile is one document, and here are 2"]),
        ("name: [", ["2:1: is not YAML: the text ends where a value is wanted"]),
        ("name: a\nnumaNodes: [{id: 0, memory: 4Q}]", [f"2:21: numaNodes[0].memory: '4Q' {QUANTITY}"]),
        (
            "name: a\nnumaNodes: [{id: 0, hugePages: [{size: big, count: 1}]}]",
            [f"2:34: numaNodes[0].hugePages[0].size: 'big' {QUANTITY}"],
        ),
        (
            "name: a\nstorage: {blockDevice: {logical: p, physical: q, discardGranularity: r}, filesystemBlockSize: s}",
            [
                f"2:25: storage.blockDevice.logical: 'p' {QUANTITY}",
                f"2:37: storage.blockDevice.physical: 'q' {QUANTITY}",
                f"2:50: storage.blockDevice.discardGranularity: 'r' {QUANTITY}",
                f"2:74: storage.filesystemBlockSize: 's' {QUANTITY}",
            ],
        ),
        (
            "name: a\npciDevices: [{address: '0000:41:00.0', barBytes: much}]",
            [f"2:40: pciDevices[0].barBytes: 'much' {QUANTITY}"],
        ),
        (
            "version: 0\nnumaNodes: [{id: 0, cores: [1]}]\nextra: 1",
            [
                "1:1: name: is required",
                "2:29: numaNodes[0].cores[0]: must be a string, not the number 1: quote it",
                "3:1: extra: unknown field 'extra'",
            ],
        ),
    ],
)
def test_what_is_not_even_a_profile(text, wrong):
    assert faults(text) == wrong


@pytest.mark.parametrize(
    ("rest", "wrong"),
    [
        ("architecture: riscv64", ["architecture: 'riscv64' is none of amd64, arm64, s390x"]),
        ("version: 0", ["version: counts from 1"]),
        ("vsockCid: 2", ["vsockCid: 2 is not an address of a guest: those are from 3 to 4294967295"]),
        ("vsockCid: 4294967296", ["vsockCid: 4294967296 is not an address of a guest: those are from 3 to 4294967295"]),
        ("numaNodes: [{id: 1}]", ["numaNodes[0].id: nodes are numbered in their order from 0: this one is 0"]),
        ("numaNodes: [{id: 0}, {id: 0}]", ["numaNodes[1].id: nodes are numbered in their order from 0: this one is 1"]),
        (
            "numaNodes: [{id: 0, cores: [a, '3-1', '100000', '0-8']}]",
            [
                "numaNodes[0].cores[0]: 'a' is no list of CPUs such as 0-1 or 0,64",
                "numaNodes[0].cores[1]: '3-1' is no range of CPUs",
                "numaNodes[0].cores[2]: '100000' is no list of CPUs such as 0-1 or 0,64",
            ],
        ),
        (
            f"numaNodes: [{{id: 0, cores: [{'y' * 81}, '1-0,{'7,' * 37}22']}}]",
            [
                f"numaNodes[0].cores[0]: '{'y' * 80}' is no list of CPUs such as 0-1 or 0,64",
                f"numaNodes[0].cores[1]: '1-0,{'7,' * 37}22' is no range of CPUs",
            ],
        ),
        (
            f"numaNodes: [{{id: 0, cores: ['1-0,{'7,' * 37}223']}}]",
            [f"numaNodes[0].cores[0]: '1-0,{'7,' * 37}22' is no range of CPUs"],
        ),
        ("numaNodes: [{id: 0, cores: ['0-1', '1-2']}]", ["numaNodes[0].cores[1]: CPU 1 is in another core already"]),
        (
            "numaNodes: [{id: 0, cores: ['0-1']}, {id: 1, cores: ['2', '0-2']}]",
            ["numaNodes[1].cores[1]: CPU 0 is in another core already"],
        ),
        (
            "numaNodes: [{id: 0, cores: ['0-8191']}, {id: 1, cores: ['99998-99999', x]}, {id: 1}]",
            ["numaNodes[1].cores[0]: with these the host has more than 8,192 CPUs"],
        ),
        (
            "numaNodes: [{id: 0, distances: [10, 20]}, {id: 1}, {id: 2, distances: [1, 2, 3]}]",
            ["numaNodes[0].distances: lists 2 distances; one to each node makes 3"],
        ),
        (
            "numaNodes: [{id: 0, hugePages: [{size: 0, count: 1}, {size: 2Mi, count: -1}, {size: 1, count: 0}]}]",
            [f"numaNodes[0].hugePages[0]: {PAGES}", f"numaNodes[0].hugePages[1]: {PAGES}"],
        ),
        (
            "pciDevices: [{address: '41:00.0'}, {address: '0000:41:00.8'}, {address: '0000:41:00.7'}]",
            [
                "pciDevices[0].address: '41:00.0' is not a PCI address such as 0000:41:00.0",
                "pciDevices[1].address: '0000:41:00.8' is not a PCI address such as 0000:41:00.0",
            ],
        ),
        (
            "numaNodes: [{id: 0}]\npciDevices:\n"
            + "".join(f"- {{address: '0000:41:00.0', numaNode: {node}}}\n" for node in (-1, 0, 1)),
            ["pciDevices[0].numaNode: there is no NUMA node -1", "pciDevices[2].numaNode: there is no NUMA node 1"],
        ),
        (
            "claimedDevices: [{claim: c, request: r, pciAddress: '41:00.0'}, {claim: c, request: s, mdevUUID: '12'}]",
            [
                "claimedDevices[0].pciAddress: '41:00.0' is not a PCI address such as 0000:41:00.0",
                "claimedDevices[1].mdevUUID: '12' is not a UUID such as 5d6b3d3c-8f3c-5d0e-9b1b-0f6d2f5f9a51",
            ],
        ),
        (
            "devices: {pciFirstBus: -1, usbFirstBus: 256, sriovBus: -1, sriovSlot: 32, sriovFunctions: 9}",
            [
                "devices.pciFirstBus: -1 is out of range: it must be from 0 to 255",
                "devices.usbFirstBus: 256 is out of range: it must be from 0 to 255",
                "devices.sriovBus: -1 is out of range: it must be from 0 to 255",
                "devices.sriovSlot: 32 is out of range: it must be from 0 to 31",
                "devices.sriovFunctions: 9 is out of range: it must be from 1 to 8",
            ],
        ),
        (
            "devices: {pciFirstBus: 256, usbFirstBus: -1, sriovBus: 256, sriovSlot: -1, sriovFunctions: 0}",
            [
                "devices.pciFirstBus: 256 is out of range: it must be from 0 to 255",
                "devices.usbFirstBus: -1 is out of range: it must be from 0 to 255",
                "devices.sriovBus: 256 is out of range: it must be from 0 to 255",
                "devices.sriovSlot: -1 is out of range: it must be from 0 to 31",
                "devices.sriovFunctions: 0 is out of range: it must be from 1 to 8",
            ],
        ),
        ("storage: {missingClaimSize: big}", [f"storage.missingClaimSize: 'big' {QUANTITY}"]),
        *(
            (f"storage: {{filesystemOverhead: '{share}'}}", [f"storage.filesystemOverhead: '{share}' {SHARE}"])
            for share in ("1", "-0.1", "much", "NaN")
        ),
        ("storage: {containerDiskFormat: vdi}", ["storage.containerDiskFormat: 'vdi' is none of qcow2, raw"]),
        *(
            (f"podLinks: {{macPrefix: '{prefix}'}}", [f"podLinks.macPrefix: '{prefix}' {MAC}"])
            for prefix in ("02:00:00", "01:00:00:00")
        ),
        *(
            (f"podLinks: {{mtu: {mtu}}}", [f"podLinks.mtu: {mtu} is out of range: it must be from 68 to 65535"])
            for mtu in (67, 65536)
        ),
    ],
)  # fmt: skip
def test_what_no_node_has(rest, wrong):
    assert [fault.partition(" ")[2] for fault in faults(f"name: a\n{rest}")] == wrong


def test_names_that_no_domain_can_show():
    assert faults("name: ''") == [f"1:1: name: {NEED}"]
    assert faults("name: a--b") == ["1:1: name: must not hold '--', which cannot stand in an XML comment"]


def test_every_fault_is_told_at_its_place():
    text = """
        name: a--b
        version: 0
        architecture: pdp11
        numaNodes: [{id: 1}]
        vsockCid: 0
        storage: {containerDiskFormat: vdi}
        podLinks: {mtu: 1}
    """
    places = [fault.partition(": ")[0] for fault in faults(dedent(text))]
    assert places == ["2:1", "3:1", "4:1", "5:14", "6:1", "7:11", "8:12"]


FARTHEST = """\
name: far
architecture: arm64
numaNodes:
  - {id: 0, cores: ["0-8191"]}
pciDevices:
  - {address: "ffff:ff:1f.7", numaNode: 0}
claimedDevices:
  - {claim: c, request: r, pciAddress: "0000:41:00.0", mdevUUID: 5d6b3d3c-8f3c-5d0e-9b1b-0f6d2f5f9a51}
devices: {pciFirstBus: 255, usbFirstBus: 255, sriovBus: 255, sriovSlot: 31, sriovFunctions: 1}
vsockCid: 4294967295
storage: {containerDiskFormat: raw, filesystemOverhead: "0.999"}
podLinks: {macPrefix: fe:ff:ff:ff, mtu: 65535}
"""
NEAREST = """\
name: near
architecture: s390x
devices: {pciFirstBus: 0, usbFirstBus: 0, sriovBus: 0, sriovSlot: 0, sriovFunctions: 8}
vsockCid: 3
storage: {filesystemOverhead: "0"}
podLinks: {macPrefix: "00:00:00:00", mtu: 68}
"""


@pytest.mark.parametrize("text", [FARTHEST, NEAREST])
def test_the_ends_of_every_range_are_within_it(text):
    assert read_host(dump_host(read_host(text))) == read_host(text)


SPARSE = """\
name: sparse
version: 1
numaNodes:
- id: 0
  cores: []
  memory: 3Ti
  hugePages:
  - size: 2Mi
    count: 1
  - size: 1Gi
    count: 0
  distances: []
- id: 1
  cores: []
  memory: 0
  hugePages: []
  distances: []
pciDevices:
- address: '0000:41:00.0'
  vendorId: ''
  deviceId: ''
  barBytes: 1537Ki
  initiatorNodes: []
storage:
  filesystemBlockSize: 1000
  blockDevice:
    logical: 4Ki
  directIo:
    claims: false
"""


def test_a_profile_is_printed_without_its_defaults_and_amounts_are_short():
    assert dump_host(read_host(SPARSE)) == SPARSE


def test_the_command_lists_profiles_and_prints_one():
    listed = CliRunner().invoke(main, ["hosts"])
    assert listed.output.startswith("reference v1: ")
    printed = CliRunner().invoke(main, ["hosts", "reference"])
    assert read_host(printed.output) == HOSTS["reference"]


def test_the_command_reads_a_file(tmp_path):
    (tmp_path / "mine.yaml").write_text("name: mine\nversion: 3\n")
    assert CliRunner().invoke(main, ["hosts", str(tmp_path / "mine.yaml")]).output == "name: mine\nversion: 3\n"


def test_an_unknown_profile_says_which_there_are():
    result = CliRunner().invoke(main, ["hosts", "nowhere"])
    assert result.exit_code == 2
    assert (
        "nowhere: there is no such file or folder; the profiles that come with virtcatalog: reference" in result.stderr
    )


def test_the_domain_names_the_profile_and_the_release(tmp_path):
    (tmp_path / "vm.yaml").write_text(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: v}\nspec:\n  runStrategy: Always\n"
        "  template: {spec: {domain: {memory: {guest: 1Gi}, devices: {}}}}\n"
    )
    (tmp_path / "mine.yaml").write_text("name: mine\nversion: 3\n")
    arguments = ["expand", "-f", str(tmp_path / "vm.yaml"), "--host", str(tmp_path / "mine.yaml")]
    assert "<!-- host profile mine v3, KubeVirt v1.9.0 -->" in CliRunner().invoke(main, arguments).stdout


def test_what_the_launch_takes_from_the_profile(tmp_path):
    (tmp_path / "nodes.yaml").write_text("""
        name: nodes
        storage: {directIo: {node: false}}
        podInterface: ens3
        podLinks: {macPrefix: '0a:58:0a:f4', mtu: 1400}
    """)
    file = "catalog/vms/bastion.yaml"
    shown = CliRunner().invoke(main, ["expand", "-f", file, "--host", str(tmp_path / "nodes.yaml")]).stdout
    assert shown.count('cache="writethrough"') == 2
    assert '<mac address="0a:58:0a:f4:00:01"/>' in shown
    assert '<mtu size="1400"/>' in shown
