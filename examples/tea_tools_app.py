"""An app that declares tools in all three ways: `handheld virtual --app examples/tea_tools_app.py`.

App functions need Android 16: add `--api 36`.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from handheld.app_formats.mobile_mcp import (
    CapabilityFailed,
    CapabilityService,
    Outcome,
    parse_descriptor,
)
from handheld.app_formats.tool_provider import MIME_TYPE, ToolFailed, ToolProvider
from handheld.app_functions import AppFunctions, FunctionError, FunctionFailed
from handheld.app_functions.declaring import (
    DOUBLE,
    INT,
    STRING,
    described,
    nullable,
    object_of,
)
from handheld_virtual.toolkit import (
    Activity,
    App,
    Bundle,
    Column,
    Filter,
    FunctionService,
    Provider,
    Text,
    ToolService,
    View,
)

DESCRIPTOR = """<?xml version="1.0" encoding="utf-8"?>
<mobile-mcp-capabilities version="1.0">
    <capability id="brew_tea" description="Brews a cup of tea." version="1">
        <input>
            <param name="minutes" type="int" required="true" description="How long, 1 to 10" />
        </input>
        <output>
            <param name="cups" type="int" description="How many cups there are now" />
        </output>
    </capability>
</mobile-mcp-capabilities>
"""


class TeaService(ToolService):
    """Mobile MCP: the descriptor declares the capability, `offer` implements it."""

    name = ".TeaService"
    tool_name = "Tea"
    tool_description = "Brews tea."
    descriptor = DESCRIPTOR

    def offer(self) -> CapabilityService:
        service = CapabilityService(parse_descriptor(DESCRIPTOR))
        tea = self.app
        assert isinstance(tea, Tea)

        @service.capability("brew_tea")
        def _(arguments: Mapping[str, Any]) -> Outcome:
            if not 1 <= arguments["minutes"] <= 10:
                raise CapabilityFailed("Tea takes 1 to 10 minutes.")
            tea.cups += 1
            return Outcome({"cups": tea.cups}, "The tea is ready.")

        return service


class TeaProvider(Provider):
    """A content provider with one tool."""

    filters = (Filter(("android.intent.action.VIEW",), mime_types=(MIME_TYPE,)),)

    def call(self, method: str, argument: str | None, extras: Bundle) -> Bundle | None:
        provider = ToolProvider()
        tea = self.world.apps[Tea.package]
        assert isinstance(tea, Tea)

        @provider.tool(
            "drink_tea",
            "Drinks some cups of tea.",
            {"cups": {"type": "integer", "description": "How many"}},
            ["cups"],
        )
        def _(arguments: Mapping[str, str]) -> str:
            cups = arguments["cups"]  # every value is text
            if not cups.isdecimal() or int(cups) > tea.cups:
                raise ToolFailed(f"There are {tea.cups} cups.")
            tea.cups -= int(cups)
            return f"{tea.cups} cups are left."

        return provider.call(method, argument, extras)


class TeaFunctions(FunctionService):
    """App functions: Android 16 and newer index them and call them."""

    name = ".TeaFunctions"

    def offer(self) -> AppFunctions:
        functions = AppFunctions("org.example.tea.TeaFunctions")
        tea = self.app
        assert isinstance(tea, Tea)
        pot = object_of("org.example.tea.Pot", {"cups": INT, "grams": DOUBLE, "note": STRING})

        @functions.function(
            "brewPot",
            "Brews a pot of tea.",
            {
                "grams": described(DOUBLE, "How much tea, up to 50 g"),
                "note": described(nullable(STRING), "What to write on the pot"),
            },
            optional=["note"],
            returns=described(pot, "the pot, and how many cups are in it"),
        )
        def _(arguments: Mapping[str, Any]) -> dict[str, Any]:
            grams = arguments["grams"]
            if not 0 < grams <= 50:
                raise FunctionFailed("A pot takes up to 50 g.", FunctionError.BAD_ARGUMENT)
            tea.cups += 4
            return {"cups": 4, "grams": grams, "note": arguments.get("note", "")}

        @functions.function("emptyPots", "Pours all tea away.")
        def _(arguments: Mapping[str, Any]) -> None:
            tea.cups = 0

        return functions


class Kitchen(Activity):
    def content(self) -> View:
        tea = self.app
        assert isinstance(tea, Tea)
        return Column(Text(f"{tea.cups} cups", id="cups", size=28), padding=24)


class Tea(App):
    package, label = "org.example.tea", "Tea"
    screens = (Kitchen,)
    services = (TeaService, TeaFunctions)
    providers: ClassVar[Mapping[str, type[Provider]]] = {"org.example.tea.tools": TeaProvider}
    cups = 0
