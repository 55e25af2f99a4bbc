"""Services of apps: code without a screen, started by an intent."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from handheld.app_formats.apk.manifest import Component, Filter, ManifestKind, MetaData
from handheld.app_formats.app_functions import AppFunctions
from handheld.app_formats.app_functions.words import ACTION as FUNCTION_ACTION
from handheld.app_formats.app_functions.words import PERMISSION as FUNCTION_PERMISSION
from handheld.app_formats.mobile_mcp import (
    ACTION,
    CAPABILITIES_KEY,
    DESCRIPTION_KEY,
    NAME_KEY,
    CapabilityService,
)

if TYPE_CHECKING:
    from .app import App

DESCRIPTOR = 0x7F040000
"""The id of the resource `@xml/mcp_capabilities`."""


@dataclass(frozen=True, slots=True)
class Start:
    """The start of a service by an intent."""

    extras: Mapping[str, str]
    callback: Callable[[Mapping[str, str]], object] | None = None
    """Sends an intent with these extras back to the caller."""


class Service:
    name: ClassVar[str]
    """`.Class` for a class in the app's package, or a full class name."""
    exported: ClassVar[bool] = True
    permission: ClassVar[str | None] = None
    filters: ClassVar[tuple[Filter, ...]] = ()

    def __init__(self, app: "App") -> None:
        self.app = app
        self.world = app.world

    def start(self, start: Start) -> None:
        """Handle a start. An exception crashes the app."""

    @property
    def meta_data(self) -> Mapping[str, MetaData]:
        return {}

    @property
    def resources(self) -> Mapping[int, str]:
        """The app's XML files to which its meta-data refer, by resource id."""
        return {}

    @property
    def class_name(self) -> str:
        """The fully qualified class name."""
        return self.app.package + self.name if self.name.startswith(".") else self.name

    @property
    def component(self) -> Component:
        return Component(
            ManifestKind.SERVICE,
            self.class_name,
            exported=self.exported,
            permission=self.permission,
            filters=self.filters,
            meta_data=self.meta_data,
        )


class ToolService(Service):
    """A Mobile MCP service: a descriptor, and `offer`, which registers each capability's code."""

    filters = (Filter(actions=(ACTION,)),)
    tool_name: ClassVar[str]
    tool_description: ClassVar[str]
    descriptor: ClassVar[str]
    """The XML file."""

    def __init__(self, app: "App") -> None:
        super().__init__(app)
        self._capabilities: CapabilityService | None = None

    def offer(self) -> CapabilityService:
        raise NotImplementedError

    @property
    def meta_data(self) -> Mapping[str, MetaData]:
        return {
            NAME_KEY: MetaData(self.tool_name),
            DESCRIPTION_KEY: MetaData(self.tool_description),
            CAPABILITIES_KEY: MetaData("res/xml/mcp_capabilities.xml", DESCRIPTOR),
        }

    @property
    def resources(self) -> Mapping[int, str]:
        return {DESCRIPTOR: self.descriptor}

    def start(self, start: Start) -> None:
        # Created at the first call, because most phones never receive one.
        if self._capabilities is None:
            self._capabilities = self.offer()
        reply = self._capabilities.answer(start.extras)
        if start.callback is not None:
            start.callback(reply)


class FunctionService(Service):
    """A service with app functions, which Android 16 and later index and call. `offer` registers
    each function's code."""

    filters = (Filter(actions=(FUNCTION_ACTION,)),)
    permission = FUNCTION_PERMISSION

    def __init__(self, app: "App") -> None:
        super().__init__(app)
        self._functions: AppFunctions | None = None

    def offer(self) -> AppFunctions:
        raise NotImplementedError

    @property
    def functions(self) -> AppFunctions:
        """The functions that `offer` registered; it is called once."""
        if self._functions is None:
            self._functions = self.offer()
        return self._functions
