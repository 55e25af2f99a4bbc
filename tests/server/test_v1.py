"""The v1 surface: initialization, errors, ids, waits and phones."""

import asyncio
import base64
import json
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncGenerator
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import PIL.Image
import pytest
from hypothesis import given
from hypothesis import strategies as st

import handheld
from cli.program import Home
from handheld import __version__
from handheld.access.request_scope import EVERYTHING, RequestScope
from handheld.calls.local import LocalSurface
from handheld.cli.arguments import parse
from handheld.driver import Screenshot
from handheld.errors import ActionFailed
from handheld.phone.phone import Phone
from handheld.screen.ids import java_hash
from handheld.screen.model import Bounds, Flag, Node, Screen
from handheld.server.envelope import NO_JSON_SENTENCE
from handheld.server.options import HttpOptions
from handheld.server.v1 import V1
from handheld.settings import load
from handheld.tools.main import CATALOG
from handheld.tools.v1 import NAMES, own, tree_text
from handheld_virtual.apps.form import ContactForm
from handheld_virtual.views.layout import Column
from harness.one_phone import UnusedPhone
from harness.polling import HANG
from harness.serving import served
from phone.world import World
from testbed import show_scene
from testbed.screens import ChangingText

from .little import TOKEN, LittleSurface
from .stage import Stage, Switch, error_answer, open_stage

AGAIN = "Call get_accessibility_tree again and use an id from its reply."
CALCULATOR = "com.android.calculator2"


@pytest.fixture
async def stage(switch: tuple[Switch, httpx.AsyncClient]) -> AsyncGenerator[Stage]:
    async with open_stage(*switch) as opened:
        yield opened


@pytest.fixture(scope="module")
async def little() -> AsyncGenerator[tuple[LittleSurface, httpx.AsyncClient]]:
    """The v1 surface over a surface without a phone."""
    surface = LittleSurface()
    options = HttpOptions(port=0, token=TOKEN, v1=lambda: V1(surface, "handheld-pixel7"))
    async with served(surface, options, TOKEN) as (http, _):
        yield surface, http


Little = tuple[LittleSurface, httpx.AsyncClient]


async def send(http: httpx.AsyncClient, body: str, path: str = "/mcp/v1/tools/call") -> Any:
    headers = {"content-type": "application/json"}
    answer = await http.post(path, content=body.encode(), headers=headers)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    return answer.json()


# Routes and messages


HELLO = {
    "protocolVersion": "2024-11-05",
    "serverInfo": {"name": "handheld-pixel7", "version": __version__},
    "capabilities": {"tools": {"listChanged": False}},
}


async def test_a_client_is_greeted_with_the_first_protocol(little: Little) -> None:
    body = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}'
    assert await send(little[1], body, "/mcp/v1/initialize") == {
        "jsonrpc": "2.0",
        "id": 0,
        "result": HELLO,
    }


@pytest.mark.parametrize(
    ("query", "id"),
    [
        ("", None),
        ("?id=7", 7),
        ("?id=-7", -7),
        ("?id=007", 7),
        ("?id=1.5", "1.5"),
        ("?id=abc%20d", "abc d"),
        ("?id=", ""),
        ("?id=%ff", "�"),
        ("?id=" + "9" * 40, "9" * 40),
        ("?id=3&id=4", 3),
        ("?other=3", None),
    ],
)
async def test_the_list_has_the_id_of_its_request(little: Little, query: str, id: object) -> None:
    answer = (await little[1].get(f"/mcp/v1/tools/list{query}")).json()
    schema = {"type": "object", "properties": {}, "required": []}
    assert answer == {
        "jsonrpc": "2.0",
        "id": id,
        "result": {
            "tools": [
                {"name": "slow", "description": "Waits.", "inputSchema": schema},
                {"name": "echo", "description": "Says it back on None.", "inputSchema": schema},
            ]
        },
    }


