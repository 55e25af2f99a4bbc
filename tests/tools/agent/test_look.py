"""What looking at the screen answers: details, pictures, limits and parts of it."""

from collections.abc import Sequence
from io import BytesIO

import pytest
from PIL import Image as Pillow

from handheld.errors import ActionFailed, ElementNotFound, InvalidParams
from handheld.phone.screen.screen_log import MOST_PICTURES
from handheld.screen.rows.token_bound import most_tokens
from handheld.tools.tool import Image, Item
from testbed import show_scene
from testbed.screens import EqualRows, Gestures

from .conftest import AgentBench

both = pytest.mark.parametrize(
    "agent_by",
    ["helper", pytest.param("shell", marks=[pytest.mark.matrix, pytest.mark.by_shell])],
    indirect=True,
)
LONG = "long " * 80
MANY = ",".join(f"N{number}" for number in range(30))


def equal_rows(bench: AgentBench, names: str) -> EqualRows:
    scene = show_scene(bench.world, "equal_rows", names=names)
    assert isinstance(scene, EqualRows)
    return scene


def drawn(items: Sequence[Item]) -> Pillow.Image:
    image = items[-1]
    assert isinstance(image, Image)
    return Pillow.open(BytesIO(image.data)).convert("RGB")


def touched(bench: AgentBench) -> list[tuple[object, object]]:
    """Where fingers went down, since last asked."""
    return [event[3:5] for event in bench.events() if event[:2] == ("touch", "down")]  # type: ignore[misc]


# All


@both
async def test_all_names_the_activity_and_the_place_of_each_ref(bench: AgentBench) -> None:
    await bench.call("open", what="com.android.settings")
    rows = (await bench.call("look", all=True)).split("\n")
    assert rows[1] == "activity .Settings"
    [row] = [row for row in rows if '"Battery' in row]
    ref = await bench.ref("Battery")
    assert row.strip().startswith(f"{ref} @540,")
    place = row.split("@")[1].split(" ")[0]
    await bench.call("tap", at=place)
    assert any('"Use Battery Saver"' in row for row in await bench.look())


@both
async def test_all_prints_whole_texts(bench: AgentBench) -> None:
    equal_rows(bench, f"{LONG},Cy")
    assert "…+" in await bench.call("look")
    assert f'"{LONG.strip()}"' in await bench.call("look", all=True)


async def test_all_lists_what_is_off_screen_apart(bench: AgentBench) -> None:
    equal_rows(bench, MANY)
    seen = await bench.call("look")
    assert '"N29"' not in seen
    before, after = (await bench.call("look", all=True)).split("off screen:\n")
    assert '"N0"' in before
    assert '"N29"' not in before
    assert '"N29"' in after
    assert '"N0"' not in after
    assert "@" not in after


async def test_a_text_cut_off_at_the_edge_is_listed_with_the_ref_that_it_is_in(
    bench: AgentBench,
) -> None:
    await bench.call("open", what="Settings")
    ref = next(row.split()[0] for row in await bench.look() if row.endswith("unnamed bottom"))
    rows = (await bench.call("look", all=True)).split("\n")
    assert f'  in {ref}: "Accessibility | Animations, services"' in rows


async def test_a_ref_off_screen_is_never_touched_at_another_place(bench: AgentBench) -> None:
    scene = equal_rows(bench, MANY)
    rows = (await bench.call("look", all=True)).split("\n")
    ref = rows[rows.index(' "N29"') + 1].split()[0]
    bench.events()
    failed = await bench.failure("tap", at=ref, times=2)
    assert failed.message == f'{ref} "Delete" is off screen: scroll to it first.'
    assert touched(bench) == []
    assert scene.deleted == []


# Pictures


@both
async def test_a_picture_comes_after_its_id_and_size(bench: AgentBench) -> None:
    rows, size, image = await bench.items("look", picture="clean")
    assert isinstance(rows, str)
    assert rows.startswith("com.android.launcher")
    assert size == "picture p1 461x1024"
    assert drawn([image]).size == (461, 1024)
    assert (await bench.items("look", picture="clean"))[1] == "picture p2 461x1024"


