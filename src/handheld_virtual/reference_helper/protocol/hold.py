"""The helper's hold on Android's UiAutomation."""

from collections.abc import Mapping
from math import inf
from typing import Any

from handheld.helper.protocol import IDLE_RELEASE_SECONDS, Code, HelperFailure

from ...automation import AutomationHeld, ReleaseRefused
from ...world import World


def refused(refusal: ReleaseRefused) -> HelperFailure:
    return HelperFailure(Code.FAILED, f"Android does not take UiAutomation back: {refusal}")


class AutomationHold:
    """Takes UiAutomation when a command first needs it, and releases it when idle."""

    def __init__(self, world: World, holder: Mapping[str, Any]) -> None:
        self._world = world
        self._name = f"handheld, {holder['client']}, pid {holder['pid']} on {holder['host']}"
        self._last_need = world.clock.now()
        self.held = False

    def need(self) -> None:
        """Take UiAutomation. Raises `automation_held` if another program has it."""
        self._last_need = self._world.clock.now()
        if self.held:
            return
        try:
            self._world.automation.take(self._name)
        except AutomationHeld as held:
            message = f"Android's UiAutomation is held by another program ({held.holder})."
            raise HelperFailure(Code.AUTOMATION_HELD, message) from held
        self.held = True

    def release(self) -> bool:
        """Release UiAutomation; return whether it was held. Raises HelperFailure if Android
        refuses."""
        if not self.held:
            return False
        self.held = False
        try:
            self._world.automation.release(self._name, keep_rotation=True)
        except ReleaseRefused as refusal:
            raise refused(refusal) from refusal
        return True

    def release_idle(self, now: float) -> float:
        """Release UiAutomation if it is idle; return the time of the next check. Raises
        HelperFailure."""
        if not self.held:
            return inf
        idle = self._last_need + IDLE_RELEASE_SECONDS * 1000
        if now < idle:
            return idle
        self.release()
        return inf

    def lose(self) -> None:
        """Lose UiAutomation, as when the process dies."""
        self._world.automation.lose(self._name)
