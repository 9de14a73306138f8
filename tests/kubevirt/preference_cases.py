"""What each field of a preference makes of a VMI: `preference`, `before` and `after` in YAML.

`before` and `after` are the VMI's spec, with the metadata's `annotations` beside it.
"""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    id: str
    preference: str
    before: str
    after: str


HYPERV = ("relaxed", "vapic", "vpindex", "runtime", "synic", "reset", "frequencies", "reenlightenment", "ipi", "evmcs")

DOMAIN = [
    Case("empty preference", "{}", "{}", "{}"),
    Case(
        "cpu features",
        "cpu: {preferredCPUFeatures: [{name: vmx, policy: require}]}",
        "domain: {cpu: {cores: 1}}",
        "domain: {cpu: {cores: 1, features: [{name: vmx, policy: require}]}}",
    ),
    Case("a preference without cpu features", "cpu: {preferredCPUTopology: cores}", "{}", "{}"),
    Case(
        "cpu features that the VM names are left alone",
        "cpu: {preferredCPUFeatures: [{name: vmx, policy: require}, {name: svm}]}",
        "domain: {cpu: {features: [{name: vmx, policy: disable}]}}",
        "domain: {cpu: {features: [{name: vmx, policy: disable}, {name: svm}]}}",
    ),
    Case(
        "the topology is for instance types",
        "{cpu: {preferredCPUTopology: spread, spreadOptions: {across: CoresThreads, ratio: 2}}, "
        "preferSpreadSocketToCoreRatio: 3}",
        "domain: {cpu: {cores: 4}}",
        "domain: {cpu: {cores: 4}}",
    ),
    Case("machine", "machine: {preferredMachineType: pc}", "{}", "domain: {machine: {type: pc}}"),
    Case(
        "machine without type",
        "machine: {preferredMachineType: pc}",
        "domain: {machine: {type: ''}}",
        "domain: {machine: {type: pc}}",
    ),
    Case(
        "machine of the VM",
        "machine: {preferredMachineType: pc}",
        "domain: {machine: {type: q35}}",
        "domain: {machine: {type: q35}}",
    ),
    Case("empty machine", "machine: {}", "{}", "{}"),
    Case("subdomain", "preferredSubdomain: lab", "{}", "subdomain: lab"),
    Case("subdomain of the VM", "preferredSubdomain: lab", "subdomain: home", "subdomain: home"),
    Case(
        "grace period",
        "preferredTerminationGracePeriodSeconds: 0",
        "{}",
        "terminationGracePeriodSeconds: 0",
    ),
    Case(
        "grace period of the VM",
        "preferredTerminationGracePeriodSeconds: 3600",
        "terminationGracePeriodSeconds: 0",
        "terminationGracePeriodSeconds: 0",
    ),
    Case("architecture", "preferredArchitecture: arm64", "{}", "architecture: arm64"),
    Case("empty architecture", "preferredArchitecture: ''", "{}", "{}"),
    Case("architecture of the VM", "preferredArchitecture: arm64", "architecture: amd64", "architecture: amd64"),
    Case("annotations", "annotations: {a: b}", "{}", "annotations: {a: b}"),
    Case(
        "annotations of the VM",
        "annotations: {a: b, c: d}",
        "annotations: {a: other}",
        "annotations: {a: other, c: d}",
    ),
    Case(
        "launch security SEV",
        "preferredLaunchSecurity: {sev: {policy: {encryptedState: true}, attestation: {}, session: s, dhCert: d}}",
        "{}",
        "domain: {launchSecurity: {sev: {policy: {encryptedState: true}, attestation: {}, session: s, dhCert: d}}}",
    ),
    Case(
        "launch security SNP",
        "preferredLaunchSecurity: {snp: {}}",
        "{}",
        "domain: {launchSecurity: {snp: {}}}",
    ),
    Case(
        "launch security TDX",
        "preferredLaunchSecurity: {tdx: {}}",
        "{}",
        "domain: {launchSecurity: {tdx: {}}}",
    ),
    Case(
        "launch security of the VM",
        "preferredLaunchSecurity: {tdx: {}}",
        "domain: {launchSecurity: {}}",
        "domain: {launchSecurity: {}}",
    ),
    Case("requirements", "requirements: {architecture: arm64, cpu: {guest: 2}, memory: {guest: 2Gi}}", "{}", "{}"),
    Case("storage class", "volumes: {preferredStorageClassName: fast}", "{}", "{}"),
]

