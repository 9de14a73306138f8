"""VM templates: admitted where they are deployed?"""

import pytest

SPEC = """\
    runStrategy: Always
    instancetype: {name: %s}
    template:
      spec:
        domain: {devices: {disks: [{name: root, disk: {bus: %s}}]}}
        volumes: [{name: root, containerDisk: {image: example.org/guest}}]
    """


def test_an_admitted_vm(bench):
    assert bench.vm(SPEC % ("m.small", "virtio")) == []


def test_a_refused_vm_at_the_field_of_each_cause(bench):
    (finding,) = bench.vm(SPEC % ("m.small", "floppy"))
    assert finding.startswith(
        "vms/one.yaml:9:54: VirtualMachine/one: spec.template.spec.domain.devices.disks[0].disk.bus"
    )
    assert finding.endswith("[error: vm-refused]")


def test_a_refused_vm_of_a_template(bench):
    files = {"vms.yaml": "one.yaml.j2: {parameters: {bus: floppy}}"}
    (finding,) = bench.vm(SPEC % ("m.small", "{{ bus }}"), files, "vms/one.yaml.j2")
    assert finding.startswith("vms/one.yaml.j2:9:")
    assert "'floppy' is none of virtio" in finding


def test_a_name_that_is_not_there(bench):
    (finding,) = bench.vm(SPEC % ("m.smal", "virtio"))
    assert finding.startswith("vms/one.yaml:6:18: VirtualMachine/one: spec.instancetype.name: there is no ")
    assert "did you mean 'm.small'?" in finding


def test_objects_of_the_operator_are_unknown_unless_given(bench):
    (finding,) = bench.vm(SPEC % ("u1.small", "virtio"))
    assert "spec.instancetype.name: uses u1.small, which KubeVirt's operator deploys" in finding
    assert finding.endswith("[note: vm-unchecked]")
    deployed = """\
        apiVersion: instancetype.kubevirt.io/v1beta1
        kind: VirtualMachineClusterInstancetype
        metadata: {name: u1.small, labels: {instancetype.kubevirt.io/vendor: kubevirt.io}}
        spec: {cpu: {guest: 1}, memory: {guest: 2Gi}}
        """
    assert bench.vm(SPEC % ("u1.small", "virtio"), manifests=deployed) == []


def test_a_vm_meets_the_objects_of_its_environment_only(bench):
    files = {
        "overlays.yaml": "all: {}\nsmall: {select: {names: [m.small, linux.*]}}\n",
        "vms.yaml": "one.yaml.j2: {environments: {all: {}, small: {}}}",
    }
    assert bench.vm(SPEC % ("m.small", "virtio"), files, "vms/one.yaml.j2") == []
    (finding,) = bench.vm(SPEC % ("m.large", "virtio"), files, "vms/one.yaml.j2")
    assert "there is no VirtualMachineClusterInstancetype 'm.large'" in finding
    assert finding.endswith("(in small) [error: vm-refused]")


def test_a_refusal_by_the_launcher_names_the_vms_field(bench):
    spec = """\
        runStrategy: Always
        template:
          spec:
            domain: {devices: {}, cpu: {dedicatedCpuPlacement: true, cores: 500}, memory: {guest: 1Gi}}
        """
    (finding,) = bench.vm(spec)
    assert finding.endswith("[error: vm-refused]")


def test_a_vm_that_is_not_modelled_is_not_judged(bench):
    spec = """\
        runStrategy: Always
        template:
          spec:
            domain:
              ioThreadsPolicy: supplementalPool
              ioThreads: {supplementalPoolThreadCount: 100000}
              devices: {}
              memory: {guest: 1Gi}
        """
    field = "spec.template.spec.domain.ioThreads.supplementalPoolThreadCount"
    message = "not supported by virtcatalog: a domain with more than 1,024 IO threads is not made [note: vm-unchecked]"
    assert bench.vm(spec) == [f"vms/one.yaml:10:21: VirtualMachine/one: {field}: {message}"]


def test_warnings_of_the_webhook(bench):
    findings = bench.vm((SPEC % ("m.small", "virtio")).replace("runStrategy: Always", "running: true"))
    assert findings == [
        "vms/one.yaml:5:3: VirtualMachine/one: spec.running: is deprecated: use spec.runStrategy [warning: vm-warning]"
    ]


def test_what_lies_beside_a_vm_is_read_too(bench):
    spec = SPEC % ("m.small", "virtio")
    claim = "\n---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: disk}\nspec: {accesModes: [x]}\n"
    bench.vm(spec)
    path = bench.root / "vms/one.yaml"
    text = path.read_text()
    (finding,) = bench({"vms/one.yaml": text + claim})
    assert "PersistentVolumeClaim/disk: spec.accesModes: unknown field 'accesModes'; did you mean" in finding
    assert finding.endswith("it is left out [warning: vm-warning]")
    assert bench({"vms/one.yaml": text + claim.replace("accesModes: [x]", "accessModes: [ReadWriteOnce]")}) == []
    assert bench({"vms/one.yaml": text + "\n---\nkind: Thing\nmetadata: odd\n"}) != []


def test_vms_given_beside_the_catalog_are_judged_with_it(bench):
    vm = """\
        apiVersion: kubevirt.io/v1
        kind: VirtualMachine
        metadata: {name: other}
        spec:
          runStrategy: Always
          instancetype: {name: m.%s}
          template: {spec: {domain: {devices: {}}}}
        """
    assert bench(manifests=vm % "small") == []
    (finding,) = bench(manifests=vm % "medium")
    assert finding.startswith("beside.yaml:6:18: VirtualMachine/other: spec.instancetype.name: ")


def test_a_field_left_empty_is_null(bench):
    spec = SPEC % ("m.small", "virtio") + "    networks: [{name: default, pod: }]\n"
    assert any(
        "networks[0].pod: is null" in finding and "[warning: null-value]" in finding for finding in bench.vm(spec)
    )


DATA_VOLUME = "apiVersion: cdi.kubevirt.io/v1beta1\nkind: DataVolume\nmetadata: {name: seed}\nspec: {%s}\n"


@pytest.mark.parametrize(
    ("beside", "finding"),
    [
        (
            "apiVersion: v1\nkind: Secret\nmetadata: {name: seed}\nstringData: [a]\n",
            "Secret/seed: stringData: must be a map, not a list [error: invalid-declaration]",
        ),
        (
            DATA_VOLUME % "storge: {}",
            (
                "DataVolume/seed: spec.storge: unknown field 'storge'; did you mean 'storage'?; it is left out "
                "[warning: vm-warning]"
            ),
        ),
        (
            DATA_VOLUME % "storage: 1",
            "DataVolume/seed: spec.storage: must be a map, not the number 1 [error: invalid-declaration]",
        ),
    ],
    ids=["Secret", "unknown field", "no map"],
)
def test_an_object_beside_a_vm_that_does_not_fit_its_kind(bench, beside, finding):
    bench.vm(SPEC % ("m.small", "virtio"))
    text = (bench.root / "vms/one.yaml").read_text()
    assert bench({"vms/one.yaml": f"{text}\n---\n{beside}"}) == [f"vms/one.yaml:1:1: {finding}"]