@pytest.mark.parametrize("path", ["/mcp/v1/tools/call", "/mcp/v1/initialize"])
async def test_any_post_route_accepts_any_method(little: Little, path: str) -> None:
    _, http = little
    call = {"name": "echo", "arguments": {"a": 1}}
    body = {"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": call}
    sentence = {"content": [{"type": "text", "text": "{'a': 1}"}]}
    assert await send(http, json.dumps(body), path) == {
        "jsonrpc": "2.0",
        "id": "x",
        "result": sentence,
    }
    listed = await send(http, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', path)
    assert listed == (await http.get("/mcp/v1/tools/list?id=1")).json()
    greeted = await send(http, '{"jsonrpc":"2.0","method":"initialize"}', path)
    assert greeted == {"jsonrpc": "2.0", "id": None, "result": HELLO}


REQUEST = '{"jsonrpc":"2.0","id":1,"method":"tools/call"'
NO_VERSION = 'The message must say "jsonrpc": "2.0".'
NO_NAME = "The call names no tool: params.name must be a string."


@pytest.mark.parametrize(
    ("body", "code", "message", "id"),
    [
        ("", -32700, NO_JSON_SENTENCE, None),
        ("{", -32700, NO_JSON_SENTENCE, None),
        ('{"id":NaN}', -32700, NO_JSON_SENTENCE, None),
        (
            "[" * 110 + "]" * 110,
            -32700,
            "The message is nested more than 100 levels deep.",
            None,
        ),
        ("[]", -32600, "JSON-RPC batches are not accepted; send one request at a time.", None),
        ("7", -32600, "The message is not a JSON-RPC object.", None),
        ("{}", -32600, NO_VERSION, None),
        ('{"jsonrpc":"1.0","id":4}', -32600, NO_VERSION, 4),
        ('{"jsonrpc":2.0,"id":4}', -32600, NO_VERSION, 4),
        ('{"jsonrpc":"2.0","id":4}', -32600, "The message has no method.", 4),
        ('{"jsonrpc":"2.0","id":4,"result":{}}', -32600, "The message has no method.", 4),
        ('{"jsonrpc":"2.0","id":4,"method":7}', -32600, "The method must be a string.", 4),
        (
            '{"jsonrpc":"2.0","id":true,"method":"x"}',
            -32600,
            "The id must be a string or a whole number.",
            None,
        ),
        (
            '{"jsonrpc":"2.0","id":"\\ud800","method":"x"}',
            -32600,
            "The id holds half of a surrogate pair.",
            None,
        ),
        (
            '{"jsonrpc":"2.0","id":4,"method":"x/y"}',
            -32601,
            "This server has no such method: x/y",
            4,
        ),
        (REQUEST + "}", -32602, NO_NAME, 1),
        (REQUEST + ',"params":null}', -32602, NO_NAME, 1),
        ('{"jsonrpc":"2.0","method":"tools/call"}', -32602, NO_NAME, None),
        ('{"jsonrpc":"2.0","id":null,"method":"tools/call"}', -32602, NO_NAME, None),
        (REQUEST + ',"params":[]}', -32602, "The params must be an object.", 1),
        (REQUEST + ',"params":{}}', -32602, NO_NAME, 1),
        (REQUEST + ',"params":{"name":7}}', -32602, NO_NAME, 1),
        (
            REQUEST + ',"params":{"name":"echo","arguments":[]}}',
            -32602,
            "The arguments of a tool must be an object: params.arguments.",
            1,
        ),
        (
            REQUEST + ',"params":{"name":"echo","arguments":{"a":"\\ud800"}}}',
            -32602,
            "An argument holds half of a surrogate pair, which is no character; send it whole or"
            " leave it out.",
            1,
        ),
        (REQUEST + ',"params":{"name":"android_tap"}}', -32601, "Unknown tool: android_tap", 1),
        (REQUEST + ',"params":{"name":"fails"}}', -32003, "It did not work.", 1),
        (
            REQUEST + ',"params":{"name":"breaks"}}',
            -32603,
            "Handheld had an internal fault; its log has the details.",
            1,
        ),
    ],
)
async def test_every_failure_is_an_error_with_its_code_and_no_result(
    little: Little, body: str, code: int, message: str, id: object
) -> None:
    assert await send(little[1], body) == error_answer(code, message, id)


WORDS = st.sampled_from(["2.0", "tools/call", "tools/list", "initialize", "echo", "fails"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | WORDS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["jsonrpc", "id", "method", "params", "name", "arguments"]), inner
        )
    ),
    max_leaves=12,
)


@given(VALUES.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=30))
def test_every_request_has_one_answer(body: bytes) -> None:
    answer = asyncio.run(V1(LittleSurface(), "handheld").answer(body))
    assert list(answer) == ["jsonrpc", "id", "result" if "result" in answer else "error"]
    assert isinstance(answer["id"], int | str | None)


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("POST", "/mcp/v1/tools/list", "GET"),
        ("GET", "/mcp/v1/tools/call", "POST"),
        ("DELETE", "/mcp/v1/initialize", "POST"),
    ],
)
async def test_a_wrong_http_method_names_the_right_one(
    little: Little, method: str, path: str, allow: str
) -> None:
    answer = await little[1].request(method, path, json={})
    assert (answer.status_code, answer.headers["allow"]) == (405, allow)


async def test_other_paths_are_not_found(little: Little) -> None:
    for path in ("/mcp/v1", "/mcp/v1/", "/mcp/v1/tools", "/phones//mcp/v1/tools/list"):
        assert (await little[1].get(path)).status_code == 404, path


