"""How Applications, Kustomizations and HelmReleases apply VMs: sync-order, endless-sync, ignored-too-much."""

from textwrap import dedent

import pytest
from click.testing import CliRunner

from checkouts import write
from virtcatalog.cli import main

RULES = ("sync-order", "endless-sync", "ignored-too-much")
FLUX = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
SOURCE = "sourceRef: {kind: GitRepository, name: flux-system}"
TYPE = """\
    apiVersion: instancetype.kubevirt.io/v1beta1
    kind: VirtualMachineClusterInstancetype
    metadata: {name: m.small%s}
    spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}
"""
VM = """\
    apiVersion: kubevirt.io/v1
    kind: VirtualMachine
    metadata: {name: web, namespace: web}
    spec:
      runStrategy: %s
      instancetype: {name: m.small}
      template: {spec: {hostname: web, domain: {devices: {}}}}
"""


def kustomization(name, spec="", path=None):
    return (
        f"{FLUX}metadata: {{name: {name}, namespace: flux-system}}\nspec: {{path: ./{path or name}, {SOURCE}{spec}}}\n"
    )


def application(name, path, spec="", annotations=""):
    return dedent(f"""\
        apiVersion: argoproj.io/v1alpha1
        kind: Application
        metadata: {{name: {name}, namespace: argocd{annotations}}}
        spec:
          source: {{repoURL: "https://example.org/fleet.git", path: {path}}}
          destination: {{namespace: web}}
          syncPolicy: {{automated: {{}}}}{spec}
        """)


@pytest.fixture
def findings_of(tmp_path, monkeypatch):
    """What `check` says of a repository with these files: rules, places and messages."""
    monkeypatch.chdir(tmp_path)

    def findings(files, *arguments):
        write(tmp_path, files)
        result = CliRunner().invoke(main, ["check", *arguments])
        assert result.exit_code in (0, 1), result.output
        return [line for line in result.stdout.splitlines() if line.endswith(tuple(f"{rule}]" for rule in RULES))]

    return findings


def test_a_kustomization_of_vms_depends_on_that_of_their_types(findings_of):
    files = {"types/t.yaml": TYPE % "", "apps/web.yaml": VM % "Always"}
    assert findings_of({**files, "flux.yaml": f"{kustomization('types')}---\n{kustomization('apps')}"}) == [
        (
            "flux.yaml:6:1: Kustomization/flux-system/apps: spec.dependsOn: VirtualMachine/web/web names "
            "VirtualMachineClusterInstancetype m.small of Kustomization types, which may come later: add dependsOn: "
            "[{name: types}] (in apps) [warning: sync-order]"
        )
    ]
    depends = ", dependsOn: [{name: types}]"
    assert findings_of({"flux.yaml": f"{kustomization('types')}---\n{kustomization('apps', depends)}"}) == []
    assert findings_of({"flux.yaml": f"{kustomization('types')}---\n{kustomization('apps')}"}, "-e", "types") == []
    between = kustomization("between", depends, "nowhere")
    behind = kustomization("apps", ", dependsOn: [{name: between}]")
    assert findings_of({"flux.yaml": f"{kustomization('types')}---\n{between}---\n{behind}"}) == []


def test_flux_applies_the_types_of_a_kustomization_first(findings_of):
    assert (
        findings_of({"apps/t.yaml": TYPE % "", "apps/web.yaml": VM % "Always", "flux.yaml": kustomization("apps")})
        == []
    )


def test_types_of_an_application_are_in_a_lower_wave(findings_of):
    files = {"vms/t.yaml": TYPE % "", "vms/web.yaml": VM % "Always", "app.yaml": application("vms", "vms")}
    assert findings_of(files) == [
        (
            "vms/web.yaml:1:1: VirtualMachine/web/web: names VirtualMachineClusterInstancetype m.small of the same "
            "sync wave or a later one: give it a lower sync wave (in vms) [warning: sync-order]"
        )
    ]
    wave = ', annotations: {argocd.argoproj.io/sync-wave: "-1"}'
    assert findings_of({"vms/t.yaml": TYPE % wave}) == []


def test_an_application_of_types_is_in_a_lower_wave(findings_of):
    files = {"types/t.yaml": TYPE % "", "vms/web.yaml": VM % "Always", "vms.yaml": application("vms", "vms")}
    assert findings_of({**files, "types.yaml": application("types", "types")}) == [LATER]
    wave = ', annotations: {argocd.argoproj.io/sync-wave: "-1"}'
    assert findings_of({"types.yaml": application("types", "types", annotations=wave)}) == []


