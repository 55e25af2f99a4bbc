"""Where the code of a test depends on how fast the machine is or what its memory holds: where it
reads the time or the memory, sleeps, or waits for less than a hang takes."""

import ast
from collections import Counter
from collections.abc import Iterator, Sequence

from harness.polling import HANG

MODULES = {"time", "timeit", "resource", "tracemalloc", "psutil", "sched"}
"""Modules that tests do not import, under whatever name."""
READ = {
    "asyncio": {"sleep"},
    "os": {"times", "getloadavg", "wait3", "wait4"},
    "datetime": {"now", "today", "utcnow"},
    "date": {"today"},
    "loop": {"time", "call_later", "call_at"},
    "anyio": {"sleep", "sleep_until", "current_time"},
    "threading": {"Timer"},
    "httpx": {"Timeout"},
    "signal": {"setitimer"},
}
"""What tells the time or counts down, by the name before the dot. `sleep(0)` only gives way."""
LIMITS = {
    "asyncio": {"timeout", "timeout_at", "wait_for"},
    "anyio": {"fail_after", "move_on_after"},
}
"""Of these the last argument is a limit."""
TIMED = {of: READ.get(of, set[str]()) | LIMITS.get(of, set[str]()) for of in READ | LIMITS}
WAITING = {
    "wait": 0,
    "join": 0,
    "result": 0,
    "exception": 0,
    "settimeout": 0,
    "setdefaulttimeout": 0,
    "alarm": 0,
    "poll": 0,
    "wait_for": 1,
    "acquire": 1,
    "get": 1,
    "communicate": 1,
    "create_connection": 1,
    "urlopen": 2,
    "select": 3,
}
"""Methods and functions, of whatever, that wait for at most so many seconds as this argument
says."""
NAMED = {"timeout", "timeout_seconds", "delay"}
"""Arguments that are seconds, or a thousand times as many milliseconds."""
PROCESSES = "/" + "proc"
CLOCKS = {"SYSTEM_CLOCK", "SystemClock"}


def _value(node: ast.expr) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def short_name(name: str) -> str:
    return name.rpartition(".")[2]


class Names:
    """What the names of a module stand for: those that it imports, and those that it gives."""

    def __init__(self, nodes: Sequence[ast.AST]) -> None:
        self._imported: dict[str, str] = {}
        self._numbers: dict[str, list[float]] = {}
        # A name that is bound in several places may be another clock in some of them.
        self._bound = Counter(
            node.arg if isinstance(node, ast.arg) else node.id
            for node in nodes
            if isinstance(node, ast.arg)
            or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        )
        for node in nodes:
            if isinstance(node, ast.Import):
                for one in node.names:
                    root = one.name.partition(".")[0]
                    self._imported[one.asname or root] = one.name if one.asname else root
            elif isinstance(node, ast.ImportFrom):
                for one in node.names:
                    self._imported[one.asname or one.name] = f"{node.module}.{one.name}"
        for node in nodes:
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._give(target, node.value)
            elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
                self._give(node.target, node.value)
            elif isinstance(node, ast.arguments):
                usual = [*node.posonlyargs, *node.args]
                with_defaults = usual[len(usual) - len(node.defaults) :]
                for argument, default in zip(with_defaults, node.defaults, strict=True):
                    self._give(ast.Name(argument.arg), default)
                for argument, value in zip(node.kwonlyargs, node.kw_defaults, strict=True):
                    if value is not None:
                        self._give(ast.Name(argument.arg), value)

    def _give(self, target: ast.expr, value: ast.expr) -> None:
        if not isinstance(target, ast.Name):
            return
        if (number := self.seconds(value)) is not None:
            self._numbers.setdefault(target.id, []).append(number)
        of, name = self.split(value)
        a_clock = name in CLOCKS and self._bound[target.id] == 1
        if name in TIMED.get(of, ()) or name == "loop" or a_clock:
            self._imported.setdefault(target.id, self.full(value))

    def full(self, node: ast.expr) -> str:
        """The name with the modules before it; `loop` for every expression that returns the event
        loop."""
        if isinstance(node, ast.Call):
            name = self.full(node.func)
            loops = ("get_running_loop", "get_event_loop", "new_event_loop")
            return "loop" if short_name(name) in loops else short_name(name)
        if isinstance(node, ast.Attribute):
            return f"{self.full(node.value)}.{node.attr}"
        return self._imported.get(node.id, node.id) if isinstance(node, ast.Name) else ""

    def split(self, node: ast.expr) -> tuple[str, str]:
        """The last name, and that before it."""
        before, _, name = self.full(node).rpartition(".")
        return short_name(before).removeprefix("_"), name.removeprefix("_")

    def seconds(self, node: ast.expr) -> float | None:
        """What an expression of numbers is, also of those that have names; None where that is not
        known."""
        if isinstance(node, ast.Constant):
            known = isinstance(node.value, int | float) and not isinstance(node.value, bool)
            return float(node.value) if known else None  # type: ignore[arg-type]
        if isinstance(node, ast.Name | ast.Attribute) and self.full(node) == "harness.polling.HANG":
            return HANG
        if isinstance(node, ast.Name):
            return min(self._numbers.get(node.id, ()), default=None)
        if isinstance(node, ast.BinOp):
            left, right = self.seconds(node.left), self.seconds(node.right)
            if left is None or right is None:
                return None
            if isinstance(node.op, ast.Mult):
                return left * right
            if isinstance(node.op, ast.Div):
                return left / right if right else None
            return left + right if isinstance(node.op, ast.Add) else None
        return None

    def is_short(self, node: ast.expr) -> bool:
        """Whether this is a limit that something other than a hang could reach. What looks at once
        and waits for nothing has 0."""
        seconds = self.seconds(node)
        if seconds is None:  # of another module: the tests have one name for such a limit
            return isinstance(node, ast.Name) and node.id in self._imported and node.id.isupper()
        return 0 < seconds < HANG