async def test_a_token_is_required_before_anything_else(little: Little) -> None:
    _, http = little
    for method, path in (("GET", "/mcp/v1/tools/list"), ("GET", "/mcp/v1/nowhere")):
        answer = await http.request(method, path, headers={"authorization": "Bearer wrong"})
        assert (answer.status_code, answer.json()["message"]) == (401, "Invalid bearer token")


async def test_the_phone_in_the_url_is_used_by_v1(little: Little) -> None:
    _, http = little
    answer = (await http.get("/phones/left/mcp/v1/tools/list")).json()
    assert answer["result"]["tools"][1]["description"] == "Says it back on left."
    body = REQUEST + ',"params":{"name":"who"}}'
    answer = await send(http, body, "/phones/left/mcp/v1/tools/call")
    assert answer["result"]["content"][0]["text"] == " by v1 on left"
    answer = await send(http, body, "/phones/nobody/mcp/v1/tools/call")
    assert answer == error_answer(-32602, "There is no phone nobody.")


async def test_a_disconnect_stops_the_running_call(little: Little) -> None:
    surface, http = little
    body = REQUEST + ',"params":{"name":"slow"}}'
    call = asyncio.create_task(send(http, body))
    async with asyncio.timeout(HANG):
        await surface.slow_started.wait()
        call.cancel()
        await surface.slow_stopped.wait()
    assert surface.finished == 0


async def test_without_the_first_surface_its_paths_are_not_found(little: Little) -> None:
    async with served(little[0], HttpOptions(port=0, token=TOKEN), TOKEN) as (http, at):
        for path in ("/v1/tools/list", "/v1/tools/call"):
            assert (await http.get(at.url + path)).status_code == 404


# The tools


async def test_the_29_tools_are_listed_without_prefix_title_or_hints(stage: Stage) -> None:
    answer = (await stage.http.get("/mcp/v1/tools/list")).json()
    tools = answer["result"]["tools"]
    assert [tool["name"] for tool in tools] == list(NAMES)
    assert len(NAMES) == 29
    today = await LocalSurface(CATALOG, UnusedPhone()).tools()
    changed = {tool.name for tool in own.tools}
    for listing in today:
        name = listing.name.removeprefix("android_")
        if name in NAMES and name not in changed:
            assert tools[NAMES.index(name)] == {
                "name": name,
                "description": listing.description,
                "inputSchema": dict(listing.input_schema),
            }


def object_of(required: list[str], **properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required}


BY = {
    "type": "string",
    "enum": ["text", "content_desc", "resource_id", "class_name"],
    "description": "Search criteria type",
}
VALUE = {"type": "string", "description": "Search value"}
TIMEOUT = {"type": "integer", "description": "Timeout in milliseconds (1-30000)"}


async def test_schemas_of_tools_with_special_parameters(stage: Stage) -> None:
    answer = (await stage.http.get("/mcp/v1/tools/list")).json()
    listed = {tool["name"]: tool["inputSchema"] for tool in answer["result"]["tools"]}
    text = {"type": "string"}
    assert {name: listed[name] for name in NAMES if name in OTHERS} == {
        "capture_screenshot": object_of(
            [],
            quality={"type": "integer", "description": "JPEG quality (1-100)", "default": 80},
        ),
        "get_device_logs": object_of(
            [],
            last_lines={
                "type": "integer",
                "description": "Number of most recent log lines to return (1-1000)",
                "default": 100,
            },
            since=text
            | {"description": "ISO 8601 timestamp to filter logs from (e.g., 2024-01-15T10:30:00)"},
            until=text
            | {"description": "ISO 8601 timestamp to filter logs until (used with since)"},
            tag=text | {"description": "Filter by log tag (exact match, e.g., MCP:ServerService)"},
            level=text
            | {
                "enum": ["V", "D", "I", "W", "E", "F"],
                "description": "Minimum log level to include",
                "default": "D",
            },
            package_name=text | {"description": "Filter logs by package name"},
        ),
        "set_text": object_of(
            ["element_id", "text"],
            element_id=text | {"description": "Node ID from find_elements"},
            text=text | {"description": "Text to set (empty string to clear)"},
        ),
        "input_text": object_of(
            ["text"],
            text=text | {"description": "Text to type"},
            element_id=text | {"description": "Optional: target element ID to focus and type into"},
        ),
        "clear_text": object_of(
            [], element_id=text | {"description": "Optional: target element ID to clear"}
        ),
        "wait_for_element": object_of(
            ["by", "value"], by=BY, value=VALUE, timeout=TIMEOUT | {"default": 5000}
        ),
        "wait_for_idle": object_of([], timeout=TIMEOUT | {"default": 3000}),
    }


