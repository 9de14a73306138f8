"""No cache can be left behind: what a rule is changed to read, it reads in every VM, alone and in a fleet.

A rule is a function of its parameters, and they are the real VM, or real parts of it. So each function drawn here gets
a first line that stops at one field more, which a marked VM has and a plain one has not; then that line must stop the
marked VM and it alone, whatever was expanded before.
"""

from __future__ import annotations

import ast
import copy
import importlib
import inspect
import json
import pkgutil
import random
import re
import textwrap
import types
import typing
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

import virtcatalog.kubevirt
from sampling import sample, thorough
from virtcatalog.api import devices, domainspec, volumes
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance, VirtualMachineInstanceSpec
from virtcatalog.api.quantity import Quantity
from virtcatalog.cli import main
from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.launcher.xml import Element
from virtcatalog.kubevirt.memo import memo
from virtcatalog.kubevirt.pipeline import expand
from virtcatalog.kubevirt.result import Result

ROOT = Path(virtcatalog.kubevirt.__file__).parent
MUTANTS = 40
REMEMBERING = type(memo(len))
SEEN = "read by the line that was added"

PLAIN = {
    "apiVersion": "kubevirt.io/v1",
    "kind": "VirtualMachine",
    "metadata": {"name": "plain", "namespace": "team"},
    "spec": {
        "runStrategy": "Always",
        "template": {
            "metadata": {"annotations": {"tier": "plain"}},
            "spec": {
                "terminationGracePeriodSeconds": 30,
                "domain": {
                    "chassis": {"serial": "plain"},
                    "clock": {"timezone": "Europe/Berlin"},
                    "cpu": {"cores": 2, "model": "Haswell"},
                    "features": {"acpi": {}, "kvm": {"hidden": False}},
                    "firmware": {"serial": "plain"},
                    "memory": {"guest": "1Gi"},
                    "devices": {
                        "disks": [{"name": "root", "serial": "plain", "disk": {"bus": "virtio"}}],
                        "interfaces": [{"name": "default", "masquerade": {}, "model": "virtio"}],
                        "rng": {},
                        "watchdog": {"name": "plain", "i6300esb": {"action": "reset"}},
                    },
                },
                "networks": [{"name": "default", "pod": {}}],
                "volumes": [{"name": "root", "containerDisk": {"image": "plain"}}],
            },
        },
    },
}
#: Field of a VMI, and what a marked VM has there: each is one that KubeVirt leaves as the VM has it.
MARKS = {
    "metadata.annotations.tier": "marked",
    "spec.hostname": "marked",
    "spec.termination_grace_period_seconds": 77,
    "spec.domain.chassis.serial": "marked",
    "spec.domain.clock.timezone": "Europe/Rome",
    "spec.domain.cpu.model": "Penryn",
    "spec.domain.features.kvm.hidden": True,
    "spec.domain.firmware.serial": "marked",
    "spec.domain.devices.log_serial_console": False,
    "spec.domain.devices.block_multi_queue": True,
    "spec.domain.devices.watchdog.name": "marked",
    "spec.domain.devices.disks.0.serial": "marked",
    "spec.domain.devices.interfaces.0.model": "e1000e",
    "spec.volumes.0.container_disk.image": "marked",
}
#: Where in a VMI a parameter of this type stands.
PLACES = {
    VirtualMachineInstance: "",
    VirtualMachineInstanceSpec: "spec.",
    domainspec.DomainSpec: "spec.domain.",
    domainspec.Chassis: "spec.domain.chassis.",
    domainspec.Clock: "spec.domain.clock.",
    domainspec.CPU: "spec.domain.cpu.",
    domainspec.Features: "spec.domain.features.",
    domainspec.Firmware: "spec.domain.firmware.",
    devices.Devices: "spec.domain.devices.",
    devices.Watchdog: "spec.domain.devices.watchdog.",
    devices.Disk: "spec.domain.devices.disks.0.",
    devices.Interface: "spec.domain.devices.interfaces.0.",
    volumes.Volume: "spec.volumes.0.",
}


