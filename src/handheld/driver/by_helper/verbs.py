"""Calls to the helper, the base of every verb that it performs."""

import asyncio
from collections.abc import Mapping
from copy import copy
from typing import Any, Self

from ...adb.link import AdbError
from ...helper.client import HelperClient
from ...helper.protocol import THEN_READ_MS, WAKING, Code, Happened, HelperFailure, Verb
from ...helper.session import Answer, HelperLost
from ..by_adb.vendor_hints import ask_for_touching
from ..by_adb.verbs import AdbVerbs
from ..by_shell.finger import BROKEN_OFF
from ..failures import FailedCall, translate
from ..screen import Rest, Rested
from .uiautomation_conflicts import describe_conflicts, find_conflicts

READ_MS = 10_000
ACT_MS = 5_000
PACKAGES_MS = 30_000
"""Android opens every app's APK for its label."""
_CONDITIONS = ("woken", "dark", "locked")
TOUCHES = ("touch", "scroll", "pinch")
SLACK_MS = 5_000
"""Time for a gesture or a wait in addition to its own length."""


class HelperVerbs(AdbVerbs):
    def __init__(self, client: HelperClient, *, wake: bool = True) -> None:
        """`wake`: whether an action switches on a screen that is off."""
        super().__init__(client.link)
        self._client = client
        self._wake = wake
        self._rest: Rest | None = None

    def resting(self, rest: Rest) -> Self:
        view = copy(self)
        view._rest = rest
        return view

    async def _call(
        self,
        do: Verb,
        arguments: dict[str, Any],
        budget_ms: int,
        *,
        act: bool = False,
        wake: bool = True,
        on_screen: bool = True,
    ) -> Answer:
        """`wake`: whether this action may switch on a screen that is off. `on_screen`: whether the
        screen's state affects the action with these arguments."""
        acting = act and on_screen and do in WAKING
        wake = wake and self._wake and acting
        rest = self._rest if acting else None
        then = None
        if rest is not None:
            then, rest.rested = rest.then, None
            budget_ms += then.most_ms + THEN_READ_MS
        try:
            answer = await self._client.call(
                do, arguments, budget_ms=budget_ms, act=act, wake=wake, then=then
            )
        except asyncio.CancelledError as stop:
            failure = stop.__cause__
            if do in TOUCHES and isinstance(failure, HelperFailure):
                nothing = failure.happened is Happened.NO
                stop.add_note("The touch was not begun." if nothing else BROKEN_OFF)
            raise
        except (HelperFailure, HelperLost, AdbError) as problem:
            if isinstance(problem, HelperFailure) and on_screen:
                self._note(do, problem.data, failed=problem.code is Code.FAILED)
            if isinstance(problem, HelperFailure) and problem.code is Code.AUTOMATION_HELD:
                conflicts = await find_conflicts(self._link)
                problem.data["guess"] = describe_conflicts(conflicts)
            elif isinstance(problem, HelperFailure) and problem.code is Code.INPUT_REFUSED:
                problem.data["touching"] = await ask_for_touching(self._link)
            raise translate(problem, FailedCall(do, arguments, act)) from problem
        if on_screen:
            self._note(do, answer.reply)
        if rest is not None:
            rest.rested = await self._decode_rested(answer)
        return answer

    def _note(self, do: Verb, answer: Mapping[str, Any], failed: bool = False) -> None:
        if do in WAKING:
            woken, dark, locked = (answer.get(name) is True for name in _CONDITIONS)
            # A failure due to a screen that is off mentions it in its own message.
            self.conditions.add(woken=woken, dark=dark and not failed, locked=locked)

    async def _decode_rested(self, answer: Answer) -> Rested:
        """Decode the screen in the answer to an action."""
        raise NotImplementedError
