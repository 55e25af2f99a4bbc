"""Web pages: those that can be debugged are listed, read and scripted; all are told folded."""

import asyncio
import json
from typing import Any

import pytest

from handheld.access.approval import ApprovalGate, Pending
from handheld.access.request_scope import RequestScope
from handheld.calls.local import Caller, LocalSurface, SurfaceOptions
from handheld.errors import ActionFailed, ElementNotFound, InvalidParams, PermissionDenied, TimedOut
from handheld.settings.groups import PolicySettings
from handheld.settings.rules import Rules
from handheld.tools.main import CATALOG
from handheld.tools.main.web import web, web_scripts
from handheld_virtual.sh.process import Process
from handheld_virtual.sh.streams import Duplex
from handheld_virtual.toolkit import Activity, App, Column, View
from handheld_virtual.toolkit import web as page
from harness.one_phone import ALL_ON, OnePhone
from harness.phones import PhoneClock
from harness.scripted_devtools import Page, frame, result, usual
from harness.web_apps import BROWSER, READER, SHOP, URL, ReaderApp, ShopApp, ShopScreen, SurfApp

from .conftest import Bench

NONE = (
    "No app lets its web pages be debugged now. Browsers do; other apps only if they are made for"
    " tests. Elements of pages are in get_screen_state."
)
CLOSED = (
    f"{READER} shows a web page but does not allow debugging; its elements are in get_screen_state."
)
SEEN = '{"attached":true,"visible":true}'
RELEASES = [26, 28, 29, 30, 33, 34, 36]


def shop(bench: Bench) -> ShopScreen:
    bench.world.install(ShopApp)
    bench.world.launch(SHOP)
    screen = bench.world.tasks.front
    assert isinstance(screen, ShopScreen)
    return screen


async def listed(bench: Bench) -> list[dict[str, Any]]:
    return json.loads(await bench.call("list_web_pages"))["pages"]


async def id_of_shop(bench: Bench) -> str:
    return next(page["page_id"] for page in await listed(bench) if page["package_id"] == SHOP)


def scripts(bench: Bench) -> list[object]:
    return [event[2] for event in bench.events() if event[0] == "script"]


# The list


async def test_a_phone_without_pages_says_so(bench: Bench) -> None:
    assert json.loads(await bench.call("list_web_pages")) == {"pages": [], "notes": [NONE]}


@pytest.mark.parametrize(
    "api",
    [pytest.param(api, marks=() if api in (26, 34) else pytest.mark.matrix) for api in RELEASES],
    indirect=True,
)
async def test_a_page_is_listed_read_and_scripted_on_each_release(bench: Bench) -> None:
    screen = shop(bench)
    [found] = await listed(bench)
    id = found.pop("page_id")
    assert found == {"package_id": SHOP, "title": "Cart", "url": URL, "visible": True}
    read = json.loads(await bench.call("read_web_page", page_id=id))
    assert read["text"].startswith("Your cart\nTwo \nred\n apples, \nchange")
    assert (read["url"], read["truncated"]) == (URL, False)
    ran = json.loads(
        await bench.call(
            "run_web_script", page_id=id, script="document.querySelector('#buy').click()"
        )
    )
    assert ran == {
        "page_id": id,
        "package_id": SHOP,
        "url": URL,
        "type": "undefined",
        "value": "undefined",
    }
    assert screen.bought == 1


async def test_an_app_that_allows_no_debugging_is_named(bench: Bench) -> None:
    """As behaviour 115 states."""
    bench.world.install(ReaderApp)
    bench.world.launch(READER)
    assert json.loads(await bench.call("list_web_pages")) == {"pages": [], "notes": [CLOSED]}


async def test_a_phone_that_hides_its_sockets_says_nothing_of_apps(bench: Bench) -> None:
    async def refuse(process: Process) -> int:
        await process.stderr.write(b"cat: /proc/net/unix: Permission denied\n")
        return 1

    bench.world.install(ReaderApp)
    bench.world.launch(READER)
    bench.device.programs["cat"] = refuse
    assert json.loads(await bench.call("list_web_pages")) == {
        "pages": [],
        "notes": ["Android does not report which web pages can be debugged."],
    }


