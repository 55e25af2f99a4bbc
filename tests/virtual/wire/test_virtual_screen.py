"""The screen's size by `wm`, and screenshots by `screencap`."""

import io
import struct

import pytest
from phone_shell import Result, new_phone, run
from PIL import Image

from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sh.shell import Shell
from handheld_virtual.sh.streams import Collector, Given
from handheld_virtual.system.clock import ManualClock


async def capture(phone: VirtualPhone, words: str = "") -> bytes:
    stdout, stderr = Collector(1 << 26), Collector(1 << 16)
    code = await Shell(phone, Given(b""), stdout, stderr, {}).run(f"screencap {words}")
    assert (bytes(stderr.data), code) == (b"", 0)
    return bytes(stdout.data)


def small_phone(api: int = 34) -> VirtualPhone:
    return VirtualPhone(clock=ManualClock(), api=api, width=108, height=240, density=60)


@pytest.mark.parametrize(
    ("api", "header"), [(27, (108, 240, 1)), (28, (108, 240, 1, 1)), (34, (108, 240, 1, 1))]
)
async def test_raw_screenshot_has_the_header_of_the_release(api: int, header: tuple[int, ...]):
    phone = small_phone(api)
    raw = await capture(phone)
    size = 4 * len(header)
    assert struct.unpack(f"<{len(header)}I", raw[:size]) == header
    assert raw[size:] == phone.world.picture(None).convert("RGBA").tobytes()


async def test_file_name_with_png_is_saved_as_png():
    phone = small_phone()
    shown = phone.world.picture(None).convert("RGB").tobytes()
    for words in ("-p /sdcard/a", "/sdcard/a.png", "-d 4619827259835644672 -p /sdcard/a"):
        assert await capture(phone, words) == b""
        name = words.split()[-1]
        picture = Image.open(io.BytesIO(phone.files.read(name))).convert("RGB")
        assert picture.tobytes() == shown
    await capture(phone, "/sdcard/a.raw")
    assert phone.files.read("/sdcard/a.raw")[:8] == struct.pack("<2I", 108, 240)


async def test_dark_screen_and_secure_window_are_black():
    phone = small_phone()
    phone.world.show("com.android.settings")
    phone.world.secure_packages.add("com.android.settings")
    picture = Image.open(io.BytesIO(await capture(phone, "-p"))).convert("RGB")
    assert picture.getpixel((54, 120)) == (0, 0, 0)
    phone.world.secure_packages.clear()
    picture = Image.open(io.BytesIO(await capture(phone, "-p"))).convert("RGB")
    assert picture.getpixel((54, 120)) != (0, 0, 0)
    phone.world.awake = False
    picture = Image.open(io.BytesIO(await capture(phone, "-p"))).convert("RGB")
    assert picture.getextrema() == ((0, 0), (0, 0), (0, 0))


async def test_screencap_errors_are_androids():
    phone = small_phone()
    usage = await run(phone, "screencap -h")
    assert (usage.stdout, usage.code) == ("", 1)
    assert usage.stderr.startswith("usage: screencap [-hp] [-d display-id] [FILENAME]\n")
    assert await run(phone, "screencap -d 5 /sdcard/a.png") == Result(
        "", "Display Id '5' is not valid.\n", 1
    )
    assert await run(phone, "screencap -q") == Result(
        "", "screencap: unknown option -- q\n" + usage.stderr, 1
    )
    assert await run(phone, "screencap /sdcard/a /sdcard/b") == usage
    got = await run(phone, "screencap -p /nope/a.png")
    assert got == Result("", "Error opening file: /nope/a.png (No such file or directory)\n", 1)
    assert not phone.files.exists("/sdcard/a.png")


