"""The commands `notifications` and `notification`."""

from typing import TYPE_CHECKING, Any

from handheld.helper.protocol import (
    BUDGET_LIMIT_MS,
    MOST_NOTIFICATIONS,
    REPLY_LIMIT,
    SNOOZE_LIMIT_MS,
    Code,
    Happened,
    HelperFailure,
    dump_json,
    replace_lone_surrogates,
)

from ...files.entry import SHELL_UID
from ...packages.posted import (
    Sender,
    flags_of,
    group_of,
    key_of,
    press_action,
    send_intent,
    time_of,
)
from ...system.notifications import Notification
from ...views.text.graphemes import units
from ...world import World
from ..protocol.command import Answer, bad, check_keys, check_text, check_whole
from .front import is_in_front, wait_for_front

if TYPE_CHECKING:
    from ..helper import Helper
    from ..protocol.job import Job

DEEDS = ("open", "dismiss", "snooze", "press", "reply")
EXPECTED = ("package", "posted", "title", "text", "ongoing")
LONGEST_KEY = 10_000
MOST_ACTIONS = 20
LONGEST = {
    "label": 1000,
    "title": 1000,
    "text": 5000,
    "big_text": 10_000,
    "sub_text": 1000,
    "category": 100,
    "group": 1000,
    "action": 200,
}
"""Limits in UTF-16 units; longer texts are truncated."""
GOES_MS = 2000
"""The time limit for a notification to disappear, and for an app to come to the front."""
LOOK_MS = 50
_NO_CLEAR = 0x22
"""FLAG_ONGOING_EVENT and FLAG_NO_CLEAR."""


def cut(text: str | None, name: str) -> str | None:
    """Truncate a text, but never inside a surrogate pair."""
    most = LONGEST[name]
    if text is None or units(text) <= most:
        return text
    return text.encode("utf-16-le", "surrogatepass")[: most * 2].decode("utf-16-le", "ignore")


def listens(world: World) -> bool:
    """Whether Android lets the shell listen to notifications."""
    return world.android.notification_listener and not world.listener_refused


def starts(world: World) -> bool:
    """Whether Android lets the shell start the activity of an app's notification."""
    android = world.android
    return android.background_starts_lent or not android.background_starts_blocked


def sender(world: World) -> Sender:
    """The helper as the sender of an intent, with the permissions that it can lend."""
    return Sender(SHELL_UID, lends=starts(world))


def check_notifications(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "after", "within_ms")
    if arguments["after"] is not None:
        check_whole(arguments["after"], "after", 2**53)
    check_whole(arguments["within_ms"], "within_ms", BUDGET_LIMIT_MS)


async def list_notifications(helper: "Helper", job: "Job") -> Answer:
    world, after = helper.world, job.arguments["after"]
    listening = listens(world)
    if not listening:
        _hear(helper, needed=after is not None)
    world.settle()
    deadline = world.clock.now() + job.arguments["within_ms"]
    while after is not None and _count(world, listening) <= after and world.clock.now() < deadline:
        await job.wait(world.timers.wait(deadline))
        world.settle()
    seq = _count(world, listening)
    found = _listed(world) if listening else []
    reply = {
        "seq": seq,
        "now": _now(world),
        "listener": listening,
        "starts": starts(world),
        "user": 0,
    }
    return Answer(reply, dump_json({"notifications": [describe(world, each) for each in found]}))


def _hear(helper: "Helper", *, needed: bool) -> None:
    """Start to receive events if the shell may not listen: they report notifications posted from
    then on."""
    try:
        helper.hold.need()
    except HelperFailure:
        if needed:
            raise


def _count(world: World, listening: bool) -> int:
    return world.notifications.count if listening else world.automation.heard_count


def _now(world: World) -> int:
    return round(world.wall.now().timestamp() * 1000)


def _listed(world: World) -> list[Notification]:
    """The notifications of the current user and its profiles, newest first."""
    found = [
        each for each in world.notifications.shown if units(key_of(world, each)) <= LONGEST_KEY
    ]
    found.sort(key=lambda each: -time_of(world, each))
    return found[:MOST_NOTIFICATIONS]


