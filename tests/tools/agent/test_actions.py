"""What the tools for models do on a phone, and what they answer."""

import re

import pytest

from handheld.driver.by_shell.keys import CODES
from handheld.errors import ActionFailed, ElementNotFound, InvalidParams
from handheld.phone.personal.sms import Sms
from handheld.phone.personal.sms_rules import SmsRules
from handheld.screen.rows.words import clean
from handheld_virtual.views.layout import Column
from handheld_virtual.views.widgets.basic import Text
from testbed import show_scene
from testbed.screens import EqualRows

from .conftest import AgentBench
from .pages import show

both = pytest.mark.parametrize(
    "agent_by",
    ["helper", pytest.param("shell", marks=[pytest.mark.matrix, pytest.mark.by_shell])],
    indirect=True,
)


@both
async def test_an_app_is_opened_by_its_name_and_its_screen_is_the_reply(bench: AgentBench) -> None:
    reply = (await bench.call("open", what="settings")).split("\n")
    # adb's shell does not tell the names of apps, and the first screen says how it was read.
    name, note = ('"Settings"', 0) if bench.by == "helper" else ("com.android.settings", 1)
    assert reply[0] == f"Opened {name}."
    assert reply[1 + note].startswith('com.android.settings "Settings" s')
    assert any('"Network & internet | Mobile, Wi‑Fi, airplane mode"' in row for row in reply)


async def test_an_action_answers_with_the_changed_rows(bench: AgentBench) -> None:
    await bench.call("open", what="Settings")
    await bench.call("tap", at="Network & internet")
    reply = (await bench.call("tap", at="Airplane mode")).split("\n")
    assert reply[0].startswith("Tapped ")
    assert reply[0].endswith(' switch "Airplane mode".')
    assert reply[1] == "s3:"
    assert [row.split(" ", 2)[2] for row in reply[2:]] == [
        'switch "Wi‑Fi" off',
        'switch "Airplane mode" on',
    ]
    assert bench.world.preferences.get("global", "airplane_mode_on") == "1"


async def test_a_ref_stays_with_its_element_over_screens(bench: AgentBench) -> None:
    await bench.call("open", what="Settings")
    ref = await bench.ref("Display")
    await bench.call("tap", at="Network & internet")
    await bench.call("press", key="back")
    assert await bench.ref("Display") == ref
    assert f'Tapped {ref} "Display' in await bench.call("tap", at=ref)


async def test_a_ref_of_another_screen_acts_on_nothing(bench: AgentBench) -> None:
    await bench.call("open", what="Settings")
    ref = await bench.ref("Display")
    await bench.call("press", key="home")
    bench.events()
    failed = await bench.failure("tap", at=ref)
    assert isinstance(failed, ElementNotFound)
    assert failed.message.startswith(f'{ref} "Display')
    assert failed.message.endswith("is gone. Call phone_look.")
    assert bench.acts() == []


async def test_a_ref_that_was_never_shown_is_named(bench: AgentBench) -> None:
    await bench.look()
    failed = await bench.failure("tap", at="k77")
    assert failed.message == "k77 was never shown on this phone: call phone_look."
    assert failed.details == ()


async def test_several_matches_are_listed_and_nothing_is_done(bench: AgentBench) -> None:
    scene = show_scene(bench.world, "equal_rows", names="Ann,Cy")
    assert isinstance(scene, EqualRows)
    await bench.look()
    failed = await bench.failure("tap", at="Delete")
    assert failed.message == (
        '2 match "Delete": a1 in "Ann", a2 in "Cy". Say which ref, or add within.'
    )
    assert scene.deleted == []
    await bench.call("tap", at="Delete", within="Cy")
    assert scene.deleted == ["Cy"]


async def test_words_that_are_not_there_give_the_nearest(bench: AgentBench) -> None:
    await bench.look()
    failed = await bench.failure("tap", at="Setings")
    assert failed.message.startswith('No "Setings" is visible. Nearest: ')
    assert '"Settings"' in failed.message


async def test_a_copied_line_start_is_taken_as_its_ref(bench: AgentBench) -> None:
    ref = await bench.ref("Settings")
    assert "com.android.settings" in await bench.call("tap", at=f'{ref} "Settings"')


async def test_a_ref_with_other_words_does_nothing(bench: AgentBench) -> None:
    ref = await bench.ref("Settings")
    failed = await bench.failure("tap", at=f'{ref} "Pay"')
    assert failed.message == f'{ref} is "Settings", not "Pay": nothing was done.'


async def test_a_point_is_tapped_where_it_is(bench: AgentBench) -> None:
    show_scene(bench.world, "gestures")
    bench.events()
    await bench.call("tap", at="540,1200")
    assert ("touch", "down", 0, 540.0, 1200.0) in bench.events()


