"""Links that agents open, which web pages and messages may have written."""

import contextlib

from handheld.errors import InvalidParams
from handheld.phone.intents.arguments import make_link
from handheld.phone.intents.rules import find_prohibition, is_plain
from handheld.phone.intents.uri import BadIntentUri, parse_intent_uri

from .trial import Target

URIS = [
    b"intent://maps.example/a?q=1#Intent;scheme=https;package=org.example.maps;S.a%20b=x;end",
    b"intent:#Intent;action=a.B;category=c.D;type=text/plain;launchFlags=0x8000;component=a.b/.C;end",
    b"android-app://org.example.maps/https/maps.example/a#Intent;i.n=7;d.x=1.5;end",
    b"https://a.example/b?c=d#e",
    b"settings:app/org.example.maps",
]
WORDS = (
    *(
        b"intent:",
        b"#Intent;",
        b";end",
        b"SEL;",
        b"action=",
        b"component=",
        b"scheme=",
        b"S.",
        b"%",
    ),
    *(
        b"launchFlags=0x",
        b"android-app://",
        b"settings:",
        b"%2F",
        b"%00",
        b"javascript:",
        b"tel:*#",
    ),
)


def open_link(data: bytes) -> None:
    """What is read is judged, too."""
    text = data.decode(errors="replace")
    with contextlib.suppress(BadIntentUri):
        parse_intent_uri(text)
    intent = make_link(text)
    is_plain(intent)
    find_prohibition(intent)


TARGETS = (Target("links", open_link, lambda: URIS, (InvalidParams,), WORDS, share=3),)