@pytest.mark.slow
@both
async def test_a_marked_picture_has_a_box_around_each_ref(bench: AgentBench) -> None:
    await bench.call("open", what="com.android.calculator2")
    row = next(row for row in (await bench.call("look", all=True)).split("\n") if '"7"' in row)
    x, y, wide, high = map(
        int, row.split("@")[1].split(" ", 2)[0].split(",") + row.split()[2].split("x")
    )
    clean, marked = [drawn(await bench.items("look", picture=kind)) for kind in ("clean", "marked")]
    scale = clean.width / 1080

    def red(image: Pillow.Image) -> int:
        """Red pixels on the lower edge of the key."""
        line = [
            image.getpixel((at, round((y + high / 2) * scale)))
            for at in range(round((x - wide / 2) * scale), round((x + wide / 2) * scale))
        ]
        return sum(r > 200 and g < 90 and b < 90 for r, g, b in line)  # type: ignore[misc]

    assert red(clean) == 0
    assert red(marked) > wide * scale / 3


@both
async def test_a_point_in_a_picture_is_tapped_on_the_screen(bench: AgentBench) -> None:
    show_scene(bench.world, "gestures")
    await bench.items("look", picture="clean")
    bench.events()
    reply = await bench.call("tap", at="p1:230,700")
    assert reply.startswith("Tapped p1:230,700.")
    [(x, y)] = touched(bench)
    assert (x, y) == pytest.approx((230.5 * 1080 / 461, 700.5 * 2400 / 1024), abs=0.6)


async def test_points_of_a_picture_are_dragged_between(bench: AgentBench) -> None:
    show_scene(bench.world, "gestures")
    await bench.items("look", picture="clean")
    bench.events()
    await bench.call("swipe", at="p1:230,700", to="p1:230,600")
    downs_and_ups = [event for event in bench.events() if event[0] == "touch"]
    assert downs_and_ups[0][3:5] == pytest.approx((540, 1641.8), abs=0.6)
    assert downs_and_ups[-1][3:5] == pytest.approx((540, 1407.4), abs=0.6)


@both
async def test_a_picture_of_a_screen_that_was_turned_is_refused(bench: AgentBench) -> None:
    show_scene(bench.world, "gestures")
    await bench.items("look", picture="clean")
    bench.world.rotate(1)
    bench.events()
    failed = await bench.failure("tap", at="p1:230,700")
    assert isinstance(failed, ElementNotFound)
    assert failed.message == (
        "The screen was turned or resized since p1: call phone_look with picture."
    )
    assert touched(bench) == []
    assert (await bench.items("look", picture="clean"))[1] == "picture p2 1024x461"
    await bench.call("tap", at="p2:512,230")
    assert touched(bench) != []


@pytest.mark.parametrize(
    ("at", "message"),
    [
        ("p7:1,1", "p7 is not a picture of this phone, or too old: call phone_look with picture."),
        ("p1:461,3", "p1 is 461x1024: 461,3 is outside of it."),
        ("p1:3,1024", "p1 is 461x1024: 3,1024 is outside of it."),
    ],
)
async def test_a_point_that_is_in_no_picture_touches_nothing(
    bench: AgentBench, at: str, message: str
) -> None:
    await bench.items("look", picture="clean")
    bench.events()
    assert (await bench.failure("tap", at=at)).message == message
    assert touched(bench) == []


async def test_old_pictures_are_forgotten(bench: AgentBench) -> None:
    await bench.items("look", picture="clean")
    screen = bench.phone.screens.last
    assert screen is not None
    for _ in range(MOST_PICTURES):
        bench.phone.screens.pictures.add(461, 1024, screen.snapshot.screen)
    assert "p1 is not a picture" in (await bench.failure("tap", at="p1:1,1")).message
    assert (await bench.call("tap", at="p2:1,1")).startswith("Tapped p2:1,1.")


@pytest.mark.parametrize("kind", ["clean", "marked"])
async def test_a_secure_window_is_not_shown_and_its_text_is(bench: AgentBench, kind: str) -> None:
    show_scene(bench.world, "secure")
    failed = await bench.failure("look", picture=kind)
    assert isinstance(failed, ActionFailed)
    assert failed.message == (
        "The screen shows nothing: the app forbids pictures (dev.handheld.testbed). Text works."
    )
    assert '"Balance: 1,234.56"' in failed.details[0]


