"""What an installed guest may not survive of its disks, NICs and host devices: other ones, and where it finds them.

Sources that begin with a folder are pages of KubeVirt's user guide.
"""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.devices import Disk
from virtcatalog.api.interfaces import Interface
from virtcatalog.api.kinds import is_halted
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.volumes import Volume
from virtcatalog.errors import some
from virtcatalog.kubevirt.launcher.elements.iothreads import bus_of
from virtcatalog.kubevirt.launcher.launch.places import pci_places
from virtcatalog.kubevirt.result import Result
from virtcatalog.kubevirt.rollout.volumes import claim_of, is_hotplugged, volumes_by_name
from virtcatalog.review.outcome import lost_claims
from virtcatalog.review.verdict import Risk

_NO_DRIVER = "; Windows has no driver for virtio of its own"
_BY_VIRTIO = ("virtio", "scsi")
_MOST_DISKS = 5
_BLOCK = 512
_BINDINGS = ("bridge", "masquerade", "sriov", "passt_binding")


def device_risks(old: Result, new: Result) -> Iterator[Risk]:
    """Yield what a guest risks whose devices change, those first that may keep it from booting."""
    assert old.vmi_object is not None
    assert new.vmi_object is not None
    before, after = old.vmi_object.spec, new.vmi_object.spec
    yield from _boot_device(before, after)
    yield from _transitional(before, after)
    yield from _contents(old, new)
    yield from _disks(before, after)
    yield from _disk_names(old, new)
    yield from _network(before, after)
    yield from _pci_places(old, new)


def machine_type(spec: VirtualMachineInstanceSpec) -> str:
    """The machine type, "" if there is none."""
    return spec.domain.machine.type if spec.domain.machine is not None else ""


def chipset(spec: VirtualMachineInstanceSpec) -> bool:
    """Whether the machine has the chipset q35, of two that are told apart."""
    return "q35" in machine_type(spec)


def _boot_device(old: VirtualMachineInstanceSpec, new: VirtualMachineInstanceSpec) -> Iterator[Risk]:
    """What it boots from, as KubeVirt's API has it of `bootOrder` (schema.go, Disk), and on which bus."""
    before, after = _first(old), _first(new)
    if before is None or after is None:
        return
    names = [f"{'NIC' if isinstance(device, Interface) else 'disk'} {device.name!r}" for device in (before, after)]
    if names[0] != names[1]:
        yield Risk("boot", f"it boots from {names[1]} instead of {names[0]}")
    elif isinstance(before, Disk) and isinstance(after, Disk) and bus_of(before) != bus_of(after):
        yield Risk(
            "boot", f"boot disk {after.name!r} {_new_bus(before, after, 'a guest needs the driver when it boots')}"
        )


def _transitional(old: VirtualMachineInstanceSpec, new: VirtualMachineInstanceSpec) -> Iterator[Risk]:
    """Transitional devices are for guests whose drivers are older than virtio 1.0, as those of RHEL 6 are.

    Source: KubeVirt's API, `useVirtioTransitional` (schema.go, Devices).
    """
    before, after = (spec.domain.devices.use_virtio_transitional for spec in (old, new))
    if before and not after:
        yield Risk("boot", "its virtio devices are no longer transitional: a guest older than virtio 1.0 finds no disk")


def _contents(old: Result, new: Result) -> Iterator[Risk]:
    """Disks whose contents are others: what a guest has written stays behind.

    Source: storage/disks_and_volumes.md, of volumes whose contents outlive a VMI; systemd.mount(5), of what
    fstab mounts: the boot waits for all of it that is not `nofail`.
    """
    assert old.vmi_object is not None
    assert new.vmi_object is not None
    boots = _first(old.vmi_object.spec)
    before, after = volumes_by_name(old.vmi_object.spec), volumes_by_name(new.vmi_object.spec)
    for disk in old.vmi_object.spec.domain.devices.disks:
        volume, following = before.get(disk.name), after.get(disk.name)
        source = _source(volume) if volume is not None else ""
        if volume is None or not source or disk.cdrom is not None:
            continue
        if following is None:
            if not is_hotplugged(volume) and (boots is None or boots.name != disk.name):
                reason = f"disk {disk.name!r} ({source}) is gone: a guest that mounts it may not come up"
                yield Risk("disks", reason)
        elif _source(following) != source and not _moves(new, following):
            is_boot = boots is not None and boots.name == disk.name
            change = f"{source} → {_source(following) or 'one without a claim'}"
            lost = "is installed" if is_boot else "the guest has"
            reason = f"disk {disk.name!r} is another one, {change}: what {lost} on the old one stays there"
            yield Risk("boot" if is_boot else "disks", reason)
        elif claim_of(volume) in lost_claims(old, new):
            reason = f"{source} of disk {disk.name!r} is gone: where that is pruned, its data is lost"
            yield Risk("boot", f"{reason}, and the VM does not start")


