"""The methods that are tools for models, to be awaited. Written by scripts/library.py from
the tools: change those, then run `make docs`."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from .screen import Screen


class AsyncVerbs(ABC):
    @abstractmethod
    async def _do(self, verb: str, arguments: Mapping[str, Any]) -> str: ...

    @abstractmethod
    async def _look(self, arguments: Mapping[str, Any]) -> Screen: ...

    async def look(
        self,
        find: str | None = None,
        *,
        within: str | None = None,
        since: str | None = None,
        picture: Literal["clean", "marked"] | None = None,
        all: bool = False,
        max_tokens: int | None = None,
    ) -> Screen:
        """The screen as text, one line per row: ref, "words", state. Refs (k4) are what other tools
        take.

        Args:
            find: only rows with this text
            within: only inside this ref
            since: a screen id (s41): only what changed since then
            picture: add a screenshot; marked shows the refs
            all: also rows off screen, whole texts, positions
            max_tokens: limit of the answer
        """
        __tracebackhide__ = True
        return await self._look(
            {
                "find": find,
                "within": within,
                "since": since,
                "picture": picture,
                "all": all or None,
                "max_tokens": max_tokens,
            }
        )

    async def wait(
        self,
        text: str | None = None,
        *,
        gone: bool = False,
        notification: str | None = None,
        seconds: float | None = None,
    ) -> str:
        """Wait until a text is visible (or gone), a notification comes, or, without these, the
        screen rests.

        Args:
            text: wait until it is visible
            gone: wait until the text is gone instead
            notification: text in it
            seconds: default 10, at most 50
        """
        __tracebackhide__ = True
        return await self._do(
            "wait",
            {"text": text, "gone": gone or None, "notification": notification, "seconds": seconds},
        )

    async def tap(
        self,
        at: str,
        *,
        within: str | None = None,
        hold: bool = False,
        times: int | None = None,
        scroll: bool = False,
    ) -> str:
        """Tap. Answers with what changed.

        Args:
            at: ref (k4), visible text, "540,1200", or a point in picture p3: "p3:120,340"
            within: when several match: a ref or text of its row, list or dialog
            hold: long press
            times: 2 is a double tap
            scroll: scroll to the text if it is not visible
        """
        __tracebackhide__ = True
        return await self._do(
            "tap",
            {
                "at": at,
                "within": within,
                "hold": hold or None,
                "times": times,
                "scroll": scroll or None,
            },
        )

    async def type(
        self,
        text: str,
        *,
        into: str | None = None,
        mode: Literal["replace", "append", "insert"] | None = None,
        submit: bool = False,
    ) -> str:
        """Type text into a field, any language.

        Args:
            text: what to type
            into: ref or label; else the focused field
            mode: replace (default) clears first; insert is at the cursor
            submit: press enter after it
        """
        __tracebackhide__ = True
        return await self._do(
            "type", {"text": text, "into": into, "mode": mode, "submit": submit or None}
        )

    async def scroll(
        self,
        direction: Literal["down", "up", "left", "right"] | None = None,
        *,
        within: str | None = None,
        screens: float | None = None,
        until: str | None = None,
    ) -> str:
        """Scroll a list or page; says how far and whether there is more.

        Args:
            direction: default down, further into the content
            within: ref or text; else the largest list
            screens: default 0.8; 99 is to the end
            until: stop when this text is visible
        """
        __tracebackhide__ = True
        return await self._do(
            "scroll", {"direction": direction, "within": within, "screens": screens, "until": until}
        )

    async def swipe(
        self,
        at: str,
        *,
        to: str | None = None,
        hold: bool = False,
        ms: int | None = None,
        zoom: float | None = None,
    ) -> str:
        """Drag from one place to another, or pinch.

        Args:
            at: where it starts, as in tap
            to: where it ends
            hold: long press first: drag and drop
            ms: default 300
            zoom: pinch instead: 2 zooms in, 0.5 out
        """
        __tracebackhide__ = True
        return await self._do(
            "swipe", {"at": at, "to": to, "hold": hold or None, "ms": ms, "zoom": zoom}
        )

    async def press(self, key: str, *, times: int | None = None) -> str:
        """Press a key: back, home, recents, enter, delete, tab, escape, search, copy, cut, paste,
        select_all, up, down, left, right, volume_up, volume_down, power, notifications,
        quick_settings.

        Args:
            key: its name
            times: how often
        """
        __tracebackhide__ = True
        return await self._do("press", {"key": key, "times": times})

    async def open(self, what: str, *, by: str | None = None) -> str:
        """Open an app, a link or a settings page.

        Args:
            what: app, https://…, geo:…, or settings:wifi
            by: app that opens the link
        """
        __tracebackhide__ = True
        return await self._do("open", {"what": what, "by": by})

    async def do(
        self,
        steps: Sequence[Mapping[str, object]] | None = None,
        *,
        save_as: str | None = None,
        run: str | None = None,
        values: Sequence[str] | None = None,
    ) -> str:
        """Run several steps in one call. Stops at the first that fails or when an unexpected dialog
        appears, says what was done, then shows the screen.

        Args:
            steps: e.g. [{"tool":"open","what":"Clock"},{"tool":"tap","at":"Timer"}]; arguments
                as in <tool>
            save_as: keep the steps under this name; {text} in them is a parameter
            run: kept steps, instead of steps
            values: of parameters: ["text=Milk"]
        """
        __tracebackhide__ = True
        return await self._do(
            "do", {"steps": steps, "save_as": save_as, "run": run, "values": values}
        )

    async def read(
        self,
        what: Literal[
            "text",
            "clipboard",
            "files",
            "file",
            "apps",
            "app",
            "log",
            "crashes",
            "performance",
            "notifications",
            "sims",
            "device",
            "location",
            "web",
            "contacts",
            "events",
            "calls",
            "messages",
            "media",
            "saved",
        ],
        *,
        of: str | None = None,
        limit: int | None = None,
    ) -> str:
        """Read as data, without touching the screen.

        Args:
            what: text: the whole text of a ref
            of: ref, path, package, crash id or words
            limit: how much at most
        """
        __tracebackhide__ = True
        return await self._do("read", {"what": what, "of": of, "limit": limit})

    async def notification(
        self,
        id: str,
        action: Literal["open", "dismiss", "snooze", "press", "reply"],
        *,
        text: str | None = None,
    ) -> str:
        """Act on a notification that read listed.

        Args:
            id: as read("notifications") lists it
            action: what to do with it
            text: reply, button's name, or minutes
        """
        __tracebackhide__ = True
        return await self._do("notification", {"id": id, "action": action, "text": text})

    async def message(self, to: str, text: str, *, sim: int | None = None) -> str:
        """Send an SMS.

        Args:
            to: phone number
            text: what to send
            sim: the number of a SIM card, as read("sims") lists them
        """
        __tracebackhide__ = True
        return await self._do("message", {"to": to, "text": text, "sim": sim})

    async def file(
        self,
        action: Literal["write", "append", "replace", "delete", "download"],
        path: str,
        *,
        text: str | None = None,
        old: str | None = None,
        url: str | None = None,
    ) -> str:
        """Change a file in shared storage.

        Args:
            action: what to do with it
            path: as read files prints it
            text: content
            old: what text replaces
            url: from where to download it
        """
        __tracebackhide__ = True
        return await self._do(
            "file", {"action": action, "path": path, "text": text, "old": old, "url": url}
        )

    async def app(
        self,
        action: Literal["stop", "install", "uninstall", "clear_data", "grant", "revoke"],
        app: str,
        *,
        permission: str | None = None,
    ) -> str:
        """Stop an app in the background, install or change one.

        Args:
            action: what to do with it
            app: name or package; path to install
            permission: for grant, revoke
        """
        __tracebackhide__ = True
        return await self._do("app", {"action": action, "app": app, "permission": permission})

    async def set(
        self,
        what: Literal[
            "clipboard",
            "rotation",
            "wifi",
            "bluetooth",
            "mobile_data",
            "airplane_mode",
            "volume",
            "brightness",
            "dark_mode",
            "font_scale",
            "language",
            "location",
            "screen",
        ],
        value: str,
    ) -> str:
        """Change a setting of the phone.

        Args:
            what: which setting
            value: on, off, landscape, 40%, de, 48.1,11.6
        """
        __tracebackhide__ = True
        return await self._do("set", {"what": what, "value": value})
