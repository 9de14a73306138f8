"""The golden tests of a catalog: one per VM template, with the domain's XML in a file of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from syrupy.data import SnapshotCollections
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from virtcatalog import escaping
from virtcatalog.catalog.load import load_catalog
from virtcatalog.catalog.model import Catalog, VmTemplate
from virtcatalog.environments import release_of, rendered
from virtcatalog.errors import CatalogError, Problem, VirtcatalogError, placed, within
from virtcatalog.fleet.inputs import encoded
from virtcatalog.golden.expansion import Expander, Expansion, crossed, fault, is_behind_link
from virtcatalog.golden.settings import Settings, relative
from virtcatalog.kubevirt.conditions import Conditions, choose_release
from virtcatalog.manifests.textdiff import unified
from virtcatalog.releases import DEFAULT, Release

if TYPE_CHECKING:
    from _pytest._code.code import TerminalRepr, TracebackStyle
    from syrupy.assertion import SnapshotAssertion
    from syrupy.location import PyTestLocation
    from syrupy.types import SnapshotIndex


_XML, _POD = "xml", "pod.yaml"

#: The environments of all catalogs that were collected.
ENVIRONMENTS = pytest.StashKey[set[str]]()


class GoldenFile(SingleFileSnapshotExtension):
    """Snapshots named as their VM template, in the catalog's folder of golden files."""

    _write_mode = WriteMode.TEXT

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        """Return the folder of a test's snapshots; syrupy asks for tests of others, too."""
        item = test_location.item
        if isinstance(item, GoldenTest):
            return str(item.folder)
        return super().dirname(test_location=test_location)

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: SnapshotIndex = 0) -> str:
        """Return the VM template's name: the release is the folder's."""
        name = super().get_snapshot_name(test_location=test_location, index=index)
        return name.removeprefix(f"{test_location.classname}.")

    @classmethod
    def discovery_dirname(cls, *, test_location: PyTestLocation) -> str:
        """Return the folder in which snapshots may be unused."""
        return cls.dirname(test_location=test_location)

    @classmethod
    def matches_test_location(cls, *, test_location: PyTestLocation, snapshot_location: str) -> bool:
        """Whether the snapshot may be of the test's catalog, or of a release that is no longer tested."""
        item, folder = test_location.item, Path(snapshot_location).parent
        return str(folder) == cls.dirname(test_location=test_location) or (
            isinstance(item, GoldenTest) and folder in item.catalog.unused_folders
        )

    def discover_snapshots(
        self, *, test_location: PyTestLocation, ignore_extensions: list[str] | None = None
    ) -> SnapshotCollections:
        """Find the golden files of a catalog; none when only some tests run: the others' files are not unused."""
        item = test_location.item
        collections = SnapshotCollections()
        if isinstance(item, GoldenTest) and item.catalog.is_complete(item.session.items):
            for folder in (item.folder, *item.catalog.unused_folders):
                if is_behind_link(item.config.rootpath, folder):
                    continue
                for kind in self.kinds(item.catalog):
                    for file in sorted(folder.glob(f"*.{kind.file_extension}")):
                        collections.add(kind().read_snapshot_collection(snapshot_location=str(file)))
        return collections

    def kinds(self, _catalog: GoldenCatalog) -> tuple[type[GoldenFile], ...]:
        """The kinds of golden files whose unused ones this kind finds."""
        return (type(self),)

    def diff_lines(self, serialized_data: Any, snapshot_data: Any) -> Iterator[str]:
        """Yield a unified diff: what the golden file has and what the domain or Pod is."""
        yield from unified(str(snapshot_data or ""), str(serialized_data or ""), "golden", "expanded").splitlines()


class DomainXML(GoldenFile):
    """The domain."""

    file_extension = _XML

    def kinds(self, catalog: GoldenCatalog) -> tuple[type[GoldenFile], ...]:
        """With golden Pods turned off, their files are unused."""
        return (DomainXML, PodYAML) if catalog.pods == "none" else (DomainXML,)


class PodYAML(GoldenFile):
    """The virt-launcher Pod, or the part of it that decides on which nodes it fits."""

    file_extension = _POD


_Placed = tuple[VmTemplate, str]
"""A VM template and an environment that it is for."""


