"""Resolves a model's `at`: a ref, visible words, or a point."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from unicodedata import category

from ....errors import ElementNotFound, InvalidParams
from ....phone.screen.refs import Ref
from ....phone.screen.screen_log import ScreenLog, ShownScreen
from ....phone.screen.scroll_area import scrolls_across
from ....screen.model import Flag, Screen
from ....screen.rows.screen import Row, Rows, Thing
from ....screen.rows.text import PIECE_LIMIT, print_piece
from ....screen.rows.words import clean, cut, fold, has_words, short_name, split_quoted, unescape
from ....screen.search import Place

_REF = re.compile(r"([a-z])([1-9]\d{0,2})")
_COPIED = re.compile(
    r'([a-z][1-9]\d{0,2})\b[^"#]*+(?:"(?P<words>(?:[^"\\]|\\.)*)"|#(?P<id>\S++))?.*'
)
_BLOCK = re.compile(
    r"(?:(?:list|strip|pages|web) )?([a-z][1-9]\d{0,2})"
    r"(?:,? (?:[\d–]++|rows?|columns?|of|more|above|below|left|right|before|after)(?![\w–]))*+:?"
)
"""With the text printed after it, which changes with scrolling, and no other words."""
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
BETWEEN = r"[^\S ]*+(?: \s*+[,;]?|[,;])\s*+"
"""Between two numbers: a comma, a semicolon or a space, and any other space around it. Each text
has
only one match, so the work is linear."""
_NUMBER = r"(\d{1,5}(?:\.\d+)?)"
POINT = re.compile(rf"(?:[\[(]\s*+)?{_NUMBER}{BETWEEN}{_NUMBER}(?:\s*+[\])])?")
_IN_PICTURE = re.compile(rf"(p[1-9]\d{{0,8}})\s*+:\s*+{POINT.pattern}")
_WORD = re.compile(r"\w+")
_PLACE = re.compile(r"\A@-?\d{1,6},-?\d{1,6} \d{1,6}x\d{1,6}(?!\S)")
"""The place after the ref, in a screen with all details."""
_PLAIN = frozenset(
    _WORD.findall(
        "a an the button icon link row item element text tab switch check checkbox radio slider"
        " progress menu field image list on off selected focused disabled covered empty expanded"
        " collapsed heading loading"
    )
)
"""Words for kinds of elements, and for states, which change."""
MOST_LISTED = 8
MOST_NEAR = 3
SILENT_SECONDS = 2
"""The time that a read of the screen waits for an app."""
WAY_OUT = "phone_wait, leave it by phone_press home, or close it after that by phone_app stop"
_WAYS = (Flag.SCROLLS_BACKWARD, Flag.SCROLLS_FORWARD)
_UPRIGHT, _ACROSS = ("above", "below"), ("left", "right")


@dataclass(frozen=True, slots=True)
class At:
    """A place for an action: a point, or an element of a shown screen."""

    label: str
    """Its name in the reply: `k6 "Airplane mode"`."""
    point: tuple[float, float] | None = None
    ref: str = ""
    thing: Thing | None = None
    place: Place | None = None
    """The place of the intended text, if the thing consists of several stacked texts."""
    flags: int | None = None
    """The element's `Flag`s, if it was on the searched screen."""
    stale: bool = False
    """Whether the screen may have changed since: the element is verified, its place is not."""


def is_point(at: str) -> bool:
    """Whether it is a point of the screen, or of a picture."""
    return POINT.fullmatch(at.strip()) is not None or is_in_picture(at)


def is_in_picture(at: str) -> bool:
    return _IN_PICTURE.fullmatch(at.strip()) is not None


def named_ref(log: ScreenLog, at: str) -> Ref | None:
    """Return the named ref: `k4`, or the beginning of a copied line."""
    copied = _COPIED.fullmatch(at.strip())
    return None if copied is None else log.refs.get(copied[1])


def find_ref(log: ScreenLog, at: str) -> str:
    """Return the named ref, known or forgotten; "" if it never existed."""
    copied = _COPIED.fullmatch(at.strip())
    if copied is not None and (log.refs.get(copied[1]) or log.refs.was_used(copied[1])):
        return copied[1]
    return ""


def looks_like_ref(at: str) -> bool:
    return _REF.fullmatch(at.strip()) is not None


def is_named(log: ScreenLog, at: str) -> bool:
    """Whether it is a point or a known ref: it means the same on any screen."""
    return named_ref(log, at) is not None or POINT.fullmatch(at.strip()) is not None


Match = tuple[Row, Thing]


class NotVisible(ElementNotFound):
    """No element on the screen has these words."""

    def __init__(self, message: str, *details: str, further: str = "") -> None:
        """`further`: the lists that have more."""
        super().__init__(message, *details)
        self.further = further


