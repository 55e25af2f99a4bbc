"""The commands of the helper's twin, by name."""

from . import (
    act_commands,
    app_commands,
    clipboard_commands,
    file_commands,
    offer_commands,
    screen_commands,
    sms_commands,
    text_commands,
    touch_commands,
)
from .command import Command, Lane, check_nothing

COMMANDS = {
    "screen": Command(Lane.TREE, True, check_nothing, screen_commands.screen),
    "capture": Command(Lane.WORK, False, screen_commands.check_capture, screen_commands.capture),
    "touch": Command(Lane.TOUCH, False, touch_commands.check_touch, touch_commands.touch),
    "scroll": Command(Lane.TOUCH, False, touch_commands.check_scroll, touch_commands.scroll),
    "pinch": Command(Lane.TOUCH, False, touch_commands.check_pinch, touch_commands.pinch),
    "press": Command(Lane.TOUCH, True, touch_commands.check_press, touch_commands.press),
    "act": Command(Lane.TOUCH, True, act_commands.check_act, act_commands.act),
    "type": Command(Lane.TOUCH, True, text_commands.check_type, text_commands.type_text),
    "key": Command(Lane.TOUCH, True, text_commands.check_key, text_commands.press_key),
    "launch": Command(Lane.TOUCH, False, app_commands.check_package, app_commands.launch),
    "changed": Command(Lane.WORK, True, screen_commands.check_changed, screen_commands.changed),
    "release": Command(Lane.WORK, False, check_nothing, screen_commands.release),
    "clipboard": Command(
        Lane.WORK, False, clipboard_commands.check_clipboard, clipboard_commands.clipboard
    ),
    "locate": Command(Lane.WORK, False, file_commands.check_locate, file_commands.locate),
    "commit": Command(Lane.TOUCH, False, file_commands.check_commit, file_commands.commit),
    "remove": Command(Lane.TOUCH, False, file_commands.check_remove, file_commands.remove),
    "packages": Command(Lane.WORK, False, app_commands.check_packages, app_commands.packages),
    "processes": Command(Lane.WORK, False, app_commands.check_package, app_commands.processes),
    "stop": Command(Lane.TOUCH, False, app_commands.check_package, app_commands.stop),
    "offers": Command(Lane.WORK, False, check_nothing, offer_commands.offers),
    "packages_changed": Command(
        Lane.WORK, False, offer_commands.check_changed, offer_commands.packages_changed
    ),
    "provider_call": Command(
        Lane.APPS, False, offer_commands.check_provider_call, offer_commands.provider_call
    ),
    "service_call": Command(
        Lane.APPS, False, offer_commands.check_service_call, offer_commands.service_call
    ),
    "sims": Command(Lane.WORK, False, check_nothing, sms_commands.sims),
    "sms": Command(Lane.SMS, False, sms_commands.check_sms, sms_commands.sms),
}
