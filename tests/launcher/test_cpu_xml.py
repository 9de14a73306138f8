"""`<cpu>`, `<vcpu>` and `<vcpus>`."""

import pytest
from fragments import make_context, make_vmi, part, parts, xml

from virtcatalog.api.quantity import Quantity
from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.launcher.elements.cpu import cpu
from virtcatalog.kubevirt.launcher.elements.iothreads import supplemental_pool
from virtcatalog.kubevirt.launcher.elements.vcpu import CPUTopology, vcpu
from virtcatalog.kubevirt.launcher.numa import GuestCell, memfd_cell
from virtcatalog.kubevirt.launcher.xml import leaf
from virtcatalog.releases import find_release

ONE = '<topology sockets="1" cores="1" threads="1"/>'
NO_MPX = '<feature name="mpx" policy="disable"/>'


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("{model: host-passthrough}", f'<cpu mode="host-passthrough">{ONE}</cpu>'),
        ("{model: host-model}", f'<cpu mode="host-model">{ONE}</cpu>'),
        ("{}", f'<cpu mode="host-model">{ONE}{NO_MPX}</cpu>'),
        ("{model: Penryn}", f'<cpu mode="custom"><model>Penryn</model>{ONE}{NO_MPX}</cpu>'),
        (
            "{model: Penryn, features: [{name: mpx, policy: require}]}",
            f'<cpu mode="custom"><model>Penryn</model>{ONE}<feature name="mpx" policy="require"/></cpu>',
        ),
        (
            "{model: host-model, features: [{name: vmx}, {name: ssse3, policy: forbid}]}",
            f'<cpu mode="host-model">{ONE}<feature name="vmx"/><feature name="ssse3" policy="forbid"/></cpu>',
        ),
        (
            "{model: host-model, sockets: 2, cores: 4}",
            '<cpu mode="host-model"><topology sockets="2" cores="4" threads="1"/></cpu>',
        ),
    ],
)
def test_a_cpu(wanted, expected):
    assert xml(part("cpu", make_vmi(f"domain.cpu: {wanted}"))) == xml(expected)


@pytest.mark.parametrize(
    ("resources", "sockets"),
    [
        ("{}", 1),
        ("{requests: {cpu: 3}}", 3),
        ("{requests: {cpu: 1500m}}", 2),
        ("{requests: {cpu: 3}, limits: {cpu: 5}}", 5),
    ],
)
def test_without_a_cpu_its_resources_count_as_sockets(resources, sockets):
    element = part("cpu", make_vmi(f"domain.resources: {resources}"))
    assert xml(element) == xml(f'<cpu mode="host-model"><topology sockets="{sockets}" cores="1" threads="1"/></cpu>')


def test_only_amd64_knows_mpx():
    vmi = make_vmi("domain.cpu: {model: cortex-a57}", architecture="arm64")
    assert xml(part("cpu", vmi)) == xml(f'<cpu mode="custom"><model>cortex-a57</model>{ONE}</cpu>')


@pytest.mark.parametrize(("release", "memory"), [("v1.7.4", None), ("v1.8.4", None), ("v1.9.0", "0")])
def test_a_cell_without_memory_says_so_from_v1_9_on(release, memory):
    vmi = make_vmi("domain.memory: {guest: 0, hugepages: {pageSize: 2Mi}}")
    cell = part("cpu", vmi, make_context(release=find_release(release))).find("numa/cell")
    assert cell.get("memory") == memory


@pytest.mark.parametrize(
    ("wanted", "model"), [("{}", "max"), ("{model: host-passthrough}", "max"), ("{model: neoverse-n1}", "neoverse-n1")]
)
def test_an_emulated_architecture_has_no_host_model(wanted, model):
    element = part("cpu", make_vmi(f"domain.cpu: {wanted}"), make_context("arm64", host_architecture="amd64"))
    assert xml(element) == xml(f'<cpu mode="custom"><model>{model}</model>{ONE}</cpu>')


def test_numa_cells():
    cells = (GuestCell(0, (0, 1), "0,1", 2**30, "b", 0), GuestCell(1, (2,), "2", 2**29, "b", 1))
    element = cpu(
        None, CPUTopology(3, 1, 1), cells, other_architecture=False, may_list_mpx=True, empty_cells_tell_memory=False
    )
    assert xml(element.find("numa")) == xml(
        """<numa>
             <cell id="0" cpus="0,1" memory="1073741824" unit="b"/>
             <cell id="1" cpus="2" memory="536870912" unit="b"/>
           </numa>"""
    )


