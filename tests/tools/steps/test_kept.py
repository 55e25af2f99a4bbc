"""Steps that are kept: what of them is kept, who may use and replace them, and what stops them."""

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from handheld.access.policy import make_gate
from handheld.access.request_scope import RequestScope
from handheld.audit import AuditLog, Recorder
from handheld.errors import ElementNotFound, InvalidParams, PermissionDenied, ToolError, UnknownTool
from handheld.phone.phone import Phone
from handheld.screen.rows.token_bound import most_tokens
from handheld.settings import load
from handheld.tools.call import Caller
from handheld.tools.main import EVERY_TOOLSET
from handheld.tools.steps import SavedSteps, StepsError, StepsFile
from harness.phones import PhoneClock
from tools.agent.conftest import AgentBench
from tools.agent.shop import KeptBench, open_shop
from tools.agent.test_schemas import check

ADD = (
    {"tool": "type", "text": "{text}", "into": "New item"},
    {"tool": "tap", "at": "Add"},
)


@pytest.fixture
def kept(bench: AgentBench, tmp_path: Path) -> KeptBench:
    return KeptBench(bench, tmp_path)


async def keep_add(kept: KeptBench, **arguments: Any) -> str:
    return await kept.do(*ADD, save_as="add_item", values=["text=Milk"], **arguments)


def stored(kept: KeptBench, number: int = 0) -> dict[str, Any]:
    return json.loads(kept.file.file.read_text("utf-8"))["steps"][number]


async def stops(kept: KeptBench, name: str, **arguments: Any) -> ToolError:
    with pytest.raises(ToolError) as failure:
        await kept.call(name, arguments)
    return failure.value


async def test_steps_that_were_done_are_kept_and_done_again_by_one_call(kept: KeptBench) -> None:
    shop = open_shop(kept.bench)
    reply = await keep_add(kept)
    assert reply.startswith("2 of 2 done.")
    assert reply.endswith("\nKept as my_add_item(text), 2 steps.")
    again = await kept.do(run="add_item", values=["text=Eggs"])
    assert again.startswith("2 of 2 done.")
    assert shop.did == ["added Milk", "added Eggs"]
    await kept.call("my_add_item", {"text": "Tea"})
    assert shop.did[2:] == ["added Tea"]


async def test_a_target_is_kept_by_words_row_and_kind_though_a_ref_was_given(
    kept: KeptBench,
) -> None:
    shop = open_shop(kept.bench)
    field, button = await kept.bench.ref("New item"), await kept.bench.ref("Add")
    await kept.do(
        {"tool": "type", "text": "{text}", "into": field},
        {"tap": button},
        save_as="add",
        values=["text=Milk"],
    )
    typed, tapped = stored(kept)["steps"]
    assert typed["text"] == "{text}"
    assert {name: typed["into"][name] for name in ("words", "row", "kind")} == {
        "words": "New item",
        "row": "Add",
        "kind": "field",
    }
    assert tapped["at"]["words"] == "Add"
    assert tapped["at"]["kind"] == "button"
    assert button not in json.dumps(stored(kept))
    shop = open_shop(kept.bench)
    await kept.do(run="add", values={"text": "Eggs"})
    assert shop.did == ["added Eggs"]


async def test_the_element_that_has_a_value_as_its_words_is_the_parameter(kept: KeptBench) -> None:
    shop = open_shop(kept.bench)
    bread = await kept.bench.ref("Bread")
    row = next(row for row in await kept.bench.look() if f'{bread} "Bread"' in row)
    delete = row.split(", ")[1].split(" ")[0]
    await kept.do(
        {"tool": "type", "text": "{item}", "into": "New item"},
        {"tap": delete},
        {"tap": "Cancel"},
        save_as="drop",
        values=["item=Bread"],
    )
    assert stored(kept)["steps"][1]["at"]["row"] == "{item}"
    assert stored(kept)["steps"][2]["front"]["dialog"] == "Delete {item}?"
    shop = open_shop(kept.bench)
    await kept.call("my_drop", {"item": "Milk"})
    assert shop.did == []


