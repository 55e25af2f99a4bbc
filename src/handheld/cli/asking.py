"""A question about a call, as it is asked at a terminal."""

import json
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..devices.ownership import OwnerGone
from ..errors import ToolError
from ..screen.characters import plain, visible
from ..server.sharing.console_client import ConsoleClient
from .tty import Tty

_LONG = 2000
"""Characters of all arguments, above which a terminal may not show them at once."""


class PersonAnswer(NamedTuple):
    allow: bool
    always: bool = False
    """Also all other calls of the app's tools, from now on."""


class Prompt:
    """One question; `end` ends it from another thread or task."""

    def __init__(self, tty: Tty, question: Mapping[str, Any], whose: str = "") -> None:
        """`whose` is the process that asks, where there are several."""
        self._tty = tty
        self._question = question
        self._whose = whose
        self._interrupted, self._interrupt = os.pipe()
        os.set_blocking(self._interrupt, False)

    def ask(self) -> PersonAnswer | None:
        """Wait for the answer; None if the question ended before. Raises OSError."""
        for line in describe(self._question, self._whose):
            self._tty.print(line)
        package = plain(str(self._question.get("package", "")))
        lasting = bool(self._question.get("always"))
        always = f", a = always, for all tools of {package}" if lasting else ""
        while True:
            question = f"Allow it? y = once, n = no{always}: "
            typed = self._tty.ask(question, self._interrupted)
            if typed is None:
                self._tty.print("")
                return None
            match typed.strip().lower():
                case "y" | "yes":
                    return PersonAnswer(True)
                case "n" | "no":
                    return PersonAnswer(False)
                case "a" | "always" if lasting:
                    return PersonAnswer(True, always=True)
                case _ if not typed:  # the end of the input
                    self._tty.print("")
                    return PersonAnswer(False)
                case _:
                    pass

    def end(self) -> None:
        os.write(self._interrupt, b"\n")

    def close(self) -> None:
        """After `ask` has returned."""
        os.close(self._interrupted)
        os.close(self._interrupt)


def describe(question: Mapping[str, Any], whose: str = "") -> list[str]:
    """The lines that a person needs to decide. Text of agents and apps stays on its line, and what
    cannot be seen in it is shown by name."""
    token = question.get("token")
    caller = plain(str(question.get("client") or "A client without a name"))
    by = plain(str(question.get("door", ""))) + (f", token {plain(str(token))}" if token else "")
    on = f" on {plain(str(question['phone']))}" if question.get("phone") else ""
    lines = [f"{caller} ({by}) wants to call {plain(str(question.get('tool', '')))}{on}"]
    if whose:
        lines.insert(0, f"{whose} asks:")
    arguments: Mapping[str, Any] = question.get("arguments") or {}
    listed = [
        f"  {visible(name)}: {visible(json.dumps(value, ensure_ascii=False))}"
        for name, value in arguments.items()
    ]
    lines += listed
    if (count := sum(map(len, listed))) > _LONG:
        lines.append(
            f"  ({count} characters in {len(listed)} arguments: scroll up to see them all)"
        )
    seen = [str(question.get(each) or "") for each in ("app", "screen", "subject")]
    if shown := "; ".join(plain(each) for each in seen if each):
        lines.append(f"Screen: {shown}")
    left = f", {max(0, round(question['left']))} s left" if "left" in question else ""
    lines.append(f"Rule: {plain(str(question.get('rule', '')))}{left}")
    allow_by: Mapping[str, Any] = question.get("allow_by") or {}
    if setting := plain(str(allow_by.get("setting", ""))):
        lines.append(f"To allow it without a question: {setting} in handheld.toml")
    if command := plain(str(allow_by.get("command", ""))):
        lines.append(f"  or: {command}")
    return lines


async def send_answer(client: ConsoleClient, id: object, answer: PersonAnswer) -> str:
    """Return what came of it, as a sentence."""
    try:
        counts = await client.answer(id, allow=answer.allow, always=answer.always)
    except OwnerGone as gone:
        return f"{gone.entry} has ended: the answer counts for nothing."
    except ToolError as problem:
        return problem.message
    if not counts:
        return "The question was no longer open: the answer does not count."
    return "Allowed." if answer.allow else "Denied."
