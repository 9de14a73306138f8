"""What a change does to requests, by environment, namespace and cause; and what it costs."""

import pytest
from msgspec.structs import replace

import otheryaml
from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog.model import Budget
from virtcatalog.catalog.places import Source
from virtcatalog.catalog.prices import prices_of
from virtcatalog.errors import ManifestError
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.repositories.model import Resource
from virtcatalog.review.compare import review
from virtcatalog.review.dumps import Dump
from virtcatalog.review.github import github
from virtcatalog.review.html import html
from virtcatalog.review.markdown import markdown
from virtcatalog.review.report import as_data
from virtcatalog.review.requestreport import load_prices, request_report
from virtcatalog.review.sarif import sarif
from virtcatalog.review.side import Side, Vm
from virtcatalog.review.text import text
from virtcatalog.review.verdict import Requested, Requests, Verdict

BOTH = (Conditions(), Conditions())


def instancetype(name, memory="4Gi", cpus=2, **spec):
    return {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterInstancetype",
        "metadata": {"name": name},
        "spec": {"cpu": {"guest": cpus}, "memory": {"guest": memory}, **spec},
    }


def vm(name, instancetype="m.small", namespace="team"):
    return otheryaml.load(f"""
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {{name: {name}, namespace: {namespace}}}
spec: {{runStrategy: Always, instancetype: {{name: {instancetype}}}, template: {{spec: {{domain: {{devices: {{}}}}}}}}}}
""")


def side(*objects, configuration=None):
    kubevirt = configuration and {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt"},
        "spec": {"configuration": configuration},
    }
    configured = kubevirt and Resource(kubevirt, lambda _field: Source("kubevirt.yaml", 1))
    return Side(label="side", objects={"": list(objects)}, configuration=configured)


def compared(old, new, *vms, prices=None):
    return review(old, new, BOTH, [Dump(vms)], prices=prices)


def test_by_namespace_and_cause():
    old = side(instancetype("m.small"), instancetype("c.small"))
    new = side(instancetype("m.small", "8Gi"), instancetype("c.small", cpus=4))
    fleet = [vm("a"), vm("b"), vm("c", namespace="other"), vm("d", "c.small")]
    assert compared(old, new, *fleet).requests.all_lines == [
        "all VMs: +0.2 CPUs, +12 GiB (guest +12 GiB, overhead +16 MiB) once created anew",
        "team, m.small: 2 VMs: +8 GiB (guest +8 GiB) once created anew",
        "other, m.small: 1 VM: +4 GiB (guest +4 GiB) once created anew",
        "team, c.small: 1 VM: +0.2 CPUs, +16 MiB (overhead +16 MiB) once created anew",
    ]


def test_huge_pages_and_devices():
    gpus = [{"name": "a", "deviceName": "x/gpu"}]
    old, new = side(instancetype("m.small")), side(instancetype("m.small", gpus=gpus))
    (line,) = compared(old, new, vm("a")).requests.all_lines
    assert line == "team, m.small: 1 VM: +1 GiB (overhead +1 GiB), +1 x/gpu once created anew"
    pages = instancetype("m.small")
    pages["spec"]["memory"]["hugepages"] = {"pageSize": "2Mi"}
    (line,) = compared(old, side(pages), vm("a")).requests.all_lines
    assert line == "team, m.small: 1 VM: +4 GiB of hugepages-2Mi, -4 GiB (guest -4 GiB) once created anew"


def test_a_change_of_the_configuration_alone_changes_pods():
    old, new = (
        side(instancetype("m.small")),
        side(instancetype("m.small"), configuration={"developerConfiguration": {"cpuAllocationRatio": 1}}),
    )
    report = compared(old, new, vm("a"))
    assert [verdict.changes for verdict in report.vms] == [("Pod requests.cpu: 205m → 2005m",)]
    assert report.requests.all_lines == ["team, the KubeVirt CR: 1 VM: +1.8 CPUs at the next start"]


def test_what_nothing_explains_is_of_the_configuration_or_the_release():
    before, after = Requested({"cpu": 200, "memory": 0}, 0), Requested({"cpu": 300, "memory": 0}, 0)
    verdict = Verdict(vm="team/a", next="changed", requests=Requests(before, after, "next start"))
    assert request_report([verdict], None).all_lines == [
        "team, configuration or release: 1 VM: +0.1 CPUs at the next start"
    ]


def test_a_vm_without_a_pod_asks_for_nothing():
    """CPUs that are shared among ten million VMs are too few to be written: virt-controller makes no Pod."""
    none, some = (
        side(instancetype("m.small", cpus=1), configuration={"developerConfiguration": {"cpuAllocationRatio": ratio}})
        for ratio in (10_000_000, 10)
    )
    line = "team, the KubeVirt CR: 1 VM: {0}0.105 CPUs, {0}4.3 GiB (guest {0}4 GiB, overhead {0}301.4 MiB) "
    assert compared(some, none, vm("a")).requests.all_lines == [line.format("-") + "at the next start"]
    assert compared(none, some, vm("a")).requests.all_lines == [line.format("+") + "at the next start"]


