"""Commands that run other commands: sh, xargs, timeout, nohup, and find with -exec."""

import asyncio
import fnmatch
import posixpath
import re
import shlex
import stat

from ...sh.process import Process
from ...sh.programs import NOT_FOUND
from ...sh.shell import run_sh
from ...sh.streams import Nothing
from ..call import CommandCall, Usage, clean
from ..options import number, take_options
from ..text.lines import read_all

MOST_WORDS = 8192
MOST_SIZE = 128 * 1024
LEVELS = 8
LEVEL = "run level"
"""The variable with the nesting depth of commands, whose name no script can use."""


async def run_other(call: CommandCall, words: list[str], *, quiet: bool = False) -> int:
    """Run a program with this command's streams; return its exit code."""
    name = words[0].rpartition("/")[2]
    program = call.phone.programs.get(name)
    level = int(call.process.environment.get(LEVEL, "0")) + 1
    if program is None or level > LEVELS:
        await call.report(f"{words[0]}: No such file or directory")
        return NOT_FOUND
    process = call.process
    environment = {**process.environment, LEVEL: str(level)}
    if name == "sh":
        environment["sh level"] = str(int(environment.get("sh level", "0")) + 1)
    stdin = Nothing() if quiet else process.stdin
    other = Process(call.phone, words, environment, stdin, process.stdout, process.stderr)

    async def run() -> int:
        return await program(other)

    return await call.phone.processes.run(name, run())


async def sh(call: CommandCall) -> None:
    call.code = await run_sh(call.process)


async def xargs(call: CommandCall) -> None:
    options = take_options(call, "0rt", "nIP", early=True)
    data = (await read_all(call, "-")).decode("utf-8", "surrogateescape")
    command = call.arguments or ["echo"]
    mark = options.get("I", [""])[-1]
    if "0" in options:
        items = data.removesuffix("\0").split("\0") if data else []
    elif mark:
        items = [line.strip() for line in data.splitlines() if line.strip()]
    else:
        try:
            items = shlex.split(data)
        except ValueError:
            raise Usage("unmatched quote") from None
    if not items and ("r" in options or mark):
        return
    if mark:
        rounds = [[word.replace(mark, item) for word in command] for item in items]
    else:
        most = number(call, options["n"][-1], MOST_WORDS) if "n" in options else MOST_WORDS
        rounds = [
            [*command, *items[at : at + most]] for at in range(0, max(1, len(items)), max(1, most))
        ]
    for words in rounds:
        if sum(map(len, words)) > MOST_SIZE:
            raise Usage("argument too long")
        code = await run_other(call, words, quiet=True)
        if code == NOT_FOUND:
            call.code = code
            return
        if code:
            call.code = 123


