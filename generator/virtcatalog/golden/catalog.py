"""The golden tests of a catalog: one for each VM template, its domain's XML in a file of its own."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from syrupy.data import SnapshotCollections
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from virtcatalog.catalog.cross import crossed
from virtcatalog.catalog.load import load_catalog
from virtcatalog.catalog.model import Catalog, VmTemplate
from virtcatalog.errors import ProblemsError, VirtcatalogError
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.hostfile import load_host
from virtcatalog.kubevirt.hosts import HostProfile
from virtcatalog.kubevirt.pipeline import expand
from virtcatalog.manifests.read import read_manifests
from virtcatalog.render.environment import deployed

if TYPE_CHECKING:
    from _pytest._code.code import TerminalRepr, TracebackStyle
    from syrupy.assertion import SnapshotAssertion
    from syrupy.location import PyTestLocation


class DomainXML(SingleFileSnapshotExtension):
    """Snapshots named as their VM template, in the catalog's folder of golden files."""

    _write_mode = WriteMode.TEXT
    file_extension = "xml"

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        """Return the folder of a test's snapshots; syrupy asks for other people's tests, too."""
        item = test_location.item
        if isinstance(item, GoldenTest):
            return str(item.catalog.folder)
        return super().dirname(test_location=test_location)

    @classmethod
    def discovery_dirname(cls, *, test_location: PyTestLocation) -> str:
        """Return where the snapshots are that may be of no use any more."""
        return cls.dirname(test_location=test_location)

    @classmethod
    def matches_test_location(cls, *, test_location: PyTestLocation, snapshot_location: str) -> bool:
        """Whether the snapshot may be of the test's catalog."""
        return str(Path(snapshot_location).parent) == cls.dirname(test_location=test_location)

    def discover_snapshots(
        self, *, test_location: PyTestLocation, ignore_extensions: list[str] | None = None
    ) -> SnapshotCollections:
        """Find the golden files of a catalog; none when only some of its tests run, as the others' are not unused."""
        item = test_location.item
        found = SnapshotCollections()
        if isinstance(item, GoldenTest) and item.catalog.is_complete(item.session.items):
            for file in sorted(item.catalog.folder.glob("*.xml")):
                found.add(self.read_snapshot_collection(snapshot_location=str(file)))
        return found

    def diff_lines(self, serialized_data: Any, snapshot_data: Any) -> Iterator[str]:
        """Yield a unified diff: what the golden file has and what the domain is."""
        old, new = (str(data or "").splitlines() for data in (snapshot_data, serialized_data))
        yield from unified_diff(old, new, "golden", "expanded", lineterm="")


class GoldenCatalog(pytest.File):
    """A catalog's `catalog.yaml`, which stands for its VM templates."""

    names: set[str]
    """The names of all its tests."""

    def collect(self) -> Iterator[GoldenTest]:
        """Yield a test for each VM template, and for each pair that it is crossed with."""
        catalog = load_catalog(_shown(self.path.parent))
        self.names = set[str]()
        for declared in catalog.vms:
            for template in crossed(declared, deployed(catalog, declared.environment)):
                test = GoldenTest.from_parent(self, name=template.key, callobj=_check)
                test.catalog, test.template, test.objects = self, template, (catalog, declared.environment)
                self.names.add(test.name)
                yield test

    @cached_property
    def folder(self) -> Path:
        """Where its golden files are."""
        return Path(self.config.rootpath, self.config.getini("virtcatalog_golden"), self.path.parent.name)

    @cached_property
    def cluster(self) -> list[dict[str, Any]]:
        """The manifests that are in the cluster besides the catalog."""
        files: list[Path] = self.config.getini("virtcatalog_cluster")
        return [manifest.data for file in files for manifest in read_manifests(file.read_bytes(), _shown(file))]

    @cached_property
    def host(self) -> HostProfile:
        """The profile that is meant for it, else for all catalogs, else the reference."""
        chosen = "reference"
        for entry in self.config.getini("virtcatalog_host"):
            catalog, _, profile = entry.rpartition("=")
            if catalog == self.path.parent.name:
                chosen = profile
                break
            if not catalog:
                chosen = profile
        file = Path(self.config.rootpath, chosen)
        return load_host(_shown(file) if file.is_file() else chosen)

    def is_complete(self, items: list[pytest.Item]) -> bool:
        """Whether all of its tests are among these."""
        return {item.name for item in items if isinstance(item, GoldenTest) and item.catalog is self} == self.names

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: TracebackStyle | None = None
    ) -> str | TerminalRepr:
        """Show what is wrong with a catalog, not where virtcatalog found out."""
        if isinstance(excinfo.value, ProblemsError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)


class GoldenTest(pytest.Function):
    """The test of one VM template."""

    catalog: GoldenCatalog
    template: VmTemplate
    objects: tuple[Catalog, str]

    def reportinfo(self) -> tuple[Path, int, str]:
        """Say where the VM template is."""
        source = self.template.source
        return Path(source.file), source.line - 1, self.name

    def problem(self, golden: SnapshotAssertion) -> str:
        """Expand the VM and say what is wrong: nothing, if its domain is the golden one."""
        try:
            result = expand(self.template.manifest, self._cluster())
        except VirtcatalogError as error:
            return str(error)
        if not result.admitted:
            causes = [f"{cause.field or 'VirtualMachine'}: {cause.message}" for cause in result.causes]
            where = f"{self.template.source}: KubeVirt refuses {self.name} ({result.refused_by}):"
            return "\n".join([where, *(causes or [result.message])])
        if golden == result.domain_xml:
            return ""
        file = self.catalog.folder / f"{self.name}.xml"
        if not file.exists():
            return f"there is no {_shown(file)}; pytest --snapshot-update writes it"
        return "\n".join(golden.get_assert_diff())

    def _cluster(self) -> Cluster:
        return Cluster(
            [*deployed(*self.objects), *self.catalog.cluster, *self.template.companions],
            architecture=self.config.getini("virtcatalog_architecture"),
            host=self.catalog.host,
        )


def _check(request: pytest.FixtureRequest, snapshot: SnapshotAssertion) -> None:
    test = request.node
    assert isinstance(test, GoldenTest)
    problem = test.problem(snapshot.use_extension(DomainXML))
    if problem:
        pytest.fail(problem, pytrace=False)


def _shown(path: Path) -> str:
    """The path as a user would write it."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
