"""`virtcatalog gitops`: what it prints, of what it warns and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import otheryaml
from checkouts import write
from virtcatalog.cli import main

URL = "https://git.example.org/platform/catalog.git"
CATALOG = "name: house\nkubevirt: v1.7.0\n"
PROTECTED = f"{CATALOG}gitops: {{argocd: {{prune: false}}, flux: {{prune: false}}}}\n"
OVERLAYS = """\
production: {scope: cluster}
staging: {scope: cluster}
lab: {scope: namespaced, namespace: virt-lab}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "catalog", {"catalog.yaml": PROTECTED, "overlays.yaml": OVERLAYS})
    write(tmp_path / "catalog", {"instancetypes/h.yaml": "class: h\nsizes: {small: {vcpus: 1, memory: 1Gi}}\n"})
    return tmp_path


def gitops(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["gitops", *arguments])


def printed(*arguments: str) -> list[dict]:
    result = gitops(*arguments)
    assert result.exit_code == 0, result.stderr
    return otheryaml.load_all(result.stdout)


def test_argo_cd_gets_one_application_set_over_all_overlays(folder):
    (application_set,) = printed("argocd", "--repo-url", URL)
    assert (application_set["kind"], application_set["metadata"]["name"]) == ("ApplicationSet", "house")
    assert [element["overlay"] for element in application_set["spec"]["generators"][0]["list"]["elements"]] == [
        "production",
        "staging",
        "lab",
    ]


def test_or_an_application_for_each_path(folder):
    applications = printed(
        "argocd", "--repo-url", URL, "--path", "output/overlays/lab", "--path", "./output/overlays/staging/"
    )
    assert [(obj["kind"], obj["metadata"]["name"]) for obj in applications] == [
        ("Application", "house-lab"),
        ("Application", "house-staging"),
    ]


@pytest.mark.parametrize("tool", ["argocd", "flux"])
def test_what_is_deleted_once_it_is_no_longer_rendered_is_said(folder, tool):
    assert "is deleted" not in gitops(tool, "--repo-url", URL).stderr
    write(folder / "catalog", {"catalog.yaml": CATALOG})
    assert "note: in production, staging, lab an object that is no" in gitops(tool, "--repo-url", URL).stderr
    assert gitops(tool, "--repo-url", URL, "--path", "output/overlays/lab").stderr.startswith("note: in lab an object")
    write(folder / "catalog", {"catalog.yaml": PROTECTED})
    write(
        folder / "catalog",
        {"overlays.yaml": OVERLAYS.replace("virt-lab", f"virt-lab, gitops: {{{tool}: {{prune: true}}}}")},
    )
    assert "note: in lab an object" in gitops(tool, "--repo-url", URL).stderr


def test_an_environment_is_chosen_by_its_name_too(folder):
    by_path = gitops("argocd", "--repo-url", URL, "--path", "output/overlays/lab").stdout
    assert gitops("argocd", "--repo-url", URL, "-e", "lab").stdout == by_path != ""
    oci = ("flux", "--repo-url", "oci://registry.example.org/catalog")
    assert gitops(*oci, "-e", "lab").stdout == gitops(*oci, "--path", "overlays/lab").stdout != ""
    assert "did you mean 'output/overlays/lab'?" in gitops("argocd", "--repo-url", URL, "-e", "lap").stderr


def test_every_overlay_may_go_to_a_cluster_of_its_own(folder):
    result = gitops("argocd", "--repo-url", URL, "--cluster", "production=prod-1", "--cluster", "staging=stage-1")
    elements = otheryaml.load(result.stdout)["spec"]["generators"][0]["list"]["elements"]
    assert [element["cluster"] for element in elements] == ["prod-1", "stage-1", "in-cluster"]
    assert result.stderr == ""


def test_an_overlay_may_go_to_several_clusters(folder):
    options = ("--cluster", "production=eu-1", "--cluster", "production=us-1", "--cluster", "staging=stage-1")
    (application_set,) = printed("argocd", "--repo-url", URL, *options)
    elements = application_set["spec"]["generators"][0]["list"]["elements"]
    assert [(element["application"], element["cluster"]) for element in elements] == [
        ("production-eu-1", "eu-1"),
        ("production-us-1", "us-1"),
        ("staging", "stage-1"),
        ("lab", "in-cluster"),
    ]


def test_clusters_of_overlays_yaml_get_an_application_each(folder):
    overlays = folder / "catalog/overlays.yaml"
    overlays.write_text(overlays.read_text().replace("virt-lab}", "virt-lab, clusters: [lab-1, lab-2]}"))
    applications = printed("argocd", "--repo-url", URL, "--path", "output/overlays/lab")
    assert [(obj["metadata"]["name"], obj["spec"]["destination"]["name"]) for obj in applications] == [
        ("house-lab-lab-1", "lab-1"),
        ("house-lab-lab-2", "lab-2"),
    ]
    (chosen,) = printed("argocd", "--repo-url", URL, "--path", "output/overlays/lab", "--cluster", "lab=other")
    assert chosen["spec"]["destination"]["name"] == "other"


