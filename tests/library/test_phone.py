"""A phone in the hands of a program: what it does, and what users do wrong."""

import asyncio
import gc
import io
import os
import re
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, assert_type

import pytest
from PIL import Image

from handheld import (
    ActionFailed,
    AsyncPhone,
    ElementNotFound,
    ExpectationFailed,
    InvalidParams,
    Phone,
    PhoneClosed,
    Picture,
    Screen,
    TimedOut,
    ToolError,
)
from handheld.library.connections import PhoneConnection
from handheld_virtual import PhoneThread
from handheld_virtual.toolkit import Activity, App, Button, Column, Text, View
from harness.polling import HANG

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def settings() -> Iterator[Phone]:
    """A phone that shows the settings app, for tests that leave it so."""
    with Phone.virtual() as phone:
        phone.open("Settings")
        yield phone


def test_the_first_example_of_the_page_works() -> None:
    page = (DOCS / "library.md").read_text(encoding="utf-8")
    example = page.split("```python\n")[1].partition("```")[0]
    exec(compile(example, "library.md", "exec"), {})


def test_methods_do_what_the_tools_do_and_return_their_replies() -> None:
    with Phone.virtual("office") as phone:
        assert phone.open("Settings").startswith('Opened "Settings".\ncom.android.settings')
        assert phone.scroll("down", screens=99).splitlines()[0].startswith("Scrolled")
        done = phone.do([{"tool": "open", "what": "Clock"}, {"tool": "tap", "at": "Timer"}])
        assert done.startswith("2 of 2 done.")
        assert phone.set("clipboard", "Grüße") == phone.set("clipboard", value="Grüße")
        assert phone.read("clipboard") == '"Grüße"'
        assert phone.press("home").startswith("Pressed home")
        screen = assert_type(phone.look("Clock"), Screen)
        assert "Clock" in screen
        assert "Gallery" not in screen, "it has only rows with these words"


def test_any_tool_can_be_called_by_its_name(settings: Phone) -> None:
    parts = assert_type(
        settings.call("get_screen_state", include_screenshot=True), list[str | Picture]
    )
    assert isinstance(parts[0], str)
    assert any(isinstance(part, Picture) for part in parts)
    assert settings.call("android_get_screen_state")[0] == parts[0]
    [text] = settings.call("phone_look", find="Display")
    assert isinstance(text, str)
    assert "Display" in text
    with pytest.raises(InvalidParams, match="There is no tool 'android_nothing' here"):
        settings.call("nothing")


def test_a_failure_is_the_sentence_with_the_names_of_methods(settings: Phone) -> None:
    with pytest.raises(ElementNotFound) as failed:
        settings.tap("Nothing such")
    assert failed.value.message.startswith('No "Nothing such" is visible.')
    assert failed.value.code == -32002
    assert isinstance(failed.value, ToolError)
    with pytest.raises(TimedOut, match=r"Call wait again to go on waiting") as late:
        settings.wait("Nothing such", seconds=1)
    assert 'com.android.settings "Settings"' in "".join(late.value.__notes__)
    names = [entry.name for entry in late.traceback]
    assert names[-1] == "wait", "what happens inside is no use to who called"


def test_an_expectation_is_an_assertion(settings: Phone) -> None:
    assert_type(settings.expect("Network & internet"), Screen)
    assert settings.expect("No such words", gone=True).app == "com.android.settings"
    with pytest.raises(AssertionError, match="'Nothing' is not on the screen after 40 s") as failed:
        settings.expect("Nothing", seconds=40)
    assert isinstance(failed.value, ExpectationFailed | TimedOut)
    assert "Network & internet" in failed.value.details[0]
    with pytest.raises(AssertionError, match="'Display' is still on the screen after 1 s"):
        settings.expect("Display", gone=True, seconds=1)


@pytest.mark.parametrize("text", ["", " ", None])
def test_an_expectation_of_nothing_is_refused(settings: Phone, text: Any) -> None:
    with pytest.raises(InvalidParams, match="expect needs the words to wait for"):
        settings.expect(text)


def test_a_picture_that_is_no_jpeg_becomes_one(tmp_path: Path) -> None:
    png = io.BytesIO()
    Image.new("RGBA", (4, 2), (255, 0, 0, 128)).save(png, "png")
    file = Picture(png.getvalue(), "image/png").save(tmp_path / "a.jpg")
    with Image.open(file) as saved:
        assert (saved.format, saved.size) == ("JPEG", (4, 2))


def test_a_phone_that_does_not_answer_is_no_failed_expectation() -> None:
    class Busy(Phone):
        def _do(self, verb: str, arguments: Mapping[str, Any]) -> str:
            raise TimedOut("The phone is busy: another has been using it for 60 s.")

    with pytest.raises(TimedOut, match="The phone is busy") as failed:
        Busy("none").expect("Sent")
    assert not isinstance(failed.value, AssertionError)


