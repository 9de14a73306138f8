"""examples/downstream makes a vendor's catalog from another one."""

from pathlib import Path

import pytest

from virtcatalog.catalog.load import load_catalog

ROOT = Path(__file__).parents[2]


def by_name(example):
    catalog = load_catalog(ROOT / "examples" / example)
    return {item.name: item for item in (*catalog.instancetypes, *catalog.preferences)}


@pytest.fixture(scope="module")
def downstream():
    return by_name("downstream")


@pytest.fixture(scope="module")
def common():
    return by_name("common-instancetypes")


def test_it_has_the_selected_objects_and_its_own(downstream, common):
    assert {"u1.small", "cx1.large", "m1.large1gi", "rhel.9.realtime", "fedora"} <= downstream.keys()
    assert not {"u1.nano", "cx1.large1gi", "o1.small", "rhel.7.desktop", "fedora.arm64"} & downstream.keys()
    assert downstream.keys() - common.keys() == {"u1.16xlarge", "g1.large", "g1.xlarge"}


def test_everything_has_the_vendors_name(downstream):
    for item in downstream.values():
        assert item.labels["instancetype.kubevirt.io/vendor"] == "acme.example.com"
        assert item.labels["app.kubernetes.io/part-of"] == "acme-virtualization"


def test_what_it_does_not_change_is_as_it_was(downstream, common):
    assert downstream["cx1.large"].spec == common["cx1.large"].spec
    assert downstream["windows.7"].spec == common["windows.7"].spec


def test_what_it_changes(downstream, common):
    assert (common["u1.small"].spec["memory"], downstream["u1.small"].spec["memory"]) == (
        {"guest": "2Gi"},
        {"guest": "3Gi"},
    )
    assert downstream["u1.16xlarge"].spec["memory"] == {"guest": "256Gi"}
    assert downstream["rhel.9.desktop"].spec["requirements"]["memory"] == {"guest": "2Gi"}
    assert downstream["windows.10.virtio"].spec["devices"]["preferredNetworkInterfaceMultiQueue"]
    assert "preferredNetworkInterfaceMultiQueue" not in downstream["windows.10"].spec["devices"]
    assert downstream["rhel.7"].deprecated.replaced_by == "rhel.9"