CLOCK = [
    Case("empty clock", "clock: {}", "{}", "domain: {clock: {}}"),
    Case(
        "timezone",
        "clock: {preferredClockOffset: {timezone: Asia/Tokyo}}",
        "{}",
        "domain: {clock: {timezone: Asia/Tokyo}}",
    ),
    Case(
        "utc",
        "clock: {preferredClockOffset: {utc: {offsetSeconds: 60}}}",
        "domain: {clock: {timer: {hpet: {}}}}",
        "domain: {clock: {utc: {offsetSeconds: 60}, timer: {hpet: {}}}}",
    ),
    Case(
        "offset of the VM",
        "clock: {preferredClockOffset: {timezone: Asia/Tokyo}}",
        "domain: {clock: {utc: {}}}",
        "domain: {clock: {utc: {}}}",
    ),
    Case(
        "timers",
        "clock: {preferredTimer: {hpet: {present: false, tickPolicy: catchup}, kvm: {present: true}, "
        "pit: {present: false, tickPolicy: delay}, rtc: {present: true, tickPolicy: catchup, track: guest}, "
        "hyperv: {present: true}}}",
        "{}",
        "domain: {clock: {timer: {hpet: {present: false, tickPolicy: catchup}, kvm: {present: true}, "
        "pit: {present: false, tickPolicy: delay}, rtc: {present: true, tickPolicy: catchup, track: guest}, "
        "hyperv: {present: true}}}}",
    ),
    Case(
        "timers of the VM",
        "clock: {preferredTimer: {hyperv: {}}}",
        "domain: {clock: {timer: {kvm: {}}}}",
        "domain: {clock: {timer: {kvm: {}}}}",
    ),
]

FEATURES = [
    Case("empty features", "features: {}", "{}", "domain: {features: {}}"),
    Case(
        "acpi overwrites",
        "features: {preferredAcpi: {enabled: false}}",
        "domain: {features: {acpi: {enabled: true}}}",
        "domain: {features: {acpi: {enabled: false}}}",
    ),
    Case(
        "apic",
        "features: {preferredApic: {enabled: true, endOfInterrupt: true}}",
        "{}",
        "domain: {features: {apic: {enabled: true, endOfInterrupt: true}}}",
    ),
    Case(
        "apic of the VM",
        "features: {preferredApic: {endOfInterrupt: true}}",
        "domain: {features: {apic: {}}}",
        "domain: {features: {apic: {}}}",
    ),
    Case("kvm", "features: {preferredKvm: {hidden: true}}", "{}", "domain: {features: {kvm: {hidden: true}}}"),
    Case(
        "kvm of the VM",
        "features: {preferredKvm: {hidden: true}}",
        "domain: {features: {kvm: {}}}",
        "domain: {features: {kvm: {}}}",
    ),
    *(
        Case(
            f"{field}{title}",
            f"features: {{{preferred}: {{enabled: false}}}}",
            f"domain: {{features: {before}}}",
            f"domain: {{features: {{{field}: {after}}}}}",
        )
        for field, preferred in (("pvspinlock", "preferredPvspinlock"), ("smm", "preferredSmm"))
        for title, before, after in (
            ("", "{}", "{enabled: false}"),
            (" of the VM", f"{{{field}: {{}}}}", "{}"),
        )
    ),
    Case("empty hyperv", "features: {preferredHyperv: {}}", "{}", "domain: {features: {hyperv: {}}}"),
    *(
        Case(
            f"hyperv {field}{title}",
            f"features: {{preferredHyperv: {{{field}: {{enabled: false}}}}}}",
            f"domain: {{features: {{hyperv: {before}}}}}",
            f"domain: {{features: {{hyperv: {{{field}: {after}}}}}}}",
        )
        for field in HYPERV
        for title, before, after in (
            ("", "{}", "{enabled: false}"),
            (" of the VM", f"{{{field}: {{}}}}", "{}"),
        )
    ),
    Case(
        "hyperv with options, around what the VM has",
        "features: {preferredHyperv: {spinlocks: {enabled: true, spinlocks: 8191}, vendorid: {enabled: true, "
        "vendorid: own}, synictimer: {enabled: true, direct: {enabled: true}}, "
        "tlbflush: {enabled: true, direct: {enabled: true}, extended: {enabled: true}}}}",
        "domain: {features: {hyperv: {relaxed: {}}}}",
        "domain: {features: {hyperv: {relaxed: {}, spinlocks: {enabled: true, spinlocks: 8191}, vendorid: "
        "{enabled: true, vendorid: own}, synictimer: {enabled: true, direct: {enabled: true}}, "
        "tlbflush: {enabled: true, direct: {enabled: true}, extended: {enabled: true}}}}}",
    ),
    Case(
        "hyperv with options of the VM",
        "features: {preferredHyperv: {spinlocks: {spinlocks: 8191}, vendorid: {vendorid: own}, "
        "synictimer: {direct: {}}, tlbflush: {direct: {}}}}",
        "domain: {features: {hyperv: {spinlocks: {}, vendorid: {}, synictimer: {}, tlbflush: {}}}}",
        "domain: {features: {hyperv: {spinlocks: {}, vendorid: {}, synictimer: {}, tlbflush: {}}}}",
    ),
]

