"""The report over VMs, nodes and the other Pods of a cluster."""

from fitting import node, pod

import otheryaml
from virtcatalog import Cluster
from virtcatalog.capacity.launches import launches
from virtcatalog.capacity.report import report

POOL = "VirtualMachinePool"
DEVICES = {f"devices.kubevirt.io/{name}": "1k" for name in ("kvm", "tun", "vhost-net")}
LABELS = {
    "kubevirt.io/schedulable": "true",
    "kubernetes.io/arch": "amd64",
    "machine-type.node.kubevirt.io/q35": "true",
}


def host(name, **labels):
    """A node for VMs."""
    manifest = node(name, labels={**LABELS, **labels})
    manifest["status"]["allocatable"] |= {**DEVICES, "ephemeral-storage": "9Gi"}
    return manifest


def vm(name, affinity="{}", **labels):
    manifest = otheryaml.load(f"""
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {{name: {name}, namespace: ns}}
spec: {{runStrategy: Always, template: {{spec: {{domain: {{memory: {{guest: 1Gi}}, devices: {{}}}}}}}}}}
""")
    manifest["spec"]["template"]["metadata"] = {"labels": labels}
    manifest["spec"]["template"]["spec"]["affinity"] = otheryaml.load(affinity)
    return manifest


def term(kind, rest="labelSelector: {matchLabels: {app: db}}"):
    term_of_kind = f"{{topologyKey: zone, {rest}}}"
    return f"{{{kind}: {{requiredDuringSchedulingIgnoredDuringExecution: [{term_of_kind}]}}}}"


def reported(vms, others, pods=()):
    cluster = Cluster(others)
    return report(launches(vms, cluster), len(vms), cluster, [], pods)


def on(name, home, **more):
    manifest = pod(name, **more)
    manifest["spec"]["nodeName"] = home
    return manifest


def test_vms_are_near_pods_of_namespaces_by_these_labels():
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"team": "a"}}}
    near = term("podAffinity", "namespaceSelector: {matchLabels: {team: a}}, labelSelector: {}")
    pods = [on("own", "n1", namespace="ns"), on("shop", "n2", namespace="shop")]
    capacity = reported([vm("a", near)], [host("n1", zone="a"), host("n2", zone="b"), namespace], pods)
    assert [fit.node for fit in capacity.vms] == ["n2"]


def test_whether_a_vm_may_be_the_first_of_its_group_is_asked_of_each():
    near = term("podAffinity")
    capacity = reported([vm("a", near, app="web"), vm("b", near, app="db")], [host("n1", zone="a")])
    assert [fit.node for fit in capacity.vms] == ["n1", "n1"]
    # No Pod is alone in the group of another one.
    assert [fit.kinds for fit in reported([vm("a", near, app="web")], [host("n1", zone="a")]).vms] == [()]
    pods = [on("x", "n1", labels={"app": "db"})]
    capacity = reported([vm("a", near, app="web")], [host("n1", zone="a")], pods)
    assert [fit.node for fit in capacity.vms] == ["n1"]


def test_the_pods_that_a_vm_must_be_near_are_where_they_are():
    near, nodes = vm("a", term("podAffinity"), app="web"), [host("n1", zone="a"), host("n2", zone="b"), host("n3")]
    for cpus, manifest in enumerate(nodes, 4):
        manifest["status"]["allocatable"]["cpu"] = str(cpus)
    there = on("x", "n1", labels={"app": "db"})
    (fit,) = reported([near], nodes, [there]).vms
    assert (fit.node, fit.kinds) == ("n1", ("4cpu-32Gi",))
    (fit,) = reported([near], nodes, [there, on("full", "n1", memory="31Gi")]).vms
    assert (fit.node, fit.kinds) == ("", ("4cpu-32Gi",))
    assert sorted((kind, sort) for kind, _, sort, _ in fit.reasons) == [
        ("4cpu-32Gi", "memory"),
        ("5cpu-32Gi", "affinity"),
        ("6cpu-32Gi", "affinity"),
    ]
    (fit,) = reported([near], nodes).vms
    assert (fit.node, fit.kinds) == ("", ())


