"""What virt-launcher knows besides the VMI: values, most of which the node and the cluster always tell."""

import pytest
from fragments import make_context

from virtcatalog.kubevirt.launcher.context import BackingVolume, Context, DeviceResource


@pytest.mark.parametrize(
    ("guest", "node", "emulates"),
    [("amd64", "", False), ("amd64", "amd64", False), ("amd64", "arm64", True), ("arm64", "amd64", True)],
)
def test_a_guest_of_another_architecture_is_emulated(guest, node, emulates):
    assert make_context(guest, host_architecture=node).emulates_other_architecture is emulates


def test_what_a_vmi_has_that_asks_for_nothing():
    context = make_context()
    assert not context.emulates_other_architecture
    assert (context.cpu_set, context.tsc_frequency, context.vsock_cid) == ((), None, None)
    assert (context.volumes, context.changed_block_tracking) == ({}, False)
    assert (context.device_resources, context.claimed_devices, context.sriov_addresses) == ({}, {}, {})
    assert context.grace_host_device_aliases == ()


def test_what_is_said_of_a_claim_that_says_nothing():
    assert not make_context().emulates_other_architecture
    assert BackingVolume() == BackingVolume(
        block=False,
        hotplug=False,
        host_disk=False,
        preallocated=False,
        has_claim=True,
        capacity=None,
        filesystem_overhead="",
    )


def test_it_is_made_of_values_whose_like_fields_are_given_by_name():
    assert not make_context().emulates_other_architecture
    kinds = (BackingVolume, DeviceResource, Context)
    assert [kind for kind in kinds if not kind.__struct_config__.frozen] == []
    assert [kind for kind in kinds if kind.__struct_config__.cache_hash] == []
    for kind in (BackingVolume, Context):
        with pytest.raises(TypeError, match="Extra positional arguments"):
            kind("x")


def test_two_contexts_are_never_equal():
    """Comparing all that is in them would take longer than what it saves."""
    one, other = make_context(), make_context()
    assert one.emulates_other_architecture is other.emulates_other_architecture
    assert one != other
