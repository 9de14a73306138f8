"""The nodes that templates may have: others are refused, those that make values grow are bounded, and all cost work."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Any

from jinja2 import nodes
from jinja2.visitor import NodeTransformer

from virtcatalog.catalog.amounts import ExpressionError
from virtcatalog.catalog.filters import NAMES
from virtcatalog.catalog.work import NAME_IN_CONDITION, NODE

_STATEMENTS = (nodes.Template, nodes.Output, nodes.TemplateData, nodes.For, nodes.If, nodes.Assign, nodes.With)
_EXPRESSIONS = (
    *(nodes.Name, nodes.NSRef, nodes.Const, nodes.List, nodes.Tuple, nodes.Dict, nodes.Pair, nodes.Keyword),
    *(nodes.Getattr, nodes.Getitem, nodes.Slice, nodes.Filter, nodes.Test, nodes.CondExpr, nodes.Concat),
    *(nodes.Compare, nodes.Operand, nodes.And, nodes.Or, nodes.Not, nodes.Neg, nodes.Pos),
    *(nodes.Add, nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod, nodes.Pow, nodes.Call),
)


class Rewriter(NodeTransformer):
    """Refuses the nodes that templates do not need and puts a bound on those that make values grow."""

    def __init__(self) -> None:
        self.refused: list[ExpressionError] = []

    def generic_visit(self, node: nodes.Node, *args: Any, **kwargs: Any) -> nodes.Node:
        """Refuse a node that is none of those that templates may have."""
        if not isinstance(node, (*_STATEMENTS, *_EXPRESSIONS)) or isinstance(node, nodes.NSRef):
            self._refuse(node, f"{type(node).__name__.lower()} is not available")
        return super().generic_visit(node, *args, **kwargs)

    def visit_Call(self, node: nodes.Call) -> nodes.Node:  # noqa: N802 - jinja2's visitor names methods like this
        """Refuse calls of anything but `range`."""
        if not (isinstance(node.node, nodes.Name) and node.node.name == "range"):
            self._refuse(node, "calls are not available, except range(); use a filter")
        return self.generic_visit(node)

    def visit_Filter(self, node: nodes.Filter) -> nodes.Node:  # noqa: N802
        """Refuse a filter that there is not."""
        if node.node is None or node.name not in NAMES:
            self._refuse(node, no_filter(node.name))
        return self.generic_visit(node)

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802
        """Count the rounds of a loop."""
        if node.recursive:
            self._refuse(node, "recursive loops are not available")
        cost = nodes.Const(sum(cost_of(part) for part in (*node.body, *([node.test] if node.test else []))))
        self.generic_visit(node)
        node.iter = _filtered(node.iter, "counted", cost)
        return node

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:  # noqa: N802
        """Weigh what is compared."""
        self.generic_visit(node)
        node.expr = _filtered(node.expr, "weighed")
        for operand in node.ops:
            operand.expr = _filtered(operand.expr, "weighed")
        return node

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:  # noqa: N802
        """Weigh a slice."""
        self.generic_visit(node)
        return _filtered(node, "weighed") if isinstance(node.arg, nodes.Slice) else node

    def visit_Const(self, node: nodes.Const) -> nodes.Node:  # noqa: N802
        """Refuse numbers that are not finite."""
        if isinstance(node.value, float) and not isfinite(node.value):
            self._refuse(node, "numbers must be finite")
        return node

    def _weighed(self, node: nodes.Node) -> nodes.Node:
        self.generic_visit(node)
        return node if getattr(node, "ctx", "load") != "load" else _filtered(node, "weighed")

    visit_List = visit_Tuple = visit_Dict = _weighed  # noqa: N815

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802
        """Join texts within the budget."""
        self.generic_visit(node)
        return _filtered(nodes.List(node.nodes, lineno=node.lineno), "concatenated")

    def _refuse(self, node: nodes.Node, message: str) -> None:
        self.refused.append(ExpressionError(f"in templates {message}", max(node.lineno, 1) - 1))


def no_filter(name: str) -> str:
    """Say that there is no filter of a name."""
    return f"the filter {name!r} is not available; these are: {', '.join(NAMES)}"


def _filtered(node: nodes.Node, name: str, *arguments: nodes.Expr) -> nodes.Filter:
    return nodes.Filter(node, name, [*arguments], [], None, None, lineno=node.lineno)


def cost_of(node: nodes.Node) -> int:
    """Return what it costs to run a node once, loops in it one round, beside the size of its values."""
    return sum(40 if isinstance(part, nodes.BinExpr) else 8 for part in nodes_of(node))


def cost_of_compiling(tree: nodes.Template) -> int:
    """Return what it costs to compile a template: a condition goes through all names that it may assign."""
    count, names, conditions = 0, set(), 0
    for node in nodes_of(tree):
        count += 1
        if isinstance(node, nodes.Name):
            names.add(node.name)
        conditions += isinstance(node, nodes.If)
    return NODE * count + NAME_IN_CONDITION * len(names) * conditions


def nodes_of(tree: nodes.Node) -> Iterator[nodes.Node]:
    """Yield a node and all below it, in time that does not grow with their depth."""
    rest = [tree]
    while rest:
        node = rest.pop()
        yield node
        rest += node.iter_child_nodes()
