"""The parts of an app on the virtual phone: an `App` with its name, and its `Activity` screens.

class Hello(Activity):
    def content(self) -> View:
        return Column(Text("Hello"), Button("Bye", self.finish, id="bye"), padding=16)

class HelloApp(App):
    package, label = "org.example.hello", "Hello"
    screens = (Hello,)
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, time
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar
from xml.etree.ElementTree import Element, ParseError, fromstring

from handheld.app_formats.apk.binary import BadApk
from handheld.app_formats.apk.manifest import Component, Filter, Manifest, ManifestKind

from ..system.logs import Writer
from ..views.drawing import theme
from ..views.drawing.pen import Box, Pen
from ..views.drawing.theme import Color
from ..views.layout import Frame
from ..views.view import MATCH, WRAP, View
from ..views.widgets import dialogs
from ..views.widgets.date_picker import DatePicker
from ..views.widgets.time_picker import TimePicker
from . import permission_dialog
from .provider import Provider
from .receiver import Receiver
from .service import Service

if TYPE_CHECKING:
    from ..views.window import Window
    from ..world import World

OLDEST_API = 26
LAUNCHED = Filter(("android.intent.action.MAIN",), ("android.intent.category.LAUNCHER",))
"""The filter of an activity that a launcher starts."""


class Activity:
    """A screen of an app. Each opening creates a new object; the app object stays."""

    name: ClassVar[str]
    """`.Class` for a class in the app's package, or a full class name; by default the Python
    name."""
    dark_bars: ClassVar[bool] = False
    """Whether the system bars above it have light icons."""
    secure: ClassVar[bool] = False
    """Whether screenshots show it black."""
    wallpaper: ClassVar[tuple[Color, Color] | None] = None
    """The colours at the top and bottom of a background with a gradient."""

    exported: ClassVar[bool] = True
    """Whether other apps, and adb's shell, may start it."""
    permission: ClassVar[str | None] = None
    """The permission that a caller needs to start it."""
    immersive: ClassVar[bool] = False
    """Whether it covers the whole screen, without system bars; see `own_windows`."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" not in cls.__dict__:
            cls.name = f".{cls.__name__}"

    def __init__(self, app: "App", extras: Mapping[str, str] | None = None) -> None:
        self.app = app
        self.world = app.world
        self.extras = extras or {}
        self.window: Window | None = None
        self.dialogs: list[Window] = []

    @property
    def title(self) -> str:
        return self.app.label

    @property
    def class_name(self) -> str:
        """The fully qualified class name."""
        return self.app.package + self.name if self.name.startswith(".") else self.name

    def content(self) -> View:
        raise NotImplementedError

    def root(self) -> View:
        """The view tree of its window: the content on the window's background."""
        return Decor(self.content(), self.wallpaper)

    def own_windows(self, screen: Box, dp: float) -> "list[Window]":
        """The windows of an immersive activity, top first, each at its place."""
        assert self.window is not None
        self.window.place(screen, dp)
        return [self.window]

    def back(self) -> bool:
        """Return True when the activity has handled Back itself."""
        return False

    def resumed(self) -> None:
        """Called when it comes to the front: when it is opened, and when it returns."""

    def left(self) -> None:
        """Called when another activity comes to the front, or Home is pressed."""

    @property
    def lying(self) -> bool:
        """Whether the screen is in landscape orientation."""
        return self.world.width > self.world.height

    def turned(self) -> None:
        """Called after a rotation, for activities with a landscape layout."""

    def open(self, activity: "Activity") -> None:
        self.world.open(activity)

    def finish(self) -> None:
        self.world.tasks.finish(self)

    def request_permission(self, permission: str, then: Callable[[bool], object]) -> None:
        """Ask the owner for a permission, if necessary; `then` receives whether it is granted."""
        permission_dialog.request(self, permission, then)

    def ask(self, title: str, message: str, **answers: Callable[[], object]) -> None:
        """Open a dialog; each button closes it and runs its action. Buttons are named in snake
        case."""

        def closing(operation: Callable[[], object]) -> Callable[[], object]:
            def press() -> None:
                self.close_dialog()
                operation()

            return press

        actions = {
            "OK" if name == "ok" else name.replace("_", " ").strip().capitalize(): closing(
                operation
            )
            for name, operation in answers.items()
        }
        self.show_dialog(
            title, dialogs.card(title, dialogs.message(message), dialogs.buttons(actions))
        )

    def choose(
        self,
        title: str,
        choices: Sequence[str],
        then: Callable[[int], object],
        chosen: int | None = None,
    ) -> None:
        """Open a dialog with a line for each choice; `then` receives the chosen index."""

        def take(number: int) -> None:
            self.close_dialog()
            then(number)

        self.show_dialog(title, dialogs.card(title, dialogs.choices(choices, chosen, take)))

    def ask_text(
        self, title: str, then: Callable[[str], object], text: str = "", hint: str = ""
    ) -> None:
        """Open a dialog with a text field; `then` receives its text at OK."""
        field = dialogs.line(text, hint)

        def take() -> None:
            self.close_dialog()
            then(field.content)

        field.on_enter = take
        actions = {"Cancel": self.close_dialog, "OK": take}
        self.show_dialog(title, dialogs.card(title, field, dialogs.buttons(actions)))

    def show_dialog(self, title: str, root: View) -> None:
        """Open a custom dialog, above this activity until `close_dialog`."""
        self.world.tasks.open_dialog(self, title, root)

    def open_popup(self, anchor: View, title: str, root: View) -> None:
        """Open a list or menu below a view; a touch elsewhere closes it."""
        self.world.tasks.open_dialog(self, title, root, anchor)

    def close_dialog(self) -> None:
        self.world.tasks.close_dialog(self)

    def pick_date(self, chosen: date, then: Callable[[date], object]) -> None:
        """Open a dialog with a calendar; `then` receives the date at OK."""
        picker = DatePicker(chosen)
        self._show_picker(picker, lambda: then(picker.chosen))

    def pick_time(self, chosen: time, then: Callable[[time], object]) -> None:
        """Open a dialog with a clock face; `then` receives the time at OK."""
        picker = TimePicker(self, chosen)
        self._show_picker(picker, lambda: then(picker.chosen))

    def _show_picker(self, picker: View, take: Callable[[], object]) -> None:
        def ok() -> None:
            self.close_dialog()
            take()

        self.show_dialog("", dialogs.picker(picker, {"Cancel": self.close_dialog, "OK": ok}))

    def toast(self, words: str, *, long: bool = False) -> None:
        """Show a short message for a moment. It is in screenshots, but not in the accessibility
        tree."""
        self.world.toasts.show(self.app.package, words, long=long)

    def share(self, text: str) -> None:
        """Open Android's share sheet for a text."""
        from .chooser import open_chooser

        open_chooser(self, text)