OTHERS = (
    *("capture_screenshot", "get_device_logs"),
    *("set_text", "input_text", "clear_text", "wait_for_element", "wait_for_idle"),
)


# The tree, and ids


def walk(node: dict[str, Any]) -> list[dict[str, Any]]:
    return [node, *(below for child in node["children"] for below in walk(child))]


async def tree(stage: Stage) -> list[dict[str, Any]]:
    """All nodes of the tree, in pre-order."""
    [root] = json.loads(await stage.first("get_accessibility_tree"))["nodes"]
    return walk(root)


async def test_the_tree_is_the_active_window_with_every_key(stage: Stage) -> None:
    scene = show_scene(stage.world, "changing_text")
    assert isinstance(scene, ChangingText)
    text = await stage.first("get_accessibility_tree")
    screen = await stage.phone.driver.read_screen()
    window = next(one for one in screen.windows if one.focused)
    assert len(screen.windows) > 1
    ids: dict[int, str] = {-1: "root"}
    flat: list[dict[str, Any]] = []
    for node in window.nodes:
        left, top, right, bottom = node.bounds
        seed = (
            f"{node.resource_id or ''}|{node.class_name}|{left},{top},{right},{bottom}"
            f"|{node.depth}|{node.index}|{ids[node.depth - 1]}"
        )
        ids[node.depth] = f"node_{java_hash(seed):x}"
        described: dict[str, Any] = {
            "id": ids[node.depth],
            "className": node.class_name,
            "text": node.text,
            "contentDescription": node.description,
            "resourceId": node.resource_id,
            "bounds": {"left": left, "top": top, "right": right, "bottom": bottom},
            "clickable": bool(node.flags & Flag.CLICKABLE),
            "longClickable": bool(node.flags & Flag.LONG_CLICKABLE),
            "focusable": bool(node.flags & Flag.FOCUSABLE),
            "scrollable": bool(node.flags & Flag.SCROLLABLE),
            "editable": bool(node.flags & Flag.EDITABLE),
            "enabled": bool(node.flags & Flag.ENABLED),
            "visible": bool(node.flags & Flag.VISIBLE),
            "children": [],
        }
        if node.depth:
            parent = next(one for one in reversed(flat) if one["id"] == ids[node.depth - 1])
            parent["children"].append(described)
        flat.append(described)
    assert "More" in [node["text"] for node in flat]
    expected = json.dumps({"nodes": flat[:1]}, ensure_ascii=False, separators=(",", ":"))
    assert text == expected


def test_a_tree_deeper_than_the_recursion_limit_is_returned() -> None:
    def node(depth: int) -> Node:
        return Node(depth, 0, "", "V", None, None, None, Bounds(0, 0, 1, 1), 0)

    deep = tree_text([(f"node_{number:x}", node(number)) for number in range(5000)])
    assert deep.count('"children":[{') == 4999
    assert deep.endswith('"children":[' + "]}" * 5000 + "]}")
    depths = (0, 1, 2, 1, 3, 1)
    [root] = json.loads(tree_text([(str(i), node(depth)) for i, depth in enumerate(depths)]))[
        "nodes"
    ]
    shape = [(one["id"], [child["id"] for child in one["children"]]) for one in walk(root)]
    assert shape == [
        ("0", ["1", "3", "5"]),
        ("1", ["2"]),
        ("2", []),
        ("3", ["4"]),
        ("4", []),
        ("5", []),
    ]


async def test_missing_parts_of_a_read_are_noted_beside_the_tree(stage: Stage) -> None:
    stage.world.locked = True
    described = json.loads(await stage.first("get_accessibility_tree"))
    assert list(described) == ["nodes", "notes"]
    assert described["notes"] == ["the phone is locked"]


async def test_text_from_an_app_is_cleaned(stage: Stage) -> None:
    stage.phone = Phone(
        "serial",
        World(
            Node(0, 0, "a", "C\n", "a\tb\u2028\ud800", "\x1b", "i\x00d", Bounds(0, 0, 9, 9), 1),
        ),
    )
    [node] = await tree(stage)
    assert [node[key] for key in ("className", "text", "contentDescription", "resourceId")] == [
        "C\n",
        "a b\n�",
        " ",
        "i d",
    ]


async def test_ids_of_the_tree_act_on_the_listed_elements(stage: Stage) -> None:
    stage.world.show(CALCULATOR)
    for key in ("digit_7", "op_add", "digit_5", "eq"):
        name = next(
            node["id"]
            for node in await tree(stage)
            if (node["resourceId"] or "").endswith(f":id/{key}")
        )
        assert await stage.first("click_element", element_id=name) == (
            f"Click performed on element '{name}'"
        )
    assert "12" in [node["text"] for node in await tree(stage)]


