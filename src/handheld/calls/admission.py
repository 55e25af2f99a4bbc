"""Admits a call: the approver is asked, with the apps on the screen where its rules need them."""

import re
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ..errors import ActionFailed, ElementNotFound, PermissionDenied, ToolError
from ..phone.leases.shares import APP_CALLS, CALLS, WAITS, is_owner
from ..screen.model import Flag, Screen
from ..tools.call import Beside, ToolCall
from ..tools.listing import FILES_TOOLSET, HOLD_TOOL, OPTIONAL_TOOLSETS, RECORDING_TOOLSET, TAP_TOOL
from ..tools.tool import APP_TOOLSET, DELETE_TOOL, LOG_TOOL, SCREEN_TOOL, Listing
from .call import Apps, Call
from .protocols import Approver

if TYPE_CHECKING:
    from ..phone.phone import Phone

_WAITS = frozenset({"wait_for_element", "wait_for_idle", "wait_for_notification", "phone_wait"})

"""Packages of the apps on the screen, the one in front first; empty when unknown."""


_SYSTEM = frozenset({"android", "com.android.systemui"})
"""Bars and panels: there on every screen."""
_OVERVIEW = re.compile(r":id/(overview_panel|recents_view|task_view\w*|snapshot)$")
"""Views of the overview of recent apps, in Android's launcher and system UI."""
_BESIDE_THE_SCREEN = (OPTIONAL_TOOLSETS - {RECORDING_TOOLSET}) | {
    "apps",
    FILES_TOOLSET,
    "sms",
    APP_TOOLSET,
}
"""Toolsets whose tools do what their arguments say, whatever is on the screen."""
_STATES = (
    Flag.CHECKED
    | Flag.PARTLY_CHECKED
    | Flag.SELECTED
    | Flag.ENABLED
    | Flag.EXPANDED
    | Flag.PASSWORD
    | Flag.FOCUSED
)
"""What a person sees of an element beside its words: a switch that was thrown is another answer,
and keys go to what has the focus."""
_QUESTIONS = 3
"""How often a person is asked about one call because the screen changed before the answer."""


_TOUCHES = (TAP_TOOL, HOLD_TOOL)

_UNLIMITED = nullcontext()


class Seen(NamedTuple):
    """A screen as a person saw it who was asked about a call."""

    apps: Apps = ()
    title: str = ""
    content: int | None = None
    """A hash of what the apps show; None if the screen could not be read."""
    subject: str = ""
    """What the arguments stood for."""


def share(call: ToolCall, phone: "Phone") -> AbstractContextManager[None]:
    """Let a call in if its token has a share of the phone left. Raises ActionFailed on entry."""
    token = "" if call.caller.person else call.caller.token
    return _UNLIMITED if is_owner(token) else _take_share(call, phone, token)


@contextmanager
def _take_share(call: ToolCall, phone: "Phone", token: str) -> Generator[None]:
    kinds = [(phone.calls, CALLS, "calls")]
    if call.tool in _WAITS:
        kinds.append((phone.waits, WAITS, "waits"))
    if call.listing.toolset == APP_TOOLSET:
        kinds.append((phone.app_calls, APP_CALLS, "calls to tools of apps"))
    with ExitStack() as stack:
        for shares, most, kind in kinds:
            if not stack.enter_context(shares.taken(token)):
                raise ActionFailed(
                    f"{most.of_one} {kind} of a token, and {most.of_all} of all tokens but the"
                    " owner's, may run on a phone at a time, and as many do. Nothing was done."
                    " Call this again when one has ended."
                )
        yield


