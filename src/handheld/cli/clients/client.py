"""An MCP client: where its configuration is, and what an entry in it looks like."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ...settings.programs import find_program

Scope = Literal["user", "project"]
TOKEN_VARIABLE = "HANDHELD_TOKEN"  # noqa: S105 - its name
"""What the token is called where a file must not hold it. Handheld itself reads this one, too."""


@dataclass(frozen=True, slots=True)
class Local:
    """How an entry says what the client is to start."""

    first: Mapping[str, Any] = field(default_factory=dict[str, Any])
    last: Mapping[str, Any] = field(default_factory=dict[str, Any])
    command: str = "command"
    args: str = "args"
    """Empty where `command` is a list that holds the arguments, too."""

    def entry(self, command: tuple[str, ...]) -> dict[str, Any]:
        started = {self.command: command[0], self.args: list(command[1:])}
        return {**self.first, **(started if self.args else {self.command: [*command]}), **self.last}


@dataclass(frozen=True, slots=True)
class Remote:
    """How an entry names a server that runs already."""

    first: Mapping[str, Any] = field(default_factory=dict[str, Any])
    last: Mapping[str, Any] = field(default_factory=dict[str, Any])
    url: str = "url"
    headers: str = "headers"
    reference: str = ""
    """How a header names a variable of the environment, with {} for its name; empty where the
    client's documentation describes none."""
    bearer_variable: str = ""
    """A key whose value is the name of the variable with the token, instead of a reference."""

    @property
    def takes_variable(self) -> bool:
        return bool(self.reference or self.bearer_variable)

    def entry(self, url: str, token: str, *, by_variable: bool = False) -> dict[str, Any]:
        """`by_variable`: the entry names TOKEN_VARIABLE instead of holding the token."""
        sent: dict[str, Any] = {}
        if token and by_variable and self.bearer_variable:
            sent = {self.bearer_variable: TOKEN_VARIABLE}
        elif token:
            value = self.reference.format(TOKEN_VARIABLE) if by_variable else token
            sent = {self.headers: {"Authorization": f"Bearer {value}"}}
        return {**self.first, self.url: url, **sent, **self.last}

    @property
    def keys(self) -> set[str]:
        of_token = {self.headers, self.bearer_variable} - {""}
        return {*self.first, self.url, *of_token, *self.last}


@dataclass(frozen=True, slots=True)
class Machine:
    """Where clients are looked for."""

    home: Path
    project: Path
    platform: str
    environment: Mapping[str, str]
    find_program: Callable[[str], str] = find_program

    def place(self, name: str) -> Path:
        """`{config}` is the folder of a user's configuration, `{support}` that of programs made
        with Electron: the same on Linux."""
        config = self.environment.get("XDG_CONFIG_HOME", "")
        # One that is not absolute must be ignored, as the specification of XDG says.
        config = config if config.startswith("/") else "~/.config"
        mac = self.platform == "darwin"
        support = "~/Library/Application Support" if mac else config
        path = name.format(config="~/.config" if mac else config, support=support)
        return self.home / path[2:] if path.startswith("~/") else Path(path)

    def shorten(self, path: Path | None) -> str:
        """As a person writes it."""
        if path is None or not path.is_relative_to(self.home):
            return str(path or "")
        return f"~/{path.relative_to(self.home)}"


@dataclass(frozen=True, slots=True)
class McpClient:
    id: str
    title: str
    docs: str
    """Where its makers describe the file."""
    user: tuple[str, ...]
    """The user's file: the first of these that exists, else the first."""
    project: tuple[str, ...] = ()
    """The same, below a project's folder."""
    variable: tuple[str, str] = ("", "")
    """A variable that names another folder, and the name of the user's file there."""
    signs: tuple[str, ...] = ()
    """Folders that the client makes, and its program's names: one is enough to find it."""
    keys: tuple[str, ...] = ("mcpServers",)
    """Where in the file the servers are."""
    format: Literal["json", "toml", "yaml"] = "json"
    local: Local = Local()
    remote: Remote | None = Remote()
    """None where the client's file takes only servers that the client starts."""
    after: str = ""
    """What makes the client read its file again."""
    in_demo: bool = False

    def file(self, scope: Scope, machine: Machine) -> Path | None:
        """None where the client has no file of this scope."""
        variable, name = self.variable
        if scope == "project":
            places = [machine.project / each for each in self.project]
        elif folder := machine.environment.get(variable):
            places = [Path(folder) / name]
        else:
            places = [machine.place(each) for each in self.user]
        return next(filter(os.path.exists, places), places[0] if places else None)

    def scopes(self) -> Iterator[Scope]:
        """Those that the client has, the usual one first."""
        if self.user:
            yield "user"
        if self.project:
            yield "project"

    def found(self, machine: Machine) -> bool:
        return any(
            os.path.exists(machine.place(sign)) if "/" in sign else bool(machine.find_program(sign))
            for sign in self.signs
        )

    def own_keys(self) -> set[str]:
        """The keys of an entry that are ours; all others are the user's."""
        keys = set(self.local.entry(("", "")))
        return keys | self.remote.keys if self.remote is not None else keys
