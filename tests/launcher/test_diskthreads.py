"""Which IO thread serves which disk."""

import re

import pytest


def devices(*disks):
    return "disks:\n" + "".join(f"- {{name: d{i}, cdrom: {{bus: virtio}}, {disk}}}\n" for i, disk in enumerate(disks))


def threads(shown):
    return re.findall(r'iothread="(\d+)"', shown)


def test_without_a_policy_disks_have_no_threads(built):
    assert threads(built("disk", devices("", ""))) == []


def test_the_shared_policy_has_one_thread_for_all(built):
    assert threads(built("disk", devices("", "", ""), "domain.ioThreadsPolicy: shared")) == ["1", "1", "1"]


def test_the_auto_policy_goes_round_two_threads_a_cpu(built):
    spec = "domain.ioThreadsPolicy: auto\ndomain.resources: {requests: {cpu: 1}}"
    assert threads(built("disk", devices("", "", ""), spec)) == ["1", "2", "1"]


def test_dedicated_threads_come_after_the_shared_ones(built):
    dedicated = "dedicatedIOThread: true"
    assert threads(built("disk", devices(dedicated, "", dedicated))) == ["2", "1", "3"]


def test_other_buses_than_virtio_have_no_threads(built):
    text = "disks: [{name: a, cdrom: {bus: sata}}, {name: b, cdrom: {bus: virtio}}]"
    assert threads(built("disk", text, "domain.ioThreadsPolicy: auto")) == ["1"]


def test_the_supplemental_pool_serves_every_virtio_disk(built, xml):
    spec = "domain.ioThreadsPolicy: supplementalPool\ndomain.ioThreads: {supplementalPoolThreadCount: 2}"
    pool = xml('<iothreads><iothread id="1"/><iothread id="2"/></iothreads>')
    assert built("disk", devices("", "dedicatedIOThread: true"), spec).count(pool) == 2


@pytest.mark.parametrize(
    ("policy", "thread"),
    [
        ("domain.ioThreadsPolicy: auto\ndomain.resources: {requests: {cpu: 2}}", "2"),
        ("domain.ioThreadsPolicy: shared", "1"),
    ],
)
def test_a_scsi_disk_with_its_own_thread_gives_the_controller_the_next_shared_one(built, xml, policy, thread):
    sata, scsi = "{name: t, cdrom: {bus: sata}}", "{name: s, cdrom: {bus: scsi}, dedicatedIOThread: true}"
    text = devices("") + f"- {sata}\n- {scsi}\n"
    assert xml(f'<driver iothread="{thread}" queues="2"/>') in built(
        "controller", text, policy + "\ndomain.cpu: {cores: 2}"
    )


def test_the_scsi_controller_has_no_thread_of_its_own_otherwise(built):
    text = "disks: [{name: s, cdrom: {bus: scsi}}]"
    assert "iothread" not in built("controller", text, "domain.ioThreadsPolicy: auto")
    assert "iothread" not in built("controller", "disks: [{name: s, cdrom: {bus: scsi}, dedicatedIOThread: true}]")
    mixed = "{name: s, cdrom: {bus: scsi}}, {name: v, cdrom: {bus: virtio}, dedicatedIOThread: true}"
    assert "iothread" not in built("controller", f"disks: [{mixed}]", "domain.ioThreadsPolicy: auto")
    pool = "domain.ioThreadsPolicy: supplementalPool\ndomain.ioThreads: {supplementalPoolThreadCount: 2}"
    own = "disks: [{name: s, cdrom: {bus: scsi}, dedicatedIOThread: true}]"
    assert "iothread" not in built("controller", own, pool)