async def test_an_app_that_hangs_is_said_not_to_answer(bench: Bench) -> None:
    shop(bench)
    [name] = bench.device.devtools.sockets()
    bench.device.sockets.listen(f"localabstract:{name}", hang_up)
    assert json.loads(await bench.call("list_web_pages")) == {
        "pages": [],
        "notes": [
            f"{SHOP} lets its web pages be debugged but did not answer: it may be stopped in the"
            " background. Bring it to the front."
        ],
    }


async def hang_up(peer: Duplex) -> None:
    await peer.read()


async def test_a_browser_that_hangs_is_not_said_to_forbid_debugging(bench: Bench) -> None:
    """Its socket tells no app, and it is the one on the screen."""
    bench.world.install(SurfApp)
    bench.world.launch(BROWSER)
    bench.device.sockets.listen("localabstract:chrome_devtools_remote", hang_up)
    assert json.loads(await bench.call("list_web_pages")) == {
        "pages": [],
        "notes": [
            "A browser lets its web pages be debugged (chrome_devtools_remote) but did not answer:"
            " it may be stopped in the background. Bring it to the front."
        ],
    }


async def test_an_app_without_open_pages_is_not_said_to_forbid_debugging(bench: Bench) -> None:
    class EmptyScreen(Activity):
        name = ".Empty"

        def content(self) -> View:
            return Column()

    class EmptyApp(App):
        package, label = SHOP, "Shop"
        screens = (EmptyScreen,)
        web_debugging = True

    bench.world.install(EmptyApp)
    bench.world.launch(SHOP)
    assert json.loads(await bench.call("list_web_pages")) == {
        "pages": [],
        "notes": [
            "Apps that let their web pages be debugged run, but have none open now. Elements of"
            " other pages are in get_screen_state."
        ],
    }


async def test_an_app_with_very_many_pages_pushes_out_no_other(bench: Bench) -> None:
    bench.world.install(SurfApp)
    bench.world.launch(BROWSER)
    shop(bench)
    entry = {"type": "page", "title": "x", "url": "https://a/", "description": SEEN}
    many = json.dumps([{"id": str(number), **entry} for number in range(700)]).encode()

    async def flood(peer: Duplex) -> None:
        await peer.read()
        await peer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(many) + many)

    [name] = [one for one in bench.device.devtools.sockets() if one != "chrome_devtools_remote"]
    bench.device.sockets.listen(f"localabstract:{name}", flood)
    reply = json.loads(await bench.call("list_web_pages"))
    assert [one["package_id"] for one in reply["pages"]] == [SHOP] * 99 + [BROWSER]
    assert reply["notes"] == ["601 more pages are open; they are not listed."]
    for listed in (reply["pages"][0], reply["pages"][-1]):
        bench.phone.web_pages.find(listed["page_id"])
    text = json.loads(await bench.call("read_web_page", page_id=reply["pages"][-1]["page_id"]))
    assert text["package_id"] == BROWSER


async def test_sockets_that_are_not_asked_are_counted(bench: Bench) -> None:
    shop(bench)
    line = "0000000000000000: 00000002 00000000 00010000 0001 01 {} @s{}_devtools_remote_{}"
    table = "\n".join(line.format(number, number, number) for number in range(1, 20))

    async def print_table(process: Process) -> int:
        await process.stdout.write(table.encode() + b"\n")
        return 0

    bench.device.programs["cat"] = print_table
    assert json.loads(await bench.call("list_web_pages")) == {
        "pages": [],
        "notes": ["3 more apps may let their web pages be debugged; they were not asked."],
    }


async def test_a_browser_says_itself_which_app_it_is(bench: Bench) -> None:
    bench.world.install(SurfApp)
    bench.world.launch(BROWSER)
    [found] = await listed(bench)
    assert found["package_id"] == BROWSER


