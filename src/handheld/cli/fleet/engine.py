"""`handheld engine`: the servers that connect the phones of several hosts."""

import argparse
from datetime import UTC, datetime
from pathlib import Path

from ...clock import SYSTEM_CLOCK
from ...fleet.nats.names import ROLES
from ...fleet.nats.plan import FIRST_TENANT, EngineError, EngineFolder, nodes_of
from ...settings import Settings
from ..exit_codes import USAGE_ERROR
from ..terminal import print_error, print_line, print_note

_NAMES = {"admit": 2, "revoke": 1, "tenant": 1}
_FLAGS = {
    "nodes": ("--nodes", "init"),
    "node_host": ("--host", "init"),
    "node": ("--node", "run"),
    "tenant": ("--tenant", "admit"),
}


def add_engine_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "action",
        choices=("init", "run", "admit", "status", "revoke", "tenant"),
        help="make an engine; run a node of it; let a host or gateway join; show who is there;"
        " let one no longer in; add a tenant",
    )
    command.add_argument(
        "names",
        nargs="*",
        default=[],
        metavar="NAME",
        help="with admit: host or gateway, and its name; with revoke and tenant: the name",
    )
    command.add_argument(
        "--folder", metavar="FOLDER", help="where the engine is; defaults to the state folder"
    )
    command.add_argument(
        "--nodes", metavar="N", help="with init: how many servers, 1 or 3; defaults to 1"
    )
    command.add_argument(
        "--host",
        dest="node_host",
        action="append",
        metavar="HOST[:PORT]",
        help="with init: how others reach a node; repeat for each of several; defaults to"
        " localhost:4222",
    )
    command.add_argument(
        "--node", metavar="N", help="with run: which node this machine is; defaults to 1"
    )
    command.add_argument(
        "--tenant",
        metavar="NAME",
        help="with admit: whose host or gateway it is; defaults to main",
    )


async def engine(given: argparse.Namespace, settings: Settings) -> int:
    """Raises EngineError."""
    if error := _usage_error(given):
        print_error(error)
        return USAGE_ERROR
    folder = EngineFolder(Path(given.folder or settings.folders.engine))
    match given.action:
        case "init":
            return _init(folder, given)
        case "run":
            return _run(folder, int(given.node or 1))
        case "admit":
            role, name = given.names
            return await _admit(folder, role, name, given.tenant or FIRST_TENANT)
        case "status":
            return await _status(folder)
        case "revoke":
            return await _revoke(folder, given.names[0])
        case _:
            return await _tenant(folder, given.names[0])


def _usage_error(given: argparse.Namespace) -> str:
    wanted = _NAMES.get(given.action, 0)
    if given.action == "admit" and (len(given.names) != 2 or given.names[0] not in ROLES):
        return "Say who may join: handheld engine admit host NAME, or admit gateway NAME"
    if len(given.names) != wanted:
        if wanted:
            return f"Give one name: handheld engine {given.action} NAME"
        return f"handheld engine {given.action} takes no NAME."
    for dest, (flag, action) in _FLAGS.items():
        if getattr(given, dest) is not None and given.action != action:
            return f"{flag} is only for handheld engine {action}."
    if given.nodes not in (None, "1", "3"):
        return "--nodes is 1 or 3: two of three servers must agree on what is stored."
    if given.node not in (None, "1", "2", "3"):
        return "--node is 1, 2 or 3."
    return ""


def _init(folder: EngineFolder, given: argparse.Namespace) -> int:
    nodes = nodes_of(int(given.nodes or 1), given.node_host or ())
    folder.create(nodes, (FIRST_TENANT,), SYSTEM_CLOCK.time())
    print_line(f"Made an engine in {folder.path}")
    if len(nodes) == 1:
        print_note("Start it: handheld engine run")
    else:
        for number, node in enumerate(nodes, 1):
            print_note(
                f"Start node {number} at {node.address}: handheld engine run --node {number}"
            )
        print_note("On another machine, put its folder node-N into that machine's engine folder.")
    print_note(f"Keep {folder.path / 'keys'} safe and copied: who has it can let anybody in.")
    return 0


def _run(folder: EngineFolder, node: int) -> int:
    from ...fleet.nats.program import become_server, check_version, find_server

    server = find_server()
    check_version(server)
    place = folder.node(node)
    if not place.is_dir():
        folder.load()  # says that there is no engine, if there is none
        raise EngineError(f"The engine in {folder.path} has no node {node}.")
    become_server(server, place)


async def _admit(folder: EngineFolder, role: str, name: str, tenant: str) -> int:
    from ...fleet.nats.administration import Administration

    def show(code: str) -> None:
        print_note(
            f"The {role} {name} may join with this code, once, within ten minutes, while this "
            "command waits:"
        )
        print_line(code)

    member = await Administration(folder).admit(role, name, tenant, show)
    if not member:
        print_error("Nobody used the code. It no longer counts.")
        return 1
    print_note(f"The {role} {name} has joined as {member}.")
    return 0


async def _revoke(folder: EngineFolder, name: str) -> int:
    from ...fleet.nats.administration import Administration

    gone = await Administration(folder).revoke(name)
    print_line(f"Revoked: the {gone.role} {gone.name}. Its connections are closed.")
    return 0


async def _tenant(folder: EngineFolder, name: str) -> int:
    from ...fleet.nats.administration import Administration

    await Administration(folder).add_tenant(name)
    print_line(f"Added the tenant {name}. It sees nothing of the others.")
    return 0


async def _status(folder: EngineFolder) -> int:
    from ...fleet.nats.administration import Administration

    status = await Administration(folder).status()
    for number, node in enumerate(status.plan.nodes, 1):
        if (found := status.nodes.get(f"node-{number}")) is None:
            print_line(f"node {number}  {node.address}  does not answer")
        else:
            slow = f"  {found.slow} slow" if found.slow else ""
            print_line(
                f"node {number}  {node.address}  {found.version}  {found.connections} connections"
                f"  {found.megabytes} MB{slow}"
            )
    for one in status.plan.members:
        if one.revoked:
            state = f"revoked {_day(one.revoked)}"
        else:
            state = "connected" if one.public in status.connected else "away"
        print_line(f"{one.role}  {one.name}  {one.id}  {one.tenant}  {state}")
    return 0 if len(status.nodes) == len(status.plan.nodes) else 1


def _day(when: int) -> str:
    return datetime.fromtimestamp(when, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