class App:
    """An installed app. Its attributes are those that the package manager knows."""

    package: ClassVar[str]
    label: ClassVar[str]
    version: ClassVar[str | None] = "1.0"
    version_code: ClassVar[int] = 1
    system: ClassVar[bool] = False
    shared_uid: ClassVar[int | None] = None
    """The uid that the app shares with others; None if it gets its own."""
    persistent: ClassVar[bool] = False
    """Whether it runs from boot, and is restarted when it is killed."""
    main: ClassVar[str | None] = None
    """The activity that the launcher starts; None: not launchable."""
    activities: ClassVar[Mapping[str, type[Activity]]] = {}
    """The activities by name; derived from `screens` if those are given."""
    screens: ClassVar[tuple[type[Activity], ...]] = ()
    """The activities; the launcher starts the first, unless `main` names another."""
    filters: ClassVar[Mapping[str, tuple[Filter, ...]]] = {}
    """The intents that an activity answers. Without an entry, `main` answers the launcher's."""
    permissions: ClassVar[tuple[str, ...]] = ()
    """The permissions that it requests with `<uses-permission>`."""
    providers: ClassVar[Mapping[str, type[Provider]]] = {}
    """Its content providers, by authority."""
    services: ClassVar[tuple[type[Service], ...]] = ()
    """The classes of its services."""
    receivers: ClassVar[tuple[type[Receiver], ...]] = ()
    """The classes of its broadcast receivers."""
    web_debugging: ClassVar[bool] = False
    """Whether it calls WebView.setWebContentsDebuggingEnabled."""
    devtools: ClassVar[str] = ""
    """The name of its DevTools socket, if it is a browser with its own engine."""
    icon: ClassVar[str] = ""
    color: ClassVar[Color] = (11, 87, 208)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "screens" in cls.__dict__:
            cls.activities = {screen.name: screen for screen in cls.screens}
            if "main" not in cls.__dict__ and cls.screens:
                cls.main = cls.screens[0].name

    def __init__(self, world: "World") -> None:
        self.world = world
        self.user = 0
        """The user who owns it: an app of another user is in a profile."""

    def log(self, level: str, tag: str, message: str, *, buffer: str = "main") -> None:
        """Write to the phone's log, as a process of this app."""
        process = self.world.running.ensure(self, "service")
        self.world.logs.write(Writer(process.pid, process.uid), level, tag, message, buffer)

    def packages_changed(self) -> None:
        """Called after a package was installed, removed or changed."""

    def press_recents(self) -> None:
        """Called on the launcher when the Recents button is pressed."""

    def tasks_changed(self) -> None:
        """Called on the launcher when an app was closed."""

    @property
    def launchable(self) -> bool:
        return self.main is not None

    @property
    def manifest(self) -> Manifest:
        """The package's manifest; for a Python app, derived from its class."""
        return Manifest(
            package=self.package,
            label=self.label,
            version_name=self.version,
            version_code=self.version_code,
            min_sdk=OLDEST_API,
            target_sdk=self.world.api,
            permissions=self.permissions,
            components=(
                *(self._component(name) for name in self.activities),
                *(service.component for service in self.started_services),
                *(receiver.component for receiver in self.made_receivers),
                *(
                    Component(
                        ManifestKind.PROVIDER,
                        f"{self.package}.{kind.__name__}",
                        exported=kind.exported,
                        permission=kind.permission,
                        filters=kind.filters,
                        authorities=(authority,),
                    )
                    for authority, kind in self.providers.items()
                ),
            ),
        )

    @cached_property
    def started_services(self) -> tuple[Service, ...]:
        """The app's services; each is created once."""
        return tuple(kind(self) for kind in self.services)

    @cached_property
    def made_receivers(self) -> tuple[Receiver, ...]:
        """The app's receivers; each is created once."""
        return tuple(kind(self) for kind in self.receivers)

    def xml(self, resource: int) -> Element | None:
        """An XML file of the app, by its resource id. Raises BadApk."""
        for service in self.started_services:
            if resource in service.resources:
                try:
                    return fromstring(service.resources[resource])  # noqa: S314 (its own words)
                except ParseError as problem:
                    raise BadApk(f"it is not XML: {problem}") from None
        return None

    def _component(self, name: str) -> Component:
        filters = self.filters.get(name, (LAUNCHED,) if name == self.main else ())
        whole = self.package + name if name.startswith(".") else name
        kind = self.activities[name]
        return Component(
            ManifestKind.ACTIVITY,
            whole,
            exported=kind.exported,
            permission=kind.permission,
            filters=filters,
        )


class Decor(Frame):
    """The root of an app's window: its background, also under the system bars."""

    __slots__ = ("wallpaper",)

    def __init__(self, content: View, wallpaper: tuple[Color, Color] | None) -> None:
        self.wallpaper = wallpaper
        if content.width == WRAP:
            content.width = MATCH
        if content.height == WRAP:
            content.height = MATCH
        holder = Frame(content, id="android:id/content", width=MATCH, height=MATCH)
        super().__init__(
            holder, width=MATCH, height=MATCH, background=content.background or theme.SURFACE
        )

    def draw(self, pen: Pen, dp: float) -> None:
        if self.wallpaper is None:
            super().draw(pen, dp)
        else:
            pen.gradient(self.place, *self.wallpaper)
