"""How Argo CD judges the health of KubeVirt's objects, as Lua, where its own scripts do not or judge wrongly.

Argo CD's script of VirtualMachines calls every stopped VM suspended, which a sync waits for and never sees end, and one
that crashes or finds no node is starting to it. That of VirtualMachineInstances calls one degraded that starts, that of
DataVolumes waits for ever for one that waits for its first VM. It has none for pools and ReplicaSets: they are healthy
at once. Versions before 2.2 have none at all.
"""

from __future__ import annotations

from typing import Final

from virtcatalog.manifests.identity import Data


def _by(controller: str, field: str, rules: str) -> str:
    """A health check in Lua that reads a field of the status, `state`, and waits until a controller has written it."""
    return f"""\
local health = {{status = "Progressing", message = "Waiting for {controller}"}}
if obj.status == nil or obj.status.{field} == nil then
  return health
end
local state = obj.status.{field}
health.message = state
{rules}return health
"""


VIRTUAL_MACHINE: Final = _by(
    "KubeVirt",
    "printableStatus",
    """\
local failed = {
  CrashLoopBackOff = true, DataVolumeError = true, ErrImagePull = true, ErrorPvcNotFound = true,
  ErrorUnschedulable = true, ImagePullBackOff = true
}
if failed[state] then
  health.status = "Degraded"
elseif state == "Stopped" then
  if obj.spec.runStrategy ~= "Always" and obj.spec.running ~= true then
    health.status = "Healthy"
  end
elseif state == "Paused" then
  health.status = "Suspended"
elseif state == "Running" or state == "Migrating" then
  health.status = "Healthy"
end
for _, condition in ipairs(obj.status.conditions or {}) do
  if condition.type == "RestartRequired" and condition.status == "True" then
    health.message = state .. ", and a change waits for a restart"
  elseif condition.type == "Failure" and condition.status == "True" then
    health.status = "Degraded"
    health.message = condition.message or condition.reason
  end
end
""",
)
INSTANCE: Final = _by(
    "KubeVirt",
    "phase",
    """\
if state == "Failed" then
  health.status = "Degraded"
elseif state == "Unknown" then
  health.status = "Unknown"
elseif state == "Succeeded" then
  health.status = "Healthy"
elseif state == "Running" then
  for _, condition in ipairs(obj.status.conditions or {}) do
    if condition.type == "Paused" and condition.status == "True" then
      return {status = "Suspended", message = condition.message or "Paused"}
    elseif condition.type == "Ready" and condition.status == "True" then
      health.status = "Healthy"
    end
  end
end
""",
)
DISK: Final = _by(
    "CDI",
    "phase",
    """\
if state == "Succeeded" then
  health.status = "Healthy"
elseif state == "WaitForFirstConsumer" or state == "PendingPopulation" then
  health.status = "Healthy"
  health.message = state .. ": it is filled when a VM that uses it starts"
elseif state == "Failed" or state == "Unknown" then
  health.status = "Degraded"
elseif state == "Paused" then
  health.status = "Suspended"
end
for _, condition in ipairs(obj.status.conditions or {}) do
  if condition.type == "Running" and condition.status == "False" and condition.reason == "Error" then
    health.status = "Degraded"
    health.message = condition.message or condition.reason
  end
end
""",
)
REPLICAS: Final = """\
local health = {status = "Progressing", message = "Waiting for KubeVirt"}
if obj.status == nil then
  return health
end
for _, condition in ipairs(obj.status.conditions or {}) do
  if condition.type == "ReplicaFailure" and condition.status == "True" then
    return {status = "Degraded", message = condition.message or condition.reason}
  end
end
local wanted = obj.spec.replicas
if wanted == nil then
  wanted = 1
end
if obj.spec.paused then
  return {status = "Suspended", message = "Paused"}
end
local ready = obj.status.readyReplicas or 0
health.message = ready .. " of " .. wanted .. " are ready"
if ready >= wanted and (obj.status.replicas or 0) == wanted then
  health.status = "Healthy"
end
return health
"""
SCRIPTS: Final = {
    ("kubevirt.io", "VirtualMachine"): VIRTUAL_MACHINE,
    ("kubevirt.io", "VirtualMachineInstance"): INSTANCE,
    ("kubevirt.io", "VirtualMachineInstanceReplicaSet"): REPLICAS,
    ("pool.kubevirt.io", "VirtualMachinePool"): REPLICAS,
    ("cdi.kubevirt.io", "DataVolume"): DISK,
}


def config_map(namespace: str) -> Data:
    """Return Argo CD's ConfigMap with these scripts: to be merged with what it has."""
    data = {f"resource.customizations.health.{group}_{kind}": script for (group, kind), script in SCRIPTS.items()}
    labels = {"app.kubernetes.io/name": "argocd-cm", "app.kubernetes.io/part-of": "argocd"}
    metadata = {"name": "argocd-cm", "namespace": namespace, "labels": labels}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
