"""The type of a KubeVirt release: what belongs to one release rather than to its API."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any

import msgspec


class Stage(Enum):
    """How far a feature gate has come; `feature_gate` of the configuration says what follows from it."""

    ALPHA = "Alpha"
    BETA = "Beta"
    GA = "General Availability"
    DEPRECATED = "Deprecated"
    DISCONTINUED = "Discontinued"


class Traits(msgspec.Struct, frozen=True, kw_only=True):
    """What KubeVirt does in some releases and not in others, one field a behaviour.

    The default is what the oldest release does that is modelled; a release names the traits in which it differs from
    the one before it. Rules ask for the trait, never for the release.
    """

    beta_gates_are_on: bool = False
    """Beta feature gates are on unless disabled, and gates that nobody registered stay off when they are named; before,
    a gate is on when it is GA or named (pkg/virt-config/featuregate/feature-gates.go, IsEnabled)."""


class Release(msgspec.Struct, frozen=True, kw_only=True):
    """One KubeVirt release.

    `feature_gates` gives every registered gate its stage (pkg/virt-config/featuregate); `configuration` is the KubeVirt
    CR's `spec.configuration` as it is while nobody sets anything, without what only migrations and clients of the API
    server read (pkg/virt-config/configuration.go); `firmware` are the files of the launcher's image by directory;
    `pci_topology_version` is what new machines are annotated with (vmi-mutator.go).
    """

    name: str
    feature_gates: Mapping[str, Stage]
    configuration: Mapping[str, Any]
    firmware: Mapping[str, tuple[str, ...]]
    pci_topology_version: str
    traits: Traits = Traits()

    @property
    def minor(self) -> tuple[int, int]:
        """The release without its patch number: `(1, 9)`."""
        major, minor, _ = self.name.removeprefix("v").split(".")
        return int(major), int(minor)

    def __str__(self) -> str:
        return self.name


def gates(before: Mapping[str, Stage] = MappingProxyType({}), **stages: str) -> Mapping[str, Stage]:
    """Return the gates of the release before with the stages that are new, `ALPHA="OneGate AnotherGate"`."""
    changed = {gate: Stage[stage] for stage, names in stages.items() for gate in names.split()}
    return MappingProxyType({**before, **changed})