async def test_a_browser_that_says_it_is_an_app_that_does_not_run_is_left_out(
    bench: Bench,
) -> None:
    class LyingApp(SurfApp):
        pass

    bench.world.install(LyingApp)
    bench.world.launch(BROWSER)
    app = bench.world.apps[BROWSER]
    bench.device.devtools.claims[BROWSER] = "com.android.deskclock"
    assert app.web_debugging
    assert json.loads(await bench.call("list_web_pages"))["pages"] == []


async def test_what_is_on_the_screen_comes_first(bench: Bench) -> None:
    shop(bench)
    bench.world.install(SurfApp)
    bench.world.launch(BROWSER)
    assert [(each["package_id"], each["visible"]) for each in await listed(bench)] == [
        (BROWSER, True),
        (SHOP, False),
    ]


async def test_the_word_of_a_page_ends_no_line_and_hides_nothing(bench: Bench) -> None:
    screen = shop(bench)
    screen.web.show(
        "Cart\n\u202eevil\x00", page.Paragraph("a\u202eb\u200bc"), url="https://x\u202e"
    )
    [found] = await listed(bench)
    assert found["title"] == "Cart⏎⟨U+202E⟩evil "
    assert found["url"] == "https://x⟨U+202E⟩"
    read = json.loads(await bench.call("read_web_page", page_id=found["page_id"]))
    assert read["text"] == "a⟨U+202E⟩b⟨U+200B⟩c"


# Reading


async def test_a_selector_reads_what_it_matches(bench: Bench) -> None:
    shop(bench)
    id = await id_of_shop(bench)
    read = json.loads(await bench.call("read_web_page", page_id=id, selector="a"))
    assert (read["text"], read["matches"]) == ("change\nempty", 2)
    missing = await bench.failure("read_web_page", page_id=id, selector="#nothing")
    assert type(missing) is ElementNotFound
    assert missing.message == "No element of the page matches '#nothing'."
    wrong = await bench.failure("read_web_page", page_id=id, selector="##")
    assert type(wrong) is InvalidParams
    assert wrong.message == "'##' is not a CSS selector: '##' is not a valid selector."


async def test_a_long_text_is_cut_where_asked(bench: Bench) -> None:
    screen = shop(bench)
    screen.web.show("Long", page.Paragraph("x😀" * 5000), url=URL)
    id = await id_of_shop(bench)
    read = json.loads(await bench.call("read_web_page", page_id=id, max_chars=5))
    assert (read["text"], read["truncated"]) == ("x😀x", True)
    whole = json.loads(await bench.call("read_web_page", page_id=id))
    assert (len(whole["text"]), whole["truncated"]) == (10_000, False)


async def test_a_page_of_an_old_web_view_is_read_in_its_own_world(bench: Bench) -> None:
    shop(bench)
    bench.device.devtools.old = True
    id = await id_of_shop(bench)
    read = json.loads(await bench.call("read_web_page", page_id=id, selector="#total"))
    assert read["text"] == "The total is 3 €."


async def test_an_id_never_means_another_page(bench: Bench) -> None:
    """As behaviour 115 states."""
    screen = shop(bench)
    id = await id_of_shop(bench)
    assert await id_of_shop(bench) == id
    unknown = await bench.failure("read_web_page", page_id="web-00000000")
    assert type(unknown) is ElementNotFound
    assert unknown.message == (
        "Web page not found: web-00000000. Call list_web_pages and use an id from its reply."
    )
    screen.leave()
    for name, more in (("read_web_page", {}), ("run_web_script", {"script": "1 + 1"})):
        moved = await bench.failure(name, page_id=id, **more)
        assert type(moved) is ElementNotFound
        assert f"Web page {id} no longer shows its listed site." in moved.message
    assert "1 + 1" not in scripts(bench)
    other = await id_of_shop(bench)
    assert other != id
    screen.web.show("Cart", page.Paragraph("again"), url=URL)
    assert await id_of_shop(bench) == id


