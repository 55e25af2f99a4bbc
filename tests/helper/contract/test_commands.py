"""Arguments, effects and answers of each command."""

import io
import json
from typing import Any

import pytest
from PIL import Image

from handheld.helper.protocol import FrameKind
from handheld.screen.model import Flag, Node
from harness.starting_apps import CALCULATOR, CONTROLLER, GRANT, CameraApp, DoorApp, ElsewhereApp
from harness.web_apps import SHOP, ShopApp
from testbed import show_scene
from testbed.screens import Described

from .conftest import Stage
from .host import Answer, Host

OPENED = {"package": CALCULATOR, "activity": f"{CALCULATOR}.Calculator"}
FORM = "dev.handheld.form"

SETTINGS = "com.android.settings"
COLUMNS = ("depth", "index", "key", "class_name", "text", "description", "resource_id")


def windows(answer: Answer) -> list[dict[str, Any]]:
    assert answer.kind == FrameKind.REPLY, answer.value
    return json.loads(answer.data)["windows"]


def node(stage: Stage, id: str) -> Node:
    for window in stage.world.automation.read_windows():
        for node in window.nodes:
            if node.resource_id == id:
                return node
    raise LookupError(id)


def signature(node: Node) -> dict[str, str | None]:
    return {
        "class": node.class_name,
        "resource_id": node.resource_id,
        "description": node.description,
        "text": node.text,
    }


def act(node: Node, **changes: Any) -> dict[str, Any]:
    return {
        "key": node.key,
        "action": "click",
        "expect": signature(node),
        "anchor": None,
        **changes,
    }


def digit(stage: Stage, number: int) -> Node:
    return node(stage, f"{CALCULATOR}:id/digit_{number}")


def done(stage: Stage) -> list[tuple[object, ...]]:
    return [(event.kind, *event.details) for event in stage.world.events]


# screen


async def test_screen_contains_every_window_with_its_nodes(stage: Stage, host: Host) -> None:
    world = stage.world
    world.show(CALCULATOR)
    answer = await host.do("screen")
    assert answer.reply == {
        "seq": world.automation.seq,
        "display": {"width": 1080, "height": 2400, "density": 420, "rotation": 0},
        "foreground": {
            "package": CALCULATOR,
            "activity": f"{CALCULATOR}.Calculator",
            "user": None,
        },
        "degraded": False,
        "missing": [],
        "displays": [],
        "locked": False,
        "awake": True,
        "notices": [],
    }
    assert windows(answer) == [
        {
            "id": window.id,
            "type": window.type,
            "package": window.package,
            "title": window.title,
            "layer": window.layer,
            "focused": window.focused,
            "nodes": [
                [*(getattr(n, column) for column in COLUMNS), *n.bounds, n.flags, n.drawing_order]
                for n in window.nodes
            ],
            "items": [[number, *place] for number, place in window.items.items()],
            "details": [],
        }
        for window in world.automation.read_windows()
    ]


async def test_screen_tells_what_few_views_have(stage: Stage, host: Host) -> None:
    show_scene(stage.world, "described", waiting="yes")
    [window] = [each for each in windows(await host.do("screen")) if each["focused"]]
    told = {
        str(window["nodes"][number][6]).rpartition("/")[2]: details
        for number, details in window["details"]
    }
    label = node(stage, "dev.handheld.testbed:id/label")
    assert told.pop("None") == {"pane": "Profile"}
    assert told == {
        "email": {"error": "Not an address", "label": label.key},
        "tile": {"state": "Vibrate"},
        "level": {"range": [0, 0, 100, 40], "state": "40%"},
        "done": {"range": [0, 0, 10_000, 2500], "state": "25%"},
        "waiting": {"loading": True},
    }
    flags = {str(row[6]).rpartition("/")[2]: row[11] for row in window["nodes"]}
    assert flags["heading"] & Flag.HEADING
    assert flags["more"] & Flag.COLLAPSED
    assert flags["email"] & Flag.SHOWING_HINT


