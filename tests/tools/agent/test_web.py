"""Web pages for models: those that can be debugged as data, and all of them on the screen."""

import re
from pathlib import Path

import pytest

from handheld.access.approval import ApprovalGate
from handheld.access.request_scope import RequestScope
from handheld.audit import AuditLog, Recorder
from handheld.audit.masking import MASK
from handheld.calls.agent_tools import make_agent_surface
from handheld.calls.options import SurfaceOptions
from handheld.errors import ElementNotFound, PermissionDenied
from handheld.settings.rules import Rules
from handheld_virtual.toolkit import web
from harness.phones import PhoneClock
from harness.web_apps import READER, SHOP, URL, ReaderApp, ShopApp, ShopScreen

from .conftest import AgentBench

both_ways = pytest.mark.parametrize("agent_by", ["helper", "shell"], indirect=True)


def shop(bench: AgentBench) -> ShopScreen:
    bench.world.install(ShopApp)
    bench.world.launch(SHOP)
    screen = bench.world.tasks.front
    assert isinstance(screen, ShopScreen)
    return screen


def allow(
    bench: AgentBench, gate: ApprovalGate | None = None, recorder: Recorder | None = None
) -> None:
    """Switch on scripts."""
    policy = RequestScope(on=frozenset({"web_scripts"}))
    options = SurfaceOptions(
        clock=PhoneClock(bench.device), policy=policy, gate=gate, recorder=recorder
    )
    bench.counter.surface = make_agent_surface(bench, options)  # type: ignore[assignment]


def holds(folder: Path, words: bytes) -> bool:
    return any(words in file.read_bytes() for file in folder.rglob("*") if file.is_file())


async def page(bench: AgentBench) -> str:
    found = re.match(r"web-\S+", await bench.call("read", what="web"))
    assert found is not None
    return found[0]


@pytest.mark.slow
@both_ways
async def test_pages_are_rows_and_one_is_read_by_its_id(bench: AgentBench) -> None:
    screen = shop(bench)
    row = await bench.call("read", what="web")
    found = re.fullmatch(rf'(web-[0-9a-f]{{8}}) "Cart" "https://shop\S+" {SHOP} on screen', row)
    assert found is not None, row
    screen.web.show(
        'Say "hi"', web.Heading("One"), web.Paragraph("Two\u202e"), url="https://shop.example/"
    )
    id = found[1]
    assert await bench.call("read", what="web", of=id) == (
        '"Say \\"hi\\"" "https://shop.example/"\nOne\nTwo⟨U+202E⟩'
    )
    assert await bench.call("read", what="web", of=f"{id} h1") == (
        '"Say \\"hi\\"" "https://shop.example/"\nOne'
    )
    assert await bench.call("read", what="web", of=id, limit=1) == (
        '"Say \\"hi\\"" "https://shop.example/"\nOne\n1 more lines: raise limit.'
    )
    failure = await bench.failure("read", what="web", of="web-0")
    assert type(failure) is ElementNotFound
    assert failure.message == (
        "Web page not found: web-0. Call phone_read web and use an id from its reply."
    )


@both_ways
async def test_an_app_that_allows_no_debugging_is_named(bench: AgentBench) -> None:
    bench.world.install(ReaderApp)
    bench.world.launch(READER)
    assert await bench.call("read", what="web") == (
        f"{READER} shows a web page but does not allow debugging; its elements are in phone_look."
    )


async def test_a_script_runs_once_and_its_value_is_the_answer(bench: AgentBench) -> None:
    screen = shop(bench)
    allow(bench)
    id = await page(bench)
    code = "document.querySelector('#buy').click()"
    assert await bench.call("script", page=id, code=code) == "undefined undefined"
    assert screen.bought == 1
    assert await bench.call("script", page=id, code="document.title") == 'string \\"Cart\\"'


