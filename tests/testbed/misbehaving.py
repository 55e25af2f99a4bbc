"""An app whose app tools misbehave in every way. Only tests that need it install it."""

import json
from collections.abc import Mapping
from typing import ClassVar, Protocol

from handheld.app_formats.apk.manifest import Filter
from handheld.app_formats.mobile_mcp import CapabilityRequest, Response, read_request
from handheld.app_formats.tool_provider import ACTION, ToolFailed, ToolProvider
from handheld_virtual.packages.app import App
from handheld_virtual.packages.provider import Bundle, Provider
from handheld_virtual.packages.service import Start, ToolService

AUTHORITY = "dev.handheld.misbehaving.tools"
LATE_MS = 45_000
HUGE = 300_000
TOO_MUCH = 2_000_000

_CASES = {
    "no_reply": "Never answers.",
    "late_reply": "Answers when nobody waits any more.",
    "wrong_id": "Answers to another request.",
    "wrong_id_first": "Answers to another request, then to this one, and once more.",
    "malformed": "Answers with something that is not JSON.",
    "half": "Answers with JSON in which everything is missing.",
    "huge": "Answers with very much.",
    "too_much": "Answers with more than an intent can carry.",
    "crash": "Crashes.",
    "crash_later": "Crashes after a second.",
    "fail": "Says that it failed.",
    "fail_silently": "Says that it failed, and not why.",
}

DESCRIPTOR = '<mobile-mcp-capabilities version="1.0">{}</mobile-mcp-capabilities>'.format(
    "".join(
        f'<capability id="{id}" description="{text}" version="1"/>' for id, text in _CASES.items()
    )
)


class _ScriptedReply(Protocol):
    """Replies with the given extras, or with those of a valid reply."""

    def __call__(self, extras: Mapping[str, str] = ..., /) -> None: ...


class BadService(ToolService):
    name = ".BadService"
    tool_name = "Trouble"
    tool_description = "Does everything wrong."
    descriptor = DESCRIPTOR

    def start(self, start: Start) -> None:
        request = read_request(start.extras)
        callback = start.callback
        assert callback is not None
        sound = Response(request.id, True, "Done.", request.capability).extras()

        def reply(extras: Mapping[str, str] = sound, /) -> None:
            callback(extras)

        self._do(request, reply)

    def _do(self, request: CapabilityRequest, reply: _ScriptedReply) -> None:
        foreign = Response("somebody else's", True, "Done.").extras()
        match request.capability:
            case "no_reply":
                pass
            case "late_reply":
                self.world.timers.after(LATE_MS, reply)
            case "wrong_id":
                reply(foreign)
            case "wrong_id_first":
                reply(foreign)
                reply()
                reply()
            case "malformed":
                reply({"mobile-mcp-response": "Done."})
            case "half":
                reply({"response": json.dumps({"id": request.id})})
            case "huge" | "too_much":
                length = HUGE if request.capability == "huge" else TOO_MUCH
                reply(Response(request.id, True, "x" * length).extras())
            case "crash":
                raise RuntimeError("Attempt to invoke virtual method on a null object reference")
            case "crash_later":
                crash = self.world.running.crash
                self.world.timers.after(1000, lambda: crash(self.app, RuntimeError("too late")))
            case "fail":
                reply(Response(request.id, False, "The fridge is empty.").extras())
            case _:
                reply(Response(request.id, False).extras())


class BadProvider(Provider):
    filters = (Filter((ACTION,)),)

    def call(self, method: str, argument: str | None, extras: Bundle) -> Bundle | None:
        if extras.get("tool_name") == "answer_null":
            return None
        if extras.get("tool_name") == "answer_oddly":
            return {"success": True, "tool_result": 5, "window": object()}
        if extras.get("tool_name") == "die":
            self.world.running.crash(self.world.apps[Misbehaving.package], RuntimeError("dead"))
        return self._tools().call(method, argument, extras)

    def _tools(self) -> ToolProvider:
        provider = ToolProvider()
        for name in ("answer_null", "answer_oddly", "die"):
            provider.tool(name, "Answers badly.")(lambda arguments: "")

        @provider.tool("refuse", "Says that it failed.")
        def _(arguments: Mapping[str, str]) -> str:
            raise ToolFailed("Not on a Sunday.")

        return provider


class Misbehaving(App):
    package, label = "dev.handheld.misbehaving", "Trouble"
    services = (BadService,)
    providers: ClassVar[Mapping[str, type[Provider]]] = {AUTHORITY: BadProvider}