async def test_a_target_at_another_place_is_used_and_said(kept: KeptBench) -> None:
    open_shop(kept.bench)
    await keep_add(kept)
    shop = open_shop(kept.bench, turned_round=True)
    reply = (await kept.do(run="add_item", values=["text=Eggs"])).split("\n")
    assert shop.did == ["added Eggs"]
    assert reply[:3] == [
        "2 of 2 done.",
        'Step 1, type "New item": at another place.',
        'Step 2, tap "Add": at another place.',
    ]


async def test_another_row_or_kind_stops_with_the_screen_and_nothing_done(kept: KeptBench) -> None:
    open_shop(kept.bench, items=("Milk",))
    await kept.do({"tap": "Delete"}, {"tap": "Cancel"}, save_as="ask")
    shop = open_shop(kept.bench, items=("Eggs",))
    failure = await stops(kept, "my_ask")
    assert failure.message == (
        '0 of 2 done. Step 1, tap "Delete": No button "Delete" in the row of "Milk" is visible.'
        f"{failure.message.partition('visible.')[2]}"
    )
    assert "Step 2 was not tried." in failure.message
    assert '"Eggs"' in "\n".join(failure.details)
    assert shop.did == []


async def test_a_run_that_stops_shows_the_screen_though_it_was_shown_before(
    kept: KeptBench,
) -> None:
    await kept.do({"open": "Contacts"}, {"tap": "{who}"}, save_as="look_up", values=["who=Ada Ito"])
    failure = await stops(kept, "my_look_up", who="Ada Kim")
    assert "1 of 2 done" in failure.message
    assert '"Ada Ito"' in "\n".join(failure.details)


async def test_a_target_of_another_kind_is_not_it(kept: KeptBench) -> None:
    open_shop(kept.bench)
    await kept.do({"tap": "Set"}, save_as="set")
    shop = open_shop(kept.bench, boxes=["Set"])
    failure = await stops(kept, "my_set")
    assert 'No button "Set" in the row of "Amount" is visible.' in failure.message
    assert shop.did == []


async def test_a_dialog_that_was_not_there_stops_it_though_it_has_the_same_button(
    kept: KeptBench,
) -> None:
    open_shop(kept.bench)
    await kept.do({"tap": "Send list"}, {"tap": "OK"}, save_as="send")
    shop = open_shop(kept.bench, asks_to_pay=True)
    failure = await stops(kept, "my_send")
    assert "1 of 2 done: Tapped" in failure.message
    assert 'dialog dev.handheld.testbed "Pay 50 €?" is in front' in failure.message
    assert "Pay 50 €?" in "\n".join(failure.details)
    assert shop.did == []


async def test_a_key_is_not_pressed_in_another_app_or_dialog(kept: KeptBench) -> None:
    shop = open_shop(kept.bench)
    await kept.do({"tap": "New item"}, {"press": "enter"}, save_as="enter")
    assert shop.did == ["entered "]
    await kept.bench.call("open", what="Clock")
    steps = stored(kept)["steps"][1:]
    kept.file.put(kept.file.get("enter"))
    assert steps[0]["front"] == {"package": "dev.handheld.testbed"}
    failure = await stops(kept, "my_enter")
    assert "com.android.deskclock" in failure.message


async def test_a_switch_that_is_on_already_is_not_switched_off(kept: KeptBench) -> None:
    shop = open_shop(kept.bench)
    rows = await kept.bench.look()
    row = next(row for row in rows if "Only on Wi-Fi" in row)
    ref = next(part for part in row.split(", ") if "switch" in part).split(" ")[0]
    await kept.do({"tap": ref}, save_as="wifi_only")
    assert stored(kept)["steps"][0]["at"]["state"] == "off"
    assert shop.did == ["wifi on"]
    failure = await stops(kept, "my_wifi_only")
    assert "is on, and was off when it was kept: nothing was done." in failure.message
    assert shop.did == ["wifi on"]


async def test_a_tab_that_is_selected_already_is_left_alone(kept: KeptBench) -> None:
    await kept.do({"open": "Clock"}, {"tap": "Timer"}, save_as="timer")
    reply = (await kept.do(run="timer")).split("\n")
    assert reply[:2] == [
        "2 of 2 done.",
        'Step 2, tap "Timer": it was selected already, and not tapped.',
    ]