async def test_screen_tells_the_roles_of_a_web_page_and_where_links_lead(
    stage: Stage, host: Host
) -> None:
    stage.world.install(ShopApp)
    stage.world.launch(SHOP)
    [window] = [each for each in windows(await host.do("screen")) if each["focused"]]
    told = [
        (window["nodes"][number][4], details["role"], details.get("url"))
        for number, details in window["details"]
        if "role" in details
    ]
    assert told[:2] == [("Cart", "rootWebArea", None), (None, "genericContainer", None)]
    assert told[2:7] == [
        ("Your cart", "heading", None),
        (None, "paragraph", None),
        ("Two ", "staticText", None),
        ("red", "staticText", None),
        (" apples, ", "staticText", None),
    ]
    assert ("change", "link", "https://shop.example/edit") in told
    assert ("Name", "textField", None) in told
    plain = [number for number, details in window["details"] if "role" not in details]
    assert all(window["nodes"][number][2].endswith(":-1") for number in plain)


async def test_screen_tells_the_hint_of_a_field_with_content(stage: Stage, host: Host) -> None:
    shown = show_scene(stage.world, "described")
    assert isinstance(shown, Described)
    shown.email.content = "a@b.c"
    email = node(stage, "dev.handheld.testbed:id/email")
    [details] = [
        details
        for window in windows(await host.do("screen"))
        for number, details in window["details"]
        if window["nodes"][number][2] == email.key
    ]
    assert details["hint"] == "name@example.com"


async def test_screen_tells_how_long_a_list_is(stage: Stage, host: Host) -> None:
    show_scene(stage.world, "long_list", count="300")
    [details] = [
        details
        for window in windows(await host.do("screen"))
        for number, details in window["details"]
        if window["nodes"][number][6] == "dev.handheld.testbed:id/list"
    ]
    assert details == {"rows": [300, 1]}


async def test_windows_without_a_root_are_reported_as_missing(stage: Stage, host: Host) -> None:
    stage.world.show(CALCULATOR)
    shown = windows(await host.do("screen"))
    calculator = next(window for window in shown if window["package"] == CALCULATOR)
    stage.world.rootless_packages.add(CALCULATOR)
    answer = await host.do("screen")
    assert answer.reply["missing"] == [
        {"window": calculator["id"], "package": CALCULATOR, "reason": "no_root"}
    ]
    assert windows(answer) == [window for window in shown if window is not calculator]


async def test_no_window_with_a_root_is_an_error(stage: Stage, host: Host) -> None:
    for window in stage.world.automation.read_windows():
        assert window.package is not None
        stage.world.rootless_packages.add(window.package)
    answer = await host.do("screen")
    assert answer.failure == ("no_windows", "no")
    assert {lost["reason"] for lost in answer.value["data"]["missing"]} == {"no_root"}


def shown_of(answer: Answer, package: str) -> tuple[list[Any], list[str]]:
    """The reported part of a package's window, and the reason why it is incomplete."""
    [window] = [window for window in windows(answer) if window["package"] == package]
    lost = [item for item in answer.reply["missing"] if item["window"] == window["id"]]
    return window["nodes"], [item["reason"] for item in lost]


async def test_slow_window_is_awaited_while_nodes_arrive(stage: Stage, host: Host) -> None:
    stage.world.show(CALCULATOR)
    whole, _ = shown_of(await host.do("screen"), CALCULATOR)
    stage.world.slow_views[CALCULATOR] = 150
    read = await host.call("screen", budget_ms=60_000)
    await host.advance(len(whole) * 150 - 1)
    assert len(whole) * 150 > 3000
    assert read not in host.answers
    await host.advance(1)
    assert shown_of(await host.answer(read), CALCULATOR) == (whole, [])


async def test_too_slow_window_is_reported_partially(stage: Stage, host: Host) -> None:
    stage.world.show(CALCULATOR)
    whole, _ = shown_of(await host.do("screen"), CALCULATOR)
    stage.world.slow_views[CALCULATOR] = 200
    read = await host.call("screen", budget_ms=2000)
    await host.advance(1749)
    assert read not in host.answers
    await host.advance(1)
    assert shown_of(await host.answer(read), CALCULATOR) == (whole[:8], ["incomplete"])


