"""The tools of the apps on each phone, kept up with what is installed there."""

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ..errors import ActionFailed, InvalidParams, PermissionDenied, ToolError
from ..hands.offers import AppFailed, AppProblem, Offers
from ..parameter import input_schema, read_arguments
from ..tool import Listing, Reply, Run, Tool, json_text
from . import providers, services
from .offer import DESCRIPTION_LIMIT, MOST_TOOLS, AppOffer, Offered, digest_of, name_app, words
from .trust import Record, Standing, Trust, TrustError

if TYPE_CHECKING:
    from ..phone import Phone

_ASKED_AT_ONCE = 8
"""As many calls as the helper works on at a time."""
_ASK_AGAIN_SECONDS = 30.0
CALL_LIMIT = 256 * 1024
"""UTF-8 bytes of a call's arguments."""

log = logging.getLogger("handheld")


@dataclass(frozen=True, slots=True)
class _Known:
    sequence: int
    offers: Sequence[AppOffer]
    again: float | None
    """When to ask again although no package has changed: some provider did not answer."""


class AppTools:
    """Of all phones of this process."""

    def __init__(self, trust: Trust, *, timeout_ms: int, reply_limit: int) -> None:
        """`reply_limit` counts the characters of a reply."""
        self._trust = trust
        self._timeout_ms = timeout_ms
        self._reply_limit = reply_limit
        self._known: WeakKeyDictionary[Phone, _Known] = WeakKeyDictionary()
        self._looking: WeakKeyDictionary[Phone, asyncio.Lock] = WeakKeyDictionary()

    async def tools(self, phone: "Phone") -> list[Tool]:
        """Those that are approved, under names that stay. Raises ToolError."""
        offers = await self._offers(phone)
        judged = self._judge(phone, offers)
        found: list[Tool] = []
        for offer in offers:
            if judged[offer.app.package].standing is Standing.APPROVED:
                found += [self._tool(offer, offered) for offered in offer.tools]
        return found

    async def find(self, phone: "Phone", name: str) -> Tool | None:
        """The tool of that name. None when no app ever had such a one; raises ToolError when the
        app that had it is gone or withdrawn."""
        tools = await self.tools(phone)
        for tool in tools:
            if tool.name == name:
                return tool
        owner = self._trust.owner_of(name)
        if owner is None:
            return None
        package = owner[0]
        record = self._trust.record(phone.name, package)
        here = any(offer.app.package == package for offer in await self._offers(phone))
        raise _unavailable(name, package, record, here=here)

    def _judge(self, phone: "Phone", offers: Sequence[AppOffer]) -> dict[str, Record]:
        try:
            return self._trust.judge(phone.name, offers)
        except TrustError as problem:
            raise ToolError(f"{problem} No app's tools can be used.") from problem

    def _tool(self, offer: AppOffer, offered: Offered) -> Tool:
        name = self._trust.name_of((offer.app.package, offered.kind, offered.id))
        description = words(offered.description, DESCRIPTION_LIMIT)
        listing = Listing(
            name,
            words(f"{offer.app.label}: {offered.id}", 100),
            f"Offered by the app {name_app(offer.app)}: {description}",
            input_schema(offered.parameters),
            open_world=True,
        )

        def prepare(arguments: Mapping[str, Any], besides: Sequence[str] = (), /) -> Run:
            values = read_arguments(offered.parameters, arguments, besides)
            if len(json_text(values).encode("utf-8", "replace")) > CALL_LIMIT:
                raise InvalidParams(f"The arguments are over {CALL_LIMIT} bytes together.")
            return partial(self._perform, offer, offered, values)

        # Calls to apps run side by side: they do not touch the screen.
        return Tool(listing, prepare, acts=False)

    async def _perform(
        self, offer: AppOffer, offered: Offered, values: Mapping[str, Any], phone: "Phone"
    ) -> Reply:
        reply = await offered.perform(phone, values, self._timeout_ms)
        length = sum(map(len, reply[1:]))  # without our own line before it
        if length > self._reply_limit:
            raise ActionFailed(
                f"{name_app(offer.app)} did what it was asked and answered with {length}"
                f" characters; at most {self._reply_limit} are passed on (apps.reply_limit)."
            )
        return reply

    async def _offers(self, phone: "Phone") -> Sequence[AppOffer]:
        """What the apps offer now. They are asked again only when some package has changed."""
        async with self._looking.setdefault(phone, asyncio.Lock()):
            known = self._known.get(phone)
            if known is not None:
                changes = await phone.hands.changed_packages(known.sequence)
                late = known.again is not None and phone.clock.now() > known.again
                if changes.packages is not None and not changes.packages and not late:
                    return known.offers
            known = self._known[phone] = await _look(phone)
            for offer in known.offers:
                for problem in offer.problems:
                    log.info("App tools on %s: %s", phone.serial, words(problem, 500))
            return known.offers


