"""Small inputs for `virtcatalog expand`."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import Any

from click.testing import Result

import otheryaml

Run = Callable[..., Result]

TYPES = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: small}
spec:
  cpu: {guest: 2}
  memory: {guest: 2Gi}
---
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterPreference
metadata: {name: linux}
spec:
  cpu: {preferredCPUTopology: cores}
  devices: {preferredDiskBus: virtio}
"""

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: web
spec:
  runStrategy: Always
  instancetype: {name: small}
  preference: {name: linux}
  template:
    metadata:
      labels: {app: web}
    spec:
      domain:
        devices:
          disks:
            - name: root
              disk: {}
      volumes:
        - name: root
          containerDisk: {image: "registry.example.org/web:1"}
"""


def vm(name: str, spec: str = "runStrategy: Always", domain: str = "memory: {guest: 1Gi}", **rest: str) -> str:
    volumes = rest.get("volumes", "[]")
    return dedent(f"""\
        apiVersion: kubevirt.io/v1
        kind: VirtualMachine
        metadata: {{name: {name}}}
        spec:
          {spec}
          template:
            metadata: {{labels: {{vm: {name}}}}}
            spec:
              domain: {{devices: {{{rest.get("devices", "")}}}, {domain}}}
              volumes: {volumes}
        """)


UNSUPPORTED = vm("many", domain="memory: {guest: 1Gi}, cpu: {sockets: 70000}")


def documents(result: Result) -> list[Any]:
    assert result.exit_code == 0, result.stderr
    return otheryaml.load_all(result.stdout)
