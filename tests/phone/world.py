"""A driver with a screen that the test controls."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Self

from handheld.driver import (
    Guard,
    NodeSignature,
    NotActionable,
    Point,
    Rest,
    Screenshot,
    Seek,
    Sought,
    Spot,
    Target,
    TargetMissing,
)
from handheld.driver.app_tools import (
    Bundle,
    ChangedPackages,
    DeclaredTools,
    DeclaringApp,
    FunctionList,
    FunctionReply,
    ServiceReply,
)
from handheld.driver.apps import AppProcesses, Installed, Profile
from handheld.driver.cameras import Camera, CameraVideo, FlashMode, Photo, Size
from handheld.driver.conditions import Conditions
from handheld.driver.device import FactAnswer, Reach, Whereabouts
from handheld.driver.diagnostics import CrashRecords, Performance
from handheld.driver.files import Content, Place, RemoteEntry
from handheld.driver.hardware import Hardware
from handheld.driver.intents import Handler, Intent, Sent
from handheld.driver.notifications import Notification, NotificationVerb, Posted
from handheld.driver.packages import ApkFile, AppInfo, InstallOptions, PhoneTraits
from handheld.driver.recording import Video, VideoRequest
from handheld.driver.sms import Subscription
from handheld.driver.tables import Query, TableRows
from handheld.driver.text import Typed, Typing
from handheld.driver.web import PageText, ScriptResult, WebPage, WebPages
from handheld.screen.model import Bounds, Flag, Node, Screen, Window

LIST = Flag.SCROLLABLE | Flag.VISIBLE
SHOWN = Flag.VISIBLE | Flag.ENABLED
BUTTON = SHOWN | Flag.CLICKABLE
FIELD = BUTTON | Flag.EDITABLE


class World:
    def __init__(self, *nodes: Node, window: int = 1) -> None:
        self.window = window
        self.nodes = list(nodes)
        self.done: list[tuple[str, str | None, str]] = []
        """The actions: key, text and action."""
        self.reads = 0
        self.conditions = Conditions()

    def view(self, key: str) -> Node:
        return next(node for node in self.nodes if node.key == key)

    async def read_screen(self) -> Screen:
        self.reads += 1
        # Copies, so that a read does not change with the world.
        copies = [
            Node(
                n.depth,
                n.index,
                n.key,
                n.class_name,
                n.text,
                n.description,
                n.resource_id,
                n.bounds,
                n.flags,
            )
            for n in self.nodes
        ]
        shown = Window(self.window, "APPLICATION", "com.example", "Example", 0, True, copies)
        return Screen(1080, 2400, 420, 0, [shown])

    async def act(self, target: Target, action: str) -> None:
        assert target.key, "actions always have a key"
        checks = [(target.key, target.signature)]
        if target.anchor is not None:
            checks.append((target.anchor_key, target.anchor))
        for key, looks in checks:
            node = next((node for node in self.nodes if node.key == key), None)
            if node is None:
                raise TargetMissing(gone=True)
            if _signature(node, looks.compare_text) != looks:
                raise TargetMissing(gone=False)
        node = self.view(target.key)
        if not node.flags & Flag.CLICKABLE:
            raise NotActionable(action)
        self.done.append((node.key, node.text, action))

    async def seek(self, target: Target, seek: Seek) -> Sought:
        raise NotImplementedError

    async def touch(self, strokes: Sequence[Sequence[Point]]) -> None:
        raise NotImplementedError

    async def lift(self) -> None:
        raise NotImplementedError

    async def press(self, key: str) -> None:
        raise NotImplementedError

    async def launch(self, package: str) -> str:
        raise NotImplementedError

    async def capture(self, max_size: int | None, format: str, quality: int) -> Screenshot:
        raise NotImplementedError

    async def changed(self, after: int, within_ms: int) -> int:
        raise NotImplementedError

    async def need_notices(self) -> None:
        raise NotImplementedError

    async def scroll(self, direction: str, share: float) -> None:
        raise NotImplementedError

    async def drag(self, start: Spot, end: Spot, density: int) -> None:
        raise NotImplementedError

    async def notifications(self, after: int | None = None, within_ms: int = 0) -> Posted:
        raise NotImplementedError

    async def act_on_notification(self, seen: Notification, verb: NotificationVerb) -> str:
        raise NotImplementedError

    async def pinch(self, x: float, y: float, scale: float, duration_ms: float) -> float:
        raise NotImplementedError

    async def type(self, target: Target, typing: Typing) -> Typed:
        raise NotImplementedError

    async def key(self, key: str) -> None:
        raise NotImplementedError

    async def launch_in(self, profile: Profile, package: str) -> str:
        raise NotImplementedError

    async def profiles(self) -> list[Profile]:
        raise NotImplementedError

    async def packages(self, kind: str, user: int | None = None) -> list[Installed]:
        raise NotImplementedError

    async def processes(self, package: str) -> AppProcesses | None:
        raise NotImplementedError

    async def web_pages(self) -> WebPages:
        raise NotImplementedError

    async def read_page(self, page: WebPage, selector: str | None, most: int) -> PageText:
        raise NotImplementedError

    async def run_script(self, page: WebPage, script: str, timeout_ms: int) -> ScriptResult:
        raise NotImplementedError

    async def stop(self, package: str) -> bool:
        raise NotImplementedError

    async def handlers(self, intent: Intent) -> list[Handler]:
        raise NotImplementedError

    async def send_intent(self, intent: Intent) -> Sent:
        raise NotImplementedError

    async def logs(self, filters: Sequence[str], last: int | None) -> str:
        raise NotImplementedError

    async def locate(self, root: str, path: str) -> Place:
        raise NotImplementedError

    async def commit(self, root: str, temp: str, path: str, expect: Content | None) -> None:
        raise NotImplementedError

    async def remove(self, root: str, path: str) -> bool:
        raise NotImplementedError

    async def list_folder(self, path: str) -> list[RemoteEntry]:
        raise NotImplementedError

    async def pull(self, path: str, *, limit: int) -> bytes:
        raise NotImplementedError

    async def pull_to(self, path: str, target: BinaryIO, *, limit: int) -> int:
        raise NotImplementedError

    async def app_info(self, package: str) -> AppInfo | None:
        raise NotImplementedError

    async def traits(self) -> PhoneTraits:
        raise NotImplementedError

    async def install(self, parts: Sequence[ApkFile], options: InstallOptions) -> None:
        raise NotImplementedError

    async def uninstall(self, package: str, *, keep_data: bool) -> None:
        raise NotImplementedError

    async def set_permission(self, package: str, permission: str, granted: bool) -> None:
        raise NotImplementedError

    async def push(self, source: bytes | Path, path: str) -> int:
        raise NotImplementedError

    async def get_clipboard(self) -> str | None:
        raise NotImplementedError

    async def set_clipboard(self, text: str) -> None:
        raise NotImplementedError

    async def declared_tools(self) -> DeclaredTools:
        raise NotImplementedError

    async def app_functions(self) -> FunctionList:
        raise NotImplementedError

    async def declaring_apps(self, packages: Collection[str]) -> Mapping[str, DeclaringApp]:
        raise NotImplementedError

    async def call_function(
        self, package: str, function: str, arguments: str, within_ms: int
    ) -> FunctionReply:
        raise NotImplementedError

    async def changed_packages(self, after: int) -> ChangedPackages:
        raise NotImplementedError

    async def call_provider(
        self,
        authority: str,
        method: str,
        extras: Bundle | None,
        within_ms: int,
        *,
        act: bool = True,
    ) -> Bundle | None:
        raise NotImplementedError

    async def call_service(
        self, package: str, class_name: str, id: str, extras: Mapping[str, str], within_ms: int
    ) -> ServiceReply:
        raise NotImplementedError

    async def subscriptions(self) -> list[Subscription]:
        raise NotImplementedError

    async def shell_permissions(self) -> frozenset[str] | None:
        raise NotImplementedError

    async def find_exit_reason(self, package: str, within_ms: int) -> str:
        raise NotImplementedError

    async def known_subscriptions(self) -> frozenset[int] | None:
        raise NotImplementedError

    async def airplane_mode(self) -> bool | None:
        raise NotImplementedError

    async def setting(self, table: str, name: str) -> str | None:
        raise NotImplementedError

    async def sent_messages(self) -> Mapping[int, str] | None:
        raise NotImplementedError

    async def send_sms(self, subscription: int, to: str, text: str) -> int:
        raise NotImplementedError

    async def clear_data(self, package: str) -> None:
        raise NotImplementedError

    async def crash_records(self, package: str | None, near: datetime | None) -> CrashRecords:
        raise NotImplementedError

    async def performance(self, package: str) -> Performance:
        raise NotImplementedError

    async def read_device(self, names: Collection[str]) -> Mapping[str, str]:
        raise NotImplementedError

    async def change_device(self, line: str, names: Collection[str]) -> FactAnswer:
        raise NotImplementedError

    async def reach(self) -> Reach:
        raise NotImplementedError

    async def languages(self) -> list[str]:
        raise NotImplementedError

    async def set_languages(self, tags: Sequence[str]) -> list[str]:
        raise NotImplementedError

    async def whereabouts(self, fresh_ms: int) -> Whereabouts:
        raise NotImplementedError

    async def pretend_place(self, place: tuple[float, float] | None) -> None:
        raise NotImplementedError

    async def keyboard_shown(self) -> bool:
        raise NotImplementedError

    async def record(self, request: VideoRequest) -> Video:
        raise NotImplementedError

    async def query(self, query: Query) -> TableRows:
        raise NotImplementedError

    async def cameras(self) -> list[Camera]:
        raise NotImplementedError

    async def take_photo(
        self, camera: str, size: Size, quality: int, flash: FlashMode, *, most: Size | None
    ) -> Photo:
        raise NotImplementedError

    async def record_video(
        self, camera: str, size: Size, duration_ms: int, flash: FlashMode, *, audio: bool
    ) -> CameraVideo:
        raise NotImplementedError

    async def remove_recording(self, path: str) -> None:
        raise NotImplementedError

    async def hardware(self) -> Hardware:
        return Hardware("", "")

    def guarded(self, guard: Guard) -> Self:
        return self

    def resting(self, rest: Rest) -> Self:
        return self

    @property
    def linked(self) -> bool:
        return True

    async def link(self) -> None:
        pass

    async def unlink(self) -> None:
        pass

    async def release(self) -> bool:
        return False

    async def aclose(self) -> None:
        pass


def _signature(node: Node, text: bool) -> NodeSignature:
    return NodeSignature(
        node.class_name, node.resource_id, node.description, node.text if text else None, text
    )


def view(
    key: str,
    depth: int = 1,
    index: int = 0,
    *,
    class_name: str | None = "android.widget.Button",
    text: str | None = None,
    description: str | None = None,
    resource_id: str | None = None,
    top: int = 0,
    flags: int = BUTTON,
) -> Node:
    bounds = Bounds(0, top, 100, top + 50)
    return Node(depth, index, key, class_name, text, description, resource_id, bounds, int(flags))


def root(flags: int = SHOWN) -> Node:
    return view("root", 0, class_name="android.widget.FrameLayout", flags=flags)


def row(number: int, name: str, *, position: int | None = None) -> list[Node]:
    """A row of a list: a title, and a button that is the same in every row."""
    place = number if position is None else position
    return [
        view(f"row{number}", 1, place, class_name="android.widget.LinearLayout",
             top=place * 50, flags=SHOWN),
        view(f"title{number}", 2, 0, class_name="android.widget.TextView", text=name,
             resource_id="com.example:id/title", top=place * 50, flags=SHOWN),
        view(f"delete{number}", 2, 1, text="Delete", resource_id="com.example:id/delete",
             top=place * 50),
    ]  # fmt: skip
