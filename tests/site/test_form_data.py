"""From which image the form's VM boots, by its preference."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from virtcatalog.site.form import BootSource, _boot_source

DISKS = "quay.io/containerdisks"
DEMO = "quay.io/kubevirt/{}-container-disk-demo"


@pytest.mark.parametrize(
    ("family", "version", "image"),
    [
        ("Fedora", "42", f"{DISKS}/fedora:latest"),
        ("fedora", "", f"{DISKS}/fedora:latest"),
        ("AlmaLinux", "9", f"{DISKS}/almalinux:9"),
        ("AlmaLinux", "10", f"{DISKS}/almalinux:10"),
        ("CentOS", "Stream 9", f"{DISKS}/centos-stream:9"),
        ("CentOS Stream", "10", f"{DISKS}/centos-stream:10"),
        ("Ubuntu", "22.04", f"{DISKS}/ubuntu:24.04"),
        ("Debian", "12", f"{DISKS}/debian:13"),
        ("openSUSE Leap", "15.6", f"{DISKS}/opensuse-leap:16.0"),
        ("openSUSE", "Tumbleweed", f"{DISKS}/opensuse-tumbleweed:1.0.0"),
        ("CirrOS", "", DEMO.format("cirros")),
        ("Alpine", "3", DEMO.format("alpine")),
    ],
)
def test_systems_of_which_there_are_images(family: str, version: str, image: str) -> None:
    row = SimpleNamespace(family=family, version=version, system="linux")
    assert _boot_source(row) == BootSource("image", image)


@pytest.mark.parametrize("family", ["Windows Server", "AlmaLinux 8", "CentOS 7", "openSUSE", "Red Hat", ""])
def test_others_boot_from_a_data_source_or_are_any_system(family: str) -> None:
    row = SimpleNamespace(family=family, version="", system="x")
    assert _boot_source(row) == BootSource("ds", "")
    row.system = ""
    assert _boot_source(row) == BootSource("image", f"{DISKS}/fedora:latest")
