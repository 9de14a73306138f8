"""The fates of parts of a domain that differ in the domain of the VM.

Patterns match the path of an element (`devices/disk/driver/`) or of an attribute (`devices/disk/driver/@cache`), and
its value after `=`; the first match counts. A part without a match is lost: KubeVirt has no field for it.
"""

from __future__ import annotations

from virtcatalog.bring.imports import Verdict, carried, host, lost

CARRIED = carried("")
"""The VM's domain has the same."""
_LIBVIRT = carried("libvirt gives it by itself")
_PLACED = host("where the machine runs is for Kubernetes to say")
_NUMBERED = host("libvirt numbers and places devices itself")
_NODE = host("a name or path of the node")
_REMOTE = host("KubeVirt reaches the console itself: virtctl vnc, virtctl console")
_TUNED = lost("KubeVirt tunes none of this: the pod's requests and limits share out the node")
_LOCKED = host("KubeVirt locks memory itself where real time or devices of the host ask for it")
_THREADS = host("which thread serves a disk is for KubeVirt to say: ioThreadsPolicy")
_STOPPED = host("virt-controller sees to what becomes of a VM that stopped: runStrategy")
_MAKER = host("KubeVirt's configuration names the maker of all its machines")
_BOOTLOADER = carried("spec.template.spec.domain.firmware.bootloader")