LATER = (
    "vms.yaml:1:1: Application/argocd/vms: VirtualMachine/web/web names VirtualMachineClusterInstancetype m.small of "
    "Application types, which may come later: give Application types a lower sync wave than this one (in vms) "
    "[warning: sync-order]"
)


@pytest.mark.parametrize(
    ("types", "vms", "findings"),
    [
        ("blue", "blue", [LATER]),
        ("blue", "green", []),
        ("", "green", [LATER]),
        ("blue", "", [LATER]),
    ],
)
def test_an_application_of_types_in_another_cluster_is_none_of_a_vms(findings_of, types, vms, findings):
    def landing(name, cluster):
        text = application(name, name)
        return text.replace("destination: {", f"destination: {{name: {cluster}, ") if cluster else text

    files = {"types/t.yaml": TYPE % "", "vms/web.yaml": VM % "Always"}
    assert findings_of({**files, "vms.yaml": landing("vms", vms), "types.yaml": landing("types", types)}) == findings


def test_an_application_is_told_once_of_another_whatever_its_vms_name_of_it(findings_of):
    both = "---\n".join(VM.replace("name: web,", f"name: {name},") % "Always" for name in ("web", "db"))
    files = {"types/t.yaml": TYPE % "", "vms/web.yaml": both, "vms.yaml": application("vms", "vms")}
    assert findings_of({**files, "types.yaml": application("types", "types")}) == [LATER]


def test_a_vm_whose_own_application_has_the_type_too_is_told_of_that_one(findings_of):
    files = {"types/t.yaml": TYPE % "", "vms/t.yaml": TYPE % "", "vms/web.yaml": VM % "Always"}
    applications = {"a.yaml": application("a", "types"), "vms.yaml": application("vms", "vms")}
    findings = findings_of({**files, **applications})
    assert [line for line in findings if "Application a" in line] == []
    assert [line.partition(": names ")[0] for line in findings] == ["vms/web.yaml:1:1: VirtualMachine/web/web"]


def test_of_argo_cd_and_flux_nobody_knows_who_comes_first(findings_of):
    files = {"types/t.yaml": TYPE % "", "vms/web.yaml": VM % "Always", "vms.yaml": application("vms", "vms")}
    assert findings_of({**files, "flux.yaml": kustomization("types")}) == []


def test_kustomizations_that_depend_on_each_other_in_a_circle(findings_of):
    circle = "---\n".join(
        (
            kustomization("types"),
            kustomization("apps", ", dependsOn: [{name: next}]"),
            kustomization("next", ", dependsOn: [{name: apps}]", "nowhere"),
        )
    )
    (finding,) = findings_of({"types/t.yaml": TYPE % "", "apps/web.yaml": VM % "Always", "flux.yaml": circle})
    assert finding.endswith("which may come later: add dependsOn: [{name: types}] (in apps) [warning: sync-order]")


@pytest.mark.parametrize(
    ("spec", "strategy", "message"),
    [
        (
            ", wait: true",
            "Always",
            (
                "spec.wait: waits for 1 VM (web): after a change of its template it is not ready before someone "
                "restarts the VM"
            ),
        ),
        (", wait: true", "Halted", "spec.wait: waits for 1 VM (web), which Git stops: it is never ready"),
        (
            ", healthChecks: [{apiVersion: kubevirt.io/v1, kind: VirtualMachine, name: web, namespace: web}]",
            "Halted",
            "spec.healthChecks: waits for 1 VM (web), which Git stops: it is never ready",
        ),
        (
            ", healthChecks: [{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstance, name: web, namespace: web}]",
            "Halted",
            "",
        ),
        (", wait: false", "Halted", ""),
        (", wait: true, suspend: true", "Halted", ""),
    ],
)
def test_flux_waits_for_a_vm_without_end(findings_of, spec, strategy, message):
    findings = findings_of({"apps/web.yaml": VM % strategy, "flux.yaml": kustomization("apps", spec)})
    start = "flux.yaml:1:1: Kustomization/flux-system/apps: "
    assert findings == ([f"{start}{message} (in apps) [warning: endless-sync]"] if message else [])


