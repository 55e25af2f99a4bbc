"""Expansion of words: variables, substitutions, arithmetic, splitting, and file names."""

import random
import re
from typing import TYPE_CHECKING

from .arithmetic import BadSum, evaluate
from .command_tree import Arithmetic, Literal, Substitution, Variable, Word
from .patterns import LARGEST, cut, has_pattern, match_paths, quote_pattern, replace

if TYPE_CHECKING:
    from .shell import Shell

WORDS_SIZE = 128 * 1024
"""The limit of a command's words together, and of a substitution's output, in bytes."""
BRACES = 64
"""The limit of words from a brace expansion."""

Field = list[tuple[str, bool]]
"""The pieces of a word, each with whether it was quoted."""


class Problem(Exception):
    """A command cannot be run. The message is the shell's error."""

    def __init__(self, message: str, code: int = 1, *, fatal: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.fatal = fatal
        """Whether it ends a script."""


async def expand_all(shell: "Shell", words: tuple[Word, ...]) -> list[str]:
    """Expand a command's words. Raises Problem."""
    result: list[str] = []
    size = 0
    for whole in words:
        for word in _braces(whole):
            for text in await _expand(shell, word):
                size += len(text) + 1
                if size > WORDS_SIZE:
                    raise Problem("argument list too long")
                result.append(text)
    return result


async def expand_one(shell: "Shell", word: Word) -> str:
    """Expand a word without splitting, such as an assigned value. Raises Problem."""
    fields = await _fields(shell, word, split=False)
    return " ".join("".join(text for text, _ in field) for field in fields)


async def expand_pattern(shell: "Shell", word: Word) -> str:
    """Expand a word to a pattern, in which quoted characters are escaped. Raises Problem."""
    fields = await _fields(shell, word, split=False)
    return " ".join(_pattern(field) for field in fields)


def _pattern(field: Field) -> str:
    return "".join(quote_pattern(text) if quoted else text for text, quoted in field)


async def _expand(shell: "Shell", word: Word) -> list[str]:
    result: list[str] = []
    for field in await _fields(shell, word, split=True):
        text = "".join(piece for piece, _ in field)
        if any(not quoted and has_pattern(piece) for piece, quoted in field):
            found = match_paths(shell.phone.files, shell.variables["PWD"], _pattern(field))
            result += found or [text]
        elif text or any(quoted for _, quoted in field):
            result.append(text)
    return result


def _braces(word: Word) -> list[Word]:
    """Expand braces: `a{b,c}` is two words, unless a part between the braces is quoted."""
    found = [word]
    for _ in range(BRACES):
        for number, piece in enumerate(found):
            split = _split_brace(piece)
            if split:
                found[number : number + 1] = split
                break
        else:
            break
        if len(found) > BRACES:
            raise Problem("argument list too long")
    return found


def _split_brace(word: Word) -> list[Word]:
    for at, part in enumerate(word):
        if isinstance(part, Literal) and not part.quoted:
            match = re.search(r"\{([^{},]*,[^{}]*)\}", part.text)
            if match is not None:
                before, after = part.text[: match.start()], part.text[match.end() :]
                return [
                    (
                        *word[:at],
                        Literal(before + choice, False),
                        Literal(after, False),
                        *word[at + 1 :],
                    )
                    for choice in match[1].split(",")
                ]
    return []


async def _fields(shell: "Shell", word: Word, *, split: bool) -> list[Field]:
    fields: list[Field] = [[]]
    size = 0
    for at, part in enumerate(word):
        if isinstance(part, Literal):
            text = part.text
            if not at and not part.quoted and re.match(r"~(/|$)", text) and len(word) == 1:
                text = shell.variables["HOME"].rstrip("/") + text[1:]
            fields[-1].append((text, part.quoted))
            continue
        more = await _part(shell, part, split=split)
        size += sum(len(text) for field in more for text, _ in field)
        if size > LARGEST:
            raise Problem("argument list too long")
        fields[-1] += more[0]
        fields += more[1:]
    return [field for field in fields if field or not split] if split else fields


async def _part(
    shell: "Shell", part: Variable | Substitution | Arithmetic, *, split: bool
) -> list[Field]:
    if isinstance(part, Variable):
        if part.name in ("@", "*") and not part.operator:
            return _arguments(shell, part, split=split)
        value, word = await _value(shell, part)
        if word is not None:
            if part.quoted or not split:
                return [[(await expand_one(shell, word), part.quoted)]]
            return await _fields(shell, word, split=True) or [[]]
    elif isinstance(part, Substitution):
        value = await shell.substitute(part.body)
    else:
        value = str(_sum(shell, await expand_one(shell, part.expression)))
    if part.quoted or not split:
        return [[(value, part.quoted)]]
    return _split_fields(shell, value)


def _split_fields(shell: "Shell", value: str) -> list[Field]:
    separators = shell.variables.get("IFS")
    pieces = split_value(value, separators)
    # Two separators that are not blanks enclose an empty word; a separator at the end only ends a
    # word.
    keeps = bool(separators and set(separators) - set(" \t\n"))
    last = len(pieces) - 1
    return [[(piece, keeps and not piece and at != last)] for at, piece in enumerate(pieces)]


def _arguments(shell: "Shell", part: Variable, *, split: bool) -> list[Field]:
    if part.name == "*" and part.quoted:
        separator = shell.variables.get("IFS", " ")[:1]
        return [[(separator.join(shell.arguments), True)]]
    if part.quoted:
        return [[(argument, True)] for argument in shell.arguments] or [[]]
    if not split:
        return [[(" ".join(shell.arguments), False)]]
    found: list[Field] = []
    for argument in shell.arguments:
        found += _split_fields(shell, argument)
    return found or [[]]


def split_value(value: str, separators: str | None) -> list[str]:
    """Split at IFS: consecutive blanks are one separator, each other character is a separate
    one."""
    if separators is None or separators == " \t\n":
        return re.split("[ \t\n]+", value)
    if not separators:
        return [value]
    blanks = re.escape("".join(set(separators) & set(" \t\n")))
    others = re.escape("".join(set(separators) - set(" \t\n")))
    if not others:
        return re.split(f"[{blanks}]+", value)
    if not blanks:
        return re.split(f"[{others}]", value)
    return re.split(f"[{blanks}]*[{others}][{blanks}]*|[{blanks}]+", value)


def _sum(shell: "Shell", text: str) -> int:
    try:
        return evaluate(text, lambda name: get(shell, name) or "", shell.set)
    except BadSum as problem:
        raise Problem(str(problem), fatal=True) from None


def get(shell: "Shell", name: str) -> str | None:
    """The value of a variable or special parameter."""
    match name:
        case "?":
            return str(shell.code)
        case "$":
            return str(shell.pid)
        case "!":
            return str(shell.last_job) if shell.last_job else ""
        case "#":
            return str(len(shell.arguments))
        case "0":
            return shell.name
        case "-":
            return "".join(sorted(shell.options))
        case "@" | "*":
            return " ".join(shell.arguments) if shell.arguments else None
        case "RANDOM":
            return str(random.randrange(32768))  # noqa: S311 - no secret
        case _ if name.isdigit():
            number = int(name[:9])
            return shell.arguments[number - 1] if number <= len(shell.arguments) else None
        case _:
            return shell.variables.get(name)


async def _value(shell: "Shell", part: Variable) -> tuple[str, Word | None]:
    """The value of a variable, or the word that replaces it."""
    value = get(shell, part.name)
    operator = part.operator
    missing = value is None or (operator.startswith(":") and not value)
    match operator.removeprefix(":") if len(operator) > 1 else operator:
        case "-" if missing:
            return "", part.word
        case "+":
            return ("", part.word) if not missing else ("", None)
        case "=" if missing:
            if not re.fullmatch(r"[A-Za-z_]\w*", part.name):
                raise Problem(f"${{{part.name}{operator}}}: bad substitution")
            value = await expand_one(shell, part.word)
            shell.set(part.name, value)
            return value, None
        case "?" if missing:
            why = await expand_one(shell, part.word) or "parameter null or not set"
            raise Problem(f"{part.name}: {why}", fatal=True)
        case "-" | "=" | "?":
            return value or "", None
        case _ if value is None and "u" in shell.options and part.name not in ("@", "*"):
            raise Problem(f"{part.name}: parameter not set", fatal=True)
        case "length":
            return str(len(shell.arguments) if part.name in ("@", "*") else len(value or "")), None
        case "":
            return value or "", None
        case ":":
            return await _slice(shell, value or "", part), None
        case _:
            pattern = await expand_pattern(shell, part.word)
            try:
                if operator in ("/", "//"):
                    other = "" if part.other is None else await expand_one(shell, part.other)
                    changed = replace(value or "", pattern, other, every=operator == "//")
                    return changed, None
                return cut(value or "", operator, pattern), None
            except OverflowError:
                raise Problem(f"{part.name}: too long for a pattern on this phone") from None


async def _slice(shell: "Shell", value: str, part: Variable) -> str:
    start = _sum(shell, await expand_one(shell, part.word))
    start = max(0, len(value) + start) if start < 0 else start
    if part.other is None:
        return value[start:]
    length = _sum(shell, await expand_one(shell, part.other))
    return value[start : start + length] if length >= 0 else value[start : len(value) + length]