def describe(world: World, posted: Notification) -> dict[str, Any]:
    app = world.apps.get(posted.package)
    lines = "\n".join(posted.lines) or None
    return {
        "key": key_of(world, posted),
        "package": posted.package,
        "label": cut(app.label if app is not None else posted.package, "label"),
        "posted": time_of(world, posted),
        "title": cut(posted.title or None, "title"),
        "text": cut(posted.text or None, "text"),
        "big_text": cut(posted.big_text or lines, "big_text"),
        "sub_text": cut(posted.sub_text or None, "sub_text"),
        "ongoing": posted.ongoing,
        "clearable": not flags_of(posted) & _NO_CLEAR,
        "category": cut(posted.category, "category"),
        "group": cut(group_of(world, posted), "group") if posted.group is not None else None,
        "actions": [
            [cut(action.title, "action"), action.takes_text, action.opens]
            for action in posted.actions[:MOST_ACTIONS]
        ],
        "problem": cut(posted.problem, "action"),
    }


# Acting


def check_notification(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "key", "expect", "do", "action", "text", "for_ms")
    check_text(arguments["key"], "key")
    expect, do, action = arguments["expect"], arguments["do"], arguments["action"]
    if not isinstance(expect, dict) or expect.keys() != set(EXPECTED):  # pyright: ignore[reportUnknownMemberType]
        raise bad(f"`expect` does not have exactly these keys: {', '.join(sorted(EXPECTED))}.")
    _check_expected(expect)  # pyright: ignore[reportUnknownArgumentType]
    if do not in DEEDS:
        raise bad(f"`do` is not one of {', '.join(DEEDS)}.")
    if action is None and do == "press":
        raise bad("`action` is missing.")
    if action is not None:
        if do not in ("press", "reply"):
            raise bad("`action` is not null.")
        if not isinstance(action, dict) or action.keys() != {"index", "title"}:  # pyright: ignore[reportUnknownMemberType]
            raise bad("`action` is not null or index and title.")
        check_whole(action["index"], "index", MOST_ACTIONS)
        if not isinstance(action["title"], str):
            raise bad("`title` is not a string.")
    text, for_ms = arguments["text"], arguments["for_ms"]
    if do == "reply":
        check_text(text, "text")
        if units(text) > REPLY_LIMIT:
            raise bad(f"`text` has more than {REPLY_LIMIT} UTF-16 units.")
    elif text is not None:
        raise bad("`text` is not null.")
    if do == "snooze":
        if type(for_ms) is not int or not 1 <= for_ms <= SNOOZE_LIMIT_MS:
            raise bad(f"`for_ms` is not 1 to {SNOOZE_LIMIT_MS}.")
    elif for_ms is not None:
        raise bad("`for_ms` is not null.")


def _check_expected(expect: dict[str, Any]) -> None:
    check_text(expect["package"], "package")
    check_whole(expect["posted"], "posted", 2**53)
    for name in ("title", "text"):
        if not isinstance(expect[name], str | None):
            raise bad(f"`{name}` is not null or a string.")
    if not isinstance(expect["ongoing"], bool):
        raise bad("`ongoing` is not a boolean.")


async def act_on_notification(helper: "Helper", job: "Job") -> Answer:
    world, do = helper.world, job.arguments["do"]
    world.settle()
    listening = listens(world)
    if not listening and do in ("dismiss", "snooze"):
        message = "This Android does not let the shell dismiss or snooze notifications."
        raise HelperFailure(Code.UNSUPPORTED, f"{message} open_notifications shows them.")
    posted = _find(world, job.arguments) if listening else _find_heard(helper, job.arguments)
    if do == "open":
        return await _open(world, job, posted, listening)
    if do in ("press", "reply"):
        await _press(world, job, posted)
        return Answer({"front": None})
    if do == "dismiss" and posted.ongoing:
        raise HelperFailure(Code.ONGOING, "The notification is ongoing.")
    job.happened = Happened.MAYBE
    if do == "dismiss":
        world.notifications.dismiss(posted)
    else:
        world.notifications.snooze(posted, job.arguments["for_ms"])
    deadline = world.clock.now() + GOES_MS
    while posted in world.notifications.posted:
        if world.clock.now() >= deadline:
            job.happened = Happened.NO
            raise HelperFailure(Code.FAILED, "Android kept the notification.")
        await job.wait(world.clock.sleep(LOOK_MS))
    return Answer({"front": None})


