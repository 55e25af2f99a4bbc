"""Touch by coordinates, in pixels of the screen."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ...errors import InvalidParams
from ...phone.input.touch_kind import kind_of, through_middle
from ...phone.phone import Phone
from ...phone.screen import dragging
from ...screen.model import Screen
from ..parameter import Unusable
from ..recording import ReplayMode, Secret
from ..tool import Action, Listing, Paths, Reply, Toolset
from .params import (
    Amount,
    Direction,
    EndX,
    EndY,
    PressDuration,
    StartX,
    StartY,
    SwipeDuration,
    X,
    Y,
)
from .paths import Path

touch = Toolset("touch")

BEYOND = 1_000_000.0
"""Beyond any screen, but still a number that a phone accepts, which then refuses it with its
screen's size."""
DOUBLE_TAP_GAP_MS = 100
SHARES = {"small": 0.25, "medium": 0.5, "large": 0.75}
"""Shares of the screen's height or width."""


def within_numbers(value: float) -> float:
    return min(value, BEYOND)


def judged_by_path(
    kinds: Callable[[Mapping[str, Any]], set[str]],
) -> Callable[[Listing], Action]:
    """Return the action of a tool whose touches rules also judge by their effect on the phone.
    `kinds` reads the raw arguments, and may raise for those that the tool refuses."""

    def make(listing: Listing) -> Action:
        def judged(*also: str) -> Listing:
            tools = tuple(dict.fromkeys((listing.name, *also)))
            return replace(listing, abilities=tools)

        actions = {
            "move": judged(),
            "tap": judged("tap"),
            "long_press": judged("long_press"),
            "both": judged("tap", "long_press"),
        }

        def choose(arguments: Mapping[str, Any]) -> str:
            try:
                found = kinds(arguments) - {"move"}
            except (InvalidParams, Unusable, ArithmeticError, LookupError, TypeError, ValueError):
                return "both"  # the tool refuses it
            return "both" if len(found) > 1 else next(iter(found), "move")

        return Action(actions, choose)

    return make


def _swiped(given: Mapping[str, Any]) -> list[Path]:
    x1, y1, x2, y2 = (float(given[name]) for name in ("x1", "y1", "x2", "y2"))
    return [[(x1, y1, 0), (x2, y2, float(given.get("duration") or 300))]]


def _swipe_kind(given: Mapping[str, Any]) -> set[str]:
    return set(map(kind_of, _swiped(given)))


def _press_kind(given: Mapping[str, Any]) -> set[str]:
    return {kind_of([(0, 0, 0), (0, 0, float(given.get("duration", 1000)))])}


@touch.tool(title="Tap", secret_reply=Secret.NO, console=True, replay=ReplayMode.WHEN_IDLE)
async def tap(phone: Phone, x: X, y: Y) -> str:
    """Performs a single tap at the specified coordinates."""
    await phone.driver.touch([[(within_numbers(x), within_numbers(y), 0)]])
    return f"Tap executed at ({int(x)}, {int(y)})"


@touch.tool(
    title="Long press",
    secret_reply=Secret.NO,
    console=True,
    replay=ReplayMode.WHEN_IDLE,
    actions=judged_by_path(_press_kind),
)
async def long_press(phone: Phone, x: X, y: Y, duration: PressDuration = 1000) -> str:
    """Performs a long press at the specified coordinates."""
    at_x, at_y = within_numbers(x), within_numbers(y)
    await phone.driver.touch([[(at_x, at_y, 0), (at_x, at_y, duration)]])
    return f"Long press executed at ({int(x)}, {int(y)}) for {duration}ms"


@touch.tool(title="Double tap", secret_reply=Secret.NO, console=True, replay=ReplayMode.WHEN_IDLE)
async def double_tap(phone: Phone, x: X, y: Y) -> str:
    """Performs a double tap at the specified coordinates."""
    at_x, at_y = within_numbers(x), within_numbers(y)
    await phone.driver.touch([[(at_x, at_y, 0)], [(at_x, at_y, DOUBLE_TAP_GAP_MS)]])
    return f"Double tap executed at ({int(x)}, {int(y)})"


@touch.tool(
    title="Swipe",
    secret_reply=Secret.NO,
    console=True,
    replay=ReplayMode.WHEN_IDLE,
    actions=judged_by_path(_swipe_kind),
    touches=lambda phone, screen, given: _swiped(given),
)
async def swipe(
    phone: Phone, x1: StartX, y1: StartY, x2: EndX, y2: EndY, duration: SwipeDuration = 300
) -> str:
    """Performs a swipe gesture from one point to another."""
    start = within_numbers(x1), within_numbers(y1), 0
    await phone.driver.touch([[start, (within_numbers(x2), within_numbers(y2), duration)]])
    return f"Swipe executed from ({int(x1)}, {int(y1)}) to ({int(x2)}, {int(y2)}) over {duration}ms"


def _scrolled(phone: Phone, screen: Screen, given: Mapping[str, Any]) -> Paths:
    return through_middle(screen, given["direction"], SHARES[given.get("amount") or "medium"])


@touch.tool(title="Scroll", secret_reply=Secret.NO, replay=ReplayMode.WHEN_IDLE, touches=_scrolled)
async def scroll(phone: Phone, direction: Direction, amount: Amount = "medium") -> Reply:
    """Scrolls the screen in the specified direction. Calculates scroll distance as a percentage of
    screen dimension based on the amount parameter."""
    moved = await dragging.scroll(phone, direction, SHARES[amount])
    return [f"Scroll {direction} ({amount}) executed", moved]
