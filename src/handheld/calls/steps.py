"""The steps of a `phone_do`, as models send them."""

import json
from typing import Any, cast

from ..errors import InvalidParams
from ..screen.rows.words import clean, cut
from ..tools.agent.arguments import parse_text
from ..tools.parameter import LONGEST as LONGEST_TEXT

STEPS = ("tap", "type", "scroll", "swipe", "press", "open", "wait")
"""Only what happens on the screen: who lets a client run steps has not let it send messages or
delete files."""
MOST_STEPS = 50
_FIRST = {
    "tap": "at",
    "type": "text",
    "scroll": "direction",
    "swipe": "at",
    "press": "key",
    "open": "what",
    "wait": "text",
}
"""The parameter that is meant where only one value is given."""


def read_steps(steps: Any) -> list[Any]:
    """Raises InvalidParams."""
    if isinstance(steps, dict):
        steps = [cast("dict[str, Any]", steps)]
    if not isinstance(steps, list) or not steps:
        raise InvalidParams(
            'phone_do needs steps: [{"tool":"tap","at":"k4"},{"tool":"press","key":"back"}].'
        )
    found = cast("list[Any]", steps)
    if len(found) > MOST_STEPS:
        raise InvalidParams(f"phone_do takes at most {MOST_STEPS} steps, got {len(found)}.")
    return found


def read_step(step: Any) -> tuple[str, dict[str, Any]]:
    """Return the tool and its arguments. `{"tap": "7"}` and `{"tap": {"at": "7"}}` are taken, too.
    A step that names two tools is none. Raises InvalidParams."""
    step = _parsed(step)
    if isinstance(step, dict):
        given = cast("dict[str, Any]", step)
        tool = _step_name(given.get("tool"))
        if tool:
            rest = {name: each for name, each in given.items() if name != "tool"}
            nested = _parsed(rest.get("arguments"))
            if isinstance(nested, dict):
                del rest["arguments"]
                return tool, {**rest, **cast("dict[str, Any]", nested)}
            return tool, rest
        # `scroll: true` is a parameter of a tap.
        named = {
            name: each
            for name, value in given.items()
            if not isinstance(value, bool) and (each := _step_name(name))
        }
        if len(named) == 1 and "tool" not in given:
            [(name, tool)] = named.items()
            rest = {other: each for other, each in given.items() if other != name}
            value = _parsed(given[name])
            if isinstance(value, dict):
                return tool, {**rest, **cast("dict[str, Any]", value)}
            if isinstance(value, str | int | float):
                return tool, {**rest, _first(tool, str(value)): str(value)}
    shown = cut(clean(json.dumps(step, ensure_ascii=False)[:LONGEST_TEXT]), 80)
    raise InvalidParams(f"A step has tool, one of {', '.join(STEPS)}; got {shown}.")


def _first(tool: str, value: str) -> str:
    """Return the parameter that is meant where only one value is given."""
    if tool == "scroll" and value.strip().lower() not in ("down", "up", "left", "right"):
        return "until"
    return _FIRST[tool]


def _step_name(name: Any) -> str:
    """The step's tool; "" if it is none."""
    tool = name.strip().lower().removeprefix("phone_") if isinstance(name, str) else ""
    return tool if tool in STEPS else ""


def _parsed(value: Any) -> Any:
    """An object may be sent as JSON text."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        return parse_text(value)
    return value
