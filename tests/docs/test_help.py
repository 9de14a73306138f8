"""The examples of `--help`, which are on the page of all commands and in the man pages, can be run."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from running import Reader, Step

from virtcatalog.cli import main
from virtcatalog.cli.man import Page, pages

#: What is not run, by what it has in it, and why.
LEFT_OUT = {
    "--watch": "goes on until it is interrupted",
    "--executor": "needs a scheduler: tests/test_dask.py",
    "--cloud": "needs a cloud",
    "--context": "needs a cluster: tests/live",
    "registry.example.com/platform/catalog": "needs a registry: tests/oci",
    "…": "leaves something out",
    "examples/common-instancetypes --output-dir public": "docs/site.md runs it",
    "| man": "needs man",
}
#: What needs libvirt's schema, which a laptop may lack: it comes last.
LINTED = "--lint-xml"
#: What has been done before an example, by how that begins.
BEFORE = {
    "virtcatalog init .": "rm -r *",
    "virtcatalog import objects -f bundle": "rm -r catalog",
    "kubectl get vmci": "rm -r catalog; stand_in kubectl bundle.yaml",
    "kubectl get nodes": """
        printf -- '---\\napiVersion: v1\\nkind: Node\\nmetadata: {name: node}\\n' >> dump.yaml
        printf 'status: {allocatable: {cpu: "4"}}\\n' >> dump.yaml
        stand_in kubectl dump.yaml
    """,
    "virtcatalog rightsize": """
        rm -rf vms; mkdir vms
        kind='apiVersion: instancetype.kubevirt.io/v1beta1\\nkind: VirtualMachineClusterInstancetype\\n'
        printf "$kind"'metadata: {name: s}\\nspec: {cpu: {guest: 1}, memory: {guest: 2Gi}}\\n---\\n' > vms/vm.yaml
        {
          printf 'apiVersion: kubevirt.io/v1\\nkind: VirtualMachine\\nmetadata: {name: web, namespace: shop}\\n'
          printf 'spec: {runStrategy: Always, instancetype: {name: s}, template: {spec: {domain: {devices: {}}}}}\\n'
        } >> vms/vm.yaml
        printf 'namespace,name,cpu,memory\\nshop,web,0.5,1000000000\\n' | tee usage.csv > usage.json
        printf 'currency: EUR\\nperMonth: {cpu: 8, memory: 2.5}\\n' > prices.yaml
    """,
    "virtcatalog release v1": """
        printf 'class: u\\nversion: 1\\nsizes: {x: {vcpus: 1, memory: 1Gi}}\\n' > catalog/instancetypes/u.yaml
    """,
    "virtcatalog release v2.0.0 --accept": "sed -i s/1Gi/2Gi/ catalog/instancetypes/u.yaml",
}


def examples(page: Page) -> list[str]:
    """The commands among a page's lines, without what is said of them behind two blanks."""
    lines: list[str] = []
    for line in page.examples:
        if lines and lines[-1].endswith("\\"):
            lines[-1] += f"\n{line}"
        elif re.match(r"(?:.*\| |eval .*)?virtcatalog |openstack ", line):
            lines.append(re.split(r"  +", line)[0])
    return lines


EXAMPLES = {page.name: examples(page) for page in pages(main)}


@pytest.fixture(scope="session")
def spoken_of(tmp_path_factory: pytest.TempPathFactory, programs: Path) -> Path:
    """A home in which there is what the examples speak of."""
    home = tmp_path_factory.mktemp("spoken_of") / "home"
    Reader(home, programs).do(Step(0, "set-up", "spoken_of\n"))
    return home


@pytest.mark.parametrize("name", [name for name, commands in EXAMPLES.items() if commands])
def test_examples_can_be_run(
    name: str, tmp_path: Path, spoken_of: Path, programs: Path, request: pytest.FixtureRequest
) -> None:
    reader = Reader(shutil.copytree(spoken_of, tmp_path / "home", symlinks=True), programs)
    for command in sorted(EXAMPLES[name], key=lambda command: LINTED in command):
        if LINTED in command:
            request.getfixturevalue("schema")
        if not any(part in command for part in LEFT_OUT):
            for beginning, done in BEFORE.items():
                if command.startswith(beginning):
                    reader.do(Step(0, "set-up", done))
            status, printed = reader.ask(command)
            assert status in (0, 1), f"{command}\n{printed}[exit {status}]"


def test_few_are_left_out() -> None:
    every = [command for commands in EXAMPLES.values() for command in commands]
    assert len(every) > 100
    assert len([command for command in every if any(part in command for part in LEFT_OUT)]) == 18
