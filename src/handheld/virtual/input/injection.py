"""The fingers that programs put on the screen, as Android's input dispatcher counts them."""

from collections.abc import Sequence

from ..system.android import Android


class Injection:
    """One account for all programs: who ends in the middle of a gesture leaves its fingers."""

    def __init__(self, android: Android) -> None:
        self.checked = android.input_verified
        """Whether an event must follow from those before it; on some phones with 35 as well."""
        self.down: set[int] = set()

    def accepts(self, action: str, changed: int, fingers: Sequence[int]) -> bool:
        """Whether the event may come next; it has, then. `fingers` are all that it tells of,
        `changed` says which of them comes or goes."""
        told = set(fingers)
        others = told - {fingers[changed]}
        if self.checked and self.down != (others if action == "down" else told):
            return False
        self.down = {"down": told, "move": told, "up": others}.get(action, set())
        return True
