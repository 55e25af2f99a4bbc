"""`handheld completion`: the script by which a shell completes command lines."""

import argparse
from collections.abc import Mapping, Sequence

from ...settings import VIRTUAL, Settings
from ..exit_codes import USAGE_ERROR
from ..terminal import print_error, print_line
from .tree import PHONES

_SECONDS = 0.5
"""How long a shell may wait for the list of phones."""


def add_completion_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("shell", nargs="?", choices=("bash", "zsh", "fish"), help="your shell")
    # What the scripts ask when the user presses the tabulator key.
    command.add_argument("--words", choices=("phones",), help=argparse.SUPPRESS)


async def completion(given: argparse.Namespace, settings: Settings) -> int:
    if given.words == PHONES:
        for name in await phone_names(settings):
            print_line(name)
        return 0
    if given.shell is None:
        print_error("Name your shell: handheld completion bash")
        return USAGE_ERROR
    from .tree import command_trees

    commands, tools = [*command_trees()], await _tools()
    if given.shell == "bash":
        from .bash import write_script
    elif given.shell == "zsh":
        from .zsh import write_script
    else:
        from .fish import write_script
    print_line(write_script(commands, tools))
    return 0


async def _tools() -> Mapping[str, Sequence[str]]:
    """The names of all tools as `call` takes them, with the names of their arguments."""
    from ...access.request_scope import AGENT
    from ...settings.slug import tool_prefix
    from ...tools.listing import PHONE_PREFIX
    from ..commands.tools import every_tool

    prefix = tool_prefix("")
    found = [*await every_tool("", AGENT, PHONE_PREFIX), *await every_tool("", "", "")]
    return {
        tool.name.removeprefix(prefix): [*tool.input_schema.get("properties", ())] for tool in found
    }


async def phone_names(settings: Settings) -> list[str]:
    """What `--phone` takes: slugs and phones of the settings, those of a running adb server, and a
    virtual one. Starts no adb server: somebody waits for it."""
    from ...adb.link import AdbError
    from ...adb.server import AdbServer

    try:
        server = AdbServer(*settings.adb_address, timeout=_SECONDS)
        devices = await server.devices(start=False)
    except AdbError:
        devices = []
    slugs = filter(None, settings.slugs.values())
    named = (*slugs, *settings.phones, *(device.serial for device in devices), VIRTUAL)
    return [*dict.fromkeys(named)]