@pytest.mark.slow
@pytest.mark.parametrize("api", [29, 33, 34, 37])
async def test_screencap_captures_the_first_of_two_panels(api: int):
    phone = VirtualPhone(
        clock=ManualClock(), api=api, width=108, height=240, density=60, foldable=True
    )
    listed = await run(phone, "dumpsys SurfaceFlinger --display-id")
    off, on = [line.split()[1] for line in listed.stdout.splitlines()]
    warned = await run(phone, "screencap -p /sdcard/a.png")
    assert warned.code == 0
    assert warned.stderr.startswith("[Warning] Multiple displays were found") is (api >= 34)
    wrong = Image.open(io.BytesIO(phone.files.read("/sdcard/a.png")))
    assert (wrong.size, wrong.convert("RGB").getextrema()) == ((840, 2260), ((0, 0),) * 3)
    assert Image.open(io.BytesIO(await capture(phone, f"-p -d {off}"))).size == (840, 2260)
    assert Image.open(io.BytesIO(await capture(phone, f"-p -d {on}"))).size == (108, 240)
    assert f"displayId=0, uniqueId='local:{on}'" in (await run(phone, "dumpsys display")).stdout


async def test_wm_size_and_density_relayout_windows():
    phone = new_phone()
    world = phone.world
    seen = world.automation.seq
    assert await run(phone, "wm size 720x1600; wm density 320") == Result("")
    assert (world.width, world.height, world.density) == (720, 1600, 320)
    assert world.automation.read_windows()[-1].nodes[0].bounds == (0, 0, 720, 1600)
    assert world.automation.seq > seen
    assert await run(phone, "wm size; wm density") == Result(
        "Physical size: 1080x2400\nOverride size: 720x1600\n"
        "Physical density: 420\nOverride density: 320\n"
    )
    assert "init=1080x2400 420dpi" in (await run(phone, "dumpsys window displays")).stdout
    assert "cur=720x1600" in (await run(phone, "dumpsys window displays")).stdout
    assert world.preferences.get("global", "display_size_forced") == "720,1600"
    phone.world.show("com.android.settings")
    world.rotate(1)
    assert (world.width, world.height) == (1600, 720)
    assert await run(phone, "wm size reset; wm density reset; wm size; wm density") == Result(
        "Physical size: 1080x2400\nPhysical density: 420\n"
    )
    assert (world.width, world.height, world.density) == (2400, 1080, 420)
    assert world.preferences.get("global", "display_size_forced") is None


async def test_wm_size_accepts_dp_and_is_limited():
    phone = new_phone()
    await run(phone, "wm size 411dpx900dp")
    assert (phone.world.width, phone.world.height) == (1078, 2362)
    await run(phone, "wm size 1x99999")
    assert (phone.world.width, phone.world.height) == (200, 4800)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("size 3", Result("", "Error: bad size 3\n", 255)),
        (
            "size 3xy",
            Result(
                "",
                'Error: bad number java.lang.NumberFormatException: For input string: "y"\n',
                255,
            ),
        ),
        ("density 71", Result("", "Error: density must be >= 72\n", 255)),
        ("nope", Result("Unknown command: nope\n", "", 255)),
        ("size -d 7", Result("Physical size: 0x0\n")),
        ("size -d 0", Result("Physical size: 1080x2400\n")),
        ("user-rotation", Result("free\n")),
        (
            "user-rotation lock 4",
            Result(
                "",
                "Error: Rotation argument must be -1 or a valid rotation constant.\n",
                255,
            ),
        ),
    ],
)
async def test_wm_answers_as_android_does(words: str, expected: Result):
    phone = new_phone()
    before = (phone.world.width, phone.world.height, phone.world.density, phone.world.rotation)
    assert await run(phone, f"wm {words}") == expected
    assert before == (
        phone.world.width,
        phone.world.height,
        phone.world.density,
        phone.world.rotation,
    )


async def test_rotation_is_locked_and_unlocked():
    phone = new_phone()
    phone.world.show("com.android.settings")
    assert await run(phone, "wm user-rotation lock 1; wm user-rotation") == Result("lock 1\n")
    assert phone.world.rotation == 1
    assert await run(phone, "wm user-rotation free; wm user-rotation") == Result("free\n")
    assert phone.world.rotation == 0


async def test_the_lock_screen_is_dismissed():
    phone = new_phone()
    phone.world.keyguard.lock()
    assert await run(phone, "wm dismiss-keyguard") == Result("")
    assert not phone.world.locked