async def test_window_that_hangs_midway_is_reported_partially(stage: Stage, host: Host) -> None:
    stage.world.show(CALCULATOR)
    whole, _ = shown_of(await host.do("screen"), CALCULATOR)
    stage.world.last_views[CALCULATOR] = 5
    read = await host.call("screen", budget_ms=10_000)
    await host.advance(1999)
    assert read not in host.answers
    await host.advance(1)
    assert shown_of(await host.answer(read), CALCULATOR) == (whole[:5], ["incomplete"])


async def test_after_typing_a_window_that_hangs_midway_is_omitted(stage: Stage, host: Host) -> None:
    stage.world.show(FORM)
    name = node(stage, f"{FORM}:id/name")
    stage.world.last_views[FORM] = 5
    typing = {"where": "end", "text": "a", "delay_ms": 0, "variance_ms": 0}
    arguments = {"key": name.key, "expect": {}, "anchor": None, **typing}
    call = await host.call("type", arguments, budget_ms=20_000, act=True)
    await host.advance(2500)
    answer = await host.answer(call)
    assert (answer.reply["content"], answer.data) == ("a", b"")


async def test_screen_reports_off_and_locked(stage: Stage, host: Host) -> None:
    stage.world.awake, stage.world.locked = False, True
    reply = (await host.do("screen")).reply
    assert (reply["awake"], reply["locked"]) == (False, True)


async def test_screen_is_read_again_when_it_is_not_that_of_the_app_in_front(
    stage: Stage, host: Host
) -> None:
    world = stage.world
    world.show(CALCULATOR)
    world.settle()
    automation = world.automation
    automation.old_windows, automation.old_focus = world.windows(), world.focused_window
    automation.walks = 1
    world.show(SETTINGS)
    answer = await host.do("screen")
    assert [one["package"] for one in windows(answer) if one["focused"]] == [SETTINGS]
    automation.on_walk = lambda: world.show(CALCULATOR)
    answer = await host.do("screen")
    assert [one["package"] for one in windows(answer) if one["focused"]] == [CALCULATOR]
    automation.old_root, automation.walks = world.focused_window, 2
    world.show(SETTINGS)
    answer = await host.do("screen")
    # Twice the content of the old one: it is returned, with what is in front.
    assert [one["package"] for one in windows(answer) if one["focused"]] == [CALCULATOR]
    assert answer.reply["foreground"]["package"] == SETTINGS


async def test_screen_tells_the_states_of_views(stage: Stage, host: Host) -> None:
    scene = show_scene(stage.world, "mixed")
    assert scene.window is not None
    views = {view.id: view for view in scene.window.root.walk()}
    views["title"].selected, views["title"].expanded = True, True
    views["button"].expanded = False
    [shown] = [one for one in windows(await host.do("screen")) if one["title"] == "Testbed"]
    flags = {node[6].rpartition("/")[2]: node[11] for node in shown["nodes"] if node[6]}
    states = (
        *(Flag.CHECKABLE, Flag.CHECKED, Flag.SELECTED, Flag.SHOWING_HINT),
        *(Flag.EXPANDED, Flag.COLLAPSED),
    )
    told = {name: [state for state in states if flags[name] & state] for name in flags}
    assert told["title"] == [Flag.SELECTED, Flag.EXPANDED]
    assert told["field"] == [Flag.SHOWING_HINT]
    assert told["box"] == [Flag.CHECKABLE]
    assert told["button"] == [Flag.COLLAPSED]


# capture


@pytest.mark.parametrize("format", ["png", "jpeg"])
@pytest.mark.parametrize("max_size", [None, 500, 5000])
async def test_screenshot_has_the_reported_size(
    stage: Stage, host: Host, format: str, max_size: int | None
) -> None:
    arguments = {"max_size": max_size, "format": format, "quality": 80}
    answer = await host.do("capture", arguments)
    image = Image.open(io.BytesIO(answer.data))
    height = 500 if max_size == 500 else 2400
    assert image.format == format.upper()
    assert image.size == (round(1080 * height / 2400), height)
    assert answer.reply == {
        "width": image.width,
        "height": image.height,
        "format": format,
        "secure": [],
    }


