"""The commands of the reference helper, by name."""

from ..protocol.command import Command, Lane, check_nothing
from . import (
    act,
    app_tools,
    apps,
    cameras,
    clipboard,
    device,
    files,
    intents,
    key,
    notifications,
    screen,
    seek,
    sms,
    tables,
    text,
    touch,
)

COMMANDS = {
    "screen": Command(Lane.TREE, True, check_nothing, screen.screen),
    "capture": Command(Lane.WORK, False, screen.check_capture, screen.capture),
    "touch": Command(Lane.TOUCH, False, touch.check_touch, touch.touch),
    "scroll": Command(Lane.TOUCH, False, touch.check_scroll, touch.scroll),
    "pinch": Command(Lane.TOUCH, False, touch.check_pinch, touch.pinch),
    "press": Command(Lane.TOUCH, True, touch.check_press, touch.press),
    "act": Command(Lane.TOUCH, True, act.check_act, act.act),
    "seek": Command(Lane.TOUCH, True, seek.check_seek, seek.seek),
    "type": Command(Lane.TOUCH, True, text.check_type, text.type_text),
    "key": Command(Lane.TOUCH, True, key.check_key, key.press_key),
    "keycode": Command(Lane.TOUCH, False, key.check_keycode, key.press_keycode),
    "launch": Command(Lane.TOUCH, False, apps.check_package, apps.launch),
    "changed": Command(Lane.WORK, True, screen.check_changed, screen.changed),
    "release": Command(Lane.WORK, False, check_nothing, screen.release),
    "clipboard": Command(Lane.WORK, False, clipboard.check_clipboard, clipboard.clipboard),
    "locate": Command(Lane.WORK, False, files.check_locate, files.locate),
    "commit": Command(Lane.TOUCH, False, files.check_commit, files.commit),
    "remove": Command(Lane.TOUCH, False, files.check_remove, files.remove),
    "packages": Command(Lane.WORK, False, apps.check_packages, apps.packages),
    "processes": Command(Lane.WORK, False, apps.check_package, apps.processes),
    "app_info": Command(Lane.WORK, False, apps.check_package, apps.app_info),
    "stop": Command(Lane.TOUCH, False, apps.check_package, apps.stop),
    "resolve": Command(Lane.WORK, False, intents.check_resolve, intents.resolve),
    "intent": Command(Lane.TOUCH, False, intents.check_intent, intents.send_intent),
    "offers": Command(Lane.WORK, False, check_nothing, app_tools.discover),
    "packages_changed": Command(
        Lane.WORK, False, app_tools.check_changed, app_tools.packages_changed
    ),
    "provider_call": Command(
        Lane.APPS, False, app_tools.check_provider_call, app_tools.provider_call
    ),
    "service_call": Command(Lane.APPS, False, app_tools.check_service_call, app_tools.service_call),
    "sims": Command(Lane.WORK, False, check_nothing, sms.sims),
    "sms": Command(Lane.SMS, False, sms.check_sms, sms.sms),
    "language": Command(Lane.WORK, False, device.check_language, device.language),
    "location": Command(Lane.WORK, False, device.check_location, device.location),
    "mock_location": Command(Lane.WORK, False, device.check_mock_location, device.mock_location),
    "notifications": Command(
        Lane.WORK, False, notifications.check_notifications, notifications.list_notifications
    ),
    "notification": Command(
        Lane.TOUCH, False, notifications.check_notification, notifications.act_on_notification
    ),
    "query": Command(Lane.APPS, False, tables.check_query, tables.query),
    "cameras": Command(Lane.WORK, False, check_nothing, cameras.cameras),
    "photo": Command(Lane.WORK, False, cameras.check_photo, cameras.photo),
    "video": Command(Lane.WORK, False, cameras.check_video, cameras.video),
}
