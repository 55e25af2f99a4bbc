"""What an app on the virtual phone is made of: an `App` with its name, and `Activity` screens.

class Hello(Activity):
    def content(self) -> View:
        return Column(Text("Hello"), Button("Bye", self.finish, id="bye"), padding=16)

class HelloApp(App):
    package, label = "org.example.hello", "Hello"
    screens = (Hello,)
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar

from ..apk.manifest import Component, Filter, Kind, Manifest
from . import theme
from .layout import Column, Frame, Row
from .logs import Writer
from .theme import Color
from .views import MATCH, WRAP, Pen, View
from .widgets import Button, Text

if TYPE_CHECKING:
    from .windows import Window
    from .world import World

OLDEST_API = 26
LAUNCHED = Filter(("android.intent.action.MAIN",), ("android.intent.category.LAUNCHER",))
"""The filter of an activity that a launcher starts."""


class Activity:
    """One screen of an app. Made anew each time it is opened; the app itself stays."""

    name: ClassVar[str]
    """`.Class` for one in the app's own package, or a whole class name; by default its own."""
    dark_bars: ClassVar[bool] = False
    """Whether the system bars over it have light signs."""
    secure: ClassVar[bool] = False
    """Whether it may not be captured."""
    wallpaper: ClassVar[tuple[Color, Color] | None] = None
    """Colours at the top and bottom of the screen, where it is not one."""

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
        """Fully qualified."""
        return self.app.package + self.name if self.name.startswith(".") else self.name

    def content(self) -> View:
        raise NotImplementedError

    def back(self) -> bool:
        """True when the activity did something of its own with Back."""
        return False

    def resumed(self) -> None:
        """It has come to the front: just opened, or again."""

    def left(self) -> None:
        """Another activity has come to the front, or Home was pressed."""

    def open(self, activity: "Activity") -> None:
        self.world.open(activity)

    def finish(self) -> None:
        self.world.finish(self)

    def request_permission(self, permission: str, then: Callable[[bool], object]) -> None:
        """Ask the owner, if that has to be asked; `then` hears whether the app may."""
        from .permission_dialog import request

        request(self, permission, then)

    def ask(self, title: str, message: str, **answers: Callable[[], object]) -> None:
        """A dialog; each answer closes it and does its deed. Named in snake case: `not_now`."""

        def button(name: str, deed: Callable[[], object]) -> Button:
            def press() -> None:
                self.world.close_dialog(self)
                deed()

            words = name.replace("_", " ").strip().capitalize()
            number = len(buttons) + 1
            return Button(
                words,
                press,
                id=f"android:id/button{number}",
                background=None,
                color=theme.PRIMARY,
                padding=(12, 10),
            )

        buttons: list[View] = []
        for name, deed in answers.items():
            buttons.append(button(name, deed))
        root = Column(
            Text(title, size=22, id="android:id/alertTitle"),
            Text(message, size=14, color=theme.ON_SURFACE_DIM, id="android:id/message"),
            Row(*buttons, gravity="right", gap=8, width=MATCH, content_gravity="right"),
            gap=16,
            padding=24,
            background=theme.SURFACE_HIGH,
            radius=28,
            width=MATCH,
            class_name="android.widget.FrameLayout",
        )
        self.world.open_dialog(self, title, root)


class App:
    """An installed app. Its attributes are what the package manager knows."""

    package: ClassVar[str]
    label: ClassVar[str]
    version: ClassVar[str | None] = "1.0"
    version_code: ClassVar[int] = 1
    system: ClassVar[bool] = False
    shared_uid: ClassVar[int | None] = None
    """Of an app that runs under the uid of others; None: it has one of its own."""
    persistent: ClassVar[bool] = False
    """Whether it runs from the start, and again at once when it is killed."""
    main: ClassVar[str | None] = None
    """The activity that the launcher starts; None: not launchable."""
    activities: ClassVar[Mapping[str, type[Activity]]] = {}
    """By name; made of `screens` where those are given."""
    screens: ClassVar[tuple[type[Activity], ...]] = ()
    """The activities; the launcher starts the first, unless `main` names another."""
    filters: ClassVar[Mapping[str, tuple[Filter, ...]]] = {}
    """Which intents an activity answers. `main` need not be named to answer the launcher's."""
    permissions: ClassVar[tuple[str, ...]] = ()
    """What it asks for with `<uses-permission>`."""
    icon: ClassVar[str] = ""
    color: ClassVar[Color] = theme.PRIMARY

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "screens" in cls.__dict__:
            cls.activities = {screen.name: screen for screen in cls.screens}
            if "main" not in cls.__dict__ and cls.screens:
                cls.main = cls.screens[0].name

    def __init__(self, world: "World") -> None:
        self.world = world

    def log(self, level: str, tag: str, message: str, *, buffer: str = "main") -> None:
        """Write to the phone's log, as a process of this app."""
        process = self.world.running.ensure(self, "service")
        self.world.logs.write(Writer(process.pid, process.uid), level, tag, message, buffer)

    def packages_changed(self) -> None:
        """Something was installed."""

    def press_recents(self) -> None:
        """For the launcher: the button was pressed."""

    def tasks_changed(self) -> None:
        """For the launcher: an app was closed."""

    @property
    def launchable(self) -> bool:
        return self.main is not None

    @property
    def manifest(self) -> Manifest:
        """What the package declares; here what its class says."""
        return Manifest(
            package=self.package,
            label=self.label,
            version_name=self.version,
            version_code=self.version_code,
            min_sdk=OLDEST_API,
            target_sdk=self.world.api,
            permissions=self.permissions,
            components=tuple(self._component(name) for name in self.activities),
        )

    def _component(self, name: str) -> Component:
        # Exported all: whoever has a shell on the phone can open any of them.
        filters = self.filters.get(name, (LAUNCHED,) if name == self.main else ())
        whole = self.package + name if name.startswith(".") else name
        return Component(Kind.ACTIVITY, whole, exported=True, filters=filters)


class Decor(Frame):
    """The root of an app's window: its ground, under the system's bars too."""

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
