"""What KubeVirt's branch release-1.8 has after v1.8.4: a preview of its next patch release."""

from __future__ import annotations

from msgspec.structs import replace

from virtcatalog.releases import v1_8
from virtcatalog.releases.traits import Branch

_BEFORE = v1_8.RELEASE

RELEASE = replace(
    _BEFORE,
    name="release-1.8",
    branch=Branch(minor=_BEFORE.minor, commit="8c261340eb", date="2026-08-19"),
    traits=replace(
        _BEFORE.traits,
        interface_needs_binding=True,
        infers_from_snapshots=True,
        adds_preferred_panic_device=True,
        pins_supplemental_iothreads_first=True,
    ),
)
