"""`cmd app_function`: lists and calls the app functions that apps declare."""

import math
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from handheld.app_formats.app_functions import Document, FunctionFailed, Later
from handheld.app_formats.app_functions.words import RETURN_VALUE, Enabled

from ..call import WRONG, CommandCall, refuse
from ..exceptions import unknown_command
from .generic_document import describe_document, print_json, read_parameters, to_json

_FIRST_LIMIT_S, _LIMIT_S = 10, 30
_STATES = {"default": Enabled.DEFAULT, "enable": Enabled.ON, "disable": Enabled.OFF}
_MISSING_STATE = (
    "Error: --state must be specified. The accepted values are: `enable`, `disable`, `default`."
)
_EXCEPTION = "android.app.appfunctions.AppFunctionException"
_HEAD = "AppFunctionManagerService commands:\n  help\n"
_TARGET = "--package <PACKAGE_NAME> --function <FUNCTION_ID>"
_USER = "[--user <USER_ID>]"


class _Wrong(Exception):
    """Print the message and stop."""


class _Options:
    """The words of a command, parsed as Android does."""

    def __init__(self, words: list[str]) -> None:
        self._words = words
        self._at = 0
        self.values: dict[str, str] = {}
        self.printed = ""

    def next(self) -> str | None:
        if self._at == len(self._words):
            return None
        self._at += 1
        return self._words[self._at - 1]

    def read(self, *known: str) -> None:
        """Parse the known options. Raises _Wrong."""
        while self._at < len(self._words) and self._words[self._at].startswith("-"):
            option = self.next() or ""
            if option == "--brief-yaml" and option in known:
                self.values[option] = ""
                continue
            if option not in known:
                raise _Wrong(f"{self.printed}Unknown option: {option}")
            value = self.next()
            if value is None:
                raise _Wrong(
                    f"{self.printed}Exception: java.lang.IllegalArgumentException: Argument"
                    f' expected after "{option}"'
                )
            if option == "--user" and not (value.isdigit() or value in ("current", "cur", "all")):
                raise _Wrong(
                    f"{self.printed}Exception: java.lang.IllegalArgumentException: Bad user number:"
                    f" {value}"
                )
            if option == "--timeout-duration" and not value.lstrip("-").isdigit():
                # Android prints the next word, drops it, and continues.
                swallowed = self.next() or "null"
                self.printed += (
                    f"Invalid timeout duration: {swallowed}. Using default of {_LIMIT_S}s.\n"
                )
            else:
                self.values[option] = value

    def need(self, *options: str) -> list[str]:
        for option in options:
            if option not in self.values:
                raise _Wrong(f"{self.printed}Error: {option} must be specified.")
        return [self.values[option] for option in options]


async def app_function(call: CommandCall) -> None:
    words = call.arguments
    generation = call.phone.world.app_functions.generation
    if generation == "A":
        await refuse(call, "No shell command implementation.", 0)
        return
    call.phone.world.settle()
    if not words or words[0] in ("help", "-h"):
        call.code = WRONG
        await call.write(_help(generation))
        return
    since, run = _VERBS.get(words[0], ("F", _list))
    if generation < since:
        await unknown_command(call, words[0])
        return
    try:
        await run(call, _Options(words[1:]))
    except _Wrong as problem:
        call.code = WRONG
        await call.write(f"{problem}\n")


def _help(generation: str) -> str:
    """The commands and their options, without Android's descriptions."""
    lines = [f"  execute-app-function {_TARGET} --parameters <PARAMETERS_JSON> {_USER}"]
    if generation >= "C":
        lines.insert(0, f"  list-app-functions {_USER}")
    if generation >= "D":
        lines[1] += "[--timeout-duration <SECONDS>] [--brief-yaml]"
    lines.append(f"  set-enabled {_TARGET} --state <enable|disable> {_USER}")
    if generation >= "E":
        lines[1] += " [--pending-intent-path <PATH>]"
        lines.insert(1, "    --package <PACKAGE_NAME> (optional)")
        lines += [f"  is-enabled {_TARGET} {_USER}", "  purge-allowlist-cache"]
    return _HEAD + "".join(f"\n{line}\n" for line in lines)


