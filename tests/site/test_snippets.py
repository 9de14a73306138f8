"""Snippets to copy: they are what kubectl and Terraform read, whatever is in the catalog."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from kustomizing import kustomize as build
from virtcatalog import Cluster, expand, load_catalog
from virtcatalog.render.output import render
from virtcatalog.site.snippets import kustomize, terraform, vm

TRICKY = 'a "b" \\ ${c} %{d} $${e} ${{f}} \n\t# é \u2028 </script> $'


def manifest(**spec) -> dict:
    metadata = {"name": "m.large", "labels": {"example.org/a": "b"}, "annotations": {"text": TRICKY}}
    return {"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": "X", "metadata": metadata, "spec": spec}


class Hcl:
    """Reads what Terraform's native syntax has for literals: maps, lists, quoted templates, numbers, booleans, null."""

    def __init__(self, text: str) -> None:
        self.text, self.place = text, 0

    def skip(self, blanks: str = " \n,") -> None:
        while self.text[self.place] in blanks:
            self.place += 1

    def value(self):
        self.skip()
        start = self.text[self.place]
        if start == "{":
            return self.map()
        if start == "[":
            return self.list()
        if start == '"':
            return self.template()
        end = self.place
        while self.text[end] not in ",]}\n":
            end += 1
        word, self.place = self.text[self.place : end], end
        return json.loads(word)

    def map(self):
        block, self.place = {}, self.place + 1
        while True:
            self.skip()
            if self.text[self.place] == "}":
                self.place += 1
                return block
            key = self.template()
            self.skip(" ")
            assert self.text[self.place] == "="
            self.place += 1
            block[key] = self.value()

    def list(self):
        items, self.place = [], self.place + 1
        while True:
            self.skip()
            if self.text[self.place] == "]":
                self.place += 1
                return items
            items.append(self.value())

    def template(self) -> str:
        """A string: `${` and `%{` begin templates unless their first character is doubled; escapes are few."""
        assert self.text[self.place] == '"'
        text, place, value = self.text, self.place + 1, ""
        while text[place] != '"':
            if text[place : place + 3] in ("$${", "%%{"):
                value, place = value + text[place] + "{", place + 3
            elif text[place] == "\\":
                escapes = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
                if text[place + 1] == "u":
                    value, place = value + chr(int(text[place + 2 : place + 6], 16)), place + 6
                else:
                    value, place = value + escapes[text[place + 1]], place + 2
            else:
                assert text[place : place + 2] not in ("${", "%{"), "a template begins"
                assert text[place] != "\n", "a string ends within its line"
                value, place = value + text[place], place + 1
        self.place = place + 1
        return value


class TestTerraform:
    @pytest.mark.parametrize(
        "manifest",
        [
            manifest(),
            manifest(cpu={"guest": 4, "dedicatedCPUPlacement": True}, memory={"guest": "4Gi"}, gpus=[]),
            manifest(gpus=[{"name": "a", "deviceName": TRICKY}, {"name": "b"}], nothing=None, ratio=1.5, empty={}),
            manifest(**{TRICKY: [[1, 2], [], [TRICKY]]}),
        ],
    )
    def test_reads_back_what_was_given(self, manifest):
        text = terraform(manifest)
        start = 'resource "kubernetes_manifest" "m_large" {\n  manifest = '
        assert text.startswith(start)
        reader = Hcl(text)
        reader.place = len(start)
        assert reader.value() == manifest
        assert text[reader.place :] == "\n}\n"

    @pytest.mark.parametrize(
        ("text", "written"),
        [
            ("${a}", '"$${a}"'),
            ("%{a}", '"%%{a}"'),
            ("$${a}", '"$$${a}"'),
            ("$a", '"$a"'),
            ("a\fb\b", '"a\\u000cb\\u0008"'),
            ("😀", '"😀"'),
        ],
    )
    def test_quotes_as_its_syntax_has_it(self, text, written):
        assert f'"text" = {written}\n' in terraform({"metadata": {"name": "a"}, "text": text})

    @pytest.mark.parametrize("name", ["2xlarge", "a.b-c", "9"])
    def test_names_begin_with_a_letter_or_a_line(self, name):
        named = terraform({"metadata": {"name": name}}).split('"')[3]
        assert named[0].isalpha() or named[0] == "_"

    @pytest.mark.skipif(not shutil.which("terraform"), reason="needs terraform")
    def test_terraform_itself_reads_it(self, tmp_path):
        vm = manifest(cpu={"guest": 4}, texts=[TRICKY, "$${", "%%{", "$$$${a}", "😀\f\x00"])
        _, _, block = terraform(vm).partition("{\n")
        (tmp_path / "main.tf").write_text(f"locals {{\n{block}")
        command = ["terraform", "console"]
        done = subprocess.run(command, cwd=tmp_path, input="jsonencode(local.manifest)", capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert json.loads(json.loads(done.stdout)) == vm


def test_the_kustomization_builds_beside_an_output_tree(tmp_path):
    files = {
        "catalog.yaml": b"name: house\nkubevirt: v1.9.0\n",
        "instancetypes/m.yaml": b"class: m\nmemoryPerVcpu: 4Gi\nsizes: {small: {vcpus: 1}, large: {vcpus: 4}}\n",
    }
    catalog = load_catalog("catalog", files)
    for path, text in render(catalog).items():
        (tmp_path / "house" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "house" / path).write_text(text)
    wanted = next(obj for obj in catalog.objects() if obj["metadata"]["name"] == "m.large")
    (tmp_path / "kustomization.yaml").write_text(kustomize(catalog, wanted))
    assert build(tmp_path) == [wanted]


@pytest.mark.parametrize("preference", ["linux", ""])
def test_the_vm_that_is_shown_is_admitted_with_its_type_and_preference(preference):
    kinds = {"Instancetype": {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}}, "Preference": {}}
    objects = [
        {
            "apiVersion": "instancetype.kubevirt.io/v1beta1",
            "kind": f"VirtualMachineCluster{kind}",
            "metadata": {"name": "small" if kind == "Instancetype" else "linux"},
            "spec": spec,
        }
        for kind, spec in kinds.items()
    ]
    result = expand(vm("small", preference), Cluster(objects))
    assert (result.admitted, result.warnings) == (True, ())
    (disk,) = result.domain.findall("devices/disk")
    assert disk.find("alias").get("name") == "ua-root"
    assert ("kubevirt.io/cluster-preference-name" in result.vmi["metadata"]["annotations"]) == bool(preference)