def _find(world: World, arguments: dict[str, Any]) -> Notification:
    for posted in _listed(world):
        if replace_lone_surrogates(key_of(world, posted)) == arguments["key"]:
            if _is_same(describe(world, posted), arguments["expect"]):
                return posted
            raise HelperFailure(Code.GONE, "The notification was replaced.")
    raise HelperFailure(Code.GONE, "The notification is gone.")


def _is_same(found: dict[str, Any], expect: dict[str, Any]) -> bool:
    """Whether it is the same post, or another with the same texts. The text of an ongoing
    notification is not compared, because it may show time or progress."""
    if found["posted"] == expect["posted"]:
        return True
    if _sent(found["title"]) != expect["title"]:
        return False
    return _sent(found["text"]) == expect["text"] or (found["ongoing"] and expect["ongoing"])


def _sent(text: str | None) -> str | None:
    return text and replace_lone_surrogates(text)


def _find_heard(helper: "Helper", arguments: dict[str, Any]) -> Notification:
    """Find a notification by its texts, because an event has no key."""
    world, expect = helper.world, arguments["expect"]
    _hear(helper, needed=True)
    for posted in reversed(world.automation.heard):
        found = describe(world, posted)
        words = (posted.package, _sent(found["title"]), _sent(found["text"]))
        if words == (expect["package"], expect["title"], expect["text"]):
            return posted
    raise HelperFailure(Code.UNSEEN, "It was posted before this program listened.")


async def _open(world: World, job: "Job", posted: Notification, listening: bool) -> Answer:
    if not posted.opens:
        raise HelperFailure(Code.NOT_ACTIONABLE, "The notification has no content intent.")
    _need_unlocked(world)
    before = _startable(world)
    world.record("notification", posted.package, "open")
    job.happened = Happened.MAYBE
    send_intent(world, posted, sender(world))
    front = await _await_started(world, job, posted, before)
    if listening:
        # SystemUI does this after a tap.
        world.notifications.clicked(posted)
    return Answer({"front": front and front[0]})


def _startable(world: World) -> tuple[str, str] | None:
    """Check that the shell may start the activity; return the package and activity in front."""
    if not starts(world):
        message = "This Android does not let the shell start what a notification opens."
        raise HelperFailure(Code.BLOCKED, message)
    return world.foreground


async def _await_started(
    world: World, job: "Job", posted: Notification, before: tuple[str, str] | None
) -> tuple[str, str] | None:
    """Wait until the screen shows the started app: Android reports a blocked start as a success."""
    world.panel.close()  # the panel would cover the app
    until = min(job.act_until, world.clock.now() + GOES_MS)
    front = await wait_for_front(world, posted.package, until)
    if is_in_front(world, posted.package) or front != before:
        return front
    raise HelperFailure(
        Code.BLOCKED,
        "Nothing came to the front: Android blocked it as a start from the background, or the app"
        " shows nothing. The notification is still there.",
    )


async def _press(world: World, job: "Job", posted: Notification) -> None:
    wanted, text = job.arguments["action"], job.arguments["text"]
    actions = posted.actions[:MOST_ACTIONS]
    if wanted is None:
        places = [place for place, action in enumerate(actions) if action.takes_text]
        place = places[0] if places else -1
    else:
        place = int(wanted["index"])
        title = _sent(cut(actions[place].title, "action")) if place < len(actions) else None
        if title != wanted["title"]:
            raise HelperFailure(Code.CHANGED, "The action is another.")
    if text is not None and (place < 0 or not actions[place].takes_text):
        raise HelperFailure(Code.NOT_EDITABLE, "The action takes no text.")
    action = actions[place]
    if action.on_press is None:
        raise HelperFailure(Code.NOT_ACTIONABLE, "The action has no pending intent.")
    if action.opens or action.guarded:
        _need_unlocked(world)
    before = _startable(world) if action.opens else None
    job.happened = Happened.MAYBE
    press_action(world, posted, place, text or "", sender(world))
    if action.opens:
        await _await_started(world, job, posted, before)


def _need_unlocked(world: World) -> None:
    if world.locked:
        raise HelperFailure(Code.LOCKED, "The phone is locked.")