def has_target(rows: Rows, word: str, within: str | None = None) -> bool:
    """Whether these words name an element in front."""
    matches = _exact(rows, fold(_bare(word.strip())))
    return any(
        not row.behind and (not within or _is_within(rows, row, within)) for row, _ in matches
    )


def find_target(log: ScreenLog, shown: ShownScreen, at: str, within: str | None = None) -> At:
    """Raises ElementNotFound, InvalidParams."""
    word = at.strip()
    if not word:
        raise InvalidParams("at is empty: give a ref (k4), visible words or a point (540,1200).")
    if found := POINT.fullmatch(word):
        x, y = float(found[1]), float(found[2])
        return At(f"{found[1]},{found[2]}", point=(x, y))
    copied = _COPIED.fullmatch(word)
    if copied is not None and find_ref(log, word):
        return _by_ref(log, shown, copied)
    if _REF.fullmatch(word) and not _exact(shown.rows, fold(word)):
        since = log.refs.was_earlier(word)
        when = "not shown since the server started" if since else "never shown on this phone"
        raise ElementNotFound(f"{word} was {when}: call phone_look.")
    return _by_words(shown, word, within)


def find_in_picture(log: ScreenLog, screen: Screen, at: str) -> At:
    """Return a point of the current screen. Raises ElementNotFound, InvalidParams."""
    found = _IN_PICTURE.fullmatch(at.strip())
    assert found is not None
    name, x, y = found[1], float(found[2]), float(found[3])
    picture = log.pictures.get(name)
    again = "call phone_look with picture"
    if picture is None:
        raise ElementNotFound(f"{name} is not a picture of this phone, or too old: {again}.")
    if not picture.shows(screen):
        raise ElementNotFound(f"The screen was turned or resized since {name}: {again}.")
    if x >= picture.width or y >= picture.height:
        size = f"{picture.width}x{picture.height}"
        raise InvalidParams(f"{name} is {size}: {found[2]},{found[3]} is outside of it.")
    return At(f"{name}:{found[2]},{found[3]}", point=picture.point(x, y))


def _by_ref(log: ScreenLog, shown: ShownScreen, copied: re.Match[str]) -> At:
    name = copied[1]
    ref = log.refs.get(name)
    if ref is None:
        raise ElementNotFound(
            f"{name} was shown too long ago, or before the phone was restarted: call phone_look."
        )
    words = copied["words"]
    if words and fold(words) not in fold(ref.words):
        raise ElementNotFound(
            f'{name} is {ref.words or "unnamed"}, not "{cut(clean(words), 60)}": nothing was done.'
        )
    row, thing = next(
        ((row, thing) for row, thing in shown.rows.things if thing.ref == name), (None, None)
    )
    rest = copied[0][len(name) :]
    rest = rest.replace(f'"{words}"', "", 1).strip()
    if rest and not _fits(log, ref, rest, row, thing):
        said = cut(clean(rest), 60)
        raise ElementNotFound(
            f"{name} is {ref.words or 'unnamed'}, which does not fit {said}: nothing was done."
            f" Say {name} alone."
        )
    if row is not None and thing is not None and row.behind and is_elsewhere(shown, thing.place):
        raise ElementNotFound(
            f"{name} {ref.words} is behind {shown.rows.header}: answer that first."
        )
    if thing is None:
        for _, other in shown.rows.things:
            if log.refs.is_double(ref, other.ref):
                raise ElementNotFound(
                    f"{name} {ref.words} is not visible; {other.ref} has the same words in another"
                    " row: nothing was done."
                )
    return At(f"{name} {ref.words}".strip(), ref=name, thing=thing, flags=_flags(shown, thing))


def _fits(log: ScreenLog, ref: Ref, rest: str, row: Row | None, thing: Thing | None) -> bool:
    """Whether the text after a ref matches the screen: the ref's own words, and after a comma the
    text printed beside it. `row` and `thing` are None if it is not on the screen."""
    own, beside = _split(_PLACE.sub("", rest, count=1))
    known = [ref.words]
    if thing is not None:
        item = thing.item
        known += [thing.words, *map(unescape, item.pieces), *item.states]
        known += [item.kind, item.value or "", item.hint or "", item.fallback]
    folded = fold(" ".join(known))
    words = {*_WORD.findall(folded), *_PLAIN}
    own = fold(own)
    for word in _WORD.findall(own):
        if word not in words and (word.isascii() or not has_words(folded, word)):
            return False
    # Symbols such as a cross or a bin count as words.
    if any(category(each) == "So" and each not in folded for each in own):
        return False
    if not (printed := fold(beside)):
        return True
    rows = [] if row is None else [row]
    rows += [each for past in log.screens.values() for each in past.rows.rows]
    return any(ref.name in each.refs and printed in fold(each.text) for each in rows)