FIRMWARE = [
    Case("empty firmware", "firmware: {}", "{}", "domain: {firmware: {bootloader: {}}}"),
    Case("bios", "firmware: {preferredUseBios: true}", "{}", "domain: {firmware: {bootloader: {bios: {}}}}"),
    Case("no bios", "firmware: {preferredUseBios: false}", "{}", "domain: {firmware: {bootloader: {}}}"),
    Case(
        "bios serial",
        "firmware: {preferredUseBios: true, preferredUseBiosSerial: true}",
        "{}",
        "domain: {firmware: {bootloader: {bios: {useSerial: true}}}}",
    ),
    Case(
        "bios serial on a BIOS of the VM",
        "firmware: {preferredUseBiosSerial: true, preferredEfi: {}}",
        "domain: {firmware: {bootloader: {bios: {}}}}",
        "domain: {firmware: {bootloader: {bios: {useSerial: true}}}}",
    ),
    Case(
        "bios serial of the VM",
        "firmware: {preferredUseBiosSerial: true}",
        "domain: {firmware: {bootloader: {bios: {useSerial: false}}}}",
        "domain: {firmware: {bootloader: {bios: {useSerial: false}}}}",
    ),
    Case(
        "efi",
        "firmware: {preferredEfi: {secureBoot: false, persistent: true}}",
        "domain: {firmware: {serial: s}}",
        "domain: {firmware: {serial: s, bootloader: {efi: {secureBoot: false, persistent: true}}}}",
    ),
    Case(
        "efi replaces its older fields",
        "firmware: {preferredEfi: {}, preferredUseEfi: true, preferredUseSecureBoot: true}",
        "{}",
        "domain: {firmware: {bootloader: {efi: {}}}}",
    ),
    Case(
        "bios before efi",
        "firmware: {preferredUseBios: true, preferredEfi: {}}",
        "{}",
        "domain: {firmware: {bootloader: {bios: {}}}}",
    ),
    Case(
        "efi of the VM, without details",
        "firmware: {preferredEfi: {persistent: true}}",
        "domain: {firmware: {bootloader: {efi: {}}}}",
        "domain: {firmware: {bootloader: {efi: {}}}}",
    ),
    Case(
        "older efi and secure boot",
        "firmware: {preferredUseEfi: true, preferredUseSecureBoot: true}",
        "{}",
        "domain: {firmware: {bootloader: {efi: {secureBoot: true}}}}",
    ),
    Case(
        "older secure boot on an EFI of the VM, in spite of preferredEfi",
        "firmware: {preferredEfi: {}, preferredUseSecureBoot: true}",
        "domain: {firmware: {bootloader: {efi: {}}}}",
        "domain: {firmware: {bootloader: {efi: {secureBoot: true}}}}",
    ),
    Case(
        "older secure boot of the VM",
        "firmware: {preferredUseSecureBoot: true}",
        "domain: {firmware: {bootloader: {efi: {secureBoot: false}}}}",
        "domain: {firmware: {bootloader: {efi: {secureBoot: false}}}}",
    ),
    Case(
        "no efi over a BIOS of the VM",
        "firmware: {preferredUseEfi: true}",
        "domain: {firmware: {bootloader: {bios: {}}}}",
        "domain: {firmware: {bootloader: {bios: {}}}}",
    ),
]

CASES = [*DOMAIN, *CLOCK, *FEATURES, *FIRMWARE]
