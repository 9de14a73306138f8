"""Instance types that KubeVirt refuses, alone or in a VM."""

import pytest

CONFIDENTIAL = "{class: m, memoryPerVcpu: 4Gi, spec: {launchSecurity: {%s: {}}}, sizes: {a: {vcpus: 1}}}"
UEFI = "preferences: {linux.one: {spec: {firmware: {preferredEfi: {secureBoot: false}}}}}"


@pytest.mark.parametrize(
    ("spec", "place", "expected"),
    [
        ("{memory: {hugepages: {pageSize: 3Gi}}}", "spec.memory.hugepages.pageSize", "hugepages"),
        ("{memory: {hugepages: {pageSize: 32Gi}}}", "spec.memory.hugepages.pageSize", "hugepages"),
        ("{memory: {hugepages: {pageSize: big}}}", "spec.memory.hugepages.pageSize", "hugepages"),
        ("{cpu: {isolateEmulatorThread: true}}", "spec.cpu.isolateEmulatorThread", "cpu-placement"),
        (
            "{cpu: {numa: {guestMappingPassthrough: {}}}, memory: {hugepages: {pageSize: 2Mi}}}",
            "spec.cpu.numa",
            "cpu-placement",
        ),
        (
            "{cpu: {numa: {guestMappingPassthrough: {}}, dedicatedCPUPlacement: true}}",
            "spec.cpu.numa",
            "cpu-placement",
        ),
        (
            "{cpu: {numa: {guestMappingPassthrough: {}}, realtime: {}}, memory: {hugepages: {pageSize: 2Mi}}}",
            "spec.cpu.dedicatedCPUPlacement",
            "cpu-placement",
        ),
        (
            "{cpu: {dedicatedCPUPlacement: true}, memory: {overcommitPercent: 1}}",
            "spec.memory.overcommitPercent",
            "overcommit-dedicated-cpus",
        ),
        ("{cpu: {maxSockets: 2}}", "spec.cpu.maxSockets", "instancetype-refused"),
        ("{memory: {maxGuest: 1Gi}}", "spec.memory.guest", "instancetype-refused"),
        ("{memory: {guest: 1Mi, overcommitPercent: 50}}", "spec.memory.guest", "instancetype-refused"),
        ("{memory: {hugepages: {pageSize: 3M}}}", "spec.memory.hugepages.pageSize", "hugepages"),
        ("{memory: {guest: 1Mi, hugepages: {pageSize: 2Mi}}}", "spec.memory.guest", "hugepages"),
        ("{cpu: {realtime: {}}}", "spec.cpu.dedicatedCPUPlacement", "cpu-placement"),
        ("{cpu: {realtime: {}, dedicatedCPUPlacement: true}}", "spec.cpu.numa", "cpu-placement"),
        ("{ioThreadsPolicy: many}", "spec.ioThreadsPolicy", "instancetype-refused"),
        ("{ioThreadsPolicy: supplementalPool}", "spec.ioThreads", "instancetype-refused"),
        ("{hostDevices: [{name: fpga}]}", "spec.hostDevices", "instancetype-refused"),
        ("{gpus: [{name: gpu}]}", "spec.gpus", "instancetype-refused"),
        ("{memory: {overcommitPercent: 101}}", "spec.memory.overcommitPercent", "webhook-refusal"),
        (
            "{memory: {overcommitPercent: 10, hugepages: {pageSize: 2Mi}}}",
            "spec.memory.overcommitPercent",
            "webhook-refusal",
        ),
    ],
)
def test_what_kubevirt_refuses_is_one_error_at_the_field(bench, spec, place, expected):
    findings = [finding for finding in bench.instancetype(spec) if f"{expected}]" in finding]
    assert any(f"VirtualMachineClusterInstancetype/m.large: {place}: " in finding for finding in findings), findings
    assert all(f"[error: {expected}]" in finding for finding in bench.instancetype(spec))


