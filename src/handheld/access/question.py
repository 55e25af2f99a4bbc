"""A question as a person is asked it, as JSON."""

import json
from collections.abc import Mapping
from typing import Any

from ..toolkit.call import Beside
from .approval import Pending

LONGEST = 20_000
MOST_ARGUMENTS = 100


def question(pending: Pending, longest: int = LONGEST) -> dict[str, Any]:
    """The arguments are unmasked, and shortened, which they then say, only if nobody could read
    them all, or one has more than `longest` characters."""
    call = pending.call
    return {
        "id": pending.id,
        "call": call.id,
        "tool": call.tool,
        "title": call.listing.title,
        "arguments": _shown(call.arguments, longest),
        "phone": call.phone,
        "app": ", ".join(app for app in call.apps if not isinstance(app, Beside)),
        "screen": call.screen,
        "subject": call.subject,
        "client": call.caller.client,
        "door": call.caller.transport,
        "token": call.caller.token,
        "asked_at": pending.asked_at,
        "until": pending.until,
        "rule": pending.rule,
        "package": call.listing.offer.package if call.listing.offer else "",
        "allow_by": {"setting": pending.remedy.setting, "command": pending.remedy.command},
        "always": pending.remedy.app is not None,
    }


def _shown(arguments: Mapping[str, Any], longest: int) -> dict[str, Any]:
    shown = {name: _cut(value, longest) for name, value in list(arguments.items())[:MOST_ARGUMENTS]}
    if more := len(arguments) - len(shown):
        shown["…"] = f"{more} more arguments are not shown"
    return shown


def _cut(value: Any, longest: int) -> Any:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) <= longest:
        return value
    return f"{text[:longest]}… ({len(text) - longest} more characters are not shown)"
