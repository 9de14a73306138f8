"""The Pod's volumes, and where they are mounted."""

import pytest
from podding import named, names, spec

BLOCK = """
- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata: {name: b, namespace: ns}
  spec: {volumeMode: Block, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata: {name: shared, namespace: ns}
  spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}}
"""


def with_volume(source, devices="disks: [{name: v}]", **conditions):
    """The Pod's volume of one volume of the VMI, and its mounts: path to what else is said of it."""
    pod_spec = spec(
        f"domain: {{memory: {{guest: 1Gi}}, devices: {{{devices}}}}}\nvolumes: [{{name: v, {source}}}]", **conditions
    )
    volumes = [volume for volume in pod_spec["volumes"] if volume["name"].startswith("v") and "-" not in volume["name"]]
    mounts = pod_spec["containers"][0]["volumeMounts"]
    mount_paths = {mount["mountPath"]: set(mount) - {"name", "mountPath"} for mount in mounts if mount["name"] == "v"}
    return volumes, mount_paths


CLAIM = {"name": "v", "persistentVolumeClaim": {"claimName": "c"}}
PRIVATE = "/var/run/kubevirt-private"


@pytest.mark.parametrize(
    ("source", "volume", "mounts"),
    [
        ("persistentVolumeClaim: {claimName: c}", CLAIM, {f"{PRIVATE}/vmi-disks/v": set()}),
        (
            "persistentVolumeClaim: {claimName: c, readOnly: true}",
            {"name": "v", "persistentVolumeClaim": {"claimName": "c", "readOnly": True}},
            {f"{PRIVATE}/vmi-disks/v": set()},
        ),
        ("dataVolume: {name: c}", CLAIM, {f"{PRIVATE}/vmi-disks/v": set()}),
        ("ephemeral: {persistentVolumeClaim: {claimName: c}}", CLAIM, {f"{PRIVATE}/vmi-disks/v": set()}),
        ("persistentVolumeClaim: {claimName: c, hotpluggable: true}", None, {}),
        ("dataVolume: {name: c, hotpluggable: true}", None, {}),
        ("emptyDisk: {capacity: 1Gi}", None, {}),
        (
            "hostDisk: {path: /data//disks/../a.img, type: DiskOrCreate, capacity: 1Gi}",
            {"name": "v", "hostPath": {"path": "/data", "type": "DirectoryOrCreate"}},
            {f"{PRIVATE}/vmi-disks/v": set()},
        ),
        (
            "secret: {secretName: s, optional: true}",
            {"name": "v", "secret": {"secretName": "s", "optional": True}},
            {f"{PRIVATE}/secret/v": {"readOnly"}},
        ),
        ("configMap: {name: c}", {"name": "v", "configMap": {"name": "c"}}, {f"{PRIVATE}/config-map/v": {"readOnly"}}),
        (
            "sysprep: {configMap: {name: c}}",
            {"name": "v", "configMap": {"name": "c"}},
            {f"{PRIVATE}/sysprep/v": {"readOnly"}},
        ),
        (
            "downwardMetrics: {}",
            {"name": "v", "emptyDir": {"medium": "Memory", "sizeLimit": "1Mi"}},
            {f"{PRIVATE}/downwardmetric-disk": set()},
        ),
    ],
    ids=lambda value: value.partition(":")[0] if isinstance(value, str) else "",
)
def test_sources(source, volume, mounts):
    gates = ["HostDisk", "DownwardMetrics"]
    target = {"sysprep": ", cdrom: {}", "downwardMetrics": ", disk: {bus: virtio}"}.get(source.partition(":")[0], "")
    disk = f"disks: [{{name: v{target}}}]"
    assert with_volume(source, disk, gates=gates) == ([] if volume is None else [volume], mounts)


def test_configuration_is_mounted_where_a_disk_shows_it():
    filesystem = "filesystems: [{name: v, virtiofs: {}}]"
    volumes, mounts = with_volume("configMap: {name: c}", filesystem, gates=["EnableVirtioFsConfigVolumes"])
    assert volumes == [{"name": "v", "configMap": {"name": "c"}}]
    assert mounts == {}


def test_block_claims_are_devices_and_shared_ones_are_told():
    template = """
domain: {memory: {guest: 1Gi}, devices: {disks: [{name: x}, {name: y}]}}
volumes: [{name: x, persistentVolumeClaim: {claimName: b}}, {name: y, persistentVolumeClaim: {claimName: shared}}]
"""
    container = spec(template, objects=BLOCK)["containers"][0]
    assert container["volumeDevices"] == [{"name": "x", "devicePath": "/dev/x"}]
    assert named(container["env"], "SHARED_FILESYSTEM_PATHS")["value"] == f"{PRIVATE}/vmi-disks/y"


@pytest.mark.parametrize("kind", ["cloudInitNoCloud", "cloudInitConfigDrive"])
def test_secrets_of_cloud_init_under_both_spellings(kind):
    source = f"{kind}: {{secretRef: {{name: u}}, networkDataSecretRef: {{name: n}}}}"
    pod_spec = spec(
        f"domain: {{memory: {{guest: 1Gi}}, devices: {{disks: [{{name: v}}]}}}}\nvolumes: [{{name: v, {source}}}]"
    )
    mounts = [mount for mount in pod_spec["containers"][0]["volumeMounts"] if mount["name"].startswith("v-")]
    assert [(mount["name"], mount["mountPath"].rpartition("/")[2], mount["subPath"]) for mount in mounts] == [
        ("v-udata", "userdata", "userdata"),
        ("v-udata", "userData", "userData"),
        ("v-ndata", "networkdata", "networkdata"),
        ("v-ndata", "networkData", "networkData"),
    ]
    assert named(pod_spec["volumes"], "v-ndata")["secret"] == {"secretName": "n"}


