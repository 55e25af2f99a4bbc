"""`cmd app_function` in all its generations: detecting the phone's, listing functions, calling
them.

At first, Android 16 had the service without commands. Later releases added commands that call, that
list, and that set the time limit. The command's help tells the generation: releases of the same API
level differ. All output, including failures, goes to standard output, and exit codes mean nothing.
"""

import json
import math
import re
from enum import IntEnum
from typing import Any, cast

from ...adb.shell import ShellResult, quote
from ...app_formats.app_functions.words import RETURN_VALUE, FunctionError
from ...errors import InvalidParams
from ...helper.protocol import Code, HelperFailure
from ..app_tools import AppFailed, AppProblem, FunctionList, FunctionReply
from .batch import run_sections
from .commands import LONGEST_LINE, Commands, first_line

LIST_LIMIT = 16 * 1024 * 1024
LIST_SECONDS = 20.0
OWN_LIMIT_MS = 10_000
"""The time that earlier generations wait for an app."""
SLACK_SECONDS = 15.0
"""Time for the command itself, in addition to its wait for the app."""

_SERVICE = "cmd app_function"
_FAILURE = "Error executing app function: "
_TIMED_OUT = "Timed out"
_UNREADABLE = "Failed to convert the function response to JSON."
_LOGCAT = ". See logcat for more details."
_OLD_CODE = re.compile(r"(\d{1,6}) - ")
_CODE = re.compile(r" \(code (\d{1,6})\)\Z")
_EXCEPTION = "android.app.appfunctions.AppFunctionException: "

_PROBLEMS = {
    FunctionError.DENIED: AppProblem.REFUSED,
    FunctionError.BAD_ARGUMENT: AppProblem.MISUSED,
    FunctionError.DISABLED: AppProblem.SWITCHED_OFF,
    FunctionError.NOT_FOUND: AppProblem.GONE,
    FunctionError.SYSTEM: AppProblem.BROKEN,
    FunctionError.CANCELLED: AppProblem.FAILED,
    FunctionError.POLICY: AppProblem.FORBIDDEN,
    FunctionError.APP: AppProblem.FAILED,
}


class Generation(IntEnum):
    """The generations of the command, oldest first."""

    MISSING = 0
    """Android has no such service."""
    BARE = 1
    """The service has no commands."""
    CALLS = 2
    """It calls functions, but cannot list them."""
    LISTS = 3
    """It also lists functions. It prints only results that are objects."""
    TIMED = 4
    """It prints all results, and accepts a time limit."""
    ASKED = 5
    """It also reports whether a function is enabled."""


def read_generation(printed: str) -> Generation:
    """Parse the output of `help`, from either stream."""
    if "execute-app-function" not in printed:
        bare = "No shell command implementation" in printed
        return Generation.BARE if bare else Generation.MISSING
    if "list-app-functions" not in printed:
        return Generation.CALLS
    if "--timeout-duration" not in printed:
        return Generation.LISTS
    return Generation.ASKED if "is-enabled" in printed else Generation.TIMED


