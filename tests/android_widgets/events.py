"""What is compared of the accessibility events that a step brought about."""

from typing import Any

from .trials import ACTIONS, Seen, Trial

COMPARED = {
    "VIEW_TEXT_CHANGED": ("from", "removed", "added", "before", "text"),
    "VIEW_TEXT_SELECTION_CHANGED": ("from", "to", "items"),
    "VIEW_SCROLLED": ("y", "most"),
}
"""The fields beside source and content change types, by the event's type."""
SOON_MS, LATER_MS = 50, 150
"""An event that Android holds back comes 100 or 200 ms after its cause, and some frames."""
_SCROLLS = (ACTIONS["scroll_forward"], ACTIONS["scroll_backward"])


def compared_events(trial: Trial, seen: list[Seen]) -> list[Seen]:
    """The same, with what is compared of each event: type, source, changes, details, and whether it
    came at once (0), 100 ms (1) or 200 ms (2) after the input."""
    kind = trial["widget"]["kind"]
    steps = [{"do": "start"}, *trial["steps"]]
    found: list[Seen] = []
    before: Seen = {}
    for step, state in zip(steps, seen, strict=True):
        moved = any(before.get(name) != state.get(name) for name in ("rows", "scroll"))
        events = state["events"] if moved or not _may_stay(kind, step) else []
        # Android's listener hears of what the app itself sets, the virtual phone's of clicks alone.
        log = [] if step["do"] == "app" else state["log"]
        found.append({**state, "log": log, "events": _rows(kind, step, events)})
        before = state
    return found


def _may_stay(kind: str, step: Trial) -> bool:
    """Whether Android reports as a movement what is none: a list that is drawn over its end, which
    a RecyclerView is not, and ScrollView.fling at the end, which no finger causes."""
    return (kind == "list" and _moves(kind, step)) or step["do"] == "fling"


def _rows(kind: str, step: Trial, events: list[dict[str, Any]]) -> list[list[Any]]:
    if kind == "list" and step.get("action") == ACTIONS["focus"]:
        return []  # a ListView selects a row as it gets the focus; a RecyclerView has no selection
    # Without a view: of the floating toolbar, which the virtual phone does not have.
    rows = [_row(kind, event) for event in events if event["source"] != "none"]
    if step.get("set") == "note":
        # Of several changes the number of events tells how long they were held back.
        return [[*row[:4], 0] for row in rows]
    if not _moves(kind, step):
        return rows
    # Android sends a pair in every 100 ms of a movement, which on the virtual phone takes no time.
    last = {(row[0], row[1], row[2]): [*row[:4], 0] for row in rows}
    return list(last.values())


def _moves(kind: str, step: Trial) -> bool:
    if kind not in ("list", "scroll"):
        return False
    return step["do"] in ("drag", "fling") or step.get("action") in _SCROLLS


def _row(kind: str, event: dict[str, Any]) -> list[Any]:
    names = COMPARED.get(event["type"], ())
    if event["type"] == "VIEW_SCROLLED" and kind == "list":
        # A ListView does not say it in pixels, and its rows are those before the last move.
        names = ("items",)
    details = {name: event[name] for name in names if name in event}
    late = 0 if event["after"] < SOON_MS else 1 if event["after"] < LATER_MS else 2
    return [event["type"], event["source"], event.get("changes", 0), details, late]
