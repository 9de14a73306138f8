"""The ports that an interface forwards.

Source: pkg/network/admitter/netiface.go; port names: apimachinery, pkg/util/validation/validation.go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from virtcatalog.api.devices import Interface, Port, PortRange
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import duplicate, invalid, required
from virtcatalog.releases import Traits

MAX_PORT_RANGES = 10
_PROTOCOLS = ("TCP", "UDP")
_PORT_NAME = re.compile(r"(?=.{1,15}\Z)(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*", re.DOTALL)


def validate_ports(ports: list[Port], interface_path: str, traits: Traits) -> Iterator[Cause]:
    """The single ports of an interface on the pod network: all names first, then numbers and protocols.

    Source: validatePortConfiguration.
    """
    seen: set[str] = set()
    for index, port in enumerate(ports):
        if not port.name:
            continue
        field = f"{interface_path}.ports[{index}].name"
        if port.name in seen:
            yield duplicate(field, f"an earlier port is also named {port.name!r}")
        if not _PORT_NAME.fullmatch(port.name):
            yield invalid(
                field, f"{port.name!r} must be up to 15 of a-z, 0-9 and single inner hyphens, with one letter at least"
            )
        seen.add(port.name)
    for index, port in enumerate(ports):
        field = f"{interface_path}.ports[{index}]{traits.port_field}"
        if port.port == 0:
            yield required(field, "port must be set")
        elif not 0 < port.port <= traits.highest_port:
            yield invalid(field, f"port {port.port} is not between 1 and 65535")
        if port.protocol and port.protocol not in _PROTOCOLS:
            field = f"{interface_path}.ports[{index}].protocol"
            yield invalid(field, f"protocol {port.protocol!r} is neither TCP nor UDP")


def validate_port_ranges(interface: Interface, interface_path: str) -> Iterator[Cause]:
    """The port ranges of an interface on the pod network (validatePortRangesConfiguration)."""
    name, ranges = interface.name, interface.port_ranges
    if interface.ports:
        yield invalid(f"{interface_path}.name", f"interface {name!r} can have ports or portRanges, not both")
    if interface.masquerade is None:
        yield invalid(f"{interface_path}.name", f"interface {name!r}: portRanges need masquerade")
    if len(ranges) > MAX_PORT_RANGES:
        field = f"{interface_path}.portRanges"
        yield invalid(field, f"{len(ranges)} portRanges are more than {MAX_PORT_RANGES}")
        return
    for index, port_range in enumerate(ranges):
        problem = _problem(port_range)
        if problem:
            yield invalid(f"{interface_path}.portRanges[{index}].{problem[0]}", problem[1])
    for protocol in _PROTOCOLS:
        intervals = sorted(
            (each.start, each.end) for each in ranges if each.protocol == protocol and _problem(each) is None
        )
        for (start, end), (next_start, next_end) in pairwise(intervals):
            if next_start <= end:
                yield invalid(
                    f"{interface_path}.portRanges",
                    f"{protocol} portRanges {start}-{end} and {next_start}-{next_end} overlap",
                )


def _problem(each: PortRange) -> tuple[str, str] | None:
    """The first thing wrong with a range, as (field, message)."""
    if each.protocol not in _PROTOCOLS:
        return "protocol", f"protocol {each.protocol!r} is neither TCP nor UDP"
    if not 0 < each.start < 65536:
        return "start", f"start {each.start} is not between 1 and 65535"
    if not 0 < each.end < 65536:
        return "end", f"end {each.end} is not between 1 and 65535"
    if each.start > each.end:
        return "start", f"start {each.start} is greater than end {each.end}"
    return None
