"""Keeps the targets of steps in words, and finds them again: only an element with the same words,
row and kind in the same app is the target."""

from collections.abc import Awaitable, Callable, Iterator

from ...errors import ElementNotFound
from ...phone.phone import Phone
from ...phone.screen.screen_log import ShownScreen
from ...screen.model import is_secret_field
from ...screen.rows.screen import Row, Thing
from ...screen.rows.words import clean, cut, fold, unescape
from ..steps import Front, SavedTarget
from .elements.targets import At, NotVisible, find_ref, further, name_nearest, names_of
from .steps import StepNotes, current_notes

LONGEST = 200
MOVED = 60
"""In thousandths of the screen: a smaller distance is the same place."""
_TAB = "tab"
_STATES = ("on", "off", "partly on")


def front_of(shown: ShownScreen) -> Front:
    """Return the app or dialog in front."""
    window, header = shown.rows.front, shown.rows.header
    package = "" if window is None else window.package or ""
    if not header.startswith("dialog "):
        return Front(package)
    quoted = header.partition('"')[2]
    return Front(package, cut(unescape(quoted.removesuffix('"')), LONGEST))


def other_front(shown: ShownScreen, kept: Front) -> str:
    """Return a sentence if another app or dialog is in front than when the step was kept; else
    ""."""
    now = front_of(shown)
    same = now.package == kept.package and (now.dialog is None) == (kept.dialog is None)
    if same and fold(now.dialog or "") == fold(kept.dialog or ""):
        return ""
    dialog = "" if kept.dialog is None else f'dialog "{cut(clean(kept.dialog), 60)}" of '
    return f"{shown.rows.header} is in front, and {dialog}{kept.package} was when it was kept."


def find_saved(shown: ShownScreen, wanted: SavedTarget, front: Front | None) -> At:
    """Return the only element with these words, row and kind. A selected tab may not be a target.
    Raises NotVisible, ElementNotFound."""
    if front is not None and (other := other_front(shown, front)):
        raise NotVisible(other)
    found = [
        thing for row, thing in shown.rows.things if not row.behind and _is_kept(row, thing, wanted)
    ]
    if len(found) == 1:
        [thing] = found
        flags = shown.snapshot.node(thing.place).flags
        return At(thing.label, ref=thing.ref, thing=thing, flags=flags)
    row = f' in the row of "{cut(clean(wanted.row), 60)}"' if wanted.row else ""
    words = f'"{cut(clean(wanted.words), 60)}"' if wanted.words else ""
    what = f"{wanted.kind} {words}".strip() + row
    if found:
        raise ElementNotFound(f"{len(found)} are {what}, and one was when it was kept.")
    near = name_nearest(shown.rows, fold(wanted.words or wanted.row))
    raise NotVisible(f"No {what} is visible.{near}", further=further(shown))


def _is_kept(row: Row, thing: Thing, wanted: SavedTarget) -> bool:
    if kind_of(thing) != wanted.kind and not (wanted.kind == _TAB and is_selected(thing)):
        return False
    if wanted.words and fold(wanted.words) not in _names(thing):
        return False
    row_words = fold(wanted.row)
    return not row_words or any(
        row_words in _names(other) for other in row.things if other is not thing
    )


def _names(thing: Thing) -> list[str]:
    """Return a thing's names, without the content of fields."""
    held = fold(thing.item.value or "")
    return [name for name in names_of(thing) if name != held]


def kind_of(thing: Thing) -> str:
    return thing.item.kind or ("button" if thing.ref else "text")


def is_selected(thing: Thing) -> bool:
    return "selected" in thing.item.states


def is_already(target: At) -> bool:
    """Whether a kept step would select an already selected tab, which is then not tapped."""
    notes = current_notes()
    kept = None if notes is None or notes.expected is None else notes.expected.targets
    if notes is None or not kept or target.thing is None:
        return False
    notes.already = "at" in kept and kept["at"].kind == _TAB and is_selected(target.thing)
    return notes.already


def state_of(thing: Thing) -> str:
    return next((state for state in thing.item.states if state in _STATES), "")


def note_targets(phone: Phone, **targets: At) -> None:
    """Note the targets of a kept step's arguments; in a replay, note the differences. Raises
    ElementNotFound if a tap would do the opposite."""
    notes, shown = current_notes(), phone.screens.last
    if notes is None or shown is None:
        return
    for name, target in targets.items():
        kept = None if notes.expected is None else notes.expected.targets.get(name)
        thing = target.thing
        if thing is not None and not any(each is thing for _, each in shown.rows.things):
            # It was found on an earlier screen; its name did not change.
            same = (each for _, each in shown.rows.things if each.ref == target.ref)
            thing = next(same, None) if target.ref else None
        notes.problems.pop(name, None)
        if thing is None:
            notes.problems[name] = _why_unknown(target)
            continue
        if kept is not None:
            _compare(notes, shown, kept, thing, target)
        else:
            _note(notes, phone, shown, name, thing)


