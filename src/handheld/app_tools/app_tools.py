"""The tools that the apps on each phone declare, kept up to date with its installed apps."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Collection, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ..clock import Clock
from ..driver.app_tools import AppFailed, AppProblem, DeclaredTools
from ..errors import (
    ActionFailed,
    AppToolMissing,
    InvalidParams,
    PermissionDenied,
    TimedOut,
    ToolError,
)
from ..screen.characters import visible_lines
from ..tools.app_offer import AppOffer, Standing
from ..tools.parameter import input_schema, read_arguments
from ..tools.tool import APP_TOOLSET, Listing, Reply, Run, Tool, json_text
from . import providers, services
from .calling import switched_off
from .discovered import (
    DESCRIPTION_LIMIT,
    MOST_PROBLEMS,
    MOST_TOOLS,
    PROBLEM_LIMIT,
    UNKNOWN,
    DiscoveredApp,
    DiscoveredTool,
    digest_of,
    end_sentence,
    label_of,
    name_app,
    words,
)
from .listed_functions import NO_FUNCTIONS, FunctionsOfPhone
from .naming import FUNCTION
from .trust import UNKNOWN_PHONE, AppRecord, Trust, TrustError

if TYPE_CHECKING:
    from ..phone.phone import Phone

_ASKED_AT_ONCE = 8
"""The number of calls that the helper works on at a time; named tokens have fewer
(`phone/leases/shares.py`)."""
_ASK_SECONDS = 7.0
"""For all providers together: listing tools waits no longer for silent ones."""
_ASK_AGAIN_SECONDS = 30.0
"""For silent providers, and for app functions: Android indexes functions some time after an app is
installed, and apps switch them on and off."""
MOST_OF_ALL = 1000
"""Tools of all apps on a phone together."""
CALL_LIMIT = 256 * 1024
"""UTF-8 bytes of a call's arguments."""

log = logging.getLogger("handheld")


@dataclass(frozen=True, slots=True)
class _Known:
    boot: int
    sequence: int
    """Android's counter of package changes, which restarts at each boot."""
    apps: Sequence[DiscoveredApp]
    silent: frozenset[str]
    """Authorities of the providers that did not answer."""
    again: float
    """When silent providers are asked again although no package has changed."""
    asked: "_Asked"
    functions: FunctionsOfPhone
    functions_again: float
    """When app functions are listed again."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """The answers of services and providers."""

    declared: DeclaredTools
    answers: Sequence[tuple[providers.DeclaringProvider, Any]]
    held: Collection[str] | None
    """The permissions of adb's shell; None if they do not matter or are unknown."""


