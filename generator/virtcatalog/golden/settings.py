"""What pytest's configuration says of the golden tests of a catalog."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from virtcatalog.errors import ManifestError, Problem
from virtcatalog.fleet.cache import Cache, users_cache
from virtcatalog.golden.expansion import PODS
from virtcatalog.kubevirt.hostfile import load_host
from virtcatalog.kubevirt.hosts import HostProfile
from virtcatalog.manifests.folder import SourceError
from virtcatalog.manifests.sources import open_source
from virtcatalog.releases import DEFAULT, PREVIEWS, RELEASES, Release, find_release
from virtcatalog.repositories.find import find


class Settings:
    """The settings of a catalog, whose `catalog.yaml` is `path`; each is read when it is asked for."""

    config: pytest.Config
    path: Path

    @cached_property
    def releases(self) -> tuple[Release, ...]:
        """The releases that its VM templates are tested under; none for the release of their own clusters."""
        releases = map(find_release, self.config.getini("virtcatalog_kubevirt"))
        return tuple({release.name: release for release in releases}.values())

    @cached_property
    def unused_folders(self) -> tuple[Path, ...]:
        """The folders of releases under which nothing is tested."""
        names = {*RELEASES, *PREVIEWS} - {release.name for release in self.releases if release is not DEFAULT}
        return tuple(folder for name in sorted(names) if (folder := self.folder / name).is_dir())

    @cached_property
    def folder(self) -> Path:
        """Where its golden files are."""
        return Path(self.config.rootpath, self.config.getini("virtcatalog_golden"), self.path.parent.name)

    @cached_property
    def cache(self) -> Cache | None:
        """The cache of expansions."""
        return None if self.config.getoption("virtcatalog_no_cache") else users_cache()

    @cached_property
    def cluster(self) -> list[dict[str, Any]]:
        """The manifests that the cluster has besides the catalog."""
        paths: list[Path] = self.config.getini("virtcatalog_cluster")
        return [manifest for path in paths for manifest in _manifests(path)]

    def _chosen(self, key: str, usual: str) -> str:
        """The value of a configuration key for this catalog, else for all catalogs."""
        chosen = usual
        for entry in self.config.getini(key):
            catalog, _, value = str(entry).rpartition("=")
            if catalog == self.path.parent.name:
                return value
            if not catalog:
                chosen = value
        return chosen

    @cached_property
    def pods(self) -> str:
        """The form of golden Pods: none, extract or whole."""
        return self._chosen("virtcatalog_pods", PODS[0])

    @cached_property
    def host(self) -> HostProfile:
        """The profile for this catalog, else for all catalogs, else the reference."""
        chosen = self._chosen("virtcatalog_host", "reference")
        file = Path(self.config.rootpath, chosen)
        return load_host(relative(file) if file.is_file() else chosen)


def _manifests(path: Path) -> list[dict[str, Any]]:
    """The manifests of a file or folder of the cluster; that there are none is a mistake in the configuration."""
    try:
        repository = find(open_source(str(path)), relative(path))
    except SourceError as error:
        raise ManifestError(Problem(file=relative(path), message=error.message)) from None
    problems = repository.all_problems
    manifests = [resource.data for environment in repository.environments for resource in environment.resources]
    if not manifests and not problems:
        problems = (Problem(file=relative(path), message="holds no manifest"),)
    if problems:
        raise ManifestError(*problems)
    return manifests


def relative(path: Path) -> str:
    """Return a path as a user would write it."""
    current = Path.cwd()
    return str(path.relative_to(current) if path.is_relative_to(current) else path)
