"""Finds the regular expressions of the product, and how each is used."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from harness.packages import VIRTUAL, parse, read, sources

from .automaton import Use

_USES = {"match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"}
_FLAGS_AT = {"compile": 1, "sub": 4, "subn": 4, "split": 3}
"""Where the flags of a function of `re` are, if not third."""


class Pattern(NamedTuple):
    place: str
    """File and line."""
    name: str
    """Of the constant that it is, or the pattern itself as it is written."""
    pattern: "str | bytes | None"
    """None where it is made at run time."""
    flags: int
    uses: frozenset[Use]

    @property
    def file(self) -> str:
        return self.place.partition(":")[0]


@cache
def patterns() -> tuple[Pattern, ...]:
    return tuple(
        pattern
        for file in sources()
        if re.search(r"\bre\b", read(file))
        for pattern in _find_in(file)
    )


@cache
def _parents(file: str) -> dict[ast.AST, ast.AST]:
    nodes = ast.walk(parse(file))
    return {child: node for node in nodes for child in ast.iter_child_nodes(node)}


def _find_in(file: str) -> Iterator[Pattern]:
    parents = _parents(file)
    for node in ast.walk(parse(file)):
        match node:
            case ast.ImportFrom(module="re"):
                raise AssertionError(f"{file}: import re as a whole, so that its uses are found")
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=function)):
                if function not in {*_USES, "compile"}:
                    continue
                arguments = {each.arg: each.value for each in node.keywords}
                at = _FLAGS_AT.get(function, 2)
                written = arguments.get("pattern") or node.args[0]
                flags = arguments.get("flags") or next(iter(node.args[at : at + 1]), None)
                bound = {*_local_names(node, parents)}
                pattern = _evaluate(written, file, bound)
                name = _assigned(node, parents) if function == "compile" else ""
                uses: set[Use] = {_as_use(function)}
                if function == "compile":
                    uses = _uses(file, name)
                yield Pattern(
                    f"{file}:{node.lineno}",
                    name or ast.unparse(written),
                    pattern if isinstance(pattern, str | bytes) else None,
                    int(_evaluate(flags, file, bound) or 0) if flags is not None else 0,
                    frozenset(uses),
                )
            case _:
                pass


def _evaluate(expression: ast.expr, file: str, bound: set[str]) -> Any:
    """The value of an expression of constants, which may be those of the module; None if it depends
    on names that a function binds."""
    names = {each.id for each in ast.walk(expression) if isinstance(each, ast.Name)}
    if names & bound:
        return None
    code = compile(ast.Expression(expression), file, "eval")
    return eval(code, vars(import_module(_module(file))))


def _module(file: str) -> str:
    path = file if file.startswith(VIRTUAL) else f"handheld/{file}"
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _local_names(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> Iterator[str]:
    """What the functions around it bind."""
    while node := parents.get(node):  # type: ignore[assignment]
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.GeneratorExp):
            for each in ast.walk(node):
                if isinstance(each, ast.arg):
                    yield each.arg
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                    yield each.id


def _assigned(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> str:
    """The constant, variable or attribute that is the compiled pattern; empty for none."""
    match parents[node]:
        case ast.Assign(targets=[ast.Name(id=name) | ast.Attribute(attr=name)], value=value):
            return name if value is node else ""
        case _:
            return ""


def _as_use(function: str) -> Use:
    if function == "match" or function == "fullmatch":
        return function
    return "search"


@cache
def _calls(file: str) -> dict[str, set[Use | None]]:
    """How each name is used in a file; None for more than a call of its methods."""
    found: dict[str, set[Use | None]] = {}
    parents = _parents(file)
    for node in ast.walk(parse(file)):
        if not isinstance(node, ast.Name | ast.Attribute) or isinstance(node.ctx, ast.Store):
            continue
        uses = found.setdefault(node.id if isinstance(node, ast.Name) else node.attr, set())
        match (method := parents[node]), parents.get(method):
            case ast.Attribute(attr="match"), ast.Call(args=[_, _, *_]):
                uses.add("search")  # from a place in the text, which may be each in turn
            case ast.Attribute(attr=function), _ if function in _USES:
                uses.add(_as_use(function))
            case ast.Attribute(attr="pattern"), _:
                pass
            case _:
                uses.add(None)
    return found


@cache
def _imported(file: str) -> set[tuple[str, str]]:
    """The names that a file imports, each with its module, of which the last part is enough."""
    return {
        ((node.module or "").rpartition(".")[2], each.name)
        for node in ast.walk(parse(file))
        if isinstance(node, ast.ImportFrom)
        for each in node.names
    }


def _uses(file: str, name: str) -> set[Use]:
    """How a compiled pattern is used: in every way, where that is not known."""
    if not name:
        return {"search", "fullmatch"}
    module = _module(file).rpartition(".")[2]
    # Searching a file's text is quicker than parsing it.
    mentioning = (each for each in sources() if name in read(each) and module in read(each))
    files = {file, *(each for each in mentioning if (module, name) in _imported(each))}
    uses = set[Use | None]().union(*(_calls(each).get(name, ()) for each in files))
    known: set[Use] = {use for use in uses if use is not None}
    return known if known == uses and known else {*known, "search", "fullmatch"}
