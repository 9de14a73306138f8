"""What the container `compute` requests and is limited to."""

import pytest
from podding import expanded, resources, terms

from virtcatalog.api.domainspec import CPU
from virtcatalog.api.quantity import Quantity

QUOTA = "[{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: ns}, spec: {hard: {%s: 100Gi}}}]"
NAMESPACE = "[{apiVersion: v1, kind: Namespace, metadata: {name: ns, labels: {%s}}}]"
MIB = 2**20
FIXED = 25 + 100 + 25 + 40 + 30 + 8 + 8 + 32
"""Mebibytes beside every guest with a vCPU."""


def memory(template, **conditions):
    requested = resources(template, **conditions)
    return [requested[part].get("memory") for part in ("requests", "limits")]


def mebibytes(number):
    return str(Quantity.of(number * MIB))


@pytest.mark.parametrize(
    ("domain", "request_", "limit"),
    [
        ("memory: {guest: 1Gi}", 1024 + FIXED, None),
        ("resources: {limits: {memory: 1Gi}}", 1024 + FIXED, 1024 + FIXED),
        ("memory: {guest: 1Gi}, resources: {limits: {memory: 2Gi}}", 2048 + FIXED, 2048 + FIXED),
        ("memory: {guest: 1Gi}, resources: {requests: {memory: 0}}", FIXED, None),
        ("memory: {guest: 1Gi}, resources: {limits: {memory: 0}}", 1024 + FIXED, FIXED),
        ("memory: {guest: 1Gi}, resources: {requests: {memory: 0}, limits: {memory: 1Gi}}", 1024 + FIXED, 1024 + FIXED),
        ("memory: {guest: 0}", FIXED, None),
        ("memory: {guest: 1Gi}, resources: {overcommitGuestOverhead: true}", 1024, None),
        ("resources: {limits: {memory: 1Gi}, overcommitGuestOverhead: true}", 1024, 1024 + FIXED),
        ("memory: {guest: 1Gi}, cpu: {cores: 2, dedicatedCpuPlacement: true}", 1024 + FIXED + 108, 1024 + FIXED + 108),
        ("memory: {guest: 1Gi, hugepages: {pageSize: 2Mi}}", FIXED, None),
    ],
    ids=[
        "guest",
        "limit",
        "limit before guest",
        "no request",
        "no limit",
        "no request under a limit",
        "no guest",
        "spared",
        "limit not spared",
        "dedicated CPUs",
        "huge pages",
    ],
)
def test_memory(domain, request_, limit):
    amounts = memory(f"domain: {{devices: {{}}, {domain}}}")
    assert amounts == [mebibytes(request_), limit and mebibytes(limit)]


def test_page_tables_are_of_what_the_vmi_itself_requests():
    amounts = memory("domain: {resources: {requests: {memory: 1Gi}}, devices: {}}")
    assert amounts == [mebibytes(1024 + FIXED + 2), None]