def test_what_a_pod_requests_that_is_not_known_is_no_change():
    """With such a ratio the memory of virt-launcher itself is a number of bytes that KubeVirt cannot hold."""
    known, unknown = (
        side(instancetype("m.small"), configuration={"additionalGuestMemoryOverheadRatio": ratio})
        for ratio in ("1.5", "1e300")
    )
    for old, new in ((known, unknown), (unknown, known)):
        assert compared(old, new, vm("a")).status != 0
        assert compared(old, new, vm("a")).requests.all_lines == []


@pytest.mark.parametrize(
    ("replicas_before", "replicas_after", "old", "new", "known"),
    [
        (2, 3, "1.5", "1.5", True),
        (2, 3, "1.5", "1e300", False),
        (2, 3, "1e300", "1.5", False),
        (2, 3, "1e300", "1e300", False),
        (0, 3, "1e300", "1.5", True),
        (2, 0, "1.5", "1e300", True),
    ],
)
def test_nor_is_it_of_a_pool_that_has_vms(replicas_before, replicas_after, old, new, known):
    def pool(replicas):
        labels = {"labels": {"app": "web"}}
        spec = {
            "runStrategy": "Always",
            "template": {"metadata": labels, "spec": {"domain": {"devices": {}, "memory": {"guest": "1Gi"}}}},
        }
        return {
            "apiVersion": "pool.kubevirt.io/v1beta1",
            "kind": "VirtualMachinePool",
            "metadata": {"name": "web", "namespace": "team"},
            "spec": {
                "replicas": replicas,
                "selector": {"matchLabels": labels["labels"]},
                "virtualMachineTemplate": {"metadata": labels, "spec": spec},
            },
        }

    sides = []
    for ratio, replicas in ((old, replicas_before), (new, replicas_after)):
        configured = side(configuration={"additionalGuestMemoryOverheadRatio": ratio})
        vms = [Vm(key="team/web", manifest=pool(replicas), place=Source("vms.yaml", 1))]
        sides.append(replace(configured, vms=vms))
    assert bool(review(*sides, BOTH, []).requests.all_lines) == known


def test_what_is_no_more_in_all_is_told_part_by_part():
    old, new = (
        side(instancetype("m.small", m), instancetype("c.small", c)) for m, c in (("4Gi", "8Gi"), ("8Gi", "4Gi"))
    )
    assert compared(old, new, vm("a"), vm("b", "c.small")).requests.all_lines == [
        "all VMs: as much as before, once created anew",
        "team, c.small: 1 VM: -4 GiB (guest -4 GiB) once created anew",
        "team, m.small: 1 VM: +4 GiB (guest +4 GiB) once created anew",
    ]


def test_what_asks_as_before_is_not_told():
    old, new = (
        side(instancetype("m.small")),
        side({**instancetype("m.small"), "metadata": {"name": "m.small", "labels": {"a": "b"}}}),
    )
    assert compared(old, new, vm("a")).requests.all_lines == []


def test_what_it_costs_a_month():
    old, new = side(instancetype("m.small")), side(instancetype("m.small", "8Gi", 4))
    prices = prices_of({"perMonth": {"cpu": 10, "memory": 2.5}, "currency": "EUR"})
    report = compared(old, new, vm("a"), vm("b", namespace="other"), prices=prices)
    lines = report.requests.all_lines
    assert lines[0] == (
        "all VMs: +0.4 CPUs, +8 GiB (guest +8 GiB, overhead +32 MiB), 25.61 → 49.69 EUR a month once created anew"
    )
    assert lines[1].endswith(", 12.81 → 24.84 EUR a month once created anew")
    data = as_data(report)
    assert data["requests"][0]["wanted"] == {"cpu": 200, "memory": 4 * 2**30 + 16 * 2**20}
    assert (data["requests"][0]["guest"], data["requests"][0]["overhead"]) == (4 * 2**30, 16 * 2**20)
    assert data["requests"][0]["costPerMonth"] == {"before": 12.81, "after": 24.84, "change": 12.04}
    (total,) = data["requestTotals"]
    assert (total["when"], total["vms"]) == ("created anew", 2)
    assert total["costPerMonth"] == {"before": 25.61, "after": 49.69, "change": 24.08}
    assert total["after"]["cpu"] - total["before"]["cpu"] == 400
    for form in (
        text(report, 160),
        html(report),
        github(report),
        sarif(report).replace("\\u2192", "→"),
        markdown(report).replace("\\", ""),
    ):
        assert "25.61 → 49.69 EUR a month once created anew" in form


