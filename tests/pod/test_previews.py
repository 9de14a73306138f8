"""What the Pod is on KubeVirt's branch main, beside v1.9.0."""

import pytest
from podding import compute, expanded, pod, spec, terms

NEW = "main"
PAGES = "domain: {memory: {guest: 2Gi, hugepages: {pageSize: 2Mi}}, devices: {}}"
IMAGES = """
domain: {memory: {guest: 1Gi}, devices: {disks: [{name: d, disk: {}}]}}
volumes: [{name: d, containerDisk: {image: disk}}]
"""
FILES = """
domain: {memory: {guest: 1Gi}, devices: {filesystems: [{name: f, virtiofs: {}}]}}
volumes: [{name: f, configMap: {name: c}}]
"""
SKIP = {"kubevirt.io/image-volume-skip-digest-resolution": "true"}


def test_qemu_takes_more_beside_its_guest():
    amounts = [terms(expanded(release=release))[0]["QEMU without its guest"] for release in ("v1.9.0", NEW)]
    assert amounts == ["30Mi", "50Mi"]


def test_flags_are_arguments():
    old, new = compute(), compute(release=NEW)
    assert "args" not in old
    assert new["command"] == ["/usr/bin/virt-launcher-monitor"]
    flags = [flag for flag in old["command"][1:] if flag != "--libvirt-hook-server-and-client"]
    assert new["args"] == flags != old["command"][1:]


def test_one_flag_is_left_in_the_command():
    container = compute(release=NEW, gates=["CrossArchitectureVirtualization"])
    assert container["command"] == ["/usr/bin/virt-launcher-monitor", "--allow-cross-arch-emulation"]
    assert "--allow-cross-arch-emulation" not in container["args"]


def test_the_tool_of_container_disks_is_copied_by_arguments():
    without_images = "developerConfiguration: {disabledFeatureGates: [ImageVolume]}"
    containers = spec(IMAGES, release=NEW, config=without_images)["initContainers"]
    copier = next(container for container in containers if container["name"] == "container-disk-binary")
    assert copier["command"] == ["/usr/bin/cp"]
    assert copier["args"] == ["--preserve=all", "/usr/bin/container-disk", "/init/usr/bin/container-disk"]


@pytest.mark.parametrize(("release", "source"), [("v1.9.0", {}), (NEW, {"medium": "HugePages"})])
def test_the_directory_of_huge_pages_is_on_them(release, source):
    volumes = {volume["name"]: volume for volume in spec(PAGES, release=release)["volumes"]}
    assert volumes["hugetblfs-dir"]["emptyDir"] == source


@pytest.mark.parametrize(
    ("release", "annotations", "pulls"),
    [("v1.9.0", SKIP, True), (NEW, {}, True), (NEW, SKIP, False), (NEW, dict.fromkeys(SKIP, "True"), True)],
)
def test_digests_of_images_need_not_be_asked_for(release, annotations, pulls):
    pod_spec = pod(IMAGES, release=release, annotations=annotations, gates=["ImageVolume"])["spec"]
    assert ("volumed" in {container["name"] for container in pod_spec["initContainers"]}) is pulls
    assert ("launcher-volume" in {volume["name"] for volume in pod_spec["volumes"]}) is pulls


@pytest.mark.parametrize(("release", "policy"), [("v1.9.0", "IfNotPresent"), (NEW, "Always")])
def test_virtiofs_is_pulled_as_all_else(release, policy):
    containers = spec(FILES, release=release, config="imagePullPolicy: Always")["containers"]
    daemon = next(container for container in containers if container["name"] == "virtiofs-f")
    assert daemon["imagePullPolicy"] == policy