def _source(volume: Volume) -> str:
    """Where the contents of a volume are that outlive its machine, "" if they do not."""
    claim = claim_of(volume) if volume.memory_dump is None else ""
    if claim:
        return f"claim {claim}"
    return f"file {volume.host_disk.path}" if volume.host_disk is not None else ""


def _moves(new: Result, volume: Volume) -> bool:
    """Whether KubeVirt copies the contents to the other claim (updateVolumesStrategy); it does while a VM runs."""
    vm = new.vm_object
    return (
        vm is not None
        and bool(claim_of(volume))
        and vm.spec.update_volumes_strategy == "Migration"
        and not is_halted(new.vm or {})
    )


def _disks(old: VirtualMachineInstanceSpec, new: VirtualMachineInstanceSpec) -> Iterator[Risk]:
    """What a guest finds of its disks: by which driver, in which blocks, by which serial, and whether to write to.

    Source: libvirt's formatdomain (`blockio`, `serial`, `readonly`); the UEFI specification, chapter 5, of partition
    tables, which count logical blocks; storage/disks_and_volumes.md, which finds disks by their serials.
    """
    before, boots = {disk.name: disk for disk in old.domain.devices.disks}, _first(new)
    for disk in new.domain.devices.disks:
        former = before.get(disk.name)
        if former is None:
            continue
        is_boot = boots is not None and boots.name == disk.name
        if not is_boot and bus_of(former) != bus_of(disk):
            yield Risk("disks", f"disk {disk.name!r} {_new_bus(former, disk, 'a guest needs the driver')}")
        blocks = _block_size(former), _block_size(disk)
        if blocks[0] != blocks[1]:
            change = f"{blocks[0]} → {blocks[1]}"
            reason = f"disk {disk.name!r} has blocks of another size, {change}: a partition table goes by the old one"
            yield Risk("boot" if is_boot else "disks", reason)
        if former.serial and former.serial != disk.serial:
            change = f"{former.serial} → {disk.serial or 'none'}"
            reason = f"disk {disk.name!r} has another serial, {change}: what names it by that does not find it"
            yield Risk("disks", reason)
        if _is_read_only(disk) and not _is_read_only(former):
            yield Risk("disks", f"disk {disk.name!r} is read-only: a guest that writes to it fails")


def _disk_names(old: Result, new: Result) -> Iterator[Risk]:
    """Names by bus and number, as KubeVirt gives them in the disks' order.

    Source: pkg/virt-launcher/virtwrap/converter (makeDeviceName).
    """
    before, after = _targets(old), _targets(new)
    moved = [f"{name} {target} → {after[name]}" for name, target in before.items() if after.get(name, target) != target]
    if moved:
        shown = some(moved, _MOST_DISKS)
        yield Risk("disks", f"{shown}: what names a disk by its device finds another one, or none")


def _network(old: VirtualMachineInstanceSpec, new: VirtualMachineInstanceSpec) -> Iterator[Risk]:
    """What a guest finds of its NICs, and the network behind them.

    Source: network/interfaces_and_networks.md (model, macAddress, bindings); KubeVirt's API, `acpiIndex` (schema.go,
    Interface); systemd.net-naming-scheme(7), of names by that.
    """
    before = {interface.name: interface for interface in old.domain.devices.interfaces}
    networks = [{network.name: network.multus for network in spec.networks} for spec in (old, new)]
    for interface in new.domain.devices.interfaces:
        former = before.get(interface.name)
        if former is None:
            continue
        nic = f"NIC {interface.name!r}"
        models = former.model or "virtio", interface.model or "virtio"
        if models[0] != models[1]:
            driver = _NO_DRIVER if models[1] == "virtio" else ""
            yield Risk("network", f"{nic} {models[0]} → {models[1]}: a guest needs the driver{driver}")
        if former.mac_address != interface.mac_address:
            change = f"{former.mac_address or 'generated'} → {interface.mac_address or 'generated'}"
            yield Risk("network", f"{nic} has another MAC, {change}: leases and udev rules go by it")
        if former.acpi_index != interface.acpi_index:
            change = f"{former.acpi_index or 'none'} → {interface.acpi_index or 'none'}"
            yield Risk("network", f"{nic} has another ACPI index, {change}: Linux names it by that")
        multus = [named.get(interface.name) for named in networks]
        bindings = _binding(former), _binding(interface)
        if multus[0] is not None and multus[1] is not None and multus[0].network_name != multus[1].network_name:
            change = f"{multus[0].network_name} → {multus[1].network_name}"
            yield Risk("network", f"{nic} is on another network, {change}: its addresses may not be valid there")
        elif bindings[0] != bindings[1]:
            yield Risk("network", f"{nic} {bindings[0]} → {bindings[1]}: the guest gets another address")