async def test_a_changed_element_is_not_acted_on(stage: Stage) -> None:
    scene = show_scene(stage.world, "changing_text")
    assert isinstance(scene, ChangingText)
    name = next(node["id"] for node in await tree(stage) if node["text"] == "0")
    scene.more()
    assert await stage.first("click_element", element_id=name) == (
        -32002,
        f"Element '{name}' not found: it has changed since it was listed. {AGAIN}",
    )
    stage.world.show(CALCULATOR)
    assert await stage.first("scroll_to_element", element_id=name) == (
        -32002,
        f"Element '{name}' not found: it is gone from the screen. {AGAIN}",
    )


async def test_an_id_of_another_process_acts_if_it_is_unambiguous(stage: Stage) -> None:
    show_scene(stage.world, "changing_text")
    name = next(node["id"] for node in await tree(stage) if node["text"] == "More")
    stage.phone = Phone("virtual", stage.phone.driver)
    assert await stage.first("click_element", element_id=name) == (
        f"Click performed on element '{name}'"
    )
    assert "1" in [node["text"] for node in await tree(stage)]
    assert await stage.first("click_element", element_id="nonsense") == (
        -32002,
        f"Element 'nonsense' not found: ids look like node_1a2b3c. {AGAIN}",
    )


async def test_both_surfaces_share_issued_ids(stage: Stage) -> None:
    show_scene(stage.world, "changing_text")
    old = next(node["id"] for node in await tree(stage) if node["text"] == "More")
    new = await stage.id_of("More")
    assert old != new.partition("_w")[0]
    assert await stage.call("click_element", element_id=old) == (
        f"Click performed on element '{old}'"
    )
    assert await stage.first("click_element", element_id=new) == (
        f"Click performed on element '{new}'"
    )
    assert "2" in [node["text"] for node in await tree(stage)]


async def test_found_elements_have_the_ids_of_the_tree(stage: Stage) -> None:
    show_scene(stage.world, "changing_text")
    [node] = [node for node in await tree(stage) if node["text"] == "More"]
    for gone in ("children", "focusable", "visible"):
        del node[gone]
    found = json.loads(await stage.first("find_elements", by="text", value="mor"))
    assert found == {"elements": [node]}
    assert list(found["elements"][0]) == [
        *("id", "text", "contentDescription", "resourceId", "className", "bounds", "clickable"),
        *("longClickable", "scrollable", "editable", "enabled"),
    ]
    # The bars are other windows than the active one.
    assert await stage.first("find_elements", by="content_desc", value="Home") == '{"elements":[]}'


async def test_an_element_that_cannot_be_clicked_has_the_v1_error(stage: Stage) -> None:
    show_scene(stage.world, "changing_text")
    name = next(node["id"] for node in await tree(stage) if node["text"] == "0")
    assert await stage.first("click_element", element_id=name) == (
        -32003,
        f"Node '{name}' is not clickable. Click an element that is clickable, or tap it.",
    )
    assert await stage.first("long_click_element", element_id=name) == (
        -32003,
        f"Node '{name}' is not long-clickable. Long-click an element that is longClickable, or use"
        " long_press.",
    )