async def test_what_draws_itself_can_be_tapped_in_its_picture(bench: AgentBench) -> None:
    scene = show_scene(bench.world, "gestures")
    assert isinstance(scene, Gestures)
    assert scene.window is not None
    [frame] = scene.window.root.children
    column = frame.children[0]
    *buttons, pad = column.children
    column.remove(*buttons)
    pad.description = None
    rows, size, _ = await bench.items("look", picture="marked")
    assert isinstance(rows, str)
    assert "draws itself" in rows
    assert size == "picture p1 461x1024"
    bench.events()
    await bench.call("tap", at="p1:230,700")
    assert len(touched(bench)) == 1


@pytest.mark.matrix
@pytest.mark.by_shell
@pytest.mark.parametrize("agent_by", ["shell"], indirect=True)
async def test_what_moves_too_much_to_be_read_can_be_seen_and_tapped(bench: AgentBench) -> None:
    show_scene(bench.world, "restless")
    said, size, image = await bench.items("look", picture="marked")
    assert isinstance(said, str)
    assert "get_screen_state" not in said
    assert size == "picture p1 461x1024"
    assert drawn([image]).size == (461, 1024)
    bench.events()
    reply = await bench.call("tap", at="p1:230,700")
    assert reply.startswith("Tapped p1:230,700. The screen could not be read after it: ")
    assert len(touched(bench)) == 1


# Limits


@pytest.mark.slow
async def test_an_answer_never_has_more_tokens_than_allowed(bench: AgentBench) -> None:
    for app in ("Settings", "Contacts", "Calculator", "Messages"):
        await bench.call("open", what=app)
        whole = (await bench.call("look")).split("\n")
        for limit in (60, 120, 250, 500):
            reply = (await bench.call("look", max_tokens=limit)).split("\n")
            assert sum(most_tokens(f"{row}\n") for row in reply) <= limit
            if sum(most_tokens(f"{row}\n") for row in whole) <= limit:
                assert reply == whole
            else:
                left_out = len(whole) - len(reply) + 1
                assert reply[-1].startswith(f"left out: {left_out} row")


async def test_rows_that_are_left_out_of_a_list_can_be_read_by_its_ref(bench: AgentBench) -> None:
    await bench.call("open", what="Contacts")
    reply = (await bench.call("look", max_tokens=150)).split("\n")
    within = reply[-1].rpartition(" within ")[2]
    inside = (await bench.call("look", within=within)).split("\n")
    assert inside[1].startswith(f"list {within}, 1–12 of 1000, ")
    assert len(inside) == 14


async def test_a_limit_that_is_too_small_is_refused_with_the_least(bench: AgentBench) -> None:
    await bench.call("open", what="Contacts")
    failed = await bench.failure("look", max_tokens=10)
    assert isinstance(failed, InvalidParams)
    least = int(
        failed.message.removeprefix("max_tokens is too small: this answer needs ").split()[0]
    )
    reply = (await bench.call("look", max_tokens=least)).split("\n")
    assert len(reply) == 2
    assert reply[1].startswith("left out: 16 rows; look within ")
    assert isinstance(await bench.failure("look", max_tokens=least - 1), InvalidParams)


@pytest.mark.slow
async def test_the_limit_holds_for_parts_changes_details_and_beside_a_picture(
    bench: AgentBench,
) -> None:
    await bench.look()
    await bench.call("open", what="Contacts")
    asked: list[dict[str, object]] = [
        {"find": "ada"},
        {"within": "Ada Bauer"},
        {"since": "s1"},
        {"since": "s77"},
        {"all": True},
        {"all": True, "find": "ada"},
        {"picture": "clean"},
        {"find": "Zz"},
    ]
    for arguments in asked:
        items = await bench.items("look", **arguments, max_tokens=120)
        texts = [item for item in items if isinstance(item, str)]
        assert sum(most_tokens(f"{text}\n") for text in texts) <= 120, arguments


# Parts


