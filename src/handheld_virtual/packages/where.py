"""The little SQL of `content --where` and `--sort`: comparisons joined by AND and OR."""

import re
from collections.abc import Callable, Sequence

from .provider import Cell, ProviderProblem, Row

LEVELS = 16
_PIECE = re.compile(
    r"\s*(?:('(?:[^']|'')*')|(\"[^\"]*\")|(-?\d+(?:\.\d+)?)|([A-Za-z_][\w.]*)|(<=|>=|!=|<>|==|[=<>(),]))"
)

Test = Callable[[Row], bool]


def compile_where(text: str) -> Test:
    """Compile a condition. Raises ProviderProblem for unsupported SQL."""
    if not text.strip():
        return lambda row: True
    return _Where(text).whole()


def bind(text: str, arguments: Sequence[str]) -> str:
    """Replace the question marks with the arguments, as strings. Raises ProviderProblem."""
    given = iter(arguments)

    def put(found: re.Match[str]) -> str:
        if found[0] != "?":
            return found[0]
        value = next(given, None)
        if value is None:
            raise ProviderProblem(
                "java.lang.IllegalArgumentException: Cannot bind argument at index"
            )
        doubled = value.replace("'", "''")
        return f"'{doubled}'"

    bound = re.sub(r"'[^']*'|\?", put, text)
    if next(given, None) is not None:
        raise ProviderProblem(
            "java.lang.IllegalArgumentException: Cannot bind argument at index"
            f" {len(arguments)} because the index is out of range."
        )
    return bound


class _Where:
    def __init__(self, text: str) -> None:
        self._text = text
        self._pieces: list[str] = []
        at, end = 0, len(text.rstrip())
        while at < end:
            found = _PIECE.match(text, at)
            if found is None:
                raise self._bad(text[at:].strip()[:20])
            self._pieces.append(found[0].strip())
            at = found.end()
        self._at = 0

    def _bad(self, near: str) -> ProviderProblem:
        return ProviderProblem(
            f'android.database.sqlite.SQLiteException: near "{near}": syntax error (code 1'
            f" SQLITE_ERROR): , while compiling: WHERE ({self._text[:200]})"
        )

    def _peek(self) -> str:
        return self._pieces[self._at] if self._at < len(self._pieces) else ""

    def _take(self) -> str:
        piece = self._peek()
        self._at += 1
        return piece

    def whole(self) -> Test:
        test = self._any(0)
        if self._at < len(self._pieces):
            raise self._bad(self._peek())
        return test

    def _any(self, level: int) -> Test:
        if level > LEVELS:
            raise self._bad("(")
        tests = [self._all(level)]
        while self._peek().upper() == "OR":
            self._at += 1
            tests.append(self._all(level))
        return lambda row: any(test(row) for test in tests)

    def _all(self, level: int) -> Test:
        tests = [self._one(level)]
        while self._peek().upper() == "AND":
            self._at += 1
            tests.append(self._one(level))
        return lambda row: all(test(row) for test in tests)

    def _one(self, level: int) -> Test:
        if self._peek().upper() == "NOT":
            self._at += 1
            test = self._one(level + 1) if level < LEVELS else self._any(LEVELS + 1)
            return lambda row: not test(row)
        if self._peek() == "(":
            self._at += 1
            inner = self._any(level + 1)
            if self._take() != ")":
                raise self._bad(self._peek())
            return inner
        left = self._operand()
        operator = self._take().upper()
        if operator == "IS":
            negated = self._peek().upper() == "NOT"
            self._at += negated
            if self._take().upper() != "NULL":
                raise self._bad("IS")
            return lambda row: (left(row) is None) != negated
        if operator == "LIKE":
            right = self._operand()
            return lambda row: _like(left(row), right(row))
        if operator == "IN":
            return self._in(left)
        if operator not in ("=", "==", "!=", "<>", "<", ">", "<=", ">="):
            raise self._bad(operator)
        right = self._operand()
        return lambda row: _compare(left(row), operator, right(row))

    def _in(self, left: Callable[[Row], Cell]) -> Test:
        if self._take() != "(":
            raise self._bad("IN")
        values = [self._operand()]
        while self._peek() == ",":
            self._at += 1
            values.append(self._operand())
        if self._take() != ")":
            raise self._bad("IN")
        return lambda row: any(_compare(left(row), "=", value(row)) for value in values)

    def _operand(self) -> Callable[[Row], Cell]:
        piece = self._take()
        if piece[:1] == "'":
            text = piece[1:-1].replace("''", "'")
            return lambda row: text
        if re.fullmatch(r"-?\d+", piece):
            whole = int(piece[:19])
            return lambda row: whole
        if re.fullmatch(r"-?\d+\.\d+", piece):
            number = float(piece)
            return lambda row: number
        if piece[:1] == '"':
            # As in SQLite: a column if there is one of that name, otherwise a string.
            word = piece[1:-1]
            return lambda row: row.get(word, word)
        if not re.fullmatch(r"[A-Za-z_][\w.]*", piece):
            raise self._bad(piece)
        return lambda row: _column(row, piece)


