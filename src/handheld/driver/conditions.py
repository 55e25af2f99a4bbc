"""Conditions that a caller should know of: a screen that was off, a lock screen, other displays."""

from collections.abc import Sequence

_WOKEN = "The screen was off and was switched on first."
_DARK = "The screen is off."
_LOCKED = "The phone is locked: only the lock screen and windows over it can be reached."


def describe_condition(awake: bool, locked: bool, wake: bool) -> tuple[str, ...]:
    """Return sentences about a screen that was read. `wake`: whether actions switch it on."""
    then = "the next action switches it on"
    if not wake:
        then = "touches have no effect until the phone is woken"
    sentences = {f"the screen is off, {then}": not awake, "the phone is locked": locked}
    return tuple(sentence for sentence, holds in sentences.items() if holds)


def describe_displays(others: Sequence[int]) -> tuple[str, ...]:
    """Return a sentence about windows on displays other than the phone's own, if there are any."""
    if not others:
        return ()
    return (f"{_name(others)} shows windows, too: Handheld reads and touches only the phone's own",)


def refuse_displays(others: Sequence[int]) -> str:
    return (
        f"All windows are on {_name(others)}. Handheld reads, captures and touches only the phone's"
        " own display: move the app there, or disconnect the other display."
    )


def refuse_focus(others: Sequence[int]) -> str:
    return (
        f"The focus is on {_name(others)}: Handheld presses keys only in fields of the phone's own"
        " display. Tap the field first."
    )


def _name(others: Sequence[int]) -> str:
    return f"display {', '.join(map(str, others))}"


class Conditions:
    """Collects sentences, each once, until they are taken. Actions on a phone take turns, so the
    sentences collected during a turn concern its actions and their reads."""

    def __init__(self) -> None:
        self._met: dict[str, None] = {}

    def add(self, *, woken: bool = False, dark: bool = False, locked: bool = False) -> None:
        for is_met, sentence in ((woken, _WOKEN), (dark, _DARK), (locked, _LOCKED)):
            if is_met:
                self._met[sentence] = None

    def take(self) -> list[str]:
        met, self._met = list(self._met), {}
        return met
