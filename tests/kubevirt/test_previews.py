"""What branches do that their last release does not: main beside v1.9.0, release-1.8 beside v1.8.4."""

import pytest
from reading import read
from test_pipeline import vm
from test_traits import DEDICATED, VM, VMI, ask, kubevirt, outcome

from virtcatalog import Cluster, expand, rollout
from virtcatalog.errors import ManifestError, UnsupportedError
from virtcatalog.releases import DEFAULT, PREVIEWS, RELEASES, Stage, find_release, name_minor

BEFORE, MAIN = "v1.9.0", "main"
PAGES = "{domain: {memory: {guest: 2Gi, hugepages: {pageSize: 2Mi}}, devices: {}%s}}"


def texts(result, path):
    """An element of the domain as text, without white space; "" if there is none."""
    element = result.domain.find(path)
    return "" if element is None else "".join(written(element))


def written(element):
    """An element's tags and attributes, one after the other."""
    attributes = "".join(f" {name}={value}" for name, value in element.attrib.items())
    yield f"<{element.tag}{attributes}>"
    for part in element:
        yield from written(part)


def both(template, path, *, old=BEFORE, new=MAIN, **options):
    """An element under a release and under the preview."""
    return [texts(ask(release, template, **options), path) for release in (old, new)]


def test_previews_have_the_name_of_their_branch_and_say_what_they_are():
    assert list(PREVIEWS) == ["release-1.8", "main"]
    main = find_release("main")
    assert (str(main), main.minor) == ("main (preview)", (1, 10))
    assert main.preview == (
        "KubeVirt main is a preview: its branch as of 2026-08-22, d923fdb815, which may change until it is released"
    )
    assert (find_release("release-1.8").minor, DEFAULT.preview) == ((1, 8), "")
    assert [name_minor(minor) for minor in ((1, 8), (1, 9), (1, 10))] == ["v1.8", "v1.9", "main"]


def test_a_release_to_come_is_no_release_and_its_branch_is_named():
    with pytest.raises(UnsupportedError, match=r"'v1.10.0' is not modelled; .*v1\.9\.0; main is a preview of it$"):
        find_release("v1.10.0")


def test_no_cluster_says_that_it_runs_a_branch():
    cr = {**kubevirt(), "status": {"observedKubeVirtVersion": "main"}}
    with pytest.raises(ManifestError, match="'main' is the name of a branch, and of no build"):
        Cluster([cr])
    assert Cluster([cr], release="main").release is PREVIEWS["main"]


@pytest.mark.parametrize(
    ("gate", "before", "now"),
    [
        ("DecentralizedLiveMigration", Stage.ALPHA, Stage.BETA),
        ("LibvirtHooksServerAndClient", Stage.BETA, Stage.GA),
        ("VmiMemoryOverheadReport", Stage.BETA, Stage.GA),
        ("MigrationDowntimeTuning", None, Stage.ALPHA),
    ],
)
def test_gates_of_main(gate, before, now):
    assert [release.feature_gates.get(gate) for release in (RELEASES[BEFORE], PREVIEWS[MAIN])] == [before, now]


def test_a_field_of_main_is_pruned_before():
    tuning = kubevirt("{migrations: {experimental: {downtimeTuning: {steps: 3}, stallDetector: {ewmaAlpha: '0.4'}}}}")
    (warning,) = Cluster([tuning], release=BEFORE).warnings
    assert warning.field == "spec.configuration.migrations.experimental.downtimeTuning"
    assert warning.message == "KubeVirt v1.9.0 does not know the field, which came with main"
    assert not Cluster([tuning], release=MAIN).warnings


def test_a_framebuffer_that_says_nothing_counts():
    options = "virtualGPUOptions: {display: {ramFB: {}}}"
    gpus = ", ".join(f"{{name: {name}, deviceName: v/slice, {options}}}" for name in "ab")
    template = f"{{domain: {{memory: {{guest: 1Gi}}, devices: {{gpus: [{gpus}]}}}}}}"
    outcomes = [outcome(ask(release, template)) for release in (BEFORE, MAIN)]
    assert outcomes == [("vmi", [f"{VMI}.GPUs"]), ("vm", [f"{VM}.GPUs"])]


def test_a_display_on_pci_has_a_framebuffer():
    gpu = "{name: a, deviceName: v/card, virtualGPUOptions: {display: {enabled: true}}}"
    permitted = "{permittedHostDevices: {pciHostDevices: [{pciVendorSelector: '1:2', resourceName: v/card}]}}"
    template = f"{{domain: {{memory: {{guest: 1Gi}}, devices: {{gpus: [{gpu}]}}}}}}"
    old, new = both(template, "devices/hostdev", configuration=permitted)
    assert ("display=on" in old, "ramfb=on" in old) == (True, False)
    assert ("display=on" in new, "ramfb=on" in new) == (True, True)


