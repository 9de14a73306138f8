"""The values that a release gives to its chart: of files, of ConfigMaps and Secrets, one by one, and its own.

Source: fluxcd/pkg, chartutil/values.go (ChartValuesFromReferences); argo-cd, reposerver/repository/repository.go
(helmTemplate), util/helm/cmd.go (cleanSetParameters); helm, pkg/strvals/parser.go.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from virtcatalog.api.findings import Path, field_path
from virtcatalog.catalog.places import Source
from virtcatalog.errors import Problem
from virtcatalog.limits import SET_FILE_BYTES
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.folder import SourceError
from virtcatalog.manifests.identity import Data
from virtcatalog.manifests.read import Manifest
from virtcatalog.repositories.buildenvironment import expanded
from virtcatalog.repositories.deployers import Deployer
from virtcatalog.repositories.documents import Opaque, digest_of
from virtcatalog.repositories.helm import Parameter
from virtcatalog.repositories.model import Resource
from virtcatalog.repositories.settings import NOT_BASE64, find_setting, not_base64, texts_of
from virtcatalog.repositories.tree import Tree, joined
from virtcatalog.repositories.values import Value, values_at

_PATH: Final = re.compile(r"[\w/-]+(?:\.[\w/-]+)*", re.ASCII)
"""A path of keys, as `--set` has it: not one with lists or escaped dots."""
_INTEGER: Final = re.compile(r"0|[+-]?[1-9]\d{0,17}", re.ASCII)
_WORDS: Final = {"true": True, "false": False, "null": None, "": ""}
_SPECIAL: Final = re.compile(r"[\\,{}\[\]]")
"""What means something in a value of `--set`."""


class Values(NamedTuple):
    """Values, of which the later are laid over the earlier ones, and what of them is not known.

    Of that `opaque` is what is in the repository, and not understood.
    """

    layers: tuple[Value, ...] = ()
    unrendered: tuple[Problem, ...] = ()
    opaque: tuple[Opaque, ...] = ()


class Deployed(Manifest):
    """An object as it is deployed, with the places that its resource finds."""

    __slots__ = ("_path", "_resource", "_tree")

    def __init__(self, resource: Resource, tree: Tree, data: Any, path: Path = ()) -> None:
        super().__init__(data, Text(""), 0)
        self._resource, self._tree, self._path = resource, tree, path

    def within(self, data: Any, path: Path) -> Manifest:
        """Return a part of it, which stands at a path."""
        return Deployed(self._resource, self._tree, data, (*self._path, *path))

    @property
    def file(self) -> str:
        """The file that it is declared in."""
        return self.source(()).file

    def place(self, field: str | Path = "") -> tuple[int, int]:
        """Return line and column of a field."""
        source = self.source(field)
        return source.line, source.column

    def source(self, field: str | Path) -> Source:
        """Where a field stands: what is built has some from elsewhere than the object."""
        own = field_path(self._path)
        if isinstance(field, tuple):
            return self._resource.field(field_path((*self._path, *field)))
        return self._resource.field(f"{own}.{field}".strip(".") if own else field)

    def _lines(self, path: Path, first: int, number: int) -> list[str]:
        lines = self._tree.lines(self._tree.path_of(self.source(path).file))
        return lines[first - 1 : first - 1 + number]


def values_of(deployer: Deployer, tree: Tree, path: Path) -> Value | None:
    """Return the values that stand in a field of an object's spec; None where there is no map."""
    return values_at(Deployed(deployer.resource, tree, deployer.resource.data), ("spec", *path))


def value_files(deployer: Deployer, tree: Tree, at: str, path: Path) -> Values:
    """Read files of values that are named from a folder; what is not there is named."""
    layers, unrendered = [], []
    for index, name in enumerate(map(str, deployer.items(*path))):
        file = _named_file(name, at, deployer, path[:-2])
        manifest = tree.first(file) if file else None
        layer = values_at(manifest, ()) if manifest is not None else None
        if layer is not None:
            layers.append(layer)
        elif not deployer.get(*path[:-1], "ignoreMissingValueFiles"):
            field = field_path(("spec", *path, index))
            unrendered.append(deployer.problem(field, f"{name} is no file of values in this repository"))
    return Values(tuple(layers), tuple(unrendered))


