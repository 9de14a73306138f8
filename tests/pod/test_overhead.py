"""The memory beside the guest's, term by term."""

import pytest
from podding import compute, expanded, pod, terms

from conformance.cases import cases
from sampling import sample
from virtcatalog import expand
from virtcatalog.api.quantity import Quantity
from virtcatalog.kubevirt.pod.facts import Facts
from virtcatalog.kubevirt.pod.overhead import overhead
from virtcatalog.kubevirt.pod.resources import memory_request

PASST = "domain: {memory: {guest: 1Gi}, devices: {interfaces: [{name: n, %s}]}}\nnetworks: [{name: n, pod: {}}]"


def domain(text="", devices=""):
    return f"domain: {{memory: {{guest: 1Gi}}, devices: {{{devices}}}{', ' if text else ''}{text}}}"


BASE = {
    "virt-launcher-monitor": "25Mi",
    "virt-launcher": "100Mi",
    "virtlogd": "25Mi",
    "virtqemud": "40Mi",
    "QEMU without its guest": "30Mi",
    "vCPU": "8Mi",
    "IO thread": "8Mi",
    "graphics device": "32Mi",
}


def test_every_guest_has_these():
    assert terms(expanded(domain()))[0] == BASE
    assert terms(expanded(domain(devices="autoattachGraphicsDevice: false")))[0] == {
        key: amount for key, amount in BASE.items() if key != "graphics device"
    }


@pytest.mark.parametrize(
    ("template", "cause", "amount", "conditions"),
    [
        (domain("cpu: {cores: 2, threads: 2}"), "4 vCPUs, 8 MiB each", "32Mi", {}),
        (domain("cpu: {cores: 2}"), "2 vCPUs, 8 MiB each", "16Mi", {}),
        (domain(), "UEFI flash of arm64", "128Mi", {"architecture": "arm64"}),
        (domain(devices="tpm: {}"), "TPM", "53Mi", {}),
        (
            domain(devices="gpus: [{name: a, deviceName: x/y}]"),
            "devices of the host: memory locked for DMA",
            "1Gi",
            {},
        ),
        (domain("launchSecurity: {sev: {}}, firmware: {bootloader: {efi: {secureBoot: false}}}"), "SEV", "256Mi", {}),
        (
            domain("cpu: {cores: 1, dedicatedCpuPlacement: true}"),
            "dedicated CPUs, or requests that are limits",
            "100Mi",
            {},
        ),
        (
            domain("resources: {requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 1, memory: 1Gi}}"),
            "dedicated CPUs, or requests that are limits",
            "100Mi",
            {},
        ),
        (PASST % "passtBinding: {}", "passt", "250Mi", {}),
        (
            "domain: {memory: {guest: 1Gi, reservedOverhead: {addedOverhead: 12Mi}}, devices: {}}",
            "domain.memory.reservedOverhead.addedOverhead",
            "12Mi",
            {"gates": ["ReservedOverheadMemlock"]},
        ),
        (
            PASST % "binding: {name: p}",
            "network binding plugin p",
            "70Mi",
            {"config": "network: {binding: {p: {computeResourceOverhead: {requests: {memory: 70Mi}}}}}"},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 50 else "",
)
def test_what_adds_to_it(template, cause, amount, conditions):
    assert terms(expanded(template, **conditions))[0][cause] == amount


def test_probes_by_command():
    probe = "{exec: {command: ['true']}}"
    both = f"{domain()}\nlivenessProbe: {probe}\nreadinessProbe: {probe}"
    assert {key: amount for key, amount in terms(expanded(both))[0].items() if key not in BASE} == {
        "command of the liveness probe": "10Mi",
        "command of the readiness probe": "10Mi",
        "virt-probe": "100Mi",
    }
    assert terms(expanded(f"{domain()}\nreadinessProbe: {{guestAgentPing: {{}}}}"))[0] == BASE


def test_the_ratio_counts_whole_kilobytes_and_not_the_network():
    config = "additionalGuestMemoryOverheadRatio: '1.5'"
    overhead = terms(expanded(PASST % "passtBinding: {}", config=config))[0]
    kilobytes = -(-268 * 2**20 // 1000)
    assert overhead["additionalGuestMemoryOverheadRatio 1.5"] == str(Quantity.of(kilobytes // 2 * 1000, "DecimalSI"))
    assert list(overhead)[-1] == "passt"
    assert terms(expanded(domain(), config="additionalGuestMemoryOverheadRatio: '1.0'"))[0] == BASE


def test_the_annotation_tells_the_sum():
    annotations = pod(domain())["metadata"]["annotations"]
    assert annotations["kubevirt.io/memory-overhead-bytes"] == str(268 * 2**20)
    assert "kubevirt.io/memory-overhead-bytes" not in pod(domain(), release="v1.8.4")["metadata"]["annotations"]


def test_the_terms_add_up_to_the_request_of_every_case():
    with_pod = [case for case in cases() if "pod" in case.expected]
    assert len(with_pod) > 1000
    for case in sample(with_pod[::3], 30):
        result = expand(case.vm, case.cluster())
        facts = result.cluster.computed(Facts)
        parts = memory_request(result.vmi_object, facts, overhead(result.vmi_object, facts))
        requested = case.expected["pod"]["spec"]["containers"][0]["resources"]["requests"]["memory"]
        assert Quantity.total(part.amount for part in parts) == Quantity.parse(requested), case


def test_the_request_has_the_guest_first():
    assert next(iter(terms(expanded(domain()))[1].items())) == ("domain.memory.guest", "1Gi")
    spared = expanded(domain("resources: {overcommitGuestOverhead: true}"))
    assert terms(spared)[1] == {"domain.memory.guest": "1Gi"}
    assert compute(domain("resources: {overcommitGuestOverhead: true}"))["resources"]["requests"]["memory"] == "1Gi"
