"""The annotations for Argo CD and Flux that a catalog and its environments ask for."""

import pytest

WAVE, OPTIONS = "argocd.argoproj.io/sync-wave", "argocd.argoproj.io/sync-options"
PRUNE, SUBSTITUTE = "kustomize.toolkit.fluxcd.io/prune", "kustomize.toolkit.fluxcd.io/substitute"
BASE = "name: test\nkubevirt: v1.9.0\n"
SHELL = "preferences: {linux.one: {annotations: {example.org/greeting: %s}}}\n"


@pytest.mark.parametrize(
    ("declared", "annotations"),
    [
        ("{}", {}),
        ("{argocd: {}, flux: {}}", {}),
        ("{argocd: {syncWave: -5}}", {WAVE: "-5"}),
        ("{argocd: {syncWave: 0}}", {WAVE: "0"}),
        ("{argocd: {prune: false}}", {OPTIONS: "Prune=false"}),
        ("{argocd: {prune: true}}", {OPTIONS: "Prune=true"}),
        ("{flux: {prune: false}}", {PRUNE: "disabled"}),
        ("{flux: {prune: true}}", {PRUNE: "enabled"}),
        ("{argocd: null, flux: {prune: null}}", {}),
    ],
)
def test_what_the_catalog_asks_for_is_an_annotation_of_every_object(catalog, declared, annotations):
    loaded = catalog.load({"catalog.yaml": f"{BASE}gitops: {declared}\n"})
    assert [obj["metadata"].get("annotations", {}) for obj in loaded.objects()] == [annotations] * 6


def test_an_environment_may_ask_for_something_else(catalog):
    loaded = catalog.load(
        {
            "catalog.yaml": f"{BASE}gitops: {{argocd: {{prune: false}}}}\n",
            "overlays.yaml": "lab: {gitops: {argocd: {prune: true, syncWave: 2}}}\n",
        }
    )
    assert loaded.overlay("lab").annotations == {OPTIONS: "Prune=true", WAVE: "2"}


def test_an_object_with_the_annotation_of_its_own_keeps_it(catalog):
    files = {
        "catalog.yaml": f"{BASE}gitops: {{argocd: {{syncWave: -5}}}}\n",
        "preferences/linux.yaml": f"preferences: {{linux.one: {{annotations: {{{WAVE}: '3'}}}}}}\n",
    }
    assert catalog.entry("linux.one", files)["metadata"]["annotations"] == {WAVE: "3"}


def test_an_annotation_that_is_set_twice_in_one_place_is_an_error(catalog):
    assert catalog.problems(
        {
            "catalog.yaml": f"{BASE}annotations: {{{OPTIONS}: Replace=true}}\ngitops: {{argocd: {{prune: false}}}}\n",
            "overlays.yaml": f"lab:\n  annotations: {{{PRUNE}: disabled}}\n  gitops: {{flux: {{prune: true}}}}\n",
        }
    ) == [
        f"catalog.yaml:3:15: annotations[{OPTIONS}]: `gitops` sets this annotation, too",
        f"overlays.yaml:2:17: lab.annotations[{PRUNE}]: `gitops` sets this annotation, too",
    ]


@pytest.mark.parametrize("text", ["'${HOME}'", "'$${HOME}'", "'a$$b'"])
def test_flux_substitutes_nothing_in_objects_that_hold_what_it_takes_for_a_variable(catalog, text):
    files = {"catalog.yaml": f"{BASE}gitops: {{flux: {{}}}}\n", "preferences/linux.yaml": SHELL % text}
    annotated = {
        obj["metadata"]["name"]: obj["metadata"].get("annotations", {}).get(SUBSTITUTE)
        for obj in catalog.load(files).objects()
    }
    assert annotated == {"m.small": None, "m.large": None, "linux.one": "disabled"}


def test_flux_substitutes_nothing_in_an_instance_type_that_holds_a_variable(catalog):
    entry = "class: own\nsizes: {one: {vcpus: 1, memory: 1Gi}}\nannotations: {example.org/greeting: '${HOME}'}\n"
    files = {"catalog.yaml": f"{BASE}gitops: {{flux: {{}}}}\n", "instancetypes/own.yaml": entry}
    assert catalog.entry("own.one", files)["metadata"]["annotations"][SUBSTITUTE] == "disabled"


def test_a_dollar_alone_is_no_variable(catalog):
    files = {"catalog.yaml": f"{BASE}gitops: {{flux: {{}}}}\n", "preferences/linux.yaml": SHELL % "'$HOME 5$'"}
    assert SUBSTITUTE not in catalog.entry("linux.one", files)["metadata"]["annotations"]


def test_without_flux_nothing_is_annotated(catalog):
    files = {"catalog.yaml": f"{BASE}gitops: {{argocd: {{}}}}\n", "preferences/linux.yaml": SHELL % "'${HOME}'"}
    assert SUBSTITUTE not in catalog.entry("linux.one", files)["metadata"]["annotations"]


@pytest.mark.parametrize("where", ["the object", "a patch", "the environment"])
def test_an_environment_for_flux_annotates_its_own_objects(catalog, where):
    greeting = "annotations: {example.org/greeting: '${HOME}'}"
    files = {"overlays.yaml": "lab: {gitops: {flux: {}}}\n"}
    if where == "the object":
        files["preferences/linux.yaml"] = SHELL % "'${HOME}'"
    elif where == "a patch":
        files["overlays.yaml"] = f"""
            lab:
              gitops: {{flux: {{}}}}
              patches: [{{select: {{names: [linux.one]}}, metadata: {{{greeting}}}}}]
            """
    else:
        files["overlays.yaml"] = f"lab:\n  gitops: {{flux: {{}}}}\n  {greeting}\n"
    loaded = catalog.load(files)
    annotated = {
        obj["metadata"]["name"]
        for obj in loaded.objects()
        for patch in loaded.overlay("lab").patches_for(obj)
        if patch["metadata"]["annotations"] == {SUBSTITUTE: "disabled"}
    }
    assert annotated >= {"linux.one"}
    assert ("m.small" in annotated) == (where == "the environment")