async def test_a_page_of_a_process_that_ended_is_gone(bench: Bench) -> None:
    """As behaviour 115 states."""
    shop(bench)
    id = await id_of_shop(bench)
    app = bench.world.apps[SHOP]
    bench.world.running.kill(app, "test")
    bench.world.tasks.close(app)
    gone = await bench.failure("read_web_page", page_id=id)
    assert type(gone) is ElementNotFound
    assert gone.message == (
        f"Web page {id} is gone: it was closed, or its app has ended. Call list_web_pages again."
    )
    bench.world.launch(SHOP)
    assert (await bench.failure("read_web_page", page_id=id)).message == gone.message
    assert await id_of_shop(bench) != id


async def test_a_tab_that_was_closed_is_gone(bench: Bench) -> None:
    shop(bench)
    id = await id_of_shop(bench)
    bench.world.tasks.close(bench.world.apps[SHOP])
    assert type(await bench.failure("read_web_page", page_id=id)) is ElementNotFound


async def test_a_page_that_another_program_debugs_is_said_to_be(bench: Bench) -> None:
    shop(bench)
    id = await id_of_shop(bench)
    bench.device.devtools.taken.update(bench.device.devtools.pages(bench.world.apps[SHOP]))
    taken = await bench.failure("run_web_script", page_id=id, script="1 + 1")
    assert type(taken) is PermissionDenied
    assert taken.message == (
        f"Another program debugs this page of {SHOP}, such as Chrome's inspector: close it first."
        " Nothing was done."
    )


async def test_a_restart_of_the_phone_ends_every_id(bench: Bench) -> None:
    shop(bench)
    id = await id_of_shop(bench)
    bench.phone.restarted()
    failure = await bench.failure("read_web_page", page_id=id)
    assert failure.message.startswith("Web page not found")


def answering(value: Any) -> Page:
    """Of a page whose scripts have this result."""

    def answers(call: dict[str, Any]) -> list[bytes]:
        href = call["params"].get("expression") == "location.href"
        if call["method"] != "Runtime.evaluate" or href:
            return usual(call)
        if isinstance(value, dict) and "error" in value:
            return [frame(json.dumps({"id": call["id"], **value}))]
        return [value] if isinstance(value, bytes) else [result(call, value)]

    return Page(answers)


THROWN = {"exceptionDetails": {"exception": {"description": "Error: no"}}}
TEXT = {"url": URL, "title": "Cart", "parts": ["x"], "matches": 1, "frames": 2}


@pytest.mark.parametrize(
    ("value", "sentence", "details"),
    [
        (
            b"\x81\x7f" + (1 << 40).to_bytes(8, "big"),
            f"The answer of the page of {SHOP} is too large to be read.",
            (),
        ),
        (frame("[]"), f"{SHOP} does not answer as a debugged web page does.", ()),
        (THROWN, "The page could not be read.", ("Error: no",)),
    ],
    ids=["too large", "unusual", "threw"],
)
async def test_what_an_app_answers_wrongly_is_said(
    bench: Bench, value: Any, sentence: str, details: tuple[str, ...]
) -> None:
    shop(bench)
    [name] = bench.device.devtools.sockets()
    bench.device.sockets.listen(f"localabstract:{name}", answering(value))
    id = await id_of_shop(bench)
    failure = await bench.failure("read_web_page", page_id=id)
    assert (type(failure), failure.message, failure.details) == (ActionFailed, sentence, details)
    if not details:
        failure = await bench.failure("run_web_script", page_id=id, script="1 + 1")
        assert failure.message == f"{sentence} The script may or may not have run."


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (
            "Inspected target navigated or closed",
            "Web page {id} loaded another document.",
        ),
        (
            "Object reference chain is too long",
            f"{SHOP} did not report the result: Object reference chain is too long.",
        ),
    ],
)
async def test_a_script_of_which_nothing_is_told_is_not_said_to_have_thrown(
    bench: Bench, said: str, sentence: str
) -> None:
    shop(bench)
    [name] = bench.device.devtools.sockets()
    error = {"error": {"code": -32000, "message": said}}
    bench.device.sockets.listen(f"localabstract:{name}", answering(error))
    id = await id_of_shop(bench)
    failure = await bench.failure("run_web_script", page_id=id, script="buy()")
    assert failure.message == f"{sentence.format(id=id)} The script may or may not have run."
    failure = await bench.failure("read_web_page", page_id=id)
    assert failure.message == sentence.format(id=id)


