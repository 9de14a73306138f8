"""Fragments that several layers share, as components."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from virtcatalog.bring.objects.facts import Expression, Facts, laid_over, signature
from virtcatalog.bring.objects.layers import Patches, Unit, joined, same_facts
from virtcatalog.bring.objects.naming import component_name


class Layer:
    """A layer that may use components: its own patches, and the facts below it."""

    def __init__(self, below: Facts, patches: Patches, unit: Unit) -> None:
        self.components: list[str] = []
        self._patches = dict(patches)
        self._fragments = {
            key: _fragment({path: value for path, value in below.items() if unit(path) == key}, patch)
            for key, patch in patches.items()
            if key[0] == "spec" and key != ("spec", "requirements")
        }

    @property
    def own(self) -> Facts:
        """The facts of the layer beside its components."""
        return joined(self._patches)

    def fragments(self) -> Iterable[Facts]:
        """Return the fragments that could be components, one for each unit of the spec."""
        return self._fragments.values()

    def use(self, names: Mapping[Any, str]) -> None:
        """Replace fragments by the components with the same facts."""
        for unit, fragment in self._fragments.items():
            name = names.get(signature(fragment)) or names.get(signature(self._patches[unit]))
            if name:
                self.components += [name] if name not in self.components else []
                del self._patches[unit]


def _fragment(below: Facts, patch: Facts) -> Facts:
    """All facts of a unit, if they can replace those below; else the patch."""
    wanted = laid_over(below, patch)
    return wanted if wanted and same_facts(laid_over(below, wanted), wanted) else patch


def extract(layers: Sequence[Layer], taken: Mapping[str, Facts], least: int = 1) -> dict[str, Facts]:
    """Return the components that layers share, by name, and replace these fragments in the layers.

    Names in `taken` are not used again; fragments of fewer leaves than `least` stay.
    """
    counted: Counter[Any] = Counter()
    fragments: dict[Any, Facts] = {}
    for layer in layers:
        for fragment in layer.fragments():
            if not any(isinstance(value, Expression) for value in fragment.values()):
                counted[signature(fragment)] += 1
                fragments.setdefault(signature(fragment), fragment)
    components: dict[str, Facts] = {}
    for key, fragment in fragments.items():
        if counted[key] > 1 and len(fragment) >= least:
            name, number = component_name(fragment), 2
            while name in components or name in taken:
                name, number = f"{component_name(fragment)}-{number}", number + 1
            components[name] = fragment
    names = {signature(fragment): name for name, fragment in components.items()}
    for layer in layers:
        layer.use(names)
    return components