async def test_what_is_typed_into_a_password_field_is_not_kept_but_asked_for(
    kept: KeptBench,
) -> None:
    shop = open_shop(kept.bench)
    reply = await kept.do({"type": "8642", "into": "PIN"}, {"tap": "Unlock"}, save_as="unlock")
    assert reply.endswith(
        "Kept as my_unlock(password), 2 steps. Not kept, but asked for: password."
    )
    assert "8642" not in kept.file.file.read_text("utf-8")
    assert stored(kept)["parameters"] == [{"name": "password", "type": "text", "secret": True}]
    await kept.call("my_unlock", {"password": "1357"})
    assert shop.did == ["pin 8642", "pin 1357"]


async def test_words_of_a_notification_are_not_kept(kept: KeptBench) -> None:
    kept.bench.world.notify("dev.handheld.notes", "Bank", "Your code is 1234")
    await kept.bench.call("press", key="notifications")
    ref = await kept.bench.ref("Notes • now")
    reply = await kept.do({"tap": ref}, save_as="code")
    assert "Not kept: step 1, tap: this screen is not recorded" in reply
    assert kept.file.all() == ()


@pytest.mark.parametrize("step", [{"press": "8"}, {"tap": "8"}])
async def test_a_password_that_is_entered_key_by_key_is_not_kept(
    kept: KeptBench, step: dict[str, Any]
) -> None:
    open_shop(kept.bench, words={"Set": "8"})
    reply = await kept.do({"tap": "PIN"}, step, save_as="unlock")
    assert "Not kept: step 2" in reply
    assert reply.endswith("it enters a character of a password.")
    assert kept.file.all() == ()


async def test_a_secret_parameter_has_no_example(kept: KeptBench) -> None:
    open_shop(kept.bench)
    await kept.do({"type": "{pin}", "into": "PIN"}, save_as="unlock", values=["pin=8642"])
    assert stored(kept)["parameters"] == [{"name": "pin", "type": "text", "secret": True}]
    assert "8642" not in kept.file.file.read_text("utf-8")


async def test_texts_typed_in_apps_that_are_not_recorded_are_asked_for(kept: KeptBench) -> None:
    reply = await kept.do(
        {"open": "Messages"},
        {"tap": "Start chat"},
        {"type": "5550100", "into": "Type a phone number"},
        save_as="chat",
    )
    assert reply.endswith("Kept as my_chat(text), 3 steps. Not kept, but asked for: text.")
    assert "5550100" not in kept.file.file.read_text("utf-8")


async def test_words_of_apps_that_are_not_recorded_are_kept_only_if_the_client_said_them(
    kept: KeptBench,
) -> None:
    await kept.bench.call("open", what="Messages")
    ref = await kept.bench.ref("Start chat")
    reply = await kept.do({"tap": ref}, save_as="chat")
    assert reply.endswith(
        "Not kept: step 1, tap: this screen is not recorded: name it by its words."
    )
    assert kept.file.all() == ()


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ([{"tap": "540,300"}], "step 1, tap: it acts at a point, which does not say what is there"),
        ([{"tap": "Add"}, {"scroll": "down", "within": "LIST"}], "step 2, scroll:"),
    ],
)
async def test_steps_whose_targets_have_no_words_are_done_and_not_kept(
    kept: KeptBench, steps: list[Any], reason: str
) -> None:
    open_shop(kept.bench, items=[f"Item {number}" for number in range(40)])
    rows = await kept.bench.look()
    name = next(row for row in rows if row.startswith("list ")).split(",")[0].split(" ")[1]
    given = [
        {key: name.strip(":") if each == "LIST" else each for key, each in step.items()}
        for step in steps
    ]
    reply = await kept.do(*given, save_as="some")
    assert reply.startswith(f"{len(steps)} of {len(steps)} done.")
    assert f"\nNot kept: {reason}" in reply
    assert kept.file.all() == ()