@pytest.mark.parametrize(
    "spec",
    [
        "{memory: {hugepages: {pageSize: 2Mi}}}",
        "{memory: {overcommitPercent: 15}}",
        "{cpu: {dedicatedCPUPlacement: true, isolateEmulatorThread: true}}",
        "{cpu: {maxSockets: 4}, memory: {maxGuest: 64Gi}}",
        "{gpus: [{name: gpu, deviceName: example.org/gpu}]}",
        """{cpu: {dedicatedCPUPlacement: true, realtime: {}, numa: {guestMappingPassthrough: {}}},
            memory: {hugepages: {pageSize: 1Gi}}}""",
    ],
)
def test_what_kubevirt_takes_is_no_finding(bench, spec):
    assert bench.instancetype(spec) == []


def test_a_finding_is_where_the_field_was_set_last(bench):
    findings = bench(
        {
            "instancetypes/m.yaml": """\
                class: m
                spec:
                  memory:
                    hugepages: {pageSize: 1Gi}
                sizes:
                  fits: {vcpus: 1, memory: 6Gi}
                  small:
                    vcpus: 1
                    memory: 4.5Gi
                """
        }
    )
    expected = (
        "instancetypes/m.yaml:9:5: VirtualMachineClusterInstancetype/m.small: spec.memory.guest: "
        "memory.guest 4608Mi is not a whole number of pages of 1Gi [error: hugepages]"
    )
    assert findings == [expected]


def test_what_an_environment_patches_is_checked_as_it_deploys_it(bench):
    findings = bench(
        {
            "overlays.yaml": """\
                lab:
                  scope: namespaced
                  namespace: lab
                  patches:
                    - {select: {names: [m.large]}, spec: {memory: {hugepages: {pageSize: 3Gi}}}}
                """
        }
    )
    expected = (
        "overlays.yaml:1:1: VirtualMachineInstancetype/lab/m.large: spec.memory.hugepages.pageSize: "
        "no processor has huge pages of 3Gi (in lab) [error: hugepages]"
    )
    assert findings == [expected]


def test_deprecated_fields_are_warnings_at_the_field(bench):
    (finding,) = [
        finding for finding in bench.instancetype("{launchSecurity: {sev: {}}}") if "deprecated-field" in finding
    ]
    assert ": spec.launchSecurity: is deprecated in an instance type" in finding


def test_confidential_guests_get_the_uefi_that_they_need_from_a_preference(bench):
    files = {"instancetypes/m.yaml": CONFIDENTIAL % "sev"}
    assert "unusable-instancetype" in "".join(bench(files))
    assert [
        finding for finding in bench(files | {"preferences/linux.yaml": UEFI}) if "deprecated-field" not in finding
    ] == []


def test_confidential_guests_of_two_kinds(bench):
    (finding,) = [
        finding for finding in bench.instancetype("{launchSecurity: {sev: {}, snp: {}}}") if "error" in finding
    ]
    assert finding.endswith(
        "m.large: spec.launchSecurity: is exactly one of sev, snp, tdx, not sev and snp [error: instancetype-refused]"
    )


def test_feature_gates_are_those_of_the_kubevirt_cr(bench):
    files = {
        "instancetypes/m.yaml": CONFIDENTIAL % "tdx",
        "preferences/linux.yaml": UEFI,
    }
    kubevirt = """\
        apiVersion: kubevirt.io/v1
        kind: KubeVirt
        metadata: {name: kubevirt, namespace: kubevirt}
        spec: {configuration: {developerConfiguration: {featureGates: [WorkloadEncryptionTDX]}}}
        """
    assert "instancetype-refused" in "".join(bench(files))
    assert "instancetype-refused" not in "".join(bench(files, manifests=kubevirt))


def test_huge_pages_that_no_processor_has(bench):
    (finding,) = bench.instancetype("{memory: {hugepages: {pageSize: 4Mi}}}")
    assert "spec.memory.hugepages.pageSize: no processor has huge pages of 4Mi" in finding
    assert finding.endswith("[warning: huge-page-size]")
