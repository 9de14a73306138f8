"""Random Pods whose lists merge by keys, patches of them, and their texts in quotes, bare, or such as YAML quotes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

Data = dict[str, Any]

PORTS = [80, 443, 53, 22]


class Bare(str):
    """A scalar that stands bare in YAML, whatever it is then."""


TEXTS = ("x", "", "1", "yes", "a b", "0x10", "2020-01-02", "null", "a: b", "l\nm\n", "12:30", "Off")
SCALARS: tuple[Any, ...] = (*map(Bare, ("x", "y", "no", "1", "0x1f", "1.50", "true", "2020-01-02", "a/b:1")), 7, False)


def flow(value: Any) -> str:
    """Return data as YAML in braces, with its bare scalars; all other texts stand in double quotes."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return str(value) if isinstance(value, Bare) else json.dumps(value)


class Lists:
    """A Pod, and patches of it."""

    def __init__(self, random: Random, name: str) -> None:
        self._random, self.name = random, name

    def _chance(self, share: float) -> bool:
        return self._random.random() < share

    def _scalar(self) -> Any:
        return self._random.choice(TEXTS) if self._chance(0.6) else self._random.choice(SCALARS)

    def _some(self, values: Sequence[Any], most: int) -> list[Any]:
        return self._random.sample(values, self._random.randint(1, min(most, len(values))))

    def pod(self) -> Data:
        """Return a Pod."""
        return self._head({}) | {"spec": self._spec(patch=False)}

    def patch(self) -> Data:
        """Return a strategic merge patch of it."""
        labels = {"labels": {"l": self._scalar()}} if self._chance(0.3) else {}
        return self._head(labels) | {"spec": self._spec(patch=True)}

    def operations(self) -> list[Data]:
        """Return operations of a JSON patch."""
        operations = [{"op": "add", "path": "/spec/nodeName", "value": self._random.choice(TEXTS)}]
        if self._chance(0.5):
            item = {"name": self._random.choice("abcd"), "image": self._random.choice(TEXTS)}
            operations.append({"op": "add", "path": "/spec/containers/0", "value": item})
        return operations

    def _head(self, metadata: Data) -> Data:
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": self.name} | metadata}

    def _spec(self, *, patch: bool) -> Data:
        spec: Data = {"containers": self._list("name", "abc", self._container, patch=patch)}
        if self._chance(0.4):
            spec["nodeSelector"] = {key: self._scalar() for key in self._some("kl", 2)}
        if self._chance(0.2):
            spec["imagePullSecrets"] = self._list("name", "ab", self._other, patch=patch)
        if patch:
            for key in ("nodeSelector", "volumes", "schedulerName"):
                if self._chance(0.1):
                    spec[key] = None
            if self._chance(0.05):
                spec["nodeSelector"] = {"$patch": self._random.choice(("replace", "delete")), "k": self._scalar()}
        return spec

    def _list(self, key: str, names: Sequence[Any], draw: Any, *, patch: bool) -> list[Data]:
        items = [{key: name} | draw(patch=patch) for name in self._some(names, 3)]
        if patch and self._chance(0.15):
            items[0] = {key: items[0][key], "$patch": "delete"}
        elif patch and self._chance(0.08):
            items.insert(self._random.randrange(len(items) + 1), {"$patch": self._random.choice(("replace", "merge"))})
        if patch and self._chance(0.05):
            items.append(self._random.choice(items) | {"twice": self._scalar()})
        return items

    def _container(self, *, patch: bool) -> Data:
        container: Data = {key: self._scalar() for key in self._some(("image", "workingDir", "other"), 2)}
        if self._chance(0.4):
            container["env"] = self._list("name", "EFG", self._other, patch=patch)
        if self._chance(0.4):
            container["ports"] = self._list("containerPort", PORTS, self._port, patch=patch)
        if self._chance(0.2):
            container["command"] = [self._scalar(), {"a": self._scalar()}]
        if self._chance(0.2):
            container["resources"] = {"limits": {"cpu": self._scalar()}}
        return container

    def _other(self, *, patch: bool) -> Data:
        return {"value": self._scalar()} if not patch or self._chance(0.9) else {"value": None}

    def _port(self, *, patch: bool) -> Data:
        protocol = self._random.choice(("TCP", "TCP", "TCP", "UDP", None))
        return {"name": self._scalar()} | ({"protocol": protocol} if protocol else {})