def _enters_secret(notes: StepNotes, shown: ShownScreen) -> bool:
    """Whether a key, of the phone or on the screen, types one character into a password field."""
    typed = [str(notes.given.get("key", "")), *(each.words for each in notes.targets.values())]
    return any(len(each) == 1 for each in typed) and any(
        thing.item.kind == "field" and is_secret_field(shown.snapshot.node(thing.place))
        for row, thing in shown.rows.things
        if not row.behind
    )


async def check_front(phone: Phone, read: Callable[[Phone], Awaitable[ShownScreen]]) -> None:
    """Before a kept step: note the app in front, or check that it is the noted one. `read` returns
    the current screen. Raises ElementNotFound."""
    notes = current_notes()
    if notes is None:
        return
    shown = phone.screens.last
    if notes.expected is None and shown is not None:
        notes.front, notes.screen = front_of(shown), shown.snapshot.screen
        if _enters_secret(notes, shown):
            notes.problems["key"] = "it enters a character of a password"
    elif notes.expected is not None and notes.expected.front is not None:
        other = other_front(await read(phone), notes.expected.front)
        if other:
            raise ElementNotFound(f"{other} Nothing was done.")


def _why_unknown(target: At) -> str:
    if target.point is not None:
        return "it acts at a point, which does not say what is there"
    return f"{target.label} is not on the screen"


def _compare(
    notes: StepNotes, shown: ShownScreen, kept: SavedTarget, thing: Thing, target: At
) -> None:
    state = state_of(thing)
    if kept.state and state != kept.state:
        raise ElementNotFound(
            f"{target.label} is {state or 'neither on nor off'}, and was {kept.state} when it was"
            " kept: nothing was done."
        )
    x, y = _place(shown, thing)
    if kept.place and max(abs(x - kept.place[0]), abs(y - kept.place[1])) > MOVED:
        notes.moved = True


def _note(notes: StepNotes, phone: Phone, shown: ShownScreen, name: str, thing: Thing) -> None:
    row = next(row for row, each in shown.rows.things if each is thing)
    node = shown.snapshot.node(thing.place)
    if name == "into":
        notes.secret = "password" if is_secret_field(node) else ""
    notes.spoken -= {name, "within"} if name == "at" else {name}
    notes.listed = notes.listed or row.depth > 0
    given, within = notes.given.get(name), notes.given.get("within")
    own = given if isinstance(given, str) and not find_ref(phone.screens, given) else None
    beside = within if name == "at" and isinstance(within, str) else None
    if beside is not None and (find_ref(phone.screens, beside) or beside == given):
        beside = None
    for words in ([own] if own else []) + list(_own_words(thing)):
        for row_words in ([beside] if beside else []) + list(_row_words(row, thing)):
            target = SavedTarget(
                words.strip().strip('"'),
                row_words,
                kind_of(thing),
                state_of(thing) if name == "at" else "",
                _place(shown, thing),
            )
            if not (target.words or target.row) or max(len(words), len(row_words)) > LONGEST:
                continue
            if _finds(shown, target, thing):
                notes.targets[name] = target
                notes.spoken |= {name} if words is own else set()
                notes.spoken |= {"within"} if row_words is beside else set()
                return
    notes.problems[name] = f"no words mean {thing.label or 'its target'} alone"


def _finds(shown: ShownScreen, target: SavedTarget, thing: Thing) -> bool:
    try:
        return find_saved(shown, target, None).thing is thing
    except ElementNotFound:
        return False


def _own_words(thing: Thing) -> Iterator[str]:
    yield from map(unescape, thing.item.pieces)
    if thing.item.fallback.startswith("#"):
        yield thing.item.fallback
    yield ""


def _row_words(row: Row, thing: Thing) -> Iterator[str]:
    """Yield the words that identify its row, the best first: texts with numbers often change."""
    others = [
        unescape(other.item.pieces[0])
        for other in row.things
        if other is not thing and other.item.pieces
    ]
    others.sort(key=lambda words: any(map(str.isdigit, words)))
    yield from others or [""]


def _place(shown: ShownScreen, thing: Thing) -> tuple[int, int]:
    """Return the centre in thousandths of the screen."""
    left, top, right, bottom = thing.item.bounds
    screen = shown.snapshot.screen
    x, y = (
        (left + right) * 500 // max(1, screen.width),
        (top + bottom) * 500 // max(1, screen.height),
    )
    return min(1000, max(0, x)), min(1000, max(0, y))