class Admission:
    def __init__(self, approver: Approver | None) -> None:
        self._approver = approver

    async def admit(self, call: Call) -> Apps | None:
        """Return the apps on the screen, where they make a difference. Raises ToolError."""
        if self._approver is None:
            return None
        record = call.record
        if await _destroys(call):
            record.call = _with(record.call, DELETE_TOOL)
        if call.tool.touches is not None and not self._is_denied(record.call):
            record.call = await self._as_touching(record.call, call)
        apps = judged = None
        if self._approver.wants_app(record.call):
            apps = judged = await apps_in_front(call.phone)
            # Of a screen with nothing but parts of apps, the one in front is not known.
            if apps and not isinstance(apps[0], Beside):
                named = [*_named_apps(call), *await _apps_about(call)]
                call.about = tuple(dict.fromkeys(named))
                judged = tuple(dict.fromkeys((*apps, *named)))
        elif call.tool.about is not None and self._approver.asks_person(record.call):
            call.about = tuple(dict.fromkeys(await _apps_about(call)))
        for _ in range(_QUESTIONS):
            seen = await self._ask_about(call, judged)
            if call.tool.exclusive:
                call.answered = seen  # what happens until its turn counts, too
                return apps
            if seen is None or seen == _relevant(call, await _look(call)):
                return apps
        raise PermissionDenied(
            f"The owner of the phone was asked about {call.name} and said yes, but each time the"
            " screen was another by then. Nothing was done. Wait until the screen rests."
        )

    def _is_denied(self, made: ToolCall) -> bool:
        """Whether a rule denies it in every app."""
        assert self._approver is not None
        unknown = self._approver.wants_app(made)
        return not unknown and self._approver.objection(made, made.apps) is not None

    async def _as_touching(self, made: ToolCall, call: Call) -> ToolCall:
        """The call, judged as the taps and long presses that its movements are to elements on the
        screen, too; the same object if they are none. The screen is read only if a rule may decide
        otherwise then."""
        assert self._approver is not None
        if call.tool.touches is None:
            return made
        touching = _with(made, *_TOUCHES)
        if not (
            self._approver.wants_app(touching)
            or self._approver.asks_person(touching)
            or self._approver.objection(touching, made.apps) is not None
        ):
            return made
        from ..phone.input.touch_kind import kinds_within  # few rules are about taps

        try:
            screen = await call.phone.driver.read_screen()
            paths = call.tool.touches(call.phone, screen, call.arguments)
        except ToolError:
            return touching  # what it would touch cannot be told
        kinds = {kind for path in paths for kind in kinds_within(screen, path)}
        return _with(made, *(kind for kind in _TOUCHES if kind in kinds))

    async def _ask_about(self, call: Call, judged: Apps | None) -> Seen | None:
        """Return what the answer depends on of the screen that a person was asked about; None if
        nobody was. Raises PermissionDenied."""
        assert self._approver is not None
        record = call.record
        asked = record.call._replace(apps=judged) if judged else record.call
        if not self._approver.asks_person(asked):
            await self.ask(call, judged)
            return None
        seen = await _look(call)
        if seen.content is None and not _is_told_by_arguments(record.call.listing):
            # A yes would hold for every other screen that cannot be read.
            record.denied = True
            raise PermissionDenied(
                f"The owner of the phone wants to be asked before {record.call.tool}, and a yes is"
                " for the screen that is there. It cannot be read now, so the owner was not"
                " asked. Nothing was done. Call this again when the screen can be read; if it stays"
                " so, tell the user, who can act on the phone in the console."
            )
        shown = judged or tuple(dict.fromkeys((*seen.apps, *call.about)))
        await self.ask(call, shown, seen.title, seen.subject)
        return _relevant(call, seen)

    async def still_holds(self, call: Call) -> bool:
        """Whether the screen, and what ids stand for, is that for which a person said yes, if a
        person did. Raises ToolError."""
        if call.answered is None:
            return True
        return call.answered == _relevant(call, await _look(call))

    async def touches_as_judged(self, call: Call) -> bool:
        """Whether its movements are, on the screen that is there now, no other touches than it was
        judged as."""
        if self._approver is None:
            return True
        return await self._as_touching(call.record.call, call) is call.record.call

    async def ask(self, call: Call, apps: Apps | None, title: str = "", subject: str = "") -> None:
        """Raises PermissionDenied."""
        assert self._approver is not None
        try:
            judged = call.record.call
            if apps or title or subject:
                judged = judged._replace(apps=apps or (), screen=title, subject=subject)
            await self._approver.ask(judged)
        except PermissionDenied:
            call.record.denied = True
            raise

    def objection(self, call: Call, admitted: Apps, apps: Apps) -> str | None:
        """The rule by which a call that was admitted for some apps may not go on while others are
        on the screen."""
        assert self._approver is not None
        admitted = (*admitted, *(app for app in call.about if app not in admitted))
        return self._approver.objection(call.record.call._replace(apps=admitted), apps)

    async def may_see(self, call: Call, apps: Apps) -> bool:
        """Whether the reply to a call that was done may show these apps."""
        assert self._approver is not None
        made = call.record.call
        listing = replace(made.listing, abilities=(SCREEN_TOOL,))
        try:
            await self._approver.ask(made._replace(listing=listing, apps=apps))
        except PermissionDenied:
            return False
        return True


async def _destroys(call: Call) -> bool:
    if call.tool.destroys is None:
        return False
    try:
        return await call.tool.destroys(call.phone, call.arguments)
    except ToolError:
        return False  # the call fails for the same reason


def _is_told_by_arguments(listing: Listing) -> bool:
    """Whether what a call does depends on its arguments alone, and not on the screen."""
    return all(listing.toolset_of(each) in _BESIDE_THE_SCREEN for each in listing.abilities)