class AppTools:
    """The app tools of all phones of this process."""

    def __init__(self, trust: Trust, *, timeout_ms: int, reply_limit: int) -> None:
        """`reply_limit` counts the characters of a reply."""
        self._trust = trust
        self._timeout_ms = timeout_ms
        self._reply_limit = reply_limit
        self._known: WeakKeyDictionary[Phone, _Known] = WeakKeyDictionary()
        self._looking: WeakKeyDictionary[Phone, asyncio.Lock] = WeakKeyDictionary()
        self._calling: WeakKeyDictionary[Phone, asyncio.Semaphore] = WeakKeyDictionary()

    async def tools(self, phone: "Phone") -> list[Tool]:
        """Return the tools that may be used, under stable names. Raises ToolError."""
        return await self._listed(phone, await self._discover(phone))

    async def _listed(self, phone: "Phone", apps: Sequence[DiscoveredApp]) -> list[Tool]:
        judged = await self._judge(phone, apps)
        found: list[Tool] = []
        for discovered in apps:
            record = judged.get(discovered.app.package)
            if record is not None and record.standing.listed and discovered.tools:
                named = zip(record.tools, discovered.tools, strict=True)
                offer = AppOffer(record.package, phone.name, record.seen.digest, record.standing)
                found += [self._tool(name, discovered, declared, offer) for name, declared in named]
        return found

    async def find(self, phone: "Phone", name: str, called: str) -> Tool | None:
        """Return the tool with that bare name; None if no app ever declared it. `called` is its
        name in messages. Raises ToolError if the app that declared it is gone or not listed."""
        apps: Sequence[DiscoveredApp] = ()
        # A known tool is called without asking its app again: Android itself checks functions at
        # each call.
        for lately in (False, True):
            before, apps = apps, await self._discover(phone, lately=lately)
            if apps is before:
                break
            for tool in await self._listed(phone, apps):
                if tool.name == name:
                    return tool
        owner = self._trust.owner_of(name)
        if owner is None:
            return None
        package = owner[0]
        record = self._trust.record(phone.name, package)
        here = next((discovered for discovered in apps if discovered.app.package == package), None)
        label = f"{self._trust.label_of(package)} ({package})"
        if here is not None and owner[1] == FUNCTION and owner[2] in here.off:
            raise ActionFailed(f"{switched_off(label)} Nothing was done.")
        raise _unavailable(called, label, record, here)

    async def _judge(self, phone: "Phone", apps: Sequence[DiscoveredApp]) -> dict[str, AppRecord]:
        # One of our own virtual phones has a name instead, which it keeps.
        own = UNKNOWN_PHONE if phone.name != phone.serial else await phone.identity.read()
        try:
            return self._trust.judge(phone.name, apps, own, ours=phone.ours)
        except TrustError as problem:
            raise ToolError(f"{problem} No app's tools can be used.") from problem

    def _tool(
        self, name: str, discovered: DiscoveredApp, declared: DiscoveredTool, offer: AppOffer
    ) -> Tool:
        description = words(declared.description, DESCRIPTION_LIMIT)
        if declared.more:
            description = f"{end_sentence(description)} {declared.more}".strip()
        listing = Listing(
            name,
            words(
                f"{declared.group or label_of(discovered.app)}: {declared.short or declared.id}",
                100,
            ),
            f"Offered by the app {name_app(discovered.app)}: {description}",
            input_schema(declared.parameters),
            destructive=True,  # an app's tool may do anything
            open_world=True,
            toolset=APP_TOOLSET,
            offer=offer,
        )

        def prepare(arguments: Mapping[str, Any], besides: Sequence[str] = (), /) -> Run:
            values = read_arguments(declared.parameters, arguments, besides)
            if len(json_text(values).encode("utf-8", "replace")) > CALL_LIMIT:
                raise InvalidParams(f"The arguments are over {CALL_LIMIT} bytes together.")
            return partial(self._perform, discovered, declared, values)

        # Calls to apps run in parallel: they do not touch the screen.
        return Tool(listing, prepare, exclusive=False)

    async def _perform(
        self,
        discovered: DiscoveredApp,
        declared: DiscoveredTool,
        values: Mapping[str, Any],
        phone: "Phone",
    ) -> Reply:
        async with self._turn(phone, discovered):
            ours, *theirs = await declared.perform(phone, values, self._timeout_ms)
        reply = [ours, *map(visible_lines, theirs)]
        length = sum(map(len, reply[1:]))  # without our introduction
        if length > self._reply_limit:
            raise ActionFailed(
                f"{name_app(discovered.app)} did what it was asked and answered with {length}"
                f" characters; at most {self._reply_limit} are passed on (apps.reply_limit)."
            )
        return reply

    @asynccontextmanager
    async def _turn(self, phone: "Phone", discovered: DiscoveredApp) -> AsyncGenerator[None]:
        """Limit concurrent calls: a call that had to wait on the phone would lose its time
        there."""
        turns = self._calling.setdefault(phone, asyncio.Semaphore(_ASKED_AT_ONCE))
        try:
            async with phone.clock.timeout(self._timeout_ms / 1000):
                await turns.acquire()
        except TimeoutError:
            raise TimedOut(
                f"{name_app(discovered.app)} was not called: {_ASKED_AT_ONCE} other calls to apps"
                " have not been answered yet. Nothing was done. Try again later."
            ) from None
        try:
            yield
        finally:
            turns.release()

    async def _discover(self, phone: "Phone", *, lately: bool = True) -> Sequence[DiscoveredApp]:
        """Return the apps with tools. Apps are asked again only when a package has changed and,
        with `lately`, when Android's list of functions is old."""
        async with self._looking.setdefault(phone, asyncio.Lock()):
            known = self._known.get(phone)
            if known is not None:
                changes = await phone.driver.changed_packages(known.sequence)
                now = phone.clock.now()
                late = bool(known.silent) and now > known.again
                same = known.boot == phone.boots and changes.packages == frozenset()
                if same and not late:
                    old = known.functions.listable is not False and now > known.functions_again
                    if not (old and lately):
                        return known.apps
                    known = self._known[phone] = await _look_at_functions(phone, known)
                    return known.apps
            known = self._known[phone] = await _look(phone, known)
            for discovered in known.apps:
                for problem in discovered.problems:
                    log.debug("App tools on %s: %s", phone.serial, words(problem, 500))
            return known.apps


async def _look(phone: "Phone", before: _Known | None) -> _Known:
    driver = phone.driver
    silent_before = before.silent if before else ()
    declared = await driver.declared_tools()
    boot = phone.boots
    same = before is not None and (before.boot, before.sequence) == (boot, declared.sequence)
    # After the sequence number was read: a change to an app meanwhile is then noticed next time.
    functions = await (before.functions if before else NO_FUNCTIONS).renew(driver, anew=not same)
    limit = asyncio.Semaphore(_ASKED_AT_ONCE)

    async def ask(provider: providers.DeclaringProvider) -> Any:
        if not provider.exported:
            return None
        if provider.problem:
            return AppFailed(AppProblem.UNREACHABLE, provider.problem)
        async with limit:
            return await providers.ask_provider(driver, provider)

    # Providers that were silent come last and do not delay the others.
    asked = sorted(declared.providers, key=lambda one: one.authority in silent_before)
    infos = await _answers([ask(provider) for provider in asked], phone.clock)
    answers = list(zip(asked, infos, strict=True))
    silent = frozenset(one.authority for one, info in answers if isinstance(info, AppFailed))
    held = None
    if any(service.permission for service in declared.services):
        held = await driver.shell_permissions()
    said = _Asked(declared, answers, held)
    again = phone.clock.now() + _ASK_AGAIN_SECONDS
    apps = _assemble(said, functions)
    return _Known(boot, declared.sequence, apps, silent, again, said, functions, again)


