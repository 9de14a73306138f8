import pytest

from virtcatalog.kubevirt.admission.lifecycle import (
    validate_eviction_strategy,
    validate_reboot_policy,
    validate_start_strategy,
)


@pytest.mark.parametrize(
    ("spec", "causes"),
    [
        ("startStrategy: Paused", []),
        ("{startStrategy: Paused, readinessProbe: {exec: {}}}", []),
        ("startStrategy: Running", ["Invalid spec.startStrategy"]),
        ("{startStrategy: Paused, livenessProbe: {exec: {}}}", ["Invalid spec.startStrategy"]),
    ],
)
def test_a_vm_starts_paused_or_at_once(causes_of, spec, causes):
    assert causes_of(validate_start_strategy, spec) == causes


@pytest.mark.parametrize("strategy", ["LiveMigrate", "LiveMigrateIfPossible", "None", "External"])
def test_eviction_strategies(causes_of, strategy):
    assert causes_of(validate_eviction_strategy, f"evictionStrategy: {strategy}") == []


@pytest.mark.parametrize(
    ("spec", "config", "causes"),
    [
        ("evictionStrategy: Move", "", ["Invalid spec.evictionStrategy"]),
        ("evictionStrategy: ''", "", ["Invalid spec.evictionStrategy"]),
        ("", "evictionStrategy: LiveMigrate", []),
        ("", "evictionStrategy: Move", [" "]),
        ("evictionStrategy: None", "evictionStrategy: Move", []),
    ],
)
def test_the_vms_eviction_strategy_counts_before_the_clusters(causes_of, spec, config, causes):
    assert causes_of(validate_eviction_strategy, spec, config) == causes


def test_a_reboot_policy_needs_its_gate(causes_of):
    assert causes_of(validate_reboot_policy, "domain.rebootPolicy: Reboot") == []
    config = "developerConfiguration.disabledFeatureGates: [RebootPolicy]"
    assert causes_of(validate_reboot_policy, "domain.rebootPolicy: Reboot", config) == [
        "Invalid spec.domain.rebootPolicy"
    ]
