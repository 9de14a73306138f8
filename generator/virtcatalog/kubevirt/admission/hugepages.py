"""Memory in huge pages. Source: vmi-create-admitter.go."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.quantity import Quantity
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import crash, invalid
from virtcatalog.kubevirt.configuration import Configuration


def validate_hugepages(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """The page size is a quantity and the memory a whole number of pages, at least one.

    Source: validateHugepagesMemoryRequests.
    """
    memory = spec.domain.memory
    if not memory or memory.hugepages is None:
        return
    text = memory.hugepages.page_size
    size = _page_size(text)
    if size is None:
        field = f"{path}.domain.{config.release.traits.hugepages_field}"
        yield invalid(field, f"{text!r} is not a quantity such as 2Mi or 1Gi")
        return
    if size == 0:
        yield crash(f"{path}.domain.memory.hugepages.pageSize is {text}, on which KubeVirt fails: a page is not empty")
        return
    resources = spec.domain.resources
    for source, amount in (
        ("resources.requests.memory", resources.requests.get("memory")),
        ("memory.guest", memory.guest),
        ("resources.limits.memory", resources.limits.get("memory")),
    ):
        if not amount:
            continue
        value = amount.value
        if value < size:
            yield invalid(
                f"{path}.domain.resources.requests.memory", f"{source} {amount} is less than one page of {text}"
            )
        elif value % size:
            yield invalid(
                f"{path}.domain.resources.requests.memory",
                f"{source} {amount} is not a whole number of pages of {text}",
            )
        return


def _page_size(text: str) -> int | None:
    """Bytes in a page. Other than the fields of an object, this text may not have blanks around it."""
    try:
        return Quantity.parse(text).value if text == text.strip() else None
    except ValueError:
        return None
