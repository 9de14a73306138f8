"""Reads flavors and images, as `openstack … -o json` prints them or openstacksdk returns them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

from virtcatalog.api.values import describe
from virtcatalog.errors import Problem, VirtcatalogError
from virtcatalog.manifests.document import Text

Place = tuple[int, int]
_PAIR = re.compile(r"(?<![^\s=,])([^\s=,]+)='([^']*)'")
_OWN = re.compile(r"(hw|os|img|hypervisor|vmware|trait)[_:].*")
_MOST = {"vcpus": 2**16, "ram": 2**31}
_NO_PROPERTIES = ("os_hash_algo", "os_hash_value", "os_hidden", "os_flv_disabled")


class Resource(NamedTuple):
    """A flavor (`vcpus` and `ram` in MiB are set) or an image, its properties as texts, and their places.

    `sizes` are the disks of a flavor or the minimal sizes of an image, by field.
    """

    kind: str
    name: str
    vcpus: int
    ram: int
    sizes: dict[str, int]
    properties: dict[str, str]
    file: str
    place: Callable[[str], Place]

    def problem(self, key: str, message: str) -> Problem:
        """Return a problem of a property."""
        line, column = self.place(key)
        return Problem(self.file, line, column, f"{self.kind} {self.name}", key, message)


def read(content: bytes, file: str) -> tuple[list[Resource], list[Problem]]:
    """Return the flavors and images of a file of JSON (or YAML), and the problems of others."""
    text = Text(content, file)
    resources: list[Resource] = []
    problems: list[Problem] = []
    for number, document in text.documents():
        items = document if isinstance(document, list) else [document]
        for position, data in enumerate(items):
            above: tuple[str | int, ...] = (position,) if isinstance(document, list) else ()

            def place(*path: str | int, _number: int = number, _above: tuple[str | int, ...] = above) -> Place:
                return text.place(_number, (*_above, *path))

            resource = of_data(data, file, place)
            if isinstance(resource, Problem):
                problems.append(resource)
            else:
                resources.append(resource)
    problems += text.problems
    if not resources and not problems:
        problems.append(Problem(file, message="holds no flavor and no image"))
    return resources, problems


def of_data(data: Any, file: str, place: Callable[..., Place]) -> Resource | Problem:
    """Return a map as a flavor or image, or the problem if it is neither."""

    def problem(message: str, *path: str | int) -> Problem:
        line, column = place(*path)
        return Problem(file, line, column, message=message)

    if not isinstance(data, dict):
        return problem("is neither a flavor nor an image: these are maps")
    names = {_plain(key): key for key in data}
    fields = {_plain(key): value for key, value in data.items()}
    name = fields.get("name")
    if not isinstance(name, str) or not name:
        return problem("a flavor or image has a name", *([names["name"]] if "name" in names else []))
    flavor = "vcpus" in fields or "ram" in fields
    image = {"disk_format", "container_format", "visibility", "checksum"} & set(fields)
    if not flavor and not image:
        return problem(f"{name!r} is neither a flavor (with vcpus and ram) nor an image (with a disk_format)")
    numbers: dict[str, int] = {}
    for field in ("vcpus", "ram") if flavor else ():
        value = fields.get(field)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < _MOST[field]:
            message = f"flavor {name!r}: {field} is {describe(value)}, no whole number from 1 to {_MOST[field] - 1}"
            return problem(message, *_if_present(names, field))
        numbers[field] = value
    sizes = {
        field: value
        for field in ("disk", "ephemeral", "swap", "min_disk", "min_ram")
        if isinstance(value := fields.get(field, fields.get(f"os-flv-ext-data:{field}")), int) and value > 0
    }
    properties = _properties(fields)
    if properties is None:
        wrong = "properties" if "properties" in names else "extra_specs"
        return problem(f"{name!r}: the properties are no map of texts", *_if_present(names, wrong))
    container = next((names[key] for key in ("properties", "extra_specs") if key in names), "")
    loose = {key: value for key, value in fields.items() if _OWN.fullmatch(key) and key not in _NO_PROPERTIES}
    loose_texts = (
        {} if flavor else {key: _text(value) for key, value in loose.items() if isinstance(value, str | int | bool)}
    )

    def at(key: str) -> Place:
        return place(names[key]) if key in names and key not in properties else place(container, key)

    kind = "flavor" if flavor else "image"
    vcpus, ram = numbers.get("vcpus", 0), numbers.get("ram", 0)
    return Resource(kind, name, vcpus, ram, sizes, {**loose_texts, **properties}, file, at)


def _plain(key: str) -> str:
    return key.lower().replace(" ", "_")


def _if_present(names: dict[str, str], field: str) -> list[str]:
    return [names[field]] if field in names else []


def _properties(fields: dict[str, Any]) -> dict[str, str] | None:
    properties: dict[str, str] = {}
    for key in ("properties", "extra_specs"):
        value = fields.get(key)
        if isinstance(value, str):  # as older clients print them
            value = dict(_PAIR.findall(value))
        if value is None:
            continue
        if not isinstance(value, dict):
            return None
        for name, item in value.items():
            if item is None or isinstance(item, list | dict):
                continue  # glance's own, such as stores
            properties[str(name)] = _text(item)
    return properties


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def of_cloud(name: str) -> Iterator[Resource | Problem]:
    """Yield the flavors and images of a cloud of clouds.yaml, or of the environment for "".

    VirtcatalogError when openstacksdk is missing or the cloud does not answer.
    """
    try:
        openstack = import_module("openstack")
    except ImportError:
        raise VirtcatalogError("openstacksdk is missing: pip install 'virtcatalog[import]'") from None
    try:
        cloud = openstack.connect(cloud=name) if name else openstack.connect()
        flavors = [flavor.to_dict() for flavor in cloud.compute.flavors(details=True, get_extra_specs=True)]
        images = [image.to_dict() for image in cloud.image.images()]
    except Exception as error:
        raise VirtcatalogError(f"cloud {name or 'of the environment'}: {error}") from error
    for number, data in enumerate([*flavors, *images]):
        fields = {key: value for key, value in data.items() if value is not None}
        kind = "flavors" if number < len(flavors) else "images"
        yield of_data(fields, f"cloud {name}".strip() + f": {kind}", lambda *_: (0, 0))
