"""What is said of mistakes that no other test makes."""

from __future__ import annotations

import pytest

CLASS = "instancetypes/m.yaml"


def of_class(spec: str) -> dict[str, str]:
    return {CLASS: f"class: m\nmemoryPerVcpu: 4Gi\nsizes: {{small: {{vcpus: 1, description: '{spec}'}}}}\n"}


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        (
            {"instancetypes/m.yaml": "preferences: {linux.one: {}}\n"},
            "instancetypes/m.yaml:1:1: declares preferences: it belongs in preferences/",
        ),
        (
            {"preferences/linux.yaml": "class: m\nsizes: {small: {vcpus: 1, memory: 1Gi}}\n"},
            "preferences/linux.yaml:1:1: declares instance types: it belongs in instancetypes/",
        ),
        (
            {CLASS: "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\n"},
            "instancetypes/m.yaml:1:1: is a VirtualMachine: it belongs in vms/",
        ),
        (
            {"overlays.yaml": "lab: {scope: namespaced, namespace: lab, templates: other}\n"},
            "overlays.yaml:1:42: lab.templates: the scope is namespaced: everything lies in `namespace`",
        ),
        (
            {"overlays.yaml": "lab: {scope: namespaced}\n"},
            "overlays.yaml:1:1: lab: the scope is namespaced, and there is no `namespace`",
        ),
        (
            {"overlays.yaml": "lab: {namespace: lab}\n"},
            "overlays.yaml:1:7: lab.namespace: cluster-wide kinds have no namespace; the scope is cluster",
        ),
        (
            {"catalog.yaml": "name: test\nkubevirt: v1.9.0\nselect: {instancetypes: [a]}\n"},
            "catalog.yaml:3:1: select: selects from an extended catalog, and `extends` names none",
        ),
        (
            {"vms/a.yaml": "- a\n"},
            "vms/a.yaml:1:1: is not a manifest: a map with apiVersion and kind",
        ),
        (
            {"catalog.lock": "version: v1.0.0\ninstancetypes: {m.small: null}\npreferences: {}\n"},
            "catalog.lock:2:17: instancetypes[m.small]: must be a map, not nothing; restore the file from Git",
        ),
        (of_class("{{ memory / (memory - memory) }}"), "division by no memory at all"),
        (of_class("{{ [[1]] | sum(start=[]) }}"), "sum adds numbers and amounts of memory, not lists"),
        (of_class("{{ 2 ** 9999 }}"), "the power is too large"),
        (of_class("{{ 3 ** 80 * 3 ** 80 }}"), "a number in the expression is too large"),
        (of_class("{{ size() }}"), "calls are not available, except range(); use a filter"),
        (
            of_class("{% for a in [1] recursive %}{% endfor %}"),
            "recursive loops are not available",
        ),
        (of_class("{{ " + "(" * 400 + "1" + ")" * 400 + " }}"), "it is nested too deeply"),
    ],
)
def test_a_mistake_is_told_in_words(catalog, files, problem):
    texts = catalog.problems(files)
    assert any(text.endswith(problem) for text in texts), texts
