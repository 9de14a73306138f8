"""Places in a domain, named by XPath, and found again in another domain of the same VM."""

from __future__ import annotations

from typing import Any

from lxml import etree

from virtcatalog.ask.why import View
from virtcatalog.errors import VirtcatalogError
from virtcatalog.kubevirt.launcher.elements.qemu import NAMESPACE
from virtcatalog.kubevirt.pipeline import Result

_NAMESPACES = {"qemu": NAMESPACE}
_MOST_TEXT = 2000


def of_xpath(expression: str) -> View:
    """Look at what an XPath finds in the domain; VirtcatalogError when it is no XPath or finds several things.

    A device is followed by its alias, so that it is found when others before it are gone.
    """
    try:
        find = etree.XPath(expression, namespaces=_NAMESPACES)
    except etree.XPathError as error:
        raise VirtcatalogError(f"{expression!r} is not an XPath: {error}") from None
    again: list[Any] = []

    def look(result: Result) -> str | None:
        if result.domain_xml is None:
            return None
        root = etree.fromstring(result.domain_xml.encode(), _PARSER)
        if again:
            found = again[0](root)
        else:
            found = _evaluate(find, expression, root)
            _single(found, expression)
            again.append(_follower(found, find))
        return _text(found)

    return look


_PARSER = etree.XMLParser(resolve_entities=False, no_network=True)


def _evaluate(find: Any, expression: str, root: Any) -> Any:
    try:
        return find(root)
    except etree.XPathError as error:
        raise VirtcatalogError(f"{expression!r} is not an XPath for a domain: {error}") from None


def _single(found: Any, expression: str) -> None:
    if isinstance(found, list) and len(found) > 1:
        shown = "; ".join(str(_text([each])) for each in found[:5])
        more = f" and {len(found) - 5} more" if len(found) > 5 else ""
        raise VirtcatalogError(f"{expression!r} finds {len(found)} things, name one: {shown}{more}")


def _follower(found: Any, find: Any) -> Any:
    """A way to the same thing in another domain: from the device with its alias, else the XPath itself."""
    if not isinstance(found, list) or not found:
        return find
    first: Any = found[0]
    element = first if etree.iselement(first) else first.getparent()
    device: Any = element
    while device is not None and device.find("alias") is None:
        device = device.getparent()
    if device is None or device.getparent() is None:
        return find
    name = device.find("alias").get("name")
    tree = etree.ElementTree(device)
    inner = tree.getpath(element).partition("/")[2].partition("/")[2]
    path = f"//{device.tag}[alias/@name=$name]" + (f"/{inner}" if inner else "")
    if not etree.iselement(first):
        path += f"/@{first.attrname}" if first.is_attribute else "/text()"
    follow = etree.XPath(path, namespaces=_NAMESPACES)
    return lambda root: follow(root, name=name)


def _text(found: Any) -> str | None:
    if isinstance(found, list):
        if not found:
            return None
        if isinstance(found[0], str):
            return str(found[0])
        text: str = etree.tostring(found[0], encoding="unicode", with_tail=False)
        line = "".join(part.strip() for part in text.splitlines())
        return line.replace(f' xmlns:qemu="{NAMESPACE}"', "")[:_MOST_TEXT]
    if isinstance(found, float) and found.is_integer():
        return str(int(found))
    return str(found).lower() if isinstance(found, bool) else str(found)
