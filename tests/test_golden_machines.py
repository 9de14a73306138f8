"""A domain is the same whatever the process: hash seed, locale, time zone, working directory, Python version."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# Expands all VM templates of a catalog, and prints the XML.
PROGRAM = """
import sys
from virtcatalog.catalog.load import load_catalog
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.hostfile import load_host
from virtcatalog.kubevirt.pipeline import expand
from virtcatalog.environments import rendered

for path, host in zip(sys.argv[1::2], sys.argv[2::2]):
    catalog = load_catalog(path)
    for template, environment in rendered(catalog):
        objects = [*catalog.objects(environment), *template.companions]
        result = expand(template.manifest, Cluster(objects, host=load_host(host)))
        sys.stdout.buffer.write(f"{template.key}\\n{result.domain_xml}".encode())
"""

CATALOGS = (
    *("catalog", "reference"),
    *("tests/elements", "reference"),
    *("tests/hosts/mixed", "tests/hosts/mixed.yaml"),
    *("tests/hosts/grace", "tests/hosts/grace.yaml"),
)


def expanded(python=sys.executable, folder=ROOT, **environment):
    """Expand everything in a process of its own."""
    here = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "generator"), **environment}
    paths = [str(ROOT / catalog) if "/" in catalog or catalog == "catalog" else catalog for catalog in CATALOGS]
    command = [python, "-c", PROGRAM, *paths]
    done = subprocess.run(command, cwd=folder, env=here, capture_output=True, check=True, timeout=300)
    return hashlib.sha256(done.stdout).hexdigest(), done.stdout.count(b"<domain ")


@pytest.fixture(scope="module")
def usual():
    return expanded(PYTHONHASHSEED="0")


def test_every_golden_domain_is_expanded(usual):
    assert usual[1] == len(list(Path(__file__).parent.glob("golden/*/*.xml")))


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONHASHSEED": "random", "LC_ALL": "C", "TZ": "Asia/Kathmandu", "PYTHONUTF8": "0"},
        {"PYTHONHASHSEED": "1"},
        {"PYTHONHASHSEED": "4294967295"},
    ],
    ids=["locale and time zone", "1", "4294967295"],
)
def test_another_hash_seed(usual, environment, tmp_path):
    assert expanded(folder=tmp_path, **environment) == usual


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_another_python(usual, version):
    if sys.version_info[:2] == tuple(map(int, version.split("."))):
        pytest.skip("this is the Python that the tests run with")
    python = shutil.which(f"python{version}")
    if python is None:
        pytest.skip(f"there is no python{version}")
    needed = "import jinja2, lxml, msgspec, ruamel.yaml, yaml"
    if subprocess.run([python, "-c", needed], capture_output=True, check=False).returncode:
        pytest.skip(f"python{version} lacks what virtcatalog depends on")
    assert expanded(python) == usual
