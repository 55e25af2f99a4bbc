"""What the phone's owner switches on and off in the quick settings."""

from collections.abc import Callable

RADIOS = ("wifi", "bluetooth")
"""What airplane mode switches off."""


class Switches:
    def __init__(self, changed: Callable[[], object]) -> None:
        self._changed = changed
        self._states = {
            "wifi": True,
            "bluetooth": False,
            "rotate": True,
            "torch": False,
            "airplane": False,
        }
        self._before: dict[str, bool] = {}
        """The radios as they were before airplane mode."""

    def __getitem__(self, name: str) -> bool:
        return self._states[name]

    def turn(self, name: str) -> None:
        """On if it is off, and the other way round."""
        on = self._states[name] = not self._states[name]
        if name == "airplane" and on:
            self._before = {radio: self._states[radio] for radio in RADIOS}
            self._states.update(dict.fromkeys(RADIOS, False))
        elif name == "airplane":
            self._states.update(self._before)
        elif name in RADIOS:
            # Switched by hand in airplane mode: stays as it is when that ends.
            self._before.pop(name, None)
        self._changed()
