"""The ids of listed notifications and actions, and their meanings."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from itertools import chain, count
from typing import NamedTuple

from ...driver.notifications import Notification, NotificationAction
from ...errors import ElementNotFound
from ...screen.ids import java_hash
from ...screen.text import brief, quoted

MOST = 1000
"""The maximum number of remembered notifications."""
_LONGEST_SUBJECT = 500
"""The maximum length of each text in a question to a person."""


class Issued(NamedTuple):
    """A notification as it was listed."""

    id: str
    seen: Notification
    action_ids: tuple[str, ...]

    @property
    def actions(self) -> Iterator[tuple[str, NotificationAction]]:
        return zip(self.action_ids, self.seen.actions, strict=True)

    def describe(self, action: int | None = None) -> str:
        """Describe it, and its action at that index, for a question to a person, to whom ids mean
        nothing."""
        seen = self.seen
        words = [quoted(word, _LONGEST_SUBJECT) for word in (seen.title, seen.text) if word]
        if action is not None:
            words.append(f"action {quoted(seen.actions[action].title)}")
        return f"{brief(seen.label)} ({seen.package}): {', '.join(words)}"


Name = tuple[str, int | None]
"""The target of an id: the notification with that key, or its action at that index."""


class IssuedNotifications:
    """An id means one notification as long as that is remembered. A hash would not suffice: apps
    choose a part of the key, and could make two keys with the same hash."""

    def __init__(self) -> None:
        self._issued: OrderedDict[str, Issued] = OrderedDict()
        """By key, the most recently listed at the end."""
        self._names: dict[str, Name] = {}
        """By id."""
        self._ids: dict[Name, str] = {}

    def issue(self, notifications: Iterable[Notification]) -> list[Issued]:
        issued: list[Issued] = []
        for seen in notifications:
            key = seen.key
            actions = tuple(self._id_of((key, place)) for place in range(len(seen.actions)))
            one = Issued(self._id_of((key, None)), seen, actions)
            self._issued[key] = one
            self._issued.move_to_end(key)
            issued.append(one)
        while len(self._issued) > MOST:
            self._forget(self._issued.popitem(last=False)[0])
        return issued

    def _id_of(self, name: Name) -> str:
        if name in self._ids:
            return self._ids[name]
        key, place = name
        text = key if place is None else f"{key}::{place}"
        id, again = _hash(text), 0
        while id in self._names:
            again += 1
            id = _hash(f"{text}#{again}")
        self._names[id], self._ids[name] = name, id
        return id

    def _forget(self, key: str) -> None:
        for place in chain((None,), count()):
            id = self._ids.pop((key, place), None)
            if id is None:
                return
            del self._names[id]

    def find(self, id: str) -> Issued:
        """Raises ElementNotFound."""
        key, place = self._names.get(id.strip().lower(), ("", None))
        if key not in self._issued or place is not None:
            raise ElementNotFound(
                f"Notification not found: {id}. Call notification_list and use an id from its"
                " reply."
            )
        return self._issued[key]

    def find_action(self, id: str) -> tuple[Issued, int]:
        """Return the notification and the index of the action. Raises ElementNotFound."""
        key, place = self._names.get(id.strip().lower(), ("", None))
        issued = self._issued.get(key)
        if issued is None or place is None or place >= len(issued.seen.actions):
            raise ElementNotFound(
                f"Action not found: {id}. Call notification_list and use an action_id from its"
                " reply."
            )
        return issued, place

    def forget(self) -> None:
        """Forget all ids: after a restart of the phone, a key may name another notification."""
        self._issued.clear()
        self._names.clear()
        self._ids.clear()


def _hash(text: str) -> str:
    return f"{java_hash(text):08x}"
