"""From the name that a client uses to a tool with its arguments in place, and a phone."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import pytest

from handheld.access.request_scope import EVERYTHING, RequestScope
from handheld.audit import Record
from handheld.calls.addressing import Addressing
from handheld.calls.app_catalog import AppCatalog
from handheld.calls.call import Call
from handheld.calls.options import SurfaceOptions
from handheld.calls.resolution import Resolver
from handheld.errors import InvalidParams, UnknownPhone, UnknownTool
from handheld.phone.phone import Phone
from handheld.tools.call import Caller, ToolCall
from handheld.tools.parameter import Param
from handheld.tools.recording import Secret
from handheld.tools.tool import APP_TOOLSET, Tool, Toolset
from harness.one_phone import UnusedPhone

Word = Annotated[str, Param("A word", secret=Secret.ALWAYS)]
sample = Toolset("sample")
app_tools = Toolset(APP_TOOLSET)


@sample.tool(title="Say", secret_reply=Secret.NO)
async def say(phone: Phone, word: Word) -> str:
    """Says it."""
    return word


@app_tools.tool(title="Brew", secret_reply=Secret.NO, exclusive=False)
async def app_tea_brew(phone: Phone, device: Word = "") -> str:
    """Has a parameter that is called as ours."""
    return device


CALLER = Caller("http")


class Apps:
    async def tools(self, phone: Phone) -> Sequence[Tool]:
        return app_tools.tools

    async def find(self, phone: Phone, name: str, called: str) -> Tool | None:
        return next((tool for tool in app_tools.tools if tool.name == name), None)


class Resolution:
    def __init__(self, options: SurfaceOptions) -> None:
        self.phones = UnusedPhone()
        addressing = Addressing(self.phones, options)
        apps = AppCatalog(Apps(), addressing, options)
        self.resolver = Resolver((sample,), addressing, apps, options)

    async def resolve(
        self,
        name: str,
        arguments: Mapping[str, Any],
        scope: RequestScope = EVERYTHING,
    ) -> Call:
        """A call of that name, without its prefix."""
        _, tool = self.resolver.find(f"android_{name}", "android_")
        listing = self.resolver.unlisted(name) if tool is None else tool.listing
        record = Record(None, ToolCall(name, listing, arguments, CALLER))
        call = Call(f"android_{name}", tool, record, scope, bare=name)
        if tool is None:
            await self.resolver.resolve_app_tool(call)
        else:
            await self.resolver.resolve(call)
        return call


SINGLE = SurfaceOptions()
SEVERAL = SurfaceOptions(several=True)


def test_a_name_is_found_under_its_prefix_alone() -> None:
    resolver = Resolution(SINGLE).resolver
    assert resolver.find("android_say", "android_") == ("say", sample.tools[0])
    assert resolver.find("android_fly", "android_") == ("fly", None)
    assert resolver.find("say", "android_") == ("", None)


def test_a_disabled_tool_is_recorded_with_its_secrets() -> None:
    resolver = Resolution(SurfaceOptions(policy=RequestScope(off=frozenset({"say"})))).resolver
    assert resolver.find("android_say", "android_") == ("say", None)
    assert resolver.unlisted("say").recording.params == {"word": Secret.ALWAYS}
    assert resolver.unlisted("fly").recording.params == {}


async def test_the_arguments_are_checked_before_a_phone_is_picked() -> None:
    rig = Resolution(SINGLE)
    with pytest.raises(InvalidParams):
        await rig.resolve("say", {})
    assert rig.phones.picked == []
    call = await rig.resolve("say", {"word": "hi"})
    assert (call.tool, call.phone, call.of_app) == (sample.tools[0], rig.phones.phone, False)
    assert await call.run(call.phone) == "hi"


async def test_a_tool_that_the_request_excludes_is_unknown() -> None:
    rig = Resolution(SINGLE)
    with pytest.raises(UnknownTool):
        await rig.resolve("say", {"word": "hi"}, RequestScope(read_only=True))
    assert rig.phones.picked == []


@pytest.mark.parametrize(
    ("options", "scope", "device", "picked"),
    [
        (SEVERAL, EVERYTHING, {"device": "a"}, "a"),
        (SEVERAL, EVERYTHING, {}, None),
        (SEVERAL, RequestScope("b"), {}, "b"),
        (SINGLE, RequestScope("b"), {}, "b"),
    ],
)
async def test_the_phone_is_chosen_by_the_parameter_or_by_the_filter(
    options: SurfaceOptions, scope: RequestScope, device: dict[str, str], picked: str | None
) -> None:
    rig = Resolution(options)
    arguments = {"word": "hi", **device}
    await rig.resolve("say", arguments, scope)
    assert rig.phones.picked == [picked]


async def test_the_parameter_for_the_phone_is_unknown_where_there_is_one_phone() -> None:
    with pytest.raises(InvalidParams, match="Unknown parameter 'device'"):
        await Resolution(SINGLE).resolve("say", {"word": "hi", "device": "a"})


async def test_an_app_tool_with_its_own_device_parameter_is_addressed_by_another() -> None:
    rig = Resolution(SEVERAL)
    arguments = {"device": "teapot", "phone_device": "a"}
    call = await rig.resolve("app_tea_brew", arguments)
    assert (rig.phones.picked, call.of_app, await call.run(call.phone)) == (["a"], True, "teapot")
    with pytest.raises(InvalidParams, match="'phone_device' here, not with 'device'"):
        await rig.resolve("app_tea_brew", {"device": "teapot"})


@pytest.mark.parametrize("bare", ["app_tea_pour", "fly", ""])
async def test_a_tool_that_no_app_has_is_unknown(bare: str) -> None:
    with pytest.raises(UnknownTool):
        await Resolution(SINGLE).resolve(bare, {})


async def test_the_prefix_of_a_request_for_one_phone_has_its_slug() -> None:
    addressing = Addressing(UnusedPhone(), SurfaceOptions(several=True, slug="ignored"))
    assert addressing.default_prefix == await addressing.prefix(EVERYTHING) == "android_"
    assert await addressing.prefix(RequestScope("pixel7")) == "android_pixel7_"
    with pytest.raises(UnknownPhone):
        await addressing.prefix(RequestScope("nobody"))
    bare = Addressing(UnusedPhone(), SurfaceOptions(bare=True, slug="ignored"))
    assert bare.default_prefix == await bare.prefix(RequestScope("pixel7")) == ""
