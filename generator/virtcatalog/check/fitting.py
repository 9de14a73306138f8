"""Instance types that no kind of node can hold, where the nodes are among the manifests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from virtcatalog.capacity.demand import Demand, Reader
from virtcatalog.capacity.launches import demand_of, split, type_vm
from virtcatalog.capacity.nodes import Kind, Node, cluster_nodes
from virtcatalog.capacity.rules import node_obstacle, shortage
from virtcatalog.check.finding import Finding, Rule
from virtcatalog.check.subject import Inventory
from virtcatalog.errors import UnsupportedError

NO_NODE = Rule(
    "no-node",
    "warning",
    "No kind of node can hold an instance type.",
    "Its VMs wait for a node for ever: no node has the memory, huge pages, CPUs or devices, or a label that KubeVirt "
    "asks for.",
    "Make it smaller, or give some nodes what it needs. Taints are not looked at: VMs bring their tolerations.",
)
RULES = (NO_NODE,)


def check(inventory: Inventory) -> Iterator[Finding]:
    """Look at every instance type in every environment whose nodes are among the manifests."""
    node_subjects = [other for other in inventory.companions if other.kind == "Node"]
    if not node_subjects:
        return
    subjects = {
        subject.name: subject
        for subject in inventory.objects
        if subject.is_instancetype and subject.origin != "environment"
    }
    for environment in [overlay.name for overlay in inventory.overlays] or [""]:
        manifests = inventory.of(environment)
        node_manifests = [node.manifest for node in node_subjects if node.is_in(environment)]
        cluster = inventory.cluster([*manifests, *inventory.configurations(environment), *node_manifests], environment)
        nodes, kinds = cluster_nodes(cluster.nodes)
        for manifest in split(manifests)[0] if nodes else ():
            subject = subjects.get(manifest["metadata"]["name"])
            try:
                demand = demand_of(type_vm(manifest), cluster, Reader())
            except UnsupportedError:
                continue  # `vms` and `probes` report it
            if subject is None or isinstance(demand, str):
                continue
            reasons = [_reason(demand, kind, nodes) for kind in kinds]
            if all(reasons):
                message = f"no kind of node can hold {subject.name}: {'; '.join(filter(None, reasons))}"
                about = f"{subject.kind}/{subject.name}"
                environments = (environment,) if environment else ()
                yield NO_NODE.at(subject.place(""), message, about=about, environments=environments)


def _reason(demand: Demand, kind: Kind, nodes: Sequence[Node]) -> str:
    """Why no node of a kind takes a demand while it is empty; "" when one does."""
    text = ""
    for position in kind.nodes:
        node = nodes[position]
        obstacle = node_obstacle(demand.conditions, node)
        missing = shortage(demand, node, {}) or (
            obstacle if obstacle is not None and obstacle.sort != "taints" else None
        )
        if missing is None:
            return ""
        text = f"{kind.name} {missing.text}"
    return text