async def test_a_page_with_frames_says_that_they_are_not_read(bench: Bench) -> None:
    shop(bench)
    [name] = bench.device.devtools.sockets()
    told = {"result": {"type": "string", "value": json.dumps(TEXT)}}
    bench.device.sockets.listen(f"localabstract:{name}", answering(told))
    read = json.loads(await bench.call("read_web_page", page_id=await id_of_shop(bench)))
    assert (read["text"], read["frames"]) == ("x", 2)
    assert read["note"] == "The text of frames inside the page is not included."


# Scripts


@pytest.mark.parametrize(
    ("script", "type", "value"),
    [
        ("1 + 1", "number", "2"),
        ("document.title", "string", '"Cart"'),
        ("[1, null]", "object", "[1,null]"),
        ("undefined", "undefined", "undefined"),
    ],
)
async def test_the_value_of_a_script_is_told_as_json(
    bench: Bench, script: str, type: str, value: str
) -> None:
    shop(bench)
    id = await id_of_shop(bench)
    ran = json.loads(await bench.call("run_web_script", page_id=id, script=script))
    assert (ran["type"], ran["value"]) == (type, value)
    assert scripts(bench).count(script) == 1


async def test_what_a_script_throws_is_told(bench: Bench) -> None:
    shop(bench)
    id = await id_of_shop(bench)
    threw = await bench.failure("run_web_script", page_id=id, script="throw new Error('no')")
    assert isinstance(threw, ActionFailed)
    # Words of the page: an item of its own, which the record masks.
    assert (threw.message, *threw.details) == ("The script threw:", "Error: no")
    unknown = await bench.failure("run_web_script", page_id=id, script="nothing.there")
    assert unknown.details == ("ReferenceError: nothing is not defined",)


async def test_a_script_that_does_not_end_is_stopped(bench: Bench) -> None:
    """As behaviour 116 states."""
    shop(bench)
    id = await id_of_shop(bench)
    call = bench.failure("run_web_script", page_id=id, script="while (true) {}", timeout=500)
    late = await (call if bench.by == "shell" else bench.passing(call))
    assert type(late) is TimedOut
    assert late.message == (
        f"The web page of {SHOP} did not answer in time: it is busy, or its app is stopped in the"
        " background. The script may or may not have run."
    )


async def test_a_script_has_as_many_characters_as_its_description_says(bench: Bench) -> None:
    shop(bench)
    id = await id_of_shop(bench)
    longest = f"1 + 1;{' ' * 19_994}"
    ran = json.loads(await bench.call("run_web_script", page_id=id, script=longest))
    assert ran["value"] == "2"
    refused = await bench.failure("run_web_script", page_id=id, script=f"{longest} ")
    assert isinstance(refused, InvalidParams)
    assert refused.message == "script exceeds maximum length of 20000 characters (got 20001)"


# Who may


async def test_scripts_are_off_and_asked_about_by_default(bench: Bench) -> None:
    shop(bench)
    plain = LocalSurface((web, web_scripts), OnePhone(bench.phone), SurfaceOptions())
    assert await plain.tools() == []
    header = RequestScope(on=frozenset({"web"}))
    assert [each.name for each in await plain.tools(header)] == [
        "android_list_web_pages",
        "android_read_web_page",
    ]
    assert "run_web_script" in PolicySettings().default_ask


async def test_rules_on_an_app_hold_for_its_pages(bench: Bench) -> None:
    shop(bench)
    id = await id_of_shop(bench)
    bench.world.bring("com.android.deskclock")
    gate = ApprovalGate(Rules(deny=(f"app:{SHOP}",)))
    options = SurfaceOptions(policy=ALL_ON, gate=gate, clock=PhoneClock(bench.device))
    bench.surface = bench.counter.surface = LocalSurface((web, web_scripts), bench, options)
    assert await listed(bench) == []
    for name, more in (("read_web_page", {}), ("run_web_script", {"script": "1 + 1"})):
        assert type(await bench.failure(name, page_id=id, **more)) is PermissionDenied
    assert "1 + 1" not in scripts(bench)


