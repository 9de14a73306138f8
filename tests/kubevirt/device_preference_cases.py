"""What the `devices` of a preference make of a VMI's devices; see `preference_cases`."""

from __future__ import annotations

from preference_cases import Case

FLAGS = {
    "preferredAutoattachGraphicsDevice": "autoattachGraphicsDevice",
    "preferredAutoattachMemBalloon": "autoattachMemBalloon",
    "preferredAutoattachPodInterface": "autoattachPodInterface",
    "preferredAutoattachSerialConsole": "autoattachSerialConsole",
    "preferredAutoattachInputDevice": "autoattachInputDevice",
    "preferredUseVirtioTransitional": "useVirtioTransitional",
    "preferredBlockMultiQueue": "blockMultiQueue",
    "preferredNetworkInterfaceMultiQueue": "networkInterfaceMultiqueue",
}

DEVICES = [
    Case("empty devices", "devices: {}", "{}", "{}"),
    *(
        Case(
            f"{field}{title}",
            f"devices: {{{preferred}: false}}",
            f"domain: {{devices: {before}}}",
            f"domain: {{devices: {{{field}: {after}}}}}",
        )
        for preferred, field in FLAGS.items()
        for title, before, after in (("", "{}", "false"), (" of the VM", f"{{{field}: true}}", "true"))
    ),
    Case(
        "disableHotplug overwrites",
        "devices: {preferredDisableHotplug: false}",
        "domain: {devices: {disableHotplug: true}}",
        "domain: {devices: {}}",
    ),
    Case("no sound", "devices: {preferredSoundModel: ac97}", "{}", "{}"),
    Case(
        "sound",
        "devices: {preferredSoundModel: ac97}",
        "domain: {devices: {sound: {name: s}}}",
        "domain: {devices: {sound: {name: s, model: ac97}}}",
    ),
    Case(
        "sound of the VM",
        "devices: {preferredSoundModel: ac97}",
        "domain: {devices: {sound: {name: s, model: ich9}}}",
        "domain: {devices: {sound: {name: s, model: ich9}}}",
    ),
    Case("rng", "devices: {preferredRng: {}}", "{}", "domain: {devices: {rng: {}}}"),
    Case(
        "tpm",
        "devices: {preferredTPM: {enabled: true, persistent: true}}",
        "{}",
        "domain: {devices: {tpm: {enabled: true, persistent: true}}}",
    ),
    Case(
        "tpm of the VM",
        "devices: {preferredTPM: {persistent: true}}",
        "domain: {devices: {tpm: {}}}",
        "domain: {devices: {tpm: {}}}",
    ),
    Case("video", "devices: {preferredVideoType: vga}", "{}", "domain: {devices: {video: {type: vga}}}"),
    Case(
        "video of the VM",
        "devices: {preferredVideoType: vga}",
        "domain: {devices: {video: {type: virtio}}}",
        "domain: {devices: {video: {type: virtio}}}",
    ),
    Case(
        "inputs, each on its own",
        "devices: {preferredInputBus: usb, preferredInputType: tablet}",
        "domain: {devices: {inputs: [{name: a, type: ''}, {name: b, type: keyboard, bus: virtio}]}}",
        "domain: {devices: {inputs: [{name: a, type: tablet, bus: usb}, {name: b, type: keyboard, bus: virtio}]}}",
    ),
    Case("no inputs", "devices: {preferredInputBus: usb, preferredInputType: tablet}", "{}", "{}"),
    Case(
        "panic device",
        "devices: {preferredPanicDeviceModel: pvpanic}",
        "{}",
        "domain: {devices: {panicDevices: [{model: pvpanic}]}}",
    ),
    Case(
        "panic devices of the VM",
        "devices: {preferredPanicDeviceModel: pvpanic}",
        "domain: {devices: {panicDevices: [{model: isa}, {}]}}",
        "domain: {devices: {panicDevices: [{model: isa}, {model: pvpanic}]}}",
    ),
    Case(
        "virtual GPU options: KubeVirt declares them and does nothing",
        "devices: {preferredVirtualGPUOptions: {display: {enabled: true, ramFB: {enabled: true}}}}",
        "domain: {devices: {gpus: [{name: g, deviceName: a/b}]}}",
        "domain: {devices: {gpus: [{name: g, deviceName: a/b}]}}",
    ),
]