def test_a_vm_of_a_type_is_kept_away_by_pods_that_know_its_namespace():
    small = otheryaml.load("""
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: small}
spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}
""")
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default", "labels": {"team": "a"}}}
    apart = term("podAntiAffinity", "namespaceSelector: {matchLabels: {team: a}}, labelSelector: {}")
    guard = on("guard", "n1", spec=f"affinity: {apart}")
    nodes, fits = [host("n1", zone="a"), host("n2", zone="b")], []
    for others in ([small, *nodes, namespace], [small, *nodes]):
        (fit,) = report([], 0, Cluster(others), [small], [guard]).types
        fits.append((fit.beside, fit.empty))
    both = fits[1][1]
    assert fits == [(both // 2, both), (both - 1, both)]


def test_vms_of_a_pool_are_counted_once():
    def member(number, pool="web"):
        manifest = vm(f"web-{number}")
        manifest["metadata"]["ownerReferences"] = [{"kind": "ReplicaSet", "name": "x"}, {"kind": POOL, "name": pool}]
        return manifest

    pool = vm("web")
    pool |= {"apiVersion": "pool.kubevirt.io/v1beta1", "kind": POOL}
    template = {"metadata": {"labels": {"a": "b"}}, "spec": pool["spec"]}
    pool["spec"] = {"replicas": 3, "selector": {"matchLabels": {"a": "b"}}, "virtualMachineTemplate": template}

    def names(*vms):
        return [fit.name.removeprefix("ns/") for fit in reported(vms, [host("n1")]).vms]

    assert names(pool) == ["web-0", "web-1", "web-2"]
    # It stands for those that are not made yet, wherever it is itself.
    assert names(pool, member(1), vm("a")) == ["web-1", "a", "web-0", "web-2"]
    assert names(member(7), member(0), member(2), member(1), pool) == ["web-7", "web-0", "web-2", "web-1"]
    # A VM of another pool only has the name.
    assert names(member(0, "other"), pool) == ["web-0", "web-1", "web-2", "web-3"]
    # One that gets no Pod is one of them, too.
    broken = member(0)
    broken["spec"]["template"]["spec"]["domain"]["cpu"] = {"maxSockets": 1, "sockets": 2}
    capacity = reported([pool, broken], [host("n1")])
    assert [fit.name for fit in capacity.vms] == ["ns/web-1", "ns/web-2"]
    assert [name for name, _ in capacity.podless] == ["ns/web-0"]


def test_a_launcher_takes_room_where_its_vm_is_not_counted():
    def used(machine, *vms):
        launcher = on("virt-launcher", "n1", namespace="ns", memory="5Gi", labels={"kubevirt.io": "virt-launcher"})
        launcher["metadata"]["annotations"] = {"kubevirt.io/domain": machine} if machine else {}
        cluster = Cluster([host("n1")])
        capacity = report(launches(vms, cluster), len(vms), cluster, [], [launcher])
        return capacity.packed.used["memory"] >> 30

    assert [used("a"), used("a", vm("a")), used("b", vm("a"))] == [5, 1, 6]
    # A VM that KubeVirt refuses runs as it was.
    refused = vm("a")
    refused["spec"]["template"]["spec"]["domain"]["cpu"] = {"model": ""} | {"cores": 1, "maxSockets": 1, "sockets": 2}
    assert used("a", refused) == 5
    # Whose Pod it is is not known.
    assert used("") == 0
    replicas = vm("web")
    replicas["kind"] = "VirtualMachineInstanceReplicaSet"
    replicas["spec"] = {
        "replicas": 1,
        "selector": {"matchLabels": {"a": "b"}},
        "template": replicas["spec"]["template"],
    }
    replicas["spec"]["template"]["metadata"]["labels"] = {"a": "b"}
    assert [used("webx7k2p", replicas), used("other", replicas)] == [1, 6]