async def test_rows_are_found_by_the_content_state_and_kind_of_fields(bench: AgentBench) -> None:
    await bench.call("open", what="Contact form")
    await bench.call("type", into="Name", text="Zoë")
    for find in ("zoe", "focused", "Name"):
        assert '"Zoë"' in await bench.call("look", find=find) or find == "Name"
    rows = (await bench.call("look", find="field")).split("\n")
    assert all(" field " in row for row in rows if row[:1] == "a")
    empty = (await bench.call("look", find="empty")).split("\n")
    assert not any('"Zoë"' in row for row in empty)
    assert any(row.endswith("empty") for row in empty)


async def test_words_that_no_row_has_give_the_nearest(bench: AgentBench) -> None:
    await bench.call("open", what="Settings")
    reply = (await bench.call("look", find="Batery")).split("\n")
    assert reply[0] == 'No row of s1 has "Batery".'
    assert reply[1].startswith("Nearest: ")
    assert '"Battery | Battery Saver"' in reply[1]
    assert reply[1].endswith(". list a2 has more below: scroll it.")


@both
async def test_within_takes_a_ref_a_text_and_a_window(bench: AgentBench) -> None:
    equal_rows(bench, "Ann,Cy")
    ref = await bench.ref("Delete")
    by_ref = await bench.call("look", within=ref)
    by_text = await bench.call("look", within="ann")
    assert by_ref == by_text
    assert by_text.split("\n")[1:] == [f'"Ann", {ref} "Delete"']
    assert len((await bench.call("look", within="Testbed")).split("\n")) == 3
    assert (await bench.call("look", find="delete", within="Cy")).count("Delete") == 1


async def test_within_what_is_not_there_is_refused(bench: AgentBench) -> None:
    equal_rows(bench, "Ann,Cy")
    ref = await bench.ref("Delete")
    assert (await bench.failure("look", within="Anne")).message == (
        'No "Anne" is visible. Nearest: "Ann". within takes a ref, or words of a row, a list or the'
        " window."
    )
    assert (await bench.failure("look", within="k77")).message == (
        "k77 was never shown on this phone: call phone_look."
    )
    await bench.call("press", key="home")
    assert (await bench.failure("look", within=ref)).message == (
        f'{ref} "Delete" is gone. Call phone_look.'
    )


async def test_behind_a_dialog_is_a_place_to_look_within(bench: AgentBench) -> None:
    show_scene(bench.world, "dialogs")
    await bench.call("wait", text="It will ask")
    rows = (await bench.call("look", within="behind")).split("\n")
    assert rows[1:2] == ["behind:"]
    assert ' "No answer yet"' in rows
    front = await bench.call("look", within="Allow Testbed to ask?")
    assert "No answer yet" not in front


# The whole text


@both
async def test_the_whole_text_of_a_ref_is_that_of_its_row(bench: AgentBench) -> None:
    await bench.call("open", what="com.android.settings")
    ref = await bench.ref("Battery")
    assert await bench.call("read", what="text", of=ref) == '"Battery | Battery Saver"'


async def test_a_text_that_was_cut_is_read_by_how_it_begins(bench: AgentBench) -> None:
    equal_rows(bench, f"{LONG},Cy")
    row = next(row for row in await bench.look() if "…+" in row)
    cut = row.split('"')[1]
    assert await bench.call("read", what="text", of=cut) == f'"{LONG.strip()}"'


async def test_the_text_of_a_password_is_not_read(bench: AgentBench) -> None:
    await bench.call("open", what="Login")
    await bench.call("type", into="Password", text="hunter2")
    ref = next(row for row in await bench.look() if "secret" in row).split()[0]
    reply = await bench.call("read", what="text", of=ref)
    assert "hunter" not in reply
    assert "secret 7 chars" in reply


async def test_the_text_of_a_ref_that_is_gone_is_refused_by_its_name(bench: AgentBench) -> None:
    await bench.call("open", what="Settings")
    ref = await bench.ref("Battery")
    await bench.call("press", key="home")
    failed = await bench.failure("read", what="text", of=ref)
    assert failed.message == f'{ref} "Battery | Battery Saver" is gone. Call phone_look.'
