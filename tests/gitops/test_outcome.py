"""What Argo CD and Flux make of a change to a VM."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from msgspec.structs import replace

from virtcatalog import Cluster
from virtcatalog.catalog.labels import FLUX_PRUNE, SYNC_OPTIONS, SYNC_WAVE
from virtcatalog.catalog.places import Source
from virtcatalog.errors import Problem
from virtcatalog.gitops.outcome import Change, Synced, sent, synced
from virtcatalog.repositories.model import Environment, Resource, Syncing

CLUSTER = Cluster([])
ARGOCD = Syncing(tool="Argo CD", kind="Application", heals=True, retries=5, allows_empty=False)
FLUX = Syncing(tool="Flux", kind="Kustomization", waits=True)
HELM = Syncing(tool="Flux", kind="HelmRelease", waits=True)
WEB = "VirtualMachine", "web", "web"
Data = dict[str, Any]


def vm(strategy: str = "Always", memory: str = "1Gi", annotations: dict[str, str] | None = None, **spec: Any) -> Data:
    template = {"domain": {"devices": {}, "memory": {"guest": memory}}, **spec}
    metadata = {"name": "web", "namespace": "web", "annotations": annotations or {"owner": "web"}}
    spec = {"runStrategy": strategy, "template": {"spec": template}}
    return {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": metadata, "spec": spec}


def unit(syncing: Syncing | None, *objects: Data) -> Environment:
    place = Source("app.yaml")
    kind = syncing.kind if syncing is not None else "folder"
    resources = tuple(Resource(obj, lambda _: place) for obj in objects)
    return Environment(name="apps", kind=kind, folder="apps", place=place, resources=resources, syncing=syncing)


def outcome(
    syncing: Syncing | None,
    new: Data | None,
    now: str,
    old: Data | None = None,
    objects: tuple[Data, ...] = (),
    breaks: bool = False,
) -> Synced | None:
    return synced(Change(old, new, CLUSTER, CLUSTER, now, breaks), unit(syncing, *(objects or (new or vm(),))))


def of_types(wave: str) -> Data:
    return {"kind": "VirtualMachineInstancetype", "metadata": {"name": "t", "annotations": {SYNC_WAVE: wave}}}


def test_nobody_is_said_to_apply_what_no_object_deploys():
    assert outcome(None, vm(), "create") is None


@pytest.mark.parametrize("syncing", [ARGOCD, FLUX])
def test_a_manifest_that_stays_as_it_is_is_not_applied_again(syncing):
    assert outcome(syncing, vm(), "refused", vm()) is None


def test_what_is_applied_and_comes_while_the_vm_runs_needs_no_word():
    assert outcome(ARGOCD, vm(memory="2Gi"), "live", vm()) == Synced("Argo CD", "applied")


def test_a_vm_that_waits_for_a_restart_is_healthy_to_argo_cd():
    synced = outcome(ARGOCD, vm(hostname="b"), "restart", vm())
    assert synced == Synced("Argo CD", "applied", ("stays Healthy: nothing shows that the change waits",))


@pytest.mark.parametrize("now", ["restart", "live", "migrate"])
def test_flux_waits_for_every_change_of_a_running_vms_template(now):
    synced = outcome(FLUX, vm(memory="2Gi"), now, vm())
    but = "" if now == "restart" else ", though the change comes without a restart"
    waits = f"Kustomization apps is not ready until someone restarts the VM{but}"
    assert synced == Synced("Flux", "waits", (waits,))
    assert outcome(replace(FLUX, waits=False), vm(memory="2Gi"), now, vm()).outcome == "applied"
    assert outcome(replace(FLUX, waits=False, watched=frozenset({WEB})), vm(memory="2Gi"), now, vm()) == synced


def test_flux_does_not_wait_for_another_spelling_of_the_template_nor_for_labels():
    assert outcome(FLUX, vm(memory="1024Mi"), "unchanged", vm()).outcome == "applied"
    assert outcome(FLUX, vm(annotations={"a": "b"}), "unchanged", vm()).outcome == "applied"


def test_flux_waits_for_a_vm_that_git_stops_and_for_one_that_cannot_run():
    assert outcome(FLUX, vm("Halted"), "stop", vm()).reasons == ("never ready: a stopped VM is not Ready",)
    assert outcome(FLUX, vm(), "create", breaks=True).outcome == "waits"
    assert outcome(FLUX, vm(), "create").outcome == "applied"


def test_a_release_of_helm_4_waits_too():
    assert outcome(HELM, vm("Halted"), "stop", vm()).reasons == (
        "from Flux 2.8 on never ready: a stopped VM is not Ready",
    )


def test_a_refused_vm_keeps_flux_from_applying_anything():
    assert outcome(FLUX, vm(memory="2Gi"), "refused", vm()).reasons == ("nothing of apps is applied till it is mended",)
    assert outcome(HELM, vm(memory="2Gi"), "refused", vm()).reasons == ("the release fails",)


def test_argo_cd_tries_what_is_refused_again():
    assert outcome(ARGOCD, vm(memory="2Gi"), "refused", vm()) == Synced(
        "Argo CD", "fails", ("tried 6 times, then SyncFailed till the next commit; later sync waves are not applied",)
    )


def test_argo_cd_waits_for_a_stopped_vm_where_a_sync_has_several_waves():
    objects = vm("Halted"), of_types("-10")
    synced = outcome(ARGOCD, vm("Halted"), "stop", vm(), objects)
    assert synced.outcome == "waits"
    assert outcome(ARGOCD, vm("Halted"), "stop", vm()).outcome == "applied"
    assert outcome(replace(ARGOCD, own_health=True), vm("Halted"), "stop", vm(), objects).reasons == ()
    hook = {"kind": "Job", "metadata": {"name": "j", "annotations": {"argocd.argoproj.io/hook": "PostSync"}}}
    assert outcome(ARGOCD, vm("Halted"), "stop", vm(), (vm("Halted"), hook)) == synced


def test_annotations_beside_a_vm_that_are_no_map_are_none():
    other = {"kind": "ConfigMap", "metadata": {"name": "c", "annotations": ["x"]}}
    assert outcome(ARGOCD, vm("Halted"), "stop", vm(), (vm("Halted"), other)).outcome == "applied"


def test_a_field_that_is_stored_otherwise_stays_out_of_sync():
    synced = outcome(ARGOCD, vm(memory="2048Mi"), "live", vm())
    assert synced.outcome == "out of sync"
    assert synced.reasons == (
        "OutOfSync for ever, and synced again and again (selfHeal): spec.template.spec.domain.memory.guest",
    )
    assert outcome(replace(ARGOCD, server_diff=True), vm(memory="2048Mi"), "live", vm()).outcome == "applied"


TEMPLATES = [{"metadata": {"name": "root"}, "spec": {"storage": {}, "source": {"blank": {}}}}]


def with_disk(manifest: Data) -> Data:
    manifest = deepcopy(manifest)
    manifest["spec"]["dataVolumeTemplates"] = TEMPLATES
    return manifest


def test_what_a_webhook_adds_to_a_list_shows_where_argo_cd_applies_on_the_server():
    change = with_disk(vm(memory="2Gi")), "live", with_disk(vm())
    on_server = replace(ARGOCD, options=frozenset({"ServerSideApply=true"}))
    assert outcome(ARGOCD, *change).outcome == "applied"
    assert outcome(on_server, *change).outcome == "out of sync"
    annotated = with_disk(vm(memory="2Gi", annotations={SYNC_OPTIONS: "ServerSideApply=true"}))
    assert outcome(ARGOCD, annotated, "live", with_disk(vm())).outcome == "out of sync"


SUBJECT = {"group": "kubevirt.io", "kind": "VirtualMachine"}


@pytest.mark.parametrize(
    "rule",
    [
        {"jsonPointers": ["/spec/template/spec/domain/memory"]},
        {"jqPathExpressions": [".spec.template.spec.domain.memory.guest"]},
        {"jqPathExpressions": ['.spec."template".spec["domain"].memory?']},
    ],
)
def test_a_change_that_is_ignored_is_not_applied(rule):
    ignoring = replace(ARGOCD, ignored=({**SUBJECT, **rule},))
    assert outcome(ignoring, vm(memory="2Gi"), "live", vm()).outcome == "not applied"
    assert outcome(ignoring, vm(memory="2048Mi", hostname="b"), "restart", vm()).outcome == "applied"
    assert outcome(replace(ARGOCD, ignored=({**SUBJECT, **rule, "name": "db"},)), vm(memory="2Gi"), "live", vm()) == (
        Synced("Argo CD", "applied")
    )


def test_a_field_that_is_respected_keeps_its_value():
    rule = {**SUBJECT, "jqPathExpressions": [".spec.template.spec.domain.memory"]}
    syncing = replace(ARGOCD, ignored=(rule,), options=frozenset({"RespectIgnoreDifferences=true"}))
    synced = outcome(syncing, vm(memory="2Gi", hostname="b"), "restart", vm())
    assert synced == Synced(
        "Argo CD",
        "out of sync",
        (
            "spec.template.spec.domain.memory.guest stays as it is: RespectIgnoreDifferences=true",
            "stays Healthy: nothing shows that the change waits",
        ),
    )


def test_fields_in_lists_are_ignored_and_kept_by_their_numbers():
    old, new = (vm(volumes=[{"name": "root", "emptyDisk": {"capacity": size}}]) for size in ("1Gi", "2Gi"))
    rule = {**SUBJECT, "jqPathExpressions": [".spec.template.spec.volumes[0].emptyDisk"]}
    syncing = replace(ARGOCD, ignored=(rule,))
    assert outcome(syncing, new, "restart", old).outcome == "not applied"
    other = vm(volumes=new["spec"]["template"]["spec"]["volumes"], hostname="b")
    respecting = replace(syncing, options=frozenset({"RespectIgnoreDifferences=true"}))
    assert outcome(respecting, other, "restart", old).reasons[0] == (
        "spec.template.spec.volumes[0].emptyDisk.capacity stays as it is: RespectIgnoreDifferences=true"
    )


def test_an_expression_that_is_not_read_may_ignore_it():
    rule = {**SUBJECT, "jqPathExpressions": ["..|.guest?"]}
    synced = outcome(replace(ARGOCD, ignored=(rule,)), vm(memory="2048Mi"), "live", vm())
    assert synced == Synced(
        "Argo CD",
        "out of sync",
        (
            (
                "OutOfSync for ever, and synced again and again (selfHeal): spec.template.spec.domain.memory.guest, "
                "unless ..|.guest? ignores that"
            ),
        ),
    )
    rule["jqPathExpressions"].append("..|.cpu")
    by_hand = replace(ARGOCD, ignored=(rule,), heals=False)
    assert outcome(by_hand, vm(memory="2048Mi"), "live", vm()).reasons == (
        "OutOfSync for ever: spec.template.spec.domain.memory.guest, unless ..|.guest? and 1 more ignores that",
    )


def test_at_most_three_fields_are_named():
    devices = {"devices": {}, "memory": {"guest": "2048Mi"}, "resources": {"limits": {"cpu": 2}}}
    five = vm(domain=devices, nodeSelector={}, tolerations=[], hostname="")
    assert outcome(ARGOCD, five, "restart", vm()).reasons == (
        (
            "OutOfSync for ever, and synced again and again (selfHeal): spec.template.spec.domain.memory.guest, "
            "spec.template.spec.domain.resources.limits.cpu, spec.template.spec.nodeSelector and 2 more"
        ),
        "stays Healthy: nothing shows that the change waits",
    )
    rule = {**SUBJECT, "jsonPointers": ["/spec/template/spec"]}
    syncing = replace(ARGOCD, ignored=(rule,), options=frozenset({"RespectIgnoreDifferences=true"}))
    old, new = vm(), vm(hostname="b", subdomain="c", schedulerName="d", nodeSelector={"a": "b"}, annotations={"e": "f"})
    assert outcome(syncing, new, "live", old).reasons == (
        (
            "spec.template.spec.hostname, spec.template.spec.nodeSelector.a, spec.template.spec.schedulerName and 1 "
            "more stays as it is: RespectIgnoreDifferences=true"
        ),
    )
    annotated = vm(hostname="b", annotations={SYNC_OPTIONS: "RespectIgnoreDifferences=true"})
    assert outcome(replace(ARGOCD, ignored=(rule,)), annotated, "live", old).reasons == (
        "spec.template.spec.hostname stays as it is: RespectIgnoreDifferences=true",
    )


@pytest.mark.parametrize(
    ("syncing", "annotations", "outcome_of_it"),
    [
        (ARGOCD, {}, "applied"),
        (replace(ARGOCD, prunes=False), {}, "not applied"),
        (ARGOCD, {SYNC_OPTIONS: "Prune=false,Validate=false"}, "not applied"),
        (ARGOCD, {SYNC_OPTIONS: "Prune=confirm"}, "not applied"),
        (FLUX, {}, "applied"),
        (replace(FLUX, prunes=False), {}, "not applied"),
        (FLUX, {FLUX_PRUNE: "disabled"}, "not applied"),
        (HELM, {FLUX_PRUNE: "disabled"}, "applied"),
    ],
)
def test_what_is_not_pruned_stays(syncing, annotations, outcome_of_it):
    old = vm(annotations=annotations)
    assert outcome(syncing, None, "delete", old, (vm(),)).outcome == outcome_of_it


def test_an_automated_sync_never_deletes_all():
    change = Change(vm(), None, CLUSTER, CLUSTER, "delete")
    never = "an automated sync never deletes all: sync by hand, or set `allowEmpty`"
    assert synced(change, unit(ARGOCD)) == Synced("Argo CD", "not applied", (never,))
    assert synced(change, unit(replace(ARGOCD, allows_empty=True))).outcome == "applied"
    unrendered = (Problem(file="chart", message="not rendered"),)
    assert synced(change, replace(unit(ARGOCD), unrendered=unrendered)).outcome == "applied"


SSA, RECONCILE = "kustomize.toolkit.fluxcd.io/ssa", "kustomize.toolkit.fluxcd.io/reconcile"


@pytest.mark.parametrize(
    ("syncing", "annotations", "reason"),
    [
        (
            replace(ARGOCD, automatic=False, heals=False),
            {},
            "OutOfSync until someone syncs it: the Application has no `automated`",
        ),
        (
            replace(FLUX, suspended=True, waits=False),
            {},
            "the Kustomization is suspended: nothing is applied before it is resumed",
        ),
        (FLUX, {SSA: "Ignore"}, "an annotation has Flux ignore this VM"),
        (FLUX, {SSA: "IfNotPresent"}, f"{SSA}: IfNotPresent has Flux create this VM, and never change it"),
        (FLUX, {RECONCILE: "disabled"}, "an annotation has Flux ignore this VM"),
    ],
)
def test_what_nobody_sends_is_not_applied(syncing, annotations, reason):
    synced = outcome(syncing, vm(memory="2Gi", annotations=annotations), "live", vm())
    assert synced == Synced(syncing.tool, "not applied", (reason,))


def test_flux_creates_a_vm_that_it_never_changes():
    assert outcome(FLUX, vm(annotations={SSA: "IfNotPresent"}), "create") == Synced("Flux", "applied")


@pytest.mark.parametrize("annotations", [{SSA: "Ignore"}, {SSA: "IfNotPresent"}, {RECONCILE: "disabled"}])
def test_a_release_of_helm_knows_no_annotations_of_kustomizations(annotations):
    assert outcome(HELM, vm(annotations={"a": "b", **annotations}), "unchanged", vm()).outcome == "applied"


@pytest.mark.parametrize(
    ("syncing", "new", "now", "reasons"),
    [
        (
            replace(FLUX, suspended=True),
            vm(hostname="b"),
            "restart",
            (
                "the Kustomization is suspended: nothing is applied before it is resumed",
                "Kustomization apps is not ready until someone restarts the VM",
            ),
        ),
        (
            replace(ARGOCD, automatic=False),
            vm("Halted"),
            "stop",
            (
                "OutOfSync until someone syncs it: the Application has no `automated`",
                "a stopped VM is Suspended, and a sync with several waves waits for it for ever",
            ),
        ),
    ],
)
def test_what_nobody_sends_says_what_it_waits_for_once_someone_does(syncing, new, now, reasons):
    synced = outcome(syncing, new, now, vm(), (new, of_types("-10")))
    assert synced == Synced(syncing.tool, "not applied", reasons)


WAVES = of_types("-10")
KEPT = {SYNC_OPTIONS: "Prune=false", FLUX_PRUNE: "disabled"}
CHANGES = {
    "created": (None, vm(), "create", False),
    "created, and does not run": (None, vm(), "create", True),
    "created stopped": (None, vm("Halted"), "create", False),
    "started, and does not run": (vm("Halted"), vm(), "start", True),
    "deleted": (vm(), None, "delete", False),
    "deleted, and not to be pruned": (vm(annotations=KEPT), None, "delete", False),
    "deleted once confirmed": (vm(annotations={SYNC_OPTIONS: "Prune=confirm"}), None, "delete", False),
    "refused": (vm(), vm(memory="2Gi"), "refused", False),
    "live": (vm(), vm(memory="2Gi"), "live", False),
    "migrates": (vm(), vm(memory="2Gi"), "migrate", False),
    "restarts": (vm(), vm(hostname="b"), "restart", False),
    "restarts, and does not run": (vm(), vm(hostname="b"), "restart", True),
    "waits for a migration": (vm(), vm(hostname="b"), "pending", False),
    "stopped": (vm(), vm("Halted"), "stop", False),
    "spelled otherwise": (vm(), vm(memory="1024Mi"), "unchanged", False),
    "ignored by Flux": (vm(), vm(memory="2Gi", annotations={SSA: "Ignore"}), "live", False),
    "created by Flux alone": (vm(), vm(memory="2Gi", annotations={SSA: "IfNotPresent"}), "live", False),
    "not known": (vm(), vm(memory="2Gi"), "unknown", False),
}
SYNCINGS = {
    "Argo CD": (ARGOCD, ()),
    "Argo CD with waves": (ARGOCD, (WAVES,)),
    "Argo CD with health checks and waves": (replace(ARGOCD, own_health=True), (WAVES,)),
    "Argo CD by hand": (replace(ARGOCD, automatic=False, heals=False, retries=0), ()),
    "Argo CD that does not prune": (replace(ARGOCD, prunes=False), ()),
    "Argo CD that ignores the memory": (
        replace(ARGOCD, ignored=({**SUBJECT, "jsonPointers": ["/spec/template/spec/domain/memory/guest"]},)),
        (),
    ),
    "Flux": (FLUX, ()),
    "Flux that does not wait": (replace(FLUX, waits=False), ()),
    "Flux that does not prune": (replace(FLUX, prunes=False), ()),
    "Flux, suspended": (replace(FLUX, suspended=True), ()),
    "Flux's HelmRelease": (HELM, ()),
}


@pytest.mark.parametrize("tool", SYNCINGS)
def test_all_that_is_said_of_each_change(tool, snapshot):
    syncing, others = SYNCINGS[tool]
    assert {
        name: synced and f"{synced.outcome}: {'; '.join(synced.reasons)}"
        for name, (old, new, now, breaks) in CHANGES.items()
        for synced in (outcome(syncing, new, now, old, (*([new] if new else []), *others) or (vm(),), breaks),)
    } == snapshot


INFERRED = '(.spec.instancetype | select(.inferFromVolume == "root")).inferFromVolume'


@pytest.mark.parametrize(
    ("options", "expressions", "type_sent"),
    [
        ({"RespectIgnoreDifferences=true"}, [INFERRED], {"name": "m.small", "kind": "VirtualMachineInstancetype"}),
        ({"RespectIgnoreDifferences=true"}, [], {"inferFromVolume": "root"}),
        (set(), [INFERRED], {"inferFromVolume": "root"}),
    ],
)
def test_a_type_that_is_inferred_is_sent_by_its_name_where_a_rule_has_it_stay(options, expressions, type_sent):
    root = [{"name": "root", "persistentVolumeClaim": {"claimName": "root"}}]
    old, new = ({**vm(memory=memory, volumes=root)} for memory in ("1Gi", "2Gi"))
    for manifest in (old, new):
        manifest["spec"]["instancetype"] = {"inferFromVolume": "root"}
    labels = {"default-instancetype": "m.small", "default-instancetype-kind": "VirtualMachineInstancetype"}
    labels = {f"instancetype.kubevirt.io/{key}": value for key, value in labels.items()}
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "root", "namespace": "web", "labels": labels},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    rule = {"group": "kubevirt.io", "kind": "VirtualMachine", "jqPathExpressions": expressions}
    syncing = replace(ARGOCD, options=frozenset(options), ignored=(rule,))
    assert sent(old, new, Cluster([claim]), unit(syncing, new))["spec"]["instancetype"] == type_sent