async def test_secure_windows_are_reported(stage: Stage, host: Host) -> None:
    stage.world.show(CALCULATOR)
    stage.world.secure_packages.add(CALCULATOR)
    answer = await host.do("capture", {"max_size": 300, "format": "jpeg", "quality": 50})
    assert answer.reply["secure"] == stage.world.screen.secure_windows != []


async def test_capture_fails_when_the_screen_is_off(stage: Stage, host: Host) -> None:
    stage.world.awake = False
    answer = await host.do("capture", {"max_size": None, "format": "png", "quality": 80})
    assert answer.failure == ("capture_failed", "no")


# touch


@pytest.mark.parametrize(
    ("x", "y", "at"),
    [
        (0, 0, (0, 0)),
        (540.5, 1200.25, (540.5, 1200.25)),
        (1080, 2400, (1079, 2399)),
    ],
)
async def test_a_single_point_is_down_and_up_back_to_back(
    stage: Stage, host: Host, x: float, y: float, at: tuple[float, float]
) -> None:
    assert (await host.do("touch", {"strokes": [[[x, y, 0]]]}, act=True)).reply == {}
    assert done(stage) == [("touch", "down", 0, *at), ("touch", "up", 0, *at)]


@pytest.mark.parametrize("point", [(-0.5, 0), (1080.5, 0), (0, 2401), (0, -1), (1e9, 1e9)])
async def test_touch_outside_the_screen_is_rejected_entirely(
    stage: Stage, host: Host, point: tuple[float, float]
) -> None:
    answer = await host.do("touch", {"strokes": [[[5, 5, 0], [*point, 10]]]}, act=True)
    assert answer.failure == ("outside_screen", "no")
    assert answer.value["data"] == {"width": 1080, "height": 2400}
    assert done(stage) == []


async def test_touch_fails_when_the_screen_is_off(stage: Stage, host: Host) -> None:
    stage.world.awake = False
    answer = await host.do("touch", {"strokes": [[[5, 5, 0]]]}, act=True)
    assert answer.failure == ("failed", "no")
    assert done(stage) == []


# press


async def test_home_and_back_are_pressed(stage: Stage, host: Host) -> None:
    stage.world.show(CALCULATOR)
    assert (await host.do("press", {"button": "home"}, act=True)).reply == {}
    assert stage.world.foreground is not None
    assert stage.world.foreground[0] != CALCULATOR
    assert (await host.do("press", {"button": "back"}, act=True)).reply == {}
    assert done(stage) == [("press", "home"), ("press", "back")]


async def test_button_refused_by_android_is_a_failure(stage: Stage, host: Host) -> None:
    stage.world.awake = False
    answer = await host.do("press", {"button": "home"}, act=True)
    assert answer.failure == ("failed", "no")


# act


async def test_action_runs_on_a_node_with_the_expected_signature(stage: Stage, host: Host) -> None:
    stage.world.show(CALCULATOR)
    seven = digit(stage, 7)
    answer = await host.do("act", act(seven), act=True)
    assert answer.reply == {}
    assert done(stage) == [("perform", seven.key, "click")]
    assert node(stage, f"{CALCULATOR}:id/formula").text == "7"


async def test_omitted_signature_keys_are_not_compared(stage: Stage, host: Host) -> None:
    stage.world.show(CALCULATOR)
    seven = digit(stage, 7)
    expect = {"class": seven.class_name}
    assert (await host.do("act", act(seven, expect=expect), act=True)).reply == {}


@pytest.mark.parametrize("part", ["class", "resource_id", "description", "text"])
@pytest.mark.parametrize("other", ["something else", None])
async def test_changed_node_is_not_acted_on(
    stage: Stage, host: Host, part: str, other: str | None
) -> None:
    stage.world.show(CALCULATOR)
    found = node(stage, f"{CALCULATOR}:id/op_add")
    expect = signature(found)
    if expect[part] == other:
        other = "something else"
    expect[part] = other
    answer = await host.do("act", act(found, expect=expect), act=True)
    assert answer.failure == ("changed", "no")
    assert done(stage) == []