RELEASE = """\
    apiVersion: helm.toolkit.fluxcd.io/v2
    kind: HelmRelease
    metadata: {name: raw, namespace: web}
    spec:
      chart: {spec: {chart: raw, sourceRef: {kind: HelmRepository, name: charts}}}%s
      values:
        resources:
        - apiVersion: kubevirt.io/v1
          kind: VirtualMachine
          metadata: {name: web}
          spec: {runStrategy: Always, template: {spec: {domain: {devices: {}}}}}
"""
DISABLED = "\n      install: {disableWait: true}\n      upgrade: {disableWait: true}"
LEGACY = "\n      waitStrategy: {name: legacy}"
RESOURCES = """\
resources:
        - apiVersion: instancetype.kubevirt.io/v1beta1
          kind: VirtualMachineClusterInstancetype
          metadata: {name: m.small}
          spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}
"""


def test_helm_creates_the_vms_of_a_release_before_their_types(findings_of):
    release = RELEASE.replace("resources:\n", RESOURCES).replace("Always,", "Always, instancetype: {name: m.small},")
    assert findings_of({"release.yaml": release % DISABLED}) == [
        (
            "release.yaml:14:7: VirtualMachine/web/web: names VirtualMachineClusterInstancetype m.small of the same "
            "release, in which Helm creates VMs first: deploy it by another one before (in raw) [warning: sync-order]"
        )
    ]


def test_a_release_of_helm_4_waits_for_vms(findings_of):
    assert findings_of({"release.yaml": RELEASE % ""}) == [
        (
            "release.yaml:1:1: HelmRelease/web/raw: spec.upgrade.disableWait: waits from Flux 2.8 on for 1 VM (web): "
            "after a change of its template it is not ready before someone restarts the VM (in raw) "
            "[warning: endless-sync]"
        )
    ]
    assert findings_of({"release.yaml": RELEASE % DISABLED}) == []
    assert findings_of({"release.yaml": RELEASE % LEGACY}) == []


def test_three_of_many_vms_that_are_waited_for_are_named(findings_of):
    vms = "---\n".join(VM.replace("name: web,", f"name: {name},") % "Halted" for name in ("a", "b", "c", "d"))
    start = "flux.yaml:1:1: Kustomization/flux-system/apps: spec.wait: waits for "
    end = ", which Git stops: it is never ready (in apps) [warning: endless-sync]"
    files = {"apps/web.yaml": vms, "flux.yaml": kustomization("apps", ", wait: true")}
    assert findings_of(files) == [f"{start}4 VMs (a, b, c and 1 more){end}"]
    running = VM.replace("name: web,", "name: e,") % "Always"
    assert findings_of({**files, "apps/web.yaml": f"{VM % 'Halted'}---\n{running}"}) == [f"{start}1 VM (web){end}"]


def test_flux_waits_for_vms_alone(findings_of):
    pool = """\
        apiVersion: pool.kubevirt.io/v1beta1
        kind: VirtualMachinePool
        metadata: {name: web, namespace: web}
        spec:
          replicas: 1
          selector: {matchLabels: {a: b}}
          virtualMachineTemplate:
            metadata: {labels: {a: b}}
            spec: {runStrategy: Always, template: {metadata: {labels: {a: b}}, spec: {domain: {devices: {}}}}}
        """
    assert findings_of({"apps/web.yaml": pool, "flux.yaml": kustomization("apps", ", wait: true")}) == []


@pytest.mark.parametrize(("strategy", "wave"), [("Always", "-1"), ("Halted", "0")])
def test_argo_cd_waits_for_no_vm_that_runs_and_in_no_single_wave(findings_of, strategy, wave):
    annotations = f', annotations: {{argocd.argoproj.io/sync-wave: "{wave}"}}'
    files = {"vms/t.yaml": TYPE % annotations, "vms/web.yaml": VM % strategy, "app.yaml": application("vms", "vms")}
    assert [line for line in findings_of(files) if "endless-sync" in line] == []


