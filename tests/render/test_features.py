"""What tables show of an instance type beside its size."""

from __future__ import annotations

from typing import Any

import pytest

from virtcatalog.render.features import features, natural, tagged


@pytest.mark.parametrize(
    ("spec", "tag", "text"),
    [
        ({"cpu": {"guest": 2, "dedicatedCPUPlacement": True}}, "dedicated", "dedicated CPUs"),
        ({"cpu": {"isolateEmulatorThread": True}}, "emulator", "isolated emulator thread"),
        ({"cpu": {"numa": {"guestMappingPassthrough": {}}}}, "NUMA", "NUMA passthrough"),
        ({"cpu": {"realtime": {}}}, "realtime", "realtime"),
        ({"cpu": {"model": "Penryn"}}, "Penryn", "CPU model Penryn"),
        ({"memory": {"hugepages": {"pageSize": "2Mi"}}}, "2Mi", "2Mi hugepages"),
        ({"memory": {"overcommitPercent": 50}}, "+50%", "memory overcommitted by 50%"),
        ({"ioThreadsPolicy": "auto"}, "IO threads", "IO threads: auto"),
        ({"gpus": [{"name": "a", "deviceName": "nvidia.com/A30"}]}, "GPU", "1 GPU (nvidia.com/A30)"),
        ({"gpus": [{"deviceName": "b"}, {"deviceName": "b"}]}, "2 GPUs", "2 GPUs (b)"),
        ({"gpus": [{"name": "a"}]}, "GPU", "1 GPU (a)"),
        ({"gpus": [{}]}, "GPU", "1 GPU ()"),
        ({"hostDevices": [{"deviceName": "c"}]}, "device", "1 host device (c)"),
        ({"hostDevices": [{"deviceName": "c"}] * 3}, "3 devices", "3 host devices (c)"),
        ({"launchSecurity": {"sev": {}}}, "sev", "launch security: sev"),
    ],
)
def test_a_feature_has_words_and_a_tag(spec: dict[str, Any], tag: str, text: str) -> None:
    assert tagged(spec) == [(tag, text)]
    assert features(spec) == [text]


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"cpu": {"guest": 1, "dedicatedCPUPlacement": False, "isolateEmulatorThread": False, "numa": {}}},
        {"memory": {"guest": "1Gi", "overcommitPercent": 0}, "ioThreadsPolicy": "", "gpus": [], "launchSecurity": {}},
    ],
)
def test_what_is_off_is_no_feature(spec: dict[str, Any]) -> None:
    assert tagged(spec) == []


def test_features_have_an_order() -> None:
    spec = {
        "launchSecurity": {"snp": {}},
        "hostDevices": [{"deviceName": "d"}],
        "gpus": [{"deviceName": "b"}, {"deviceName": "a"}, {"deviceName": "b"}],
        "ioThreadsPolicy": "shared",
        "memory": {"overcommitPercent": 15, "hugepages": {"pageSize": "1Gi"}},
        "cpu": {
            "model": "host-passthrough",
            "realtime": {},
            "isolateEmulatorThread": True,
            "dedicatedCPUPlacement": True,
        },
    }
    assert features(spec) == [
        "dedicated CPUs",
        "isolated emulator thread",
        "realtime",
        "CPU model host-passthrough",
        "1Gi hugepages",
        "memory overcommitted by 15%",
        "IO threads: shared",
        "2 GPUs (b)",
        "1 GPU (a)",
        "1 host device (d)",
        "launch security: snp",
    ]


def test_a_name_is_compared_by_its_words_and_numbers() -> None:
    assert natural("rhel10.b") == ((-1, "rhel"), (10, ""), (-1, ".b"))