async def test_a_click_on_a_text_clicks_the_row_around_it_on_v1_too(stage: Stage) -> None:
    stage.world.launch("com.android.settings")
    name = next(node["id"] for node in await tree(stage) if node["text"] == "Battery")
    params = {"name": "click_element", "arguments": {"element_id": name}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    done, further = (await stage.post("/mcp/v1/tools/call", body))["result"]["content"]
    assert done["text"] == f"Click performed on element '{name}'"
    assert further["text"].startswith("It is not clickable itself: the click went to the element")
    assert stage.world.front.title == "Battery"


async def test_a_screen_without_an_active_window_has_no_root(stage: Stage) -> None:
    stage.world.show(CALCULATOR)
    stage.world.rootless_packages.add(CALCULATOR)
    for name in ("get_accessibility_tree", "clear_text"):
        code, message = await stage.first(name)
        assert code == -32003
        assert message == (
            "Failed to obtain root node: no window has the focus. The screen may be transitioning."
            f" Window 4 {CALCULATOR} gave no content and is missing."
        )


# Screenshots, the app and the size of the screen


@pytest.mark.matrix
async def test_a_screenshot_has_the_screens_size_and_the_quality_asked_for(stage: Stage) -> None:
    stage.world.show(CALCULATOR)
    sizes: dict[object, int] = {}
    for quality in (None, 50, "50", 80, 100):
        image = await stage.first("capture_screenshot", quality=quality)
        assert list(image) == ["type", "data", "mimeType", "width", "height"]
        data = base64.b64decode(image.pop("data"))
        assert image == {"type": "image", "mimeType": "image/jpeg", "width": 1080, "height": 2400}
        with PIL.Image.open(BytesIO(data)) as picture:
            assert (picture.format, picture.size) == ("JPEG", (1080, 2400))
        sizes[quality] = len(data)
    assert sizes[50] == sizes["50"] < sizes[80] == sizes[None] < sizes[100]


@pytest.mark.parametrize(
    ("quality", "message"),
    [
        (0, "Quality must be between 1 and 100, got 0"),
        (101, "Quality must be between 1 and 100, got 101"),
        (1.5, "Quality must be an integer between 1 and 100, got 1.5"),
        ("high\n", "Quality must be an integer between 1 and 100, got high⏎"),
        ([], "Quality must be an integer between 1 and 100, got []"),
    ],
)
async def test_an_invalid_quality_is_refused(stage: Stage, quality: object, message: str) -> None:
    assert await stage.first("capture_screenshot", quality=quality) == (-32602, message)


async def test_a_protected_screen_is_reported(stage: Stage) -> None:
    stage.world.show(CALCULATOR)
    stage.world.secure_packages.add(CALCULATOR)
    assert await stage.first("capture_screenshot") == (
        -32003,
        "Screenshot capture failed: the secure window 'Calculator' may not be captured and would be"
        " black. Work with get_accessibility_tree.",
    )


async def test_the_current_app_has_its_activity_in_short(stage: Stage) -> None:
    stage.world.show(CALCULATOR)
    assert await stage.first("get_current_app") == (
        '{"packageName":"com.android.calculator2","activityName":".Calculator"}'
    )
    stage.phone = Phone(
        "serial", World(Node(0, 0, "", None, None, None, None, Bounds(0, 0, 9, 9), 1))
    )
    assert await stage.first("get_current_app") == (
        '{"packageName":"unknown","activityName":"unknown"}'
    )


async def test_the_current_app_of_a_locked_phone_is_unknown(stage: Stage) -> None:
    stage.world.show(CALCULATOR)
    stage.world.keyguard.lock()
    assert await stage.first("get_current_app") == (
        '{"packageName":"unknown","activityName":"unknown"}'
    )


async def test_a_dialog_of_another_app_in_front_is_the_current_app(stage: Stage) -> None:
    stage.world.show(CALCULATOR)
    dialog = stage.world.system_dialogs.open(
        "android", "com.android.server.am.AppErrorDialog", "Calculator keeps stopping", Column()
    )
    assert await stage.first("get_current_app") == (
        '{"packageName":"android","activityName":"unknown"}'
    )
    stage.world.system_dialogs.close(dialog)
    assert await stage.first("get_current_app") == (
        '{"packageName":"com.android.calculator2","activityName":".Calculator"}'
    )


async def test_the_screen_size_follows_its_rotation(stage: Stage) -> None:
    assert await stage.first("get_screen_info") == (
        '{"width":1080,"height":2400,"densityDpi":420,"orientation":"portrait"}'
    )
    stage.world.rotate(1)
    assert await stage.first("get_screen_info") == (
        '{"width":2400,"height":1080,"densityDpi":420,"orientation":"landscape"}'
    )


# Text


def form(stage: Stage) -> ContactForm:
    stage.world.show("dev.handheld.form")
    front = stage.world.front
    assert isinstance(front, ContactForm)
    return front


async def field(stage: Stage, number: int = 0) -> str:
    return [node["id"] for node in await tree(stage) if node["editable"]][number]


async def test_set_text_replaces_the_text_of_a_field(stage: Stage) -> None:
    fields = form(stage).fields
    name = await field(stage)
    for text in ("first", "second 👨‍👩‍👧‍👦", "long" * 1000, ""):
        assert await stage.first("set_text", element_id=name, text=text) == (
            f"Text set on element '{name}'"
        )
        assert fields["name"].content == text


async def test_without_an_id_the_focused_field_is_used(stage: Stage) -> None:
    fields = form(stage).fields
    missing = (
        -32002,
        "No focused editable element found. Focus an input field first or provide element_id.",
    )
    assert await stage.first("input_text", text="x") == missing
    assert await stage.first("clear_text") == missing
    name = await field(stage)
    # In an id, a character of two UTF-16 units counts as two.
    assert await stage.first("input_text", text="a😀", element_id=name) == (
        "Text input completed (3 characters)"
    )
    assert await stage.first("input_text", text="bc", element_id="") == (
        "Text input completed (2 characters)"
    )
    assert fields["name"].content == "bc"
    assert await stage.first("clear_text") == "Text cleared successfully"
    assert fields["name"].content == ""
    other = await field(stage, 1)
    assert await stage.first("set_text", element_id=other, text="there") == (
        f"Text set on element '{other}'"
    )
    assert fields["email"].content == "there"
    assert await stage.first("clear_text", element_id=other) == "Text cleared successfully"
    assert fields["email"].content == ""


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "message"),
    [
        ("set_text", {"text": "x"}, -32602, "Missing required parameter: 'element_id'"),
        ("set_text", {"element_id": "node_1"}, -32602, "Missing required parameter: 'text'"),
        (
            "set_text",
            {"element_id": "", "text": ""},
            -32602,
            "Parameter 'element_id' must be non-empty",
        ),
        ("input_text", {}, -32602, "Missing required parameter: 'text'"),
        (
            "input_text",
            {"text": "x" * 100_001},
            -32602,
            "text exceeds maximum length of 100000 characters (got 100001)",
        ),
        (
            "clear_text",
            {"element_id": "node_1"},
            -32002,
            f"Element 'node_1' not found in accessibility tree. {AGAIN}",
        ),
        (
            "clear_text",
            {"text": "x"},
            -32602,
            "Unknown parameter 'text'. Known parameters: element_id.",
        ),
    ],
)
async def test_text_that_cannot_be_set_is_refused(
    stage: Stage, tool: str, arguments: dict[str, Any], code: int, message: str
) -> None:
    form(stage)
    assert await stage.first(tool, **arguments) == (code, message)