def flux_values(deployer: Deployer, tree: Tree, settings: Sequence[Resource]) -> Values:
    """Return the values of a HelmRelease: those of its references, and its own.

    What a reference sets at a path counts before its own values, as the API's description has it.
    """
    layers: list[Value] = []
    above: list[Value] = []
    unrendered: list[Problem] = []
    opaque: list[Opaque] = []
    for index, reference in enumerate(map(map_at, deployer.items("valuesFrom"))):
        setting = find_setting(settings, reference, deployer.namespace)
        value = _referred(setting, tree, reference) if setting is not None else None
        if value is not None:
            (above if reference.get("targetPath") else layers).append(value)
        elif setting is not None or reference.get("optional") is not True:
            message = f"takes values of {reference.get('kind')} {reference.get('name')}, {_why_not(setting)}"
            unrendered.append(deployer.problem(f"spec.valuesFrom[{index}]", message))
            opaque += [Opaque(unrendered[-1], digest_of(texts_of(setting.data)))] if setting is not None else []
    own = values_of(deployer, tree, ("values",))
    return Values((*layers, *([own] if own is not None else ()), *above), tuple(unrendered), tuple(opaque))


def _why_not(setting: Resource | None) -> str:
    if setting is None:
        return "which is not in the repository"
    field = not_base64(setting.data)
    return f"whose {field} {NOT_BASE64}" if field is not None else "which are not understood"


def _referred(setting: Resource, tree: Tree, reference: Data) -> Value | None:
    """The values that a ConfigMap or Secret has, or the one that it gives to a path; None for what is none."""
    key, target = str(reference.get("valuesKey") or "values.yaml"), reference.get("targetPath")
    texts = texts_of(setting.data)
    field = next((name for name in ("stringData", "data") if key in (setting.data.get(name) or {})), "data")
    manifest = Deployed(setting, tree, {**setting.data, field: texts})
    if not target:
        return values_at(manifest, (field, key))
    if key not in texts or not isinstance(target, str) or not _PATH.fullmatch(target):
        return None
    data: Any = texts[key]
    if reference.get("literal") is not True:
        quote = data[:1] if len(data) > 1 and data[:1] in ("'", '"') and data[-1:] == data[:1] else ""
        if _SPECIAL.search(data):
            return None
        data = data.strip("'\"") if quote else _typed(data)
    for step in reversed(target.split(".")):
        data = {step: data}
    return Value(manifest, (field, key), data)


def _typed(text: str) -> Any:
    """A value as `--set` reads it."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    return int(text) if _INTEGER.fullmatch(text) else text


def argo_parameters(
    deployer: Deployer, tree: Tree, at: str | None, path: Path
) -> tuple[list[Parameter], list[Problem]]:
    """Return the parameters of an Application's chart, which is in a folder; files that are not there are named."""
    declared = (parameter for parameter in deployer.items(*path, "parameters") if isinstance(parameter, dict))
    parameters = [
        Parameter(
            str(parameter.get("name")),
            _escaped(expanded(str(parameter.get("value", "")), deployer, path[:-1])),
            parameter.get("forceString") is True,
        )
        for parameter in declared
    ]
    unrendered: list[Problem] = []
    for index, parameter in enumerate(map(map_at, deployer.items(*path, "fileParameters"))):
        name = str(parameter.get("path") or "")
        file = _named_file(name, at or "", deployer, path[:-1])
        try:
            text = tree.root.read(file, SET_FILE_BYTES).decode() if file else None
        except (SourceError, UnicodeDecodeError):
            text = None
        if text is None:
            field = field_path(("spec", *path, "fileParameters", index))
            unrendered.append(deployer.problem(field, f"{name} is no file in this repository that can be given"))
        else:
            parameters.append(Parameter(str(parameter.get("name")), _SPECIAL.sub(r"\\\g<0>", text), text=True))
    return parameters, unrendered


def _escaped(value: str) -> str:
    """A value for `--set`, which takes commas for the end of one unless it is a list in braces."""
    return value if value.startswith("{") and value.endswith("}") else re.sub(r"(?<!\\),", r"\\,", value)


def _named_file(name: str, at: str, deployer: Deployer, source: Path) -> str | None:
    """The path of a file that is named from a folder.

    `/web.yaml` is one of the repository's root, `$values/web.yaml` of that of another source.
    """
    start, _, rest = name.partition("/")
    if rest and start.startswith("$") and start[1:] in _references(deployer):
        return joined("", expanded(rest, deployer, source))
    name = expanded(name, deployer, source) if deployer.kind == "Application" else name
    return joined("", name.lstrip("/")) if name.startswith("/") else joined(at, name)


def _references(deployer: Deployer) -> set[str]:
    """What the sources of an Application are called by others."""
    return {deployer.text("sources", index, "ref") for index, _ in enumerate(deployer.items("sources"))}
