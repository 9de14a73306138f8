"""Which elements and attributes the domain's modules can emit, read from their source.

The modules emit with `Element(TAG, ATTRIBUTES, **ATTRIBUTES)`, `Shared(TAG)`, `SubElement(PARENT, TAG, …)` and
`element.set(NAME, …)`.
Tags and attribute names are strings, or names that are traced back through assignments, loops over literals, returned
values and the calls of the function that they are parameters of. What cannot be traced is an error, not left out.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple

import virtcatalog.kubevirt.launcher

DOMAIN = Path(virtcatalog.kubevirt.launcher.__file__).parent
WRITER = "xml.py"
MAKERS = ("Element", "Shared")
LEAF = "leaf"
"""It takes a tag and a text, and attributes as keywords."""


class UntracedError(Exception):
    """A tag or attribute name that cannot be read from the source."""


class Scope(NamedTuple):
    """A function of a module, or the module's own level."""

    file: str
    function: ast.FunctionDef | None


def emitted() -> dict[tuple[str, str], str]:
    """Map (tag, attribute) to the place that emits it, attribute "" for the element; tag "*": any element."""
    found: dict[tuple[str, str], str] = {}
    for scope, call in _calls():
        place = f"{scope.file}:{call.lineno}"
        kind = _callee(call)
        if kind in (*MAKERS, LEAF, "SubElement"):
            arguments = call.args[:1] if kind == LEAF else call.args[kind == "SubElement" :]
            for tag in _strings(arguments[0], scope):
                found.setdefault((tag, ""), place)
                for name in _attributes(arguments[1:], call.keywords, scope):
                    found.setdefault((tag, name), place)
        elif kind == "set" and isinstance(call.func, ast.Attribute) and len(call.args) == 2:
            for tag in _tags(call.func.value, scope):
                for name in _strings(call.args[0], scope):
                    found.setdefault((tag, name), place)
    return found


def _attributes(positional: list[ast.expr], keywords: list[ast.keyword], scope: Scope) -> set[str]:
    names = {keyword.arg for keyword in keywords if keyword.arg}
    for value in [*positional, *(keyword.value for keyword in keywords if not keyword.arg)]:
        names |= _keys(value, scope)
    return names


