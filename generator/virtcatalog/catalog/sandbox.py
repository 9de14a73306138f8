"""Jinja2 that can neither reach out, nor hang, nor fill the memory: few kinds of nodes, and a bound on values.

Jinja2's own sandbox keeps templates away from Python's insides. It does not stop `'a' * 10**10`, loops in loops or
doubling assignments, so a template is rewritten before it is compiled: loops count against a budget, and whatever can
make a bigger value from smaller ones is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any
from warnings import catch_warnings, simplefilter

import jinja2
import msgspec
from jinja2 import nodes
from jinja2.runtime import Context, LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment

from virtcatalog.catalog.amounts import TOO_MUCH_TEXT, Amount, ExpressionError, as_text, unknown
from virtcatalog.catalog.filters import (
    NAMES,
    ROUNDS_NAME,
    WORK_NAME,
    as_list,
    bounded_range,
    concatenated,
    counted,
    filters,
    printed,
    tests,
    weigh,
    weighed,
    work_of,
)
from virtcatalog.catalog.templatenodes import Rewriter, cost_of, cost_of_compiling, no_filter, nodes_of
from virtcatalog.catalog.work import EXPRESSION, PARSED, Work, WorkError
from virtcatalog.limits import TEMPLATE_INTEGER_BITS, TEMPLATE_ITERATIONS, TEMPLATE_OUTPUT_CHARACTERS

_OF_LOOPS = frozenset(
    ("depth", "depth0", "first", "index", "index0", "last", "length", "nextitem", "previtem", "revindex", "revindex0")
)
_FAULTS = (
    jinja2.TemplateError,
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    SyntaxError,
    TypeError,
    ValueError,
)


class _Environment(ImmutableSandboxedEnvironment):
    intercepted_binops = frozenset(("+", "-", "*", "/", "//", "**", "%"))

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return an item of a map or a field of a loop; nothing else has attributes here."""
        if isinstance(obj, Mapping) and attribute in obj:
            return obj[attribute]
        if isinstance(obj, LoopContext) and attribute in _OF_LOOPS:
            return getattr(obj, attribute)
        if isinstance(obj, Amount):
            return self.undefined(f"an amount of memory has nothing like {attribute!r}")
        return self.undefined(obj=obj, name=attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Return an item of a map, list or text."""
        if isinstance(obj, (Mapping, Sequence)):
            try:
                return obj[argument]
            except (LookupError, TypeError):
                pass
        return self.getattr(obj, argument) if isinstance(argument, str) else self.undefined(obj=obj, name=argument)

    def call_filter(self, name: str, *arguments: Any, **options: Any) -> Any:
        """Call a filter by name for another one, such as `map`; the rewriter's own filters are refused."""
        if name not in NAMES:
            raise ExpressionError(no_filter(name))
        return super().call_filter(name, *arguments, **options)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        numbers = all(isinstance(operand, (int, float)) for operand in (left, right))
        if (
            operator in ("*", "%", "**")
            and not numbers
            and not isinstance(left, Amount)
            and not isinstance(right, Amount)
        ):
            raise ExpressionError(f"{operator} works on numbers and amounts of memory only")
        if operator == "**" and not (numbers and abs(right) <= 128 and abs(left) < 2**TEMPLATE_INTEGER_BITS):
            raise ExpressionError("the power is too large")
        if not numbers:
            work_of(context).spend(weigh(left) + weigh(right))
        result = super().call_binop(context, operator, left, right)
        weigh(result)
        return result


@lru_cache(maxsize=1)
def _environment() -> _Environment:
    environment = _Environment(undefined=jinja2.StrictUndefined, finalize=printed, keep_trailing_newline=True)
    environment.optimized = False  # else constant expressions are computed while compiling, unbounded
    environment.trim_blocks = environment.lstrip_blocks = True
    environment.filters = filters()
    environment.filters |= {"counted": counted, "weighed": weighed, "concatenated": concatenated}
    environment.tests = tests()  # type: ignore[assignment]
    environment.globals = {"range": bounded_range}
    return environment


class _Compiled(msgspec.Struct, frozen=True):
    """A template, or an expression whose value is wanted as it is; the names that it uses, with their lines."""

    template: jinja2.Template
    native: bool
    uses: tuple[tuple[str, int], ...]
    cost: int


def _compile(text: str, work: Work) -> _Compiled:
    environment = _environment()
    work.spend(PARSED * len(text))
    try:
        tree = environment.parse(text)
        work.spend(cost_of_compiling(tree))
        native = _sole_expression(tree)
        if native is not None:
            tree.body = [nodes.Assign(nodes.Name("result", "store"), native, lineno=1)]
        cost = EXPRESSION + cost_of(tree)
        rewriter = Rewriter()
        rewriter.visit(tree)
        if rewriter.refused:
            raise rewriter.refused[0]
        uses = _undeclared(tree)
        with catch_warnings():
            simplefilter("ignore")  # Python's, of what is constant nonsense: its value tells
            code = environment.compile(tree)
        template = jinja2.Template.from_code(environment, code, environment.globals)
        return _Compiled(template, native is not None, uses, cost)
    except jinja2.TemplateSyntaxError as error:
        raise ExpressionError(_sentence(error.message or "syntax error"), error.lineno - 1) from None
    except _FAULTS as error:
        raise _fault(error) from None


def _sole_expression(tree: nodes.Template) -> nodes.Expr | None:
    """The expression that a text consists of, or None."""
    if len(tree.body) == 1 and isinstance(tree.body[0], nodes.Output) and len(tree.body[0].nodes) == 1:
        only = tree.body[0].nodes[0]
        return None if isinstance(only, nodes.TemplateData) else only
    return None


def _undeclared(tree: nodes.Template) -> tuple[tuple[str, int], ...]:
    from jinja2.meta import TrackingCodeGenerator

    generator = TrackingCodeGenerator(_environment())
    generator.optimizer = None  # as the environment's: its time is nodes times their depth
    generator.visit(tree)
    free = generator.undeclared_identifiers - {"range"}
    uses = {
        (node.name, node.lineno - 1) for node in nodes_of(tree) if isinstance(node, nodes.Name) and node.name in free
    }
    return tuple(sorted(uses, key=lambda use: (use[1], use[0])))


def evaluate_with_jinja(text: str, names: Mapping[str, Any], work: Work) -> Any:
    """Return the value of a text with expressions; ExpressionError when it has none."""
    compiled = _prepare(text, names, work)
    if not compiled.native:
        return _render(compiled.template, names, work)
    try:
        context = compiled.template.new_context(_variables(names, work))
        next(compiled.template.root_render_func(context), None)  # it yields no text, and sets a variable
        value = context.vars["result"]
        if isinstance(value, jinja2.Undefined):
            return str(value) or None  # "" of a condition without else; a name without value raises
        return weighed(context, as_list(value))
    except _FAULTS as error:
        raise _fault(error) from None


def render(text: str, names: Mapping[str, Any], work: Work) -> str:
    """Return a template, rendered; ExpressionError when that cannot be."""
    return as_text(evaluate_with_jinja(text, names, work))


def _prepare(text: str, names: Mapping[str, Any], work: Work) -> _Compiled:
    compiled: _Compiled = work.compiled(text, lambda source: _compile(source, work))
    for name, line in compiled.uses:
        if name not in names:
            raise unknown(name, names, line)
    work.spend(compiled.cost)
    return compiled


def _variables(names: Mapping[str, Any], work: Work) -> dict[str, Any]:
    return {**names, WORK_NAME: work, ROUNDS_NAME: [TEMPLATE_ITERATIONS]}


def _render(template: jinja2.Template, names: Mapping[str, Any], work: Work) -> str:
    parts, length = [], 0
    try:
        for part in template.generate(_variables(names, work)):
            parts.append(part)
            length += len(part)
            work.spend(1 + len(part) // 8)
            if length > TEMPLATE_OUTPUT_CHARACTERS:
                raise ExpressionError(TOO_MUCH_TEXT)
    except ExpressionError as error:
        raise ExpressionError(error.message, _line(error), error.name) from None
    except WorkError as error:
        error.line = _line(error)
        raise
    except _FAULTS as error:
        raise _fault(error, _line(error)) from None
    return "".join(parts)


def _fault(error: BaseException, line: int = 0) -> ExpressionError:
    message = str(error) or type(error).__name__
    if isinstance(error, (MemoryError, RecursionError)):  # Python's parser says the first of what is too deep
        message = "it is nested too deeply"
    return ExpressionError(_sentence(message), line)


def _line(error: BaseException) -> int:
    """The template's line in which an error arose, from 0."""
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = max(trace.tb_lineno - 1, 0)
        trace = trace.tb_next
    return line


def _sentence(message: str) -> str:
    message = re.sub(r"\s+", " ", message).strip().rstrip(".")
    return f"the expression has no value: {message[:1].lower()}{message[1:300]}"