async def test_steps_that_were_not_all_done_are_not_kept(kept: KeptBench) -> None:
    open_shop(kept.bench)
    with pytest.raises(ElementNotFound):
        await kept.do({"tap": "Add"}, {"tap": "Nowhere"}, save_as="some")
    assert kept.file.all() == ()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"save_as": "a b!"}, "'a b!' is no name for steps"),
        ({"save_as": "add"}, 'text has no value: add values: ["text=…"]. Nothing was done.'),
        ({"save_as": "add", "steps": [{"type": "{from}"}]}, "{from} is a word of JSON Schema or"),
        ({"save_as": "add", "steps": [{"type": "{phone}"}]}, "{phone} names the phone: choose"),
        ({"save_as": "add", "steps": [{"type": "{n:a|}"}]}, "{n:…} takes text, number, or 2 to 20"),
        ({"save_as": "add", "values": ["Milk"]}, 'values are texts such as "text=Milk"'),
    ],
)
async def test_what_cannot_be_kept_is_refused_before_anything_is_done(
    kept: KeptBench, arguments: dict[str, Any], message: str
) -> None:
    shop = open_shop(kept.bench)
    with pytest.raises(InvalidParams) as failure:
        await kept.do(**{"steps": list(ADD), **arguments})
    assert message in failure.value.message
    assert shop.did == []
    assert shop.new.content == ""


async def test_braces_are_typed_as_they_are_where_nothing_is_kept(kept: KeptBench) -> None:
    shop = open_shop(kept.bench)
    await kept.do(*ADD)
    assert shop.did == ["added {text}"]


async def test_a_value_is_never_read_as_a_parameter(kept: KeptBench) -> None:
    shop = open_shop(kept.bench)
    await keep_add(kept)
    await kept.call("my_add_item", {"text": "{text} {other}"})
    assert shop.did[1:] == ["added {text} {other}"]


@pytest.mark.parametrize(
    ("declared", "first", "schema", "wrong", "why"),
    [
        ("{n:number}", "3", {"type": "number", "description": 'e.g. "3"'}, "x", "n is a number"),
        ("{n:S|M}", "S", {"type": "string", "enum": ["S", "M"]}, "L", "n is one of S, M"),
        ("{n}", "Tea", {"type": "string", "description": 'e.g. "Tea"'}, None, "n has no value"),
    ],
)
async def test_parameters_have_types_and_examples(
    kept: KeptBench, declared: str, first: str, schema: dict[str, Any], wrong: Any, why: str
) -> None:
    shop = open_shop(kept.bench)
    await kept.do({"type": declared, "into": "Amount"}, save_as="amount", values=[f"n={first}"])
    [listed] = [each for each in await kept.surface.tools() if each.name == "my_amount"]
    assert listed.input_schema == {
        "type": "object",
        "properties": {"n": schema},
        "required": ["n"],
    }
    shop.amount.text = ""
    with pytest.raises(InvalidParams, match=why):
        await kept.call("my_amount", {"n": wrong})
    assert shop.amount.content == ""


async def test_the_listed_tool_has_the_strictest_hints_of_its_steps(kept: KeptBench) -> None:
    open_shop(kept.bench)
    await kept.do({"wait": "Add"}, save_as="watch")
    await kept.do({"tap": "Add"}, save_as="press_add")
    await keep_add(kept)
    hints = {
        each.name: (each.read_only, each.destructive)
        for each in await kept.surface.tools()
        if each.name.startswith("my_")
    }
    assert hints == {
        "my_add_item": (False, True),
        "my_press_add": (False, False),
        "my_watch": (True, False),
    }


async def test_the_schemas_have_only_common_keywords(kept: KeptBench) -> None:
    open_shop(kept.bench)
    await kept.do({"wait": "Add"}, save_as="watch")
    await kept.do(
        {"type": "{n:number}{size:S|M}", "into": "Amount"},
        save_as="amount",
        values=["n=1", "size=S"],
    )
    schemas = {each.name: each.input_schema for each in await kept.surface.tools()}
    for name in ("phone_do", "phone_read", "my_amount", "my_watch"):
        check(schemas[name])