def test_what_it_costs_now_and_at_the_next_start():
    def running(name, **fields):
        manifest = vm(name)
        del manifest["spec"]["instancetype"]
        manifest["spec"]["template"]["spec"] |= {"domain": {"devices": {}, "memory": {"guest": "1Gi"}}, **fields}
        return manifest

    off = {**running("off"), "spec": {**running("off")["spec"], "runStrategy": "Halted"}}
    large = {"domain": {"devices": {}, "memory": {"guest": "2Gi"}}}
    folders = [
        {"off": running("off"), "b": running("b")},
        {"off": off, "b": running("b", **large), "new": running("new", **large)},
    ]
    sides = [
        Side(
            label="side",
            objects={"": []},
            vms=[
                Vm(key=f"team/{name}", manifest=manifest, place=Source("vms.yaml", 1))
                for name, manifest in folder.items()
            ],
        )
        for folder in folders
    ]
    prices = prices_of({"perMonth": {"memory": 100}, "environments": {}})
    report = review(*sides, BOTH, [], prices=prices)
    totals = as_data(report)["requestTotals"]
    assert {total["when"]: tuple(total["costPerMonth"].values()) for total in totals} == {
        "now": (129.43, 229.43, 100),
        "next start": (129.43, 229.43, 100),
    }
    assert [line.partition("), ")[2] for line in report.requests.totals] == [
        "129.43 → 229.43 a month now",
        "129.43 → 229.43 a month at the next start",
    ]


PRICES_OF_CLASSES = ":2:1: classes: what Pods request is of no class: here it cannot be told what they cost"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("perMonth: {cpu: -1}", "perMonth.cpu: must be an amount such as 0.0125, at least 0, not '-1'"),
        ("perMont: {}", "did you mean 'perMonth'?"),
        ("perMonth: {cpu: much}", "perMonth.cpu: must be an amount"),
        ("perMonth: {cpu: 1}\nclasses: {m: {cpu: 2}}", PRICES_OF_CLASSES),
    ],
)
def test_what_is_wrong_with_prices(tmp_path, text, message):
    (tmp_path / "prices.yaml").write_text(text)
    with pytest.raises(ManifestError) as caught:
        load_prices(str(tmp_path / "prices.yaml"))
    assert message in str(caught.value)


NODE = """
apiVersion: v1
kind: Node
metadata: {name: node-1, labels: {kubevirt.io/schedulable: "true", kubernetes.io/arch: amd64,
  machine-type.node.kubevirt.io/q35: "true"}}
status: {allocatable: {cpu: "8", memory: 10Gi, pods: "110", ephemeral-storage: 100Gi, devices.kubevirt.io/kvm: "9",
  devices.kubevirt.io/tun: "9", devices.kubevirt.io/vhost-net: "9"}}
"""
QUOTA = """
apiVersion: v1
kind: ResourceQuota
metadata: {name: q, namespace: team}
spec: {hard: {requests.memory: 10Gi}}
"""


def test_who_fits_no_node_or_breaks_a_quota_from_now_on():
    old, new = side(instancetype("m.small")), side(instancetype("m.small", "12Gi"))
    report = review(old, new, BOTH, [Dump([vm("a"), otheryaml.load(NODE), otheryaml.load(QUOTA)])])
    allows = "ResourceQuota/team/q allows 10 GiB of requests.memory; 10 GiB is left"
    assert report.shortages == [
        "team/a fits no node any more: 8cpu-10Gi has 10 GiB of the 12.3 GiB wanted",
        f"team/a is refused from now on: {allows}, and the VM's Pod asks for 12.3 GiB",
    ]
    assert "shortages:" in text(report)
    assert "**shortages**" in markdown(report)
    assert "::error" in github(report)


def test_who_had_no_room_before_is_not_told_again():
    big = side(instancetype("m.small", "12Gi"))
    report = review(big, side(instancetype("m.small", "13Gi")), BOTH, [Dump([vm("a"), otheryaml.load(NODE)])])
    assert report.shortages == []


def test_a_budget_is_overdrawn():
    budget = Budget("", "team", {"memory": Quantity.parse("10Gi"), "cpu": Quantity.parse("9")}, Source("catalog.yaml"))
    old = side(instancetype("m.small"))
    new = replace(side(instancetype("m.small", "8Gi")), budgets=(budget,))
    report = review(old, new, BOTH, [Dump([vm("a"), vm("b"), vm("c", namespace="other")])])
    assert report.shortages == ["the VMs of namespace team request 16.6 GiB, and 10 GiB is the budget"]
    (shortage,) = as_data(report)["shortages"]["budgets"]
    assert (shortage["namespace"], shortage["resource"], shortage["allowed"]) == ("team", "memory", 10 * 2**30)