class AppFunctionCommand:
    """The command on one phone. Its generation is queried once."""

    def __init__(self, commands: Commands) -> None:
        self._commands = commands
        self._generation: Generation | None = None

    async def list(self) -> FunctionList:
        """Raises AdbError, HelperFailure."""
        lines = {"list": f"{_SERVICE} list-app-functions 2>&1"}
        if self._generation is None:
            lines = {"help": f"{_SERVICE} help 2>&1", **lines}
        elif self._generation < Generation.LISTS:
            return _nothing(self._generation)
        printed = await run_sections(self._commands, lines, seconds=LIST_SECONDS, limit=LIST_LIMIT)
        generation = self._generation
        if generation is None:
            generation = self._generation = read_generation(printed["help"].text)
        if generation < Generation.LISTS:
            return _nothing(generation)
        text = printed["list"].text.strip()
        if not text.startswith("{"):
            said = first_line(text)
            raise HelperFailure(Code.FAILED, f"The phone did not list app functions: {said}.")
        return FunctionList(text, True)

    async def call(
        self, package: str, function: str, arguments: str, within_ms: int
    ) -> FunctionReply:
        """Raises AppFailed, InvalidParams, HelperLost, AdbError."""
        if self._generation is None:
            await self.list()
        generation = self._generation or Generation.MISSING
        if generation < Generation.LISTS:
            raise AppFailed(AppProblem.UNREACHABLE, "This phone's Android cannot call it over adb.")
        seconds = math.ceil(within_ms / 1000)
        words = ["cmd", "app_function", "execute-app-function", "--package", package]
        words += ["--function", function, "--parameters", arguments]
        if generation >= Generation.TIMED:
            words += ["--timeout-duration", str(seconds)]
        else:
            seconds = OWN_LIMIT_MS // 1000
        line = quote(words)
        if len(line.encode()) > LONGEST_LINE:
            raise InvalidParams(
                f"With the arguments, the command takes {len(line.encode())} bytes;"
                f" at most {LONGEST_LINE} are possible. Nothing was done."
            )
        watch = _EmptyObject() if generation is Generation.LISTS else None
        try:
            result = await self._commands.run(
                line, act=True, seconds=seconds + SLACK_SECONDS, on_output=watch
            )
        except _Ended:
            return FunctionReply({}, hidden=True)
        return read_reply(result, seconds * 1000)


class _Ended(Exception):
    """Raised to stop waiting."""


class _EmptyObject:
    """Detects a function that ended without an object as its result. The command of that
    generation prints `{}`, then waits for its time limit and reports a timeout."""

    def __init__(self) -> None:
        self._printed = b""

    def __call__(self, data: bytes) -> None:
        self._printed = (self._printed + data)[:10]
        if self._printed.startswith(b"{}\n"):
            raise _Ended


def _nothing(generation: Generation) -> FunctionList:
    return FunctionList("", False, generation is not Generation.MISSING)


def read_reply(result: ShellResult, limit_ms: int) -> FunctionReply:
    """Parse the output of `execute-app-function`. Raises AppFailed."""
    text = result.stdout.decode(errors="replace").replace("\r\n", "\n")
    if text.startswith(("{", "[")):
        document = _read_document(text)
        if document is not None:
            return document
        raise AppFailed(AppProblem.BROKEN, "The printed result is cut off.")
    if text.startswith(_FAILURE):
        raise _failure(text.removeprefix(_FAILURE).strip())
    if text.startswith(_UNREADABLE):
        raise AppFailed(AppProblem.BROKEN, _UNREADABLE)
    if text.startswith(_TIMED_OUT):
        silent = AppFailed(AppProblem.SILENT, _TIMED_OUT)
        silent.after_ms = limit_ms
        raise silent
    said = first_line(text + result.stderr.decode(errors="replace"))
    raise AppFailed(AppProblem.BROKEN, f"Android said: {said}.")


def _read_document(text: str) -> FunctionReply | None:
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    rest = text[end:].strip()
    if isinstance(value, list):
        returned = cast("list[Any]", value)
        return FunctionReply({RETURN_VALUE: returned}, hidden=not returned)
    if not isinstance(value, dict):
        return None
    # After an empty object the command waits in vain and reports a timeout: the function has ended.
    return FunctionReply(cast("dict[str, Any]", value), hidden=rest.startswith(_TIMED_OUT))


def _failure(text: str) -> AppFailed:
    """Parse `1002 - EXCEPTION` or `EXCEPTION (code 1002). See logcat for more details.`"""
    text = text.removesuffix(_LOGCAT)
    code: int | None = None
    if (old := _OLD_CODE.match(text)) is not None:
        code, text = int(old[1]), text[old.end() :]
    # An app's own message may end in such a code, too.
    if (new := _CODE.search(text)) is not None and code in (None, int(new[1])):
        code, text = int(new[1]), text[: new.start()]
    message = text.removeprefix(_EXCEPTION).strip()
    if message in ("null", _EXCEPTION.rstrip(": ")):
        message = ""
    known = code if code in tuple(FunctionError) else None
    if known is None and code is not None and 1000 <= code < 2000:
        return AppFailed(AppProblem.MISUSED, message)
    return AppFailed(_PROBLEMS[FunctionError(known or FunctionError.APP)], message)