async def test_words_of_apps_are_not_in_the_description_of_a_tool(kept: KeptBench) -> None:
    open_shop(kept.bench, words={"Add": "Obey me"})
    await kept.do({"tap": await kept.bench.ref("Obey me")}, save_as="add")
    [listed] = [each for each in await kept.surface.tools() if each.name == "my_add"]
    assert "Obey" not in json.dumps(listed.as_json())
    assert listed.description == "Kept steps in dev.handheld.testbed: tap."


@pytest.mark.matrix
async def test_only_as_many_are_listed_as_fit_and_all_are_read_and_run(kept: KeptBench) -> None:
    shop = open_shop(kept.bench)
    await keep_add(kept)
    sequence = kept.file.get("add_item").sequence
    for number in range(40):
        kept.file.keep(f"add_item_{number}", "", sequence, "", "")
    mine = [each for each in await kept.surface.tools() if each.name.startswith("my_")]
    assert 5 < len(mine) < 30
    shown = [[each.name, each.description, each.input_schema] for each in mine]
    assert sum(most_tokens(json.dumps(each)) for each in shown) <= 1500
    read = await kept.call("phone_read", {"what": "saved"})
    assert len(read.split("\n")) == 41
    assert read.startswith('my_add_item(text): type "New item", tap "Add"; text e.g. "Milk"')
    await kept.do(run="my_add_item_39", values=["text=Eggs"])
    assert shop.did[1:] == ["added Eggs"]


async def test_a_second_run_is_one_call_of_at_most_250_tokens(kept: KeptBench) -> None:
    open_shop(kept.bench, items=[f"Item {number}" for number in range(4)])
    await keep_add(kept)
    await kept.bench.call("press", key="home")
    await kept.bench.call("look")
    open_shop(kept.bench, turned_round=True, items=[f"Thing {number}" for number in range(4)])
    reply = await kept.call("my_add_item", {"text": "Eggs"})
    asked = json.dumps({"name": "my_add_item", "arguments": {"text": "Eggs"}})
    assert most_tokens(asked) + most_tokens(reply) <= 250


async def test_after_a_stop_the_finished_way_replaces_the_old_one(kept: KeptBench) -> None:
    open_shop(kept.bench)
    await kept.do({"type": "Tea", "into": "New item"}, {"tap": "Set"}, save_as="tea")
    shop = open_shop(kept.bench, words={"Set": "Put"})
    failure = await stops(kept, "my_tea")
    assert failure.message.endswith(
        'Go on with phone_do: save_as: "tea" keeps the steps from here.'
    )
    reply = await kept.do({"tap": "Put"}, save_as="tea")
    assert reply.endswith("Kept as my_tea(), 2 steps, the first 1 as before.")
    assert shop.new.content == "Tea"
    assert shop.did == ["amount "]
    shop = open_shop(kept.bench, words={"Set": "Put"})
    await kept.do(run="tea")
    assert shop.new.content == "Tea"
    assert shop.did == ["amount "]


async def test_steps_that_open_an_app_replace_the_whole_way(kept: KeptBench) -> None:
    await kept.do({"open": "Clock"}, {"tap": "Timer"}, {"tap": "Start"}, save_as="timer")
    with pytest.raises(ToolError):
        await kept.do(run="timer")
    reply = await kept.do({"open": "Clock"}, {"tap": "Stopwatch"}, save_as="timer")
    assert reply.endswith("Kept as my_timer(), 2 steps.")


async def test_steps_that_begin_as_before_replace_the_whole_way(kept: KeptBench) -> None:
    tea = {"type": "Tea", "into": "New item"}
    open_shop(kept.bench)
    await kept.do(tea, {"tap": "Set"}, save_as="tea")
    open_shop(kept.bench, words={"Set": "Put"})
    await stops(kept, "my_tea")
    reply = await kept.do(tea, {"tap": "Put"}, save_as="tea")
    assert reply.endswith("Kept as my_tea(), 2 steps.")


def accept(file: StepsFile, shown: SavedSteps) -> None:
    file.accept(shown, shown.digest)


