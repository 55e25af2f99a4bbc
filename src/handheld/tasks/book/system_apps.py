"""Tasks in one app that comes with Android: settings, files, calculator, clock."""

from random import Random

from handheld_virtual import World
from handheld_virtual.apps import CalculatorScreen, Clock, ClockScreen

from ..task import Book, Plan, hold, open_app, stage, tap, type_into
from .parts import (
    DOWNLOAD,
    PLACES,
    STORAGE,
    app,
    every,
    is_file,
    put_file,
    setting,
)

BOOK = Book("one app")
_LOGIN = "dev.handheld.login"


@BOOK.task("airplane-mode")
def airplane_mode(draw: Random) -> Plan:
    return Plan(
        "Switch airplane mode on.",
        setting("global", "airplane_mode_on", "1"),
        [stage(open_app("Settings"), tap("Network & internet"), tap("Airplane mode"))],
        may_change=["setting global airplane_mode_on", "setting global *_on"],
    )


@BOOK.task("screen-timeout")
def screen_timeout(draw: Random) -> Plan:
    words, ms = draw.choice(
        [("30 seconds", 30_000), ("2 minutes", 120_000), ("5 minutes", 300_000)]
    )
    return Plan(
        f"Set the screen timeout to {words}.",
        setting("system", "screen_off_timeout", str(ms)),
        [stage(open_app("Settings"), tap("Display"), tap("Screen timeout")), stage(tap(words))],
        may_change=["setting system screen_off_timeout"],
        real_phone=True,
    )


@BOOK.task("dark-theme-by-search")
def dark_theme(draw: Random) -> Plan:
    return Plan(
        "Find the dark theme with the search of the settings, and switch it on.",
        setting("secure", "ui_night_mode", "2"),
        [
            stage(open_app("Settings"), type_into("Search settings", "dark")),
            stage(tap("Display"), tap("Dark theme")),
        ],
        may_change=["setting secure ui_night_mode*"],
        real_phone=True,
    )


@BOOK.task("font-size")
def font_size(draw: Random) -> Plan:
    words, scale = draw.choice([("Small", "0.85"), ("Large", "1.15"), ("Largest", "1.3")])
    return Plan(
        f"Set the font size to {words}.",
        setting("system", "font_scale", scale),
        [stage(open_app("Settings"), tap("Display"), tap("Font size")), stage(tap(words))],
        may_change=["setting system font_scale"],
        real_phone=True,
    )


@BOOK.task("device-name")
def device_name(draw: Random) -> Plan:
    name = f"Phone of the {draw.choice(PLACES)}"
    return Plan(
        f"Rename this phone (the device name in the settings) to “{name}”.",
        setting("global", "device_name", name),
        [
            stage(
                open_app("Settings"),
                type_into("Search settings", "about"),
            ),
            stage(tap("About phone"), tap("Device name")),
            stage(type_into("#edit", name), tap("OK")),
        ],
        may_change=["setting global device_name"],
        real_phone=True,
    )


@BOOK.task("do-not-disturb")
def do_not_disturb(draw: Random) -> Plan:
    return Plan(
        "Switch Do Not Disturb on.",
        setting("global", "zen_mode", "1"),
        [stage(open_app("Settings"), tap("Notifications"), tap("Do Not Disturb"))],
        may_change=["setting global zen_mode"],
    )


@BOOK.task("file-delete")
def file_delete(draw: Random) -> Plan:
    name = f"{draw.choice(PLACES)}.txt"
    path = f"{DOWNLOAD}/{name}"
    return Plan(
        f"Delete the file {name} in the folder Download.",
        is_file(path, there=False),
        [
            stage(open_app("Files"), *map(tap, STORAGE)),
            stage(hold(name), tap("Delete")),
            stage(tap("Delete")),
        ],
        prepare=lambda world: put_file(world, name, "old"),
        may_change=[f"file {path}"],
    )


@BOOK.task("file-rename")
def file_rename(draw: Random) -> Plan:
    old, new = (f"{place}.txt" for place in draw.sample(PLACES, 2))
    return Plan(
        f"In the folder Download, rename {old} to {new}.",
        every(is_file(f"{DOWNLOAD}/{new}"), is_file(f"{DOWNLOAD}/{old}", there=False)),
        [
            stage(open_app("Files"), *map(tap, STORAGE)),
            stage(hold(old), tap("Rename")),
            stage(type_into("#edit", new), tap("OK")),
        ],
        prepare=lambda world: put_file(world, old, "text"),
        may_change=[f"file {DOWNLOAD}/{old}", f"file {DOWNLOAD}/{new}"],
    )


@BOOK.task("folder-new")
def folder_new(draw: Random) -> Plan:
    name = f"Trip {draw.randrange(2, 100)}"
    return Plan(
        f"Make a folder “{name}” inside the folder Download.",
        is_file(f"{DOWNLOAD}/{name}"),
        [
            stage(open_app("Files"), *map(tap, STORAGE)),
            stage(tap("New folder")),
            stage(type_into("Folder name", name), tap("OK")),
        ],
        may_change=[f"file {DOWNLOAD}/{name}"],
        real_phone=True,
    )


@BOOK.task("calculate")
def calculate(draw: Random) -> Plan:
    one, other = draw.randrange(12, 90), draw.randrange(3, 10)
    result = str(one * other)

    def check(world: World, answer: str) -> str:
        front = world.front
        if not isinstance(front, CalculatorScreen) or not front.fresh:
            return "The calculator shows no result."
        shown = (front.result.text or "").replace(",", "")
        return "" if shown == result else f"The calculator shows {shown}, not {result}."

    keys = [*str(one), "×", *str(other), "="]
    return Plan(
        f"Compute {one} × {other} in the calculator, and leave the result on the screen.",
        check,
        [stage(open_app("Calculator"), *map(tap, keys))],
    )


@BOOK.task("timer")
def timer(draw: Random) -> Plan:
    minutes = draw.choice([3, 5, 10, 30])

    def check(world: World, answer: str) -> str:
        front = world.front
        if not isinstance(front, ClockScreen):
            return "The clock is not in front."
        chosen = front.length.choices[front.length.chosen]
        if chosen != f"{minutes} min":
            return f"The timer is set to {chosen}."
        return "" if front.timer.running else "The timer does not run."

    return Plan(
        f"Start a timer of {minutes} minutes in the clock app, and stay there.",
        check,
        [
            stage(open_app("Clock"), tap("Timer")),
            stage(tap("1 min")),
            stage(tap(f"{minutes} min"), tap("Start")),
        ],
    )


@BOOK.task("alarm-on")
def alarm_on(draw: Random) -> Plan:
    return Plan(
        "Switch the alarm in the clock app on.",
        lambda world, _: "" if app(world, Clock).on else "The alarm is off.",
        [stage(open_app("Clock")), stage(tap("Alarm", within="7:30 AM"))],
        may_change=["alarm"],
    )
