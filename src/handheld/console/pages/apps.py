"""Apps on the phones that declare tools, and the owner's trust in them."""

from collections.abc import Sequence
from typing import Any

from ...app_tools.trust import AppRecord, Trust, TrustError
from ...errors import ToolError
from ..context import ConsoleContext
from ..routes import Request, Route


class AppsPage:
    def __init__(self, context: ConsoleContext) -> None:
        self._context = context
        trust = context.settings.apps.trust
        self._trust = Trust(context.settings.folders.apps, first_use=trust == "first-use")

    async def all(self, request: Request) -> dict[str, Any]:
        """The apps as last seen; with `look`, the phones are asked again first."""
        note = ""
        if request.query.get("look") == "1" and self._context.settings.apps.trust != "off":
            try:
                await self._context.surface.tools()
            except ToolError as problem:
                note = f"The phone could not be asked. The list is from the last look: {problem}"
        try:
            phones = self._trust.records()
        except TrustError as problem:
            raise ToolError(str(problem)) from problem
        settings = self._context.settings
        return {
            "trust": settings.apps.trust,
            "note": note,
            "phones": [
                {
                    "phone": phone,
                    "slug": self._slug(phone),
                    "apps": [_record_json(record) for record in records],
                }
                for phone, records in phones.items()
            ],
        }

    def _slug(self, phone: str) -> str:
        for name in (phone, *self._trust.addresses(phone)):
            if slug := self._context.settings.slug_of(name):
                return slug
        return ""

    async def approve(self, request: Request) -> dict[str, Any]:
        """Approve exactly the declaration with the digest `seen`, which the person saw, not a later
        one."""
        phone, seen = request.text("phone"), request.text("seen")
        try:
            self._trust.approve(request.params["package"], phone, seen)
        except TrustError as problem:
            raise ToolError(str(problem)) from problem
        return {}

    async def revoke(self, request: Request) -> dict[str, Any]:
        try:
            self._trust.revoke(request.params["package"], request.text("phone"))
        except TrustError as problem:
            raise ToolError(str(problem)) from problem
        return {}


def _record_json(record: AppRecord) -> dict[str, Any]:
    return {
        "package": record.package,
        "label": record.label,
        "tools": record.tools,
        "standing": record.standing.value,
        "present": record.present,
        "change": record.change,
        "changes": _changes(record),
        "signer": record.seen.signer,
        "pinned_signer": record.pinned.signer if record.pinned else "",
        "problems": record.problems,
        "seen": record.seen.digest,
    }


def _changes(record: AppRecord) -> list[dict[str, str]]:
    """The differences from the pinned declaration, part by part."""
    if record.pinned is None:
        return []
    before, now = record.pinned.parts, record.seen.parts
    return [
        {"part": part, "what": "changed" if part in before else "new"}
        for part in now
        if before.get(part) != now[part]
    ] + [{"part": part, "what": "gone"} for part in before if part not in now]


def routes(context: ConsoleContext) -> Sequence[Route]:
    page = AppsPage(context)
    return (
        Route("GET", "apps", page.all),
        Route("POST", "apps/{package}/approve", page.approve),
        Route("POST", "apps/{package}/revoke", page.revoke),
    )