async def test_steps_of_one_token_are_not_run_by_another_until_the_owner_accepts_them(
    kept: KeptBench,
) -> None:
    shop = open_shop(kept.bench)
    given = {"steps": list(ADD), "save_as": "add_item", "values": ["text=Milk"]}
    await kept.call("phone_do", given, token="guest")
    with pytest.raises(UnknownTool):
        await kept.call("my_add_item", {"text": "Tea"}, token="owner")
    assert await kept.call("phone_read", {"what": "saved"}) == "No steps are kept."
    assert not [each for each in await kept.surface.tools() if each.name.startswith("my_")]
    await kept.call("my_add_item", {"text": "Tea"}, token="guest")
    accept(kept.file, kept.file.get("add_item"))
    await kept.call("my_add_item", {"text": "Jam"}, token="owner")
    assert shop.did == ["added Milk", "added Tea", "added Jam"]


@pytest.mark.parametrize("owned", [True, False])
async def test_what_is_the_owners_or_anothers_is_not_replaced_but_proposed(
    kept: KeptBench, owned: bool
) -> None:
    open_shop(kept.bench)
    await keep_add(kept)
    if owned:
        accept(kept.file, kept.file.get("add_item"))
    before = kept.file.get("add_item").sequence
    given = {"steps": [{"tap": "Send list"}, {"tap": "OK"}], "save_as": "add_item"}
    reply = await kept.call("phone_do", given, token="" if owned else "guest")
    assert reply.endswith("Proposed as my_add_item(), 2 steps: the owner decides about it.")
    after = kept.file.get("add_item")
    assert after.sequence == before
    assert after.proposal is not None
    accept(kept.file, after)
    assert [step.tool for step in kept.file.get("add_item").sequence.steps] == ["tap", "tap"]
    assert kept.file.get("add_item").proposal is None


async def test_a_step_that_is_not_allowed_is_not_done_by_kept_steps_either(
    kept: KeptBench,
) -> None:
    shop = open_shop(kept.bench)
    await keep_add(kept)
    reader = RequestScope(read_only=True)
    assert not [each for each in await kept.surface.tools(reader) if each.name == "my_add_item"]
    without = RequestScope(off=frozenset({"phone_tap"}))
    assert not [each for each in await kept.surface.tools(without) if each.name == "my_add_item"]
    with pytest.raises(ToolError, match=r"1 of 2 done.*tap is not allowed here"):
        await kept.bench.passing(
            kept.surface.call("my_add_item", {"text": "Tea"}, Caller("http"), without)  # type: ignore[arg-type]
        )
    assert shop.did == ["added Milk"]
    for name in ("phone_do", "my_add_item"):
        off = RequestScope(off=frozenset({name}))
        with pytest.raises(UnknownTool):
            await kept.surface.call("my_add_item", {"text": "Tea"}, Caller("http"), off)
        assert "my_add_item" not in [each.name for each in await kept.surface.tools(off)]
    given = {"run": "add_item", "values": ["text=Tea"]}
    with pytest.raises(InvalidParams, match="No steps are kept as 'add_item'"):
        await kept.surface.call("phone_do", given, Caller("http"), off)


async def test_each_step_of_a_run_is_judged_and_recorded(bench: AgentBench, tmp_path: Path) -> None:
    clock = PhoneClock(bench.device)
    log = AuditLog(tmp_path / "calls.sqlite", clock=clock)
    recorder = Recorder(log, clock=clock)
    kept = KeptBench(bench, tmp_path, recorder=recorder)
    shop = open_shop(bench)
    await kept.do({"type": "8642", "into": "PIN"}, {"tap": "Unlock"}, save_as="unlock")
    await kept.call("my_unlock", {"password": "1357"})
    assert [entry.tool for entry in log.entries()] == [
        *["phone_look", "phone_type", "phone_tap", "phone_look"] * 2
    ]
    last = log.entries()[-2:]
    assert last[0].arguments["at"] == "Unlock"
    assert not any("1357" in str(entry.as_json()) for entry in log.entries())
    environment = {"HANDHELD_HOME": str(tmp_path)}
    gate = make_gate(load({"policy_deny": "click_element"}, environment), EVERY_TOOLSET)
    denied = KeptBench(bench, tmp_path, recorder=recorder, gate=gate)
    with pytest.raises(PermissionDenied) as failure:
        await denied.call("my_unlock", {"password": "1357"})
    assert failure.value.message.startswith("1 of 2 done: Typed into")
    assert "save_as" not in failure.value.message
    assert shop.did == ["pin 8642", "pin 1357"]
    await recorder.aclose()