@pytest.mark.parametrize(
    ("kind", "method"),
    [("sshPublicKey", "{qemuGuestAgent: {users: [root]}}"), ("userPassword", "{qemuGuestAgent: {}}")],
)
def test_access_credentials(kind, method):
    credential = f"{kind}: {{source: {{secret: {{secretName: k}}}}, propagationMethod: {method}}}"
    pod_spec = spec(f"domain: {{memory: {{guest: 1Gi}}, devices: {{}}}}\naccessCredentials: [{{{credential}}}]")
    mount = named(pod_spec["containers"][0]["volumeMounts"], "k-access-cred")
    assert mount["mountPath"] == f"{PRIVATE}/secret/k-access-cred"


def test_an_access_credential_whose_secret_has_no_name_has_no_volume():
    credential = "userPassword: {source: {secret: {secretName: ''}}, propagationMethod: {qemuGuestAgent: {}}}"
    pod_spec = spec(f"domain: {{memory: {{guest: 1Gi}}, devices: {{}}}}\naccessCredentials: [{{{credential}}}]")
    assert pod_spec["volumes"] == spec()["volumes"]


STATE = """
domain:
  memory: {guest: 1Gi}
  devices: {tpm: {persistent: true}}
  features: {smm: {}}
  firmware: {bootloader: {efi: {persistent: true}}}
"""
PAST = """
- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata: {name: NAME, namespace: ns, labels: {LABELS}}
  spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 10Mi}}}
"""


@pytest.mark.parametrize(
    ("objects", "claim"),
    [
        ("[]", "persistent-state-for-vm-00000"),
        (PAST.replace("NAME", "kept").replace("LABELS", "persistent-state-for: vm"), "kept"),
        (PAST.replace("NAME", "persistent-state-for-vm").replace("LABELS", ""), "persistent-state-for-vm"),
        (
            PAST.replace("NAME", "kept").replace("LABELS", "persistent-state-for: other"),
            "persistent-state-for-vm-00000",
        ),
    ],
    ids=["made", "labelled", "named", "another's"],
)
def test_the_claim_that_keeps_the_state(objects, claim):
    assert named(spec(STATE, objects=objects)["volumes"], "vm-state")["persistentVolumeClaim"] == {"claimName": claim}


@pytest.mark.parametrize(("length", "letters"), [(36, 36), (37, 37), (38, 37)])
def test_the_name_of_a_claim_that_is_made_has_63_letters_at_most(length, letters):
    claim = named(spec(STATE, name="a" * length)["volumes"], "vm-state")["persistentVolumeClaim"]["claimName"]
    assert claim == f"persistent-state-for-{'a' * letters}-"[:58] + "00000"
    assert len(claim) <= 63


@pytest.mark.parametrize(
    ("state", "claim"),
    [
        ("deletionTimestamp: '2026-01-01T00:00:00Z'", "persistent-state-for-vm-00000"),
        ("namespace: other", "persistent-state-for-vm-00000"),
        ("namespace: ns", "kept"),
    ],
)
def test_a_claim_that_goes_or_is_elsewhere_keeps_no_state(state, claim):
    objects = PAST.replace("NAME", "kept").replace("LABELS", "persistent-state-for: vm").replace("namespace: ns", state)
    if "namespace" not in state:
        objects = objects.replace("name: kept", "name: kept, namespace: ns")
    assert named(spec(STATE, objects=objects)["volumes"], "vm-state")["persistentVolumeClaim"]["claimName"] == claim


def test_where_the_state_is():
    def paths(*gates):
        tracking = "{changedBlockTrackingLabelSelectors: {namespaceLabelSelector: {matchLabels: {backup: daily}}}}"
        namespace = "[{apiVersion: v1, kind: Namespace, metadata: {name: ns, labels: {backup: daily}}}]"
        compute = spec(STATE, gates=gates, config=tracking, objects=namespace)["containers"][0]
        return {
            mount["subPath"]: mount["mountPath"] for mount in compute["volumeMounts"] if mount["name"] == "vm-state"
        }

    assert paths() == {
        "meta": "/run/kubevirt-private/backend-storage-meta",
        "swtpm": f"{PRIVATE}/libvirt/qemu/swtpm",
        "swtpm-localca": f"{PRIVATE}/var/lib/swtpm-localca",
        "nvram": f"{PRIVATE}/libvirt/qemu/nvram",
    }
    assert paths("Root", "IncrementalBackup") == {
        "meta": "/run/kubevirt-private/backend-storage-meta",
        "swtpm": "/var/lib/libvirt/swtpm",
        "swtpm-localca": "/var/lib/swtpm-localca",
        "nvram": "/var/lib/libvirt/qemu/nvram",
        "cbt": "/var/lib/libvirt/qemu/cbt",
    }


def test_huge_pages_and_hotplug():
    mount_names = names(
        spec("domain: {memory: {guest: 1Gi, hugepages: {pageSize: 2Mi}}, devices: {disableHotplug: true}}")["volumes"]
    )
    assert {"hugepages", "hugetblfs-dir"} <= set(mount_names)
    assert "hotplug-disks" not in mount_names
    assert "hotplug-disks" in names(spec()["volumes"])


def test_plugins_have_their_sockets_where_the_gate_is_on():
    plain = "domain: {memory: {guest: 1Gi}, devices: {}}"
    pod_spec = spec(plain, gates=["Plugins"])
    assert named(pod_spec["volumes"], "kubevirt-plugin-sockets")["emptyDir"] == {}
    mount = named(pod_spec["containers"][0]["volumeMounts"], "kubevirt-plugin-sockets")
    assert mount["mountPath"] == "/var/run/kubevirt-plugin"
    assert "kubevirt-plugin-sockets" not in names(spec(plain)["volumes"])
