"""Masks the secrets of a call before it is recorded.

Each tool declares its secrets (`tools/recording.py`); the settings and the contents of the screen
decide the rest.
"""

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple, cast
from urllib.parse import unquote, urlsplit, urlunsplit

from ..screen.model import Screen
from ..screen.text import brief
from ..settings.groups import AuditSettings
from ..settings.rules import fits
from ..tools.call import ToolCall
from ..tools.recording import Secret
from ..tools.tool import APP_PREFIX

MASK = "(masked)"

_NOTHING: frozenset[str] = frozenset()
_REMEMBERED_KINDS = frozenset((Secret.ALWAYS, Secret.PHONE_NUMBER))
_CONTENT = "Field content: "
"""Precedes a field's content in a reply to typing."""
_VALUE = re.compile(r'= "(?:[^"\\]|\\.)*"')
"""A field's content, in the rows of a screen."""
_NUMBERS = re.compile(r"\+?[\d ()./-]+")
"""Digits, and the characters that a phone number may have between them."""
_QUOTED = 4
"""The length from which consecutive characters of a secret count as a part of it; shorter sequences
occur in every sentence."""
_LONG = 6
"""Shorter secrets are searched for as words: elsewhere they may be part of an id or of a longer
number."""
_LOOKED_AT = 20_000
"""Characters of a secret that a failure is searched for. A failure quotes the beginning, if
anything."""
_MOST_PARTS = 1000
_MOST_LOOKED_AT = 40_000
"""Limits on the texts, and on the characters, of all secrets of a call that a failure is searched
for; with more, the failure is not kept."""
_MOST_COMPARED = 50_000_000
"""Limit on the work to clean one text: length of the secrets times length of the text. A text that
needs more is masked completely."""
_REMEMBERED = 12
_LONGEST_REMEMBERED = 5000
_SYSTEM_UI = "com.android.systemui"
_NOTIFICATIONS = frozenset(
    {
        "android:id/status_bar_latest_event_content",
        "com.android.systemui:id/expandableNotificationRow",
    }
)
"""The parts of a notification, also on the lock screen: it may be a message."""


