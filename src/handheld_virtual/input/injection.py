"""Touches that programs inject, as Android's input dispatcher keeps track of them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..world import World


class Injection:
    """The fingers that are down, of all programs together: a program that ends in the middle of a
    gesture leaves its fingers on the screen."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self.checked = world.android.input_verified
        """Whether an event must follow from the events before it; some phones with API 35 check
        this as well."""
        self.down: set[int] = set()

    def inject(
        self, action: str, changed: int, fingers: Sequence[tuple[int, float, float]]
    ) -> bool:
        """Touch the screen as a program; False where Android refuses the event.

        `fingers` are id and place of all fingers that are down, including one that goes up.
        `changed` is the index of the finger that the event is about; a cancel is about all.
        """
        down = self.down
        if not self.accepts(action, changed, [number for number, _, _ in fingers]):
            return False
        if action == "down" and not self._world.takes_touches:
            return False
        # A cancel of a finger that is not down has no window to go to.
        ended = [finger for finger in fingers if finger[0] in down]
        for finger in ended if action == "cancel" else (fingers[changed],):
            self._world.touch(action, *finger)
        return True

    def accepts(self, action: str, changed: int, fingers: Sequence[int]) -> bool:
        """Whether the event may come next; if so it is counted. `fingers` are the ids of all
        fingers in the event, and `changed` the index of the one that goes down or up."""
        present = set(fingers)
        others = present - {fingers[changed]}
        if self.checked and self.down != (others if action == "down" else present):
            return False
        self.down = {"down": present, "move": present, "up": others}.get(action, set())
        return True
