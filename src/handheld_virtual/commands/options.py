"""Option parsing for small commands, some with values."""

from collections.abc import Iterator

from .call import CommandCall, Usage


def take_options(
    call: CommandCall, flags: str, valued: str = "", *, early: bool = False
) -> dict[str, list[str]]:
    """Remove options from the arguments and return each letter with its values, "" for a flag.

    `early` stops at the first operand, as in commands that run others. Raises Usage."""
    found: dict[str, list[str]] = {}
    operands: list[str] = []
    rest = iter(call.arguments)
    for word in rest:
        if word == "--":
            operands += rest
        elif not word.startswith("-") or len(word) == 1:
            operands.append(word)
            if early:
                operands += rest
        else:
            _take_word(call, word, iter(rest), flags, valued, found)
    call.arguments = operands
    return found


def _take_word(
    call: CommandCall,
    word: str,
    rest: Iterator[str],
    flags: str,
    valued: str,
    found: dict[str, list[str]],
) -> None:
    letters = word[1:]
    while letters:
        letter, letters = letters[0], letters[1:]
        if letter in valued:
            value = letters or next(rest, None)
            if value is None:
                raise Usage(f'Missing argument to -{letter} (see "{call.name} --help")')
            found.setdefault(letter, []).append(value)
            return
        if letter not in flags:
            raise Usage(f"Unknown option '{word[1:]}' (see \"{call.name} --help\")")
        found.setdefault(letter, []).append("")


def number(call: CommandCall, text: str, most: int = 1 << 40) -> int:
    """Parse a count as toybox does, with k, m and g. Raises Usage."""
    digits, scale = text, 1
    if text[-1:].lower() in ("k", "m", "g"):
        digits, scale = text[:-1], 1024 ** ("kmg".index(text[-1].lower()) + 1)
    if not digits.isascii() or not digits.isdigit() or len(digits) > 15:
        raise Usage(f"not integer: {text}")
    value = int(digits) * scale
    if value > most:
        raise Usage(f"{value} > {most}")
    return value
