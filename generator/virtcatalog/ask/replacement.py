"""The instance type and preference that would replace a preset."""

from __future__ import annotations

from typing import Any

import msgspec

from virtcatalog.api.decode import to_manifest
from virtcatalog.api.domainspec import CPU, Clock, Features, Firmware
from virtcatalog.api.kubevirt import VirtualMachineInstancePreset
from virtcatalog.api.object import Object
from virtcatalog.api.quantity import Quantity

Fragment = dict[str, Any]

# pkg/virt-api/webhooks/mutating-webhook/mutators/preset.go: the fields of a preset that KubeVirt applies.
_APPLIED = frozenset({"resources", "cpu", "firmware", "clock", "features", "devices", "ioThreadsPolicy"})


class Replacement(msgspec.Struct, frozen=True):
    """Fragments of the specs of an instance type and of a preference; `vm` are the fields that neither can have.

    `needed` are required fields of an instance type that the preset lacks; `idle` are fields of the preset that
    KubeVirt never applied.
    """

    instancetype: Fragment
    preference: Fragment
    vm: tuple[str, ...]
    needed: tuple[str, ...]
    idle: tuple[str, ...]


def replacement(preset: VirtualMachineInstancePreset) -> Replacement:
    """Sort the domain of a preset into what an instance type gives, what a preference gives, and the rest."""
    domain, sorting = preset.spec.domain, _Sorting()
    if domain is None:
        return Replacement({}, {}, (), (), ())
    sorting.resources(domain.resources.requests, topology=domain.cpu is not None and domain.cpu.vcpus > 0)
    if domain.cpu is not None:
        sorting.cpu(domain.cpu)
    if domain.io_threads_policy is not None:
        sorting.instancetype["ioThreadsPolicy"] = domain.io_threads_policy
    if domain.firmware is not None:
        sorting.firmware(domain.firmware)
    if domain.features is not None:
        sorting.features(domain.features)
    if domain.clock is not None:
        sorting.clock(domain.clock)
    if domain.devices.watchdog is not None:
        sorting.vm.append("devices.watchdog")
    needed = [f"{part}.guest" for part in ("cpu", "memory") if "guest" not in sorting.instancetype.get(part, {})]
    written = to_manifest(domain)
    idle = [field for field in written if field not in _APPLIED]
    idle += [f"devices.{field}" for field in written["devices"] if field != "watchdog"]
    idle += [f"resources.{field}" for field in written.get("resources", {}) if field != "requests"]
    return Replacement(
        instancetype=sorting.instancetype,
        preference=sorting.preference,
        vm=tuple(sorting.vm),
        needed=tuple(needed) if sorting.instancetype else (),
        idle=tuple(idle),
    )


class _Sorting:
    def __init__(self) -> None:
        self.instancetype: Fragment = {}
        self.preference: Fragment = {}
        self.vm: list[str] = []

    def resources(self, requests: dict[str, Quantity], *, topology: bool) -> None:
        for name, amount in requests.items():
            if name == "memory":
                self.instancetype["memory"] = {"guest": str(amount)}
            elif name == "cpu" and not topology and amount.milli_value % 1000 == 0:
                self.instancetype["cpu"] = {"guest": amount.value}
            else:
                self.vm.append(f"resources.requests[{name}]")

    def cpu(self, cpu: CPU) -> None:
        plain = to_manifest(cpu)
        fields: Fragment = self.instancetype.get("cpu", {})
        if cpu.vcpus:
            fields = {"guest": cpu.vcpus}
            self._topology({name: plain.get(name, 1) for name in ("sockets", "cores", "threads")})
        names = {"dedicatedCpuPlacement": "dedicatedCPUPlacement"}
        for name in ("model", "dedicatedCpuPlacement", "numa", "isolateEmulatorThread", "realtime", "maxSockets"):
            if name in plain:
                fields[names.get(name, name)] = plain[name]
        if fields:
            self.instancetype["cpu"] = fields
        if cpu.features:
            self.preference.setdefault("cpu", {})["preferredCPUFeatures"] = plain["features"]

    def _topology(self, counts: dict[str, int]) -> None:
        """A preference lays vCPUs out along one of the three, sockets by default."""
        several = [name for name, count in counts.items() if count > 1]
        if len(several) > 1:
            self.vm.append("cpu." + ", cpu.".join(several))
        elif several and several != ["sockets"]:
            self.preference.setdefault("cpu", {})["preferredCPUTopology"] = several[0]

    def firmware(self, firmware: Firmware) -> None:
        fields: Fragment = {}
        loader = firmware.bootloader
        if loader is not None and loader.efi is not None:
            fields["preferredEfi"] = to_manifest(loader.efi)
        elif loader is not None and loader.bios is not None:
            fields["preferredUseBios"] = True
            if loader.bios.use_serial is not None:
                fields["preferredUseBiosSerial"] = loader.bios.use_serial
        if fields:
            self.preference["firmware"] = fields
        self._rest("firmware", firmware, "bootloader")

    def features(self, features: Features) -> None:
        plain = to_manifest(features)
        if not plain["acpi"]:  # always there, and on without a preference
            del plain["acpi"]
        fields = {_preferred(name): plain[name] for name in _FEATURES if name in plain}
        if fields:
            self.preference["features"] = fields
        self._rest("features", features, *_FEATURES)

    def clock(self, clock: Clock) -> None:
        plain = to_manifest(clock)
        fields: Fragment = {}
        offset = {name: plain[name] for name in ("utc", "timezone") if name in plain}
        if offset:
            fields["preferredClockOffset"] = offset
        if "timer" in plain:
            fields["preferredTimer"] = plain["timer"]
        if fields:
            self.preference["clock"] = fields

    def _rest(self, name: str, obj: Object, *sorted_fields: str) -> None:
        self.vm += [f"{name}.{field}" for field in to_manifest(obj) if field not in sorted_fields]


_FEATURES = ("acpi", "apic", "hyperv", "kvm", "pvspinlock", "smm")


def _preferred(name: str) -> str:
    return f"preferred{name[0].upper()}{name[1:]}"
