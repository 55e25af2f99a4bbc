"""Broadcast receivers of apps: code without a screen that runs for a broadcast."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from handheld.app_formats.apk.manifest import Component, Filter, ManifestKind

if TYPE_CHECKING:
    from .app import App


class Receiver:
    name: ClassVar[str]
    """`.Class` for a class in the app's package, or a full class name."""
    exported: ClassVar[bool] = True
    permission: ClassVar[str | None] = None
    filters: ClassVar[tuple[Filter, ...]] = ()

    def __init__(self, app: "App") -> None:
        self.app = app
        self.world = app.world

    def receive(self, action: str, extras: Mapping[str, str]) -> None:
        """Handle a broadcast. An exception crashes the app."""

    @property
    def class_name(self) -> str:
        """The fully qualified class name."""
        return self.app.package + self.name if self.name.startswith(".") else self.name

    @property
    def component(self) -> Component:
        return Component(
            ManifestKind.RECEIVER,
            self.class_name,
            exported=self.exported,
            permission=self.permission,
            filters=self.filters,
        )
