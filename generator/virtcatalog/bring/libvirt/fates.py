"""What becomes of parts of a domain that a VM's own domain does not say in the same words.

Patterns over the path of an element (`devices/disk/driver/`), or of an attribute (`devices/disk/driver/@cache`), and
what it says after `=`; the first that fits counts. What fits none is lost: KubeVirt has no field for it.
"""

from __future__ import annotations

from virtcatalog.bring.libvirt.draft import Said

CARRIED = Said("carried", "")
"""The VM's domain has the same."""
_LIBVIRT = Said("carried", "libvirt gives it by itself")
_PLACED = Said("host", "where the machine runs is for Kubernetes to say")
_NUMBERED = Said("host", "libvirt numbers and places devices itself")
_NODE = Said("host", "a name or path of the node")
_REMOTE = Said("host", "KubeVirt reaches the console itself: virtctl vnc, virtctl console")
_TUNED = Said("lost", "KubeVirt tunes none of this: the pod's requests and limits share out the node")
_LOCKED = Said("host", "KubeVirt locks memory itself where real time or devices of the host ask for it")


def _lost(why: str) -> Said:
    return Said("lost", why)


def _host(why: str) -> Said:
    return Said("host", why)


FATES: tuple[tuple[str, Said], ...] = (
    # the domain as a whole
    (r"@type=.*", _host("KubeVirt takes KVM where the node has it")),
    (r"@id=.*", _host("the number of a running domain")),
    (r"name/=.*", Said("carried", "metadata.name")),
    (r"uuid/=.*", Said("carried", "spec.template.spec.domain.firmware.uuid")),
    (r"metadata/.*", _host("what a manager notes about the domain; the guest does not see it")),
    (r"(title)/=.*", _lost("a VM has no title; metadata.annotations may hold one")),
    (r"genid/=.*", _lost("KubeVirt gives no generation id to guests")),
    (r"seclabel/.*", _host("the node's security module labels the pod")),
    (r"(resource|idmap)/.*", _PLACED),
    (r"(on_poweroff)/=destroy", _LIBVIRT),
    (r"(on_reboot)/=restart", _LIBVIRT),
    (r"(on_crash)/=destroy", _host("virt-controller sees to what becomes of a VM that stopped: runStrategy")),
    (
        r"on_(poweroff|crash|lockfailure)/=.*",
        _host("virt-controller sees to what becomes of a VM that stopped: runStrategy"),
    ),
    (r"on_reboot/=.*", _lost("a VM restarts or ends at a reboot: rebootPolicy")),
    (r"pm/.*@enabled=no", _LIBVIRT),
    (r"pm/=.*", _LIBVIRT),
    (r"pm/suspend-to-(mem|disk)/=.*", _LIBVIRT),
    (r"pm/.*", _lost("KubeVirt's guests have no states of sleep")),
    # memory and CPUs
    (r"currentMemory/(@unit)?=.*", Said("carried", "the guest has its memory from the start: memory.guest")),
    (r"maxMemory/@slots=.*", _host("KubeVirt plugs memory in as virtio-mem")),
    (r"vcpu/@placement=.*", _PLACED),
    (r"vcpu/@cpuset=.*", _PLACED),
    (r"vcpu/@current=.*", Said("carried", "spec.template.spec.domain.cpu.sockets")),
    (r"vcpus/vcpu/@order=.*", _NUMBERED),
    (r"vcpus/vcpu/@hotpluggable=.*", _NUMBERED),
    (r"cputune/=", CARRIED),
    (r"cputune/(vcpupin|emulatorpin|iothreadpin)/.*", _PLACED),
    (r"cputune/vcpusched/.*", _lost("real time needs dedicated CPUs, the host's NUMA nodes, and huge pages")),
    (r"cputune/.*", _TUNED),
    (r"(memtune|blkiotune)/.*", _TUNED),
    (r"numatune/.*", _PLACED),
    (r"iothreads?(ids/.*|/=.*)", _host("which thread serves a disk is for KubeVirt to say: ioThreadsPolicy")),
    (r"defaultiothread/.*", _host("which thread serves a disk is for KubeVirt to say: ioThreadsPolicy")),
    (r"memoryBacking/=", CARRIED),
    (r"memoryBacking/hugepages/(page/)?(@nodeset|@unit)?=.*", Said("carried", "memory.hugepages.pageSize")),
    (r"memoryBacking/(locked|nosharepages)/=.*", _LOCKED),
    (
        r"memoryBacking/(source|access|allocation|discard)/.*",
        _host("KubeVirt backs memory as devices and pages need it"),
    ),
    (r"cpu/@mode=custom", _LIBVIRT),
    (r"cpu/@(match=exact|check=.*)", _LIBVIRT),
    (r"cpu/@migratable=on", _LIBVIRT),
    (r"cpu/model/@fallback=.*", _host("a node without this model does not run the VM at all")),
    (r"cpu/vendor/=.*", _host("the model has its vendor")),
    (r"cpu/topology/(@dies|@clusters)=1", _LIBVIRT),
    (
        r"cpu/topology/(@dies|@clusters)=.*",
        _lost("KubeVirt counts sockets, cores and threads alone: dies become sockets"),
    ),
    (r"cpu/topology/@sockets=.*", Said("carried", "sockets times dies and clusters")),
    (r"cpu/topology/=", CARRIED),
    (r"cpu/(model/)?=", CARRIED),
    (r"cpu/feature/.*", _lost("KubeVirt has no such policy")),
    (r"cpu/numa/.*", _lost("KubeVirt gives guests the host's NUMA nodes (with dedicated CPUs and huge pages) or none")),
    # firmware
    (r"os/@firmware=.*", Said("carried", "spec.template.spec.domain.firmware.bootloader")),
    (r"os/firmware/feature/@name=.*", Said("carried", "spec.template.spec.domain.firmware.bootloader")),
    (r"os/firmware/feature/@enabled=.*", Said("carried", "spec.template.spec.domain.firmware.bootloader")),
    (r"os/firmware/(feature/)?=", Said("carried", "spec.template.spec.domain.firmware.bootloader")),
    (r"os/loader/.*", _host("the firmware files are those of KubeVirt's image")),
    (r"os/nvram/.*", _host("the firmware's variables begin anew; bootloader.efi.persistent keeps them from then on")),
    (r"os/bootmenu/@enable=no", _LIBVIRT),
    (r"os/bootmenu/=", _LIBVIRT),
    (r"os/bios/=", CARRIED),
    (r"os/smbios/@mode=sysinfo", _LIBVIRT),
    (r"os/smbios/.*", _host("KubeVirt's configuration names the maker of all its machines")),
    (
        r"os/(kernel|initrd|cmdline|dtb)/.*",
        _lost("a kernel outside of the guest has to come in an image: firmware.kernelBoot"),
    ),
    (r"sysinfo/(@type=smbios|=)", CARRIED),
    (r"sysinfo/system/=", CARRIED),
    (r"sysinfo/system/entry/.*", _host("KubeVirt's configuration names the maker of all its machines")),
    # features and clock
    (r"features/(hyperv/|kvm/)?=", CARRIED),
    (r"features/hyperv/@mode=custom", _LIBVIRT),
    (r"features/pae/=", _LIBVIRT),
    (r"features/vmport/.*", _host("KubeVirt turns it off")),
    (r"features/gic/.*", _host("the newest that the node has")),
    (r"features/pmu/.*", _host("KubeVirt turns it off for real time alone")),
    (r"features/ioapic/.*", _NUMBERED),
    (r"clock/@offset=localtime", _lost("the clock begins at UTC; clock.timezone has a zone that is named")),
    (r"clock/@adjustment=0", _LIBVIRT),
    (r"clock/(@basis=utc|@adjustment=reset)", _LIBVIRT),
    (r"clock/timer/(=|@(name=(rtc|pit|hpet|kvmclock|hypervclock)|present=yes))", CARRIED),
    (r"clock/=", CARRIED),
    # all devices
    (r"devices/=", CARRIED),
    (r"devices/emulator/.*", _NODE),
    (r"devices/[a-z]+/alias/.*", _NUMBERED),
    (r"devices/[a-z]+/address/.*", _NUMBERED),
    (r"devices/[a-z]+/driver/=", CARRIED),
    (r"devices/controller/.*@(ports|vectors|chassis|chassisNr|port|hotplug|busNr)=.*", _NUMBERED),
    (r"devices/controller/@index=.*", _NUMBERED),
    (r"devices/controller/(model|target|master)/.*", _NUMBERED),
    (r"devices/controller/@model=(pci.*|dmi.*)", _NUMBERED),
    (r"devices/controller/=pci", _NUMBERED),
    # disks
    (r"devices/disk/@(snapshot|model)=.*", _NODE),
    (r"devices/disk/driver/@name=qemu", _LIBVIRT),
    (
        r"devices/disk/driver/@(iothread|queues)=.*",
        _host("which thread serves a disk is for KubeVirt to say: ioThreadsPolicy"),
    ),
    (
        r"devices/disk/driver/@discard=.*",
        _host("KubeVirt frees what the guest discards, unless the claim is preallocated"),
    ),
    (r"devices/disk/driver/@cache=.*", _lost("KubeVirt has the caches none, writethrough and writeback")),
    (r"devices/disk/target/@dev=.*", _NUMBERED),
    (
        r"devices/disk/(backingStore|mirror|privateData|auth|source)/.*",
        _host("what is behind the disk comes with its volume"),
    ),
    (r"devices/disk/iotune/.*", _lost("KubeVirt does not throttle disks; a storage class may")),
    (r"devices/disk/(capacity|filesystemOverhead|expandDisksEnabled)/.*", _host("the claim's")),
    # interfaces
    (r"devices/interface/(source|target|virtualport|port|backend|script|guest|ip|route)/.*", _NODE),
    (r"devices/interface/@(type|managed|trustGuestRxFilters)=.*", _NODE),
    (r"devices/interface/(mtu|rom|coalesce)/.*", _host("KubeVirt takes what the pod's network has")),
    (
        r"devices/interface/driver/@(queues|rx_queue_size|tx_queue_size)=.*",
        _host("networkInterfaceMultiqueue gives a queue for each vCPU"),
    ),
    (r"devices/interface/driver/@name=.*", _LIBVIRT),
    (r"devices/interface/link/@state=up", _LIBVIRT),
    (r"devices/interface/link/=", CARRIED),
    (
        r"devices/interface/(vlan|bandwidth|filterref)/.*",
        _lost("the network that it is attached to says so: a NetworkAttachmentDefinition"),
    ),
    # consoles and what comes beside
    (
        r"devices/(serial|console)/(@(type|tty)|source/.*|log/.*|target/@?(type|port)?|target/model/.*|protocol/.*|=).*",
        _REMOTE,
    ),
    (r"devices/channel/(source/.*|target/@state|@type).*", _NODE),
    (r"devices/graphics/.*@type=spice", _lost("KubeVirt has VNC, no SPICE")),
    (r"devices/graphics/.*", _REMOTE),
    (r"devices/audio/.*", _host("KubeVirt's guests play to nobody")),
    (
        r"devices/video/(@|model/@(vram|ram|vgamem|heads|primary|vram64|blob|edid)|model/resolution|driver).*",
        _host("KubeVirt sizes the graphics card's memory"),
    ),
    (r"devices/video/(model/)?=", CARRIED),
    # What is on another bus is said by the element: this is the mouse and keyboard of every PC.
    (r"devices/input/(@.*)?=.*", _LIBVIRT),
    (
        r"devices/memballoon/(stats/.*|@autodeflate.*|@freePageReporting.*)",
        _host("the cluster's configuration has the balloon's settings"),
    ),
    (r"devices/rng/(backend/|rate/).*", _host("entropy comes from the node's /dev/urandom")),
    (
        r"devices/tpm/(@model=.*|backend/@(version=2.0|persistent_state=.*))",
        _host("KubeVirt has tpm-crb for a TPM that keeps its state"),
    ),
    (r"devices/tpm/backend/profile/.*", _NODE),
    (r"devices/watchdog/.*itco.*", _LIBVIRT),
    (r"devices/hostdev/(@managed|source/address|driver|rom).*", _NODE),
    (r"devices/redirdev/.*", _host("virtctl usbredir reaches the ports: clientPassthrough")),
    (r"devices/filesystem/(driver|source|binary)/.*", _NODE),
    (r"devices/filesystem/@(accessmode|accessMode|dmode|fmode|multidevs)=.*", _NODE),
    (r"devices/vsock/cid/.*", _host("virt-controller hands out the addresses of vsock")),
    (r"devices/sound/.*", _lost("KubeVirt has the sound cards ich9 and ac97")),
    (r"devices/controller/@model=.*", _lost("KubeVirt has virtio-scsi, and a qemu-xhci where a USB device needs it")),
    (
        r"devices/(parallel|smartcard|hub|nvram|shmem|memory|iommu|crypto|pstore|lease)/.*",
        _lost("KubeVirt has no such device"),
    ),
    (r"(commandline|capabilities|override|deprecation)/.*", _lost("KubeVirt hands no arguments to QEMU")),
)