def test_argo_cd_waits_for_a_stopped_vm_among_waves(findings_of):
    wave = ', annotations: {argocd.argoproj.io/sync-wave: "-1"}'
    files = {"vms/t.yaml": TYPE % wave, "vms/web.yaml": VM % "Halted", "app.yaml": application("vms", "vms")}
    assert findings_of(files) == [
        (
            "app.yaml:1:1: Application/argocd/vms: has several sync waves, and waits for ever for 1 VM (web), which "
            "Git stops (in vms) [warning: endless-sync]"
        )
    ]
    settings = CliRunner().invoke(main, ["gitops", "argocd", "--health"]).stdout
    assert findings_of({"argocd-cm.yaml": settings}) == []


MACHINE = """\
    apiVersion: kubevirt.io/v1
    kind: VirtualMachine
    metadata: {name: web, namespace: web}
    spec:
      runStrategy: Always
      instancetype: {name: m.small}
      preference: {inferFromVolume: root, kind: VirtualMachinePreference}
      dataVolumeTemplates:
      - {metadata: {name: root}, spec: {storage: {resources: {requests: {storage: 1Gi}}}, source: {blank: {}}}}
      template:
        metadata: {labels: {app: web}}
        spec:
          hostname: web
          nodeSelector: {}
          domain: {devices: {interfaces: [{name: default, masquerade: {}}]}}
          networks: [{name: default, pod: {}}]
          volumes: [{name: root, dataVolume: {name: root}}]
"""


@pytest.mark.parametrize(
    ("rule", "field"),
    [
        ("jsonPointers: [/spec/template/spec/hostname]", "spec.template.spec.hostname"),
        ("jqPathExpressions: [.spec.template.spec.hostname]", "spec.template.spec.hostname"),
        ("jqPathExpressions: [.spec.instancetype]", "spec.instancetype.name"),
        ("jqPathExpressions: [.spec.runStrategy, .spec.template.spec.domain.cpu]", ""),
        ("jqPathExpressions: [.spec.template.metadata]", ""),
        ("jqPathExpressions: [.spec.dataVolumeTemplates]", "spec.dataVolumeTemplates[0].metadata.name"),
        ("jsonPointers: [/spec/preference/kind]", "spec.preference.kind"),
        ("jqPathExpressions: ['.spec.template.spec.networks[0].name']", "spec.template.spec.networks[0].name"),
        ("jqPathExpressions: ['.spec.template.spec.networks[1].name']", ""),
        ("jqPathExpressions: ['.spec.template.spec.networks[].pod']", "spec.template.spec.networks[0].pod"),
        ("jqPathExpressions: [.spec.preference.inferFromVolume]", ""),
        ("jsonPointers: [/spec/template/spec/domain/cpu]", ""),
        ("jsonPointers: [/spec/template/spec/nodeSelector]", ""),
    ],
)
def test_a_rule_that_hides_what_a_machine_is_made_of(findings_of, rule, field):
    ignoring = f"\n          ignoreDifferences: [{{group: kubevirt.io, kind: VirtualMachine, {rule}}}]"
    findings = findings_of({"vms/web.yaml": MACHINE, "app.yaml": application("vms", "vms", ignoring)})
    start = "app.yaml:1:1: Application/argocd/vms: spec.ignoreDifferences[0]: hides changes of "
    end = " of 1 VM (web): they are neither shown nor synced (in vms) [warning: ignored-too-much]"
    assert findings == ([f"{start}{field}{end}"] if field else [])


def test_each_rule_that_hides_changes_names_the_vms_that_it_is_about(findings_of):
    rules = """
          ignoreDifferences:
          - {group: apps, kind: Deployment, jsonPointers: [/spec/template/spec/hostname]}
          - {group: kubevirt.io, kind: VirtualMachine, name: db, jsonPointers: [/spec/template/spec/hostname]}
          - {group: kubevirt.io, kind: "*", jsonPointers: [/spec/instancetype, /spec/template/spec/hostname]}"""
    untyped = VM.replace("name: web,", "name: db,").replace("      instancetype: {name: m.small}\n", "")
    vms = f"{VM % 'Always'}---\n{untyped % 'Always'}"
    end = "they are neither shown nor synced (in vms) [warning: ignored-too-much]"
    start = "app.yaml:1:1: Application/argocd/vms: spec.ignoreDifferences"
    assert findings_of({"vms/web.yaml": vms, "app.yaml": application("vms", "vms", rules)}) == [
        f"{start}[1]: hides changes of spec.template.spec.hostname of 1 VM (db): {end}",
        f"{start}[2]: hides changes of spec.instancetype.name of 2 VMs (web, db): {end}",
    ]