def _column(row: Row, name: str) -> Cell:
    if name not in row:
        raise ProviderProblem(
            f"android.database.sqlite.SQLiteException: no such column: {name} (code 1 SQLITE_ERROR)"
        )
    return row[name]


def _compare(left: Cell, operator: str, right: Cell) -> bool:
    if left is None or right is None:
        return False
    if isinstance(left, str) != isinstance(right, str):
        # A numeric column compares a string as the number in it.
        left, right = str(left), str(right)
        if operator in ("<", ">", "<=", ">=") and _numeric(left) and _numeric(right):
            left, right = float(left), float(right)
    match operator:
        case "=" | "==":
            return left == right
        case "!=" | "<>":
            return left != right
        case "<":
            return left < right  # pyright: ignore
        case ">":
            return left > right  # pyright: ignore
        case "<=":
            return left <= right  # pyright: ignore
        case _:
            return left >= right  # pyright: ignore


def _numeric(text: str) -> bool:
    return re.fullmatch(r"-?\d{1,300}(\.\d+)?", text) is not None


def _like(left: Cell, right: Cell) -> bool:
    if left is None or right is None:
        return False
    pieces = [re.escape(part).replace("_", ".") for part in str(right).split("%")]
    # Atomic groups match each piece at its first place, which is correct for LIKE patterns.
    pattern = pieces[0] + "".join(f"(?>.*?{piece})" for piece in pieces[1:-1])
    pattern += f".*{pieces[-1]}" if len(pieces) > 1 else ""
    return re.fullmatch(pattern, str(left), re.IGNORECASE | re.DOTALL) is not None


def sort_rows(rows: list[Row], order: str) -> list[Row]:
    """Sort by `column [ASC|DESC], …`, and keep at most `LIMIT` rows. Raises ProviderProblem."""
    found = re.search(r"(?i)\blimit\s+(\d{1,9})\Z", order.rstrip())
    keys = order[: found.start()] if found is not None else order
    for part in reversed([key for key in keys.split(",") if key.strip()]):
        match = re.fullmatch(r"(?i)\s*([a-z_]\w*)(?:\s+collate\s+\w+)?(?:\s+(asc|desc))?\s*", part)
        if match is None:
            raise ProviderProblem(
                f'android.database.sqlite.SQLiteException: near "{part.strip()[:20]}": syntax error'
            )
        name = match[1]

        def key(row: Row, name: str = name) -> tuple[bool, bool, float, str]:
            value = _column(row, name)
            text = isinstance(value, str)
            number = float(value) if value is not None and not isinstance(value, str) else 0.0
            return value is not None, text, number, value if isinstance(value, str) else ""

        rows = sorted(rows, key=key, reverse=(match[2] or "").lower() == "desc")
    return rows if found is None else rows[: int(found[1])]
