"""Every small change that can be made in a module's text."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

_COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
# No assertion: it holds, so that nothing is otherwise without it.
_REMOVED = (ast.Assign, ast.AugAssign, ast.Expr, ast.Raise, ast.Delete, ast.Continue, ast.Break)
_TYPES = ("TypeVar", "ParamSpec")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Mutant:
    """A change of a module's text: `new` stands for the bytes from `begin` to `end`.

    `qualified` and `first_line` are those of the outermost function that it is in, "" and 0 for none.
    """

    file: Path
    line: int
    begin: int
    end: int
    new: str
    qualified: str
    first_line: int

    @property
    def words(self) -> str:
        """The first words of the longest line of the string that is changed; "" where it is no string."""
        changed = self.file.read_bytes()[self.begin : self.end].decode()
        try:
            value = ast.literal_eval(f"({changed})")
        except (SyntaxError, ValueError):
            return ""
        return " ".join(max(value.splitlines() or [""], key=len).split()[:4]) if isinstance(value, str) else ""

    @property
    def text(self) -> str:
        """The module's text with the change."""
        before = self.file.read_bytes()
        return (before[: self.begin] + self.new.encode() + before[self.end :]).decode()

    def compiled(self) -> CodeType | None:
        """Return the changed module's code; None if it has none."""
        try:
            return compile(self.text, str(self.file), "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return None

    def diff(self) -> str:
        """Return what changed, without context."""
        before = self.file.read_text(encoding="utf-8").splitlines()
        lines = difflib.unified_diff(before, self.text.splitlines(), lineterm="", n=0)
        return "\n".join(line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---"))


def mutants(file: Path) -> list[Mutant]:
    """Return all mutants of a module, in the order of their places."""
    source = file.read_bytes()
    starts = [0]
    for line in source.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    return [
        Mutant(
            file,
            node.lineno,
            starts[node.lineno - 1] + node.col_offset,
            starts[node.end_lineno - 1] + node.end_col_offset,
            new,
            *place,
        )
        for node, new, place in _walk(ast.parse(source))
    ]


Place = tuple[str, int]


def _walk(node: ast.AST, classes: str = "", place: Place = ("", 0)) -> Iterator[tuple[ast.AST, str, Place]]:
    """Yield the nodes to change, what stands there then, and the function; nothing of types and docstrings."""
    if isinstance(node, (ast.expr, ast.stmt)):
        for new in _changes(node):
            yield node, f"({new})" if isinstance(node, ast.expr) and _composed(node) else new, place
    for name, child in _children(node):
        below, inside = classes, place
        if isinstance(node, ast.ClassDef) and not place[0]:
            below = classes
        if isinstance(child, ast.ClassDef) and not place[0]:
            below = f"{classes}{child.name}."
        if isinstance(node, _FUNCTIONS) and not place[0] and name == "body":
            line = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            inside = (f"{classes}{node.name}", line)
        yield from _walk(child, below, inside)


def _composed(node: ast.expr) -> bool:
    return isinstance(node, (ast.Compare, ast.BoolOp, ast.UnaryOp))


def _children(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):  # what a name is for
        return
    if isinstance(node, ast.JoinedStr):  # an f-string's parts have no places of their own in every Python
        return
    if isinstance(node, ast.Call) and _name(node) == "cast":
        yield "args", node.args[1]
        return
    if isinstance(node, ast.keyword) and node.arg == "strict":  # of zip: it holds, as an assertion does
        return
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "ctx"):
            continue
        children = value if isinstance(value, list) else [value]
        if name == "body" and isinstance(node, (ast.Module, ast.ClassDef, *_FUNCTIONS)) and ast.get_docstring(node):
            children = children[1:]
        for child in children:
            if isinstance(child, ast.AST) and not _is_of_types(child):
                yield name, child


def _is_of_types(node: ast.AST) -> bool:
    """Whether a statement imports something, or gives a name to a type that only annotations use."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
        return _name(node.value) in _TYPES
    return isinstance(node, (ast.Import, ast.ImportFrom))


def _name(call: ast.Call) -> str:
    return ast.unparse(call.func)


def _changes(node: ast.expr | ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.Compare):
        for index, operator in enumerate(node.ops):
            operators = [*node.ops]
            operators[index] = _COMPARISONS[type(operator)]()
            yield ast.unparse(ast.Compare(node.left, operators, node.comparators))
    elif isinstance(node, ast.BoolOp):
        yield ast.unparse(ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield ast.unparse(node.operand)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield str(not node.value)
        elif isinstance(node.value, int):
            yield str(node.value + 1)
            yield f"({node.value - 1})"
        elif isinstance(node.value, str) and node.value != "utf-8":  # Python takes utf-8! for the same
            yield repr(f"{node.value}!")  # a question mark would leave what most patterns match
    elif isinstance(node, ast.Return) and node.value is not None and ast.unparse(node.value) != "None":
        yield "return None"
    elif isinstance(node, _REMOVED) and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        yield "pass"
