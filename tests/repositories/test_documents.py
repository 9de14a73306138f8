"""What is read of a repository's files, what is passed over, and what is said of it."""

import json

import pytest

from virtcatalog.errors import Problem
from virtcatalog.limits import REPOSITORY_FILE_BYTES
from virtcatalog.manifests.folder import held
from virtcatalog.repositories.documents import Documents, documents_of, joined, passed_over_words, read_file
from virtcatalog.repositories.find import find
from virtcatalog.repositories.texts import Texts

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: db
spec:
  template: {spec: {domain: {devices: {}}}}
"""
NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"


def names(text):
    return [manifest.name for manifest in documents_of(text.encode(), "f.yaml").manifests]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("version: '3'\ntasks:\n  default: {cmds: [make]}\n", "other YAML or JSON document"),
        (
            "on: push\njobs:\n  a: {runs-on: x, steps: [{run: 'echo ${{ github.sha }}'}]}\n",
            "other YAML or JSON document",
        ),
        ("services:\n  db: {image: postgres}\n", "other YAML or JSON document"),
        ("job:\n  script: !reference [.setup, script]\n", "other YAML or JSON document"),
        ("- hosts: all\n  tasks: []\n# apiVersion\n", "other YAML or JSON document"),
        ('{"name": "site", "dependencies": {"a": "^1"}}', "other YAML or JSON document"),
        ('{"apiVersion": 1, "kind": "x"}', "other YAML or JSON document"),
        ("apiVersion: v2\nname: chart\nversion: 1.0.0\n", "other YAML or JSON document"),
        ("plain text about an apiVersion", "other YAML or JSON document"),
        (
            "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n  a: !!binary |\n    0\n",
            "unreadable document",
        ),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata:\n\tname: a\n", "unreadable document"),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: 1, a: 2}\n", "unreadable document"),
        ('// tsconfig\n{"apiVersion": 1,}', "unreadable document"),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\n", "template"),
        ("{% if x %}\napiVersion: v1\n{% endif %}\n", "template"),
        (
            "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {a: 'ENC[AES256_GCM,data:x]'}\nsops: {mac: x}\n",
            "encrypted object",
        ),
        ("apiVersion: ENC[x]\nkind: ENC[x]\nsops: {version: 3.9.0}\n", "encrypted object"),
        ("apiVersion: v1\nkind: Config\nclusters: []\n", "nameless object"),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 1}\n", "nameless object"),
        ("apiVersion: backstage.io/v1\nkind: Component\nmetadata: []\n", "nameless object"),
    ],
)
def test_what_is_none_of_kubevirts_is_passed_over_and_counted(text, what):
    documents = documents_of(text.encode(), "f.yaml")
    assert (documents.manifests, documents.problems, documents.unrendered) == ((), (), ())
    assert documents.passed_over == {what: 1}


@pytest.mark.parametrize("text", ["", "\n", "# nothing but apiVersion\n---\n"])
def test_nothing_counts_as_nothing(text):
    assert documents_of(text.encode(), "f.yaml") == Documents()


def test_a_broken_document_leaves_its_neighbours():
    """Whatever is wrong with it: the lines of those behind it are their own all the same."""
    text = f"# one\n{NAMESPACE}--- # two\na: [\n---\n{{{{- if .x }}}}\n---\nb: *nowhere\n---\n{VM}"
    documents = documents_of(text.encode(), "f.yaml")
    assert [(manifest.name, manifest.place()) for manifest in documents.manifests] == [
        ("Namespace/shop", (2, 1)),
        ("VirtualMachine/db", (12, 1)),
    ]
    assert documents.manifests[1].place("spec.template") == (17, 3)
    assert documents.passed_over == {"unreadable document": 2, "template": 1}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_what_starts_no_document_splits_none(end):
    text = (
        VM.replace("name: db", "name: db\n  annotations:\n    a: |\n      ---\n      b: [\n    c: --- d") + "---\na: ["
    )
    assert names(text.replace("\n", end)) == ["VirtualMachine/db"]


def test_directives_belong_to_the_document_behind_them():
    assert names(f"a: [\n---\n{NAMESPACE}...\n%YAML 1.1\n---\n{VM}") == ["Namespace/shop", "VirtualMachine/db"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (VM + "  bad: [\n", "f.yaml:8:1: is not YAML: the text ends where a value is wanted"),
        (VM + "  a: !!int x\n", "f.yaml:7:6: 'x' is not a YAML int"),
        (VM + "kind: VirtualMachine\n", "f.yaml:7:1: the key 'kind' is here twice, first in line 2"),
        (VM.replace("kind: VirtualMachine\n", ""), "f.yaml:1:1: db: kind: is required"),
        (VM.replace("/v1", ""), "f.yaml:1:1: VirtualMachine/db: apiVersion: must have a version: kubevirt.io/…"),
        (f"a: [\n---\n{VM}\tx: y\n", "f.yaml:9:1: a tab cannot indent YAML; use spaces"),
        (
            '{"apiVersion": "cdi.kubevirt.io/v1beta1" "kind": 1}',
            "f.yaml:1:42: is not YAML: a ',' is missing before this",
        ),
        (
            "apiVersion: 'instancetype.kubevirt.io/v1beta1'\na: b: c\n",
            "f.yaml:2:5: is not YAML: a second ': ' in one line; quote the text that has it",
        ),
    ],
)
def test_a_broken_object_of_kubevirts_is_a_problem_with_its_place(text, problem):
    documents = documents_of(text.encode(), "f.yaml")
    assert list(map(str, documents.problems)) == [problem]
    assert not documents.manifests


def test_a_template_of_a_vm_is_named():
    documents = documents_of(f"{NAMESPACE}---\n{VM.replace('db', '{{ .name }}')}".encode(), "f.yaml")
    assert [str(problem) for problem in documents.unrendered] == [
        "f.yaml:5:1: is a template of a KubeVirt object, and is not rendered"
    ]
    assert [manifest.name for manifest in documents.manifests] == ["Namespace/shop"]


def test_lists_are_their_items_and_redefined_anchors_their_last():
    items = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Namespace, metadata: {name: a}}\n- {a: b}\n"
    documents = documents_of(items.encode(), "f.yaml")
    assert [manifest.name for manifest in documents.manifests] == ["Namespace/a"]
    assert documents.passed_over == {"other YAML or JSON document": 1}
    anchors = f"{VM}  a: &x 1\n  b: &x 2\n  c: *x\n"
    assert documents_of(anchors.encode(), "f.yaml").manifests[0].data["spec"]["c"] == 2


def test_legal_names_of_other_kinds_pass():
    assert names(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: 'kubevirt.io:operator'}\n"
    ) == ["ClusterRole/kubevirt.io:operator"]


def test_of_an_encrypted_vm_what_is_not_encrypted_counts():
    (manifest,) = documents_of(f"{VM}sops: {{mac: x}}\n".encode(), "f.yaml").manifests
    assert "sops" not in manifest.data
    assert manifest.place("spec") == (5, 1)


def test_an_escaped_key_hides_no_vm():
    text = json.dumps({"a\u0070iVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "db"}})
    assert names(text.replace("apiVersion", "\\u0061piVersion")) == ["VirtualMachine/db"]


def test_files_that_are_no_text_or_too_large():
    files = {
        "a.yaml": "# apiVersion é\n".encode("latin-1"),
        "b.yaml": f"# é\n{VM}".encode("latin-1"),
        "c.yaml": b"#" * (REPOSITORY_FILE_BYTES + 1),
        "d.yaml": VM.encode(),
    }
    repository = find(held(files), "repo")
    assert [resource.place.file for environment in repository.environments for resource in environment.resources] == [
        "repo/d.yaml"
    ]
    assert repository.passed_over == {"non-UTF-8 file": 1, "oversized file": 1}
    assert list(map(str, repository.problems)) == ["repo/b.yaml:1:3: is not UTF-8 text"]


def test_the_line_that_counts_them():
    assert passed_over_words({"template": 1, "encrypted object": 12}) == "12 encrypted objects, 1 template"
    assert passed_over_words({"file of a chart": 2, "file that nobody includes": 3}) == (
        "3 files that nobody includes, 2 files of a chart"
    )
    assert passed_over_words({}) == ""


def test_vms_in_objects_of_other_kinds_are_told_of():
    """Policies, ManifestWorks and the like make these: in their maps and lists, however deep."""
    vm = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "db"}, "spec": {}}
    for held_at in ({"manifest": vm}, {"workload": {"manifests": [vm]}}, {"lists": [[{"more": [1, vm]}]]}):
        policy = {"apiVersion": "x.example.org/v1", "kind": "Work", "metadata": {"name": "w"}, "spec": held_at}
        repository = find(held({"w.yaml": json.dumps(policy).encode()}), "repo")
        assert [str(opaque.problem) for opaque in repository.opaque] == [
            "repo/w.yaml:1:1: Work/w: holds VirtualMachine/db, and what becomes of that is not known here"
        ]


def test_a_file_that_is_not_there_is_a_problem():
    read = read_file(held({}), "a.yaml", "repo/a.yaml", Texts())
    assert read == Documents(problems=(Problem(file="repo/a.yaml", message="there is no such file or folder"),))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (
            "kind: Secret\nmetadata: {name: a, namespace: b}\ndata: {x: 'ENC[y]'}\nsops: {mac: x}\n",
            [("Secret", "b", "a")],
        ),
        ("kind: ConfigMap\nmetadata: {name: a}\nsops: {version: 3.9.0}\n", [("ConfigMap", "", "a")]),
        ("kind: Secret\nmetadata: {generateName: a}\nsops: {mac: x}\n", [("Secret", "", "")]),
        ("kind: Secret\nmetadata: {}\nsops: {mac: x}\n", []),
        ("kind: Secret\nmetadata: {name: {}}\nsops: {mac: x}\n", []),
        ("kind: ENC[x]\nmetadata: {name: a}\nsops: {mac: x}\n", []),
    ],
)
def test_encrypted_settings_are_known_by_their_names(text, named):
    documents = documents_of(f"apiVersion: v1\n{text}".encode(), "f.yaml")
    assert (documents.manifests, documents.passed_over) == ((), {"encrypted object": 1})
    assert [identity for identity, _ in documents.encrypted] == named
    other = documents_of(f"apiVersion: v1\n{text}# \nmore: 1\n".encode(), "f.yaml")
    assert all(one != two for (_, one), (_, two) in zip(documents.encrypted, other.encrypted, strict=True))


@pytest.mark.parametrize("sops", ["{mac: x}", "{version: 3.9.0}"])
def test_of_an_object_of_another_kind_the_encryption_is_left_out(sops):
    text = f"apiVersion: v1\nkind: Service\nmetadata: {{name: a}}\nspec: {{b: c}}\nsops: {sops}\n"
    (service,) = documents_of(text.encode(), "f.yaml").manifests
    assert service.data == {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}, "spec": {"b": "c"}}
    assert service.place("spec.b") == (4, 8)


@pytest.mark.parametrize("sops", ["x", "{}", "{age: []}"])
def test_what_sops_did_not_write_is_no_encryption(sops):
    text = f"apiVersion: v1\nkind: Secret\nmetadata: {{name: a}}\nsops: {sops}\n"
    documents = documents_of(text.encode(), "f.yaml")
    assert [manifest.name for manifest in documents.manifests] == ["Secret/a"]
    assert "sops" in documents.manifests[0].data


def test_files_that_deploy_something_are_read_or_a_problem():
    broken = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: [\n"
    assert [str(problem) for problem in documents_of(broken.encode(), "f.yaml").problems] == [
        "f.yaml:4:1: is not YAML: the text ends where a value is wanted"
    ]
    for other in (
        broken.replace("kustomize.toolkit.fluxcd.io", "example.org"),
        broken.replace("Kustomization", "Other"),
    ):
        assert documents_of(other.encode(), "f.yaml") == Documents(passed_over={"unreadable document": 1})
    templated = documents_of(broken.replace("[", "{{ .x }}: {").encode(), "f.yaml")
    assert templated == Documents(passed_over={"template": 1})


def test_what_several_files_hold():
    one, other = (documents_of(text.encode(), file) for text, file in ((VM, "a.yaml"), (NAMESPACE, "b.yaml")))
    both = joined([one, Documents(passed_over={"x": 1}), other, Documents(passed_over={"x": 2, "y": 1})])
    assert [manifest.name for manifest in both.manifests] == ["VirtualMachine/db", "Namespace/shop"]
    assert both.passed_over == {"x": 3, "y": 1}
    assert joined([one]) is one
    assert joined([]) == Documents()


def test_the_line_counts_the_most_first():
    assert passed_over_words({"template": 2, "nameless object": 2, "non-UTF-8 file": 3, "x that y of z": 1}) == (
        "3 non-UTF-8 files, 2 templates, 2 nameless objects, 1 x that y of z"
    )
