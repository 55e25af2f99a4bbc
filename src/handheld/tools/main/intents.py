"""Intents to any component of an app. The toolset is off unless the owner switches it on."""

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from ...driver.intents import ComponentKind, Intent
from ...errors import InvalidParams
from ...phone.phone import Phone
from ...screen.text import brief
from ..listing import INTENT_TOOLSET
from ..recording import Secret
from ..tool import Reply, Toolset
from .intent_params import (
    Categories,
    Extras,
    ExtrasTypes,
    IntentAction,
    IntentComponent,
    IntentData,
    IntentFlags,
    IntentPackage,
    IntentType,
    MimeType,
)

# The first call loads the implementation: most sessions do not use it.

intents = Toolset(INTENT_TOOLSET)

KINDS: tuple[ComponentKind, ...] = get_args(ComponentKind)


def _texts(arguments: Mapping[str, Any]) -> list[str]:
    """Return the raw arguments that decide about the handler and the rules. Raises
    InvalidParams."""
    from ...phone.intents.arguments import read_texts

    return read_texts(arguments, "type", "action", "data", "mime_type", "package_name", "component")


def _intent_of(
    kind: str, action: str, data: str, mime_type: str, package: str, component: str
) -> Intent:
    """Raises InvalidParams."""
    from ...phone.intents.arguments import make_intent

    for known in KINDS:
        if kind.strip().lower() == known:
            return make_intent(
                known,
                action=action,
                data=data,
                mime_type=mime_type,
                package=package,
                component=component,
            )
    raise InvalidParams("no such type")


def _is_plain(arguments: Mapping[str, Any]) -> bool:
    """Return whether the intent is plain. One that cannot be sent is: its call only fails."""
    from ...phone.intents.rules import is_plain

    try:
        texts = _texts(arguments)
    except InvalidParams:
        return False
    try:
        return is_plain(_intent_of(*texts))
    except InvalidParams:
        return True


async def _apps_of_intent(phone: Phone, arguments: Mapping[str, Any]) -> Iterable[str]:
    from ...phone.intents.intents import find_takers

    try:
        intent = _intent_of(*_texts(arguments))
    except InvalidParams:
        return ()  # the call fails for the same reason
    return await find_takers(phone, intent)


@intents.tool(
    title="Send intent",
    destructive=True,
    open_world=True,
    secret_reply=Secret.NO,
    about=_apps_of_intent,
    plain=_is_plain,
)
async def send_intent(
    phone: Phone,
    type: IntentType,
    action: IntentAction = None,
    data: IntentData = None,
    mime_type: MimeType = None,
    package_name: IntentPackage = None,
    component: IntentComponent = None,
    categories: Categories = None,
    extras: Extras = None,
    extras_types: ExtrasTypes = None,
    flags: IntentFlags = None,
) -> Reply:
    """Sends an Android intent: starts an activity or a service, or sends a broadcast. The reply
    names the app that takes it. Services and broadcasts need a component or a package."""
    from ...phone.intents.arguments import make_intent
    from ...phone.intents.intents import deliver, describe_intent, name_apps, tell_front

    intent = make_intent(
        type,
        action=action or "",
        data=data or "",
        mime_type=mime_type or "",
        package=package_name or "",
        component=component or "",
        categories=categories or (),
        extras=extras,
        extras_types=extras_types,
        flags=flags or (),
    )
    if not (intent.action or intent.data or intent.package):
        raise InvalidParams("An intent needs an action, data, a component or a package_name.")
    sent = await deliver(phone, intent, describe_intent(intent))
    first = f"Intent sent successfully: type={type}, action={brief(action or '') or '(none)'}"
    return [
        first,
        _tell(intent, name_apps(sent.handlers)) + tell_front(sent),
    ]


def _tell(intent: Intent, apps: str) -> str:
    match intent.kind:
        case "activity":
            return f"Opened by {apps}."
        case "service":
            return f"Started in {apps}."
        case "broadcast":
            return f"Sent to {apps}."