async def asked_about(bench: Bench, gate: ApprovalGate, call: asyncio.Task[Any]) -> Pending:
    await bench.until(lambda: bool(gate.pending()) or call.done())
    [question] = gate.pending()
    return question


async def test_a_person_is_told_which_page_a_script_is_for_and_all_of_it(bench: Bench) -> None:
    """As behaviour 115 states."""
    screen = shop(bench)
    screen.web.show('Cart\u202e", https://a/', page.Paragraph("again"), url=URL)
    id = await id_of_shop(bench)
    gate = ApprovalGate(Rules(ask=("run_web_script",)))
    gate.consoles = 1
    options = SurfaceOptions(policy=ALL_ON, gate=gate, clock=PhoneClock(bench.device))
    bench.surface = bench.counter.surface = LocalSurface((web, web_scripts), bench, options)
    script = f"1 + 1;{' ' * 19_994}"
    call = bench.beside(bench.call("run_web_script", page_id=id, script=script))
    pending = await asked_about(bench, gate, call)
    assert pending.call.subject == f'{SHOP}: "Cart⟨U+202E⟩\\", https://a/", {URL}'
    # All of the longest one: what is not shown is not agreed to.
    assert pending.as_json()["arguments"] == {"page_id": id, "script": script}
    gate.answer(pending.id, True, "You")
    assert json.loads(await call)["value"] == "2"


async def test_an_id_means_the_app_that_it_was_listed_with(bench: Bench) -> None:
    """A browser says itself which app it is, and may say another later."""
    bench.world.install(SurfApp)
    bench.world.launch(BROWSER)
    bench.world.install(ShopApp)
    bench.world.launch(SHOP)
    [before] = [each for each in await listed(bench) if each["package_id"] == BROWSER]
    bench.device.devtools.claims[BROWSER] = SHOP
    after = {each["page_id"] for each in await listed(bench) if each["package_id"] == SHOP}
    assert len(after) == 2
    assert before["page_id"] not in after


# The screen


@pytest.mark.by_helper("roles of web content are not in uiautomator's dumps")
async def test_pieces_of_a_sentence_share_a_row_if_the_client_has_the_toolset(
    bench: Bench,
) -> None:
    """As behaviour 114 states."""
    shop(bench)
    folded = [row[2] for row in await bench.rows()]
    start = folded.index("Your cart")
    assert folded[start : start + 6] == [
        "Your cart",
        "Two red apples,",
        "change",
        "or",
        "empty",
        "the cart.",
    ]


@pytest.mark.by_helper("roles of web content are not in uiautomator's dumps")
async def test_an_element_of_a_page_has_its_role_and_where_it_leads(bench: Bench) -> None:
    shop(bench)
    found = json.loads(await bench.call("find_elements", by="text", value="change"))
    [link] = found["elements"]
    assert [*link][-2:] == ["webRole", "url"]
    assert (link["webRole"], link["url"]) == ("link", "https://shop.example/edit")


@pytest.mark.by_helper("roles of web content are not in uiautomator's dumps")
async def test_a_link_in_a_folded_paragraph_is_clicked_by_its_id(bench: Bench) -> None:
    screen = shop(bench)
    await bench.call("click_element", element_id=await bench.id_of("change"))
    assert screen.web.page.title == "Elsewhere"


async def test_without_the_toolset_every_piece_has_its_row(bench: Bench) -> None:
    """As behaviour 114 states."""
    shop(bench)
    surface = LocalSurface(CATALOG, OnePhone(bench.phone), SurfaceOptions())
    [text] = await bench.passing(surface.call("android_get_screen_state", {}, Caller("tests")))
    assert isinstance(text, str)
    rows = [line.split("\t")[2] for line in text.split("\n") if line.startswith("node_")]
    start = rows.index("Your cart")
    assert rows[start + 1 : start + 5] == ["Two", "red", "apples,", "change"]
