"""The operating systems that guest ids and names stand for, their drivers, and their preferences."""

from __future__ import annotations

import pytest

from virtcatalog.bring.vmware.guests import Guest, guest_of, guest_of_machine, plain, preferences_for


@pytest.mark.parametrize(
    ("text", "family", "version"),
    [
        ("rhel9_64Guest", "rhel", "9"),
        ("rhel10_64Guest", "rhel", "10"),
        ("centos64Guest", "centos", "5"),
        ("centos7_64Guest", "centos", "7"),
        ("sles15_64Guest", "sles", "15"),
        ("debian12_64Guest", "debian", "12"),
        ("ubuntu64Guest", "ubuntu", ""),
        ("oracleLinux8_64Guest", "oraclelinux", "8"),
        ("rockylinux_64Guest", "rocky", ""),
        ("other26xLinux64Guest", "linux", "2"),
        ("other5xLinux64Guest", "linux", "5"),
        ("otherLinux64Guest", "linux", ""),
        ("freebsd14_64Guest", "freebsd", "14"),
        ("winXPPro64Guest", "windows", "xp"),
        ("winNetEnterprise64Guest", "windows", "2k3"),
        ("windows7_64Guest", "windows", "7"),
        ("windows7Server64Guest", "windows", "2k8"),
        ("windows9_64Guest", "windows", "10"),
        ("windows9Server64Guest", "windows", "2k16"),
        ("windows2019srv_64Guest", "windows", "2k19"),
        ("windows2019srvNext_64Guest", "windows", "2k22"),
        ("windows2022srvNext_64Guest", "windows", "2k25"),
        ("Microsoft Windows Server 2016 or later (64-bit)", "windows", "2k16"),
        ("Microsoft Windows Server 2008 R2 (64-bit)", "windows", "2k8"),
        ("Microsoft Windows 11 (64-bit)", "windows", "11"),
        ("Red Hat Enterprise Linux 8 (64-bit)", "rhel", "8"),
        ("Red Hat Enterprise Linux Server 7.9 (Maipo)", "rhel", "7"),
        ("CentOS 4/5 or later (64-bit)", "centos", ""),
        ("Rocky Linux 9.3 (Blue Onyx)", "rocky", "9"),
        ("Ubuntu 22.04.3 LTS", "ubuntu", "22.04"),
        ("SUSE Linux Enterprise 15 (64-bit)", "sles", "15"),
        ("Other 3.x or later Linux (64-bit)", "linux", "3"),
        ("Oracle Linux 4/5 or later (64-bit)", "oraclelinux", ""),
        ("Oracle8_64", "oraclelinux", "8"),
        ("Red Hat Fedora (64-bit)", "fedora", ""),
        ("SUSE openSUSE (64-bit)", "opensuse", ""),
        ("Microsoft Small Business Server 2003", "windows", "2k3"),
        ("Microsoft Windows 3.1", "windows", "31"),
        ("Ubuntu22_LTS_64", "ubuntu", "22"),
        ("Windows2022_64", "windows", "2k22"),
        ("Linux26_64", "linux", "2"),
        (" rhel9_64Guest", "rhel", "9"),
        (" Red  Hat Fedora (64-bit)", "fedora", ""),
    ],
)
def test_ids_and_names_stand_for_systems(text, family, version):
    assert guest_of(text) == Guest(family, version)


@pytest.mark.parametrize(
    "text", ["", "Guest", "Apple macOS 12 (64-bit)", "winGuest", "windows99_64Guest", "Oracle Solaris 11"]
)
def test_what_names_no_system_stands_for_none(text):
    assert guest_of(text) is None


@pytest.mark.parametrize(
    ("guest", "drivers"),
    [
        (Guest("rhel", "9"), "virtio"),
        (Guest("rhel", "6"), "transitional"),
        (Guest("debian", "8"), "transitional"),
        (Guest("linux", "2"), "transitional"),
        (Guest("linux"), "virtio"),
        (Guest("windows", "2k22"), "virtio"),
        (Guest("windows", "xp"), "none"),
        (Guest("freebsd", "14"), "none"),
        (Guest("other"), "none"),
    ],
    ids=str,
)
def test_old_systems_have_other_drivers(guest, drivers):
    assert guest.drivers == drivers


def test_the_first_text_that_says_more_than_the_sort_counts():
    assert guest_of_machine(("otherLinux64Guest", "Debian GNU/Linux 12 (64-bit)")) == (
        Guest("debian", "12"),
        "Debian GNU/Linux 12 (64-bit)",
    )
    assert guest_of_machine(("otherLinux64Guest", "nothing known")) == (Guest("linux"), "otherLinux64Guest")
    assert guest_of_machine(("", "BeOS")) == (None, "BeOS")
    assert guest_of_machine(()) == (None, "")


def names(guest, *, virtio=True):
    return [name for name, _ in preferences_for(guest, virtio=virtio)]


def test_preferences_of_the_version_come_first():
    assert names(Guest("windows", "2k22")) == ["windows2k22virtio", "windows2k22"]
    assert names(Guest("windows", "2k22"), virtio=False) == ["windows2k22"]
    assert names(Guest("rhel", "9")) == ["rhel9", "linux"]
    assert names(Guest("centos", "9")) == ["centosstream9", "centos9", "linux"]
    assert names(Guest("ubuntu", "22.04")) == ["ubuntu2204", "ubuntu22", "ubuntu", "linux"]
    assert names(Guest("netware", "6")) == ["netware6", "netware"]


def test_a_preference_for_more_than_the_version_says_so():
    assert list(preferences_for(Guest("sles", "15"), virtio=True)) == [
        ("sles15", False),
        ("sles", True),
        ("linux", True),
    ]
    assert list(preferences_for(Guest("fedora"), virtio=True)) == [("fedora", False), ("linux", True)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("windows.2k22.virtio", "windows2k22virtio"),
        ("windows.windows2k22.virtio", "windows2k22virtio"),
        ("linux.rhel9", "rhel9"),
        ("centos.stream9", "centosstream9"),
        ("linux", "linux"),
    ],
)
def test_catalogs_call_preferences_in_several_ways(name, expected):
    assert plain(name) == expected