def test_storage_is_validated_first_and_with_the_rest():
    spec = {"domain": {"devices": {"disks": [{"name": "d", "disk": {"bus": "x"}}]}, "memory": {"guest": "1Gi"}}}
    spec |= {"hostname": "A", "volumes": [{"name": "d", "emptyDisk": {"capacity": "1Gi"}}]}
    vmi = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance", "metadata": {"name": "x"}, "spec": spec}
    fields = [[cause.field for cause in expand(vmi, Cluster([], release=release)).causes] for release in (BEFORE, MAIN)]
    bus = "spec.domain.devices.disks[0].disk.bus"
    assert fields == [["spec.hostname", bus], [bus, "spec.hostname", bus]]


def test_numa_nodes_keep_their_distances():
    template = PAGES % ", cpu: {cores: 70, dedicatedCpuPlacement: true, numa: {guestMappingPassthrough: {}}}"
    template = template.replace("2Gi", "70Gi")
    old, new = both(template, "cpu/numa", gates=["NUMA"])
    assert "distances" not in old
    distances = [part.split("<cell")[0] for part in new.split("<distances>")[1:]]
    assert distances == [
        "<sibling id=0 value=10><sibling id=1 value=20>",
        "<sibling id=0 value=20><sibling id=1 value=10>",
    ]


@pytest.mark.parametrize(("architecture", "has_memfd"), [("amd64", True), ("s390x", False)])
def test_s390x_has_no_memfd(architecture, has_memfd):
    template = PAGES % ""
    old, new = both(template, "memoryBacking", architecture=architecture)
    assert old == "<memoryBacking><hugepages><source type=memfd>"
    assert new == (old if has_memfd else "<memoryBacking><hugepages>")
    assert bool(both(template, "cpu/numa", architecture=architecture)[1]) is has_memfd


def test_numa_of_its_own_keeps_the_cell_of_memfd_away():
    old, new = both(PAGES % ", cpu: {cores: 2, numa: {}}", "cpu/numa")
    assert old == "<numa><cell id=0 cpus=0-1 memory=2097152 unit=KiB>"
    assert new == ""


def test_ignition_data_is_kept():
    manifest = vm(template="{domain: {memory: {guest: 4Gi}, devices: {}}}")
    manifest["spec"]["template"]["metadata"] = {"annotations": {"kubevirt.io/ignitiondata": '{"ignition": {}}'}}
    clusters = [Cluster([kubevirt(gates=["ExperimentalIgnitionSupport"])], release=name) for name in (BEFORE, MAIN)]
    results = [expand(manifest, cluster) for cluster in clusters]
    assert ["qemu:commandline" in result.domain_xml for result in results] == [False, True]
    assert [[warning.type for warning in result.warnings] for result in results] == [["Ignored"], []]


@pytest.mark.parametrize("migratable", [True, False])
def test_only_a_vm_that_can_migrate_moves_to_another_network(migratable):
    access = "ReadWriteMany" if migratable else "ReadWriteOnce"
    claim = read(f"""
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {{name: c, namespace: default}}
        spec: {{accessModes: [{access}], resources: {{requests: {{storage: 1Gi}}}}}}
        """)
    old, new = (
        vm(
            template=f"""{{
              domain: {{memory: {{guest: 1Gi}}, devices: {{disks: [{{name: d, disk: {{}}}}],
                interfaces: [{{name: n, bridge: {{}}}}]}}}},
              networks: [{{name: n, multus: {{networkName: {network}}}}}],
              volumes: [{{name: d, persistentVolumeClaim: {{claimName: c}}}}]}}"""
        )
        for network in ("blue", "green")
    )
    restarts = {}
    for release in (BEFORE, MAIN):
        cluster = Cluster([kubevirt(), claim], release=release)
        outcome_of_change = rollout(old, new, cluster, cluster)
        restarts[release] = outcome_of_change.restart_required
    assert restarts == {BEFORE: False, MAIN: not migratable}


def test_release_1_8_wants_one_binding_of_an_interface():
    template = "{domain: {memory: {guest: 1Gi}, devices: {interfaces: [{name: n}]}}, networks: [{name: n, pod: {}}]}"
    outcomes = [outcome(ask(release, template)) for release in ("v1.8.4", "release-1.8")]
    assert outcomes == [("launcher", []), ("vm", [f"{VM}.domain.devices.interfaces[0]"])]


def test_release_1_8_pins_the_supplemental_pool_before_the_emulator():
    pool = ", ioThreadsPolicy: supplementalPool, ioThreads: {supplementalPoolThreadCount: 1}"
    old, new = both(DEDICATED % (", isolateEmulatorThread: true", pool), "cputune", old="v1.8.4", new="release-1.8")
    assert old.endswith("<emulatorpin cpuset=2><iothreadpin iothread=1 cpuset=10>")
    assert new.endswith("<emulatorpin cpuset=3><iothreadpin iothread=1 cpuset=2>")


def test_release_1_8_makes_the_preferred_panic_device():
    preference = """
        - apiVersion: instancetype.kubevirt.io/v1beta1
          kind: VirtualMachineClusterPreference
          metadata: {name: p}
          spec: {devices: {preferredPanicDeviceModel: hyperv}}
        """
    domains = [
        ask(release, gates=["PanicDevices"], spec="{preference: {name: p}}", objects=preference).vmi["spec"]["domain"]
        for release in ("v1.8.4", "release-1.8")
    ]
    assert [domain["devices"].get("panicDevices") for domain in domains] == [None, [{"model": "hyperv"}]]
