"""`sed` as far as tools use it: s, p, d, q, = and y, on lines selected by number or pattern."""

import re
from dataclasses import dataclass
from string import digits

from ..call import CommandCall, Usage, clean
from ..options import take_options
from .expressions import BadExpression, Expression
from .lines import LONGEST, all_lines


@dataclass(slots=True)
class Address:
    line: int = 0
    """A line number, -1 for the last line, or 0 for a pattern."""
    pattern: Expression | None = None


@dataclass(slots=True)
class Step:
    start: Address | None
    end: Address | None
    negated: bool
    letter: str
    pattern: Expression | None = None
    replacement: str = ""
    which: int = 1
    every: bool = False
    prints: bool = False
    within: bool = False
    """Whether the range has begun."""


async def sed(call: CommandCall) -> None:
    options = take_options(call, "nEri", "e")
    scripts = options.get("e", [])
    if not scripts:
        call.need(1)
        scripts = [call.arguments.pop(0)]
    extended = "E" in options or "r" in options
    try:
        steps = [step for script in scripts for step in _Script(script, extended).steps()]
        if "i" not in options:
            await call.write(_run(steps, await all_lines(call), "n" in options))
            return
        for name in call.arguments:
            before, call.arguments = call.arguments, [name]
            text = _run(steps, await all_lines(call), "n" in options)
            call.arguments = before
            if not call.code:
                call.files.write(call.path(name), text.encode("utf-8", "surrogateescape"))
    except BadExpression as problem:
        raise Usage(str(problem)) from None
    except OSError as problem:
        raise Usage(clean(problem)) from None


class _Script:
    def __init__(self, text: str, extended: bool) -> None:
        self._text, self._at, self._extended = text, 0, extended

    def steps(self) -> list[Step]:
        found: list[Step] = []
        while True:
            self._skip(" \t\n;")
            if self._at >= len(self._text):
                return found
            start = self._address()
            end = None
            if start is not None and self._peek() == ",":
                self._at += 1
                end = self._address()
            self._skip(" \t")
            negated = self._peek() == "!"
            self._at += negated
            letter = self._peek()
            self._at += 1
            if letter == "s":
                found.append(self._substitute(start, end, negated))
            elif letter and letter in "pdq=":
                found.append(Step(start, end, negated, letter))
            else:
                raise Usage(f"bad pattern '{self._text}'@{self._at} ({letter or 'end'})")
            self._skip(" \t")
            if self._at < len(self._text) and self._peek() not in ";\n":
                raise Usage(f"bad pattern '{self._text}'@{self._at + 1} ({self._peek()})")

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _skip(self, chars: str) -> None:
        while self._at < len(self._text) and self._text[self._at] in chars:
            self._at += 1

    def _address(self) -> Address | None:
        found = re.compile(r"\d{1,9}").match(self._text, self._at)
        if found is not None:
            self._at = found.end()
            return Address(int(found[0]))
        if self._peek() == "$":
            self._at += 1
            return Address(-1)
        if self._peek() == "/":
            self._at += 1
            return Address(0, Expression(self._until("/"), extended=self._extended))
        return None

    def _until(self, mark: str) -> str:
        text = ""
        while self._at < len(self._text):
            here = self._text[self._at]
            self._at += 1
            if here == mark:
                return text
            if here == "\\" and self._at < len(self._text):
                following = self._text[self._at]
                self._at += 1
                text += following if following == mark else here + following
            else:
                text += here
        raise Usage(f"bad pattern '{self._text}'@{len(self._text)} (unterminated)")

    def _substitute(self, start: Address | None, end: Address | None, negated: bool) -> Step:
        mark = self._peek()
        self._at += 1
        pattern, replacement = self._until(mark), self._until(mark)
        step = Step(start, end, negated, "s", replacement=replacement)
        fold = False
        while (flag := self._peek()) and flag in "gpIi123456789":
            self._at += 1
            step.every |= flag == "g"
            step.prints |= flag == "p"
            fold |= flag in "Ii"
            step.which = int(flag) if flag.isdigit() else step.which
        step.pattern = Expression(pattern, extended=self._extended, ignore_case=fold)
        return step


def _run(steps: list[Step], lines: list[str], quiet: bool) -> str:
    result: list[str] = []
    for at, line in enumerate(lines, 1):
        kept, ends = True, False
        for step in steps:
            if _applies(step, at, at == len(lines), line) == step.negated:
                continue
            match step.letter:
                case "p":
                    result.append(line)
                case "=":
                    result.append(str(at))
                case "d":
                    kept = False
                    break
                case "q":
                    ends = True
                    break
                case _:
                    line, changed = _replace(step, line)
                    if changed and step.prints:
                        result.append(line)
        if kept and not quiet:
            result.append(line)
        if ends:
            break
    return "".join(f"{line}\n" for line in result)


def _applies(step: Step, at: int, last: bool, line: str) -> bool:
    if step.start is None:
        return True
    if step.end is None:
        return _is_at(step.start, at, last, line)
    if not step.within:
        if not _is_at(step.start, at, last, line):
            return False
        step.within = not (step.end.line and 0 < step.end.line <= at)
        return True
    ends = _is_at(step.end, at, last, line)
    if ends or (step.end.line > 0 and at > step.end.line):
        step.within = False
        return ends
    return True


def _is_at(address: Address, at: int, last: bool, line: str) -> bool:
    if address.pattern is not None:
        return address.pattern.search(line) is not None
    return last if address.line == -1 else at == address.line


def _replace(step: Step, line: str) -> tuple[str, bool]:
    assert step.pattern is not None
    result, at, count = "", 0, 0
    while at <= len(line):
        found = step.pattern.search(line, at)
        if found is None:
            break
        count += 1
        result += line[at : found.start()]
        result += _filled(step.replacement, found) if count >= step.which else found[0]
        at = found.end()
        if len(result) > LONGEST:
            raise Usage("line too long")
        if found.end() == found.start():
            result += line[at : at + 1]
            at += 1
        if count >= step.which and not step.every:
            break
    return result + line[at:], count >= step.which


def _filled(text: str, found: re.Match[str]) -> str:
    def part(escape: re.Match[str]) -> str:
        if escape[0] == "&":
            return found[0]
        letter = escape[1]
        if letter in digits:
            if int(letter) > len(found.groups()):
                raise Usage(f"\\{letter} too big")
            return found[int(letter)] or ""
        return {"n": "\n", "t": "\t"}.get(letter, letter)

    return re.sub(r"&|\\(.)", part, text, flags=re.DOTALL)
