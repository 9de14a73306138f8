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
def found(tmp_path, monkeypatch):
    """What `check` says of a repository with these files: rules, places and messages."""
    monkeypatch.chdir(tmp_path)

    def findings(files, *arguments):
        write(tmp_path, files)
        result = CliRunner().invoke(main, ["check", *arguments])
        assert result.exit_code in (0, 1), result.output
        return [line for line in result.stdout.splitlines() if line.endswith(tuple(f"{rule}]" for rule in RULES))]

    return findings


def test_a_kustomization_of_vms_depends_on_that_of_their_types(found):
    files = {"types/t.yaml": TYPE % "", "apps/web.yaml": VM % "Always"}
    assert found({**files, "flux.yaml": f"{kustomization('types')}---\n{kustomization('apps')}"}) == [
        (
            "flux.yaml:6:1: Kustomization/flux-system/apps: spec.dependsOn: VirtualMachine/web/web names "
            "VirtualMachineClusterInstancetype m.small of Kustomization types, which may come later: add dependsOn: "
            "[{name: types}] (in apps) [warning: sync-order]"
        )
    ]
    depends = ", dependsOn: [{name: types}]"
    assert found({"flux.yaml": f"{kustomization('types')}---\n{kustomization('apps', depends)}"}) == []
    assert found({"flux.yaml": f"{kustomization('types')}---\n{kustomization('apps')}"}, "-e", "types") == []
    between = kustomization("between", depends, "nowhere")
    behind = kustomization("apps", ", dependsOn: [{name: between}]")
    assert found({"flux.yaml": f"{kustomization('types')}---\n{between}---\n{behind}"}) == []


def test_flux_applies_the_types_of_a_kustomization_first(found):
    assert found({"apps/t.yaml": TYPE % "", "apps/web.yaml": VM % "Always", "flux.yaml": kustomization("apps")}) == []


def test_types_of_an_application_are_in_a_lower_wave(found):
    files = {"vms/t.yaml": TYPE % "", "vms/web.yaml": VM % "Always", "app.yaml": application("vms", "vms")}
    assert found(files) == [
        (
            "vms/web.yaml:1:1: VirtualMachine/web/web: names VirtualMachineClusterInstancetype m.small of the same "
            "sync wave or a later one: give it a lower sync wave (in vms) [warning: sync-order]"
        )
    ]
    wave = ', annotations: {argocd.argoproj.io/sync-wave: "-1"}'
    assert found({"vms/t.yaml": TYPE % wave}) == []


def test_an_application_of_types_is_in_a_lower_wave(found):
    files = {"types/t.yaml": TYPE % "", "vms/web.yaml": VM % "Always", "vms.yaml": application("vms", "vms")}
    (finding,) = found({**files, "types.yaml": application("types", "types")})
    assert finding.startswith("vms.yaml:1:1: Application/argocd/vms: VirtualMachine/web/web names ")
    assert "give Application types a lower sync wave than this one" in finding
    wave = ', annotations: {argocd.argoproj.io/sync-wave: "-1"}'
    assert found({"types.yaml": application("types", "types", annotations=wave)}) == []


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
def test_flux_waits_for_a_vm_without_end(found, spec, strategy, message):
    findings = found({"apps/web.yaml": VM % strategy, "flux.yaml": kustomization("apps", spec)})
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


def test_helm_creates_the_vms_of_a_release_before_their_types(found):
    release = RELEASE.replace("resources:\n", RESOURCES).replace("Always,", "Always, instancetype: {name: m.small},")
    assert found({"release.yaml": release % DISABLED}) == [
        (
            "release.yaml:14:7: VirtualMachine/web/web: names VirtualMachineClusterInstancetype m.small of the same "
            "release, in which Helm creates VMs first: deploy it by another one before (in raw) [warning: sync-order]"
        )
    ]


def test_a_release_of_helm_4_waits_for_vms(found):
    (finding,) = found({"release.yaml": RELEASE % ""})
    assert "spec.upgrade.disableWait: waits from Flux 2.8 on for 1 VM (web): after a change of its" in finding
    assert found({"release.yaml": RELEASE % DISABLED}) == []
    assert found({"release.yaml": RELEASE % LEGACY}) == []


def test_argo_cd_waits_for_a_stopped_vm_among_waves(found):
    wave = ', annotations: {argocd.argoproj.io/sync-wave: "-1"}'
    files = {"vms/t.yaml": TYPE % wave, "vms/web.yaml": VM % "Halted", "app.yaml": application("vms", "vms")}
    assert found(files) == [
        (
            "app.yaml:1:1: Application/argocd/vms: has several sync waves, and waits for ever for 1 VM (web), which "
            "Git stops (in vms) [warning: endless-sync]"
        )
    ]
    settings = CliRunner().invoke(main, ["gitops", "argocd", "--health"]).stdout
    assert found({"argocd-cm.yaml": settings}) == []


@pytest.mark.parametrize(
    ("rule", "field"),
    [
        ("jsonPointers: [/spec/template/spec/hostname]", "spec.template.spec.hostname"),
        ("jqPathExpressions: [.spec.template.spec.hostname]", "spec.template.spec.hostname"),
        ("jqPathExpressions: [.spec.instancetype]", "spec.instancetype.name"),
        ("jqPathExpressions: [.spec.runStrategy, .spec.template.spec.domain.cpu]", ""),
        ("jqPathExpressions: [.spec.template.metadata]", ""),
    ],
)
def test_a_rule_that_hides_what_a_machine_is_made_of(found, rule, field):
    ignoring = f"\n          ignoreDifferences: [{{group: kubevirt.io, kind: VirtualMachine, {rule}}}]"
    findings = found({"vms/web.yaml": VM % "Always", "app.yaml": application("vms", "vms", ignoring)})
    start = "app.yaml:1:1: Application/argocd/vms: spec.ignoreDifferences[0]: hides changes of "
    end = " of 1 VM (web): they are neither shown nor synced (in vms) [warning: ignored-too-much]"
    assert findings == ([f"{start}{field}{end}"] if field else [])
