"""Pods of VMs of a few lines of YAML.

`MADE` are those of the test that runs: what is not named in a test is held by its snapshot (`conftest.py`).
"""

from __future__ import annotations

import otheryaml
from virtcatalog import Cluster, expand
from virtcatalog.kubevirt.pod.facts import Facts
from virtcatalog.kubevirt.pod.overhead import overhead
from virtcatalog.kubevirt.pod.resources import memory_request

GUEST = "domain: {memory: {guest: 1Gi}, devices: {}}"
MADE = []


def cluster_of(config="{}", gates=(), objects="[]", release=None, architecture="amd64"):
    """A cluster with a configuration, feature gates and further objects."""
    configuration = otheryaml.load(config)
    configuration.setdefault("developerConfiguration", {})["featureGates"] = list(gates)
    kubevirt = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
        "spec": {"configuration": configuration},
    }
    return Cluster([kubevirt, *otheryaml.load(objects)], release=release, architecture=architecture)


def expanded(template=GUEST, *, name="vm", namespace="ns", annotations=None, labels=None, spec=None, **conditions):
    """What becomes of a VM of this template's spec, which the webhooks have to admit."""
    spec_of_template = otheryaml.load(template)
    spec_of_template.setdefault("domain", {}).setdefault("devices", {})
    metadata = {"annotations": annotations or {}, "labels": labels or {}}
    vm = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"runStrategy": "Always", "template": {"metadata": metadata, "spec": spec_of_template}, **(spec or {})},
    }
    result = expand(vm, cluster_of(**conditions))
    assert result.refused_by in (None, "launcher"), result.reasons
    MADE.append(result)
    return result


def pod(template=GUEST, **conditions):
    """The Pod of a VM."""
    result = expanded(template, **conditions)
    assert result.pod_error is None
    return result.pod


def spec(template=GUEST, **conditions):
    """The Pod's spec."""
    return pod(template, **conditions)["spec"]


def compute(template=GUEST, **conditions):
    """The container that virt-launcher runs in."""
    return spec(template, **conditions)["containers"][0]


def resources(template=GUEST, **conditions):
    """What that container requests and is limited to."""
    return compute(template, **conditions)["resources"]


def terms(result):
    """The terms of the memory overhead and of the whole request: cause to amount, as text."""
    facts = result.cluster.computed(Facts)
    beside = overhead(result.vmi_object, facts)
    whole = memory_request(result.vmi_object, facts, beside)
    return [{term.cause: str(term.amount) for term in account} for account in (beside, whole)]


def named(items, name):
    """The item of a list that has this name."""
    return next(item for item in items if item["name"] == name)


def names(items):
    """The names of a list's items."""
    return [item["name"] for item in items]
