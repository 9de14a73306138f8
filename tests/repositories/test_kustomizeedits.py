"""What the options of an Application make of a kustomization, as `kustomize edit` writes them."""

import json

import pytest

from virtcatalog.catalog.places import Source
from virtcatalog.errors import ManifestError
from virtcatalog.manifests.document import Text
from virtcatalog.repositories.kustomize.declared import Declared
from virtcatalog.repositories.kustomize.origins import Spot
from virtcatalog.repositories.kustomizeedits import Edits

SHA = "sha256:0"


def edited(options, own="{}", has=lambda _: True):
    """The kustomization, which stands in one line a field."""
    text = Text(own, "k.yaml")
    ((_, data),) = text.documents()
    edits = Edits(
        options, lambda value: value.replace("$APP", "app"), lambda path: Source("app " + ".".join(map(str, path))), has
    )
    return edits.over(Declared(data, Spot(text)))


@pytest.mark.parametrize(
    ("options", "own", "result"),
    [
        ({}, "namePrefix: a-", {"namePrefix": "a-"}),
        ({"namePrefix": "", "namespace": ""}, "namePrefix: a-", {"namePrefix": "a-"}),
        (
            {"namePrefix": "b-", "nameSuffix": "-c", "namespace": "d"},
            "namePrefix: a-",
            {"namePrefix": "b-", "nameSuffix": "-c", "namespace": "d"},
        ),
        ({"patches": [{"path": "b"}]}, "patches: [{path: a}]", {"patches": [{"path": "a"}, {"path": "b"}]}),
        ({"patches": [{"path": "b"}]}, "{}", {"patches": [{"path": "b"}]}),
        ({"patches": [{"path": "b"}]}, "patches: x", {"patches": "x"}),
        ({"components": ["b", "a", "b", "c"]}, "components: [a]", {"components": ["a", "b", "c"]}),
        ({"components": ["a"]}, "components: 5", {"components": 5}),
    ],
)
def test_texts_take_the_place_of_its_own_and_lists_are_added(options, own, result):
    assert edited(options, own).data == result


@pytest.mark.parametrize(
    ("ignores", "components"), [({}, ["a", "b"]), ({"ignoreMissingComponents": True}, ["b"])], ids=["", "ignored"]
)
def test_components_that_are_not_there(ignores, components):
    assert edited({"components": ["a", "b"], **ignores}, has=lambda path: path == "b").data["components"] == components


@pytest.mark.parametrize(
    ("images", "own", "result"),
    [
        (["a:1"], "{}", [{"name": "a", "newTag": "1"}]),
        (["h:80/a:1"], "{}", [{"name": "h:80/a", "newTag": "1"}]),
        ([f"a@{SHA}"], "{}", [{"name": "a", "digest": SHA}]),
        (["a=b"], "{}", [{"name": "a", "newName": "b"}]),
        ([f"a=b:1@{SHA}"], "{}", [{"name": "a", "newName": "b", "newTag": "1", "digest": SHA}]),
        (["a:1", "a:2"], "{}", [{"name": "a", "newTag": "2"}]),
        (["a:$APP"], "{}", [{"name": "a", "newTag": "app"}]),
        (["b:1"], "images: [{name: c, newTag: x}, {name: a}]",
         [{"name": "a"}, {"name": "b", "newTag": "1"}, {"name": "c", "newTag": "x"}]),
        (["a:1"], "images: [{name: a, newName: b, tagSuffix: -x}]", [{"name": "a", "newTag": "1"}]),
        (["a=*:1"], "images: [{name: a, newName: b, newTag: 2}]", [{"name": "a", "newName": "b", "newTag": "1"}]),
        (["a=c:*"], "images: [{name: a, newTag: '2'}]", [{"name": "a", "newName": "c", "newTag": "2"}]),
        (["a=c:*@*"], "{}", [{"name": "a", "newName": "c"}]),
        (["a:1"], "images: [{name: b}]\nimageTags: [{name: a, newTag: '2'}, {name: c}]",
         [{"name": "a", "newTag": "1"}, {"name": "b"}, {"name": "c"}]),
        (["a:1"], "images: {}", [{"name": "a", "newTag": "1"}]),
        (["a:1"], "images: {name: a}", {"name": "a"}),
    ],
)  # fmt: skip
def test_images(images, own, result):
    data = edited({"images": images}, own).data
    assert (data["images"], data.get("imageTags")) == (result, None)


@pytest.mark.parametrize(
    ("replicas", "own", "result"),
    [
        ([{"name": "a", "count": 2}], "{}", [{"name": "a", "count": 2}]),
        ([{"name": "a", "count": "2"}], "{}", [{"name": "a", "count": 2}]),
        ([{"name": "a", "count": 0}], "{}", [{"name": "a", "count": 0}]),
        (
            [{"name": "b", "count": 2}],
            "replicas: [{name: c, count: 1}, {name: b, count: 1}]",
            [{"name": "b", "count": 2}, {"name": "c", "count": 1}],
        ),
    ],
)
def test_replicas(replicas, own, result):
    assert edited({"replicas": replicas}, own).data["replicas"] == result


PLAIN = "{includeSelectors: false, includeTemplates: false}"


