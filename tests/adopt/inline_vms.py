"""A small catalog, and VMs that say everything themselves."""

from textwrap import dedent
from typing import Any

from loading import read_manifests

CATALOG = """
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: small}
spec: {cpu: {guest: 2}, memory: {guest: 4Gi}}
---
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: small-overcommitted}
spec: {cpu: {guest: 2}, memory: {guest: 4Gi, overcommitPercent: 50}}
---
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: small-dedicated}
spec: {cpu: {guest: 2, dedicatedCPUPlacement: true}, memory: {guest: 4Gi}}
---
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: large}
spec: {cpu: {guest: 8, maxSockets: 8}, memory: {guest: 32Gi}}
---
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: placed}
spec: {cpu: {guest: 3}, memory: {guest: 4Gi}, nodeSelector: {zone: a}}
---
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterPreference
metadata: {name: linux}
spec:
  devices: {preferredDiskBus: virtio, preferredRng: {}, preferredInterfaceModel: virtio}
  annotations: {vm.kubevirt.io/os: linux}
---
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterPreference
metadata: {name: windows}
spec:
  cpu: {preferredCPUTopology: cores}
  clock:
    preferredClockOffset: {utc: {}}
    preferredTimer: {hpet: {present: false}, hyperv: {}}
  devices: {preferredDiskBus: sata, preferredInterfaceModel: e1000e, preferredAutoattachInputDevice: true,
            preferredInputBus: usb, preferredInputType: tablet}
  features: {preferredAcpi: {}, preferredHyperv: {relaxed: {}, vapic: {}, spinlocks: {spinlocks: 8191}}}
  firmware: {preferredEfi: {secureBoot: false}}
  preferredTerminationGracePeriodSeconds: 3600
  requirements: {cpu: {guest: 2}}
"""


TYPE, PREFERENCE = "VirtualMachineClusterInstancetype", "VirtualMachineClusterPreference"


def named(kind: str, name: str, spec: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    """An instance type or preference."""
    version = "instancetype.kubevirt.io/v1beta1"
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, **metadata}, "spec": spec}


def of_size(name: str, kind: str = TYPE, **spec: Any) -> dict[str, Any]:
    """An instance type of two vCPUs and 4 GiB, unless it says else."""
    return named(kind, name, {"cpu": {"guest": 2}, "memory": {"guest": "4Gi"}, **spec})


def machine(domain: str, rest: str = "", spec: str = "", metadata: str = "{name: vm}") -> dict[str, Any]:
    """A VM with a disk: its `domain`, the rest of its template's spec, and of its own spec."""
    text = f"""
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {metadata}
spec:
  runStrategy: Always
{_indented(spec, 2)}
  template:
    spec:
{_indented(rest, 6)}
      domain:
{_indented(domain, 8)}
"""
    return read_manifests(text)[0].data


def _indented(text: str, spaces: int) -> str:
    return "\n".join(" " * spaces + line for line in dedent(text).strip().splitlines())
