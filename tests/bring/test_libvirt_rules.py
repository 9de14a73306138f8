"""The user's rules: how they are read, which names they match, and what is said of those that cannot be read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from virtcatalog.bring.libvirt.rules import (
    DiskRule,
    NameRule,
    RuleError,
    Rules,
    device_rule,
    disk_rule,
    matches,
    network_rule,
)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("vda=claim", DiskRule("vda", "claim")),
        ("vda=claim:root", DiskRule("vda", "claim", "root")),
        ("vda=claim:root.v1", DiskRule("vda", "claim", "root.v1")),
        ("vda=clone:gold/fedora", DiskRule("vda", "clone", "gold/fedora")),
        ("*=http:https://x/y=1,z,5Gi", DiskRule("*", "http", "https://x/y=1,z", "5Gi")),
        ("*=registry:docker://x/y:1,1Mi", DiskRule("*", "registry", "docker://x/y:1", "1Mi")),
        ("*=blank:1", DiskRule("*", "blank", "", "1")),
        ("*=upload:2Gi", DiskRule("*", "upload", "", "2Gi")),
        ("*=image:quay.io/a/b:1", DiskRule("*", "image", "quay.io/a/b:1")),
        ("*.iso=drop", DiskRule("*.iso", "drop")),
    ],
)
def test_a_disk_comes_from_somewhere(text: str, rule: DiskRule) -> None:
    assert disk_rule(text) == rule


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("br0=pod", NameRule("br0", "pod")),
        ("br*=office", NameRule("br*", "office")),
        ("br0=vlans/office.v1", NameRule("br0", "vlans/office.v1")),
    ],
)
def test_a_card_is_on_a_network(text: str, rule: NameRule) -> None:
    assert network_rule(text) == rule


def test_a_device_is_of_a_resource() -> None:
    assert device_rule("0000:41:00.0=nvidia.com/A400_1-x") == NameRule("0000:41:00.0", "nvidia.com/A400_1-x")


NO_NAME = "must consist of a-z, 0-9, '-' and '.', every part starting and ending with a letter or digit"


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (disk_rule, "vda", "'vda' is no rule such as vda=claim:root or *.iso=drop"),
        (disk_rule, "=claim", "'=claim' is no rule such as vda=claim:root or *.iso=drop"),
        (disk_rule, "vda=", "'vda=' is no rule such as vda=claim:root or *.iso=drop"),
        (
            disk_rule,
            "vda=tape",
            "'vda=tape': 'tape' is none of claim, clone, http, registry, blank, upload, image, drop",
        ),
        (disk_rule, "vda=blank", "'vda=blank': blank needs a size, such as blank:20Gi"),
        (disk_rule, "vda=blank:0", "'vda=blank:0': blank needs a size, such as blank:20Gi"),
        (disk_rule, "vda=blank:-1Gi", "'vda=blank:-1Gi': blank needs a size, such as blank:20Gi"),
        (disk_rule, "vda=upload:much", "'vda=upload:much': upload needs a size, such as upload:20Gi"),
        (
            disk_rule,
            "vda=http:https://x",
            "'vda=http:https://x': http needs a size, such as http:https://example.org/disk.qcow2,20Gi",
        ),
        (disk_rule, "vda=http:,1Gi", "'vda=http:,1Gi': say of what, such as http:…"),
        (disk_rule, "vda=image", "'vda=image': say of what, such as image:…"),
        (disk_rule, "vda=clone", "'vda=clone': say of what, such as clone:…"),
        (disk_rule, "vda=clone:x", "'vda=clone:x': a claim to clone is named namespace/name"),
        (disk_rule, "vda=clone:x/y/z", "'vda=clone:x/y/z': a claim to clone is named namespace/name"),
        (disk_rule, "vda=drop:x", "'vda=drop:x': drop takes no 'x'"),
        (disk_rule, "vda=claim:A_B", f"'vda=claim:A_B': the claim's name 'A_B' {NO_NAME}"),
        (network_rule, "br0", "'br0' is no rule such as br0=pod or br1=vlans/office"),
        (network_rule, "br0=A_B", f"'br0=A_B': the network's name 'A_B' {NO_NAME}"),
        (network_rule, "br0=a/B", f"'br0=a/B': the network's name 'B' {NO_NAME}"),
        (network_rule, "br0=a/b/c", f"'br0=a/b/c': the network's name 'b/c' {NO_NAME}"),
        (device_rule, "*", "'*' is no rule such as 0000:41:00.0=nvidia.com/A400"),
        (device_rule, "*=A400", "'*=A400': 'A400' is no resource such as nvidia.com/A400"),
    ],
)
def test_what_cannot_be_read_is_said(read: Callable[[str], object], text: str, message: str) -> None:
    with pytest.raises(RuleError) as raised:
        read(text)
    assert str(raised.value) == message


RULES = Rules(
    disks=(DiskRule("vd?", "drop"), DiskRule("vda", "blank", "", "1Gi"), DiskRule("", "image", "x")),
    networks=(NameRule("br*", "office"),),
    devices=(NameRule("0000:*", "example.org/x"),),
)


def test_the_first_that_matches_counts() -> None:
    assert RULES.disk("sda", "vda") == DiskRule("vd?", "drop")
    assert (RULES.network("eth0", "br1"), RULES.resource("x", "0000:1")) == ("office", "example.org/x")


def test_without_a_match_a_disk_is_on_a_claim_and_the_others_have_nothing() -> None:
    assert RULES.disk("sda", "") == DiskRule("*", "claim")
    assert (RULES.network("Br1"), RULES.resource("1:0000:")) == ("", "")


@pytest.mark.parametrize(
    ("pattern", "names", "fits"),
    [("*", ("a",), True), ("*", ("",), False), ("*", (), False), ("a?", ("b", "ab"), True), ("A", ("a",), False)],
)
def test_a_pattern_fits_one_of_the_names(pattern: str, names: tuple[str, ...], fits: bool) -> None:
    assert matches(pattern, names) is fits
