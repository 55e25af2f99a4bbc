"""Tools that apps declare, through the helper."""

import asyncio
import json
from collections.abc import Collection, Mapping
from typing import Any
from xml.etree.ElementTree import Element

from ...helper.session import Answer
from ..app_tools import (
    Bundle,
    ChangedPackages,
    DeclaredTools,
    DeclaringApp,
    DeclaringProvider,
    DeclaringService,
    ServiceReply,
)
from .verbs import ACT_MS, PACKAGES_MS, READ_MS, HelperVerbs

_ASKED_AT_ONCE = 8
"""The number of calls that the helper handles at a time."""


class HelperAppTools(HelperVerbs):
    async def declared_tools(self) -> DeclaredTools:
        return _decode_tools(await self._call("offers", {}, PACKAGES_MS))

    async def declaring_apps(self, packages: Collection[str]) -> Mapping[str, DeclaringApp]:
        limit = asyncio.Semaphore(_ASKED_AT_ONCE)

        async def ask(package: str) -> Any:
            async with limit:
                return (await self._call("app_info", {"package": package}, READ_MS)).reply["app"]

        wanted = sorted(packages)
        found = await asyncio.gather(*map(ask, wanted))
        return {
            package: _decode_app(app)
            for package, app in zip(wanted, found, strict=True)
            if app is not None
        }

    async def changed_packages(self, after: int) -> ChangedPackages:
        reply = (await self._call("packages_changed", {"after": max(after, 0)}, ACT_MS)).reply
        # Numbers below 0 are the shell driver's own count and cannot be compared.
        packages = reply["packages"] if after >= 0 else None
        return ChangedPackages(reply["sequence"], None if packages is None else frozenset(packages))

    async def call_provider(
        self,
        authority: str,
        method: str,
        extras: Bundle | None,
        within_ms: int,
        *,
        act: bool = True,
    ) -> Bundle | None:
        arguments = {"authority": authority, "method": method, "arg": None, "extras": extras}
        _, data = await self._call("provider_call", arguments, within_ms, act=act)
        return json.loads(data)["bundle"]

    async def call_service(
        self, package: str, class_name: str, id: str, extras: Mapping[str, str], within_ms: int
    ) -> ServiceReply:
        arguments = {"package": package, "class": class_name, "id": id, "extras": extras}
        reply, data = await self._call("service_call", arguments, within_ms, act=True)
        return ServiceReply(json.loads(data)["extras"], reply["dropped"])


def _decode_tools(answer: Answer) -> DeclaredTools:
    reply, data = answer
    found = json.loads(data)
    return DeclaredTools(
        reply["sequence"],
        [
            DeclaringService(
                _decode_app(service),
                service["class"],
                service["exported"],
                service["permission"],
                service["name"],
                service["description"],
                None if service["descriptor"] is None else _decode_element(*service["descriptor"]),
                service["problem"],
            )
            for service in found["services"]
        ],
        [
            DeclaringProvider(
                _decode_app(provider),
                provider["class"],
                provider["exported"],
                provider["permission"],
                provider["authority"],
            )
            for provider in found["providers"]
        ],
    )


def _decode_app(app: dict[str, Any]) -> DeclaringApp:
    return DeclaringApp(app["package"], app["label"], app["version_code"], app["signer"])


def _decode_element(tag: str, attributes: dict[str, str], children: list[Any]) -> Element:
    element = Element(tag, attributes)
    element.extend(_decode_element(*child) for child in children)
    return element