async def _look_at_functions(phone: "Phone", known: _Known) -> _Known:
    functions = await known.functions.renew(phone.driver, anew=False)
    again = phone.clock.now() + _ASK_AGAIN_SECONDS
    # Keep the same apps if nothing changed: the caller compares them.
    apps = known.apps if functions == known.functions else _assemble(known.asked, functions)
    return replace(known, apps=apps, functions=functions, functions_again=again)


def _assemble(asked: _Asked, functions: FunctionsOfPhone) -> list[DiscoveredApp]:
    packages = dict.fromkeys(
        one.app.package for one in chain[Any](asked.declared.services, asked.declared.providers)
    )
    packages |= dict.fromkeys(functions.apps)
    return _bound([_gather(package, asked, functions) for package in packages])


async def _answers(questions: Sequence[Coroutine[Any, Any, Any]], clock: Clock) -> list[Any]:
    """The answers, in order; AppFailed for each one that did not arrive in time. Raises
    ToolError."""
    tasks = [asyncio.ensure_future(question) for question in questions]
    try:
        if tasks:
            with suppress(TimeoutError):
                async with clock.timeout(_ASK_SECONDS):
                    await asyncio.wait(tasks)
        late = AppFailed(AppProblem.SILENT, "There was no time left to ask it.")
        return [task.result() if task.done() else late for task in tasks]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _bound(apps: Sequence[DiscoveredApp]) -> list[DiscoveredApp]:
    """Limit the tools of all apps together: clients fail on a list that is too long."""
    left = MOST_OF_ALL
    bound: list[DiscoveredApp] = []
    for discovered in apps:
        problems = [
            words(problem, PROBLEM_LIMIT) for problem in discovered.problems[:MOST_PROBLEMS]
        ]
        if len(discovered.problems) > MOST_PROBLEMS:
            problems.append(f"And {len(discovered.problems) - MOST_PROBLEMS} more.")
        if len(discovered.tools) > left:
            problems.append(f"All apps together offer over {MOST_OF_ALL} tools; some are left out.")
        bound.append(replace(discovered, tools=discovered.tools[:left], problems=tuple(problems)))
        left -= len(bound[-1].tools)
    return bound


def _gather(package: str, said: _Asked, functions: FunctionsOfPhone) -> DiscoveredApp:
    own = [service for service in said.declared.services if service.app.package == package]
    asked = [(provider, info) for provider, info in said.answers if provider.app.package == package]
    tools: list[DiscoveredTool] = []
    problems: list[str] = []
    if len(own) > 1:
        problems.append(f"{package} has {len(own)} services for Mobile MCP, but may have only one.")
    components = [*own, *(provider for provider, _ in asked)]
    app = components[0].app if components else functions.apps[package]
    of_android = functions.read(app)
    for read in chain(
        (services.read_service(service, said.held) for service in own),
        (providers.read_provider(provider, info) for provider, info in asked),
        ((of_android.tools, of_android.problems),),
    ):
        tools += read[0]
        problems += read[1]
    if len(tools) > MOST_TOOLS:
        problems.append(f"{package} offers {len(tools)} tools; at most {MOST_TOOLS} are listed.")
    parts = {service.class_name: digest_of(services.declared_by(service)) for service in own}
    parts |= {
        provider.authority: UNKNOWN if isinstance(info, AppFailed) else digest_of(info)
        for provider, info in asked
    }
    parts |= functions.digests(package)
    unique = {(tool.kind, tool.id): tool for tool in reversed(tools[:MOST_TOOLS])}
    kept = tuple(reversed(unique.values()))
    failures = [info.message for _, info in asked if isinstance(info, AppFailed)]
    unasked = app.unread or "".join(failures[:1])
    return DiscoveredApp(app, kept, parts, tuple(problems), unasked, of_android.off)


def _unavailable(
    name: str, label: str, record: AppRecord | None, here: DiscoveredApp | None
) -> ToolError:
    if record is None or here is None:
        return AppToolMissing(
            f"The app {label}, which offered {name}, is not on this phone, or no longer"
            " offers anything."
        )
    standing = record.standing
    if standing.listed and here.unasked:
        return ActionFailed(
            f"The app {label} could not be asked whether it still offers {name}:"
            f" {words(here.unasked, PROBLEM_LIMIT)}"
        )
    if standing.listed:
        return AppToolMissing(f"The app {label} on this phone does not offer {name}.")
    reasons = {
        Standing.NEW: "has not been approved yet",
        Standing.REVOKED: "was revoked",
        Standing.CHANGED: f"has changed: {record.change}",
    }
    reason = reasons[standing]
    return PermissionDenied(
        f"Not done: {name} needs the owner: its app {reason}. Do not do it another way; tell your"
        " user.",
        for_owner=f"{label} {reason}. To allow it: handheld apps approve {record.package}",
    )
