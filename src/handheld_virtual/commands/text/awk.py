"""`awk` as far as tools use it: selects lines by a pattern or a number, and prints fields."""

import re
from collections.abc import Callable

from ..call import CommandCall, Usage
from ..options import take_options
from .expressions import BadExpression, Expression
from .lines import LONGEST, read_lines

_PROGRAM = re.compile(
    r"(?:/((?:[^/\\]|\\.)*)/|(NR|NF)\s*(==|>=|<=|>|<|!=)\s*(\d{1,9}))?\s*(?:\{(.*)\})?",
    re.DOTALL,
)
_SIGNS = {"n": "\n", "t": "\t"}
_PIECE = re.compile(r"\s*(?:\$(NF|\d{1,4}|0)|(NR|NF)|\"((?:[^\"\\]|\\.)*)\"|(,))")


async def awk(call: CommandCall) -> None:
    options = take_options(call, "", "Fv", early=True)
    if "v" in options:
        raise Usage("-v is not supported by this phone")
    call.need(1)
    program = call.arguments.pop(0)
    found = _PROGRAM.fullmatch(program.strip())
    body = (found[5] or "").strip().removesuffix(";").rstrip() if found is not None else ""
    what = body.removeprefix("print")
    known = not body or (body.startswith("print") and (not what or what[0].isspace()))
    if found is None or not known or not program.strip():
        raise Usage(
            f"only [/re/ | NR==N] {{print $N, ...}} is supported by this phone: {program[:200]}"
        )
    pattern, name, operator, number, _ = found.groups()
    try:
        expression = Expression(pattern, extended=True) if pattern is not None else None
        pieces = _pieces(what.strip())
        split = _splitter(options.get("F", [" "])[-1])
        count = 0
        for file in call.arguments or ["-"]:
            async for line in read_lines(call, file):
                count += 1
                fields = split(line)
                if expression is not None and expression.search(line) is None:
                    continue
                if name and not _holds(
                    count if name == "NR" else len(fields), operator, int(number)
                ):
                    continue
                await call.write(_print(pieces, line, fields, count) + "\n")
    except BadExpression as problem:
        raise Usage(str(problem)) from None


def _splitter(separator: str) -> Callable[[str], list[str]]:
    def split(line: str) -> list[str]:
        if separator == " ":
            return line.split()
        if not line:
            return []
        if len(separator) == 1:
            return line.split(separator)
        fields: list[str] = []
        at = 0
        while (found := expression.search(line, at)) is not None and found.end() > found.start():
            fields.append(line[at : found.start()])
            at = found.end()
        return [*fields, line[at:]]

    separator = "\t" if separator in ("\\t", "t") else separator
    expression = Expression(separator, extended=True)
    return split


def _holds(value: int, operator: str, number: int) -> bool:
    return {
        "==": value == number,
        "!=": value != number,
        "<": value < number,
        "<=": value <= number,
        ">": value > number,
        ">=": value >= number,
    }[operator]


def _pieces(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at = 0
    text = text.rstrip()
    while at < len(text):
        piece = _PIECE.match(text, at)
        if piece is None:
            raise Usage(f"'{text[at:][:100]}' is not supported by this phone")
        field, count, literal, comma = piece.groups()
        if field is not None:
            found.append(("field", field))
        elif count is not None:
            found.append(("count", count))
        elif comma is not None:
            found.append(("text", " "))
        else:
            found.append(
                (
                    "text",
                    re.sub(r"\\(.)", lambda found: _SIGNS.get(found[1], found[1]), literal or ""),
                )
            )
        at = piece.end()
    return found


def _print(pieces: list[tuple[str, str]], line: str, fields: list[str], count: int) -> str:
    if not pieces:
        return line
    result = ""
    for kind, value in pieces:
        if kind == "text":
            result += value
        elif kind == "count":
            result += str(count if value == "NR" else len(fields))
        else:
            if len(result) > LONGEST:
                raise Usage("line too long")
            at = len(fields) if value == "NF" else int(value)
            result += line if not at else fields[at - 1] if at <= len(fields) else ""
    return result