async def test_rules_on_the_main_tools_and_on_the_app_hold(bench: AgentBench) -> None:
    screen = shop(bench)
    allow(bench)
    id = await page(bench)
    allow(bench, ApprovalGate(Rules(deny=("run_web_script",))))
    denied = await bench.failure("script", page=id, code="1 + 1")
    assert type(denied) is PermissionDenied
    bench.world.bring("com.android.deskclock")
    allow(bench, ApprovalGate(Rules(deny=(f"app:{SHOP}",))))
    for name, arguments in (
        ("script", {"page": id, "code": "document.querySelector('#buy').click()"}),
        ("read", {"what": "web", "of": id}),
    ):
        assert type(await bench.failure(name, **arguments)) is PermissionDenied
    assert SHOP not in await bench.call("read", what="web")
    assert screen.bought == 0


async def test_a_person_is_told_which_page_a_script_is_for_and_all_of_it(
    bench: AgentBench,
) -> None:
    shop(bench)
    gate = ApprovalGate(Rules(ask=("run_web_script",)))
    gate.consoles = 1
    allow(bench, gate)
    id, code = await page(bench), f"1 + 1;{' ' * 19_994}"
    call = bench.beside(bench.call("script", page=id, code=code))
    await bench.until(lambda: bool(gate.pending()) or call.done())
    [pending] = gate.pending()
    assert pending.call.subject == f'{SHOP}: "Cart", {URL}'
    assert pending.as_json()["arguments"] == {"page": id, "code": code}
    gate.answer(pending.id, True, "You")
    assert await call == "number 2"


async def test_a_script_is_not_recorded(bench: AgentBench, tmp_path: Path) -> None:
    """A password that it fills in is in its text."""
    shop(bench)
    log = AuditLog(tmp_path / "calls.sqlite", clock=PhoneClock(bench.device))
    recorder = Recorder(log, clock=PhoneClock(bench.device))
    allow(bench, recorder=recorder)
    id = await page(bench)
    code = "document.querySelector('#name').value = 'Hunter22'"
    assert "Hunter22" in await bench.call("script", page=id, code=code)
    await recorder.aclose()
    last = log.entries()[-1]
    assert (last.arguments, last.result) == ({"page": id, "code": MASK}, (MASK,))
    assert not holds(tmp_path, b"Hunter22")


async def test_a_person_is_told_which_page_is_read(bench: AgentBench) -> None:
    """As behaviour 115 states."""
    shop(bench)
    allow(bench)
    id = await page(bench)
    gate = ApprovalGate(Rules(ask=("read_web_page",)))
    gate.consoles = 1
    allow(bench, gate)
    call = bench.beside(bench.call("read", what="web", of=f"{id} #total"))
    await bench.until(lambda: bool(gate.pending()) or call.done())
    [question] = gate.pending()
    assert question.call.subject == f'{SHOP}: "Cart", {URL}'
    gate.answer(question.id, True, "You")
    assert "The total is 3 €." in await call


async def test_a_paragraph_with_links_is_a_line(bench: AgentBench) -> None:
    screen = shop(bench)
    rows = await bench.look()
    [row] = [row for row in rows if "apples" in row]
    assert re.fullmatch(
        r'"Two red apples,", \w+ "change", "or", \w+ "empty", "the cart\."', row.strip()
    ), row
    await bench.call("tap", at="change")
    assert screen.web.page.title == "Elsewhere"


async def test_all_tells_where_a_link_leads(bench: AgentBench) -> None:
    shop(bench)
    told = await bench.call("look", all=True)
    assert ' "change" to "https://shop.example/edit"' in told


async def test_the_text_of_a_folded_line_is_read_whole(bench: AgentBench) -> None:
    screen = shop(bench)
    pieces = [web.Words(f"piece {number} of a long line\n") for number in range(20)]
    screen.web.show("Long", web.Flow(*pieces[:10]), web.Flow(*pieces[10:]), url="https://x/")
    whole = await bench.call("read", what="text", of="piece 0")
    assert "piece 2 of a long line" in whole


async def test_a_long_page_says_that_it_was_read_in_part(bench: AgentBench) -> None:
    screen = shop(bench)
    screen.web.show("Long", *(web.Paragraph("x" * 5000) for _ in range(5)), url=URL)
    read = await bench.call("read", what="web", of=await page(bench))
    assert read.endswith("\nOnly the first 20000 characters were read.")