PATTERNS: tuple[tuple[str, Verdict], ...] = (
    # the domain as a whole
    (r"@type=.*", host("KubeVirt takes KVM where the node has it")),
    (r"@id=.*", host("the number of a running domain")),
    (r"name/=.*", carried("metadata.name")),
    (r"uuid/=.*", carried("spec.template.spec.domain.firmware.uuid")),
    (r"metadata/.*", host("what a manager notes about the domain; the guest does not see it")),
    (r"title/=.*", lost("a VM has no title; metadata.annotations may hold one")),
    (r"genid/=.*", lost("KubeVirt gives no generation id to guests")),
    (r"seclabel/.*", host("the node's security module labels the pod")),
    (r"(resource|idmap)/.*", _PLACED),
    (r"on_poweroff/=destroy|on_reboot/=restart", _LIBVIRT),
    (r"on_(poweroff|crash|lockfailure)/=.*", _STOPPED),
    (r"on_reboot/=.*", lost("a VM restarts or ends at a reboot: rebootPolicy")),
    (r"pm/(.*@enabled=no|(suspend-to-(mem|disk)/)?=.*)", _LIBVIRT),
    (r"pm/.*", lost("KubeVirt's guests have no states of sleep")),
    # memory and CPUs
    (r"currentMemory/(@unit)?=.*", carried("the guest has its memory from the start: memory.guest")),
    (r"maxMemory/@slots=.*", host("KubeVirt plugs memory in as virtio-mem")),
    (r"vcpu/@(placement|cpuset)=.*", _PLACED),
    (r"vcpu/@current=.*", carried("spec.template.spec.domain.cpu.sockets")),
    (r"vcpus/vcpu/@(order|hotpluggable)=.*", _NUMBERED),
    (r"cputune/=", CARRIED),
    (r"cputune/(vcpupin|emulatorpin|iothreadpin)/.*", _PLACED),
    (r"cputune/vcpusched/.*", lost("real time needs dedicated CPUs, the host's NUMA nodes, and huge pages")),
    (r"(cputune|memtune|blkiotune)/.*", _TUNED),
    (r"numatune/.*", _PLACED),
    (r"iothreads?(ids/.*|/=.*)|defaultiothread/.*", _THREADS),
    (r"memoryBacking/=", CARRIED),
    (r"memoryBacking/hugepages/(page/)?(@nodeset|@unit)?=.*", carried("memory.hugepages.pageSize")),
    (r"memoryBacking/(locked|nosharepages)/=.*", _LOCKED),
    (
        r"memoryBacking/(source|access|allocation|discard)/.*",
        host("KubeVirt backs memory as devices and pages need it"),
    ),
    (r"cpu/@(mode=custom|match=exact|check=.*|migratable=on)", _LIBVIRT),
    (r"cpu/model/@fallback=.*", host("a node without this model does not run the VM at all")),
    (r"cpu/vendor/=.*", host("the model has its vendor")),
    (r"cpu/topology/(@dies|@clusters)=1", _LIBVIRT),
    (
        r"cpu/topology/(@dies|@clusters)=.*",
        lost("KubeVirt counts sockets, cores and threads alone: dies become sockets"),
    ),
    (r"cpu/topology/@sockets=.*", carried("sockets times dies and clusters")),
    (r"cpu/(topology/|model/)?=", CARRIED),
    (r"cpu/feature/.*", lost("KubeVirt has no such policy")),
    (r"cpu/numa/.*", lost("KubeVirt gives guests the host's NUMA nodes (with dedicated CPUs and huge pages) or none")),
    # firmware
    (r"os/(@firmware|firmware/feature/@(name|enabled))=.*", _BOOTLOADER),
    (r"os/firmware/(feature/)?=", _BOOTLOADER),
    (r"os/loader/.*", host("the firmware files are those of KubeVirt's image")),
    (r"os/nvram/.*", host("the firmware's variables begin anew; bootloader.efi.persistent keeps them from then on")),
    (r"os/bootmenu/(@enable=no|=)", _LIBVIRT),
    (r"os/bios/=", CARRIED),
    (r"os/smbios/@mode=sysinfo", _LIBVIRT),
    (r"os/smbios/.*", _MAKER),
    (
        r"os/(kernel|initrd|cmdline|dtb)/.*",
        lost("a kernel outside of the guest has to come in an image: firmware.kernelBoot"),
    ),
    (r"sysinfo/(@type=smbios|(system/)?=)", CARRIED),
    (r"sysinfo/system/entry/.*", _MAKER),
    # features and clock
    (r"features/(hyperv/|kvm/)?=", CARRIED),
    (r"features/(hyperv/@mode=custom|pae/=)", _LIBVIRT),
    (r"features/vmport/.*", host("KubeVirt turns it off")),
    (r"features/gic/.*", host("the newest that the node has")),
    (r"features/pmu/.*", host("KubeVirt turns it off for real time alone")),
    (r"features/ioapic/.*", _NUMBERED),
    (r"clock/@offset=localtime", lost("the clock begins at UTC; clock.timezone has a zone that is named")),
    (r"clock/@(basis=utc|adjustment=(0|reset))", _LIBVIRT),
    (r"clock/(timer/)?=|clock/timer/@(name=(rtc|pit|hpet|kvmclock|hypervclock)|present=yes)", CARRIED),
    # all devices
    (r"devices/=", CARRIED),
    (r"devices/emulator/.*", _NODE),
    (r"devices/[a-z]+/(alias|address)/.*", _NUMBERED),
    (r"devices/[a-z]+/driver/=", CARRIED),
    (r"devices/controller/.*@(ports|vectors|chassis|chassisNr|port|hotplug|busNr)=.*", _NUMBERED),
    (r"devices/controller/(@index=|(model|target|master)/|@model=(pci|dmi)).*|devices/controller/=pci", _NUMBERED),
    # disks
    (r"devices/disk/@(snapshot|model)=.*", _NODE),
    (r"devices/disk/driver/@name=qemu", _LIBVIRT),
    (r"devices/disk/driver/@(iothread|queues)=.*", _THREADS),
    (
        r"devices/disk/driver/@discard=.*",
        host("KubeVirt frees what the guest discards, unless the claim is preallocated"),
    ),
    (r"devices/disk/driver/@cache=.*", lost("KubeVirt has the caches none, writethrough and writeback")),
    (r"devices/disk/target/@dev=.*", _NUMBERED),
    (
        r"devices/disk/(backingStore|mirror|privateData|auth|source)/.*",
        host("what is behind the disk comes with its volume"),
    ),
    (r"devices/disk/iotune/.*", lost("KubeVirt does not throttle disks; a storage class may")),
    (r"devices/disk/(capacity|filesystemOverhead|expandDisksEnabled)/.*", host("the claim's")),
    # interfaces
    (r"devices/interface/(source|target|virtualport|port|backend|script|guest|ip|route)/.*", _NODE),
    (r"devices/interface/@(type|managed|trustGuestRxFilters)=.*", _NODE),
    (r"devices/interface/(mtu|rom|coalesce)/.*", host("KubeVirt takes what the pod's network has")),
    (
        r"devices/interface/driver/@(queues|rx_queue_size|tx_queue_size)=.*",
        host("networkInterfaceMultiqueue gives a queue for each vCPU"),
    ),
    (r"devices/interface/driver/@name=.*", _LIBVIRT),
    (r"devices/interface/link/(@state=up|=)", _LIBVIRT),
    (
        r"devices/interface/(vlan|bandwidth|filterref)/.*",
        lost("the network that it is attached to says so: a NetworkAttachmentDefinition"),
    ),
    # consoles and what comes beside
    (
        r"devices/(serial|console)/(@(type|tty)|source/.*|log/.*|target/@?(type|port)?|target/model/.*|protocol/.*|=).*",
        _REMOTE,
    ),
    (r"devices/channel/(source/.*|target/@state|@type).*", _NODE),
    (r"devices/graphics/.*@type=spice", lost("KubeVirt has VNC, no SPICE")),
    (r"devices/graphics/.*", _REMOTE),
    (r"devices/audio/.*", host("KubeVirt's guests play to nobody")),
    (
        r"devices/video/(@|model/@(vram|ram|vgamem|heads|primary|vram64|blob|edid)|model/resolution|driver).*",
        host("KubeVirt sizes the graphics card's memory"),
    ),
    (r"devices/video/(model/)?=", CARRIED),
    # The mouse and keyboard of every PC; the elements of other buses have verdicts of their own.
    (r"devices/input/(@.*)?=.*", _LIBVIRT),
    (
        r"devices/memballoon/(stats/.*|@autodeflate.*|@freePageReporting.*)",
        host("the cluster's configuration has the balloon's settings"),
    ),
    (r"devices/rng/(backend/|rate/).*", host("entropy comes from the node's /dev/urandom")),
    (
        r"devices/tpm/(@model=.*|backend/@(version=2.0|persistent_state=.*))",
        host("KubeVirt has tpm-crb for a TPM that keeps its state"),
    ),
    (r"devices/tpm/backend/profile/.*", _NODE),
    (r"devices/hostdev/@mode=subsystem", _LIBVIRT),
    (r"devices/hostdev/(@managed|source/address|driver|rom).*", _NODE),
    (r"devices/redirdev/.*", host("virtctl usbredir reaches the ports: clientPassthrough")),
    (r"devices/filesystem/((driver|source|binary)/|@(accessmode|accessMode|dmode|fmode|multidevs)=).*", _NODE),
    (r"devices/vsock/cid/.*", host("virt-controller hands out the addresses of vsock")),
    (r"devices/sound/.*", lost("KubeVirt has the sound cards ich9 and ac97")),
    (r"devices/controller/@model=.*", lost("KubeVirt has virtio-scsi, and a qemu-xhci where a USB device needs it")),
    (
        r"devices/(parallel|smartcard|hub|nvram|shmem|memory|iommu|crypto|pstore|lease)/.*",
        lost("KubeVirt has no such device"),
    ),
    (r"(commandline|capabilities|override|deprecation)/.*", lost("KubeVirt hands no arguments to QEMU")),
)
