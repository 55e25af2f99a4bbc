"""`make fuzz WHAT=mutations`: check that the tests fail when the code is broken.

A seed selects places in `src`. In a clone of this repository each is broken on its
own, and the tests run until one fails: first those that import the module, then those of its
package, then `make test`, then what `make test WHAT=all` adds. Mutations that no test notices are
printed, and the exit code is 1.
"""

import ast
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
CLONE = ROOT / "build" / "mutations"
PYTEST = [
    *(".venv/bin/python", "-m", "pytest", "-qq", "-x", "-p", "no:cacheprovider"),
    # A mutation that makes a test hang is noticed too.
    *("-o", "faulthandler_timeout=300"),
    *("--numprocesses", str(min(8, 1 + (os.cpu_count() or 1))), "--dist", "worksteal"),
]
ALL = [
    *("-m", "matrix or (hypothesis and not needs_java and not needs_aapt and not needs_framework)"),
    *("--hypothesis-profile=all", "tests"),
]

SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
}


class Mutation(NamedTuple):
    file: Path
    line: int
    before: str
    after: str
    whole: bytes
    """The mutated file."""


def mutate(node: ast.AST) -> ast.AST | None:
    """Return the node broken in one way, or None if it is not mutated."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in SWAPPED:
            return ast.Compare(node.left, [_swap(op)], node.comparators)
        case ast.BoolOp():
            return ast.BoolOp(_swap(node.op), node.values)
        case ast.BinOp(op=ast.Add() | ast.Sub()) if not isinstance(node.left, ast.JoinedStr):
            return ast.BinOp(node.left, _swap(node.op), node.right)
        case ast.UnaryOp(op=ast.Not()):
            return node.operand
        case ast.Constant(value=bool(value)):
            return ast.Constant(not value)
        case ast.Constant(value=int(value)):
            return ast.Constant(value + 1)
        case ast.Expr(value=ast.Call()):
            return ast.Pass()
        case ast.Break():
            return ast.Continue()
        case ast.Continue():
            return ast.Break()
        case _:
            return None


def _swap(op: ast.AST) -> Any:
    return SWAPPED[type(op)]()


def mutations_of(file: Path) -> Iterator[Mutation]:
    data = file.read_bytes()
    starts = [0, *accumulate(map(len, data.splitlines(keepends=True)))]
    for node in _executed(ast.parse(data)):
        broken = mutate(node)
        if broken is None or not isinstance(node, ast.expr | ast.stmt):
            continue
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        after = ast.unparse(ast.fix_missing_locations(broken))
        if isinstance(node, ast.expr):
            after = f"({after})"
        whole = data[:start] + after.encode() + data[end:]
        yield Mutation(file, node.lineno, data[start:end].decode(), after, whole)


def _executed(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that are executed: none in annotations, decorators (`frozen=True`), f-strings."""
    skipped = [getattr(tree, name, None) for name in ("annotation", "returns")]
    skipped += getattr(tree, "decorator_list", [])
    for child in ast.iter_child_nodes(tree):
        if child not in skipped and not isinstance(child, ast.JoinedStr):
            yield child
            yield from _executed(child)


def importers(name: str) -> list[str]:
    """The test files that import the module; of a name that ends in a dot, any of its modules."""
    wanted = f"from {name}" if name.endswith(".") else f"from {name} import"
    return [
        str(file.relative_to(CLONE))
        for file in sorted((CLONE / "tests").rglob("test_*.py"))
        if wanted in file.read_text(encoding="utf-8")
        and not file.is_relative_to(CLONE / "tests" / "corpus")
    ]


def noticed(mutation: Mutation) -> str:
    """Return the command that notices it, "" if none does."""
    original = mutation.file.read_bytes()
    mutation.file.write_bytes(mutation.whole)
    try:
        parts = mutation.file.relative_to(CLONE).with_suffix("").parts[1:]
        name = ".".join(parts).removesuffix(".__init__")
        near = [importers(name), importers(name.rpartition(".")[0] + ".")]
        runs = [("make test", files) for files in near if files]
        runs += [("make test", []), ("make test WHAT=all", ALL)]
        for command, arguments in runs:
            done = subprocess.run(
                [*PYTEST, *arguments],
                cwd=CLONE,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
            )
            if done.returncode not in (0, 5):
                return command
        return ""
    finally:
        mutation.file.write_bytes(original)


def main() -> int:
    seed, count = sys.argv[1], int(sys.argv[2])
    shutil.rmtree(CLONE, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(CLONE)], check=True)
    subprocess.run(["make", "--silent", "setup"], cwd=CLONE, check=True)
    draw = random.Random(seed)
    files = sorted((CLONE / "src").rglob("*.py"))
    every = [mutation for file in files for mutation in mutations_of(file)]
    chosen = draw.sample(every, count)
    print(f"Seed {seed}: {count} of {len(every)} mutations, each tested until a test fails")
    if subprocess.run(PYTEST, cwd=CLONE, stdin=subprocess.DEVNULL, check=False).returncode:
        print("The tests fail without any mutation, so the result would mean nothing.")
        return 2
    missed = 0
    for number, mutation in enumerate(chosen, 1):
        begun = time.monotonic()
        command = noticed(mutation)
        missed += not command
        place = f"{mutation.file.relative_to(CLONE)}:{mutation.line}"
        verdict = f"noticed by {command}" if command else "NOT NOTICED"
        print(
            f"{number:2} {place}: {mutation.before!r} -> {mutation.after!r}: "
            f"{verdict} ({time.monotonic() - begun:.0f} s)",
            flush=True,
        )
    print(f"{count - missed} of {count} noticed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
