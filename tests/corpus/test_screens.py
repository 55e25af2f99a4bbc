"""Captured screens: reading, processing, and showing them on the virtual phone."""

import xml.etree.ElementTree as ET
from collections import Counter

import pytest

from handheld.driver.reading.uiautomator import BadDump
from handheld.driver.reading.uiautomator import read_dump as read_printed
from handheld.screen.ids import assign
from handheld.screen.model import Flag
from handheld_virtual import ManualClock, VirtualPhone, World
from handheld_virtual.scenes.captured import install_captured, load_captured, screen_size
from handheld_virtual.views.reading.dump import read_dump
from screen.test_any_screen import check
from screen.test_text import check_lines, text_of
from virtual.scene.conftest import using
from virtual.scene.nodes import count_nodes, flat, kept, seen
from virtual.wire import dumped
from virtual.wire.phone_shell import new_phone, run_while_time_passes

from .files import cases, file, found, text
from .screens import names, read

DUMPS = cases("screens/*.xml")


def test_no_captured_screen_is_missing() -> None:
    assert len(found("screens/*.xml")) + len(found("accessibility-json/*.json")) >= 254


@pytest.mark.parametrize("name", names())
def test_a_captured_screen_is_processed(name: str) -> None:
    for captured in read(name):
        assert sum(len(part.nodes) for part in captured.screen.windows) == captured.nodes
        check(captured.screen, captured.rows)
        check_lines(captured.screen, text_of(captured.screen))
        for hashes in assign(captured.screen).hashes:
            assert len(set(hashes)) == len(hashes)


@pytest.mark.parametrize("name", DUMPS)
def test_a_dump_is_parsed_like_output_of_a_phone(name: str) -> None:
    output = text(name)
    if "<node" not in output:
        with pytest.raises(BadDump, match="The dump has an element 'android"):
            read_printed(output)  # Appium's page source, which no phone writes
        return
    [captured] = read(name)
    assert sum(len(window.nodes) for window in read_printed(output).windows) == captured.nodes


# On the virtual phone


@pytest.mark.parametrize("name", DUMPS)
def test_a_screen_survives_a_round_trip(name: str) -> None:
    captured = load_captured(file(name))
    world = World(clock=ManualClock())
    install_captured(world, [captured])
    nodes = [node for window in world.automation.read_windows() for node in window.nodes]
    expected = [node for window in captured.dump.windows for node in flat(window.root)]
    assert [seen(node) for node in nodes] == expected


@pytest.mark.parametrize("name", DUMPS)
def test_a_screen_is_shown_completely_and_clickable_nodes_receive_clicks(name: str) -> None:
    captured = load_captured(file(name))
    width, height = captured.upright(captured.dump.reach)
    size = screen_size([captured], 1080, 2400)
    assert size[0] >= width
    assert size[1] >= height
    assert max(size) <= 3 * min(size)
    world = World(clock=ManualClock(), width=size[0], height=size[1])
    install_captured(world, [captured])
    for window in world.automation.read_windows():
        for node in window.nodes:
            if node.flags & Flag.CLICKABLE and node.flags & Flag.ENABLED:
                world.events.clear()
                assert world.automation.perform(node.key, "click")
                [click] = [event for event in world.events if event.kind == "captured"]
                assert click.details[-1] == node.bounds
            left, top, right, bottom = node.bounds
            if left >= right or top >= bottom:
                assert not node.flags & Flag.VISIBLE


def test_dialogs_and_keyboards_do_not_define_the_screen_size() -> None:
    dumps = [load_captured(path) for path in found("screens/*.xml")]
    assert sum(each.size is None for each in dumps) >= 16
    kinds = Counter(window.type for each in dumps for window in each.dump.windows)
    assert kinds["INPUT_METHOD"] >= 1


async def test_screens_are_read_through_the_helper_and_uiautomator() -> None:
    async with using(VirtualPhone(width=4096, height=4096)) as used:
        for path in found("screens/*.xml")[::16]:
            captured = load_captured(path)
            [app] = install_captured(used.world, [captured])
            expected = [node for window in captured.dump.windows for node in flat(window.root)]
            screen = await used.driver.read_screen()
            nodes = [node for window in screen.windows for node in window.nodes]
            assert [seen(node) for node in nodes] == expected, path.name
            await used.driver.release()
            out, _, _ = await used.adb("uiautomator dump --windows /dev/tty")
            again = read_dump(out)
            roots = [window.root for window in captured.dump.windows]
            assert [kept(w.root) for w in again.windows] == [kept(root) for root in roots]
            used.world.uninstall(app.package)


def test_the_reader_agrees_with_a_plain_xml_parser() -> None:
    checked = 0
    for path in found("screens/*.xml"):
        try:
            tree = ET.parse(path)
        except (ET.ParseError, ValueError):
            continue
        checked += 1
        elements = [element for element in tree.iter() if element.get("bounds")]
        windows = read_dump(path.read_bytes()).windows
        assert sum(count_nodes(window.root) for window in windows) == len(elements), path.name
    assert checked > 150


async def dump(phone: VirtualPhone) -> str:
    got = await run_while_time_passes(phone, "uiautomator dump /sdcard/x.xml", 2000)
    assert (got.stderr, got.code) == ("", 0)
    return phone.files.read("/sdcard/x.xml").decode()


@pytest.mark.parametrize("api", [34, 35])
async def test_a_dump_has_the_tags_of_captured_ones(api: int) -> None:
    real: set[str] = set()
    for path in found("screens/*.xml"):
        output = path.read_text("utf-8", errors="replace")
        # Some were made by other tools, or reformatted.
        if output.startswith(dumped.HEADER) and "\n<" not in output:
            real |= dumped.shapes(output)
    phone = new_phone(api)
    phone.world.show("com.android.settings")
    assert dumped.shapes(await dump(phone)) <= real
    assert len(real) > 8


@pytest.mark.parametrize("api", [28, 34])
async def test_a_screen_is_dumped_as_it_was_captured(api: int) -> None:
    compared = 0
    for path in found("screens/*.xml")[::4]:
        output = path.read_text("utf-8", errors="replace")
        whole = output.startswith(f"{dumped.HEADER}<hierarchy")
        if not whole or "package" not in dumped.attributes(output)[0]:
            continue
        captured = load_captured(path)
        width, height = screen_size([captured], 1080, 2400)
        phone = VirtualPhone(clock=ManualClock(), api=api, width=width, height=height)
        (app,) = install_captured(phone.world, [captured])
        phone.world.show(app.package)
        assert dumped.attributes(await dump(phone)) == dumped.attributes(output), path.name
        compared += 1
    assert compared > 20