async def _look(phone: "Phone") -> _Known:
    hands = phone.hands
    offers = await hands.offers()
    limit = asyncio.Semaphore(_ASKED_AT_ONCE)

    async def ask(provider: providers.OfferingProvider) -> Any:
        if not provider.exported:
            return None
        if provider.problem:
            return AppFailed(AppProblem.UNREACHABLE, provider.problem)
        async with limit:
            return await providers.ask_provider(hands, provider)

    infos = await asyncio.gather(*(ask(provider) for provider in offers.providers))
    answers = list(zip(offers.providers, infos, strict=True))
    packages = dict.fromkeys(
        one.app.package for one in chain[Any](offers.services, offers.providers)
    )
    silent = any(isinstance(info, AppFailed) for info in infos)
    return _Known(
        offers.sequence,
        [_gather(package, offers, answers) for package in packages],
        phone.clock.now() + _ASK_AGAIN_SECONDS if silent else None,
    )


def _gather(
    package: str,
    offers: Offers,
    answers: Iterable[tuple[providers.OfferingProvider, Any]],
) -> AppOffer:
    own = [service for service in offers.services if service.app.package == package]
    asked = [(provider, info) for provider, info in answers if provider.app.package == package]
    tools: list[Offered] = []
    problems: list[str] = []
    if len(own) > 1:
        problems.append(f"{package} has {len(own)} services for Mobile MCP where one may be.")
    for read in chain(
        (services.read_service(service) for service in own),
        (providers.read_provider(provider, info) for provider, info in asked),
    ):
        tools += read[0]
        problems += read[1]
    if len(tools) > MOST_TOOLS:
        problems.append(f"{package} offers {len(tools)} tools; {MOST_TOOLS} are the most.")
    parts = {service.class_name: digest_of(services.declared_by(service)) for service in own}
    # Of a provider that did not answer nothing is known: that is no change.
    parts |= {
        provider.authority: digest_of(info)
        for provider, info in asked
        if not isinstance(info, AppFailed)
    }
    app = (own[0] if own else asked[0][0]).app
    unique = {(tool.kind, tool.id): tool for tool in reversed(tools[:MOST_TOOLS])}
    kept = tuple(reversed(unique.values()))
    return AppOffer(app, kept, parts, tuple(problems))


def _unavailable(name: str, package: str, record: Record | None, *, here: bool) -> ToolError:
    label = f"{record.label} ({package})" if record is not None and record.label else package
    if not here:
        return ActionFailed(
            f"The app {label}, which offered {name}, is not on this phone, or offers nothing any"
            " more. List the tools again."
        )
    standing = Standing.NEW if record is None else record.standing
    if standing is Standing.APPROVED:
        return ActionFailed(f"The app {label} no longer offers {name}. List the tools again.")
    reasons = {
        Standing.NEW: "has not been approved yet",
        Standing.REVOKED: "was revoked by the phone's owner",
        Standing.CHANGED: f"has changed since it was approved: {record.change if record else ''}",
    }
    return PermissionDenied(
        f"The app {label}, which offers {name}, {reasons[standing]}. The owner decides with:"
        f" handheld apps approve {package}"
    )
