"""Places in a domain by XPath, followed through other domains of the same VM."""

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
    """Look at the match of an XPath in the domain; VirtcatalogError when it is no XPath or matches several nodes.

    A device is followed by its alias, also where devices before it are removed.
    """
    try:
        find = etree.XPath(expression, namespaces=_NAMESPACES)
    except etree.XPathError as error:
        raise VirtcatalogError(f"{expression!r} is not an XPath: {error}") from None
    followers: list[Any] = []

    def look(result: Result) -> str | None:
        if result.domain_xml is None:
            return None
        root = etree.fromstring(result.domain_xml.encode(), _PARSER)
        if followers:
            match = followers[0](root)
        else:
            match = _evaluate(find, expression, root)
            _check_single(match, expression)
            followers.append(_follower(match, find))
        return _text(match)

    return look


_PARSER = etree.XMLParser(resolve_entities=False, no_network=True)


def _evaluate(find: Any, expression: str, root: Any) -> Any:
    try:
        return find(root)
    except etree.XPathError as error:
        raise VirtcatalogError(f"{expression!r} is not an XPath for a domain: {error}") from None


def _check_single(match: Any, expression: str) -> None:
    if isinstance(match, list) and len(match) > 1:
        shown = "; ".join(str(_text([item])) for item in match[:5])
        more = f" and {len(match) - 5} more" if len(match) > 5 else ""
        raise VirtcatalogError(f"{expression!r} finds {len(match)} things, name one: {shown}{more}")


def _follower(match: Any, find: Any) -> Any:
    """A function for the same place in another domain: from the device with its alias, else the XPath itself."""
    if not isinstance(match, list) or not match:
        return find
    first: Any = match[0]
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


def _text(match: Any) -> str | None:
    if isinstance(match, list):
        if not match:
            return None
        if isinstance(match[0], str):
            return str(match[0])
        text: str = etree.tostring(match[0], encoding="unicode", with_tail=False)
        line = "".join(part.strip() for part in text.splitlines())
        return line.replace(f' xmlns:qemu="{NAMESPACE}"', "")[:_MOST_TEXT]
    if isinstance(match, float) and match.is_integer():
        return str(int(match))
    return str(match).lower() if isinstance(match, bool) else str(match)