class Named:
    """The phone of a bench under a slug, among several."""

    def __init__(self, bench: AgentBench, slug: str) -> None:
        self._phone, self._slug = bench.phone, slug

    async def pick(self, ref: str | None) -> Phone:
        return self._phone

    async def present(self, ref: str | None) -> Sequence[Phone]:
        return [self._phone]

    async def slug_of(self, ref: str) -> str:
        return self._slug

    def describe(self) -> str:
        return ""


async def test_among_several_phones_steps_are_kept_for_the_one_they_were_done_on(
    bench: AgentBench, tmp_path: Path
) -> None:
    desk = KeptBench(bench, tmp_path, Named(bench, "desk"), several=True)
    sofa = KeptBench(bench, tmp_path, Named(bench, "sofa"), several=True)
    shop = open_shop(bench)
    await keep_add(desk, phone="desk")
    assert stored(desk)["phone"] == "desk"
    [listed] = [each for each in await desk.surface.tools() if each.name == "my_add_item"]
    assert [*listed.input_schema["properties"]] == ["text", "phone"]
    assert not [each for each in await sofa.surface.tools() if each.name == "my_add_item"]
    with pytest.raises(UnknownTool):
        await sofa.call("my_add_item", {"text": "Tea", "phone": "sofa"})
    await desk.call("my_add_item", {"text": "Tea", "phone": "desk"})
    desk.file.put(replace(desk.file.get("add_item"), phone=""), desk.file.get("add_item"))
    await sofa.call("my_add_item", {"text": "Jam", "phone": "sofa"})
    assert shop.did == ["added Milk", "added Tea", "added Jam"]


@pytest.mark.matrix
@pytest.mark.by_shell
@pytest.mark.parametrize("agent_by", ["shell"], indirect=True)
async def test_kept_steps_are_done_by_adb_alone(kept: KeptBench) -> None:
    open_shop(kept.bench)
    await keep_add(kept)
    shop = open_shop(kept.bench, turned_round=True)
    await kept.do(run="add_item", values=["text=Eggs"])
    assert shop.did == ["added Eggs"]


async def test_the_file_is_private_and_damage_is_one_line(kept: KeptBench) -> None:
    shop = open_shop(kept.bench)
    await keep_add(kept)
    assert os.stat(kept.file.file).st_mode & 0o777 == 0o600
    kept.file.file.write_text('{"steps": [{"name": 3}]}', encoding="utf-8")
    with pytest.raises(StepsError, match="is damaged, so no kept steps are known"):
        kept.file.all()
    assert not [each for each in await kept.surface.tools() if each.name.startswith("my_")]
    failure = await stops(kept, "my_add_item", text="Tea")
    assert "\n" not in failure.message
    assert "the owner has to mend or delete their file" in failure.message
    reply = await keep_add(kept)
    assert "2 of 2 done." in reply
    assert "Not kept: " in reply.split("\n")[-1]
    assert shop.did == ["added Milk", "added Milk"]
    assert kept.file.file.read_text("utf-8") == '{"steps": [{"name": 3}]}'


async def test_an_unknown_what_is_refused_with_all_that_can_be_read(kept: KeptBench) -> None:
    failure = await stops(kept, "phone_read", what="steps")
    listed = {each.name: each for each in await kept.surface.tools()}
    choices = listed["phone_read"].input_schema["properties"]["what"]["enum"]
    assert choices[-1] == "saved"
    assert failure.message == (
        f"Parameter 'what' must be one of: {', '.join(choices)}. Got: 'steps'"
    )


async def test_where_no_steps_are_kept_nothing_of_it_is_offered(bench: AgentBench) -> None:
    assert "saved" not in (await bench.failure("read", what="steps")).message
    listed = {each.name: each for each in await bench.counter.surface.tools()}
    assert "save_as" not in listed["phone_do"].input_schema["properties"]
    assert "saved" not in listed["phone_read"].input_schema["properties"]["what"]["enum"]