def vm(name, mark=None):
    """The plain VM, or the one that is marked in a field and in nothing else."""
    manifest = copy.deepcopy(PLAIN)
    manifest["metadata"]["name"] = name
    if mark is not None:
        place = manifest["spec"]["template"]
        *steps, last = [_api_name(step) for step in mark.split(".")]
        for step in steps:
            place = place[int(step)] if step.isdigit() else place[step]
        place[last] = MARKS[mark]
    return manifest


def _api_name(step):
    first, *rest = step.split("_")
    return first + "".join(word.title() for word in rest)


def read(value, path):
    """What is at a path below a value, None where there is nothing."""
    for step in path.split("."):
        if step.isdigit():
            value = value[int(step)] if value else None
        else:
            value = value.get(step) if isinstance(value, dict) else getattr(value, step, None)
    return value


def modules():
    names = [info.name for info in pkgutil.walk_packages([str(ROOT)], "virtcatalog.kubevirt.")]
    return [importlib.import_module(name) for name in sorted(names)]


def functions():
    """The functions and methods of the room, as they are beneath the memo."""
    for module in modules():
        for owner in (module, *(value for value in [*vars(module).values()] if inspect.isclass(value))):
            for value in [*vars(owner).values()]:
                function = inspect.unwrap(value) if callable(value) else None
                if isinstance(function, types.FunctionType) and function.__code__.co_filename == module.__file__:
                    yield function


def forget():
    """Empty every memo."""
    for value in [value for module in modules() for value in vars(module).values()]:
        if isinstance(value, REMEMBERING):
            value.cache_clear()


def hints(function):
    """The types of a function's parameters; some are only imported to be checked."""
    kinds_by_name = {**vars(typing), **{kind.__name__: kind for kind in (Result, Cluster, VirtualMachine)}}
    try:
        type_hints = typing.get_type_hints(function, localns=kinds_by_name)
    except NameError:
        return {}
    return {name: type_hints[name] for name in inspect.signature(function).parameters if name in type_hints}


class Mutant(typing.NamedTuple):
    """A function, one of its parameters, the field below it that a line is to read, and that field of the VMI."""

    function: types.FunctionType
    parameter: str
    path: str
    mark: str

    def __str__(self):
        function = self.function
        return f"{function.__module__}.{function.__qualname__}: {self.parameter}.{self.path}"


def mutants():
    """Every function with a parameter of a type that is known, and a field that it does not read so far."""
    for function in functions():
        if function.__closure__ or not function.__name__.strip("_").isidentifier() or "__" in function.__name__:
            continue
        text = inspect.getsource(function)
        for parameter, kind in hints(function).items():
            kinds = typing.get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
            prefix = next((PLACES[kind] for kind in PLACES if kind in kinds), None)
            for mark in MARKS if prefix is not None else ():
                path = mark.removeprefix(prefix)
                if mark.startswith(prefix) and not re.search(rf"\b{path.split('.')[-1]}\b", text):
                    yield Mutant(function, parameter, path, mark)


class Line:
    """The line that is added while this is open: it counts its calls, and stops where it reads what marks a VM."""

    def __init__(self, mutant):
        self.mutant, self.calls = mutant, 0

    def __call__(self, value):
        self.calls += 1
        if read(value, self.mutant.path) == MARKS[self.mutant.mark]:
            raise UnsupportedError("spec", SEEN)

    def __enter__(self):
        function, parameter = self.mutant.function, self.mutant.parameter
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        definition = tree.body[0]
        definition.decorator_list = []
        has_docstring = ast.get_docstring(definition) is not None
        definition.body.insert(int(has_docstring), ast.parse(f"_added_line({parameter})").body[0])
        space = {"__name__": function.__module__}
        future = ast.parse("from __future__ import annotations").body
        code = compile(ast.fix_missing_locations(ast.Module([*future, definition], [])), "<mutant>", "exec")
        exec(code, {**vars(importlib.import_module(function.__module__)), **space}, space)
        self._code, function.__code__ = function.__code__, space[function.__name__].__code__
        function.__globals__["_added_line"] = self
        forget()
        return self

    def __exit__(self, *_):
        self.mutant.function.__code__ = self._code
        del self.mutant.function.__globals__["_added_line"]
        forget()