async def _list(call: CommandCall, options: _Options) -> None:
    manager = call.phone.world.app_functions
    options.read("--user", *(("--package",) if manager.generation >= "E" else ()))
    listed = manager.listed(options.values.get("--package"))
    await call.write(f"{options.printed}{print_json(listed)}\n")


async def _execute(call: CommandCall, options: _Options) -> None:
    world = call.phone.world
    manager = world.app_functions
    timed = manager.generation >= "D"
    known = ("--package", "--function", "--parameters", "--user")
    known += ("--timeout-duration", "--brief-yaml") if timed else ()
    known += ("--pending-intent-path",) if manager.generation >= "E" else ()
    options.read(*known)
    package, function, parameters = options.need("--package", "--function", "--parameters")
    await call.write(options.printed)
    limit_s = int(options.values.get("--timeout-duration", _LIMIT_S)) if timed else _FIRST_LIMIT_S
    try:
        document = read_parameters(parameters)
    except ValueError as problem:
        call.code = WRONG
        await call.write(f"Exception: org.json.JSONException: {problem}\n")
        return
    try:
        outcome = manager.execute(package, function, document)
        left_ms = limit_s * 1000.0
        if isinstance(outcome, Later):
            waited = min(outcome.after_ms, left_ms)
            await call.phone.clock.sleep(waited)
            if outcome.after_ms > left_ms:
                await _time_out(call, manager.generation)
                return
            left_ms -= waited
            outcome = cast("Document", outcome.value)
    except FunctionFailed as problem:
        call.code = 0 if manager.generation == "B" else WRONG
        await call.write(_failure(problem, manager.generation))
        return
    await _succeed(call, outcome, manager.generation, left_ms)


def _failure(problem: FunctionFailed, generation: str) -> str:
    if generation >= "D":
        said = f"{_EXCEPTION}: {problem} (code {problem.code:d})"
        return f"Error executing app function: {said}. See logcat for more details. \n"
    return f"Error executing app function: {problem.code:d} - {_EXCEPTION}: {problem}\n"


async def _time_out(call: CommandCall, generation: str) -> None:
    call.code = 0 if generation == "B" else WRONG
    await call.write("Timed out\n")


async def _succeed(call: CommandCall, result: Document, generation: str, left_ms: float) -> None:
    if generation == "B":
        await call.write("App function executed successfully.\nFunction return:\n")
        await call.write(f"{describe_document(result)}\n")
        return
    if generation >= "D":
        await call.write(f"{print_json(to_json(result))}\n")
        return
    returned = list(result.properties.get(RETURN_VALUE, ()))
    if returned and isinstance(returned[0], Document):
        await call.write(f"{print_json([to_json(one) for one in returned])}\n")
        return
    # Android's command keeps waiting, although the function has returned.
    await call.write("{}\n")
    if math.isfinite(left_ms):
        await call.phone.clock.sleep(left_ms)
    await _time_out(call, generation)


async def _set_enabled(call: CommandCall, options: _Options) -> None:
    options.read("--package", "--function", "--state", "--user")
    package, function = options.need("--package", "--function")
    state = _STATES.get(options.values.get("--state", ""))
    if state is None:
        raise _Wrong(f"{options.printed}{_MISSING_STATE}")
    try:
        call.phone.world.app_functions.set_enabled(package, function, state)
        said = "App function enabled state updated successfully."
    except FunctionFailed as problem:
        said = f"Error setting app function state: android.os.ParcelableException: {problem}"
    await call.write(f"{options.printed}{said}\n")


async def _is_enabled(call: CommandCall, options: _Options) -> None:
    options.read("--package", "--function", "--user")
    package, function = options.need("--package", "--function")
    try:
        said = str(call.phone.world.app_functions.is_enabled(package, function)).lower()
    except FunctionFailed as problem:
        said = f"Error checking app function state: android.os.ParcelableException: {problem}"
    await call.write(f"{options.printed}{said}\n")


_VERBS: Mapping[str, tuple[str, Callable[[CommandCall, _Options], Awaitable[Any]]]] = {
    "execute-app-function": ("B", _execute),
    "set-enabled": ("B", _set_enabled),
    "list-app-functions": ("C", _list),
    "is-enabled": ("E", _is_enabled),
}
"""The commands, with the first generation that has each."""