def _split(rest: str) -> tuple[str, str]:
    """Split at the first comma outside quotes."""
    at = 0
    for number, part in enumerate(split_quoted(rest)):
        if number % 2 == 0 and (comma := part.find(",")) >= 0:
            return rest[: at + comma], rest[at + comma :].rstrip(" ,")
        at += len(part)
    return rest, ""


def is_elsewhere(shown: ShownScreen, place: Place) -> bool:
    """Whether a place is in another window than the one in front."""
    return shown.snapshot.window(place).id != shown.rows.front_id


def _by_words(shown: ShownScreen, word: str, within: str | None) -> At:
    wanted = fold(_bare(word))
    matches = _exact(shown.rows, wanted)
    if within:
        matches = [(row, thing) for row, thing in matches if _is_within(shown.rows, row, within)]
    # Either an element with this name or a field with this content may be meant, unless the words
    # are being typed there, as in a search for them.
    holding = [match for match in matches if fold(match[1].item.value or "") == wanted]
    called = _preferred([match for match in matches if match not in holding])
    if called and any(window.type == "INPUT_METHOD" for window in shown.snapshot.screen.windows):
        holding = [match for match in holding if not _is_focused(shown, match[1])]
    matches = called + holding
    if len(matches) == 1:
        row, thing = matches[0]
        if row.behind and is_elsewhere(shown, thing.place):
            front = shown.rows.header
            raise ElementNotFound(f'"{cut(clean(word), 60)}" is behind {front}: answer that first.')
        label, place = _part(thing, wanted)
        return At(label, ref=thing.ref, thing=thing, place=place, flags=_flags(shown, thing))
    quoted = f'"{cut(clean(word), 60)}"'
    if matches:
        listed = ", ".join(
            _described(shown.rows, row, thing) for row, thing in matches[:MOST_LISTED]
        )
        more = f" and {len(matches) - MOST_LISTED} more" if len(matches) > MOST_LISTED else ""
        raise ElementNotFound(
            f"{len(matches)} match {quoted}: {listed}{more}. Say which ref, or add within."
        )
    silent = explain_silent(shown.snapshot.screen)
    near = name_nearest(shown.rows, wanted)
    raise NotVisible(f"No {quoted} is visible.{silent}{near}", further=further(shown))


def _part(thing: Thing, wanted: str) -> tuple[str, Place | None]:
    """Return a thing's name, and the place of the intended text if the thing consists of several
    stacked texts. Raises ElementNotFound if several of them match."""
    item = thing.item
    pieces = zip(item.pieces, item.parts, strict=False)
    named = [
        (piece, part)
        for piece, part in pieces
        if wanted in (fold(unescape(piece)), fold(print_piece(piece, PIECE_LIMIT)))
    ]
    if not named:
        return thing.label, None
    [(piece, part), *more] = named
    if any(part != other for _, other in more):
        raise ElementNotFound(
            f"{len(named)} texts in {cut(thing.label, 80)} are called so. Say a point: phone_look"
            " with picture shows them."
        )
    return f'"{cut(piece, PIECE_LIMIT)}"', (thing.place[0], part)


def _is_focused(shown: ShownScreen, thing: Thing) -> bool:
    return bool(shown.snapshot.node(thing.place).flags & Flag.FOCUSED)


def advise_unread(shown: ShownScreen) -> list[str]:
    """Return advice if no window of an app could be read, because the app hangs or may hang."""
    screen = shown.snapshot.screen
    if shown.rows.front is not None or not screen.missing:
        return []
    hangs = "it hangs" if screen.silent else "it may hang"
    return [f"{hangs}: {WAY_OUT}"]


def describe_silent(screen: Screen) -> str:
    """Return a sentence about apps that did not answer, and are missing; "" if all answered."""
    return "".join(
        f" {short_name(package)} has not answered for {SILENT_SECONDS} s (not responding)."
        for package in screen.silent[:MOST_NEAR]
    )


def explain_silent(screen: Screen) -> str:
    """Return `describe_silent` with advice."""
    silent = describe_silent(screen)
    return f"{silent} To go on: {WAY_OUT}." if silent else ""


def _exact(rows: Rows, wanted: str) -> list[Match]:
    """Return the matches with exactly these words: as a piece, as a whole, as label or id."""
    return [
        (row, thing)
        for row, thing in rows.things
        if any(name == wanted for name in names_of(thing))
    ]


def names_of(thing: Thing) -> Iterator[str]:
    item = thing.item
    pieces = [unescape(piece) for piece in item.pieces]
    for piece in pieces:
        yield fold(piece)
        yield fold(print_piece(piece, PIECE_LIMIT))
    if len(pieces) > 1:
        yield fold(" | ".join(pieces))
        yield fold(" ".join(pieces))
    if item.text:
        yield fold(item.text)
    if item.value:
        yield fold(item.value)
    if item.hint:
        yield fold(item.hint)
    if item.fallback:
        yield fold(item.fallback)
        yield fold(item.fallback[1:])


