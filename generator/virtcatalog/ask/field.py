"""Fields of a VMI, named by their path, and found again in another VMI of the same VM."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from virtcatalog.api.decode import to_manifest
from virtcatalog.ask.why import Path, View
from virtcatalog.errors import VirtcatalogError
from virtcatalog.kubevirt.pipeline import Result
from virtcatalog.manifests.difference import shown

#: What of a path may be left out.
_STARTS: Final[tuple[Path, ...]] = (("spec", "domain"), ("spec",), ())


def of_field(field: str) -> View:
    """Look at a field of the VMI; `spec.domain.` may be left out: `devices.disks[0].disk.bus`.

    A field of a VM as findings name it, `spec.template.spec.domain.cpu`, is the one that its VMI gets; of a VM that is
    refused before it has a VMI, the VM's own.

    Items of a list are followed by their name, so that they are found when others before them are gone.
    """
    steps = parse(field)
    of_vmi = steps[2:] if steps[:2] == ("spec", "template") else steps

    def look(result: Result) -> str | None:
        vmi = to_manifest(result.vmi_object) if result.vmi_object is not None else {}
        vm = {} if result.admitted or result.vm_object is None else to_manifest(result.vm_object)
        for names, data, path in (
            *((seen, vmi, (*start, *of_vmi)) for seen, start in zip(followed, _STARTS, strict=True)),
            (in_vm, vm, steps),
        ):
            found = follow(data, path, names)
            if found is not None:
                return as_text(found)
        return None

    followed: list[dict[int, str]] = [{} for _ in _STARTS]
    in_vm: dict[int, str] = {}
    return look


def as_text(found: Any) -> str:
    """A value on one line."""
    return shown(found) if not isinstance(found, dict | list) else msgspec.json.encode(found).decode()


def follow(data: Any, steps: Path, names: dict[int, str]) -> Any:
    """What is at a path, None if nothing; the names of list items on the way are remembered when they are first met."""
    for number, step in enumerate(steps):
        if isinstance(step, int) and isinstance(data, list):
            if number in names:
                data = next((item for item in data if item.get("name") == names[number]), None)
            elif step >= len(data):
                return None
            else:
                data = data[step]
                if isinstance(data, dict) and isinstance(data.get("name"), str):
                    names[number] = data["name"]
        elif isinstance(data, list):
            data = next((item for item in data if isinstance(item, dict) and item.get("name") == step), None)
        else:
            data = data.get(step) if isinstance(data, dict) else None
        if data is None:
            return None
    return data


def parse(field: str) -> Path:
    """Read a path such as `devices.disks[0].disk`, `metadata.labels[a.b/c]`; VirtcatalogError when it is none."""
    steps: list[str | int] = []
    rest = field.strip()
    while rest:
        if rest.startswith("["):
            inner, closed, rest = rest[1:].partition("]")
            if not closed or not inner:
                raise VirtcatalogError(f"{field!r} is not a field such as devices.disks[0].disk.bus")
            steps.append(int(inner) if inner.isdecimal() else inner)
            rest = rest.removeprefix(".")
            continue
        end = min((at for at in (rest.find("."), rest.find("[")) if at >= 0), default=len(rest))
        if end == 0:
            raise VirtcatalogError(f"{field!r} is not a field such as devices.disks[0].disk.bus")
        steps.append(rest[:end])
        rest = rest[end:].removeprefix(".") if rest[end : end + 1] == "." else rest[end:]
    if not steps:
        raise VirtcatalogError("the field is empty")
    return tuple(steps)