@both
async def test_of_texts_below_one_another_the_one_that_is_named_is_tapped(
    bench: AgentBench,
) -> None:
    texts = {words: Text(words) for words in ("Profile", "Orders", "Settings")}
    touched: list[float] = []
    column = Column(*texts.values(), on_touch=lambda _action, _finger, _x, y: touched.append(y))
    show(bench, lambda: column)
    assert '"Profile | Orders | Settings"' in await bench.look()
    for words, text in reversed(texts.items()):
        touched.clear()
        reply = await bench.call("tap", at=words)
        assert f'Tapped "{words}".' in reply
        _, top, _, bottom = text.place
        assert len(touched) == 2
        assert all(top <= y < bottom for y in touched)


async def test_nothing_changed_is_said(bench: AgentBench) -> None:
    show_scene(bench.world, "gestures")
    await bench.look()
    assert (await bench.call("tap", at="5,2395")).endswith("Nothing changed in 0.5 s.")


async def test_text_is_typed_into_the_field_that_a_label_names(bench: AgentBench) -> None:
    await bench.call("open", what="Contact form")
    reply = await bench.call("type", into="Name", text="Zoë 👩‍🚀")
    assert 'field "Name" = "Zoë 👩‍🚀" focused' in reply


@both
async def test_text_replaces_is_appended_or_goes_to_the_cursor(bench: AgentBench) -> None:
    await bench.call("open", what="dev.handheld.form")
    await bench.call("type", into="Name", text="Ada")
    assert '= "Ada Lovelace" ' in await bench.call("type", text=" Lovelace", mode="append")
    bench.world.key(CODES["left"])
    if bench.by == "shell":
        failed = await bench.failure("type", text="X", mode="insert")
        assert "the position of the cursor cannot be read" in failed.message
    else:
        assert '= "Ada LovelacXe" ' in await bench.call("type", text="X", mode="insert")
    assert '= "Bob" ' in await bench.call("type", text="Bob")


async def test_without_a_focused_field_the_fields_are_named(bench: AgentBench) -> None:
    await bench.call("open", what="Login")
    failed = await bench.failure("type", text="ada")
    assert failed.message.startswith("No field has the focus. Say into: ")
    assert 'field "User name" empty' in failed.message


async def test_an_unknown_app_gives_the_nearest(bench: AgentBench) -> None:
    failed = await bench.failure("open", what="Contac")
    assert isinstance(failed, ActionFailed)
    assert failed.message == (
        'No app is called "Contac". Nearest: "Contact form" (dev.handheld.form),'
        ' "Contacts" (com.android.contacts).'
    )


async def test_steps_are_run_in_one_call(bench: AgentBench) -> None:
    reply = await bench.call(
        "do",
        steps=[
            {"tool": "open", "what": "Calculator"},
            {"tap": "7"},
            {"tap": {"at": "×"}},
            {"tool": "tap", "at": "8"},
            {"tool": "tap", "at": "="},
        ],
    )
    assert reply.startswith("5 of 5 done.\n")
    assert '"7×8 | 56"' in reply


async def test_steps_stop_at_the_first_that_fails(bench: AgentBench) -> None:
    failed = await bench.failure(
        "do", steps=[{"tool": "open", "what": "Calculator"}, {"tap": "Nope"}, {"tap": "8"}]
    )
    assert failed.message == (
        '1 of 3 done: Opened "Calculator". Step 2, tap "Nope": No "Nope" is visible.'
        " Step 3 was not tried."
    )


@pytest.mark.parametrize("steps", [[], "x", [{"tool": "message"}], [{"tool": "tap"}] * 51, None])
async def test_steps_that_cannot_be_used_are_refused_before_anything_is_done(
    bench: AgentBench, steps: object
) -> None:
    bench.events()
    assert isinstance(await bench.failure("do", steps=steps), InvalidParams)
    assert bench.events() == []


@pytest.mark.parametrize(
    "arguments",
    [
        {"ref": "Settings"},
        {"element": "Settings", "within": None},
        {"text": "Settings", "within": ""},
        {"at": "Settings", "times": "1"},
    ],
)
async def test_arguments_are_taken_as_models_send_them(
    bench: AgentBench, arguments: dict[str, object]
) -> None:
    assert "com.android.settings" in await bench.call("tap", **arguments)


async def test_unknown_arguments_are_refused_with_the_nearest_name(bench: AgentBench) -> None:
    refused = await bench.failure("tap", at="Settings", whithin="Apps")
    assert refused.message == (
        'phone_tap has no "whithin". Nearest: within. It takes at, within, hold, times, scroll.'
        " Nothing was done."
    )
    assert "com.android.settings" not in await bench.call("look")


async def test_waiting_ends_when_the_text_is_there(bench: AgentBench) -> None:
    assert (await bench.call("wait", text="Settings")).startswith('"Settings" is visible.\n')


