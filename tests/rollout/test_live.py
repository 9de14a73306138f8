"""What a running machine gets at once, and why it does not: CPUs, memory, placement, annotations."""

import pytest

from rollout.conftest import edited, kubevirt, shown

CPU = "template__spec__domain__cpu"
MEMORY = "template__spec__domain__memory"


@pytest.mark.parametrize(
    ("sockets", "reason"), [(2, None), (8, None), (9, "cpu-max"), (1, "cpu-reduced"), (0, "cpu-reduced")]
)
def test_sockets_grow_up_to_the_limit_of_the_start(vm, sockets, reason, roll):
    outcome = roll(vm, edited(vm, **{f"{CPU}__sockets": sockets}))
    assert (outcome.restart.reason if outcome.restart else None) == reason
    assert shown(outcome.live) == ({"/spec/domain/cpu/sockets": 8} if sockets == 8 else {})


def test_arm64_plugs_no_cpus_in(vm, roll):
    arm = edited(vm, template__spec__architecture="arm64", template__spec__domain__cpu__maxSockets=8)
    outcome = roll(arm, edited(arm, **{f"{CPU}__sockets": 4}), architecture="arm64")
    assert outcome.restart.reason == "cpu-arm"


@pytest.mark.parametrize(
    ("resources", "ratio", "expected"),
    [
        ({}, 10, {}),
        ({"requests": {"cpu": "500m"}}, 10, {"requests/cpu": "700m"}),
        ({"requests": {"cpu": "500m"}, "limits": {"cpu": "2"}}, 4, {"requests/cpu": "1", "limits/cpu": "2500m"}),
        ({"requests": {"cpu": "500m"}}, 3, {"requests/cpu": "1166m"}),  # 1000 / 3 is cut to 333
    ],
)
def test_what_is_asked_of_the_node_grows_with_the_vcpus(vm, resources, ratio, expected, roll):
    vm = edited(vm, template__spec__domain__resources=resources)
    configured = kubevirt(developerConfiguration={"cpuAllocationRatio": ratio})
    outcome = roll(vm, edited(vm, **{f"{CPU}__sockets": 4}), configured)
    prefix = "/spec/domain/resources/"
    cells = {path.removeprefix(prefix): value for path, value in shown(outcome.live).items() if path.startswith(prefix)}
    assert cells == expected


@pytest.mark.parametrize(
    ("guest", "reason"),
    [
        ("4Gi", None),
        ("8Gi", None),
        ("9Gi", "memory-unsupported"),
        ("3000M", "memory-unsupported"),
        ("1Gi", "memory-lower"),
        ("512Mi", "memory-unsupported"),
    ],
)
def test_memory_grows_up_to_the_limit_of_the_start(vm, guest, reason, roll):
    outcome = roll(vm, edited(vm, **{f"{MEMORY}__guest": guest}))
    assert (outcome.restart.reason if outcome.restart else None) == reason
    assert shown(outcome.live) == ({} if reason else {"/spec/domain/memory/guest": guest})
    assert outcome.conditions == (() if reason else (("HotMemoryChange", "True"),))


def test_memory_comes_with_a_migration_or_not_at_all(vm, roll):
    stuck = edited(vm)
    stuck["spec"]["template"]["spec"]["domain"]["devices"]["interfaces"] = [{"name": "default", "bridge": {}}]
    outcome = roll(stuck, edited(stuck, **{f"{MEMORY}__guest": "4Gi"}))
    assert (outcome.restart.reason, outcome.migration.migratable) == ("memory-not-migratable", False)


def test_a_machine_that_was_started_under_stage_has_no_room(vm, roll):
    staged = [kubevirt(vmRolloutStrategy="Stage")]
    more = edited(vm, **{f"{MEMORY}__guest": "4Gi"})
    assert roll(vm, more, *staged, later=[kubevirt()]).restart.reason == "memory-unavailable"
    assert roll(vm, edited(vm, **{f"{CPU}__sockets": 4}), *staged, later=[kubevirt()]).restart.reason == "cpu-max"


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ({"requests": {"memory": "1Gi"}}, {"requests": "4Gi"}),  # 3Gi would be less than the guest has
        ({"requests": {"memory": "2Gi"}}, {"requests": "4Gi"}),
        ({"requests": {"memory": "2Gi"}, "limits": {"memory": "3Gi"}}, {"requests": "4Gi", "limits": "5Gi"}),
        ({"requests": {"memory": "1Gi"}, "limits": {"memory": "3Gi"}}, {"requests": "4Gi"}),
    ],
)
def test_requests_and_limits_grow_with_the_memory(vm, resources, expected, roll):
    vm = edited(vm, template__spec__domain__resources=resources)
    outcome = roll(vm, edited(vm, **{f"{MEMORY}__guest": "4Gi"}))
    limits = {path.split("/")[4]: value for path, value in shown(outcome.live).items() if path.endswith("/memory")}
    assert limits == expected


