"""POSIX regular expressions, translated to Python's. Those that could run forever are refused."""

import re
import re._parser as parser  # pyright: ignore[reportMissingImports]
from typing import Any

MOST_STEPS = 10**9
"""The limit of the worst-case cost of searching a line."""
_CLASSES = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": " \\t", "digit": "0-9", "lower": "a-z",
    "punct": "!-/:-@\\[-`{-~", "space": "\\s", "upper": "A-Z", "xdigit": "0-9a-fA-F",
    "cntrl": "\\x00-\\x1f\\x7f", "print": "\\x20-\\x7e", "graph": "\\x21-\\x7e",
}  # fmt: skip


class BadExpression(Exception):
    """The expression is invalid. A command prints the message after its name."""


class Expression:
    """A compiled pattern."""

    def __init__(
        self,
        text: str,
        *,
        extended: bool,
        fixed: bool = False,
        ignore_case: bool = False,
        word: bool = False,
        line: bool = False,
    ) -> None:
        source = re.escape(text) if fixed else translate(text, extended=extended)
        if word:
            source = rf"(?<!\w)(?:{source})(?!\w)"
        if line:
            source = rf"\A(?:{source})\Z"
        flags = re.IGNORECASE if ignore_case else 0
        try:
            # Text is decoded as UTF-8; invalid bytes are kept.
            self._pattern = re.compile(source, flags)
            self._power = _power(parser.parse(source, flags))
        except (re.error, OverflowError, RecursionError, ValueError) as problem:
            raise BadExpression(f"bad regex '{text}': {problem}") from None

    @property
    def groups(self) -> int:
        return self._pattern.groups

    def search(self, text: str, start: int = 0) -> re.Match[str] | None:
        """Search a line. Raises BadExpression if the search could run forever."""
        if self._power > 1 and len(text) ** self._power > MOST_STEPS:
            raise BadExpression("line too long for this pattern on this phone")
        return self._pattern.search(text, start)


def _power(tree: Any) -> int:
    """The number of consecutive unbounded repetitions, which is the exponent of the search's
    cost."""
    total = 0
    for operator, argument in tree:
        name = str(operator)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            _, most, inner = argument
            within = _power(inner)
            if within and most > 1:
                raise OverflowError("repetition of a repetition")
            total += within + (most > 255)
        elif name == "BRANCH":
            total += max((_power(branch) for branch in argument[1]), default=0)
        elif name == "SUBPATTERN":
            total += _power(argument[3])
        elif name in ("ASSERT", "ASSERT_NOT"):
            total += _power(argument[1])
        elif name == "GROUPREF":
            raise OverflowError("back references are not supported by this phone")
    return total


def translate(text: str, *, extended: bool) -> str:
    """Translate an expression to Python's syntax. In a basic expression, brackets need a
    backslash."""
    result, at, start = "", 0, True
    while at < len(text):
        here = text[at]
        if here == "[":
            part, at = _bracket(text, at)
            result, start = result + part, False
            continue
        at += 1
        if here == "\\" and at < len(text):
            here, at = text[at], at + 1
            if not extended and here in "(){}|+?":
                result += here
                start = here in "(|"
                continue
            if here in "<>":
                result += r"\b"
            elif here in "wWsSbB":
                result += "\\" + here
            elif here == "n":
                result += "\\n"
            elif here == "t":
                result += "\\t"
            elif here.isdigit() and here != "0":
                result += f"\\{here}"
            else:
                result += re.escape(here)
        elif here == "*" and start and not extended:
            result += r"\*"
        elif here == "^" and not extended and not start:
            result += r"\^"
        elif (
            here == "$"
            and not extended
            and at < len(text)
            and text[at : at + 2] not in (r"\)", r"\|")
        ):
            result += r"\$"
        elif here == "$":
            result += r"\Z"
        elif here in "(){}|+?" and not extended:
            result += "\\" + here
        elif here == "{" and extended and not re.match(r"\d*+,?\d*\}", text[at:]):
            result += r"\{"
        elif here == "(" and text[at : at + 1] == "?":
            raise BadExpression(f"bad regex '{text}': repetition-operator operand invalid")
        else:
            result += here if here in "^.*(){}|+?" else re.escape(here)
        start = here in "(|^" and (extended or here == "^")
    return result


def _bracket(text: str, at: int) -> tuple[str, int]:
    end = at + 1
    negated = text[end : end + 1] == "^"
    end += negated
    inside = ""
    first = True
    while end < len(text) and (text[end] != "]" or first):
        first = False
        found = re.match(r"\[:(\w+):\]", text[end:])
        if found is not None:
            if found[1] not in _CLASSES:
                raise BadExpression(f"bad regex '{text}': invalid character class")
            inside += _CLASSES[found[1]]
            end += found.end()
            continue
        char = text[end]
        inside += "\\" + char if char in "\\[]^&~|" else char
        end += 1
    if end >= len(text):
        raise BadExpression(f"bad regex '{text}': brackets ([ ]) not balanced")
    return f"[{'^' if negated else ''}{inside}]", end + 1
