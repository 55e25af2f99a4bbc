"""Touches that programs inject, as tracked by Android's input dispatcher."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..world import World


class Injection:
    """The fingers that are down. They are shared by all programs: a program that exits during a
    gesture leaves its fingers on the screen."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self.checked = world.android.input_verified
        """Whether events must be consistent with earlier events; some phones with API 35 also check
        this."""
        self.down: set[int] = set()

    def inject(
        self, action: str, changed: int, fingers: Sequence[tuple[int, float, float]]
    ) -> bool:
        """Touch the screen as a program does; return False if Android refuses the event.

        `fingers` are the ids and places of all fingers that are down, including one that goes up.
        `changed` is the index of the finger that goes down or up; a cancel concerns all fingers.
        """
        down = self.down
        if not self.accepts(action, changed, [number for number, _, _ in fingers]):
            return False
        if action == "down" and not self._world.takes_touches:
            return False
        # There is no window that could receive the cancel of a finger that is not down.
        ended = [finger for finger in fingers if finger[0] in down]
        for finger in ended if action == "cancel" else (fingers[changed],):
            self._world.touch(action, *finger)
        return True

    def accepts(self, action: str, changed: int, fingers: Sequence[int]) -> bool:
        """Whether the event is consistent with earlier events; if so, record it. `fingers` are the
        ids of all fingers in the event, and `changed` the index of the finger that goes down or
        up."""
        present = set(fingers)
        others = present - {fingers[changed]}
        if self.checked and self.down != (others if action == "down" else present):
            return False
        self.down = {"down": present, "move": present, "up": others}.get(action, set())
        return True
