"""What each field of an instance type makes of a VMI, and what of the VM it conflicts with, in YAML.

Instance types have 2 vCPUs and 2Gi where the case does not say; `before` and `after` are the VMI's spec, with the
metadata's `annotations` beside it. `after` is without the guest's CPU topology and memory.
"""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    id: str
    instancetype: str
    before: str
    after: str


class Conflict(NamedTuple):
    id: str
    instancetype: str
    vmi: str
    fields: list[str]


CASES = [
    Case("nothing more", "{}", "{}", "{}"),
    Case("model", "cpu: {model: host-model}", "{}", "domain: {cpu: {model: host-model}}"),
    Case(
        "a model of the VM, silence of the type",
        "{}",
        "domain: {cpu: {model: Penryn}}",
        "domain: {cpu: {model: Penryn}}",
    ),
    Case(
        "dedicated CPUs",
        "cpu: {dedicatedCPUPlacement: true, isolateEmulatorThread: true, "
        "numa: {guestMappingPassthrough: {}}, realtime: {mask: 0-1}}",
        "{}",
        "domain: {cpu: {dedicatedCpuPlacement: true, isolateEmulatorThread: true, "
        "numa: {guestMappingPassthrough: {}}, realtime: {mask: 0-1}}}",
    ),
    Case(
        "maxSockets overwrites",
        "cpu: {maxSockets: 8}",
        "domain: {cpu: {maxSockets: 4}}",
        "domain: {cpu: {maxSockets: 8}}",
    ),
    Case(
        "what the VM has of CPU and memory and the type leaves open",
        "{}",
        "domain: {cpu: {model: Penryn, dedicatedCpuPlacement: true, isolateEmulatorThread: true, numa: {}, "
        "realtime: {}, maxSockets: 4}, memory: {hugepages: {pageSize: 2Mi}, maxGuest: 8Gi}, "
        "resources: {requests: {x: 1}, limits: {y: 1}}}",
        "domain: {cpu: {model: Penryn, dedicatedCpuPlacement: true, isolateEmulatorThread: true, numa: {}, "
        "realtime: {}, maxSockets: 4}, memory: {hugepages: {pageSize: 2Mi}, maxGuest: 8Gi}, "
        "resources: {requests: {x: 1}, limits: {y: 1}}}",
    ),
    Case(
        "what the VM has besides and the type leaves open",
        "annotations: {}",
        "{domain: {devices: {gpus: [{name: g}], hostDevices: [{name: h}]}, ioThreadsPolicy: auto, launchSecurity: {}, "
        "ioThreads: {supplementalPoolThreadCount: 1}}, nodeSelector: {a: b}, schedulerName: s, annotations: {k: v}}",
        "{domain: {devices: {gpus: [{name: g}], hostDevices: [{name: h}]}, ioThreadsPolicy: auto, launchSecurity: {}, "
        "ioThreads: {supplementalPoolThreadCount: 1}}, nodeSelector: {a: b}, schedulerName: s, annotations: {k: v}}",
    ),
    Case("a flag that the VM leaves off", "cpu: {dedicatedCPUPlacement: false}", "{}", "{}"),
    Case(
        "huge pages",
        "memory: {hugepages: {pageSize: 2Mi}}",
        "{}",
        "domain: {memory: {hugepages: {pageSize: 2Mi}}}",
    ),
    Case("maximum", "memory: {maxGuest: 8Gi}", "{}", "domain: {memory: {maxGuest: 8Gi}}"),
    Case(
        "overcommit",
        "memory: {overcommitPercent: 50}",
        "{}",
        "domain: {resources: {requests: {memory: 1Gi}}}",
    ),
    Case(
        "the least overcommit",
        "memory: {overcommitPercent: 1}",
        "{}",
        "domain: {resources: {requests: {memory: '2126008832'}}}",
    ),
    Case(
        "gpus",
        "gpus: [{name: g, deviceName: a/b, claimName: c, requestName: r, tag: t, "
        "virtualGPUOptions: {display: {enabled: true, ramFB: {enabled: false}}}}]",
        "{}",
        "domain: {devices: {gpus: [{name: g, deviceName: a/b, claimName: c, requestName: r, tag: t, "
        "virtualGPUOptions: {display: {enabled: true, ramFB: {enabled: false}}}}]}}",
    ),
    Case(
        "host devices",
        "hostDevices: [{name: h, deviceName: a/b, claimName: c, requestName: r, tag: t}]",
        "{}",
        "domain: {devices: {hostDevices: [{name: h, deviceName: a/b, claimName: c, requestName: r, tag: t}]}}",
    ),
    Case("io threads policy", "ioThreadsPolicy: auto", "{}", "domain: {ioThreadsPolicy: auto}"),
    Case(
        "io threads",
        "ioThreads: {supplementalPoolThreadCount: 4}",
        "domain: {ioThreads: {}}",
        "domain: {ioThreads: {supplementalPoolThreadCount: 4}}",
    ),
    Case("io threads without number", "ioThreads: {}", "{}", "{}"),
    Case(
        "launch security SEV",
        "launchSecurity: {sev: {policy: {encryptedState: true}, attestation: {}, session: s, dhCert: d}}",
        "{}",
        "domain: {launchSecurity: {sev: {policy: {encryptedState: true}, attestation: {}, session: s, dhCert: d}}}",
    ),
    Case("launch security SNP", "launchSecurity: {snp: {}}", "{}", "domain: {launchSecurity: {snp: {}}}"),
    Case("launch security TDX", "launchSecurity: {tdx: {}}", "{}", "domain: {launchSecurity: {tdx: {}}}"),
    Case("node selector", "nodeSelector: {zone: a}", "{}", "nodeSelector: {zone: a}"),
    Case("empty node selector", "nodeSelector: {}", "{}", "{}"),
    Case("scheduler", "schedulerName: custom", "{}", "schedulerName: custom"),
    Case(
        "annotations",
        "annotations: {a: b, c: d}",
        "annotations: {c: d, e: f}",
        "annotations: {a: b, c: d, e: f}",
    ),
]

