"""Compares what clients were told with what the phones did."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from .calls import Call, Outcome, outcome_of

Journal = Counter[tuple[str, str]]
"""How often each thing was done to a phone, by kind and name."""
COUNTED = ("row", "button", "typed", "sms", "appended", "written", "down")
CLICKED = ("row", "button")
GROWTH = 1.05
"""The most that memory may grow from the second tenth of the run to the last."""
PAD = (200, 1020, 160, 380)
"""Where only calls with a point of their own put fingers down: left, right, top, bottom."""


class Violation(NamedTuple):
    kind: str
    evidence: str


def read_journal(notes: Iterable[Sequence[str]], files: Mapping[str, str]) -> Journal:
    """Count the notes of a phone, and the lines of its files."""
    journal: Journal = Counter((kind, what) for kind, what in notes)
    for name, text in files.items():
        if name.startswith("chaos-log"):
            journal.update(("appended", line) for line in text.splitlines()[1:])
        else:
            journal["written", f"{name} {text}"] += 1
    return journal


LIMIT = "without the helper, the screen changed before the finger came down"
"""A violation that is no fault: Android's commands cannot compare an element and touch it in one
step, so that a screen that changes in between is touched where the element was: at another element,
or at none."""
_TOUCHED = "touched "


def check_calls(calls: Iterable[Call], journals: Mapping[str, Journal]) -> list[Violation]:
    """`journals` are those of the phones, by slug."""
    calls = list(calls)
    found: list[Violation] = []
    expected = {(call.phone, one.kind, one.what) for call in calls for one in call.effects}
    for phone, journal in journals.items():
        found += _find_unasked(phone, journal, expected)
    fingers = Counter(
        {phone: _count_fingers(phone, journal, expected) for phone, journal in journals.items()}
    )
    for call in calls:
        said = f"{call.client} on {call.phone} at {call.began:.1f} s, {call.tool}: {call.outcome}"
        if call.outcome is Outcome.LOST:
            found.append(Violation("call without an answer", f"{said}; {call.text}"))
        if call.outcome is Outcome.REFUSED:
            found.append(Violation("call refused by the server", f"{said}; {call.text}"))
        if call.outcome is Outcome.HUNG or call.took > call.budget:
            evidence = f"{said} after {call.took:.1f} s, budget {call.budget:.0f} s; {call.text}"
            found.append(Violation("call beyond its budget", evidence))
        journal = journals[call.phone]
        for number, effect in enumerate(call.effects):
            outcome = outcome_of(call, number)
            touched = journal[_TOUCHED + effect.kind, effect.what]
            times = journal[effect.kind, effect.what] + touched
            evidence = f"{effect.kind} {effect.what} {times} times; {said}; {call.text}"
            if times > effect.times:
                found.append(Violation("done twice", evidence))
            elif outcome is Outcome.DONE and times < effect.times:
                # A finger at a place cannot tell what it touched.
                blind = effect.kind in CLICKED and fingers[call.phone] > 0
                fingers[call.phone] -= blind
                found.append(Violation(LIMIT if blind else "said done, was not", evidence))
            elif outcome in (Outcome.FAILED, Outcome.REFUSED) and times:
                found.append(Violation("said not done, was", evidence))
    return found


def _count_fingers(phone: str, journal: Journal, expected: set[tuple[str, str, str]]) -> int:
    """How many fingers came down at elements without clicking what somebody asked for."""
    count = 0
    for (noted, what), times in journal.items():
        kind = noted.removeprefix(_TOUCHED)
        if noted == "down" and not _on_pad(what):
            count += times
        elif noted != kind and (phone, kind, what) in expected:
            count -= times
    return count


def _find_unasked(
    phone: str, journal: Journal, expected: set[tuple[str, str, str]]
) -> Iterator[Violation]:
    for (noted, what), times in journal.items():
        kind = noted.removeprefix(_TOUCHED)
        if kind not in COUNTED or (phone, kind, what) in expected:
            continue
        if kind == "down" and not _on_pad(what):
            continue  # a click without the helper is a touch at the element
        nobody = f"{noted} {what} {times} times on {phone}"
        if kind != noted:
            yield Violation(LIMIT, nobody)
        else:
            wrong = "acted on another element" if kind in CLICKED else "asked by nobody"
            yield Violation(wrong, nobody)


def _on_pad(point: str) -> bool:
    x, y = map(int, point.split(","))
    left, right, top, bottom = PAD
    return left <= x < right and top <= y < bottom


def compare_memory(samples: Sequence[float]) -> tuple[float, float]:
    """The mean of the second tenth of the run, and of the last."""
    tenth = len(samples) // 10
    second, last = samples[tenth : 2 * tenth], samples[-tenth:]
    return sum(second) / tenth, sum(last) / tenth


def check_memory(samples: Sequence[float]) -> list[Violation]:
    second, last = compare_memory(samples)
    if last <= second * GROWTH:
        return []
    evidence = f"{second:.1f} MB in the second tenth, {last:.1f} MB in the last"
    return [Violation("memory grew", evidence)]