def _pci_places(old: Result, new: Result) -> Iterator[Risk]:
    """What moves on the PCI bus, by an address of its own or since devices before it come or go.

    Linux names NICs by their places (systemd.net-naming-scheme(7)). Windows takes a disk that is not its own offline
    where it has not seen it before (SAN policy OfflineShared), and udev rules and DPDK name devices by their addresses:
    kubevirt/docs/pci-topology.md.
    """
    assert old.vmi_object is not None
    assert new.vmi_object is not None
    if chipset(old.vmi_object.spec) != chipset(new.vmi_object.spec):  # which moves everything
        return
    before, after = _places(old), _places(new)
    moved = {name: (place, after[name]) for name, place in before.items() if after.get(name, place) != place}
    spec = new.vmi_object.spec
    boots = _first(spec)
    nics = {interface.name for interface in spec.domain.devices.interfaces}
    for name in [name for name in moved if name in nics]:
        yield Risk("network", f"NIC {name!r} moves on the PCI bus, {_move(*moved[name])}: Linux names it by its place")
    disks = {disk.name for disk in spec.domain.devices.disks if boots is None or disk.name != boots.name}
    others = [f"{name!r}" for name in moved if name in disks]
    if others:
        noun = "disk" if len(others) == 1 else "disks"
        yield Risk("disks", f"{noun} {some(others, _MOST_DISKS)} on another PCI address: Windows may take data offline")
    own_names = nics | {disk.name for disk in spec.domain.devices.disks}
    host_devices = [f"{_declared_name(alias)!r}" for alias in moved if alias not in own_names]
    if host_devices:
        shown = some(host_devices, _MOST_DISKS)
        yield Risk("devices", f"host device {shown} on another PCI address: udev rules and DPDK name it by that")


def _first(spec: VirtualMachineInstanceSpec) -> Disk | Interface | None:
    """What boots: the disk or NIC of the lowest order, else the first disk."""
    devices = spec.domain.devices
    bootable: tuple[Disk | Interface, ...] = (*devices.disks, *devices.interfaces)
    ordered = [device for device in bootable if device.boot_order]
    return min(ordered, key=lambda device: device.boot_order or 0) if ordered else next(iter(devices.disks), None)


def _new_bus(old: Disk, new: Disk, need: str) -> str:
    """A change of a disk's bus: what a guest needs for the new one, and that Windows has no driver for it.

    Source: KubeVirt's user guide, compute/windows_virtio_drivers.md: viostor for virtio, vioscsi for scsi.
    """
    return f"{bus_of(old)} → {bus_of(new)}: {need}{_NO_DRIVER if bus_of(new) in _BY_VIRTIO else ''}"


def _block_size(disk: Disk) -> str:
    """The size of a block as the guest addresses it."""
    sizes = disk.block_size
    if sizes is not None and sizes.custom is None:
        return "its volume's"
    return f"{sizes.custom.logical if sizes is not None and sizes.custom is not None else _BLOCK} bytes"


def _is_read_only(disk: Disk) -> bool:
    target = disk.disk or disk.lun
    return target is not None and bool(target.readonly)


def _binding(interface: Interface) -> str:
    """How a NIC is bound to its network, as the API calls it."""
    if interface.binding is not None:
        return interface.binding.name
    return next((name.partition("_")[0] for name in _BINDINGS if getattr(interface, name) is not None), "none")


def _targets(machine: Result) -> dict[str, str]:
    """What disks are called in the guest: name to `vda`."""
    disks = machine.domain.iterfind("devices/disk") if machine.domain is not None else ()
    return {
        (alias.get("name") or "").removeprefix("ua-"): target.get("dev") or ""
        for disk in disks
        if (alias := disk.find("alias")) is not None and (target := disk.find("target")) is not None
    }


def _places(machine: Result) -> dict[str, int | str]:
    devices = machine.domain.find("devices") if machine.domain is not None else None
    return pci_places(devices, machine.vmi_object) if devices is not None and machine.vmi_object is not None else {}


def _declared_name(alias: str) -> str:
    """What the VMI calls a host device or GPU, of which the alias says which of both it is, and whether by a claim."""
    return alias.removeprefix("dra-").partition("-")[2]


def _move(before: int | str, after: int | str) -> str:
    old, new = (f"root port {place}" if isinstance(place, int) else place for place in (before, after))
    return f"from {old} to {new}"
