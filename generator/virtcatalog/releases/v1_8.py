"""KubeVirt v1.8.4, as it differs from the release before it."""

from __future__ import annotations

from types import MappingProxyType

from msgspec.structs import replace

from virtcatalog.releases import v1_7
from virtcatalog.releases.traits import gates

RELEASE = replace(
    v1_7.RELEASE,
    name="v1.8.4",
    feature_gates=gates(
        v1_7.RELEASE.feature_gates,
        ALPHA="""
            ConfigurableHypervisor ContainerPathVolumes LibvirtHooksServerAndClient OptOutRoleAggregation
            PCINUMAAwareTopology RebootPolicy ReservedOverheadMemlock Template UtilityVolumes VmiMemoryOverheadReport
        """,
        BETA="""
            ExternalNetResourceInjection LiveUpdateNADRef MigrationPriorityQueue PasstBinding
            PodSecondaryInterfaceNamingUpgrade
        """,
        GA="EnableVirtioFsConfigVolumes",
        DEPRECATED="DisableMDEVConfiguration MultiArchitecture",
        DISCONTINUED="ExperimentalVirtiofsSupport PasstIPStackMigration",
    ),
    configuration=MappingProxyType({**v1_7.RELEASE.configuration, "hypervisors": [{"name": "kvm"}]}),
)