async def test_missing_node_is_reported_as_gone(stage: Stage, host: Host) -> None:
    stage.world.show(CALCULATOR)
    seven = digit(stage, 7)
    stage.world.show("com.android.launcher3")
    answer = await host.do("act", act(seven), act=True)
    assert answer.failure == ("gone", "no")
    assert done(stage) == []


async def test_action_runs_when_the_anchor_matches(stage: Stage, host: Host) -> None:
    stage.world.show(CALCULATOR)
    seven, eight = digit(stage, 7), digit(stage, 8)
    anchor = {"key": eight.key, **signature(eight)}
    assert (await host.do("act", act(seven, anchor=anchor), act=True)).reply == {}
    assert done(stage) == [("perform", seven.key, "click")]


@pytest.mark.parametrize(
    ("change", "code"), [({"text": "9"}, "changed"), ({"key": "999:1:-1"}, "gone")]
)
async def test_changed_or_missing_anchor_stops_the_action(
    stage: Stage, host: Host, change: dict[str, str], code: str
) -> None:
    stage.world.show(CALCULATOR)
    seven, eight = digit(stage, 7), digit(stage, 8)
    anchor = {"key": eight.key, **signature(eight), **change}
    answer = await host.do("act", act(seven, anchor=anchor), act=True)
    assert answer.failure == (code, "no")
    assert done(stage) == []


async def test_recycled_row_is_detected_by_its_anchor(stage: Stage, host: Host) -> None:
    """The views of a list are reused for other rows and keep their keys."""
    world = stage.world
    show_scene(world, "equal_rows", names="Ann,Bob")
    row = next(
        n
        for window in world.automation.read_windows()
        for n in window.nodes
        if n.text == "Delete" and n.flags & Flag.CLICKABLE
    )
    name = next(
        n for window in world.automation.read_windows() for n in window.nodes if n.text == "Ann"
    )
    right = {"key": name.key, **signature(name)}
    wrong = {**right, "text": "Bob"}
    answer = await host.do("act", act(row, anchor=wrong), act=True)
    assert answer.failure == ("changed", "no")
    assert done(stage) == []
    assert (await host.do("act", act(row, anchor=right), act=True)).reply == {}


async def test_lone_surrogate_is_compared_as_sent(stage: Stage, host: Host) -> None:
    show_scene(stage.world, "equal_rows", names="A\ud83db,Bob")
    nodes = [row for window in windows(await host.do("screen")) for row in window["nodes"]]
    name = next(row for row in nodes if row[4] == "A\ufffdb")
    button = next(row for row in nodes if row[4] == "Delete")
    arguments = {
        "key": button[2],
        "action": "click",
        "expect": {"text": "Delete"},
        "anchor": {"key": name[2], "text": "A\ufffdb"},
    }
    assert (await host.do("act", arguments, act=True)).reply == {}


@pytest.mark.parametrize("action", ["long_click", "scroll_forward", "scroll_backward"])
async def test_unsupported_action_is_not_actionable(stage: Stage, host: Host, action: str) -> None:
    stage.world.show(CALCULATOR)
    answer = await host.do("act", act(digit(stage, 7), action=action), act=True)
    assert answer.failure == ("not_actionable", "no")
    assert done(stage) == []


# launch


async def test_launch_reports_the_activity(stage: Stage, host: Host) -> None:
    answer = await host.do("launch", {"package": CALCULATOR}, act=True)
    assert answer.reply == OPENED
    assert stage.world.foreground == (CALCULATOR, f"{CALCULATOR}.Calculator")


@pytest.mark.parametrize(
    ("package", "code"),
    [("com.nobody", "not_installed"), ("dev.handheld.keeper", "not_launchable")],
)
async def test_failed_launch_reports_the_reason(
    stage: Stage, host: Host, package: str, code: str
) -> None:
    before = stage.world.foreground
    answer = await host.do("launch", {"package": package}, act=True)
    assert answer.failure == (code, "no")
    assert stage.world.foreground == before


