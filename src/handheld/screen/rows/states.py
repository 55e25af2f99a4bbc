"""The state of a thing in words; texts of apps are quoted."""

from collections.abc import Sequence

from ..model import Details, Flag, Node, Range
from .words import clean, cut, fold, holds

STATE_LIMIT = 100
ERROR_LIMIT = 200
_PERCENT = 2
_LARGEST = 3.5e38
"""RangeInfo has floats of 32 bits."""
# Numbers: IntFlag arithmetic is slow for each of many things.
_CHECKABLE = Flag.CHECKABLE.value
_IS_CHECKED = Flag.CHECKED.value
_PASSWORD = Flag.PASSWORD.value
_PARTLY_CHECKED = Flag.PARTLY_CHECKED.value
_SELECTED = Flag.SELECTED.value
_EXPANDED = Flag.EXPANDED.value
_COLLAPSED = Flag.COLLAPSED.value
_HEADING = Flag.HEADING.value
_FOCUSED = Flag.FOCUSED.value
_FOLDS = _EXPANDED | _COLLAPSED
TELLING = _PASSWORD | _CHECKABLE | _SELECTED | _FOLDS | _HEADING
"""Flags that most things lack; a thing without them has no states. The focus is printed only for
fields."""
_CHOSEN = ("selected", "not selected")
_CHECKED = ("on", "off", "checked", "not checked", "unchecked", *_CHOSEN)
"""Toolkits' words for states that are printed anyway; the helper already omits Android's own words
in any language."""


def states_of(
    node: Node, mark: Node, kind: str, said: str, content: str | None, told: Sequence[Details]
) -> list[str]:
    """Return the states. `mark` has the checked state of `node`, `said` are its words, `content` is
    a field's content, and `told` are the details of the node and of nodes inside it."""
    states: list[str] = []
    flags, both = node.flags, node.flags | mark.flags
    if flags & _PASSWORD:
        states.append(_print_secret(content or ""))
    elif kind == "field" and content is None:
        states.append("empty")
    states += [words for one in told if one.range and (words := print_range(one.range))]
    if mark.flags & _CHECKABLE and kind != "menu":
        partly = mark.flags & _PARTLY_CHECKED
        states.append("partly on" if partly else "on" if mark.flags & _IS_CHECKED else "off")
    states += [f'= "{words}"' for one in told if (words := _described(one, both, said))]
    if both & _SELECTED:
        states.append("selected")
    if both & _EXPANDED:
        states.append("expanded")
    elif both & _COLLAPSED:
        states.append("collapsed")
    if flags & _HEADING:
        states.append("heading")
    if any(one.loading for one in told):
        states.append("loading")
    if flags & _FOCUSED and kind == "field":
        states.append("focused")
    return states


def _print_secret(content: str) -> str:
    """Count only bullets: other text in a dump is a hint, or a plain password."""
    if not content:
        return "empty"
    return "secret" if content.strip("•") else f"secret {len(content)} chars"


def print_error(told: Sequence[Details]) -> list[str]:
    errors = [clean(one.error) for one in told if one.error]
    return [f'error "{cut(words, ERROR_LIMIT)}"' for words in errors if words]


def _described(details: Details, flags: int, said: str) -> str:
    """Return the state description if it says more than is printed."""
    words = cut(clean(details.state or ""), STATE_LIMIT)
    key = fold(words)
    if not words or holds(said, key):
        return ""
    if key in (_CHECKED if flags & _CHECKABLE else _CHOSEN):
        return ""
    if flags & _FOLDS and key == ("expanded" if flags & _EXPANDED else "collapsed"):
        return ""
    return "" if details.range and _is_percentage(words, details.range) else words


def _is_percentage(words: str, shown: Range) -> bool:
    """Whether a text is the position in the range, in the form of Android's bars in any
    language."""
    digits = [character for character in words if character.isdecimal()]
    if not digits or any(character.isalpha() for character in words) or len(digits) > 3:
        return False
    span = shown.most - shown.least
    return span > 0 and abs(int("".join(digits)) - 100 * (shown.now - shown.least) / span) <= 1


def print_range(shown: Range) -> str:
    """Print the range's value; "" for an invalid one."""
    _, least, most, now = shown
    if not all(abs(number) <= _LARGEST for number in (least, most, now)):
        return ""
    if shown.type == _PERCENT and most > least:
        return f"= {_number(round(100 * (now - least) / (most - least)))}%"
    return f"= {_number(now)} of {_number(least)}–{_number(most)}"


def _number(value: float) -> str:
    """Print any number in at most 13 characters."""
    whole = value == int(value) and abs(value) < 1e9
    return str(int(value)) if whole else f"{value:.6g}"
