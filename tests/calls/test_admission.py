"""The approver's decision on a call, and the apps on the screen that it depends on."""

import pytest

from access.test_app_in_front import Front
from handheld.access.approval import ApprovalGate
from handheld.audit import Record
from handheld.calls.admission import Admission, apps_on
from handheld.calls.call import Call
from handheld.errors import PermissionDenied
from handheld.phone.phone import Phone
from handheld.screen.model import Screen, Window
from handheld.settings.rules import Rules
from handheld.tools.call import Caller, ToolCall
from handheld.tools.tool import Listing, Tool

CALL = ToolCall("tap", Listing("tap", "Tap", "Taps.", {}), {}, Caller("http"))


def call_on(*apps: str | None) -> tuple[Call, Front]:
    """A call on a phone that shows these apps, one after the other."""
    front = Front()
    front.apps = list(apps)

    async def run(phone: Phone) -> str:
        return ""

    tool = Tool(CALL.listing, lambda arguments, besides=(): run, exclusive=True)
    call = Call("android_tap", tool, Record(None, CALL))
    call.phone, call.run = Phone("serial", front), run
    return call, front


async def test_without_an_approver_every_call_is_admitted() -> None:
    call, front = call_on("com.notes")
    assert (await Admission(None).admit(call), front.reads) == (None, 0)


async def test_the_screen_is_read_only_if_a_rule_depends_on_it() -> None:
    call, front = call_on("com.notes")
    admission = Admission(ApprovalGate(Rules(deny=("swipe+app:com.bank",))))
    assert (await admission.admit(call), front.reads) == (None, 0)
    admission = Admission(ApprovalGate(Rules(deny=("tap+app:com.bank",))))
    assert await admission.admit(call) == ("com.notes",)


@pytest.mark.parametrize("app", ["com.bank", None])
async def test_a_denied_call_is_marked_in_its_record(app: str | None) -> None:
    call, _ = call_on(app)
    with pytest.raises(PermissionDenied):
        await Admission(ApprovalGate(Rules(deny=("app:com.bank",)))).admit(call)
    assert call.record.denied


def test_apps_are_those_in_front_focused_or_in_a_window_of_their_own() -> None:
    windows = [
        Window(1, "APPLICATION", "com.front", "", 3, True),
        Window(2, "INPUT_METHOD", "com.keyboard", "", 2, False),
        Window(3, "SYSTEM", "com.dialog", "", 4, True),
        Window(4, "APPLICATION", "com.beside", "", 1, False),
    ]
    screen = Screen(1080, 2400, 420, 0, windows, foreground=("com.front", "Main"))
    assert apps_on(screen) == ("com.front", "com.beside", "com.dialog")