async def test_launch_closes_an_open_panel(stage: Stage, host: Host) -> None:
    assert (await host.do("press", {"button": "notifications"}, act=True)).reply == {}
    titles = [window["title"] for window in windows(await host.do("screen"))]
    assert titles == ["Navigation bar", "Notification shade"]
    await host.do("launch", {"package": "com.nobody"}, act=True)
    assert windows(await host.do("screen"))[-1]["title"] == "Notification shade"
    answer = await host.do("launch", {"package": CALCULATOR}, act=True)
    assert answer.reply == OPENED
    assert windows(await host.do("screen"))[-1]["title"] == "Calculator"


@pytest.mark.parametrize("button", ["recents", "notifications", "quick_settings"])
async def test_system_screens_are_opened(stage: Stage, host: Host, button: str) -> None:
    before = windows(await host.do("screen"))
    assert (await host.do("press", {"button": button}, act=True)).reply == {}
    assert done(stage) == [("press", button)]
    assert windows(await host.do("screen")) != before


async def test_launch_is_refused_on_a_locked_phone(stage: Stage, host: Host) -> None:
    stage.world.locked = True
    answer = await host.do("launch", {"package": CALCULATOR}, act=True)
    assert answer.failure == ("locked", "no")
    assert done(stage) == []


def start_nothing(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """An app whose window does not appear by itself."""

    def launch(package: str) -> str:
        return ""

    monkeypatch.setattr(stage.world, "launch", launch)


async def test_a_launch_is_answered_when_the_app_is_in_front(
    stage: Stage, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_nothing(stage, monkeypatch)
    launch = await host.call("launch", {"package": CALCULATOR}, act=True)
    await host.advance(1000)
    assert launch not in host.answers
    stage.world.show(CALCULATOR)
    assert (await host.answer(launch)).reply == OPENED


async def test_launch_fails_at_its_budget_when_the_app_stays_in_the_background(
    stage: Stage, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_nothing(stage, monkeypatch)
    launch = await host.call("launch", {"package": CALCULATOR}, budget_ms=3000, act=True)
    await host.advance(2999)
    assert launch not in host.answers
    await host.advance(1)
    answer = await host.answer(launch)
    assert answer.failure == ("failed", "partly")
    assert answer.value["message"] == (
        f"{CALCULATOR} was started but did not come to the front in time."
        " com.android.launcher3 is there."
    )


async def test_app_behind_a_permission_dialog_counts_as_open(stage: Stage, host: Host) -> None:
    stage.world.install(CameraApp)
    answer = await host.do("launch", {"package": CameraApp.package}, act=True)
    assert answer.reply == {"package": CONTROLLER, "activity": GRANT}
    screen = await host.do("screen")
    assert screen.reply["foreground"] == {**answer.reply, "user": None}
    assert [item["package"] for item in windows(screen) if item["focused"]] == [CONTROLLER]


async def test_app_that_redirects_within_its_task_counts_as_open(stage: Stage, host: Host) -> None:
    stage.world.install(DoorApp)
    answer = await host.do("launch", {"package": DoorApp.package}, act=True)
    assert answer.reply == OPENED


async def test_app_that_opens_another_task_is_not_in_front(stage: Stage, host: Host) -> None:
    stage.world.install(ElsewhereApp)
    launch = await host.call("launch", {"package": ElsewhereApp.package}, budget_ms=1000, act=True)
    for _ in range(10):
        await host.advance(100)  # events of the screen arrive in between
    answer = await host.answer(launch)
    assert answer.failure == ("failed", "partly")
    assert answer.value["message"].endswith(f" {CALCULATOR} is there.")


async def test_cancelled_launch_is_reported_as_partly_done(
    stage: Stage, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_nothing(stage, monkeypatch)
    launch = await host.call("launch", {"package": CALCULATOR}, act=True)
    await host.settle()
    await host.cancel(launch)
    assert (await host.answer(launch)).failure == ("cancelled", "partly")


# changed


async def test_earlier_change_is_answered_immediately(stage: Stage, host: Host) -> None:
    """No lost wake-up: a change between the read and the wait counts."""
    seq = (await host.do("screen")).reply["seq"]
    stage.world.show(CALCULATOR)
    assert stage.world.automation.seq > seq
    answer = await host.do("changed", {"after": seq, "within_ms": 4000})
    assert answer.reply == {"seq": stage.world.automation.seq}


async def test_a_change_during_the_wait_ends_it(stage: Stage, host: Host) -> None:
    seq = (await host.do("screen")).reply["seq"]
    wait = await host.call("changed", {"after": seq, "within_ms": 4000})
    await host.settle()
    assert wait not in host.answers
    stage.world.show(CALCULATOR)
    assert (await host.answer(wait)).reply == {"seq": stage.world.automation.seq}


async def test_without_a_change_the_sequence_is_returned_at_the_timeout(
    stage: Stage, host: Host
) -> None:
    seq = (await host.do("screen")).reply["seq"]
    wait = await host.call("changed", {"after": seq, "within_ms": 300})
    await host.advance(299)
    assert wait not in host.answers
    await host.advance(1)
    assert (await host.answer(wait)).reply == {"seq": seq}


async def test_wait_sees_a_tap_as_a_change(stage: Stage, host: Host) -> None:
    stage.world.show(CALCULATOR)
    seq = (await host.do("screen")).reply["seq"]
    wait = await host.call("changed", {"after": seq, "within_ms": 4000})
    left, top, right, bottom = digit(stage, 7).bounds
    centre = [(left + right) / 2, (top + bottom) / 2, 0]
    assert (await host.do("touch", {"strokes": [[centre]]}, act=True)).reply == {}
    await host.advance(100)
    assert (await host.answer(wait)).reply["seq"] > seq


def notices(answer: Answer) -> list[list[Any]]:
    """Without their times, which increase."""
    said = answer.reply["notices"]
    times = [at for at, *_ in said]
    assert times == sorted(set(times))
    assert all(type(at) is int for at in times)
    return [rest for _, *rest in said]


async def test_screen_contains_the_last_toasts_and_new_notifications(
    stage: Stage, host: Host
) -> None:
    world = stage.world
    assert notices(await host.do("screen")) == []
    world.toasts.show("com.x", "Saved")
    world.notify("com.bank", "Bank", "Code 1234")
    assert notices(await host.do("screen")) == [
        ["toast", "com.x", None, "Saved"],
        ["notification", "com.bank", "Bank", "Code 1234"],
    ]


async def test_notices_are_few_short_and_not_repeated(stage: Stage, host: Host) -> None:
    world = stage.world
    await host.do("screen")
    world.notify("com.bank", "first", "dropped")
    for number in range(8):
        world.notify("com.bank", f"{number}", "x" * 299 + "😀")
    world.notify("com.bank", "0", "x" * 299 + "😀")
    said = notices(await host.do("screen"))
    assert [title for _, _, title, _ in said] == ["1", "2", "3", "4", "5", "6", "7", "0"]
    assert {text for _, _, _, text in said} == {"x" * 299}
    world.notify("com.bank", "t" * 101, "")
    assert notices(await host.do("screen"))[-1] == ["notification", "com.bank", "t" * 100, ""]


async def test_a_notification_of_a_locked_phone_has_no_words(stage: Stage, host: Host) -> None:
    world = stage.world
    await host.do("screen")
    world.keyguard.set_pin("4711")
    world.locked = True
    world.notify("com.bank", "Bank", "Code 1234")
    assert notices(await host.do("screen")) == [["notification", "com.bank", None, None]]


async def test_a_toast_is_no_change_of_the_screen(stage: Stage, host: Host) -> None:
    seq = (await host.do("screen")).reply["seq"]
    stage.world.screen.changes.notify("toast", "com.x", None, "Saved")
    assert (await host.do("changed", {"after": seq, "within_ms": 0})).reply == {"seq": seq}
