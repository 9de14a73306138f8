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
from virtcatalog.manifests.merge import changed_in, fresh, lay_over
from virtcatalog.manifests.read import Manifest
from virtcatalog.repositories.buildenvironment import expanded
from virtcatalog.repositories.deployers import Deployer
from virtcatalog.repositories.documents import Opaque, digest_of
from virtcatalog.repositories.helm import Parameter
from virtcatalog.repositories.model import Resource
from virtcatalog.repositories.settings import NOT_BASE64, find_setting, not_base64, texts_of
from virtcatalog.repositories.setvalues import SetError, set_values, verbatim
from virtcatalog.repositories.tree import Tree, joined
from virtcatalog.repositories.values import Value, values_at

_QUOTES: Final = ("'", '"')


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


def value_files(deployer: Deployer, tree: Tree, at: str, path: Path, ignores_missing: str) -> Values:
    """Read files of values that are named from a folder.

    What is not there is named, unless the field `ignores_missing` beside their list says that it may be missing.
    """
    layers, unrendered = [], []
    may_be_missing = deployer.get(*path[:-1], ignores_missing) is True
    for index, name in enumerate(map(str, deployer.items(*path))):
        file = _named_file(name, at, deployer, path[:-2])
        manifest = tree.first(file) if file else None
        layer = values_at(manifest, ()) if manifest is not None else None
        if layer is not None:
            layers.append(layer)
        elif not (file and tree.is_empty(file)) and not (may_be_missing and not tree.has(file)):
            field = field_path(("spec", *path, index))
            unrendered.append(deployer.problem(field, f"{name} is no file of values in this repository"))
    return Values(tuple(layers), tuple(unrendered))


def flux_values(deployer: Deployer, tree: Tree, settings: Sequence[Resource]) -> Values:
    """Return the values of a HelmRelease: those of its references, one over the other, and its own over them.

    Before it sets one at a path Flux lays its own over those so far, and what it sets in a map that it takes from these
    then is set in them, too: it counts before them. Elsewhere its own do.
    """
    inline = values_of(deployer, tree, ("values",))
    own: Data = fresh(inline.data) if inline is not None else {}
    merged: Data = {}
    layers: list[Value] = []
    unrendered: list[Problem] = []
    opaque: list[Opaque] = []
    for index, reference in enumerate(map(map_at, deployer.items("valuesFrom"))):
        setting, why = find_setting(settings, reference, deployer.namespace), "which is not in the repository"
        key = str(reference.get("valuesKey") or "values.yaml")
        is_given = setting is not None and (key in texts_of(setting.data) or not_base64(setting.data) is not None)
        if reference.get("optional") is True and not is_given:
            continue
        if setting is not None:
            try:
                merged, layer = _with_setting(merged, own, setting, key, reference, tree)
                layers.append(layer)
                continue
            except SetError as error:
                why = str(error)
        message = f"takes values of {reference.get('kind')} {reference.get('name')}, {why}"
        unrendered.append(deployer.problem(f"spec.valuesFrom[{index}]", message))
        opaque += [Opaque(unrendered[-1], digest_of(texts_of(setting.data)))] if setting is not None else []
    return Values(
        (*layers, *([inline._replace(data=own)] if inline is not None else ())), tuple(unrendered), tuple(opaque)
    )


def _with_setting(
    merged: Data, own: Data, setting: Resource, key: str, reference: Data, tree: Tree
) -> tuple[Data, Value]:
    """Return values with those that a ConfigMap or Secret has, or the one that it gives to a path, and these alone.

    Raises SetError, which says what is wrong with them.
    """
    texts, wrong = texts_of(setting.data), not_base64(setting.data)
    if wrong is not None:
        raise SetError(f"whose {wrong} {NOT_BASE64}")
    if key not in texts:
        raise SetError(f"which has no {key}")
    field = next((name for name in ("stringData", "data") if key in map_at(setting.data, name)), "data")
    manifest = Deployed(setting, tree, {**setting.data, field: texts})
    target = str(reference.get("targetPath") or "")
    if not target:
        layer = values_at(manifest, (field, key))
        if layer is None:
            raise SetError("which are no map")
        return lay_over(merged, fresh(layer.data)), layer
    merged = lay_over(merged, own)
    before = fresh(merged)
    try:
        _set_at(merged, target, texts[key], is_literal=reference.get("literal") is True)
    except SetError as error:
        raise SetError(f"which Flux cannot set at {target}: {error}") from None
    return merged, Value(manifest, (field, key), changed_in(merged, before))


def _set_at(values: Data, target: str, text: str, *, is_literal: bool) -> None:
    """Set a value at a path: what is literal or in quotes is a text."""
    is_quoted = any(text.startswith(quote) and text.endswith(quote) for quote in _QUOTES)
    value = verbatim(text) if is_literal else text.strip("".join(_QUOTES)) if is_quoted else text
    set_values(values, f"{target}={value}", as_text=is_literal or is_quoted)


def argo_parameters(
    deployer: Deployer, tree: Tree, at: str | None, path: Path
) -> tuple[list[Parameter], list[Problem]]:
    """Return the parameters of an Application's chart, which is in a folder; files that are not there are named.

    Of several with one name the last counts.
    """
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
            parameters.append(Parameter(str(parameter.get("name")), verbatim(text), text=True))
    return [*{(parameter.path, parameter.text): parameter for parameter in parameters}.values()], unrendered


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