CPU = "domain: {cpu: {%s}}"
CONFLICTS = [
    Conflict("sockets", "{}", CPU % "sockets: 1", ["domain.cpu.sockets"]),
    Conflict("cores", "{}", CPU % "cores: 1", ["domain.cpu.cores"]),
    Conflict("threads", "{}", CPU % "threads: 1", ["domain.cpu.threads"]),
    Conflict("model", "cpu: {model: ''}", CPU % "model: Penryn", ["domain.cpu.model"]),
    Conflict(
        "dedicated placement, wanted by neither of them alone",
        "cpu: {dedicatedCPUPlacement: false}",
        CPU % "dedicatedCpuPlacement: true",
        ["domain.cpu.dedicatedCPUPlacement"],
    ),
    Conflict(
        "emulator thread",
        "cpu: {isolateEmulatorThread: true}",
        CPU % "isolateEmulatorThread: true",
        ["domain.cpu.isolateEmulatorThread"],
    ),
    Conflict("numa", "cpu: {numa: {}}", CPU % "numa: {}", ["domain.cpu.numa"]),
    Conflict("realtime", "cpu: {realtime: {}}", CPU % "realtime: {}", ["domain.cpu.realtime"]),
    Conflict(
        "requests and limits of CPU",
        "{}",
        "domain: {resources: {requests: {cpu: 1}, limits: {cpu: 0}}}",
        ["domain.resources.requests.cpu", "domain.resources.limits.cpu"],
    ),
    Conflict("guest memory", "{}", "domain: {memory: {guest: 1Gi}}", ["domain.memory.guest"]),
    Conflict(
        "huge pages",
        "memory: {hugepages: {}}",
        "domain: {memory: {hugepages: {}}}",
        ["domain.memory.hugepages"],
    ),
    Conflict("maximum", "memory: {maxGuest: 2Gi}", "domain: {memory: {maxGuest: 4Gi}}", ["domain.memory.maxGuest"]),
    Conflict(
        "memory request",
        "{}",
        "domain: {resources: {requests: {memory: 1Gi}}}",
        ["domain.resources.requests.memory"],
    ),
    Conflict(
        "memory limit",
        "{}",
        "domain: {resources: {limits: {memory: 1Gi}}}",
        ["domain.resources.limits.memory"],
    ),
    Conflict(
        "of memory only the first is named",
        "memory: {maxGuest: 2Gi, hugepages: {}}",
        "domain: {memory: {guest: 1Gi, maxGuest: 1Gi, hugepages: {}}, resources: {limits: {memory: 1Gi}}}",
        ["domain.memory.guest"],
    ),
    Conflict("gpus", "gpus: [{name: g}]", "domain: {devices: {gpus: [{name: o}]}}", ["domain.devices.gpus"]),
    Conflict(
        "host devices",
        "hostDevices: [{name: h}]",
        "domain: {devices: {hostDevices: [{name: o}]}}",
        ["domain.devices.hostDevices"],
    ),
    Conflict("policy", "ioThreadsPolicy: auto", "domain: {ioThreadsPolicy: auto}", ["domain.ioThreadsPolicy"]),
    Conflict(
        "io threads",
        "ioThreads: {supplementalPoolThreadCount: 4}",
        "domain: {ioThreads: {supplementalPoolThreadCount: 0}}",
        ["domain.ioThreads.supplementalPoolThreadCount"],
    ),
    Conflict("launch security", "launchSecurity: {}", "domain: {launchSecurity: {}}", ["domain.launchSecurity"]),
    Conflict("node selector", "nodeSelector: {a: b}", "nodeSelector: {a: b}", ["nodeSelector"]),
    Conflict("empty node selector", "nodeSelector: {}", "nodeSelector: {a: b}", ["nodeSelector"]),
    Conflict("scheduler", "schedulerName: a", "schedulerName: a", ["schedulerName"]),
    Conflict(
        "all of CPU, in order, and the first of memory",
        "{cpu: {model: m, dedicatedCPUPlacement: false, isolateEmulatorThread: false, numa: {}, realtime: {}}, "
        "memory: {hugepages: {}, maxGuest: 2Gi}}",
        "domain: {cpu: {sockets: 1, cores: 1, threads: 1, model: n, dedicatedCpuPlacement: true, "
        "isolateEmulatorThread: true, numa: {}, realtime: {}}, memory: {hugepages: {}, maxGuest: 1Gi}, "
        "resources: {requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 1, memory: 1Gi}}}",
        [
            "domain.resources.requests.cpu",
            "domain.resources.limits.cpu",
            "domain.cpu.sockets",
            "domain.cpu.cores",
            "domain.cpu.threads",
            "domain.cpu.model",
            "domain.cpu.dedicatedCPUPlacement",
            "domain.cpu.isolateEmulatorThread",
            "domain.cpu.numa",
            "domain.cpu.realtime",
            "domain.memory.hugepages",
        ],
    ),
    Conflict(
        "maximum before requests and limits",
        "memory: {maxGuest: 2Gi}",
        "domain: {memory: {maxGuest: 1Gi}, resources: {requests: {memory: 1Gi}, limits: {memory: 1Gi}}}",
        ["domain.memory.maxGuest"],
    ),
    Conflict(
        "requests before limits",
        "{}",
        "domain: {resources: {requests: {memory: 1Gi}, limits: {memory: 1Gi}}}",
        ["domain.resources.requests.memory"],
    ),
    Conflict(
        "all of them, in order, annotations without the path",
        "{schedulerName: a, nodeSelector: {}, gpus: [{name: g}], hostDevices: [{name: h}], ioThreadsPolicy: auto, "
        "ioThreads: {supplementalPoolThreadCount: 1}, launchSecurity: {}, annotations: {k: v, l: w, m: own}}",
        "{schedulerName: b, nodeSelector: {a: b}, domain: {cpu: {cores: 1}, memory: {guest: 1Gi}, "
        "devices: {gpus: [{name: o}], hostDevices: [{name: o}]}, ioThreadsPolicy: auto, launchSecurity: {}, "
        "ioThreads: {supplementalPoolThreadCount: 1}}, annotations: {k: other, l: other, m: own}}",
        [
            "nodeSelector",
            "schedulerName",
            "domain.cpu.cores",
            "domain.memory.guest",
            "domain.ioThreads.supplementalPoolThreadCount",
            "domain.ioThreadsPolicy",
            "domain.launchSecurity",
            "domain.devices.gpus",
            "domain.devices.hostDevices",
            "annotations.k",
            "annotations.l",
        ],
    ),
]