@pytest.mark.parametrize(
    "agent_by", ["helper", pytest.param("shell", marks=pytest.mark.by_shell)], indirect=True
)
async def test_waiting_in_vain_says_how_to_go_on(bench: AgentBench) -> None:
    failed = await bench.failure("wait", text="Never", seconds=1)
    assert failed.message == "Not yet after 1 s. Call phone_wait again to go on waiting."


async def test_rows_are_found_with_the_first_line_of_their_list(bench: AgentBench) -> None:
    await bench.call("open", what="Contacts")
    rows = (await bench.call("look", find="ada bauer")).split("\n")
    assert len(rows) == 3
    assert rows[1].startswith("list ")
    assert '"Ada Bauer | ' in rows[2]


async def test_changes_since_an_unknown_screen_are_the_whole_screen(bench: AgentBench) -> None:
    assert (await bench.call("look", since="s99")).startswith("s99 is no longer known.\n")


async def test_data_is_read_without_the_screen(bench: AgentBench) -> None:
    bench.events()
    assert '"Contacts" com.android.contacts' in await bench.call("read", what="apps", of="contacts")
    assert await bench.call("read", what="clipboard") == "The clipboard is empty."
    assert bench.events() == []


async def test_the_clipboard_is_set_and_read(bench: AgentBench) -> None:
    assert await bench.call("set", what="clipboard", value="Zoë\n2") == "Clipboard: 5 characters."
    assert bench.world.clipboard.paste() == "Zoë\n2"
    assert await bench.call("read", what="clipboard") == r'"Zoë\n2"'


async def test_sim_cards_are_listed_with_the_number_that_a_message_takes(bench: AgentBench) -> None:
    first, second = bench.world.telephony.active_sims
    assert await bench.call("read", what="sims") == (
        f'sim {first.id} "{first.display_name}" "{clean(first.carrier)}"\n'
        f'sim {second.id} "{second.display_name}" "{clean(second.carrier)}"'
    )


async def test_a_day_of_a_date_picker_is_tapped_by_the_number_that_it_shows(
    bench: AgentBench,
) -> None:
    await bench.call("open", what="Widgets")
    await bench.call("tap", at="Date and time")
    await bench.call("tap", at="Pick a date")
    await bench.call("tap", at="17")
    assert '"Date: 2026-02-17"' in await bench.call("tap", at="OK")


async def test_a_spinner_is_a_menu_with_what_is_chosen(bench: AgentBench) -> None:
    await bench.call("open", what="Widgets")
    rows = (await bench.call("tap", at="Choices")).split("\n")
    [menu] = [row for row in rows if "Apple" in row]
    ref = menu.partition(" ")[0]
    assert menu == f'{ref} menu "Apple"'
    assert not any(row.startswith("list ") for row in rows)
    await bench.call("tap", at=ref)
    assert 'menu "Cherry"' in await bench.call("tap", at="Cherry")


@pytest.mark.parametrize("number", ["0036701234567", "06701234567", "+36 70 1234567", "701234567"])
async def test_a_blocked_number_is_not_sent_to_however_it_is_written(
    bench: AgentBench, number: str
) -> None:
    rules = SmsRules(block=("+3670*",))
    bench.phone.sms = Sms(bench.phone.driver, bench.phone.clock, rules)
    telephony = bench.world.telephony
    [sim, _], known = telephony.active_sims, len(telephony.messages)
    failed = await bench.failure("message", to=number, text="Hello", sim=sim.id)
    assert failed.message.startswith("Parameter 'to' m")
    assert len(telephony.messages) == known
    await bench.call("message", to="+36301234567", text="Hello", sim=sim.id)
    assert len(telephony.messages) == known + 1


async def test_a_message_that_is_too_long_is_refused(bench: AgentBench) -> None:
    failed = await bench.failure("message", to="+36301234567", text="a" * 161)
    assert failed.message.startswith("Parameter 'text' must have at most 160 characters")


async def test_a_screen_that_a_key_switches_off_has_changed(bench: AgentBench) -> None:
    await bench.look()
    reply = (await bench.call("press", key="power")).split("\n")
    assert reply[0] == "Pressed power."
    assert reply[1].endswith(", screen off")


async def test_what_is_still_there_is_not_said_to_be_gone_with_the_row_that_it_was_in(
    bench: AgentBench,
) -> None:
    await bench.call("open", what="Clock")
    dialog = await bench.call("tap", at="Set time")
    [minute, am] = re.findall(r'(a\d+) (?:"30"|radio "AM")', dialog)
    changes = (await bench.call("tap", at="8")).split("\n")[2:]
    assert re.fullmatch(r'~ a\d+ "8"', changes[0])
    assert not any(line.startswith("-") for line in changes)
    assert not any(ref in line for ref in (minute, am) for line in changes)