async def test_text_for_an_element_that_is_not_a_field_is_refused(stage: Stage) -> None:
    show_scene(stage.world, "changing_text")
    name = next(node["id"] for node in await tree(stage) if node["text"] == "More")
    assert await stage.first("set_text", element_id=name, text="x") == (
        -32003,
        f"Input connection not available after focusing element '{name}'. The element may not be"
        " an editable text field.",
    )


# Waiting


async def test_an_element_that_does_not_appear_is_a_timeout(stage: Stage) -> None:
    stage.world.show(CALCULATOR)
    assert await stage.first("wait_for_element", by="text", value="Never\n") == (
        -32004,
        "Element not found within 5000ms (by=text, value='Never⏎', attempts=10)",
    )
    assert await stage.first("wait_for_element", by="text", value="x", timeout=0) == (
        -32602,
        "Timeout must be between 1 and 30000 ms, got: 0",
    )


async def test_a_present_element_is_returned_in_short_form(stage: Stage) -> None:
    show_scene(stage.world, "changing_text")
    [node] = [node for node in await tree(stage) if node["text"] == "More"]
    brief = (
        *("id", "text", "contentDescription", "resourceId", "className", "bounds"),
        "clickable",
    )
    reply = await stage.first("wait_for_element", by="text", value="More", timeout=1000)
    assert json.loads(reply) == {
        "found": True,
        "elapsedMs": 0,
        "attempts": 1,
        "element": {key: node[key] for key in (*brief, "enabled")},
    }
    await stage.first("click_element", element_id=json.loads(reply)["element"]["id"])
    assert "1" in [node["text"] for node in await tree(stage)]


async def test_idle_means_two_equal_trees_half_a_second_apart(stage: Stage) -> None:
    scene = show_scene(stage.world, "changing_text")
    assert isinstance(scene, ChangingText)
    for when in (200, 700, 1100):
        stage.world.timers.after(when, scene.more)
    assert await stage.first("wait_for_idle") == '{"message":"UI is idle","elapsedMs":2000}'


async def test_a_screen_that_keeps_changing_is_a_timeout(stage: Stage) -> None:
    show_scene(stage.world, "restless")
    assert await stage.first("wait_for_idle") == (-32004, "UI did not become idle within 3000ms")
    stage.world.show(CALCULATOR)
    assert await stage.first("wait_for_idle", timeout=499) == (
        -32004,
        "UI did not become idle within 499ms",
    )
    stage.world.rootless_packages.add(CALCULATOR)
    code, message = await stage.first("wait_for_idle", timeout=1000)
    assert code == -32004
    assert message.startswith(
        "UI did not become idle within 1000ms: Failed to obtain root node: no window has the focus."
    )


# Rules for all surfaces


async def names(stage: Stage, **headers: str) -> set[str]:
    answer = await stage.http.get("/mcp/v1/tools/list", headers=headers)
    return {tool["name"] for tool in answer.json()["result"]["tools"]}


READING = {
    *("get_accessibility_tree", "capture_screenshot", "get_current_app", "get_screen_info"),
    *("get_device_logs", "find_elements", "get_clipboard", "wait_for_element", "wait_for_idle"),
}


async def test_read_only_keeps_reading_tools(stage: Stage) -> None:
    stage.set_policy(RequestScope(read_only=True))
    assert await names(stage) == READING
    assert await stage.first("tap", x=1, y=1) == (-32601, "Unknown tool: tap")
    assert stage.events() == []
    stage.set_policy(EVERYTHING)
    assert await names(stage, **{"x-mcp-readonly": "true"}) == READING
    assert await names(stage, **{"x-mcp-tools": "tap,swipe"}) == {"tap", "swipe"}


