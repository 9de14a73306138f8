"""Golden tests for the VM templates of any catalog: a pytest plugin, which does nothing until it is configured.

    [tool.pytest.ini_options]
    virtcatalog_catalog = ["catalog"]

Every VM template becomes a test: KubeVirt must admit the VM, and its domain must be the XML in `tests/golden/`.
`pytest --snapshot-update` writes the XML; docs/golden-files.md has the rest.
"""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options of the configuration file."""
    parser.addini("virtcatalog_catalog", "Folders of catalogs whose VM templates are tested.", "paths", [])
    parser.addini("virtcatalog_golden", "Folder of the XML, in a folder for each catalog.", default="tests/golden")
    parser.addini("virtcatalog_cluster", "Manifests of the cluster: the KubeVirt CR, claims …", "paths", [])
    parser.addini("virtcatalog_host", "Host profile, a name or a YAML file; CATALOG=PROFILE for one.", "args", [])
    parser.addini("virtcatalog_kubevirt", "KubeVirt releases; a folder of XML for each but the default.", "args", [])
    parser.addini("virtcatalog_pods", "Pods beside the XML: none, extract or whole; CATALOG=FORM for one.", "args", [])
    parser.getgroup("virtcatalog").addoption(
        "--virtcatalog-environment",
        dest="virtcatalog_environments",
        action="append",
        default=[],
        metavar="NAME",
        help="Golden tests of this environment only; repeatable.",
    )
    parser.getgroup("virtcatalog").addoption(
        "--virtcatalog-no-cache",
        dest="virtcatalog_no_cache",
        action="store_true",
        help="Expand every VM template, and keep nothing; also VIRTCATALOG_NO_CACHE.",
    )
    parser.addini("virtcatalog_architecture", "The architecture of VMs that name none.", default="amd64")


def pytest_configure(config: pytest.Config) -> None:
    """Collect the catalogs besides what pytest collects without arguments."""
    catalogs = _catalogs(config)
    if catalogs and not config.pluginmanager.has_plugin("syrupy"):
        raise pytest.UsageError("virtcatalog_catalog: golden tests need syrupy; install virtcatalog[pytest]")
    for catalog in catalogs:
        if not (catalog / "catalog.yaml").is_file():
            raise pytest.UsageError(f"virtcatalog_catalog: {catalog} holds no catalog.yaml")
    names = [catalog.name for catalog in catalogs]
    for name in {name for name in names if names.count(name) > 1}:
        raise pytest.UsageError(f"virtcatalog_catalog: two catalogs are called {name}")
    for entry in config.getini("virtcatalog_host"):
        target = entry.rpartition("=")[0]
        if target and target not in names:
            raise pytest.UsageError(f"virtcatalog_host: {entry}: no catalog is called {target}")
    if catalogs:
        _check_values(config)
    if config.args_source is pytest.Config.ArgsSource.ARGS:
        return
    collected = [(config.invocation_params.dir / argument).resolve() for argument in config.args]
    for catalog in catalogs:
        if not any(catalog.is_relative_to(folder) for folder in collected):
            config.args.append(str(catalog))


def _check_values(config: pytest.Config) -> None:
    """Raise UsageError for a release, a form of Pods or an architecture that there is not, and a folder elsewhere."""
    from virtcatalog.errors import UnsupportedError
    from virtcatalog.golden.expansion import PODS
    from virtcatalog.kubevirt.hosts import ARCHITECTURES
    from virtcatalog.releases import find_release

    for release in config.getini("virtcatalog_kubevirt"):
        try:
            find_release(release)
        except UnsupportedError as error:
            raise pytest.UsageError(f"virtcatalog_kubevirt: {error.message}") from None
    for entry in config.getini("virtcatalog_pods"):
        if entry.rpartition("=")[2] not in PODS:
            raise pytest.UsageError(f"virtcatalog_pods: {entry!r} is none of {', '.join(PODS)}")
    folder = config.getini("virtcatalog_golden")
    if Path(folder).is_absolute() or ".." in Path(folder).parts:
        raise pytest.UsageError(f"virtcatalog_golden: {folder} leads out of {config.rootpath}")
    architecture = config.getini("virtcatalog_architecture")
    if architecture not in ARCHITECTURES:
        raise pytest.UsageError(f"virtcatalog_architecture: {architecture!r} is none of {', '.join(ARCHITECTURES)}")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Make a catalog's `catalog.yaml` the place of its tests."""
    if file_path.name != "catalog.yaml" or file_path.parent.resolve() not in _catalogs(parent.config):
        return None
    from virtcatalog.golden.catalog import GoldenCatalog

    return GoldenCatalog.from_parent(parent, path=file_path)


def pytest_collection_modifyitems(config: pytest.Config) -> None:
    """Refuse an environment that no catalog has: none of its tests would be missed."""
    chosen: list[str] = config.getoption("virtcatalog_environments")
    if not chosen:
        return
    from virtcatalog.environments import check_names
    from virtcatalog.errors import VirtcatalogError
    from virtcatalog.golden.catalog import ENVIRONMENTS

    environments = config.stash.get(ENVIRONMENTS, set[str]())
    try:
        check_names(chosen, sorted(environments), "in a catalog that is tested")
    except VirtcatalogError as error:
        raise pytest.UsageError(f"--virtcatalog-environment: {error}") from None


def _catalogs(config: pytest.Config) -> list[Path]:
    folders: list[Path] = config.getini("virtcatalog_catalog")
    return [folder.resolve() for folder in folders]
