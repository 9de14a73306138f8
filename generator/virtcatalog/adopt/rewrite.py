"""Manifests changed in their own text: what stays keeps its bytes, comments, order, quotes and indentation.

Lines are removed and added in the text; nothing is parsed and dumped again. The result is parsed, and compared with the
manifests that it should have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from virtcatalog.adopt.candidates import Candidates
from virtcatalog.adopt.fleet import Adoption, adopt
from virtcatalog.adopt.shrink import Names
from virtcatalog.api.findings import Path
from virtcatalog.api.kinds import holds_vm
from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.pipeline import expand
from virtcatalog.kubevirt.template.process import chance, merged, parameter_values, process_read
from virtcatalog.kubevirt.template.substitute import references, texts
from virtcatalog.manifests.edits import Editor, UnwritableError
from virtcatalog.manifests.fields import get, put, without
from virtcatalog.manifests.identity import as_item
from virtcatalog.manifests.read import Part, unchecked, vms_of
from virtcatalog.manifests.spool import Spool
from virtcatalog.manifests.stream import Stream
from virtcatalog.manifests.syntax import MappingNode, SequenceNode, compose


class Changed(Protocol):
    """VMs as they are to be, by their number in a text; the reader takes them once, in the text's order."""

    def __contains__(self, number: object, /) -> bool: ...
    def __getitem__(self, number: int, /) -> dict[str, Any]: ...


def rewrite(text: str, changed: Changed) -> str:
    """Return YAML or JSON text with some of its VirtualMachines changed, by their number in it, counted from 0.

    Fields may go, maps become empty, and fields be added, in a VM's `spec` and where fields go. Raises UnwritableError
    where that cannot be done without touching what should stay.
    """
    content = text.encode()
    stream = Stream(Spool().copy(content), "")
    parts, end, start = [], 0, 0
    for part, span in zip(stream.vms(), stream.spans(), strict=True):
        next_start = start + (1 if part.is_vm else len(vms_of(part, unchecked)[0]))
        own = {number - start: changed[number] for number in range(start, next_start) if number in changed}
        if own:
            parts += [content[end : span[0]], _rewritten(part, own)]
            end = span[1]
        start = next_start
    return b"".join([*parts, content[end:]]).decode()


def _rewritten(part: Part, changed: Mapping[int, dict[str, Any]]) -> bytes:
    """The text of a part with some of its VMs changed."""
    assert isinstance(part.text, bytes)  # that is how a stream has it
    documents = [manifest.data for manifest in unchecked(part)[0]]
    places = [place for place, data in enumerate(documents) if holds_vm(data)]
    nodes = list(_machines(part))
    editor = Editor(part.text.decode())
    for number, new in changed.items():
        editor.change(nodes[number], documents[places[number]], new)
        documents[places[number]] = new
    rewritten = editor.apply().encode()
    parsed, faults = unchecked(part._replace(text=rewritten))
    if faults or [manifest.data for manifest in parsed] != documents:
        raise UnwritableError("what must go is shared through YAML anchors, aliases or <<: write it out first")
    return rewritten


def _machines(part: Part) -> Iterator[Any]:
    """The nodes of the VirtualMachines of a part, lists taken apart."""
    assert isinstance(part.text, bytes)
    for node in compose(part.text.decode()):
        is_item = part.named is not None and isinstance(node, SequenceNode)
        yield from _in_list(node.value[0] if is_item else node, part.named or {})


def _in_list(node: Any, implied: dict[str, Any]) -> Iterator[Any]:
    entries = {key.value: value for key, value in node.value} if isinstance(node, MappingNode) else {}
    item_type = as_item({key: entries[key].value for key in ("apiVersion", "kind") if key in entries}, implied)
    kind, items = item_type.get("kind"), entries.get("items")
    if isinstance(kind, str) and kind.endswith("List") and isinstance(items, SequenceNode):
        own = {} if kind == "List" else {**item_type, "kind": kind.removesuffix("List")}
        for item in items.value:
            yield from _in_list(item, own)
    elif holds_vm(item_type):
        yield node


Template = dict[str, Any]


class AdoptedTemplate(NamedTuple):
    """The template afterwards, None when KubeVirt does not admit its VM with the pair; and the adoption of its VM.

    `dropped` are the parameters that were removed, as nothing refers to them any more.
    """

    template: Template | None
    adoption: Adoption
    dropped: tuple[str, ...] = ()


def adopt_in_template(template: Template, names: Names, candidates: Candidates) -> AdoptedTemplate:
    """Remove from a template's VM the fields that a pair sets; fields with references to parameters go with the others.

    The fields are those that `adopt` removes from the VM that the template makes with its own values; where a required
    value is missing, the parameter's name stands for it. The new template is processed and expanded, too:
    UnsupportedError if its VM has another spec.
    """
    values = _values(template)
    vm = _vm(template, values)
    adoption = adopt(vm, candidates, names)
    shrunk = adoption.shrunk
    if shrunk is None or shrunk.names != names:
        return AdoptedTemplate(None, adoption)
    vm_template = template["spec"]["virtualMachine"]
    gone = {field.path for field in shrunk.removed if get(vm_template, field.path) is not None}
    smaller, _ = without(
        vm_template, gone, {path for path in _maps(vm_template) if isinstance(get(shrunk.manifest, path), dict)}
    )
    for path in (("spec", "instancetype"), ("spec", "preference"), *shrunk.added):
        if (value := get(shrunk.manifest, path)) is not None:
            smaller = put(smaller, path, value)
    spec = {**template["spec"], "virtualMachine": smaller}
    unused = _referred(template["spec"]) - _referred(spec)
    dropped = tuple(parameter["name"] for parameter in spec.get("parameters") or [] if parameter["name"] in unused)
    if dropped:
        spec["parameters"] = [parameter for parameter in spec["parameters"] if parameter["name"] not in dropped]
    adopted = {**template, "spec": spec}
    actual, intended = (
        expand(manifest, candidates.cluster)
        for manifest in (_vm(adopted, {name: values[name] for name in values if name not in dropped}), shrunk.manifest)
    )
    if actual.vmi is None or intended.vmi is None or actual.vmi["spec"] != intended.vmi["spec"]:
        raise UnsupportedError("spec.virtualMachine", "what goes from this VM depends on the values of its parameters")
    return AdoptedTemplate(adopted, adoption, dropped)


def _values(template: Template) -> Mapping[str, str]:
    """The template's own values, generated ones too; a name for a required one that is missing."""
    parameters = [dict(parameter) for parameter in template["spec"].get("parameters") or []]
    for parameter in parameters:
        if parameter.get("required") and not parameter.get("value") and not parameter.get("generate"):
            parameter["value"] = parameter["name"].lower().replace("_", "-")
    return parameter_values(parameters, chance(0))[0]


def _vm(template: Template, values: Mapping[str, str]) -> dict[str, Any]:
    vm = process_read(merged(template, values), chance(0)).vm
    return {key: value for key, value in vm.items() if key != "status"}


def _referred(spec: dict[str, Any]) -> set[str]:
    all_texts = [*texts(spec["virtualMachine"]), spec.get("message", "")]
    return {name for text in all_texts for name in references(text)}


def _maps(value: Any, path: Path = ()) -> Iterator[Path]:
    if isinstance(value, dict):
        yield path
    for step, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from _maps(item, (*path, step))
