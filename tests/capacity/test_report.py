"""The report over VMs, nodes and the other Pods of a cluster."""

from fitting import node, pod

import otheryaml
from virtcatalog import Cluster
from virtcatalog.capacity.launches import launches
from virtcatalog.capacity.report import report

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
    made = pod(name, **more)
    made["spec"]["nodeName"] = home
    return made


def test_vms_are_near_pods_of_namespaces_by_these_labels():
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"team": "a"}}}
    near = term("podAffinity", "namespaceSelector: {matchLabels: {team: a}}, labelSelector: {}")
    pods = [on("own", "n1", namespace="ns"), on("shop", "n2", namespace="shop")]
    found = reported([vm("a", near)], [host("n1", zone="a"), host("n2", zone="b"), namespace], pods)
    assert [fit.node for fit in found.vms] == ["n2"]


def test_whether_a_vm_may_be_the_first_of_its_group_is_asked_of_each():
    near = term("podAffinity")
    found = reported([vm("a", near, app="web"), vm("b", near, app="db")], [host("n1", zone="a")])
    assert [fit.kinds for fit in found.vms] == [(), ("8cpu-32Gi",)]
    pods = [on("x", "n1", labels={"app": "db"})]
    found = reported([vm("a", near, app="web")], [host("n1", zone="a")], pods)
    assert [fit.node for fit in found.vms] == ["n1"]