DISKS = [
    *(
        Case(
            f"bus of a {target}{title}",
            f"devices: {{{preferred}: scsi}}",
            f"domain: {{devices: {{disks: [{{name: d, {target}: {before}}}]}}}}",
            f"domain: {{devices: {{disks: [{{name: d, {target}: {after}}}]}}}}",
        )
        for target, preferred in (
            ("disk", "preferredDiskBus"),
            ("lun", "preferredLunBus"),
            ("cdrom", "preferredCdromBus"),
        )
        for title, before, after in (
            ("", "{readonly: true}", "{readonly: true, bus: scsi}"),
            (" of the VM", "{bus: sata}", "{bus: sata}"),
        )
    ),
    Case(
        "a disk without target is a disk",
        "devices: {preferredDiskBus: virtio}",
        "domain: {devices: {disks: [{name: d}]}}",
        "domain: {devices: {disks: [{name: d, disk: {bus: virtio}}]}}",
    ),
    Case(
        "a disk without target is a disk even when nothing is preferred of it",
        "devices: {}",
        "domain: {devices: {disks: [{name: d}]}}",
        "domain: {devices: {disks: [{name: d, disk: {}}]}}",
    ),
    *(
        Case(
            f"{field}, of disks only",
            f"devices: {{{preferred}: {value}}}",
            f"domain: {{devices: {{disks: [{{name: a, disk: {{bus: virtio}}}}, {{name: b, lun: {{bus: virtio}}}}, "
            f"{{name: c, cdrom: {{bus: virtio}}}}, {{name: d, disk: {{bus: virtio}}, {field}: {own}}}]}}}}",
            f"domain: {{devices: {{disks: [{{name: a, disk: {{bus: virtio}}, {field}: {value}}}, "
            f"{{name: b, lun: {{bus: virtio}}}}, {{name: c, cdrom: {{bus: virtio}}}}, "
            f"{{name: d, disk: {{bus: virtio}}, {field}: {own}}}]}}}}",
        )
        for preferred, field, value, own in (
            ("preferredDiskCache", "cache", "none", "writeback"),
            ("preferredDiskIO", "io", "native", "threads"),
            ("preferredDiskDedicatedIoThread", "dedicatedIOThread", "true", "false"),
            (
                "preferredDiskBlockSize",
                "blockSize",
                "{custom: {logical: 4096, physical: 8192, discardGranularity: 4096}, matchVolume: {enabled: true}}",
                "{}",
            ),
        )
    ),
    Case(
        "a thread of its own only on virtio, be it preferred",
        "devices: {preferredDiskBus: virtio, preferredDiskDedicatedIoThread: true}",
        "domain: {devices: {disks: [{name: a, disk: {}}, {name: b, disk: {bus: sata}}]}}",
        "domain: {devices: {disks: [{name: a, disk: {bus: virtio}, dedicatedIOThread: true}, "
        "{name: b, disk: {bus: sata}}]}}",
    ),
]

POD = "networks: [{name: n, pod: {}}]"
MULTUS = "networks: [{name: n, multus: {networkName: x}}]"
BINDINGS = (
    "bridge: {}",
    "masquerade: {}",
    "sriov: {}",
    "slirp: {}",
    "macvtap: {}",
    "passt: {}",
    "passtBinding: {}",
    "binding: {name: b}",
)
INTERFACES = [
    Case(
        "interface models, each on its own",
        "devices: {preferredInterfaceModel: e1000e}",
        "domain: {devices: {interfaces: [{name: a}, {name: b, model: virtio}]}}",
        "domain: {devices: {interfaces: [{name: a, model: e1000e}, {name: b, model: virtio}]}}",
    ),
    Case(
        "masquerade on the pod network",
        "devices: {preferredInterfaceMasquerade: {}}",
        f"{{{POD}, domain: {{devices: {{interfaces: [{{name: n}}, {{name: other}}]}}}}}}",
        f"{{{POD}, domain: {{devices: {{interfaces: [{{name: n, masquerade: {{}}}}, {{name: other}}]}}}}}}",
    ),
    Case(
        "masquerade nowhere else",
        "devices: {preferredInterfaceMasquerade: {}}",
        f"{{{MULTUS}, domain: {{devices: {{interfaces: [{{name: n}}]}}}}}}",
        f"{{{MULTUS}, domain: {{devices: {{interfaces: [{{name: n}}]}}}}}}",
    ),
    *(
        Case(
            f"not masquerade over {binding}",
            "devices: {preferredInterfaceMasquerade: {}}",
            f"{{{POD}, domain: {{devices: {{interfaces: [{{name: n, {binding}}}]}}}}}}",
            f"{{{POD}, domain: {{devices: {{interfaces: [{{name: n, {binding}}}]}}}}}}",
        )
        for binding in BINDINGS
    ),
]

CASES = [*DEVICES, *DISKS, *INTERFACES]
