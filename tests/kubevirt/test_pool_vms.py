"""The VMs that a pool makes: what each has for itself has its number."""

import pytest
from reading import read

from virtcatalog.api.decode import convert, to_manifest
from virtcatalog.api.holders import VirtualMachinePool
from virtcatalog.kubevirt.controller.vm import first_vm, vm_of_pool
from virtcatalog.releases import RELEASES

POOL = """
apiVersion: pool.kubevirt.io/v1beta1
kind: VirtualMachinePool
metadata: {name: web, namespace: shop, uid: u, labels: {of: pool}}
spec:
  selector: {matchLabels: {app: web}}
  virtualMachineTemplate:
    metadata: {labels: {app: web}, annotations: {a: b}, name: ignored}
    spec:
      runStrategy: Always
      dataVolumeTemplates: [{metadata: {name: root}, spec: {}}, {metadata: {name: data}, spec: {}}]
      template:
        metadata: {labels: {tier: front}, annotations: {c: d}}
        spec:
          domain: {devices: {}}
          volumes:
          - {name: root, dataVolume: {name: root}}
          - {name: data, persistentVolumeClaim: {claimName: data}}
          - {name: shared, persistentVolumeClaim: {claimName: shared}}
          - {name: other, dataVolume: {name: other}}
          - {name: settings, configMap: {name: settings}}
          - {name: keys, secret: {secretName: keys}}
          - {name: user, cloudInitNoCloud: {secretRef: {name: user}, networkDataSecretRef: {name: net}}}
          - {name: drive, cloudInitConfigDrive: {secretRef: {name: drive}}}
          - {name: text, cloudInitNoCloud: {userData: x}}
          - {name: image, containerDisk: {image: i}}
"""


def pool(naming=""):
    manifest = read(POOL)
    if naming:
        manifest["spec"]["nameGeneration"] = read(naming)
    return convert(manifest, VirtualMachinePool)


def test_the_whole_vm(snapshot):
    pool_data = pool()
    assert to_manifest(vm_of_pool(pool_data, RELEASES["v1.9.0"], 7)) == snapshot
    assert pool_data == pool()
    assert first_vm(pool_data, RELEASES["v1.9.0"]) == vm_of_pool(pool_data, RELEASES["v1.9.0"], 0)


OWN = ["root-3", "data-3", "shared", "other"]


@pytest.mark.parametrize(
    ("naming", "release", "names"),
    [
        ("{}", "v1.9.0", ["settings", "keys", "user", "net", "drive"]),
        ("appendIndexToConfigMapRefs: true", "v1.9.0", ["settings-3", "keys", "user", "net", "drive"]),
        ("appendIndexToSecretRefs: true", "v1.9.0", ["settings", "keys-3", "user-3", "net-3", "drive-3"]),
        ("appendIndexToSecretRefs: true", "v1.7.4", ["settings", "keys-3", "user", "net", "drive"]),
        ("appendIndexToSecretRefs: false", "v1.9.0", ["settings", "keys", "user", "net", "drive"]),
    ],
)
def test_what_has_the_number_of_its_vm(naming, release, names):
    volumes = to_manifest(vm_of_pool(pool(naming), RELEASES[release], 3))["spec"]["template"]["spec"]["volumes"]
    numbered = [
        volumes[0]["dataVolume"]["name"],
        volumes[1]["persistentVolumeClaim"]["claimName"],
        volumes[2]["persistentVolumeClaim"]["claimName"],
        volumes[3]["dataVolume"]["name"],
        volumes[4]["configMap"]["name"],
        volumes[5]["secret"]["secretName"],
        volumes[6]["cloudInitNoCloud"]["secretRef"]["name"],
        volumes[6]["cloudInitNoCloud"]["networkDataSecretRef"]["name"],
        volumes[7]["cloudInitConfigDrive"]["secretRef"]["name"],
    ]
    assert numbered == [*OWN, *names]
