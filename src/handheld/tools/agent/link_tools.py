"""Opening apps, links and pages of the settings; and intents, if the owner allows them."""

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from ...driver.intents import ComponentKind, Handler, Intent, Sent
from ...errors import InvalidParams
from ...phone.phone import Phone
from ...screen.rows.words import clean, cut
from ..listing import INTENT_TOOLSET
from ..parameter import Param
from ..recording import Secret
from ..tool import Toolset
from .apps import find_anywhere, find_app
from .elements.acting import OPEN_MS, act
from .elements.actions import intent_actions, open_actions
from .params import Opened, OpenedBy

# The first call with a link or an intent loads the implementation: most sessions do not use it.

app_opening = Toolset("apps")
intent_tools = Toolset(INTENT_TOOLSET)

MOST_LISTED = 50
_USUAL = re.compile(r"[\w.$/]{1,500}", re.ASCII)


async def _apps_of_link(phone: Phone, arguments: Mapping[str, Any]) -> Iterable[str]:
    from ...phone.intents.arguments import is_link, make_link, read_texts
    from ...phone.intents.intents import find_takers

    [what, by] = read_texts(arguments, "what", "by")
    if not is_link(what):
        return ()
    try:
        intent = make_link(what, (await find_app(phone, by))[0] if by else "")
    except InvalidParams:
        return ()  # the call fails for the same reason
    return await find_takers(phone, intent)


@app_opening.tool(
    name="phone_open",
    title="Open",
    open_world=True,
    secret_reply=Secret.NO,
    actions=open_actions,
    about=_apps_of_link,
)
async def open_what(phone: Phone, what: Opened, by: OpenedBy = None) -> str:
    """Open an app, a link or a settings page."""
    from ...phone.intents.arguments import is_link, make_link

    if is_link(what):
        package = (await find_app(phone, by))[0] if by else ""
        predicate = f'opens "{cut(clean(what.strip()), 200)}"'
        return await _open_intent(phone, make_link(what, package), predicate)
    package, name, profile = await find_anywhere(phone, what)
    opened = package

    async def operation(resting: Phone) -> None:
        nonlocal opened
        if profile is None:
            opened = await resting.driver.launch(package)
        else:
            opened = await resting.driver.launch_in(profile, package)

    return await act(
        phone,
        f"Opened {name}.",
        operation,
        most_ms=OPEN_MS,
        leaves=True,
        opens=lambda: opened,
    )


async def _open_intent(phone: Phone, intent: Intent, predicate: str) -> str:
    from ...phone.intents.intents import deliver, tell_front

    sent = Sent(())

    async def operation(resting: Phone) -> None:
        nonlocal sent
        sent = await deliver(resting, intent, predicate)

    return await act(
        phone,
        lambda: f"Opened by {_name(sent.handlers[0])}.{tell_front(sent)}",
        operation,
        most_ms=OPEN_MS,
        leaves=True,
        opens=lambda: sent.front or sent.handlers[0].package,
    )


def _name(handler: Handler) -> str:
    label = cut(clean(handler.label), 60)
    return f'"{label}" ({handler.package})' if label else handler.package


def _component(handler: Handler) -> str:
    """Quote the component unless it is a valid class name: Android checks only packages."""
    name = handler.component
    return name if _USUAL.fullmatch(name) else f'"{cut(clean(name), 200)}"'


IntentVerb = Literal["open", "service", "broadcast", "find"]
_KINDS: Mapping[str, ComponentKind] = {
    "open": "activity",
    "service": "service",
    "broadcast": "broadcast",
    "find": "activity",
}


def _texts(arguments: Mapping[str, Any]) -> tuple[str, str, str, str, str, str]:
    """Return the raw arguments that decide about the handler and the rules. Raises
    InvalidParams."""
    from ...phone.intents.arguments import read_texts

    do, action, data, mime, app, component = read_texts(
        arguments, "do", "action", "data", "mime", "app", "component"
    )
    return do, action, data, mime, app, component


def _make(
    do: str,
    action: str,
    data: str,
    mime: str,
    app: str,
    component: str,
    extras: Mapping[str, Any] | None = None,
) -> Intent:
    """Raises InvalidParams."""
    from ...phone.intents.arguments import make_intent
    from ...phone.intents.uri import VIEW

    if do not in _KINDS:
        raise InvalidParams("There is no such intent.")
    kind = _KINDS[do]
    return make_intent(
        kind,
        action=action or (VIEW if data and kind == "activity" else ""),
        data=data,
        mime_type=mime,
        package=app,
        component=component,
        extras=extras,
    )


def _is_plain(arguments: Mapping[str, Any]) -> bool:
    from ...phone.intents.rules import is_plain

    try:
        texts = _texts(arguments)
    except InvalidParams:
        return False
    try:
        return is_plain(_make(*texts))
    except InvalidParams:
        return True  # the call only fails


async def _apps_of_intent(phone: Phone, arguments: Mapping[str, Any]) -> Iterable[str]:
    from ...phone.intents.intents import find_takers

    try:
        intent = _make(*_texts(arguments))
    except InvalidParams:
        return ()
    # A query lists the handlers without the apps hidden from the caller.
    return () if arguments["do"] == "find" else await find_takers(phone, intent)


@intent_tools.tool(
    name="phone_intent",
    title="Intent",
    destructive=True,
    open_world=True,
    secret_reply=Secret.NO,
    actions=intent_actions,
    about=_apps_of_intent,
    plain=_is_plain,
)
async def intent(
    phone: Phone,
    do: Annotated[IntentVerb, Param("find lists who takes it")],
    action: Annotated[str | None, Param("android.intent.action.VIEW", secret=Secret.NO)] = None,
    data: Annotated[str | None, Param("URI", secret=Secret.URL)] = None,
    mime: Annotated[str | None, Param("", secret=Secret.NO, schema={"description": None})] = None,
    app: Annotated[str | None, Param("package", secret=Secret.NO)] = None,
    component: Annotated[str | None, Param("package/class", secret=Secret.NO)] = None,
    extras: Annotated[dict[str, Any] | None, Param("by name", secret=Secret.ALWAYS)] = None,
) -> str:
    """Send an Android intent."""
    from ...phone.intents.intents import deliver, describe_intent

    made = _make(do, action or "", data or "", mime or "", app or "", component or "", extras)
    if not (made.action or made.data or made.package):
        raise InvalidParams("phone_intent needs action, data, app or component.")
    match do:
        case "find":
            return await _find(phone, made)
        case "open":
            return await _open_intent(phone, made, describe_intent(made))
        case "service" | "broadcast":
            sent = await deliver(phone, made, describe_intent(made))
            names = ", ".join(dict.fromkeys(map(_name, sent.handlers)))
            return f"{'Started in' if do == 'service' else 'Sent to'} {names}."


async def _find(phone: Phone, intent: Intent) -> str:
    found = [each for each in await phone.driver.handlers(intent) if not phone.hides(each.package)]
    lines = [
        f"{_name(each)} {_component(each)}{' default' if each.default else ''}"
        for each in found[:MOST_LISTED]
    ]
    more = [f"{len(found) - MOST_LISTED} more."] if len(found) > MOST_LISTED else []
    return "\n".join([*lines, *more]) or "No app takes it."
