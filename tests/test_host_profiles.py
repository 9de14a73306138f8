"""Host profiles as YAML: what they may hold, where their faults are, and that they come back as they were."""

from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner

from virtcatalog.cli import main
from virtcatalog.errors import ManifestError
from virtcatalog.kubevirt.hostfile import dump_host, load_host, read_host
from virtcatalog.kubevirt.hosts import HOSTS, HugePages, NUMANode

FILES = sorted(Path(__file__).parent.glob("hosts/*.yaml"))


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


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("version: 1", ["f:1:1: name: is required"]),
        ("name: ''", ["f:1:1: name: must not be empty"]),
        ("name: a--b", ["f:1:1: name: must not hold '--'"]),
        ("name: a\nversion: 0", ["f:2:1: version: counts from 1"]),
        ("name: a\ncolour: red", ["f:2:1: colour: unknown field 'colour'"]),
        ("name: a\nnumaNode: []", ["f:2:1: numaNode: unknown field 'numaNode'; did you mean 'numaNodes'?"]),
        ("name: a\ntsc: {frequency: fast}", ["f:2:7: tsc.frequency: must be an integer"]),
        ("name: a\nnumaNodes: [{id: 1}]", ["f:2:14: numaNodes[0].id: nodes are numbered"]),
        ("name: a\nnumaNodes: [{id: 0, memory: 4Q}]", ["f:2:21: numaNodes[0].memory: '4Q' is not a quantity"]),
        ("name: a\nnumaNodes: [{id: 0, cores: [a]}]", ["f:2:29: numaNodes[0].cores[0]: 'a' is no list of CPUs"]),
        ("name: a\nnumaNodes: [{id: 0, cores: ['3-1']}]", ["f:2:29: numaNodes[0].cores[0]: '3-1' is no range"]),
        (
            "name: a\nnumaNodes: [{id: 0, cores: ['0-1', '1-2']}]",
            ["f:2:36: numaNodes[0].cores[1]: CPU 1 is in another core already"],
        ),
        ("name: a\nnumaNodes: [{id: 0, distances: [10, 20]}]", ["f:2:21: numaNodes[0].distances: has 2 distances"]),
        (
            "name: a\nnumaNodes: [{id: 0, cores: ['0-8191']}, {id: 1, cores: ['99998-99999']}]",
            ["f:2:57: numaNodes[1].cores[0]: with these the host has more than 8,192 CPUs"],
        ),
        ("name: a\npciDevices: [{address: '41:00.0'}]", ["f:2:15: pciDevices[0].address: '41:00.0' is not a PCI"]),
        (
            "name: a\npciDevices: [{address: '0000:41:00.0', numaNode: 3}]",
            ["f:2:40: pciDevices[0].numaNode: there is no NUMA node 3"],
        ),
        ("name: a\ndevices: {sriovFunctions: 9}", ["f:2:11: devices.sriovFunctions: 9 is out of range"]),
        (
            "name: a\nclaimedDevices: [{claim: c, request: r, pciAddress: '41:00.0'}]",
            ["f:2:41: claimedDevices[0].pciAddress: '41:00.0' is not a PCI address"],
        ),
        (
            "name: a\nclaimedDevices: [{claim: c, request: r, mdevUUID: '12'}]",
            ["f:2:41: claimedDevices[0].mdevUUID: '12' is not a UUID"],
        ),
        ("name: a\nvsockCid: 2", ["f:2:1: vsockCid: 2 is not an address of a guest"]),
        ("name: a\nstorage: {missingClaimSize: big}", ["f:2:11: storage.missingClaimSize: 'big' is not a quantity"]),
        ("name: a\nstorage: {filesystemOverhead: '2'}", ["f:2:11: storage.filesystemOverhead: '2' is not a share"]),
        ("name: a\nstorage: {containerDiskFormat: vdi}", ["f:2:11: storage.containerDiskFormat: 'vdi' is none of"]),
        (
            "name: a\npodLinks: {macPrefix: '02:00:00', mtu: 9}",
            ["f:2:12: podLinks.macPrefix: '02:00:00' is not how", "f:2:35: podLinks.mtu: 9 is out of range"],
        ),
        (
            "name: a\npodLinks: {macPrefix: '01:00:00:00'}",
            ["f:2:12: podLinks.macPrefix: '01:00:00:00' is not how a unicast"],
        ),
        ("[]", ["f:1:1: a host profile is a map"]),
        ("", ["f:1:1: a host profile is one document, and here are 0"]),
        ("name: [", ["f:2:1: is not YAML"]),
        (
            "version: 0\nnumaNodes: [{id: 0, cores: [1]}]\nextra: 1",
            ["f:1:1: name: is required", "f:2:29: numaNodes[0].cores[0]: must be a string", "f:3:1: extra: unknown"],
        ),
    ],
)
def test_faults_are_told_at_their_place(text, faults):
    with pytest.raises(ManifestError) as error:
        read_host(dedent(text), "f")
    problems = list(map(str, error.value.problems))
    assert len(problems) == len(faults), problems
    assert all(problem.startswith(fault) for problem, fault in zip(problems, faults, strict=True)), problems


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
