"""Jinja2 with no more of it than a prompt needs: a template is text from a file, and files come with backups.

A template may print variables, choose by them and include other templates. Everything else is refused when it is read:
calls, attributes, items, loops, macros, and the operators and filters that make a value longer. So no template reaches
an object of this process, and what it prints grows with its own size and not with what it computes. What remains,
includes that multiply, is counted. The sandbox of Jinja2 itself stands behind this and is not what it rests on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jinja2 import FunctionLoader, StrictUndefined, Template, TemplateRuntimeError, TemplateSyntaxError, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

MAX_CHARS = 1_000_000
"""Of a template's file, and of what a template prints: forty prompts."""
MAX_INCLUDES = 200

_FILTERS = ("default", "d", "length", "count", "lower", "upper", "trim", "title", "capitalize", "first", "last")
_TESTS = (
    "defined",
    "undefined",
    "none",
    "string",
    "number",
    "eq",
    "equalto",
    "==",
    "ne",
    "!=",
    "gt",
    "lt",
    "ge",
    "le",
    "in",
)
_ALLOWED: tuple[type[nodes.Node], ...] = (
    *(nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Const, nodes.If, nodes.CondExpr),
    *(nodes.And, nodes.Or, nodes.Not, nodes.Compare, nodes.Operand, nodes.Test, nodes.Filter, nodes.Include),
    *(nodes.Neg, nodes.Pos, nodes.Sub, nodes.Div, nodes.FloorDiv, nodes.Assign),
)


class RestrictedEnvironment(ImmutableSandboxedEnvironment):
    """`source` gives the text of a template, the path of its file and whether it is still that."""

    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%", "**"})

    def __init__(self, source: Callable[[str], tuple[str, str, Callable[[], bool]] | None]) -> None:
        super().__init__(
            loader=FunctionLoader(source),
            undefined=StrictUndefined,
            autoescape=False,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.globals.clear()
        self.filters = {name: self.filters[name] for name in _FILTERS}
        self.tests = {name: self.tests[name] for name in _TESTS}
        self._includes = 0

    def rendered(self, template: str, values: Mapping[str, str]) -> str:
        """Return the text of a template. Raises TemplateError, and whatever else a template can raise."""
        self._includes = 0
        parts: list[str] = []
        room = MAX_CHARS
        for part in self.get_template(template).generate(values):
            room -= len(part)
            if room < 0:
                raise TemplateRuntimeError(f"prints more than {MAX_CHARS:,} characters")
            parts.append(part)
        return "".join(parts)

    def get_template(self, *arguments: Any, **options: Any) -> Template:
        """Return a template and count it; raises TemplateRuntimeError for more than MAX_INCLUDES in one rendering."""
        self._includes += 1
        if self._includes > MAX_INCLUDES:
            raise TemplateRuntimeError(f"includes more than {MAX_INCLUDES} templates")
        return super().get_template(*arguments, **options)

    def select_template(self, *arguments: Any, **options: Any) -> Template:
        """Return the first template that exists, counted as in `get_template`."""
        self._includes += 1
        if self._includes > MAX_INCLUDES:
            raise TemplateRuntimeError(f"includes more than {MAX_INCLUDES} templates")
        return super().select_template(*arguments, **options)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Return false: a template may read no attribute."""
        del obj, attr, value
        return False

    def is_safe_callable(self, obj: Any) -> bool:
        """Return false: a template may call nothing."""
        del obj
        return False

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        if len(source) > MAX_CHARS:
            raise TemplateSyntaxError(f"is longer than {MAX_CHARS:,} characters", 1, name, filename)
        tree = super()._parse(source, name, filename)
        for node in tree.find_all(nodes.Node):
            problem = _problem(node)
            if problem:
                raise TemplateSyntaxError(problem, node.lineno or 1, name, filename)
        return tree


def _problem(node: nodes.Node) -> str:
    """Return why a template may not hold this; empty where it may."""
    if not isinstance(node, _ALLOWED):
        kind = type(node).__name__.lower()
        return f"{kind} is not allowed in a prompt: it may print variables, choose by them and include templates"
    if isinstance(node, nodes.Name) and node.name in {"self", "super", "caller", "loop"}:
        return f"{node.name} is not allowed in a prompt"
    if isinstance(node, nodes.Filter) and not isinstance(node.node, nodes.Expr):
        return "a filter of a block is not allowed in a prompt"
    if isinstance(node, nodes.Include) and not isinstance(node.template, nodes.Const):
        return "what is included must be named in quotes"
    if isinstance(node, nodes.Assign) and not isinstance(node.target, nodes.Name):
        return "only a variable can be set"
    return ""
