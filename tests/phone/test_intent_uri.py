"""intent: and android-app: URIs: what is read of them, and what is refused."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handheld.driver.intents import Extra, Intent
from handheld.phone.intents.uri import (
    MAIN,
    VIEW,
    BadIntentUri,
    is_intent_uri,
    parse_intent_uri,
    read_component,
)

CALL = "android.intent.action.CALL"


@pytest.mark.parametrize(
    ("uri", "intent"),
    [
        ("intent:#Intent;end", Intent(action=VIEW)),
        ("intent:geo:1,2#Intent;end", Intent(action=VIEW, data="geo:1,2")),
        (
            "intent://maps.example/a?q=1#Intent;scheme=https;package=org.example.maps;end",
            Intent(action=VIEW, data="https://maps.example/a?q=1", package="org.example.maps"),
        ),
        ("intent:#Intent;action=a.B;scheme=tel;end", Intent(action="a.B", data="tel:")),
        (
            "intent:#Intent;action=a.B;category=c.D;category=c.E;type=text/plain;launchFlags=0x8000"
            ";component=a.b/.C;end",
            Intent(
                action="a.B",
                mime_type="text/plain",
                package="a.b",
                class_name="a.b.C",
                categories=("c.D", "c.E"),
                flags=0x8000,
            ),
        ),
        (
            "intent:#Intent;S.a%20b=%C3%A9%3B%3D;B.b=true;i.c=-7;l.d=0x10;f.e=1.5;d.f=-2e3;end",
            Intent(
                action=VIEW,
                extras=(
                    Extra("a b", "string", "é;="),
                    Extra("b", "boolean", True),
                    Extra("c", "int", -7),
                    Extra("d", "long", 16),
                    Extra("e", "float", 1.5),
                    Extra("f", "double", -2000.0),
                ),
            ),
        ),
        ("android-app://org.example.maps", Intent(action=MAIN, package="org.example.maps")),
        (
            "android-app://org.example.maps/https/maps.example/a/b",
            Intent(action=VIEW, data="https://maps.example/a/b", package="org.example.maps"),
        ),
        ("android-app://a.b/foo", Intent(action=VIEW, data="foo:", package="a.b")),
        (
            "android-app://a.b/foo/host#Intent;action=x.Y;end",
            Intent(action="x.Y", data="foo://host", package="a.b"),
        ),
    ],
)
def test_what_the_uri_says_is_read(uri: str, intent: Intent) -> None:
    assert parse_intent_uri(uri) == intent


@pytest.mark.parametrize(
    "uri",
    [
        "intent:",
        "intent:geo:1,2",
        "intent:#Intent;",
        "intent:#Intent;action=a.B",
        "intent:#Intent;action=a.Bend",
        "intent:#Intent;action=a.B;end;",
        "intent:#Intent;action=a.B;end#Intent;end",
        "Intent:#Intent;end",
        "INTENT:#Intent;end",
        "https://x#Intent;end",
        # An intent for one app that another takes.
        f"intent:#Intent;action=a.B;SEL;action={CALL};end",
        "intent:#Intent;SEL;package=a.b;end",
        "intent:#Intent;SEL=x;end",
        # Said twice, in two ways, or in a way that only some readers take.
        f"intent:#Intent;action=a.B;action={CALL};end",
        f"intent:#Intent;%61ction={CALL};end",
        f"intent:#Intent;Action={CALL};end",
        f"intent:#Intent; action={CALL};end",
        "intent:#Intent;component=a.b/.C;component=a.b/.D;end",
        "intent:#Intent;package=a.b;component=c.d/.C;end",
        "intent:#Intent;component=a.b;end",
        "intent:#Intent;component=a.b/;end",
        "intent:#Intent;component=a b/.C;end",
        "intent:#Intent;package=;end",
        "intent:#Intent;package=a.b'$(reboot)';end",
        # One inside the other.
        f"intent:intent:#Intent;action={CALL};end#Intent;end",
        f"intent:#Intent;action={CALL};end#Intent;scheme=intent;end",
        "intent://x#Intent;scheme=intent;end",
        "intent://x#Intent;scheme=android-app;end",
        "intent:INTENT:x#Intent;end",
        "intent:x#Intent;end",
        "android-app://a.b/intent/x",
        "android-app:a.b",
        "android-app://",
        "android-app:///https/x",
        "android-app://a.b/https/x#Intent;package=c.d;end",
        "android-app://a.b/https/x#Intent;scheme=tel;end",
        # Values that Android has no place for.
        "intent:#Intent;S.=x;end",
        "intent:#Intent;S.a=x;S.a=y;end",
        "intent:#Intent;B.a=yes;end",
        "intent:#Intent;i.a=2147483648;end",
        "intent:#Intent;i.a=1.5;end",
        "intent:#Intent;l.a=9223372036854775808;end",
        "intent:#Intent;f.a=1e39;end",
        "intent:#Intent;d.a=1e999;end",
        "intent:#Intent;d.a=NaN;end",
        "intent:#Intent;c.a=x;end",
        "intent:#Intent;X.a=x;end",
        "intent:#Intent;launchFlags=0x80000000;end",
        "intent:#Intent;launchFlags=-1;end",
        "intent:#Intent;launchFlags=x;end",
        "intent:#Intent;sourceBounds=0 0 1 1;end",
        "intent:#Intent;action=a%0AB;end",
        "intent:#Intent;action=%ZZ;end",
        "intent:#Intent;action=%FF;end",
        "intent:#Intent;S.a=%00;end",
        "intent:" + "a" * 10_001,
    ],
)
def test_what_could_be_read_in_two_ways_is_refused(uri: str) -> None:
    """As behaviour 112 states."""
    with pytest.raises(BadIntentUri):
        parse_intent_uri(uri)


def test_intent_uris_are_recognised_whatever_their_case() -> None:
    assert all(map(is_intent_uri, ("intent:x", "Intent:x", "android-app://x", "ANDROID-APP:")))
    assert not any(map(is_intent_uri, ("intents:x", "https://intent:1", "geo:intent:", "intent")))


def test_a_component_is_a_package_and_a_class() -> None:
    assert read_component("a.b/.C") == ("a.b", "a.b.C")
    assert read_component("a.b/c.D$E") == ("a.b", "c.D$E")
    for text in ("a.b", "a.b/", "/C", "a.b/C D", "a.b/C;x", "a.b/C/D", "1a/B", "a..b/C"):
        with pytest.raises(BadIntentUri):
            read_component(text)


PARTS = st.sampled_from(
    [
        *("intent:", "android-app://", "#Intent;", "end", ";", "=", "action", "SEL", "a.b", "/.C"),
        *("component=", "S.", "i.", "package=", "scheme=", "https", "intent", "%41", "%", "0x1"),
        "launchFlags=",
    ]
)


@given(st.lists(PARTS | st.text(max_size=3), max_size=12).map("".join))
@example("intent:#Intent;action=a;end")
def test_whatever_is_read_says_all_that_it_does(text: str) -> None:
    """As behaviour 112 states."""
    try:
        intent = parse_intent_uri(text)
    except BadIntentUri:
        return
    assert intent.kind == "activity"
    assert intent.action
    assert not is_intent_uri(intent.data)
    assert not intent.class_name or intent.package
    assert 0 <= intent.flags < 1 << 31