@pytest.mark.parametrize(
    ("amount", "request_"), [("7Ei", 8070450532247928832 * 513 // 512), ("9223372036854775807", 9205357638345293824)]
)
def test_page_tables_of_memory_near_the_end_of_64_bits_overflow(amount, request_):
    amounts = memory(
        f"domain: {{memory: {{guest: 1Gi}}, resources: {{requests: {{memory: '{amount}'}}}}, devices: {{}}}}"
    )
    assert Quantity.parse(amounts[0]) - Quantity.of(FIXED * MIB) == Quantity.of(request_)


def test_a_limit_beyond_64_bits_of_which_the_request_is_made_gets_the_overhead_twice():
    """KubeVirt keeps such an amount in one place for both, and adds to it for each."""
    twice = str(Quantity.parse("200Ti") + Quantity.of(2 * FIXED * MIB))
    assert memory("domain: {resources: {limits: {memory: 200Ti}}, memory: {guest: 1Gi}, devices: {}}") == [twice, twice]


def test_memory_is_overcommitted_before_the_overhead():
    config = "developerConfiguration: {memoryOvercommit: 150}"
    template = "domain: {memory: {guest: 3Gi}, devices: {}}"
    assert memory(template, config=config) == [mebibytes(2048 + FIXED), None]
    guest = "domain: {memory: {guest: 3Gi}, resources: {requests: {memory: 3Gi}}, devices: {}}"
    assert terms(expanded(guest, config=config))[1]["domain.resources.requests.memory"] == "3Gi"


@pytest.mark.parametrize(
    ("domain", "pages", "request_", "limit"),
    [
        ("memory: {guest: 1Gi, hugepages: {pageSize: 2Mi}}", "1Gi", FIXED, None),
        ("memory: {hugepages: {pageSize: 2Mi}}, resources: {limits: {memory: 1Gi}}", "1Gi", FIXED, FIXED),
        (
            "memory: {guest: 1Gi, hugepages: {pageSize: 2Mi}}, resources: {limits: {memory: 3Gi}}",
            "1Gi",
            2048 + FIXED,
            2048 + FIXED,
        ),
    ],
    ids=["guest", "limit", "beyond the guest"],
)
def test_huge_pages(domain, pages, request_, limit):
    requested = resources(f"domain: {{devices: {{}}, {domain}}}")
    assert requested["requests"]["hugepages-2Mi"] == requested["limits"]["hugepages-2Mi"] == pages
    assert requested["requests"]["memory"] == mebibytes(request_)
    assert requested["limits"].get("memory") == (limit and mebibytes(limit))


@pytest.mark.parametrize(
    ("cores", "ratio", "share"),
    [(1, 10, "100m"), (10, 10, "1"), (7, 3, "2333333334n"), (1, 3, "333333334n"), (15, 10, "1500m"), (4, 1, "4")],
)
def test_a_share_of_the_cpus(cores, ratio, share):
    config = f"developerConfiguration: {{cpuAllocationRatio: {ratio}}}"
    requested = resources(f"domain: {{cpu: {{cores: {cores}}}, memory: {{guest: 1Gi}}, devices: {{}}}}", config=config)
    assert requested["requests"]["cpu"] == share
    assert "cpu" not in requested["limits"]


@pytest.mark.parametrize(
    ("cores", "sockets", "threads", "number"),
    [(0, 0, 0, 0), (2, 0, 0, 2), (0, 3, 2, 6), (2, 2**31, 0, 0), (2, 2**31, 64, 64), (3, 2**31, 1, 2**31)],
)
def test_vcpus_are_counted_in_32_bits_and_a_product_of_0_is_none(cores, sockets, threads, number):
    assert CPU(cores=cores, sockets=sockets, threads=threads).vcpus == number


def test_what_the_vm_asks_for_counts_over_what_is_calculated():
    own = "resources: {requests: {cpu: 3}, limits: {cpu: 5}}"
    template = f"domain: {{cpu: {{cores: 4}}, {own}, memory: {{guest: 1Gi}}, devices: {{}}}}"
    requested = resources(template, objects=QUOTA % "limits.cpu")
    assert (requested["requests"]["cpu"], requested["limits"]["cpu"]) == ("3", "5")


def dedicated(cpu, rest=""):
    cpus = f"cpu: {{cores: 2, dedicatedCpuPlacement: true, {cpu}}}"
    return f"domain: {{{cpus}, memory: {{guest: 1Gi}}, devices: {{}}{rest}}}"


@pytest.mark.parametrize(
    ("template", "annotations", "cpus"),
    [
        (dedicated("threads: 2"), {}, "4"),
        (dedicated("isolateEmulatorThread: true"), {}, "3"),
        (
            dedicated("isolateEmulatorThread: true"),
            {"alpha.kubevirt.io/EmulatorThreadCompleteToEvenParity": ""},
            "4",
        ),
        (
            dedicated(
                "isolateEmulatorThread: true, threads: 1, sockets: 1, maxSockets: 1",
                ", ioThreads: {supplementalPoolThreadCount: 2}, ioThreadsPolicy: supplementalPool",
            ),
            {},
            "5",
        ),
    ],
    ids=["threads", "emulator", "even", "supplemental threads"],
)
def test_dedicated_cpus_are_whole_and_guaranteed(template, annotations, cpus):
    requested = resources(template, annotations=annotations)
    assert requested["requests"]["cpu"] == requested["limits"]["cpu"] == cpus
    assert requested["requests"]["memory"] == requested["limits"]["memory"]


@pytest.mark.parametrize(
    ("label", "limit"),
    [
        ("", 2 * (1024 + FIXED)),
        ("alpha.kubevirt.io/auto-memory-limits-ratio: '1.5'", 1.5 * (1024 + FIXED)),
        ("alpha.kubevirt.io/auto-memory-limits-ratio: '0.5'", 2 * (1024 + FIXED)),
        ("alpha.kubevirt.io/auto-memory-limits-ratio: much", 2 * (1024 + FIXED)),
    ],
    ids=["twice", "as the namespace says", "less than the request", "no number"],
)
def test_a_quota_of_memory_limits_makes_a_limit(label, limit):
    objects = f"{(QUOTA % 'limits.memory')[:-1]}, {(NAMESPACE % label)[1:]}"
    template = "domain: {memory: {guest: 1Gi}, devices: {}}"
    assert memory(template, objects=objects) == [mebibytes(1024 + FIXED), mebibytes(int(limit))]
    assert memory(template, objects=objects, namespace="other")[1] is None


def test_a_quota_of_requests_makes_no_limit():
    assert "cpu" not in resources(objects=QUOTA % "requests.cpu")["limits"]


@pytest.mark.parametrize(
    ("selector", "limit"),
    [
        ("{matchLabels: {team: a}}", "1"),
        ("{matchLabels: {team: b}}", None),
        ("{matchLabels: {kubernetes.io/metadata.name: ns}}", "1"),
        ("{}", "1"),
        ("{matchExpressions: [{key: team, operator: Near}]}", None),
    ],
    ids=["label", "other label", "name", "all", "bad"],
)
def test_cpu_limits_by_the_namespaces_labels(selector, limit):
    config = f"autoCPULimitNamespaceLabelSelector: {selector}"
    assert resources(config=config, objects=NAMESPACE % "team: a")["limits"].get("cpu") == limit


def test_devices_of_the_node():
    limits = resources("domain: {memory: {guest: 1Gi}, devices: {autoattachVSOCK: true}}", gates=["VSOCK"])["limits"]
    assert limits == {f"devices.kubevirt.io/{name}": "1" for name in ("tun", "vhost-net", "kvm", "vhost-vsock")}
    emulated = resources(config="developerConfiguration: {useEmulation: true}")["limits"]
    assert emulated == {"devices.kubevirt.io/tun": "1"}
    none = "domain: {memory: {guest: 1Gi}, devices: {autoattachPodInterface: false}}"
    assert resources(none)["limits"] == {"devices.kubevirt.io/kvm": "1"}


def test_devices_of_plugins_are_counted():
    devices = (
        "gpus: [{name: a, deviceName: x/gpu}, {name: b, deviceName: x/gpu}], hostDevices: [{name: c, deviceName: x/y}]"
    )
    requested = resources(f"domain: {{memory: {{guest: 1Gi}}, devices: {{{devices}}}}}", gates=["HostDevices"])
    for part in ("requests", "limits"):
        assert (requested[part]["x/gpu"], requested[part]["x/y"]) == ("2", "1")
    assert "claims" not in requested


NAD = """
- apiVersion: k8s.cni.cncf.io/v1
  kind: NetworkAttachmentDefinition
  metadata: {name: fast, namespace: ns, annotations: {k8s.v1.cni.cncf.io/resourceName: vendor/vf}}
  spec: {config: '{}'}
"""
ATTACHED = (
    "{domain: {memory: {guest: 1Gi}, devices: {interfaces: [{name: f, sriov: {}}]}},"
    " networks: [{name: f, multus: {networkName: fast}}]}"
)


def test_network_resources_are_read_unless_they_are_injected():
    assert "vendor/vf" not in resources(ATTACHED, objects=NAD)["requests"]
    config = "developerConfiguration: {disabledFeatureGates: [ExternalNetResourceInjection]}"
    requested = resources(ATTACHED, objects=NAD, config=config)
    assert requested["requests"]["vendor/vf"] == requested["limits"]["vendor/vf"] == "1"
    assert "vendor/vf" not in resources(ATTACHED, config=config)["requests"]


def test_ephemeral_storage_is_added():
    template = "domain: {memory: {guest: 1Gi}, resources: {limits: {ephemeral-storage: 1G}}, devices: {}}"
    requested = resources(template)
    assert (requested["requests"]["ephemeral-storage"], requested["limits"]["ephemeral-storage"]) == ("50M", "1050M")


@pytest.mark.parametrize(
    ("cpu", "rest", "number"),
    [
        ("threads: 1", "", ("100m", None)),
        ("", "", (None, None)),
        ("", ", ioThreads: {supplementalPoolThreadCount: 3}", ("300m", None)),
        ("dedicatedCpuPlacement: true", ", resources: {limits: {cpu: 2}}", ("2", "2")),
        (
            "dedicatedCpuPlacement: true",
            ", resources: {limits: {cpu: 2}}, ioThreads: {supplementalPoolThreadCount: 3}",
            ("5", "5"),
        ),
    ],
)
def test_vcpus_of_which_32_bits_count_none_request_what_the_vm_says(cpu, rest, number):
    topology = f"cpu: {{cores: 65536, sockets: 65536, {cpu}}}"
    requested = resources(f"domain: {{{topology}, memory: {{guest: 1Gi}}, devices: {{}}{rest}}}")
    assert (requested["requests"].get("cpu"), requested["limits"].get("cpu")) == number
