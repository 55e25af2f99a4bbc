"""This server's entry in the text of a client's configuration: read, written, removed."""

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, cast

from ...settings.toml_parsing import parse_toml
from ...settings.toml_text import change, written
from . import jsonc
from .client import McpClient

NAME = "android"
"""The name of the server in a client. Clients prepend it to every tool's name, and some allow 60
characters for both: with a longer name they would hide tools."""

_OUR_PATH = re.compile(r"://[^/]+(?:/phones/[^/]+/mcp(?:/agent)?|/mcp/agent)/?$")
"""Of an address that only Handheld has: `/mcp` alone is that of many servers."""
_OUR_NAME = re.compile(r"handheld(?:[@=<>~!\[].*)?")
"""The program, or the package as uvx takes it."""


class EntryError(Exception):
    """The text is broken, or cannot be changed without touching more. The message is the reason."""


def read_entry(client: McpClient, text: str) -> Mapping[str, Any] | None:
    """None where there is none. Raises EntryError."""
    path = (*client.keys, NAME)
    found = _parse(client, text)
    for depth, key in enumerate(path, 1):
        if key not in found:
            return None
        below = found[key]
        if not isinstance(below, dict):
            raise EntryError(f"{'.'.join(path[:depth])} is not an object")
        found = cast("dict[str, Any]", below)
    return found


def address_in(client: McpClient, entry: Mapping[str, Any]) -> str:
    """The address of the server that it names; empty if it starts one."""
    url = None if client.remote is None else entry.get(client.remote.url)
    return url if isinstance(url, str) else ""


def is_ours(client: McpClient, entry: Mapping[str, Any]) -> bool:
    """Whether it starts or reaches Handheld: another server may have the same name."""
    if url := address_in(client, entry):
        return _OUR_PATH.search(url) is not None
    words: list[Any] = []
    for key in (client.local.command, client.local.args):
        value = entry.get(key)
        words += cast("list[Any]", value) if isinstance(value, list) else [value]
    return any(_OUR_NAME.fullmatch(PurePath(word).name) for word in words if isinstance(word, str))


def put_entry(client: McpClient, text: str, entry: Mapping[str, Any]) -> str:
    """The text with this entry. Of one that is there already, what the user added stays. Raises
    EntryError."""
    path = (*client.keys, NAME)
    old = read_entry(client, text)
    wanted = dict(entry)
    if client.format == "toml" or old is not None:
        for key, value in entry.items():
            there: Any = (old or {}).get(key)
            if isinstance(there, dict) and isinstance(value, Mapping):  # headers
                wanted[key] = {**there, **value}
                for name, each in cast("Mapping[str, Any]", value).items():
                    text = _change(client, text, (*path, key, name), each)
            else:
                text = _change(client, text, (*path, key), value)
        # At the end: an object that is never empty stays on one line, if it is on one.
        for key in sorted(client.own_keys() & set(old or ()) - set(entry)):
            text = _change(client, text, (*path, key), None)
    else:
        text = _change(client, text, path, entry)
    found = read_entry(client, text)
    if found is None or {key: found.get(key) for key in entry} != wanted:
        raise EntryError("the changed file would not be read as intended")
    return text


def remove_entry(client: McpClient, text: str) -> str:
    """Raises EntryError."""
    text = _change(client, text, (*client.keys, NAME), None)
    if read_entry(client, text) is not None:
        raise EntryError("the entry would still be there")
    return text


def describe_entry(client: McpClient, entry: Mapping[str, Any]) -> str:
    """The entry as a separate file, to be pasted."""
    if client.format == "yaml":
        # Values in YAML may be written as in JSON, as values in TOML mostly are.
        lines = [f"    {key}: {_flow(value)}" for key, value in entry.items()]
        return "\n".join([f"{client.keys[0]}:", f"  {NAME}:", *lines])
    return put_entry(client, "", entry).rstrip("\n")


def _flow(value: Any) -> str:
    if isinstance(value, Mapping):
        pairs = cast("Mapping[str, Any]", value).items()
        return f"{{{', '.join(f'{key}: {_flow(each)}' for key, each in pairs)}}}"
    return written(value)


def _parse(client: McpClient, text: str) -> dict[str, Any]:
    try:
        return parse_toml(text) if client.format == "toml" else jsonc.parse(text)
    except ValueError as problem:
        raise EntryError(str(problem)) from None


def _change(client: McpClient, text: str, path: tuple[str, ...], value: Any) -> str:
    """None removes what is there."""
    try:
        if client.format == "toml":
            return _change_toml(text, path, value)
        return jsonc.remove(text, path) if value is None else jsonc.put(text, path, value)
    except ValueError as problem:
        raise EntryError(str(problem)) from None


def _change_toml(text: str, path: tuple[str, ...], value: Any) -> str:
    if "\r\n" not in text:
        return change(text, path, value, rewrite=False).text
    plain = text.replace("\r\n", "\n")
    if plain.replace("\n", "\r\n") != text:
        raise ValueError("some of its lines end as on Windows and some do not")
    return change(plain, path, value, rewrite=False).text.replace("\n", "\r\n")