def is_stopped(manifest, cluster):
    """Whether the added line stops a VM, or its Pod."""
    try:
        return expand(manifest, cluster).pod is None
    except UnsupportedError as error:
        return error.message == SEEN


def drawn():
    """Of the functions that expanding the marked VM calls, as many as are to be tried."""
    every = list(mutants())
    random.Random(20).shuffle(every)
    chosen, functions_seen = [], set()
    for mutant in every:
        if mutant.function in functions_seen or len(chosen) == MUTANTS:
            continue
        with Line(mutant) as line:
            is_stopped(vm("a", mutant.mark), Cluster())
        if line.calls:
            functions_seen.add(mutant.function)
            chosen.append(mutant)
    return chosen


@pytest.fixture(scope="module")
def chosen():
    mutants = drawn()
    assert len(mutants) == MUTANTS
    return mutants


@pytest.mark.parametrize("mark", [None, *MARKS])
def test_a_marked_vm_is_as_good_as_the_plain_one(mark):
    assert not is_stopped(vm("a", mark), Cluster())


@thorough
def test_a_line_that_reads_one_field_more_is_seen_whatever_was_expanded_before(chosen):
    for mutant in chosen:
        marks = [None, mutant.mark, None] * 2
        with Line(mutant):
            cluster = Cluster()
            stopped = [is_stopped(vm(f"vm-{number}", mark), cluster) for number, mark in enumerate(marks)]
        assert stopped == [mark is not None for mark in marks], str(mutant)


@thorough
def test_it_is_seen_in_a_fleet(chosen, tmp_path):
    file = tmp_path / "fleet.json"
    for mutant in sample(chosen, 12):
        marks = [None, mutant.mark, None] * 3
        fleet = [vm(f"vm-{number}", mark) for number, mark in enumerate(marks)]
        file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": fleet}))
        with Line(mutant):
            shown = CliRunner().invoke(main, ["expand", "-f", str(file), "-o", "pod"])
        stopped = re.findall(rf"VirtualMachine/team/(\S+?):.*{SEEN}", shown.output)
        assert sorted(stopped) == [f"vm-{number}" for number, mark in enumerate(marks) if mark], str(mutant)


def test_what_is_remembered_is_known_by_values_that_do_not_change():
    for function in remembered():
        for name, kind in hints(function).items():
            assert is_constant(kind), f"{function.__module__}.{function.__qualname__}: {name}"


def remembered():
    """The functions beneath the memo."""
    for module in modules():
        for value in vars(module).values():
            if isinstance(value, REMEMBERING) and value.__module__ == module.__name__:
                yield inspect.unwrap(value)


def is_constant(kind):
    """Whether values of a type stay as they are, and all in them: elements that are remembered are never changed."""
    if typing.get_origin(kind) in (types.UnionType, typing.Union, tuple, frozenset):
        return all(part is Ellipsis or is_constant(part) for part in typing.get_args(kind))
    if inspect.isclass(kind) and issubclass(kind, msgspec.Struct):
        return kind.__struct_config__.frozen and all(map(is_constant, typing.get_type_hints(kind).values()))
    return typing.get_origin(kind) in (type, typing.Literal) or kind in CONSTANT or is_named_tuple(kind)


CONSTANT = (str, bytes, int, float, bool, range, type(None), Quantity, Element, frozenset[str])


def is_named_tuple(kind):
    return hasattr(kind, "_fields") and all(map(is_constant, typing.get_type_hints(kind).values()))