class Masks(NamedTuple):
    files: bool = True
    """Contents of files."""
    apps: bool = False
    """Arguments and replies of apps' tools."""
    typing: bool = False
    """All typed text, not only in password fields."""
    screens: tuple[str, ...] = AuditSettings().mask_screens
    """Patterns of the packages whose screens are masked."""

    def arguments(self, call: ToolCall) -> dict[str, Any]:
        masked, urls = self._masked(call), _urls(call)
        if not masked and not urls:
            return dict(call.arguments)
        return {
            name: MASK if name in masked else _without_credentials(value) if name in urls else value
            for name, value in call.arguments.items()
        }

    def result(self, call: ToolCall, texts: Sequence[str], *, failed: bool) -> list[str]:
        """The texts of a reply or a failure, without the values that were masked in the call."""
        masked = self._masked(call)
        if self._is_apps(call) or self._replies_secret(call):
            if not failed:
                return [MASK for _ in texts]
            # The first text is our own sentence; text from an app or a page follows it.
            texts = [*texts[:1], *(MASK for _ in texts[1:])]
        named_urls, recording = _urls(call), call.listing.recording
        declared = recording.params
        if not masked and not named_urls and not declared and not recording.types:
            return list(texts)
        secrets = self._parts(call, masked)
        if urls := [url for name in named_urls if isinstance(url := call.arguments[name], str)]:
            texts = [_without_urls(text, urls) for text in texts]
            secrets += [part for url in urls for part in _credentials(url)]
        if self._types_secret(call):
            texts = [_without_content(text) for text in texts]
        if Secret.PHONE_NUMBER in declared.values():
            numbers = [name for name, kind in declared.items() if kind is Secret.PHONE_NUMBER]
            values = [str(call.arguments.get(name) or MASK) for name in numbers]
            texts = [_without_numbers(text, values) for text in texts]
        if failed:
            secrets = [secret[:_LOOKED_AT] for secret in secrets]
            if len(secrets) > _MOST_PARTS or sum(map(len, secrets)) > _MOST_LOOKED_AT:
                return [MASK for _ in texts]
        return [_cleaned(text, secrets, failed) for text in texts] if secrets else list(texts)

    def secrets(self, call: ToolCall) -> list[str]:
        """The secrets to mask in later replies as well."""
        recording = call.listing.recording
        if not recording.params:
            return []
        if not recording.types and _REMEMBERED_KINDS.isdisjoint(recording.params.values()):
            return []
        return self._parts(call, self._masked(call))

    def _parts(self, call: ToolCall, names: Iterable[str]) -> list[str]:
        """The texts in these arguments, up to the limits."""
        every = (part for name in names for part in _strings(call.arguments[name]) if part)
        return list(islice(every, _MOST_PARTS + 1))

    def replied_secrets(self, call: ToolCall, texts: Sequence[str]) -> list[str]:
        """The secrets of a secret reply that are to be masked in later replies."""
        if call.listing.recording.reply is not Secret.ALWAYS:
            return []
        values: list[Any] = []
        for text in texts:
            try:
                reply = json.loads(text)
            except ValueError:
                # Screen rows are in quotes; all other sentences are ours.
                if text.startswith('"') and text.endswith('"'):
                    values.append(re.sub(r"\\(.)", r"\1", text[1:-1]))
                continue
            values += cast("dict[str, Any]", reply).values() if isinstance(reply, dict) else [reply]
        return [part for value in values for part in _strings(value)]

    def hides(self, screen: Screen) -> bool:
        """Whether replies that show this screen are masked completely."""
        if not self.screens:
            return False
        if any(each.kind == "notification" or self.hides_app(each.package) for each in screen.told):
            return True
        return any(
            self.hides_app(window.package or "")
            or (
                window.package == _SYSTEM_UI
                and any(node.resource_id in _NOTIFICATIONS for node in window.nodes)
            )
            for window in screen.windows
        )

    def hides_app(self, package: str) -> bool:
        return _fits_any(self.screens, package)

    def _masked(self, call: ToolCall) -> frozenset[str]:
        """The names of the arguments that are masked."""
        if self._is_apps(call) or not call.listing.input_schema:
            return frozenset(call.arguments)  # any argument of an unknown tool may be secret
        declared = call.listing.recording.params
        if not declared:
            return _NOTHING
        secret = [name for name, kind in declared.items() if self._masks(call, kind)]
        if not secret:
            return _NOTHING
        # The caller may have given a secret under a name that the tool does not have.
        known = call.listing.input_schema.get("properties", ())
        return frozenset(name for name in call.arguments if name in secret or name not in known)

    def _masks(self, call: ToolCall, kind: Secret) -> bool:
        """Whether every value of this kind is masked."""
        if kind is Secret.TYPED:
            return self.typing or not call.plain_field
        if kind is Secret.FILE:
            return self.files
        return kind in (Secret.ALWAYS, Secret.WHOLE, Secret.PHONE_NUMBER)

    def _types_secret(self, call: ToolCall) -> bool:
        return call.listing.recording.types and self._masks(call, Secret.TYPED)

    def _is_apps(self, call: ToolCall) -> bool:
        return self.apps and call.tool.startswith(APP_PREFIX)

    def _replies_secret(self, call: ToolCall) -> bool:
        kind = call.listing.recording.reply
        if kind is Secret.NO:
            return False
        # Only a part of a typing tool's reply is the field's content.
        return kind is not Secret.TYPED and self._masks(call, kind)


@lru_cache(200)
def _fits_any(patterns: tuple[str, ...], package: str) -> bool:
    return any(fits(pattern.lower(), package.lower()) for pattern in patterns)


class Remembered:
    """The last secrets that were typed, sent or copied. An app may show them, and a later read of
    the screen would put them into the record."""

    def __init__(self, most: int = _REMEMBERED) -> None:
        self._last: deque[frozenset[str]] = deque(maxlen=most)
        """Each secret in all its spellings."""

    def add(self, secrets: Iterable[str]) -> None:
        for secret in secrets:
            if _QUOTED <= len(secret) <= _LONGEST_REMEMBERED:
                spellings = frozenset(_spellings(secret))
                if spellings not in self._last:
                    self._last.append(spellings)

    def clean_elements(
        self, elements: Mapping[str, Mapping[str, str]]
    ) -> Mapping[str, Mapping[str, str]]:
        if not self._last or not elements:
            return elements
        return {
            id: {name: self.clean(text) for name, text in words.items()}
            for id, words in elements.items()
        }

    def clean(self, text: str) -> str:
        for spellings in self._last:
            for spelling in spellings:
                if spelling in text:
                    text = _replaced(text, spelling)
        return text


