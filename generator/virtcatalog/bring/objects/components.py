"""Fragments that several layers say, as components."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from virtcatalog.bring.objects.facts import Expression, Facts, laid_over, signature
from virtcatalog.bring.objects.layers import Said, Unit, joined, same_facts
from virtcatalog.bring.objects.naming import component_name


class Layer:
    """A layer that may use components: what it says itself, and what it stands on."""

    def __init__(self, below: Facts, said: Said, unit: Unit) -> None:
        self.components: list[str] = []
        self._said = dict(said)
        self._whole = {
            each: _whole({path: value for path, value in below.items() if unit(path) == each}, patch)
            for each, patch in said.items()
            if each[0] == "spec" and each != ("spec", "requirements")
        }

    @property
    def own(self) -> Facts:
        """What it says beside its components."""
        return joined(self._said)

    def fragments(self) -> Iterable[Facts]:
        """Return what could be components, one for each thing that the layer says."""
        return self._whole.values()

    def use(self, names: Mapping[Any, str]) -> None:
        """Take components in place of what they say."""
        for unit, whole in self._whole.items():
            name = names.get(signature(whole)) or names.get(signature(self._said[unit]))
            if name:
                self.components += [name] if name not in self.components else []
                del self._said[unit]


def _whole(below: Facts, patch: Facts) -> Facts:
    """All that is to be said of one thing, if saying it replaces what is below; else the patch."""
    wanted = laid_over(below, patch)
    return wanted if wanted and same_facts(laid_over(below, wanted), wanted) else patch


def extract(layers: Sequence[Layer], taken: Mapping[str, Facts], least: int = 1) -> dict[str, Facts]:
    """Return the components that layers share, by name, and have the layers use them.

    Names that are `taken` are left alone, and so are fragments of fewer leaves than `least`.
    """
    counted: Counter[Any] = Counter()
    fragments: dict[Any, Facts] = {}
    for layer in layers:
        for fragment in layer.fragments():
            if not any(isinstance(value, Expression) for value in fragment.values()):
                counted[signature(fragment)] += 1
                fragments.setdefault(signature(fragment), fragment)
    made: dict[str, Facts] = {}
    for key, fragment in fragments.items():
        if counted[key] > 1 and len(fragment) >= least:
            name, number = component_name(fragment), 2
            while name in made or name in taken:
                name, number = f"{component_name(fragment)}-{number}", number + 1
            made[name] = fragment
    names = {signature(fragment): name for name, fragment in made.items()}
    for layer in layers:
        layer.use(names)
    return made