class GoldenCatalog(Settings, pytest.File):
    """A catalog's `catalog.yaml`, which stands for its VM templates."""

    ids: set[str]
    """The ids of all its tests."""

    def collect(self) -> Iterator[GoldenTest | GoldenRelease]:
        """Yield a test per VM template, environment that it is for, and pair that it is crossed with.

        The same again for every other release. VM templates of an environment that says which release it runs are
        tested under that one.
        """
        catalog = load_catalog(relative(self.path.parent))
        if not catalog.vms:
            raise CatalogError(Problem(file=catalog.path, message="the catalog has no VM template: nothing is tested"))
        self.ids = set[str]()
        running = {overlay.name for overlay in catalog.overlays if overlay.kubevirt}
        self.config.stash.setdefault(ENVIRONMENTS, set()).update(overlay.name for overlay in catalog.overlays)
        vms = list(rendered(catalog))
        free = [vm for vm in vms if vm[1] not in running]
        bound = [vm for vm in vms if vm[1] in running]
        if DEFAULT in self.releases or not self.releases:
            yield from self.tests(self, catalog, free, DEFAULT if self.releases else None)
        yield from self.tests(self, catalog, bound, None)
        for release in self.releases:
            if release is not DEFAULT:
                node = GoldenRelease.from_parent(self, name=release.name)
                node.catalog, node.templates = self, partial(self.tests, node, catalog, free, release)
                yield node

    def tests(
        self, parent: pytest.Collector, catalog: Catalog, vms: Iterable[_Placed], release: Release | None
    ) -> Iterator[GoldenTest]:
        """Yield the tests of VM templates under a release, None for the one that their cluster or environment names."""
        environments: list[str] = self.config.getoption("virtcatalog_environments")
        for declared, environment in vms:
            if environments and environment not in environments:
                self.ids.add(f"{declared.key} is not asked for")
                continue
            for template in crossed(declared, catalog.objects(environment)):
                test = GoldenTest.from_parent(parent, name=template.key, callobj=_check)
                test.catalog, test.template, test.release = self, template, release
                test.objects = catalog, environment
                # syrupy would have the release in the name of the file, too.
                test.add_marker(pytest.mark.filterwarnings(r"ignore:\s*Can not relate snapshot name:UserWarning"))
                self.ids.add(test.nodeid)
                yield test

    @cached_property
    def expanders(self) -> dict[Any, Expander]:
        """The expanders of VM templates, by environment, release and companions."""
        return {}

    def is_complete(self, items: list[pytest.Item]) -> bool:
        """Whether all of its tests are among these."""
        return {item.nodeid for item in items if isinstance(item, GoldenTest) and item.catalog is self} == self.ids

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: TracebackStyle | None = None
    ) -> str | TerminalRepr:
        """Show what is wrong with a catalog, without virtcatalog's stack."""
        if isinstance(excinfo.value, VirtcatalogError):
            return escaping.log(str(excinfo.value))
        return super().repr_failure(excinfo)


class GoldenRelease(pytest.Collector):
    """The VM templates of a catalog under a release that is not the default."""

    catalog: GoldenCatalog
    templates: Callable[[], Iterator[GoldenTest]]

    def collect(self) -> Iterator[GoldenTest]:
        """Yield a test per VM template."""
        yield from self.templates()


class GoldenTest(pytest.Function):
    """The test of one VM template; `release` is the configured one, None for that of the VM's cluster."""

    catalog: GoldenCatalog
    template: VmTemplate
    release: Release | None
    objects: tuple[Catalog, str]

    @property
    def folder(self) -> Path:
        """Where its golden file is."""
        release = self.release if self.release is not DEFAULT else None
        return self.catalog.folder / release.name if release is not None else self.catalog.folder

    def reportinfo(self) -> tuple[Path, int, str]:
        """Say where the VM template is."""
        source = self.template.source
        return Path(source.file), source.line - 1, self.name

    def problem(self, golden: SnapshotAssertion) -> str:
        """Expand the VM and return what differs from the golden domain and Pod, "" when nothing does."""
        try:
            expansion = self._expander().expansion(self.template.manifest, self.catalog.pods)
        except VirtcatalogError as error:
            return str(error)
        if not isinstance(expansion, Expansion):
            return "\n".join(map(str, placed(expansion, self._problem)))
        problems = self._compared(golden.use_extension(DomainXML), expansion.xml, _XML)
        if expansion.pod_error is not None:
            problems.append(str(self._problem(*expansion.pod_error)))
        elif expansion.pod is not None:
            problems += self._compared(golden.use_extension(PodYAML), expansion.pod, _POD)
        return "\n".join(problems)

    def _problem(self, field: str, message: str) -> Problem:
        return self.template.problem(field, within(message, [self.objects[1]]))

    def _compared(self, golden: SnapshotAssertion, text: str | None, form: str) -> list[str]:
        file = self.folder / f"{self.name}.{form}"
        if why := fault(self.config.rootpath, file):
            return [f"{relative(file)}: {why}"]
        if golden == text:
            return []
        if not file.exists():
            return [f"there is no {relative(file)}; pytest --snapshot-update writes it"]
        return list(golden.get_assert_diff())

    def _expander(self) -> Expander:
        """The expander of the VM's environment; VMs share it unless other objects lie beside their manifest."""
        catalog, environment = self.objects
        place = environment, str(self.release), encoded(self.template.companions)
        if place not in self.catalog.expanders:
            manifests = [*catalog.objects(environment), *self.catalog.cluster, *self.template.companions]
            release = choose_release(
                Conditions(release=self.release), release_of(catalog.overlays, environment), manifests
            ).release
            conditions = Conditions(
                release=release,
                architecture=self.config.getini("virtcatalog_architecture"),
                host=self.catalog.host,
            )
            self.catalog.expanders[place] = Expander(manifests, conditions, self.catalog.cache)
        return self.catalog.expanders[place]


def _check(request: pytest.FixtureRequest, snapshot: SnapshotAssertion) -> None:
    test = request.node
    assert isinstance(test, GoldenTest)
    problem = test.problem(snapshot)
    if problem:
        pytest.fail(escaping.log(problem), pytrace=False)
