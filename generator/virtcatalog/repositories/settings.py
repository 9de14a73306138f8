"""ConfigMaps and Secrets that others take values of: variables of Flux, values of charts, settings of Argo CD."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from virtcatalog.api.findings import field_path
from virtcatalog.api.govalues import decode_base64, from_base64
from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.identity import Data, Identity, identity
from virtcatalog.repositories.model import Resource

NOT_BASE64: Final = "is not base64, so that no cluster takes the Secret: plain text belongs below stringData"
_KINDS: Final = ("ConfigMap", "Secret")


def is_setting(data: Data) -> bool:
    """Whether an object is a ConfigMap or a Secret."""
    return data.get("kind") in _KINDS and data.get("apiVersion") == "v1"


def find_setting(settings: Sequence[Resource], reference: Any, namespace: str) -> Resource | None:
    """Return what a reference names by kind and name; one that names no namespace is taken for one of any."""
    for target in _targets(reference, namespace):
        for setting in settings:
            if identity(setting.data) == target:
                return setting
    return None


def named_settings(settings: Iterable[Resource], references: Iterable[Any], namespace: str) -> list[Resource]:
    """Return those that one of the references may name."""
    targets = {target for reference in references for target in _targets(reference, namespace)}
    return [setting for setting in settings if identity(setting.data) in targets]


def _targets(reference: Any, namespace: str) -> Iterator[Identity]:
    """Yield what a reference may name, the first that is there counts."""
    kind, name = map_at(reference).get("kind"), map_at(reference).get("name")
    if isinstance(kind, str) and isinstance(name, str):
        yield from ((kind, at, name) for at in (namespace or "default", ""))


def texts_of(data: Data) -> dict[str, str]:
    """Return the texts of a ConfigMap, or those that a Secret stands for."""
    if data.get("kind") == "ConfigMap":
        return texts(data.get("data"))
    return {**_decoded(texts(data.get("data"))), **texts(data.get("stringData"))}


def not_base64(data: Data) -> str | None:
    """Return the first field of a Secret's data that is not base64: no API server takes the Secret."""
    if data.get("kind") != "Secret":
        return None
    wrong = (key for key, value in texts(data.get("data")).items() if not decode_base64(value)[1])
    return next((field_path(("data", key)) for key in wrong), None)


def texts(value: Any) -> dict[str, str]:
    """Return a map's values as texts; nothing of what is no map."""
    return {str(key): str(text) for key, text in map_at(value).items()}


def _decoded(data: Mapping[str, str]) -> dict[str, str]:
    """The texts of a Secret's data; what is none is left out."""
    decoded = {}
    for key, value in data.items():
        try:
            decoded[key] = from_base64(value).decode()
        except ValueError:
            continue
    return decoded