def _relevant(call: Call, seen: Seen) -> Seen:
    """What a yes depends on of a screen: nothing but the subject where the arguments tell all. Who
    answers on the phone itself has the question on its screen, with the seconds left."""
    if _is_told_by_arguments(call.record.call.listing):
        return Seen(subject=seen.subject)
    return seen


def _with(call: ToolCall, *abilities: str) -> ToolCall:
    """The call, judged by these abilities, too; the same object where it has them."""
    known = call.listing.abilities
    if all(each in known for each in abilities):
        return call
    more = tuple(dict.fromkeys((*known, *abilities)))
    return call._replace(listing=replace(call.listing, abilities=more))


def _named_apps(call: Call) -> Iterator[str]:
    """The apps whose elements the arguments name: a failure tells their words, and another caller
    may have been shown them. And the app whose tool or log it is."""
    offer = call.tool.listing.offer
    named = [offer.package if offer else call.arguments.get("package_name")]
    if LOG_TOOL in call.tool.listing.abilities:
        named.append(call.arguments.get("of"))  # as the tool for models calls it
    for package in named:
        if isinstance(package, str) and package.strip():
            yield package.strip()
    if call.tool.locate is None:
        return
    for target in call.tool.locate(call.phone, call.arguments).values():
        try:
            ref = call.phone.elements.look_up(target.id).ref
        except ElementNotFound:
            continue
        if ref is not None and ref.package:
            yield ref.package


async def _apps_about(call: Call) -> Iterable[str]:
    """Raises ToolError: a call about an app that cannot be told must not pass its rules."""
    if call.tool.about is None:
        return ()
    return await call.tool.about(call.phone, call.arguments)


def _subject(call: Call, screen: Screen | None) -> str:
    """What the arguments stand for on that screen. Raises ToolError where ids no longer stand
    for anything."""
    said = "" if call.tool.subject is None else call.tool.subject(call.phone, call.arguments)
    if screen is None or call.of_app:
        return said
    from ..tools.agent.elements.aims import describe_aims  # most calls are not asked about

    refs = call.tool.locate is not None
    aims = describe_aims(call.phone, screen, call.tool.name, call.arguments, refs=refs)
    return "; ".join(filter(None, (said, aims)))


async def _look(call: Call) -> Seen:
    """Raises ToolError where ids no longer stand for anything."""
    try:
        screen = await call.phone.driver.read_screen()
    except ToolError:
        screen = None
    seen = Seen() if screen is None else _see(screen)
    return seen._replace(subject=_subject(call, screen))


def _see(screen: Screen) -> Seen:
    # Bars and keyboards change by themselves.
    shown = [window for window in screen.windows if window.focused or window.type == "APPLICATION"]
    content = [
        (
            *(window.package, window.title, node.class_name, node.text, node.description),
            node.bounds,
            node.flags & _STATES,
            (details := window.details.get(number)) and (details.state, details.range),
        )
        for window in shown
        for number, node in enumerate(window.nodes)
    ]
    active = screen.active
    title = (active.title or "") if active is not None else ""
    return Seen(apps_on(screen), title, hash((screen.rotation, *content)))


def apps_on(screen: Screen) -> Apps:
    """Packages of what is in front, has the focus, or is an app's window beside or behind that: in
    half of a split screen, or under a dialog. Then, as `Beside`, those that show a part of it: an
    overlay, a widget, a notification with views of its own."""
    front = [screen.foreground[0]] if screen.foreground else []
    shown = sorted(
        window.package
        for window in screen.windows
        if window.package and (window.focused or window.type == "APPLICATION")
    )
    apps = dict.fromkeys((*front, *shown))
    parts = _packages_of_parts(screen) - apps.keys() - _SYSTEM
    return (*apps, *map(Beside, sorted(parts)))


def _packages_of_parts(screen: Screen) -> set[str]:
    """The packages of overlays; and those in the ids of views, which are of the app that made them
    wherever they are shown."""
    packages = {
        window.package
        for window in screen.windows
        if window.package and window.type != "INPUT_METHOD"
    }
    for window in screen.windows:
        if window.type != "INPUT_METHOD":
            ids = (node.resource_id for node in window.nodes if node.resource_id)
            packages.update(id.partition(":id/")[0] for id in ids if ":id/" in id)
    return packages


def apps_pictured(screen: Screen) -> Apps:
    """The apps that a picture of the screen may show; none if they cannot be told: the overview of
    recent apps has pictures of them, and their packages nowhere."""
    overview = any(
        _OVERVIEW.search(node.resource_id)
        for window in screen.windows
        for node in window.nodes
        if node.resource_id
    )
    return () if overview else apps_on(screen)


async def apps_in_front(phone: "Phone", of: Callable[[Screen], Apps] = apps_on) -> Apps:
    try:
        return of(await phone.driver.read_screen())
    except ToolError:
        return ()
