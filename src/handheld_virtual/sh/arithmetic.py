"""Shell arithmetic with 32-bit integers and variables."""

import re
from collections.abc import Callable

LEVELS = 32

_PIECE = re.compile(
    r"\s*(?:(0[xX][0-9a-fA-F]+|[0-9]+)|([A-Za-z_][A-Za-z0-9_]*)"
    r"|(<<=|>>=|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%<>=!~&|^?:()]))"
)
_BINARY = (
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<=", ">=", "<", ">"),
    ("<<", ">>"), ("+", "-"), ("*", "/", "%"),
)  # fmt: skip
_ASSIGNING = ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=")


class BadSum(Exception):
    """The expression is invalid. The message is the shell's error."""


def evaluate(text: str, get: Callable[[str], str], put: Callable[[str, str], object]) -> int:
    """The value of an expression. Raises BadSum."""
    sum = _Sum(text, get, put, 0)
    return sum.whole()


class _Sum:
    def __init__(
        self,
        text: str,
        get: Callable[[str], str],
        put: Callable[[str, str], object],
        level: int,
    ) -> None:
        self._text, self._get, self._put, self._level = text, get, put, level
        self._pieces: list[str] = []
        self._skipping = 0
        """Above 0 in an operand that the shell does not evaluate, such as the right one of `0
        &&`."""
        at, end = 0, len(text.rstrip())
        while at < end:
            found = _PIECE.match(text, at)
            if found is None:
                raise self._bad(f"unexpected '{text[at:].strip()[:1]}'")
            self._pieces.append(found[0].strip())
            at = found.end()
        self._at = 0

    def whole(self) -> int:
        if not self._pieces:
            return 0
        value = self._assignment(0)
        if self._at < len(self._pieces):
            raise self._bad(f"unexpected '{self._pieces[self._at]}'")
        return value

    def _bad(self, why: str) -> BadSum:
        return BadSum(f"{self._text.strip()[:200]}: {why}")

    def _next(self) -> str:
        return self._pieces[self._at] if self._at < len(self._pieces) else ""

    def _assignment(self, depth: int) -> int:
        if depth > LEVELS:
            raise self._bad("expression recurses")
        name = self._next()
        following = self._pieces[self._at + 1] if self._at + 1 < len(self._pieces) else ""
        if re.match("[A-Za-z_]", name) and following in _ASSIGNING:
            self._at += 2
            value = self._assignment(depth + 1)
            if following != "=":
                value = self._apply(following[:-1], self._value(name), value)
            return self._store(name, value)
        return self._choice(depth)

    def _store(self, name: str, value: int) -> int:
        value = _wrap(value)
        if not self._skipping:
            self._put(name, str(value))
        return value

    def _choice(self, depth: int) -> int:
        condition = self._binary(0, depth)
        if self._next() != "?":
            return condition
        self._at += 1
        self._skipping += not condition
        yes = self._assignment(depth + 1)
        self._skipping -= not condition
        if self._next() != ":":
            raise self._bad("missing ':'")
        self._at += 1
        self._skipping += bool(condition)
        no = self._assignment(depth + 1)
        self._skipping -= bool(condition)
        return yes if condition else no

    def _binary(self, rank: int, depth: int) -> int:
        if rank == len(_BINARY):
            return self._unary(depth)
        left = self._binary(rank + 1, depth)
        while (operator := self._next()) in _BINARY[rank]:
            self._at += 1
            skip = (operator == "&&" and not left) or (operator == "||" and bool(left))
            self._skipping += skip
            right = self._binary(rank + 1, depth)
            self._skipping -= skip
            left = self._apply(operator, left, right)
        return left

    def _apply(self, operator: str, left: int, right: int) -> int:
        match operator:
            case "||":
                return int(bool(left or right))
            case "&&":
                return int(bool(left and right))
            case "/" | "%":
                if not right:
                    if self._skipping:
                        return 0
                    raise self._bad("zero divisor")
                quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
                return _wrap(quotient if operator == "/" else left - quotient * right)
            case "<<":
                return _wrap(left << (right & 31))
            case ">>":
                return left >> (right & 31)
            case "+" | "-" | "*":
                return _wrap(
                    left + right
                    if operator == "+"
                    else left - right
                    if operator == "-"
                    else left * right
                )
            case "&" | "|" | "^":
                return (
                    left & right
                    if operator == "&"
                    else left | right
                    if operator == "|"
                    else left ^ right
                )
            case _:
                return int(
                    {
                        "==": left == right,
                        "!=": left != right,
                        "<": left < right,
                        "<=": left <= right,
                        ">": left > right,
                        ">=": left >= right,
                    }[operator]
                )

    def _unary(self, depth: int) -> int:
        if depth > LEVELS:
            raise self._bad("expression recurses")
        piece = self._next()
        if not piece:
            raise self._bad("unexpected end of expression")
        self._at += 1
        match piece:
            case "-":
                return _wrap(-self._unary(depth + 1))
            case "+":
                return self._unary(depth + 1)
            case "!":
                return int(not self._unary(depth + 1))
            case "~":
                return ~self._unary(depth + 1)
            case "(":
                value = self._assignment(depth + 1)
                if self._next() != ")":
                    raise self._bad("missing )")
                self._at += 1
                return value
            case "++" | "--":
                name = self._next()
                if not re.match("[A-Za-z_]", name):
                    raise self._bad(f"unexpected '{piece}'")
                self._at += 1
                return self._store(name, self._value(name) + (1 if piece == "++" else -1))
            case _ if piece[0].isdigit():
                return _number(piece)
            case _ if re.match("[A-Za-z_]", piece):
                value = self._value(piece)
                if self._next() in ("++", "--"):
                    self._store(piece, value + (1 if self._next() == "++" else -1))
                    self._at += 1
                return value
            case _:
                raise self._bad(f"unexpected '{piece}'")

    def _value(self, name: str) -> int:
        text = self._get(name).strip()
        if re.fullmatch(r"0[xX][0-9a-fA-F]+|[0-9]+", text):
            return _number(text)
        if self._level > 8:
            raise self._bad("expression recurses")
        return _Sum(text[:1000], self._get, self._put, self._level + 1).whole()


def _number(piece: str) -> int:
    return _wrap(int(piece[:30], 16 if piece[:2] in ("0x", "0X") else 10))


def _wrap(value: int) -> int:
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)