@pytest.mark.parametrize(
    ("use", "kind", "message"),
    [
        (lambda phone: phone.tap(), TypeError, "missing 1 required positional argument: 'at'"),
        (lambda phone: phone.tap("x", colour="red"), TypeError, "unexpected keyword argument"),
        (lambda phone: phone.tap("x", "row"), TypeError, "positional arguments"),
        (lambda phone: phone.tap(None), InvalidParams, "^tap needs at. It takes at, within"),
        (lambda phone: phone.tap(b"x"), InvalidParams, "Parameter 'at' takes texts, .* got: bytes"),
        (lambda phone: phone.tap({1, 2}), InvalidParams, "got: set"),
        (lambda phone: phone.wait(seconds=float("nan")), InvalidParams, "got: float"),
        (lambda phone: phone.wait("x", seconds=500), InvalidParams, "between 0 and 50, got: 500"),
        (lambda phone: phone.scroll("sideways"), InvalidParams, "must be one of: down, up"),
        (lambda phone: phone.read("mind"), InvalidParams, "must be one of: text, clipboard"),
        (lambda phone: phone.do([]), InvalidParams, "needs steps"),
        (lambda phone: phone.do([{"tool": "eat"}]), InvalidParams, "A step has tool, one of"),
        (lambda phone: phone.press("any key"), InvalidParams, 'There is no key "any_key"'),
    ],
)
def test_bad_arguments_are_refused(
    settings: Phone, use: Callable[[Any], object], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        use(settings)


def test_bad_scenes_apps_and_addresses_are_refused_at_once() -> None:
    with pytest.raises(InvalidParams, match="No scene is called 'none'"):
        Phone.virtual("none")
    with pytest.raises(InvalidParams, match="25"):
        Phone.virtual(api=25)
    with pytest.raises(InvalidParams):
        Phone.virtual(apps=[App])
    for url in ("127.0.0.1:8080", "ftp://host", "http://host/elsewhere", "http://host/phones/a/b"):
        with pytest.raises(InvalidParams, match="is not the address of a server"):
            Phone.remote(url)


class Lamp(Activity):
    def content(self) -> View:
        self.label = Text("dark")
        return Column(self.label, Button("Switch", self.switch))

    def switch(self) -> None:
        self.label.text = "bright"


class LampApp(App):
    package, label = "org.example.lamp", "Lamp"
    screens = (Lamp,)


def test_apps_are_installed_and_the_world_is_at_hand() -> None:
    with Phone.virtual(api=30, apps=[LampApp]) as phone:
        phone.open("Lamp")
        phone.tap("Switch")
        assert "bright" in phone.look()
        assert phone.virtual_phone is not None
        with phone.virtual_phone.hold() as device:
            assert device.world.api == 30
            with pytest.raises(RuntimeError, match="is held: use it after the `hold` block"):
                phone.look()
        assert "bright" in phone.look()
    assert repr(phone) == "<Phone virtual>"


def test_a_phone_that_is_closed_says_so() -> None:
    phone = Phone.virtual()
    phone.look()
    phone.close()
    phone.close()
    for use in (phone.look, lambda: phone.call("tap"), phone.__enter__):
        with pytest.raises(PhoneClosed, match="The phone virtual is closed: create a new one"):
            use()


def test_a_phone_that_was_never_used_leaves_nothing_to_close() -> None:
    before = threading.active_count()
    phone = Phone.virtual()
    del phone
    gc.collect()
    Phone.remote("http://127.0.0.1:1").close()
    assert threading.active_count() == before


def test_a_forgotten_phone_is_closed_with_a_warning() -> None:
    phone = Phone.virtual()
    phone.look()
    virtual = phone.virtual_phone
    assert virtual is not None
    forgotten = [phone]
    del phone
    with pytest.warns(ResourceWarning, match="The phone virtual was not closed"):
        forgotten.clear()
    with pytest.raises(RuntimeError, match="is not running"):
        virtual.run(lambda: None)


def forever(began: threading.Event, ended: threading.Event) -> Callable[[PhoneConnection], Any]:
    async def work(connection: PhoneConnection) -> None:
        try:
            began.set()
            await asyncio.Event().wait()
        finally:
            ended.set()

    return work


def test_closing_breaks_off_what_runs_in_another_thread() -> None:
    with PhoneThread() as virtual, ThreadPoolExecutor(1) as threads:
        phone = Phone.on(virtual)
        began, ended = threading.Event(), threading.Event()
        call = threads.submit(phone._session.wait, forever(began, ended))
        assert began.wait(HANG)
        phone.close()
        assert ended.is_set()
        with pytest.raises(PhoneClosed, match="closed during this call: it may or may not"):
            call.result(HANG)


def test_several_threads_use_one_phone(settings: Phone) -> None:
    def use(number: int) -> str:
        return settings.look("Display").text if number % 2 else settings.expect("Display").text

    with ThreadPoolExecutor(4) as threads:
        texts = list(threads.map(use, range(12)))
    assert all("Display" in text for text in texts)


def test_one_thread_waits_for_what_another_does() -> None:
    with PhoneThread() as virtual, ThreadPoolExecutor(1) as threads, Phone.on(virtual) as phone:
        waiting = threads.submit(phone.expect, "Network & internet", seconds=50)
        phone.open("Settings")
        assert waiting.result(HANG).app == "com.android.settings"


async def test_a_plain_phone_works_inside_a_running_event_loop(settings: Phone) -> None:
    assert "Display" in settings.look()
    with Phone.virtual() as phone:
        assert phone.look().app == "com.android.launcher3"


async def test_methods_are_awaited() -> None:
    async with AsyncPhone.virtual() as phone:
        assert (await phone.open("Clock")).startswith('Opened "Clock".')
        screen = assert_type(await phone.look(), Screen)
        assert "Timer" in screen
        assert (await phone.expect("Timer")).app == "com.android.deskclock"
        assert (await phone.screenshot()).data
        assert await phone.call("phone_look", find="Timer")
        with pytest.raises(ElementNotFound):
            await phone.tap("Nothing")
        with pytest.raises(ExpectationFailed):
            await phone.expect("Nothing", seconds=1)
    with pytest.raises(PhoneClosed):
        await phone.look()
    await phone.close()


def test_an_awaited_phone_works_in_one_loop_after_the_other(settings: Phone) -> None:
    phone = AsyncPhone.of(settings)

    async def use() -> bool:
        return "Display" in await phone.look()

    assert asyncio.run(use())
    assert asyncio.run(use())
    asyncio.run(phone.close())
    assert "Display" in settings.look(), "it is closed by whom it belongs to"


async def test_cancelling_a_task_stops_its_call(settings: Phone) -> None:
    phone = AsyncPhone.of(settings)
    began, ended = threading.Event(), threading.Event()
    task = asyncio.create_task(phone._session.waited(forever(began, ended)))
    assert await asyncio.to_thread(began.wait, 60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(ended.wait, 60)
    assert "Display" in await phone.look()


def test_without_asyncio_an_awaited_phone_says_what_to_use(settings: Phone) -> None:
    awaited: Awaitable[Screen] = AsyncPhone.of(settings).look()
    with pytest.raises(ActionFailed, match="AsyncPhone is for asyncio"):
        next(awaited.__await__())


@pytest.mark.matrix
def test_a_phone_is_not_used_in_a_forked_process(settings: Phone) -> None:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            settings.look()
        except ToolError as problem:
            os.write(writing, problem.message.encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert b"was created in another process: create one here, too" in os.read(reading, 1000)
    os.close(reading)
    os.close(writing)


INTERRUPTED = """
import signal, sys, threading
from handheld import Phone
from handheld_virtual import PhoneThread

def files(frame):
    while frame is not None:
        yield frame.f_code.co_filename
        frame = frame.f_back

def interrupt():
    main = threading.main_thread().ident
    while True:  # until it waits, for the phone and not for this thread
        first, *others = files(sys._current_frames()[main])
        if first.endswith("threading.py") and any("library" in file for file in others):
            break
    signal.pthread_kill(main, signal.SIGINT)

with PhoneThread() as virtual, Phone.on(virtual) as phone:
    phone.look()
    threading.Thread(target=interrupt).start()
    try:
        phone.wait("never", seconds=50)
    except KeyboardInterrupt:
        print("interrupted", "Settings" in phone.look())
"""
FORGOTTEN = """
from handheld import Phone
phone = Phone.virtual()
print(phone.look().app)
"""
INSIDE_A_LOOP = """
import asyncio
from handheld import Phone

async def cell():
    with Phone.virtual() as phone:
        print(phone.look().app)

asyncio.run(cell())
"""


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("program", "says"),
    [
        (INTERRUPTED, "interrupted True"),
        (FORGOTTEN, "com.android.launcher3"),
        (INSIDE_A_LOOP, "com.android.launcher3"),
    ],
)
def test_programs_end_as_they_should(program: str, says: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        encoding="utf-8",
        timeout=HANG,
        check=False,
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, says, "")


def test_importing_the_package_loads_nothing_of_it() -> None:
    code = "import sys, handheld; print(*(n for n in sys.modules if n.startswith('handheld')))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        encoding="utf-8",
        timeout=HANG,
        check=True,
    )
    assert done.stdout.split() == ["handheld"]
    assert re.search(
        r"^__version__ = ", Path(sys.modules["handheld"].__file__ or "").read_text("utf-8"), re.M
    )
