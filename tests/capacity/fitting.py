"""Nodes and demands of a line each."""

from __future__ import annotations

import msgspec

import otheryaml
from virtcatalog import Cluster
from virtcatalog.capacity.demand import Reader
from virtcatalog.capacity.nodes import cluster_nodes

GIB = 2**30


def node(name, cpu="8", memory="32Gi", *, labels=None, taints=(), kind="", cells=1, **more):
    """A Node as the API has it."""
    room = {
        "cpu": cpu,
        "memory": memory,
        "pods": "110",
        **{key.replace("_", "/"): amount for key, amount in more.items()},
    }
    annotations = {"virtcatalog.io/kind": kind, "virtcatalog.io/numa-nodes": str(cells)} if kind else {}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels or {}, "annotations": annotations},
        "spec": {"taints": [dict(zip(("key", "value", "effect"), taint, strict=True)) for taint in taints]},
        "status": {"allocatable": room},
    }


def nodes(*manifests):
    """The nodes, and their kinds."""
    return cluster_nodes(Cluster(manifests).nodes)


def pod(name, cpu="1", memory="1Gi", *, namespace="ns", labels=None, spec="{}", limits=None, **more):
    """A Pod of one container."""
    requests = {"cpu": cpu, "memory": memory, **{key.replace("_", "/"): amount for key, amount in more.items()}}
    container = {"name": "compute", "resources": {"requests": requests, "limits": limits or {}}}
    return {
        "metadata": {"name": name, "namespace": namespace, "labels": labels or {}},
        "spec": {"containers": [container], **otheryaml.load(spec)},
    }


def demand(name, *args, reader=None, **more):
    """What such a Pod asks for."""
    return (reader or Reader()).demand(name, pod(name, *args, **more))


def named(pod, name):
    """The same demand under another name."""
    return msgspec.structs.replace(pod, name=name)
