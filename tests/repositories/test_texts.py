"""Texts that are parsed once: what several files and sides share, and what they do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from repository_cases import cases

from sampling import sample
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.folder import held
from virtcatalog.repositories import building
from virtcatalog.repositories.find import find
from virtcatalog.repositories.helm import Renderer
from virtcatalog.repositories.kustomize.scalars import ObjectText, resolved
from virtcatalog.repositories.model import Repository
from virtcatalog.repositories.texts import Texts

WORDS = ("yes", "No", "on", "OFF", "y", "N", "2024-1-2", "yesno", "2024", "a", "''", "x-on", "é", "&a ", "!!str ")
GLUE = (
    " ",
    ": ",
    ":\n  ",
    "\n- ",
    "\n",
    ", ",
    "[",
    "]",
    "{",
    "}",
    " # ",
    "\r\n",
    "\t",
    "'",
    '"',
    "\u2028",
    "|\n  ",
    "? ",
)


@given(st.lists(st.sampled_from(WORDS + GLUE)).map("".join))
def test_what_kustomize_may_read_otherwise_is_recognised(text):
    content = text.encode()
    otherwise = ObjectText(content, "f.yaml", 0)
    expected = tuple(otherwise.documents())
    parsed = Texts().parsed(content, "f.yaml", objects=True)
    assert parsed.documents == expected
    assert parsed.text.problems == otherwise.problems


def test_a_text_of_both_sides_is_parsed_once_and_called_by_each(monkeypatch):
    read = []
    documents = Text.documents
    monkeypatch.setattr(Text, "documents", lambda text: read.append(text.file) or documents(text))
    content = b"a: 1\nb: [1\n"
    texts = Texts()
    before, after = (texts.of(lambda file: file.partition(":")[2]) for _ in range(2))
    one, other = before.parsed(content, "main:f.yaml").text, after.parsed(content, ".:f.yaml").text
    assert read == ["main:f.yaml"]
    assert [str(problem).partition(": ")[0] for text in (one, other) for problem in text.problems] == [
        "main:f.yaml:2:4",
        ".:f.yaml:2:4",
    ]
    assert one.place(0, "b") == other.place(0, "b")
    assert other.lines(2, 1) == ["b: [1"]


def test_objects_of_two_files_are_two():
    texts = Texts()
    one, other = (texts.parsed(b"a: 1\n", file).documents[0][1] for file in ("f.yaml", "g.yaml"))
    assert one == other
    assert one is not other


@pytest.fixture
def built(monkeypatch):
    """The folders that are built, in order."""
    folders = []
    build = building.build
    monkeypatch.setattr(building, "build", lambda *a, **named: folders.append(a[1]) or build(*a, **named))
    return folders


def test_a_kustomization_is_built_once(built):
    (case,) = (case for case in cases() if "completed by the Kustomization above" in case.name)
    find(held({path: text.encode() for path, text in case.before.items()}), "r")
    assert built == ["r/clusters/a", "r/apps", "r/apps/raw/app"]


def test_settings_that_a_kustomization_does_not_name_do_not_build_it_again(built):
    flux = (
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
        "metadata: {name: %s, namespace: flux-system}\n"
        "spec:\n  path: %s\n  sourceRef: {kind: GitRepository, name: flux-system}\n"
        "  postBuild: {substituteFrom: [{kind: %s, name: %s}]}\n"
    )
    generated = "[{name: generated, options: {disableNameSuffixHash: true}, literals: [A=b]}]"
    files = {
        "clusters/a/other.yaml": flux % ("other", "other", "Secret", "sealed"),
        "clusters/a/user.yaml": flux % ("user", "user", "ConfigMap", "generated"),
        "clusters/a/settings.yaml": flux % ("settings", "settings", "Secret", "sealed"),
        "other/a.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n",
        "user/a.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: b, labels: {a: '${A}'}}\n",
        "settings/kustomization.yaml": f"namespace: flux-system\nconfigMapGenerator: {generated}\n",
    }
    repository = find(held({path: text.encode() for path, text in files.items()}), "r")
    assert built == ["r/other", "r/settings", "r/user", "r/user"]
    (user,) = (environment for environment in repository.environments if environment.name == "user")
    assert [resource.data["metadata"]["labels"] for resource in user.resources] == [{"a": "b"}]


def test_sides_that_share_texts_are_what_they_are_alone():
    for case in sample(cases(), 4):
        renderer = Renderer()
        for files in (case.before, case.after):
            side = {path: text.encode() for path, text in ({**case.before, **files}).items() if text is not None}
            assert shown(find(held(side), "r", renderer)) == shown(find(held(side), "r")), case.name


def shown(repository: Repository) -> list[object]:
    objects = [
        [
            environment.name,
            [(resource.data, resource.place, resource.field("spec")) for resource in environment.resources],
        ]
        for environment in repository.environments
    ]
    return [objects, list(map(str, repository.all_problems)), list(map(str, repository.all_unrendered))]


@pytest.mark.parametrize(
    "word", ["y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "n", "N", "no", "No", "NO", "off", "Off", "OFF"]
)
def test_words_that_are_booleans_in_yaml_1_1_are_texts_to_kustomize(word):
    assert resolved(word) == word


def test_true_and_false_are_booleans_to_kustomize():
    assert [resolved(word) for word in ("true", "False", "truE")] == [True, False, "truE"]
