"""What a model means by `at`: a ref, visible words, or a point."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from ..errors import ElementNotFound, InvalidParams
from ..phone.screen_log import ScreenLog, ShownScreen
from ..ui.rows.screen import Row, Thing
from ..ui.rows.words import clean, cut, fold, unescape

_REF = re.compile(r"([a-z])([1-9]\d{0,2})")
_COPIED = re.compile(r'([a-z][1-9]\d{0,2})\b[^"#]*(?:"(?P<words>(?:[^"\\]|\\.)*)"|#(?P<id>\S+))?.*')
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
POINT = re.compile(r"[\[(]?\s*(\d{1,5}(?:\.\d+)?)\s*[,; ]\s*(\d{1,5}(?:\.\d+)?)\s*[\])]?")
MOST_LISTED = 8
MOST_NEAR = 3


@dataclass(frozen=True, slots=True)
class At:
    """A place to act on: a point, or an element of a screen that was shown."""

    label: str
    """What the reply calls it: `k6 "Airplane mode"`."""
    point: tuple[float, float] | None = None
    ref: str = ""
    thing: Thing | None = None
    flags: int | None = None
    """Of `Flag`, if the element was on the screen that was searched."""
    stale: bool = False
    """Whether the screen may have changed since then: the element is verified, its place is not."""


def is_named(log: ScreenLog, at: str) -> bool:
    """Whether it is a point or a known ref: it means the same on any screen."""
    word = at.strip()
    copied = _COPIED.fullmatch(word)
    ref = copied is not None and log.refs.get(copied[1]) is not None
    return ref or POINT.fullmatch(word) is not None


Match = tuple[Row, Thing]


class NotVisible(ElementNotFound):
    """No element on the screen has these words."""


def find_target(log: ScreenLog, shown: ShownScreen, at: str, within: str | None = None) -> At:
    """Raises ElementNotFound, InvalidParams."""
    word = at.strip()
    if not word:
        raise InvalidParams("at is empty: give a ref (k4), visible words or a point (540,1200).")
    if found := POINT.fullmatch(word):
        x, y = float(found[1]), float(found[2])
        return At(f"{found[1]},{found[2]}", point=(x, y))
    copied = _COPIED.fullmatch(word)
    if copied is not None and (log.refs.get(copied[1]) or log.refs.was_used(copied[1])):
        return _by_ref(log, shown, copied)
    if _REF.fullmatch(word) and not _exact(shown, fold(word)):
        raise ElementNotFound(f"{word} was never shown on this phone: call phone_look.")
    return _by_words(shown, word, within)


def _by_ref(log: ScreenLog, shown: ShownScreen, copied: re.Match[str]) -> At:
    name = copied[1]
    ref = log.refs.get(name)
    if ref is None:
        raise ElementNotFound(f"{name} was shown too long ago: call phone_look.")
    words = copied["words"]
    if words and fold(words) not in fold(ref.words):
        raise ElementNotFound(
            f'{name} is {ref.words or "unnamed"}, not "{cut(clean(words), 60)}": nothing was done.'
        )
    row, thing = next(
        ((row, thing) for row, thing in shown.rows.things if thing.ref == name), (None, None)
    )
    if row is not None and thing is not None and row.behind and _is_elsewhere(shown, thing):
        raise ElementNotFound(
            f"{name} {ref.words} is behind {shown.rows.header}: answer that first."
        )
    return At(f"{name} {ref.words}".strip(), ref=name, thing=thing, flags=_flags(shown, thing))


def _is_elsewhere(shown: ShownScreen, thing: Thing) -> bool:
    """Whether it is in another window than the one in front."""
    return shown.snapshot.window(thing.place).id != shown.rows.front_id


def _by_words(shown: ShownScreen, word: str, within: str | None) -> At:
    wanted = fold(_bare(word))
    matches = _exact(shown, wanted)
    if within:
        matches = [(row, thing) for row, thing in matches if _is_within(shown, row, thing, within)]
    matches = _preferred(matches)
    if len(matches) == 1 and matches[0][0].behind:
        front = shown.rows.header
        raise ElementNotFound(f'"{cut(clean(word), 60)}" is behind {front}: answer that first.')
    if len(matches) == 1:
        thing = matches[0][1]
        return At(thing.label, ref=thing.ref, thing=thing, flags=_flags(shown, thing))
    quoted = f'"{cut(clean(word), 60)}"'
    if matches:
        listed = ", ".join(_described(row, thing) for row, thing in matches[:MOST_LISTED])
        more = f" and {len(matches) - MOST_LISTED} more" if len(matches) > MOST_LISTED else ""
        raise ElementNotFound(
            f"{len(matches)} match {quoted}: {listed}{more}. Say which ref, or add within."
        )
    raise NotVisible(f"No {quoted} is visible.{_near(shown, wanted)}{_further(shown)}")


def _exact(shown: ShownScreen, wanted: str) -> list[Match]:
    """Return what has exactly these words: as a piece, as a whole, as its label or id."""
    return [
        (row, thing)
        for row, thing in shown.rows.things
        if any(name == wanted for name in _names(thing))
    ]


def _names(thing: Thing) -> Iterator[str]:
    item = thing.item
    pieces = [unescape(piece) for piece in item.pieces]
    for piece in pieces:
        yield fold(piece)
    if len(pieces) > 1:
        yield fold(" | ".join(pieces))
        yield fold(" ".join(pieces))
    if item.value:
        yield fold(item.value)
    if item.fallback:
        yield fold(item.fallback)
        yield fold(item.fallback[1:])


def _bare(word: str) -> str:
    """Return words that may have been copied from the screen, with quotes and escapes."""
    copied = _QUOTED.fullmatch(word)
    return unescape(copied[1]) if copied else word


def _preferred(matches: list[Match]) -> list[Match]:
    """A target wins over a text, the front over what is behind, uncovered over covered."""
    for better in (_is_in_front, _is_target, _is_free):
        matches = [match for match in matches if better(*match)] or matches
    return matches


def _is_in_front(row: Row, thing: Thing) -> bool:
    return not row.behind


def _is_target(row: Row, thing: Thing) -> bool:
    return bool(thing.ref)


def _is_free(row: Row, thing: Thing) -> bool:
    return "covered" not in thing.item.states


def _is_within(shown: ShownScreen, row: Row, thing: Thing, within: str) -> bool:
    wanted = fold(_bare(within.strip()))
    if any(wanted in _names(other) or other.ref == within.strip() for other in row.things):
        return True
    rows = shown.rows.rows
    at = next(number for number, other in enumerate(rows) if other is row)
    for other in reversed(rows[:at]):
        if other.depth < row.depth and other.scroller is not None:
            return other.ref == within.strip()
    return False


def _described(row: Row, thing: Thing) -> str:
    label = thing.ref or thing.words
    for other in row.things:
        if other is not thing and other.item.pieces:
            return f'{label} in "{cut(other.item.pieces[0], 40)}"'
    return label


def _near(shown: ShownScreen, wanted: str) -> str:
    scored: list[tuple[float, str]] = []
    for _, thing in shown.rows.things:
        best = max((_likeness(wanted, name) for name in _names(thing)), default=0.0)
        if best > 0.5:
            scored.append((best, f"{thing.ref} {thing.words}".strip()))
    scored.sort(key=lambda each: -each[0])
    names = [cut(name, 80) for _, name in scored[:MOST_NEAR]]
    return f" Nearest: {', '.join(names)}." if names else ""


def _likeness(wanted: str, name: str) -> float:
    if wanted in name or name in wanted:
        return 0.6 + 0.4 * min(len(wanted), len(name)) / max(len(wanted), len(name), 1)
    return SequenceMatcher(None, wanted[:80], name[:80]).ratio()


def _further(shown: ShownScreen) -> str:
    scroller = next((row for row in shown.rows.rows if row.scroller is not None), None)
    if scroller is None:
        return ""
    name = scroller.text.strip().rstrip(":")
    return f" {name} may have more: scroll: true looks there."


def _flags(shown: ShownScreen, thing: Thing | None) -> int | None:
    return None if thing is None else shown.snapshot.node(thing.place).flags
