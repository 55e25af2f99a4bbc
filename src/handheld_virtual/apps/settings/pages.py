"""The pages of the settings app."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...packages.app import Activity
from ...views.view import View
from ..files.app import sized
from .rows import SettingLine, SliderLine, SwitchLine, heading, kept_switch, note

if TYPE_CHECKING:
    from ...world import World

TIMEOUTS = (15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000)
FONTS = {"0.85": "Small", "1.0": "Default", "1.15": "Large", "1.3": "Largest"}
SCALES = ("0.0", "0.5", "1.0", "1.5", "2.0", "5.0", "10.0")
LOCKS = {"none": "None", "swipe": "Swipe", "pin": "PIN"}
TAPS = 7
"""The number of taps on the build number that enables developer options."""

Lines = list[View]


def _period(ms: int) -> str:
    count, unit = (ms // 1000, "second") if ms < 60_000 else (ms // 60_000, "minute")
    return f"{count} {unit}{'s' * (count != 1)}"


def _switch(screen: Activity, name: str, title: str) -> SwitchLine:
    switches = screen.world.switches
    return SwitchLine(title, lambda: switches[name], lambda _: switches.turn(name))


def network(screen: Activity) -> Lines:
    return [
        _switch(screen, "wifi", "Wi‑Fi"),
        kept_switch(screen.world, "Mobile data", "global", "mobile_data"),
        _switch(screen, "airplane", "Airplane mode"),
        kept_switch(screen.world, "Roaming", "global", "data_roaming"),
    ]


def connected(screen: Activity) -> Lines:
    return [
        _switch(screen, "bluetooth", "Bluetooth"),
        note("Nothing is paired with this phone."),
    ]


def notifications(screen: Activity) -> Lines:
    world = screen.world
    return [
        kept_switch(
            world, "Notifications on lock screen", "secure", "lock_screen_show_notifications"
        ),
        kept_switch(world, "Pop on screen", "global", "heads_up_notifications_enabled"),
        _zen(world),
    ]


def _zen(world: "World") -> SwitchLine:
    return kept_switch(world, "Do Not Disturb", "global", "zen_mode")


def battery(screen: Activity) -> Lines:
    preferences = screen.world.preferences
    return [
        SwitchLine(
            "Use Battery Saver",
            lambda: preferences.is_on("global", "low_power"),
            lambda on: preferences.turn("global", "low_power", on),
            strong=True,
        )
    ]


def storage(screen: Activity) -> Lines:
    files = screen.world.files
    return [
        SettingLine(
            "Internal shared storage", f"{sized(files.used)} used of {sized(files.capacity)}"
        )
    ]


def accounts(screen: Activity) -> Lines:
    return [SettingLine("Accounts for Owner", "No accounts")]


def gestures(screen: Activity) -> Lines:
    return [SettingLine("System navigation", "3-button navigation")]


def sound(screen: Activity) -> Lines:
    world = screen.world
    return [
        SliderLine(world, "Media volume", "volume_music", 15),
        SliderLine(world, "Ring volume", "volume_ring", 7),
        SliderLine(world, "Alarm volume", "volume_alarm", 7),
        kept_switch(world, "Vibrate for calls", "system", "vibrate_when_ringing"),
        kept_switch(world, "Touch sounds", "system", "sound_effects_enabled"),
        kept_switch(world, "Touch feedback", "system", "haptic_feedback_enabled"),
        _zen(world),
    ]


def display(screen: Activity) -> Lines:
    world = screen.world
    preferences = world.preferences

    def choose_timeout() -> None:
        now = preferences.number("system", "screen_off_timeout", 60_000)
        screen.choose(
            "Screen timeout",
            [_period(ms) for ms in TIMEOUTS],
            lambda number: preferences.put("system", "screen_off_timeout", str(TIMEOUTS[number])),
            TIMEOUTS.index(now) if now in TIMEOUTS else None,
        )

    def font() -> str:
        scale = preferences.get("system", "font_scale") or "1.0"
        return FONTS.get(scale, scale)

    def choose_font() -> None:
        now = preferences.get("system", "font_scale")
        screen.choose(
            "Font size",
            list(FONTS.values()),
            lambda number: preferences.put("system", "font_scale", list(FONTS)[number]),
            list(FONTS).index(now) if now in FONTS else None,
        )

    def timeout() -> str:
        chosen = preferences.number("system", "screen_off_timeout", 60_000)
        words = f"After {_period(chosen)} of inactivity"
        return words if world.display.timeout_ms else words + "; stays on while plugged in"

    return [
        heading("Brightness"),
        SliderLine(world, "Brightness level", "screen_brightness", 255, 1),
        kept_switch(world, "Adaptive brightness", "system", "screen_brightness_mode"),
        heading("Appearance"),
        _switch(screen, "dark", "Dark theme"),
        SettingLine("Font size", font, on_click=choose_font),
        heading("Other display controls"),
        _switch(screen, "rotate", "Auto-rotate screen"),
        SettingLine("Screen timeout", timeout, on_click=choose_timeout),
    ]


def wallpaper(screen: Activity) -> Lines:
    return [
        _switch(screen, "dark", "Dark theme"),
        note("Home and lock screen share one wallpaper."),
    ]


def accessibility(screen: Activity) -> Lines:
    preferences = screen.world.preferences
    scales = [f"{name}_scale" for name in _ANIMATIONS]

    def removed() -> bool:
        values = [preferences.get("global", name) for name in scales]
        return all(value in ("0", "0.0") for value in values)

    def remove(on: bool) -> None:
        for name in scales:
            preferences.put("global", name, "0" if on else "1")

    def services() -> str:
        named = preferences.get("secure", "enabled_accessibility_services")
        return named.replace(":", "\n") if named else "None"

    return [
        SwitchLine("Remove animations", removed, remove),
        SettingLine("Services that are on", services),
    ]


_ANIMATIONS = {
    "window_animation": "Window animation scale",
    "transition_animation": "Transition animation scale",
    "animator_duration": "Animator duration scale",
}


def security(screen: Activity) -> Lines:
    guard = screen.world.keyguard
    kinds = list(LOCKS)

    def take(number: int) -> None:
        if kinds[number] == "pin":
            screen.ask_text("Set a PIN", set_pin, hint="PIN")
        else:
            guard.set_kind(kinds[number])

    def set_pin(pin: str) -> None:
        try:
            guard.set_pin(pin)
        except ValueError:
            screen.ask("PIN not set", "PIN must be 4 to 16 digits.", ok=lambda: None)
        line.update()

    def choose() -> None:
        screen.choose("Screen lock", list(LOCKS.values()), take, kinds.index(guard.kind))

    line = SettingLine("Screen lock", lambda: LOCKS[guard.kind], on_click=choose)
    return [line, note("A phone with a screen lock locks when its screen goes dark.")]


def location(screen: Activity) -> Lines:
    preferences = screen.world.preferences
    return [
        SwitchLine(
            "Use location",
            lambda: preferences.is_on("secure", "location_mode"),
            lambda on: preferences.put("secure", "location_mode", "3" if on else "0"),
            strong=True,
        )
    ]


def languages(screen: Activity) -> Lines:
    return [SettingLine("English (United States)", "The language of this phone")]


def keyboard(screen: Activity) -> Lines:
    preferences = screen.world.preferences
    return [
        SettingLine(
            "On-screen keyboard",
            lambda: preferences.get("secure", "default_input_method") or "None",
        ),
        kept_switch(
            screen.world, "Use on-screen keyboard", "secure", "show_ime_with_hard_keyboard"
        ),
    ]


def date(screen: Activity) -> Lines:
    wall = screen.world.wall

    def day() -> str:
        now = wall.now()
        return f"{now:%B} {now.day}, {now.year}"

    return [
        kept_switch(screen.world, "Set time automatically", "global", "auto_time"),
        SettingLine("Date", day),
        SettingLine("Time zone", lambda: str(wall.zone)),
    ]


def developer(screen: Activity) -> Lines:
    world = screen.world
    preferences = world.preferences

    def scale(name: str, title: str) -> SettingLine:
        def summary() -> str:
            return f"Animation scale {preferences.get('global', name) or '1.0'}x"

        def choose() -> None:
            words = ["Animation off", *(f"Animation scale {each}x" for each in SCALES[1:])]
            now = preferences.get("global", name)
            screen.choose(
                title,
                words,
                lambda number: preferences.put("global", name, SCALES[number]),
                SCALES.index(now) if now in SCALES else None,
            )

        return SettingLine(title, summary, on_click=choose)

    return [
        SwitchLine(
            "Use developer options",
            lambda: preferences.is_on("global", "development_settings_enabled"),
            lambda on: preferences.turn("global", "development_settings_enabled", on),
            strong=True,
        ),
        kept_switch(world, "Stay awake", "global", "stay_on_while_plugged_in", on="7"),
        kept_switch(world, "USB debugging", "global", "adb_enabled"),
        *(scale(f"{name}_scale", title) for name, title in _ANIMATIONS.items()),
    ]


def about(screen: Activity) -> Lines:
    world = screen.world
    preferences = world.preferences
    taps = 0

    def named(name: str) -> None:
        if name:
            preferences.put("global", "device_name", name)

    def rename() -> None:
        now = preferences.get("global", "device_name") or ""
        screen.ask_text("Device name", named, text=now)

    def tapped() -> None:
        nonlocal taps
        if preferences.is_on("global", "development_settings_enabled"):
            hint.text = "No need, you are already a developer."
            return
        taps += 1
        left = TAPS - taps
        if not left:
            preferences.turn("global", "development_settings_enabled", True)
            hint.text = "You are now a developer!"
            taps = 0
        elif left < TAPS - 2:
            hint.text = f"You are now {left} step{'s' * (left != 1)} away from being a developer."

    hint = note("")
    return [
        SettingLine(
            "Device name", lambda: preferences.get("global", "device_name") or "", on_click=rename
        ),
        SettingLine("Model", lambda: world.model),
        SettingLine("Android version", world.android.version),
        SettingLine("Screen", lambda: f"{world.width} x {world.height}, {world.density} dpi"),
        SettingLine("Build number", world.android.build_id, on_click=tapped),
        hint,
    ]


PAGES: dict[str, Callable[[Activity], Lines]] = {
    "Network & internet": network,
    "Connected devices": connected,
    "Notifications": notifications,
    "Battery": battery,
    "Storage": storage,
    "Sound & vibration": sound,
    "Display": display,
    "Wallpaper & style": wallpaper,
    "Accessibility": accessibility,
    "Security & privacy": security,
    "Location": location,
    "Passwords & accounts": accounts,
    "Languages": languages,
    "Keyboard": keyboard,
    "Gestures": gestures,
    "Date & time": date,
    "Developer options": developer,
    "About phone": about,
}
"""Pages by the titles of their lines. The other lines open pages with text only."""
