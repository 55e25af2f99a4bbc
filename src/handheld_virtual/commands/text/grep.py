"""`grep`: prints lines that match a pattern."""

import posixpath
import stat

from ..call import CommandCall, Usage, clean
from ..options import number, take_options
from .expressions import BadExpression, Expression
from .lines import read_lines


async def grep(call: CommandCall) -> None:
    """`grep`, with exit code 0 if a line matches, 1 if none does, 2 after an error."""
    try:
        call.arguments = [
            _LONG.get(word.partition("=")[0], word)
            if word.startswith("--") and len(word) > 2
            else word
            for word in call.arguments
        ]
        options = take_options(call, "EFivcnolqswxhHrRaz", "emABCf")
        if "z" in options or "f" in options:
            raise Usage("-z and -f are not supported by this phone")
        patterns = options.get("e", [])
        if not patterns:
            call.need(1)
            patterns = [call.arguments.pop(0)]
        extended = "E" in options or call.name == "egrep"
        fixed = "F" in options or call.name == "fgrep"
        expressions = [
            Expression(
                text,
                extended=extended,
                fixed=fixed,
                ignore_case="i" in options,
                word="w" in options,
                line="x" in options,
            )
            for pattern in patterns
            for text in pattern.split("\n")
        ]
        search = _Search(call, expressions, options)
        await search.run()
    except (BadExpression, Usage) as problem:
        await call.fail(str(problem), 2)
        return
    if call.code:
        call.code = 0 if search.found and "q" in options else 2
    else:
        call.code = 0 if search.found else 1


_LONG = {
    "--line-buffered": "-a",
    "--color": "-a",
    "--ignore-case": "-i",
    "--invert-match": "-v",
    "--count": "-c",
    "--only-matching": "-o",
    "--line-number": "-n",
    "--extended-regexp": "-E",
    "--fixed-strings": "-F",
    "--quiet": "-q",
    "--text": "-a",
}
"""The long option names that tools use; the two about output have no effect here."""


class _Search:
    def __init__(
        self, call: CommandCall, expressions: list[Expression], options: dict[str, list[str]]
    ) -> None:
        self.found = False
        self._call, self._expressions, self._options = call, expressions, options
        self._most = number(call, options["m"][-1]) if "m" in options else None
        both = options.get("C", ["0"])[-1]
        self._before = number(call, options.get("B", [both])[-1], 10_000)
        self._after = number(call, options.get("A", [both])[-1], 10_000)
        self._named = False

    async def run(self) -> None:
        call, options = self._call, self._options
        deep = "r" in options or "R" in options
        names = call.arguments or (["."] if deep else ["-"])
        self._named = ("H" in options or len(names) > 1 or deep) and "h" not in options
        for name in names:
            for path in self._walk(name) if deep else [name]:
                await self._search(path)
                if self.found and "q" in options:
                    return

    def _walk(self, name: str) -> list[str]:
        found: list[str] = []
        try:
            folder = stat.S_ISDIR(self._call.files.stat(self._call.path(name)).mode)
            if not folder:
                return [name]
            for entry in self._call.files.list(self._call.path(name)):
                found += self._walk(posixpath.join(name, entry))
        except OSError:
            return [name]
        return found

    async def _search(self, name: str) -> None:
        call, options = self._call, self._options
        label = f"{name if name != '-' else '(standard input)'}" if self._named else ""
        count = 0
        kept: list[tuple[int, str]] = []
        following = last = 0
        if name != "-" and call.files.is_folder(call.path(name)):
            if "s" not in options:
                await call.fail(f"{name}: Is a directory", 2)
            return
        if name != "-" and "s" in options:
            try:
                call.files.open(call.path(name)).close()
            except OSError as problem:
                call.code = 2
                clean(problem)
                return
        line_number = 0
        async for line in read_lines(call, name):
            line_number += 1
            if self._fits(line) == ("v" not in options):
                count += 1
                self.found = True
                if "q" in options:
                    return
                if "l" in options:
                    await call.write(f"{name}\n")
                    return
                if "c" not in options:
                    if (
                        (self._before or self._after)
                        and last
                        and line_number - len(kept) > last + 1
                    ):
                        await call.write("--\n")
                    for earlier, text in kept:
                        await self._print(label, earlier, text, "-")
                    await self._print_found(label, line_number, line)
                    last = line_number
                kept, following = [], self._after
                if self._most is not None and count >= self._most:
                    break
            elif following and "c" not in options:
                following -= 1
                await self._print(label, line_number, line, "-")
                last = line_number
            elif self._before:
                kept = [*kept, (line_number, line)][-self._before :]
        if "c" in options:
            await call.write(f"{label + ':' if label else ''}{count}\n")

    def _fits(self, line: str) -> bool:
        return any(expression.search(line) is not None for expression in self._expressions)

    async def _print_found(self, label: str, at: int, line: str) -> None:
        if "o" not in self._options:
            await self._print(label, at, line, ":")
            return
        start = 0
        while start <= len(line) and "v" not in self._options:
            matches = [
                m for expression in self._expressions if (m := expression.search(line, start))
            ]
            if not matches:
                return
            first = min(matches, key=lambda m: (m.start(), -m.end()))
            if first.group():
                await self._print(label, at, first.group(), ":")
            start = max(first.end(), first.start() + 1)

    async def _print(self, label: str, at: int, text: str, separator: str) -> None:
        head = f"{label}{separator}" if label else ""
        head += f"{at}{separator}" if "n" in self._options else ""
        await self._call.write(f"{head}{text}\n")