def test_cpus_that_cannot_be_plugged_in_are_only_counted():
    assert xml(parts("vcpu vcpus", make_vmi("domain.cpu: {sockets: 2, threads: 2}"))) == xml(
        '<vcpu placement="static">4</vcpu>'
    )


def test_the_first_socket_stays_and_the_rest_can_be_plugged():
    vmi = make_vmi("domain.cpu: {sockets: 2, maxSockets: 3, cores: 2, threads: 1}")
    assert xml(parts("vcpu vcpus", vmi)) == xml(
        """<vcpu placement="static">6</vcpu>
           <vcpus>
             <vcpu id="0" enabled="yes" hotpluggable="no"/>
             <vcpu id="1" enabled="yes" hotpluggable="no"/>
             <vcpu id="2" enabled="yes" hotpluggable="yes"/>
             <vcpu id="3" enabled="yes" hotpluggable="yes"/>
             <vcpu id="4" enabled="no" hotpluggable="yes"/>
             <vcpu id="5" enabled="no" hotpluggable="yes"/>
           </vcpus>"""
    )
    assert part("cpu", vmi).find("topology").get("sockets") == "3"


def test_arm64_has_no_cpu_hotplug():
    vmi = make_vmi("domain.cpu: {sockets: 2, maxSockets: 8}", architecture="arm64")
    assert xml(parts("vcpu vcpus", vmi)) == xml('<vcpu placement="static">2</vcpu>')
    assert part("cpu", vmi).find("topology").get("sockets") == "2"


@pytest.mark.parametrize(
    ("wanted", "count"), [("{}", 0), ("{cores: 3}", 3), ("{sockets: 2, threads: 2}", 4), ("{maxSockets: 9}", 0)]
)
def test_configured_vcpus_leave_unset_numbers_out(wanted, count):
    assert make_vmi(f"domain.cpu: {wanted}").spec.domain.cpu.vcpus == count


def test_more_vcpus_than_any_machine_has_are_not_listed(monkeypatch):
    monkeypatch.setattr("virtcatalog.kubevirt.launcher.elements.vcpu._vcpus", lambda total, *_: leaf("n", str(total)))
    with pytest.raises(UnsupportedError) as error:
        vcpu(CPUTopology(1, 2**15 + 1, 1), 2)
    assert str(error.value) == (
        "spec.domain.cpu: not supported by virtcatalog: a domain with a list of 65538 vCPUs is not made"
    )
    assert vcpu(CPUTopology(1, 2**15, 1), 2)[1].text == "65536"


def test_vcpus_that_come_to_nothing_in_32_bits_have_one_queue():
    vmi = make_vmi("""
        domain.cpu: {sockets: 65536, cores: 65536}
        domain.devices:
          blockMultiQueue: true
          disks: [{name: a, cdrom: {bus: virtio}}, {name: b, cdrom: {bus: scsi}, dedicatedIOThread: true}]
        domain.ioThreadsPolicy: auto
    """)
    shown = xml(parts("vcpu disk controller", vmi))
    assert xml('<vcpu placement="static">0</vcpu>') in shown
    assert shown.count('queues="1"') == 2


def test_more_io_threads_than_any_machine_has_are_not_listed():
    pool = "domain: {ioThreadsPolicy: supplementalPool, ioThreads: {supplementalPoolThreadCount: COUNT}, devices: {}}"
    assert supplemental_pool(make_vmi(pool.replace("COUNT", "1024")).spec.domain) == 1024
    for count in ("1025", "4294967295"):
        with pytest.raises(UnsupportedError, match="more than 1,024 IO threads"):
            supplemental_pool(make_vmi(pool.replace("COUNT", count)).spec.domain)


@pytest.mark.parametrize(("sockets", "cpus"), [(1, "0-1"), (2**31, "0-4294967295")])
def test_the_cell_for_memfd_counts_cpus_in_32_bits(sockets, cpus):
    assert memfd_cell(CPUTopology(sockets, 1, 2), Quantity.parse("1Gi")).cpus == cpus
