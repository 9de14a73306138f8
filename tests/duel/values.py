"""Values of fields: what KubeVirt knows, what it refuses, boundaries, and legal spellings that are rare."""

from __future__ import annotations

from random import Random
from typing import Any

from virtcatalog.api.quantity import Quantity
from virtcatalog.api.shape import Leaf

_USUAL = 0.93
QUANTITIES = (
    *("1Gi", "2Gi", "1G", "512Mi", "1500M", "2048Mi", "3Gi", "1.5Gi", "1e9", "0.5", "2", "500m", "1", "0", "1Ki"),
    *("4Mi", "3Mi", "+2Gi", "1500m", "100Ti", "1048577", "2147483648", "999k", "1M", "0.1Gi", "-1Gi", "7Ei"),
)
TEXTS = ("a", "b", "a-b", "a.b", "A_b", "a b", "x" * 64, "1", "ä")
NUMBERS = (0, 1, 1, 2, 2, 3, 4, 5, 8, 16, 63, 64, 100, 255, 256, 512, 1000, 1024, 4096, 65535, 65536, 2**31 - 1, 2**31)

ARCHITECTURES = ("amd64", "amd64", "amd64", "arm64", "s390x", "ppc64le")
_BUSES = ("virtio", "virtio", "sata", "scsi", "usb", "ide", "")
_BY_FIELD: dict[str, tuple[str, ...]] = {
    "bus": _BUSES,
    "preferredDiskBus": _BUSES,
    "preferredCdromBus": _BUSES,
    "preferredLunBus": _BUSES,
    "preferredInputBus": ("usb", "virtio", "ps2"),
    "preferredInputType": ("tablet", "keyboard", ""),
    "type": (
        "tablet",
        "q35",
        "pc-q35-rhel9.6.0",
        "pc",
        "virt",
        "s390-ccw-virtio",
        "vga",
        "virtio",
        "bochs",
        "none",
        "x",
    ),
    "preferredMachineType": ("q35", "pc-q35-rhel9.6.0", "pc", "virt", "s390-ccw-virtio"),
    "architecture": ARCHITECTURES,
    "preferredArchitecture": ARCHITECTURES,
    "cache": ("none", "writethrough", "writeback", "unsafe"),
    "preferredDiskCache": ("none", "writethrough", "writeback"),
    "io": ("native", "threads", "default"),
    "preferredDiskIO": ("native", "threads"),
    "errorPolicy": ("stop", "ignore", "report", "enospace", "x"),
    "model": ("host-model", "host-passthrough", "Nehalem", "virtio", "e1000", "e1000e", "rtl8139", "isa", "ac97", "x"),
    "preferredInterfaceModel": ("virtio", "e1000", "e1000e"),
    "preferredModel": ("ac97", "ich9", "isa"),
    "policy": ("require", "force", "optional", "disable", "forbid", "x"),
    "ioThreadsPolicy": ("shared", "auto", "supplementalPool", "x"),
    "macAddress": ("02:00:00:00:00:01", "02-00-00-00-00-02", "0200.0000.0003", "01:00:5e:00:00:01", "x"),
    "pciAddress": ("0000:02:01.0", "0000:81:11.1", "0000:00:00.0", "81:11.1", "x"),
    "serial": ("D-1", "s" * 257, "a b"),
    "uuid": ("5d307ca9-b3ef-428c-8861-06e72d69f223", "x"),
    "pageSize": ("2Mi", "1Gi", "1G", "64Ki", "x"),
    "action": ("poweroff", "reset", "shutdown", "x"),
    "timezone": ("Europe/Berlin", "Nowhere"),
    "tickPolicy": ("delay", "catchup", "discard", "merge", "x"),
    "track": ("guest", "wall", "x"),
    "evictionStrategy": ("LiveMigrate", "LiveMigrateIfPossible", "None", "External", "x"),
    "startStrategy": ("Paused", "x"),
    "runStrategy": ("Always", "Always", "Always", "Halted", "Manual", "RerunOnFailure", "Once", "WaitAsReceiver", "x"),
    "dnsPolicy": ("ClusterFirst", "None", "Default", "ClusterFirstWithHostNet", "x"),
    "protocol": ("TCP", "UDP", "SCTP", "tcp"),
    "state": ("up", "down", "absent", "x"),
    "operator": ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Near"),
    "effect": ("NoSchedule", "NoExecute", "x"),
    "whenUnsatisfiable": ("DoNotSchedule", "ScheduleAnyway"),
    "imagePullPolicy": ("Always", "IfNotPresent", "Never", "x"),
    "image": ("registry.example.org/guest:1",),
    "userData": ("#cloud-config\n", "x" * 2049),
    "userDataBase64": ("I2Nsb3VkLWNvbmZpZwo=", "%"),
    "networkData": ("version: 2\n",),
    "networkName": ("net", "ns/net"),
    "claimName": ("claim", "block", ""),
    "requestName": ("request", ""),
    "deviceName": ("example.org/gpu", "example.org/disk", "example.org/usb", "x"),
    "hostname": ("web", "Web", "w" * 64, "a.b"),
    "subdomain": ("sub", "a.b", "-"),
    "vmNetworkCIDR": ("10.0.2.0/24", "10.0.2.0", "x"),
    "vmIPv6NetworkCIDR": ("fd10:0:2::/120", "x"),
    "topologyKey": ("kubernetes.io/hostname", "zone", "", "a b"),
    "key": ("zone", "a/b", "kubernetes.io/os", "", "a b"),
    "path": ("/var/run/disk.img", "/x", "x", "../x"),
    "port": ("http", "80"),
    "scheme": ("HTTP", "HTTPS"),
    "preferredCPUTopology": ("sockets", "cores", "threads", "spread", "any", "preferSpread", "preferSockets", "x"),
    "across": ("SocketsCores", "CoresThreads", "SocketsCoresThreads", "x"),
    "updateVolumesStrategy": ("Replacement", "Migration", "x"),
    "capacity": ("1Gi", "100Ki"),
    "name": ("a", "b", "root", "default"),
    "defaultNetworkInterface": ("bridge", "masquerade"),
}


def leaf_value(chance: Random, name: str, leaf: Leaf) -> Any:
    """Draw a value for a field without parts."""
    if leaf.choices:
        return chance.choice(leaf.choices) if chance.random() < _USUAL else "x"
    kind = chance.choice(leaf.types)
    if kind is bool:
        return chance.random() < 0.5
    if kind is Quantity:
        return chance.choice(QUANTITIES)
    if kind is int:
        least = leaf.least if leaf.least is not None else -1
        most = leaf.most if leaf.most is not None else 2**63 - 1
        return chance.choice([number for number in (*NUMBERS, -1) if least <= number <= most] or [least])
    if kind is float:
        return chance.choice((0.5, 1, 2))
    texts = _BY_FIELD.get(name, TEXTS)
    usual = [text for text in texts if text != "x"]
    return chance.choice(usual if usual and chance.random() < _USUAL else texts)
