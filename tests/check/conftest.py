"""Small catalogs with one thing wrong in them."""

from datetime import date
from pathlib import Path
from textwrap import dedent

import pytest

from checkouts import write
from loading import read_manifests
from virtcatalog.catalog.load import load_catalog
from virtcatalog.check.inventory import take
from virtcatalog.check.rules import check

CATALOG = "name: test\nvendor: example.org\nkubevirt: v1.9.0\n"
SMALL = {
    "instancetypes/m.yaml": "{class: m, memoryPerVcpu: 4Gi, sizes: {small: {vcpus: 1}, large: {vcpus: 4}}}",
    "preferences/linux.yaml": "preferences: {linux.one: {requirements: {vcpus: 1, memory: 1Gi}}}",
}


class Bench:
    def __init__(self, root):
        self.root = root
        self.lines = []

    def write(self, files):
        changed = {"catalog.yaml": CATALOG} | SMALL | files
        write(self.root, {place: text for place, text in changed.items() if text is not None})

    def findings(self, files=None, *, manifests="", today=date(2026, 1, 1)):
        """All findings of the small catalog with some files changed (None: left out) and of manifests beside it."""
        self.write(files or {})
        catalog = load_catalog(self.root)
        texts = [((self.root / file).read_bytes(), str(self.root / file)) for file in catalog.files if "j2" not in file]
        beside = read_manifests(dedent(manifests), "beside.yaml") if manifests else []
        findings = check(take(catalog, beside, today=today, texts=texts))
        self.lines += [str(finding).replace(f"{self.root}/", "") for finding in findings]
        return findings

    def __call__(self, files=None, *, manifests="", today=date(2026, 1, 1)):
        """The findings as text, with paths below the catalog."""
        findings = self.findings(files, manifests=manifests, today=today)
        return [str(finding).replace(f"{self.root}/", "") for finding in findings]

    def instancetype(self, spec, size="{vcpus: 4}"):
        """The findings of a catalog whose only class has one size and this spec."""
        return self(
            {"instancetypes/m.yaml": f"{{class: m, memoryPerVcpu: 4Gi, spec: {spec}, sizes: {{large: {size}}}}}"}
        )

    def preference(self, text):
        """The findings of a catalog with another preference."""
        return self({"preferences/two.yaml": f"preferences: {{linux.two: {text}}}"})

    def vm(self, spec, files=None, name="vms/one.yaml", manifests=""):
        """The findings of the small catalog with a VM template whose spec has these further lines."""
        text = dedent("""\
            apiVersion: kubevirt.io/v1
            kind: VirtualMachine
            metadata: {name: one}
            spec:
            """)
        body = "".join(f"  {line}\n" for line in dedent(spec).splitlines())
        return self({name: text + body, **(files or {})}, manifests=manifests)


@pytest.fixture
def bench(tmp_path: Path, snapshot):
    """All that is found is held against what a user read before, too."""
    bench = Bench(tmp_path)
    yield bench
    if bench.lines:
        assert list(dict.fromkeys(bench.lines)) == snapshot(name="bench")


@pytest.fixture
def imported(snapshot):
    lines = []

    def run(text, today=date(2026, 1, 1)):
        """The findings of manifests that no catalog is beside."""
        findings = check(take(manifests=read_manifests(dedent(text), "beside.yaml"), today=today))
        lines.extend(map(str, findings))
        return [str(finding) for finding in findings]

    yield run
    if lines:
        assert list(dict.fromkeys(lines)) == snapshot(name="imported")
