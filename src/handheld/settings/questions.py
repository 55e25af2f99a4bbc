"""The built-in questions: the outcome for each kind of call, depending on who is present."""

from collections.abc import Mapping
from enum import IntEnum, StrEnum


class RuleOutcome(StrEnum):
    ASKED = "asked"
    ALLOWED = "allowed"
    DENIED = "denied"


class Present(IntEnum):
    """Who is present: the columns of the table."""

    SOMEBODY = 0
    """A console is open now, or `handheld approve` runs."""
    NOBODY = 1
    NOBODY_REQUIRED = 2
    """Nobody, and `policy.require_console` is set."""


class Kind(StrEnum):
    """The rows of the table, as docs/safety.md words them."""

    RISKY = "`send_sms`, `delete_file`, `close_app`, `download_from_url`"
    TRUSTED_APP = "tools of an app that the owner approved; of the virtual phone's own apps"
    FOUND_APP = "tools of an app found at the first look at this phone, unchanged since"
    LATER_APP = "tools of an app that came later (a changed one is not listed at all)"
    SWITCHED_ON = "the other default rules"
    OWN = "the owner's own `ask`"
    DENIED = "`deny`; stopped"
    UNASKED = "everything else: `allow`, plain intents, the sms surface, what no rule matches"


_ASKED, _ALLOWED, _DENIED = RuleOutcome.ASKED, RuleOutcome.ALLOWED, RuleOutcome.DENIED
OUTCOMES: Mapping[Kind, tuple[RuleOutcome, RuleOutcome, RuleOutcome]] = {
    Kind.RISKY: (_ASKED, _ALLOWED, _DENIED),
    Kind.TRUSTED_APP: (_ALLOWED, _ALLOWED, _ALLOWED),
    Kind.FOUND_APP: (_ASKED, _ALLOWED, _DENIED),
    Kind.LATER_APP: (_ASKED, _DENIED, _DENIED),
    Kind.SWITCHED_ON: (_ASKED, _DENIED, _DENIED),
    Kind.OWN: (_ASKED, _DENIED, _DENIED),
    Kind.DENIED: (_DENIED, _DENIED, _DENIED),
    Kind.UNASKED: (_ALLOWED, _ALLOWED, _ALLOWED),
}
"""The outcomes in the order of `Present`."""

DEFAULT = "default"
"""In `policy.ask`, stands for the rules below."""
SMS_RULE = "send_sms"
APPS_RULE = "app_*"
DEFAULT_ASK: Mapping[str, Kind] = {
    **dict.fromkeys((SMS_RULE, "delete_file", "close_app", "download_from_url"), Kind.RISKY),
    # While nothing more specific is known of the app.
    APPS_RULE: Kind.LATER_APP,
    **dict.fromkeys(
        (
            "notification_action",
            "notification_reply",
            "send_intent",
            "install_app",
            "uninstall_app",
            "clear_app_data",
            "set_app_permission",
            "run_web_script",
            "take_camera_photo",
            "save_camera_photo",
            "save_camera_video",
        ),
        Kind.SWITCHED_ON,
    ),
}
"""The default rules that ask, and the kind of the calls that they ask about."""