def test_it_warns_of_overlays_that_overwrite_each_other(folder):
    result = gitops("argocd", "--repo-url", URL)
    assert result.stderr == (
        "warning: production and staging have objects in common, and would be in one cluster; "
        "give them clusters of their own by --cluster, or choose by --path\n"
    )
    assert gitops("flux", "--repo-url", URL, "--path", "output/overlays/lab").stderr == ""


def test_names_places_and_revisions_can_be_chosen(folder):
    options = ("--name", "types", "--namespace", "gitops", "--tree", "virt/out", "--revision", "stable")
    (application_set,) = printed("argocd", "--repo-url", URL, *options)
    assert application_set["metadata"] == {"name": "types", "namespace": "gitops"}
    assert application_set["spec"]["template"]["spec"]["source"] == {
        "repoURL": URL,
        "targetRevision": "stable",
        "path": "virt/out/overlays/{{ .overlay }}",
    }


def test_flux_gets_a_source_and_kustomizations(folder):
    objects = printed("flux", "--repo-url", URL)
    assert [obj["kind"] for obj in objects] == ["GitRepository", "Namespace", *["Kustomization"] * 3]
    objects = printed("flux", "--repo-url", "oci://registry.example.org/house", "--path", "overlays/staging")
    assert [obj["kind"] for obj in objects] == ["OCIRepository", "Kustomization"]


@pytest.mark.parametrize("tree", ["a;b", "*", "!a", "a\nb", "# a", "out put", "$(touch pwned)"])
def test_a_tree_of_any_name_is_no_pattern(folder, tree):
    (application,) = printed("argocd", "--repo-url", URL, "--tree", tree, "--path", f"{tree}/overlays/lab")
    assert "annotations" not in application["metadata"]
    assert application["spec"]["source"]["path"] == f"{tree}/overlays/lab"
    source = printed("flux", "--repo-url", URL, "--tree", tree, "--path", f"{tree}/overlays/lab")[0]
    assert "ignore" not in source["spec"]


@pytest.mark.parametrize(
    "options",
    [
        ["--revision", "{{ .x }}"],
        ["--tree", "{{x}}"],
        ["--cluster", "lab={{ .overlay }}"],
        ["--repo-url", "https://x/{{"],
    ],
)
def test_no_text_is_a_template_of_an_application_set(folder, options):
    result = gitops("argocd", "--repo-url", URL, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "an ApplicationSet takes {{ for the start of a template" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["argocd"], "Missing option '--repo-url'"),
        (["argo", "--repo-url", URL], "'argo' is not one of 'argocd', 'flux'"),
        (["flux", "--repo-url", URL, "--path", "output/overlays/labs"], "did you mean 'output/overlays/lab'?"),
        (["flux", "--repo-url", URL, "--path", "x"], "--path x is no overlay of catalog; there are output/overlays/p"),
        (["flux", "--repo-url", URL, "--tree", "../x"], "--tree ../x: the path is one within the repository"),
        (["flux", "--repo-url", URL, "--cluster", "lab=x"], "--cluster is for Argo CD"),
        (["argocd", "--repo-url", URL, "--cluster", "lab"], "--cluster lab: write OVERLAY=NAME"),
        (["argocd", "--repo-url", URL, "--cluster", "lab=https://10.0.0.1"], "give its name in `argocd cluster list`"),
        (
            ["argocd", "--repo-url", URL, "--cluster", "lab=eu_1", "--cluster", "lab=EU 1"],
            "the Applications of lab=eu_1 and lab=EU 1 would both be called lab-eu-1",
        ),
        (["argocd", "--repo-url", URL, "--cluster", "lob=x"], "there is no overlay 'lob' here; did you mean 'lab'?"),
        (["argocd", "--repo-url", URL, "--name", "No"], "Kubernetes refuses the name 'No'"),
        (["flux", "--repo-url", "git@git.example.org:a.git"], "this one is ssh://git@git.example.org/a.git"),
        (["flux", "nowhere", "--repo-url", URL], "nowhere: there is no such file or folder"),
    ],
)
def test_wrong_usage(folder, arguments, message):
    result = gitops(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in " ".join(result.stderr.replace("│", " ").split())


def test_a_catalog_without_environments_has_nothing_to_sync(folder):
    (folder / "catalog/overlays.yaml").unlink()
    result = gitops("flux", "--repo-url", URL)
    assert result.exit_code == 2
    assert "catalog has no environments: declare one in overlays.yaml" in result.stderr
