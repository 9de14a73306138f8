"""Bundles: five files and checksums that sha256sum reads."""

from __future__ import annotations

import subprocess

import otheryaml
from virtcatalog.render.kustomize import CHECKSUMS, bundles

TEXTS = {
    "VirtualMachineClusterInstancetype": ["kind: A\nname: a\n", "kind: A\nname: b\n"],
    "VirtualMachineInstancetype": ["kind: B\n"],
    "VirtualMachineClusterPreference": ["kind: C\n"],
    "VirtualMachinePreference": [],
}


def test_the_five_bundles_are_named_as_common_instancetypes_names_them():
    assert sorted(bundles("common", TEXTS)) == [
        "CHECKSUMS.sha256",
        "common-clusterinstancetypes-bundle.yaml",
        "common-clusterpreferences-bundle.yaml",
        "common-instancetypes-all-bundle.yaml",
        "common-instancetypes-bundle.yaml",
        "common-preferences-bundle.yaml",
    ]


def test_each_bundle_holds_its_kinds_as_one_stream():
    files = bundles("x", TEXTS)
    kinds = {
        name: [document["kind"] for document in otheryaml.load_all(text)]
        for name, text in files.items()
        if name != CHECKSUMS
    }
    assert kinds == {
        "x-instancetypes-all-bundle.yaml": ["A", "A", "B", "C"],
        "x-clusterinstancetypes-bundle.yaml": ["A", "A"],
        "x-instancetypes-bundle.yaml": ["B"],
        "x-clusterpreferences-bundle.yaml": ["C"],
        "x-preferences-bundle.yaml": [],
    }


def test_the_checksums_are_those_that_sha256sum_checks(tmp_path):
    for name, text in bundles("x", TEXTS).items():
        (tmp_path / name).write_text(text)
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", CHECKSUMS], cwd=tmp_path, capture_output=True, check=True
    )
    assert done.stdout.decode().count(": OK\n") == 5
