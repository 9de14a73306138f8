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
def test_a_vm_starts_paused_or_at_once(found, spec, causes):
    assert found(validate_start_strategy, spec) == causes


@pytest.mark.parametrize("strategy", ["LiveMigrate", "LiveMigrateIfPossible", "None", "External"])
def test_eviction_strategies(found, strategy):
    assert found(validate_eviction_strategy, f"evictionStrategy: {strategy}") == []


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
def test_the_vms_eviction_strategy_counts_before_the_clusters(found, spec, config, causes):
    assert found(validate_eviction_strategy, spec, config) == causes


def test_a_reboot_policy_needs_its_gate(found):
    assert found(validate_reboot_policy, "domain.rebootPolicy: Reboot") == []
    config = "developerConfiguration.disabledFeatureGates: [RebootPolicy]"
    assert found(validate_reboot_policy, "domain.rebootPolicy: Reboot", config) == ["Invalid spec.domain.rebootPolicy"]
