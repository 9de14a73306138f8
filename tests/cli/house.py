"""A small repository with a history, on which whole runs of every command are tried."""

from __future__ import annotations

from pathlib import Path

from checkouts import git, write

#: The repository as it was first published.
FIRST = {
    "catalog/catalog.yaml": "name: house\nkubevirt: v1.3.0\nvendor: house.example.org\n",
    "catalog/components.yaml": "fast-disks: {spec: {devices: {preferredDiskBus: virtio, preferredDiskCache: none}}}\n",
    "catalog/overlays.yaml": """\
        lab: {kubevirt: v1.9.0}
        production:
          kubevirt: v1.8.4
          namespaces: [shop]
        """,
    "catalog/instancetypes/m.yaml": """\
        class: m
        displayName: General purpose
        memoryPerVcpu: 4Gi
        name: "{{ class }}.{{ size }}"
        sizes:
          small: {vcpus: 1}
          large: {vcpus: 2}
          huge: {vcpus: 16}
        """,
    "catalog/preferences/os.yaml": """\
        preferences:
          house.linux: {displayName: Any Linux, components: [fast-disks]}
          house.windows:
            displayName: Windows Server
            requirements: {vcpus: 2, memory: 4Gi}
            spec: {devices: {preferredDiskBus: sata}, clock: {preferredClockOffset: {utc: {}}}}
        """,
    "catalog/vms/web.yaml.j2": """\
        apiVersion: kubevirt.io/v1
        kind: VirtualMachine
        metadata: {name: web, namespace: shop}
        spec:
          runStrategy: Always
          instancetype: {name: m.large}
          preference: {name: house.linux}
          template:
            spec:
              domain:
                devices:
                  disks: [{name: root, disk: {}}]
              volumes: [{name: root, containerDisk: {image: registry.example.org/web:1}}]
        """,
    "cluster/kubevirt.yaml": """\
        apiVersion: kubevirt.io/v1
        kind: KubeVirt
        metadata: {name: kubevirt, namespace: kubevirt}
        spec: {configuration: {cpuModel: Haswell-v4}}
        """,
    "refused.yaml": """\
        apiVersion: kubevirt.io/v1
        kind: VirtualMachine
        metadata: {name: build, namespace: shop}
        spec:
          runStrategy: Always
          instancetype: {name: m.small}
          preference: {name: house.windows}
          template:
            spec:
              domain: {memory: {guest: 8Gi}, devices: {}}
        """,
    "inline.yaml": """\
        apiVersion: kubevirt.io/v1
        kind: VirtualMachine
        metadata: {name: old, namespace: shop}
        spec:
          runStrategy: Always
          template:
            spec:
              domain:
                cpu: {sockets: 2, maxSockets: 8}
                memory: {guest: 8Gi}
                devices: {disks: [{name: root, disk: {bus: virtio}, cache: none}]}
              volumes: [{name: root, containerDisk: {image: registry.example.org/old:1}}]
        """,
    "preset.yaml": """\
        apiVersion: kubevirt.io/v1
        kind: VirtualMachineInstancePreset
        metadata: {name: small, namespace: shop}
        spec:
          selector: {matchLabels: {size: small}}
          domain:
            cpu: {cores: 2}
            memory: {guest: 2Gi}
            devices: {}
        """,
    "template.yaml": """\
        apiVersion: template.kubevirt.io/v1beta1
        kind: VirtualMachineTemplate
        metadata: {name: shop, namespace: shop}
        spec:
          message: "${NAME} is there"
          parameters: [{name: NAME, required: true, description: What it is called}]
          virtualMachine:
            metadata: {name: "${NAME}"}
            spec:
              runStrategy: Always
              instancetype: {name: m.large}
              preference: {name: house.linux}
              template: {spec: {domain: {devices: {}}}}
        """,
    "usage.csv": """\
        namespace,name,cpu,memory
        shop,old,0.4,1500000000
        """,
    "nodes.yaml": """\
        apiVersion: v1
        kind: Node
        metadata: {name: node-1, labels: {kubevirt.io/schedulable: "true", kubernetes.io/arch: amd64}}
        status:
          allocatable: {cpu: "8", memory: 32Gi, pods: "110", devices.kubevirt.io/kvm: 1k, devices.kubevirt.io/tun: 1k,
            devices.kubevirt.io/vhost-net: 1k}
        """,
}
#: What the branch `change` changes.
CHANGED = {
    "catalog/instancetypes/m.yaml": """\
        class: m
        displayName: General purpose
        memoryPerVcpu: 4Gi
        name: "{{ class }}.{{ size }}"
        sizes:
          small: {vcpus: 1}
          large: {vcpus: 2, memory: 12Gi}
        """,
}
#: A catalog with faults of two kinds.
BROKEN = {
    "broken/catalog.yaml": "name: broken\nkubevirt: v1.3.0\ncolour: red\n",
    "broken/instancetypes/m.yaml": "class: m\nsizes: {small: {vcpus: one, memory: 4 GB}}\n",
}


#: What lies beside the repository's own files: a dump of a cluster.
LIVE = {
    "live.yaml": """\
        apiVersion: kubevirt.io/v1
        kind: VirtualMachine
        metadata:
          name: web
          namespace: shop
          managedFields:
            - manager: argocd-controller
              operation: Update
              time: "2026-01-02T08:00:00Z"
              fieldsV1: {"f:spec": {"f:template": {}}}
            - manager: virt-api
              operation: Update
              time: "2026-01-03T09:00:00Z"
              fieldsV1: {"f:spec": {"f:runStrategy": {}}}
        spec:
          runStrategy: Halted
          instancetype: {name: m.large}
          preference: {name: house.linux}
          template:
            spec:
              domain:
                devices:
                  disks: [{name: root, disk: {}}]
              volumes: [{name: root, containerDisk: {image: registry.example.org/web:1}}]
        status: {printableStatus: Stopped}
        """,
}


def build(root: Path) -> None:
    """Write the repository with its history: `main` has FIRST, the branch `change` CHANGED."""
    git(root, "init", "-q", "-b", "main")
    write(root, FIRST)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "First", day="2026-01-01")
    git(root, "checkout", "-q", "-b", "change")
    write(root, CHANGED)
    git(root, "commit", "-q", "-a", "-m", "Larger, and no huge", day="2026-01-01")
    git(root, "repack", "-adq")  # a file to copy rather than fifty
    write(root, BROKEN)
    write(root, LIVE)