@pytest.mark.parametrize(
    ("off", "gone"),
    [
        ("tap", {"tap"}),
        ("get_screen_state", set(NAMES[:4])),
        ("type_clear_text", {"set_text", "input_text", "clear_text"}),
        ("type_append_text", {"set_text", "input_text"}),
        ("read_file", set[str]()),
    ],
)
async def test_a_tool_that_is_off_is_off_in_v1_too(stage: Stage, off: str, gone: set[str]) -> None:
    stage.set_policy(RequestScope(off=frozenset({off})))
    assert set(NAMES) - await names(stage) == gone


async def test_an_action_waits_for_its_turn(stage: Stage) -> None:
    stage.phone = Phone("virtual", stage.phone.driver, patience=0.01)
    async with stage.phone.acting("android_swipe"):
        code, message = await stage.first("tap", x=1, y=1)
    assert code == -32004
    assert message.startswith("The phone is busy: android_swipe has been using it")
    assert await stage.first("tap", x=500, y=1000) == "Tap executed at (500, 1000)"


async def test_a_uiautomation_conflict_is_a_permission_error(stage: Stage) -> None:
    stage.world.automation.holder = "uiautomator2"
    for name in (
        *READING - {"get_device_logs", "get_clipboard", "capture_screenshot"},
        "clear_text",
    ):
        arguments = {"by": "text", "value": "x"} if name.endswith(("element", "elements")) else {}
        code, message = await stage.first(name, **arguments)
        assert (name, code) == (name, -32001)
        assert "uiautomator2" in message


class Broken(World):
    async def read_screen(self) -> Screen:
        raise ValueError("secret internals")

    async def capture(self, max_size: int | None, format: str, quality: int) -> Screenshot:
        raise ActionFailed("Screenshot capture failed: no frame came.")


async def test_an_unexpected_exception_is_an_internal_error(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    stage.phone = Phone("serial", Broken())
    assert await stage.first("get_screen_info") == (
        -32603,
        "Internal error in get_screen_info; details are in Handheld's log.",
    )
    assert "called by  through v1" in caplog.text
    assert await stage.first("capture_screenshot") == (
        -32003,
        "Screenshot capture failed: no frame came.",
    )


# Without the v1 surface


@pytest.mark.matrix
def test_starting_does_not_import_v1() -> None:
    script = (
        "import sys, handheld.cli.commands.serve, handheld.server.http, handheld.tools.main\n"
        "from handheld.cli.parts import Parts\n"
        "from handheld.settings import Settings\n"
        "made = Parts(Settings()).v1\n"
        "print([name for name in sys.modules if name.endswith('.v1')], made is None,"
        " Parts(Settings(no_v1=True)).v1)"
    )
    run = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        encoding="utf-8",
        timeout=HANG,
        check=True,
    )
    assert run.stdout == "[] False None\n"


def status_of(url: str) -> int:
    request = urllib.request.Request(url, headers={"Authorization": "Bearer t"})
    try:
        with urllib.request.urlopen(request, timeout=HANG) as answer:
            return answer.status
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code


@pytest.mark.matrix
def test_without_its_two_files_everything_else_is_served(tmp_path: Path) -> None:
    package = tmp_path / "lib" / "handheld"
    shutil.copytree(Path(handheld.__file__).parent, package)
    (package / "server" / "v1.py").unlink()
    (package / "tools" / "v1.py").unlink()
    home = Home(tmp_path, further={"PYTHONPATH": str(package.parent)})
    with home.start("serve", "--phone", "virtual", "--port", "0", "--token", "t") as program:
        url = program.until("android_ tools connect to (.+)$")[1]
        assert status_of(f"{url}/v1/tools/list") == 404
        assert status_of(f"{url.removesuffix('/mcp')}/phones") == 200
        run = home.run("call", "get_screen_state")
        assert run.stdout.startswith("note:structural-only nodes are omitted")
    assert home.left_behind() == []
    assert "Traceback" not in program.errors


@pytest.mark.slow
def test_v1_is_served_unless_a_flag_switches_it_off(tmp_path: Path) -> None:
    given = parse(["serve", "--no-v1"])
    assert load({"no_v1": given.no_v1}, {"HANDHELD_HOME": str(tmp_path)}).no_v1
    home = Home(tmp_path)
    with home.start("serve", "--port", "0", "--token", "t") as program:
        url = program.until("android_ tools connect to (.+)$")[1]
        assert status_of(f"{url}/v1/tools/list") == 200