async def timeout(call: CommandCall) -> None:
    options = take_options(call, "fiv", "ks", early=True)
    call.need(2)
    limit, *words = call.arguments
    found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)([smhd]?)", limit)
    if found is None:
        raise Usage(f"bad number '{limit}'")
    seconds = float(found[1]) * {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}[found[2]]
    work = asyncio.ensure_future(run_other(call, words))
    alarm = asyncio.ensure_future(call.phone.clock.sleep(seconds * 1000))
    try:
        await asyncio.wait([work, alarm], return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            call.code = work.result()
            return
        call.code = 137 if options.get("s", [""])[-1].removeprefix("SIG") in ("9", "KILL") else 124
    finally:
        work.cancel()
        alarm.cancel()
        await asyncio.gather(work, alarm, return_exceptions=True)


async def nohup(call: CommandCall) -> None:
    call.need(1)
    call.code = await run_other(call, call.arguments)


async def find(call: CommandCall) -> None:
    words = list(call.arguments)
    starts: list[str] = []
    while words and not words[0].startswith("-") and words[0] not in ("!", "("):
        starts.append(words.pop(0))
    for start in starts or ["."]:
        search = _Find(call, words)
        await search.walk(start, 0)


class _Find:
    """A walk from one starting point. All tests must hold; `-o` and brackets are not supported."""

    def __init__(self, call: CommandCall, words: list[str]) -> None:
        self._call = call
        self._tests: list[tuple[str, str, bool]] = []
        self._exec: list[str] = []
        self._deepest, self._least = 10_000, 0
        self._action = ""
        rest = iter(words)
        negated = False
        for word in rest:
            if word == "!":
                negated = True
                continue
            if word in ("-print", "-print0", "-delete"):
                self._action = word
            elif word == "-exec":
                for part in rest:
                    if part in (";", "+"):
                        break
                    self._exec.append(part)
                else:
                    raise Usage("-exec: missing ;")
                self._action = word
            elif word in ("-name", "-iname", "-path", "-type", "-size", "-maxdepth", "-mindepth"):
                value = next(rest, None)
                if value is None:
                    raise Usage(f"'{word}' needs 1 arg")
                if word == "-maxdepth":
                    self._deepest = number(call, value)
                elif word == "-mindepth":
                    self._least = number(call, value)
                else:
                    self._tests.append((word, value, negated))
            elif word == "-empty":
                self._tests.append((word, "", negated))
            else:
                raise Usage(f"bad arg '{word}'")
            negated = False

    async def walk(self, name: str, depth: int) -> None:
        call = self._call
        path = call.path(name)
        try:
            # A slash after a link's name refers to its target.
            status = call.files.stat(path, follow=name.endswith("/") and not depth)
        except OSError as problem:
            await call.fail(f"'{name}': {clean(problem)}")
            return
        folder = stat.S_ISDIR(status.mode)
        late = self._action == "-delete"
        if not late:
            await self._meet(name, status.mode, status.size, depth)
        if folder and depth < self._deepest:
            try:
                entries = call.files.list(path)
            except OSError as problem:
                await call.fail(f"'{name}': {clean(problem)}")
                entries = []
            for entry in entries:
                await self.walk(posixpath.join(name, entry), depth + 1)
            await asyncio.sleep(0)
        if late:
            await self._meet(name, status.mode, status.size, depth)

    async def _meet(self, name: str, mode: int, size: int, depth: int) -> None:
        call = self._call
        if depth < self._least:
            return
        for test, value, negated in self._tests:
            if self._holds(test, value, name, mode, size) == negated:
                return
        if self._action == "-exec":
            await run_other(call, [word.replace("{}", name) for word in self._exec], quiet=True)
        elif self._action == "-delete":
            try:
                remove = call.files.remove_folder if stat.S_ISDIR(mode) else call.files.remove
                remove(call.path(name))
            except OSError as problem:
                await call.fail(f"'{name}': {clean(problem)}")
        else:
            await call.write(name + ("\0" if self._action == "-print0" else "\n"))

    def _holds(self, test: str, value: str, name: str, mode: int, size: int) -> bool:
        last = name.rstrip("/").rpartition("/")[2] or name
        match test:
            case "-name":
                return fnmatch.fnmatchcase(last, value)
            case "-iname":
                return fnmatch.fnmatchcase(last.lower(), value.lower())
            case "-path":
                return fnmatch.fnmatchcase(name, value)
            case "-empty":
                if stat.S_ISDIR(mode):
                    try:
                        return not self._call.files.list(self._call.path(name))
                    except OSError:
                        return False
                return not size
            case "-type":
                kinds = {"f": stat.S_ISREG, "d": stat.S_ISDIR, "l": stat.S_ISLNK, "c": stat.S_ISCHR}
                if value not in kinds:
                    raise Usage(f"bad -type '{value}'")
                return kinds[value](mode)
            case _:
                found = re.fullmatch(r"([+-]?)(\d{1,12})([ckMG]?)", value)
                if found is None:
                    raise Usage(f"bad -size '{value}'")
                unit = {"": 512, "c": 1, "k": 1024, "M": 1 << 20, "G": 1 << 30}[found[3]]
                blocks, wanted = -(-size // unit), int(found[2])
                return {"+": blocks > wanted, "-": blocks < wanted}.get(found[1], blocks == wanted)


async def toybox(call: CommandCall) -> None:
    """Run a command by name; without one, list them."""
    if not call.arguments:
        await call.write(" ".join(sorted(call.phone.programs)) + "\n")
        return
    if call.arguments[0] not in call.phone.programs:
        await call.fail(f'Unknown command {call.arguments[0]} (see "toybox --help")', NOT_FOUND)
        return
    call.code = await run_other(call, call.arguments)