def _replaced(text: str, secret: str) -> str:
    if len(secret) >= _LONG:
        return text.replace(secret, MASK)
    # Matches whole words, without a regular expression: `re` caches every pattern it compiles.
    parts: list[str] = []
    kept = 0
    at = text.find(secret)
    while at >= 0:
        end = at + len(secret)
        if _is_in_word(text[at - 1 : at]) or _is_in_word(text[end : end + 1]):
            at = text.find(secret, at + 1)
        else:
            parts += [text[kept:at], MASK]
            kept = end
            at = text.find(secret, end)
    return "".join(parts) + text[kept:]


def _is_in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _credentials(url: str) -> list[str]:
    """The parts of an address that may grant access, as written and decoded."""
    try:
        parts = urlsplit(url[:_LOOKED_AT])
    except ValueError:
        return [url]
    user = parts.netloc.rpartition("@")[0]
    found = [part for part in (*user.split(":"), parts.query, parts.fragment) if part]
    return [*found, *map(unquote, found)]


def _urls(call: ToolCall) -> list[str]:
    """The names of the arguments that are URLs: declared as such, or, in an app's tool without
    declarations, named so."""
    declared = call.listing.recording.params
    if not declared and "url" not in call.arguments:
        return []
    return [name for name in call.arguments if name == "url" or declared.get(name) is Secret.URL]


def _without_credentials(value: Any) -> Any:
    """A URL without user name, password, query and fragment, which may grant access."""
    if not isinstance(value, str):
        return value
    try:
        parts = urlsplit(value)
        where = parts.netloc.rpartition("@")[2]
        query = MASK if parts.query else ""
        return urlunsplit((parts.scheme, where, parts.path, query, ""))
    except ValueError:
        return MASK


def _without_urls(text: str, urls: Sequence[str]) -> str:
    for url in urls:
        safe = str(_without_credentials(url))
        text = text.replace(url, safe)
        # Also in the shortened form of a long URL in a reply: a part of a query is a secret, too.
        text = text.replace(brief(url.strip()), brief(safe.strip()))
    return text


def _strings(value: Any) -> Iterator[str]:
    """Every text in a JSON value, and each number in the form that a failure would print."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            if len(key) >= _QUOTED:  # a shorter key is a name and occurs in every sentence
                yield key
            yield from _strings(item)
    elif isinstance(value, list | tuple):
        for item in cast("Sequence[Any]", value):
            yield from _strings(item)
    elif value is not None and not isinstance(value, bool):
        yield json.dumps(value)


def _without_content(text: str) -> str:
    start, found, _ = text.partition(_CONTENT)
    return f"{start}{found}{MASK}" if found else _VALUE.sub(f'= "{MASK}"', text)


def _without_numbers(text: str, numbers: Sequence[str]) -> str:
    for number in numbers:
        text = text.replace(number, MASK)
    return _NUMBERS.sub(_without_number, text)


def _without_number(found: re.Match[str]) -> str:
    """Mask from the first digit, or a plus before it, to the last digit."""
    run = found[0]
    digits = [place for place, character in enumerate(run) if character.isdecimal()]
    if not digits or digits[-1] - digits[0] < 3:
        return run
    begin = digits[0] - run[: digits[0]].endswith("+")
    return f"{run[:begin]}{MASK}{run[digits[-1] + 1 :]}"


def _cleaned(text: str, secrets: Sequence[str], failed: bool) -> str:
    """Mask the secrets in a text. A failure may quote a part of one, so it is then masked
    completely."""
    if not failed:
        secrets = [secret for secret in secrets if len(secret) <= len(text)]
    written = {spelling for secret in secrets for spelling in _spellings(secret)}
    if failed:
        return MASK if _quotes(text.replace(MASK, ""), written) else text
    if len(written) * len(text) > _MOST_COMPARED:
        return MASK
    for secret in sorted(written, key=len, reverse=True):
        if len(secret) >= _QUOTED:
            text = text.replace(secret, MASK)
    return text


def _spellings(secret: str) -> tuple[str, ...]:
    """The secret as it is, and as JSON and Python escape it."""
    unescaped = json.dumps(secret, ensure_ascii=False)[1:-1]
    return secret, unescaped, json.dumps(secret)[1:-1], repr(secret)[1:-1]


def _quotes(text: str, secrets: Iterable[str]) -> bool:
    """Whether the text may contain a part of a secret."""
    parts = {
        secret[at : at + _QUOTED]
        for secret in secrets
        for at in range(max(1, len(secret) - _QUOTED + 1))
    }
    if len(parts) * len(text) > _MOST_COMPARED:
        return True
    return any(part in text for part in parts)