@pytest.mark.parametrize(
    ("options", "own", "result"),
    [
        ({}, "{}", {"commonLabels": {"a": "1"}}),
        ({}, "commonLabels: {b: x}", {"commonLabels": {"a": "1", "b": "x"}}),
        ({"forceCommonLabels": True}, "commonLabels: {a: x}", {"commonLabels": {"a": "1"}}),
        ({}, "labels: [{pairs: {b: x}}]", {"commonLabels": {"a": "1"}, "labels": [{"pairs": {"b": "x"}}]}),
        ({}, "commonLabels: x", {"commonLabels": "x"}),
        (
            {"labelWithoutSelector": True},
            "commonLabels: {a: x}",
            {
                "commonLabels": {"a": "x"},
                "labels": [{"pairs": {"a": "1"}, "includeSelectors": False, "includeTemplates": False}],
            },
        ),
        (
            {"labelWithoutSelector": True},
            "labels: [{pairs: {a: x}, includeSelectors: true}, {pairs: {b: x}}]",
            {"labels": [{"pairs": {"a": "x"}, "includeSelectors": True}, {"pairs": {"a": "1", "b": "x"}}]},
        ),
        (
            {"labelWithoutSelector": True, "labelIncludeTemplates": True},
            "labels: [{pairs: {b: x}}]",
            {
                "labels": [
                    {"pairs": {"b": "x"}},
                    {"pairs": {"a": "1"}, "includeSelectors": False, "includeTemplates": True},
                ]
            },
        ),
        (
            {"labelWithoutSelector": True, "forceCommonLabels": True},
            "labels: [{pairs: {a: x}}]",
            {"labels": [{"pairs": {"a": "1"}}]},
        ),
        ({"labelWithoutSelector": True}, "labels: x", {"labels": "x"}),
    ],
)
def test_labels(options, own, result):
    assert edited({"commonLabels": {"a": "1"}, **options}, own).data == result


@pytest.mark.parametrize(
    ("options", "result"),
    [
        ({}, {"a": "$APP", "b": "x"}),
        ({"commonAnnotationsEnvsubst": True}, {"a": "app", "b": "x"}),
    ],
)
def test_annotations(options, result):
    own = "commonAnnotations: {b: x}"
    assert edited({"commonAnnotations": {"a": "$APP"}, **options}, own).data == {"commonAnnotations": result}


@pytest.mark.parametrize(
    ("labels", "result"),
    [
        ({"a": "$APP"}, {"a": "app"}),
        ({"a": '"q"'}, {"a": "q"}),
        ({"a": '"'}, {"a": '"'}),
        ({"a": "b:c"}, {"a": "b:c"}),
        ({"a:b": "c"}, {"a": "b:c"}),
    ],
)
def test_labels_are_given_to_kustomize_as_texts(labels, result):
    assert edited({"commonLabels": labels}).data == {"commonLabels": result}


@pytest.mark.parametrize(
    ("options", "own", "fault"),
    [
        ({"commonLabels": {"a": "1"}}, "commonLabels: {a: '1'}",
         "app commonLabels.a: commonLabels: a is in the kustomization already, and is not forced"),
        ({"commonLabels": {"a": "1"}, "forceCommonAnnotations": True, "labelWithoutSelector": True},
         "labels: [{pairs: {a: x}}]",
         "app commonLabels.a: commonLabels: a is in the kustomization already, and is not forced"),
        ({"commonLabels": {"a": "1"}, "labelIncludeTemplates": True}, "{}",
         "app labelIncludeTemplates: labelIncludeTemplates: is on without labelWithoutSelector"),
        ({"commonLabels": {"": "1"}}, "{}", "app commonLabels.: commonLabels: 1 has no key"),
        ({"commonAnnotations": {"a": "1"}, "forceCommonLabels": True}, "commonAnnotations: {a: x}",
         "app commonAnnotations.a: commonAnnotations: a is in the kustomization already, and is not forced"),
        ({"images": ["a=b", "a"]}, "{}", "app images.1: images: 'a' must be NAME:TAG, NAME@DIGEST or NAME=NEW"),
        ({"replicas": [{"name": "a", "count": "x"}]}, "{}",
         "app replicas.0.count: replicas: 'x' must be an integer"),
    ],
)  # fmt: skip
def test_what_argo_cd_fails_on(options, own, fault):
    with pytest.raises(ManifestError) as failed:
        edited(options, own)
    assert [f"{problem.file}: {problem.message}" for problem in failed.value.problems] == [fault]


def test_everything_has_its_place():
    own = json.dumps(
        {
            "namespace": "n",
            "images": [{"name": "c"}, {"name": "a"}],
            "imageTags": [{"name": "d"}],
            "commonLabels": {"x": "1"},
            "components": ["c"],
        },
        indent=0,
    )
    options = {
        "namePrefix": "p-",
        "images": ["b:1"],
        "commonLabels": {"y:z": "2"},
        "components": ["c", "e"],
    }
    declared = edited(options, own)

    def place(*path):
        return str(declared.spot.within(*path).source).removesuffix(":1:1")

    assert [place("namespace"), place("namePrefix")] == ["k.yaml:2:1", "app namePrefix"]
    assert [place("images", at, "name") for at in range(4)] == [
        "k.yaml:8:1", "app images.0.name", "k.yaml:5:1", "k.yaml:13:1",
    ]  # fmt: skip
    assert [place("commonLabels", key) for key in "xy"] == ["k.yaml:17:1", "app commonLabels.y:z"]
    assert [place("components", at) for at in (0, 1)] == ["k.yaml:20:1", "app components.1"]