def _bare(word: str) -> str:
    """Return words that may have been copied from the screen, with quotes and escapes."""
    copied = _QUOTED.fullmatch(word)
    return unescape(copied[1]) if copied else word


def _preferred(matches: list[Match]) -> list[Match]:
    """Prefer targets to texts, the front to layers behind, uncovered to covered elements."""
    for better in (_is_in_front, _is_target, _is_free):
        matches = [match for match in matches if better(*match)] or matches
    return matches


def _is_in_front(row: Row, thing: Thing) -> bool:
    return not row.behind


def _is_target(row: Row, thing: Thing) -> bool:
    return bool(thing.ref)


def _is_free(row: Row, thing: Thing) -> bool:
    return "covered" not in thing.item.states


def _is_within(screen: Rows, row: Row, within: str) -> bool:
    wanted = fold(_bare(within.strip()))
    if any(wanted in names_of(other) or other.ref == within.strip() for other in row.things):
        return True
    return _list_around(screen, row) == within.strip()


def _list_around(screen: Rows, row: Row) -> str:
    """Return the ref of the list that a row is in; empty for none."""
    at = next(number for number, other in enumerate(screen.rows) if other is row)
    for other in reversed(screen.rows[:at]):
        if other.depth < row.depth and other.scroller is not None:
            return other.ref
    return ""


def _described(screen: Rows, row: Row, thing: Thing) -> str:
    label = thing.ref or thing.words
    for other in row.things:
        if other is not thing and other.item.pieces:
            return f'{label} in "{cut(other.item.pieces[0], 40)}"'
    around = "" if thing.ref else _list_around(screen, row)
    return f"{label} in {around}" if around else label


def name_nearest(rows: Rows, wanted: str) -> str:
    """Return a sentence with the most similar names; "" if there are none."""
    scored: list[tuple[float, str]] = []
    for _, thing in rows.things:
        best = max((_likeness(wanted, name) for name in names_of(thing)), default=0.0)
        if best > 0.5:
            scored.append((best, f"{thing.ref} {thing.words}".strip()))
    scored.sort(key=lambda each: -each[0])
    names = [cut(name, 80) for _, name in scored[:MOST_NEAR]]
    return f" Nearest: {', '.join(names)}." if names else ""


def name_successor(rows: Rows, words: str, *, shows: bool = False) -> str:
    """Return advice about a vanished element, as a sentence after a space: the element that has its
    name now, or to look again. `words` is its former print; `shows`: the screen follows."""
    quoted = _QUOTED.match(words[words.find('"') :])
    equal = _exact(rows, fold(unescape(quoted[1]))) if quoted else []
    if len(equal) == 1:
        return f" Nearest: {cut(equal[0][1].label, 80)}."
    return "" if shows else " Call phone_look."


def _likeness(wanted: str, name: str) -> float:
    if wanted in name or name in wanted:
        return 0.6 + 0.4 * min(len(wanted), len(name)) / max(len(wanted), len(name), 1)
    return SequenceMatcher(None, wanted[:80], name[:80]).ratio()


def further(shown: ShownScreen) -> str:
    """Return the lists that have more than is visible: `list k3 has more below`."""
    found: list[str] = []
    for row in shown.rows.rows:
        if row.scroller is None or row.behind:
            continue
        name = list_name(shown, row.scroller)
        across = scrolls_across(shown.snapshot.screen, row.scroller)
        flags = shown.snapshot.node(row.scroller).flags
        sides = [
            side
            for way, side in zip(_WAYS, _ACROSS if across else _UPRIGHT, strict=True)
            if flags & way
        ]
        if sides:
            found.append(f"{name} has more {' and '.join(sides)}")
        elif flags & Flag.SCROLLABLE:
            # A dump does not say whether a view scrolls further.
            found.append(f"{name} may have more")
    return ", ".join(found[:MOST_NEAR])


def find_block(shown: ShownScreen, word: str) -> Place | None:
    """Return the list named by `k3`, `list k3` or its copied line, unless it is behind another
    window."""
    named = _BLOCK.fullmatch(word.strip())
    if named is None:
        return None
    for row in shown.rows.rows:
        if row.scroller is not None and row.ref == named[1]:
            return None if row.behind and is_elsewhere(shown, row.scroller) else row.scroller
    return None


def list_name(shown: ShownScreen, place: Place) -> str:
    """Return a list's name: `list k3`."""
    for row in shown.rows.rows:
        if row.scroller == place:
            return " ".join(row.text.split()[:2]).rstrip(",:")
    return "the page"


def _flags(shown: ShownScreen, thing: Thing | None) -> int | None:
    return None if thing is None else shown.snapshot.node(thing.place).flags