def _strings(node: ast.expr, scope: Scope) -> set[str]:
    """Every string that an expression may be."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return {node.value}
    if isinstance(node, ast.IfExp):
        return _strings(node.body, scope) | _strings(node.orelse, scope)
    if isinstance(node, ast.Name):
        return {text for value, where in _values(node.id, scope) for text in _strings(value, where)}
    raise UntracedError(f"{scope.file}:{node.lineno}: {ast.unparse(node)}")


def _keys(node: ast.expr, scope: Scope) -> set[str]:
    """Every key that an expression may have; names are traced wherever they are bound, so that some are no maps."""
    if isinstance(node, ast.Constant | ast.Attribute):
        return set()
    if isinstance(node, ast.Dict):
        found = set()
        for key, value in zip(node.keys, node.values, strict=True):
            found |= _keys(value, scope) if key is None else _strings(key, scope)
        return found
    if isinstance(node, ast.IfExp):
        return _keys(node.body, scope) | _keys(node.orelse, scope)
    if isinstance(node, ast.BinOp):
        return _keys(node.left, scope) | _keys(node.right, scope)
    if isinstance(node, ast.DictComp):
        return _strings(node.key, scope)
    if isinstance(node, ast.GeneratorExp | ast.ListComp):
        return _keys(node.elt, scope)
    if isinstance(node, ast.List | ast.Tuple):
        return {key for each in node.elts for key in _keys(each, scope) if isinstance(each, ast.Dict | ast.Name)}
    if isinstance(node, ast.Call):
        return {key for value, where in _returned(node, scope) for key in _keys(value, where)}
    if isinstance(node, ast.Name):
        found = {key for value, where in _values(node.id, scope) for key in _keys(value, where)}
        for each in ast.walk(scope.function) if scope.function else ():
            if isinstance(each, ast.Subscript) and isinstance(each.ctx, ast.Store) and _is(each.value, node.id):
                found |= _strings(each.slice, scope)
            if isinstance(each, ast.Call) and _callee(each) == "extend" and _is(each.func.value, node.id):
                found |= _keys(each.args[0], scope)
        return found
    raise UntracedError(f"{scope.file}:{node.lineno}: {ast.unparse(node)}")


def _tags(node: ast.expr, scope: Scope) -> set[str]:
    """Every tag that an element may have; "*" for an element of a list."""
    if isinstance(node, ast.Subscript):
        return {"*"}
    if isinstance(node, ast.Call):
        kind = _callee(node)
        if kind in (*MAKERS, LEAF, "SubElement"):
            return _strings(node.args[kind == "SubElement"], scope)
        if kind == "find":
            return _strings(node.args[0], scope)
        return {tag for value, where in _returned(node, scope) for tag in _tags(value, where)}
    if isinstance(node, ast.Name):
        return {tag for value, where in _values(node.id, scope) for tag in _tags(value, where)}
    raise UntracedError(f"{scope.file}:{node.lineno}: {ast.unparse(node)}")


def _values(name: str, scope: Scope) -> list[tuple[ast.expr, Scope]]:
    """Every expression that a name may stand for, with the scope of each."""
    found: list[tuple[ast.expr, Scope]] = []
    for node in ast.walk(scope.function or _tree(scope.file)):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value and any(_is(t, name) for t in _targets(node)):
            found.append((node.value, scope))
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            found += [
                (value, scope) for value in _nth(node.targets[0], [node.value], name) if not isinstance(value, ast.Call)
            ]
        elif isinstance(node, ast.For | ast.comprehension) and any(_is(part, name) for part in ast.walk(node.target)):
            rows = _rows(node.iter, scope)
            found += [(value, where) for row, where in rows for value in _nth(node.target, [row], name)]
    if scope.function is None:
        return found
    arguments = [*scope.function.args.posonlyargs, *scope.function.args.args]
    for position, argument in enumerate(arguments):
        if argument.arg == name:
            for where, call in _calls():
                if _callee(call) == scope.function.name and (where.file == scope.file or name[0] != "_"):
                    given = {keyword.arg: keyword.value for keyword in call.keywords}
                    value = call.args[position] if position < len(call.args) else given.get(name)
                    found += [(value, where)] if value is not None else []
    return found or _values(name, Scope(scope.file, None))


def _rows(node: ast.expr, scope: Scope) -> list[tuple[ast.expr, Scope]]:
    """What a loop goes through, as far as it is written down: the items of a literal, the keys of a map, maps."""
    if isinstance(node, ast.Tuple | ast.List):
        return [(each, scope) for each in node.elts]
    if isinstance(node, ast.Call) and _callee(node) == "items":
        maps = _values(node.func.value.id, scope) if isinstance(node.func.value, ast.Name) else []
        return [
            (ast.Tuple([key, value]), where)
            for each, where in maps
            if isinstance(each, ast.Dict)
            for key, value in zip(each.keys, each.values, strict=True)
        ]
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        return [(node.elt, scope)]
    if isinstance(node, ast.Name):
        rows = [row for value, where in _values(node.id, scope) for row in _rows(value, where)]
        for each in ast.walk(scope.function) if scope.function else ():
            if isinstance(each, ast.Call) and _callee(each) == "extend" and _is(each.func.value, node.id):
                rows += _rows(each.args[0], scope)
        return rows
    return []


def _nth(target: ast.expr, rows: list[ast.expr], name: str) -> list[ast.expr]:
    """What a loop's name stands for in each row."""
    if _is(target, name):
        return rows
    if not isinstance(target, ast.Tuple):
        return []
    places = [place for place, part in enumerate(target.elts) if _is(part, name)]
    return [row.elts[place] for row in rows for place in places if isinstance(row, ast.Tuple)]


def _returned(call: ast.Call, scope: Scope) -> list[tuple[ast.expr, Scope]]:
    """What a function of the same module returns."""
    functions = [
        node for node in ast.walk(_tree(scope.file)) if isinstance(node, ast.FunctionDef) and node.name == _callee(call)
    ]
    if not functions:
        raise UntracedError(f"{scope.file}:{call.lineno}: {ast.unparse(call)}")
    return [
        (node.value, Scope(scope.file, function))
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, ast.Return) and node.value is not None
    ]


@cache
def _calls() -> list[tuple[Scope, ast.Call]]:
    """Every call in the domain's modules, with the function that it is in."""
    found = []
    for file in sorted(DOMAIN.rglob("*.py")):
        if file.name == WRITER:
            continue
        inside: set[int] = set()
        for function in ast.walk(_tree(file.name)):
            if isinstance(function, ast.FunctionDef):
                calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
                inside.update(map(id, calls))
                found += [(Scope(file.name, function), call) for call in calls]
        for node in ast.walk(_tree(file.name)):
            if isinstance(node, ast.Call) and id(node) not in inside:
                found.append((Scope(file.name, None), node))
    return found


@cache
def _tree(file: str) -> ast.Module:
    return ast.parse((DOMAIN / file).read_text(encoding="utf-8"))


def _callee(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def _targets(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
