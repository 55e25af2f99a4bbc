"""The state of the phone that each example assumes."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

from handheld.phone.phone import Phone
from handheld.screen.model import Bounds, Node
from handheld_virtual.packages.app import Activity, App
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.views.layout import Column
from handheld_virtual.views.view import MATCH, View
from handheld_virtual.views.widgets.basic import Button, Image, Text
from handheld_virtual.views.widgets.field import Field
from phone.web import answer
from phone.world import World
from server.scenery import DOWNLOADS, FOLDER, Scenery
from testbed import show_scene

from .rules import Substitution

CALCULATOR = "com.android.calculator2"
LONG_TEXT = (
    "This is a very long text value that was truncated in get_screen_state but is returned in full"
    " here"
)


Scene = Callable[[Scenery], Awaitable[list[Substitution]]]


class Example(Activity):
    """Everything that an example needs."""

    def content(self) -> View:
        self.field = Field(id="field", width=MATCH, description="Field")
        return Column(
            Text(LONG_TEXT, id="long"),
            Image(id="picture", description="Full content description for this element"),
            Button("Submit", lambda: None, id="submit_btn"),
            Text("Result 10", id="result"),
            Text("Hold", id="hold", on_long_click=lambda: None),
            self.field,
            gap=16,
            padding=24,
            width=MATCH,
        )


class ExampleApp(App):
    package, label = "com.example.app", "Example Calculator"
    version, version_code = "1.2.3", 42
    screens = (Example,)


async def at_home(scenery: Scenery) -> list[Substitution]:
    return []


async def calculator(scenery: Scenery) -> list[Substitution]:
    scenery.stage.world.show(CALCULATOR)
    screen = await scenery.stage.phone.driver.read_screen()
    assert screen.active is not None
    number = screen.active.id
    return [
        Substitution("window", "window:42", f"window:{number}"),
        Substitution("window", "_w42", f"_w{number}"),
    ]


async def no_foreground_app(scenery: Scenery) -> list[Substitution]:
    """No app has become the foreground app."""
    root = Node(0, 0, "", None, None, None, None, Bounds(0, 0, 1080, 2400), 1)
    scenery.stage.phone = Phone("nobody", World(root))
    return []


async def logs(scenery: Scenery) -> list[Substitution]:
    """The two documented lines, at their times, and nothing else."""
    world, clock = scenery.stage.world, scenery.stage.clock
    world.wall.jump(timedelta(hours=6, minutes=49, milliseconds=123 - clock.now()))
    world.logs.clear()
    app = world.apps["dev.handheld.keeper"]
    app.log("D", "MCP:ServerService", "Server started on port 8080")
    assert isinstance(clock, ManualClock)
    await clock.advance(1333)
    app.log("I", "MCP:ServerService", "Client connected")
    return []


def front(scenery: Scenery) -> Example:
    world = scenery.stage.world
    world.install(ExampleApp)
    world.show(ExampleApp.package)
    shown = world.front
    assert isinstance(shown, Example)
    return shown


async def with_ids(scenery: Scenery, **documented: str) -> list[Substitution]:
    """Documented ids, each with the end of a resource id."""
    rows = await scenery.stage.rows()
    ids = {row[4].rpartition("/")[2]: row[0] for row in rows}
    return [Substitution("element", name, ids[key]) for name, key in documented.items()]


def on_element(key: str, content: str = "") -> Scene:
    """node_abc123 is the element with that resource id; the field holds `content`."""

    async def scene(scenery: Scenery) -> list[Substitution]:
        front(scenery).field.content = content
        return await with_ids(scenery, node_abc123=key)

    return scene


async def below(scenery: Scenery) -> list[Substitution]:
    """The element is below the visible part."""
    show_scene(scenery.stage.world, "mixed")
    return await with_ids(scenery, node_abc123="far")


async def in_a_field(scenery: Scenery) -> list[Substitution]:
    shown = front(scenery)
    [named] = await with_ids(scenery, node_abc123="field")
    await scenery.stage.call("click_element", element_id=named.actual)
    assert shown.field.focused
    return []


async def two_elements(scenery: Scenery) -> list[Substitution]:
    front(scenery)
    return await with_ids(scenery, node_1="long", node_2="picture")


async def clipboard(scenery: Scenery) -> list[Substitution]:
    await scenery.stage.call("set_clipboard", text="clipboard content")
    return []


async def one_location(scenery: Scenery) -> list[Substitution]:
    """The phone's storage, read only, with the documented free space."""
    storage, files = scenery.storage, scenery.stage.device.files
    storage.remove(DOWNLOADS)
    storage.put("com.android.externalstorage.documents/primary:", description="Main device storage")
    # The first call puts its own files on the phone.
    await scenery.stage.phone.driver.read_screen()
    files.capacity = files.used + 52_428_800_000
    return []


async def two_files(scenery: Scenery) -> list[Substitution]:
    """Only a folder and a text file of 1024 bytes."""
    files = scenery.stage.device.files
    for name in files.list(f"{FOLDER}/notes"):
        files.remove(f"{FOLDER}/notes/{name}")
    files.remove_folder(f"{FOLDER}/notes")
    for name in files.list(FOLDER):
        files.remove(f"{FOLDER}/{name}")
    files.make_folder(f"{FOLDER}/Documents")
    files.set_time(f"{FOLDER}/Documents", 0)
    files.write(f"{FOLDER}/readme.txt", b"x" * 1024)
    files.set_time(f"{FOLDER}/readme.txt", 1_700_000_000)
    return [Substitution("path", "loc/", "")]


async def a_long_file(scenery: Scenery) -> list[Substitution]:
    lines = ["First line of the file", "Second line of the file", *["More"] * 98]
    scenery.stage.device.files.write(f"{FOLDER}/readme.txt", "\n".join(lines).encode())
    return []


def holding(path: str, text: str) -> Scene:
    async def scene(scenery: Scenery) -> list[Substitution]:
        files = scenery.stage.device.files
        files.write(f"{FOLDER}/{path}", text.encode())
        return []

    return scene


async def on_the_web(scenery: Scenery) -> list[Substitution]:
    scenery.web.pages["/photo.jpg"] = answer(b"\xff\xd8\xff")
    url = f"http://127.0.0.1:{scenery.web.port}/photo.jpg"
    return [Substitution("url", "https://example.com/photo.jpg", url)]


async def another_app(scenery: Scenery) -> list[Substitution]:
    scenery.stage.world.install(ExampleApp)
    return [Substitution("app name", "Example App", ExampleApp.label)]