def limits(call: ast.Call, names: Names) -> Iterator[ast.expr]:
    """What a call passes on as seconds that it waits at most, where that is too short."""
    of, name = names.split(call.func)
    if isinstance(call.func, ast.Attribute) and isinstance(_value(call.func.value), str):
        return  # words that are joined
    given = [one.value for one in call.keywords if one.arg in NAMED]
    if name in LIMITS.get(of, ()):
        for limit in [*call.args[-1:], *given]:
            unlimited = isinstance(limit, ast.Constant) and limit.value is None
            if not unlimited and (names.seconds(limit) or 0) < HANG:
                yield limit
        return
    if name == "settings":  # hypothesis's, in milliseconds
        deadlines = (one.value for one in call.keywords if one.arg == "deadline")
        yield from (deadline for deadline in deadlines if names.seconds(deadline))
    place = WAITING.get(name, len(call.args))
    if name in ("get", "acquire") and not (call.args and isinstance(_value(call.args[0]), bool)):
        place = len(call.args)  # of a dictionary
    yield from (one for one in [*call.args[place : place + 1], *given] if names.is_short(one))


def measurements(tree: ast.AST) -> Iterator[str]:
    """Where a module depends on the machine, with the line."""
    nodes = list(ast.walk(tree))
    names = Names(nodes)
    giving_way = {
        id(node.func)
        for node in nodes
        if isinstance(node, ast.Call) and [_value(one) for one in node.args] == [0]
    }
    for node in nodes:
        found = ""
        if isinstance(node, ast.Import):
            roots = (one.name.partition(".")[0] for one in node.names)
            found = next((root for root in roots if root in MODULES), "")
        elif isinstance(node, ast.ImportFrom):
            root = (node.module or "").partition(".")[0]
            found = root if node.level == 0 and root in MODULES else ""
        elif isinstance(node, ast.Constant):
            found = PROCESSES if str(node.value).startswith(PROCESSES) else ""
        elif isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load):
            of, name = names.split(node)
            read = name in READ.get(of, ()) or (of in CLOCKS and isinstance(node, ast.Attribute))
            given_way = name == "sleep" and id(node) in giving_way
            found = f"{of}.{name}" if read and not given_way else ""
        elif isinstance(node, ast.Call):
            found = next((ast.unparse(node)[:60] for _ in limits(node, names)), "")
        if found:
            yield f"{found}, line {getattr(node, 'lineno', 0)}"