def test_the_overhead_ratio_of_now_is_noted_with_memory(vm, roll):
    outcome = roll(
        vm, edited(vm, **{f"{MEMORY}__guest": "4Gi"}), later=[kubevirt(additionalGuestMemoryOverheadRatio="1.5")]
    )
    assert shown(outcome.live)["/labels/kubevirt.io~1memory-hotplug-overhead-ratio"] == "1.5"


def test_cpu_and_memory_that_both_need_a_restart_tell_the_first_reason(vm, roll):
    both = edited(vm, **{f"{CPU}__sockets": 9, f"{MEMORY}__guest": "9Gi"})
    assert roll(vm, both).restart.reason == "cpu-max"


def test_memory_is_plugged_in_though_the_cpus_need_a_restart(vm, roll):
    outcome = roll(vm, edited(vm, **{f"{CPU}__sockets": 9, f"{MEMORY}__guest": "4Gi"}))
    assert outcome.restart.reason == "cpu-max"
    # The next pass of the controller finds the condition gone and set again: what is live stays live.
    assert shown(outcome.live) == {"/spec/domain/memory/guest": "4Gi"}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("nodeSelector", {"zone": "a"}),
        ("tolerations", [{"key": "a", "operator": "Exists"}]),
        ("affinity", {"nodeAffinity": {}}),
    ],
)
def test_where_a_machine_may_go_changes_at_once_without_a_migration(vm, field, value, roll):
    placed = edited(vm, **{f"template__spec__{field}": value})
    outcome = roll(vm, placed)
    assert shown(outcome.live) == {f"/spec/{field}": value}
    assert (outcome.restart_required, outcome.migration.required) == (False, "no")
    assert shown(roll(placed, vm).live) == {f"/spec/{field}": None}


def test_nothing_is_plugged_in_beside_a_field_that_needs_a_restart(vm, roll):
    outcome = roll(vm, edited(vm, **{f"{CPU}__sockets": 4, "template__spec__hostname": "w"}))
    assert (outcome.restart.reason, outcome.live) == ("template", ())


def test_a_vm_that_names_no_topology_needs_a_restart_from_the_start(vm, roll):
    bare = edited(vm, **{CPU: {}})
    outcome = roll(bare, bare)
    assert outcome.restart_before.reason == outcome.restart.reason == "cpu-reduced"
    # The condition keeps its reason until it goes.
    assert roll(bare, edited(bare, template__spec__hostname="w")).restart.reason == "cpu-reduced"


def test_annotations_for_the_descheduler_follow(vm, roll):
    key = "descheduler.alpha.kubernetes.io/evict"
    marked = edited(vm, template__metadata={"annotations": {key: "true", "other": "x"}})
    path = f"/annotations/{key.replace('/', '~1')}"
    assert shown(roll(vm, marked).live) == {path: "true"}
    assert shown(roll(marked, vm).live) == {path: None}


def test_an_annotation_of_the_vm_and_one_of_its_template_do_not_follow_at_once(vm, roll):
    marked = edited(vm, template__metadata={"annotations": {"descheduler.alpha.kubernetes.io/evict": "true"}})
    marked["metadata"] = {**vm["metadata"], "annotations": {"kubevirt.io/skip-backup-hooks": "true"}}
    outcome = roll(vm, marked)
    assert outcome.live == ()
    assert "cannot change at once" in outcome.error[0].message


def test_labels_of_the_template_wait_for_the_next_start(vm, roll):
    outcome = roll(vm, edited(vm, template__metadata={"labels": {"tier": "front"}}))
    assert (outcome.live, outcome.restart_required, outcome.generation_observed) == ((), False, False)
    assert shown(outcome.following.changes) == {"/labels/tier": "front"}
