"""Checks the engine that this computer has joined, or whose keys it has."""

from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from importlib.util import find_spec

from ... import __version__
from ...app_tools.check.finding import Finding, Severity, ok
from ...clock import Clock
from ...fleet.nats.administration import Administration
from ...fleet.nats.directory import Directory
from ...fleet.nats.jetstream import JetStream, KvError
from ...fleet.nats.joining import Joined
from ...fleet.nats.names import ROLES, STREAMS
from ...fleet.nats.node_check import check_node
from ...fleet.nats.plan import FIRST_TENANT, EngineError, EngineFolder
from ...fleet.nats.program import OLDEST
from ...fleet.nats.wire import EngineWire, Membership, NotAllowed, WireFault
from ...screen.text import tidy
from ...settings import Settings

_DIAL_WITHIN = 5.0
_CLOCKS_DIFFER = 2.0
"""Seconds that are worth a word."""
_EXPIRES_SOON = 60 * 86_400
_MOST_CONSUMERS = 100
"""Of a table, beyond one for each host: gateways have one each."""
_SET_CLOCK = "Let the system set it, for example: timedatectl set-ntp true"
_UPDATE = "Where the engine's keys are, admit a member, which updates it: handheld engine admit"


async def examine_engine(settings: Settings, clock: Clock) -> AsyncIterator[Finding]:
    """Nothing, if this computer has nothing to do with an engine."""
    folder = EngineFolder(settings.folders.engine)
    has_keys = (folder.path / "keys").is_dir()
    files = [(role, settings.folders.joined(role)) for role in ROLES]
    files = [(role, file) for role, file in files if file.exists()]
    if not files and not has_keys:
        return
    if find_spec("nats") is None:
        sentence = "The NATS library is missing."
        yield Finding(Severity.PROBLEM, "engine", sentence, "pip install 'handheld[fleet]'")
        return
    nodes: dict[str, str] = {}
    seen: Membership | None = None
    for role, file in files:
        try:
            joined = Joined.load(file)
        except EngineError as problem:
            yield Finding(Severity.PROBLEM, role, str(problem), f"handheld {role} --join CODE")
            continue
        nodes |= dict.fromkeys(joined.membership.servers, joined.membership.authority)
        yield await _check_member(joined, clock)
        seen = joined.membership if role == "gateway" else seen
    if has_keys:
        try:
            plan = folder.load()
            nodes |= dict.fromkeys(plan.addresses, folder.authority.read_text(encoding="utf-8"))
            # With the keys all is seen, and nobody's name is used for it.
            seen = Administration(folder, clock).visitor(FIRST_TENANT)
        except (EngineError, OSError) as problem:
            yield Finding(Severity.PROBLEM, "engine", str(problem))
            has_keys = False
    reached = 0
    for address, authority in nodes.items():
        finding = await _check_node(address, authority, clock)
        reached += finding.verdict is not Severity.PROBLEM
        yield finding
    if not reached:
        return
    if has_keys:
        yield await _check_clocks_of_nodes(Administration(folder, clock))
    if seen is not None:
        for finding in await _check_store(seen, clock):
            yield finding


async def _check_member(joined: Joined, clock: Clock) -> Finding:
    """Whether the engine lets it in."""
    role, name = joined.role, joined.name
    try:
        async with EngineWire(joined.membership, clock) as wire:
            await wire.ready(_DIAL_WITHIN)
    except WireFault as problem:
        fix = f"Where the engine's keys are: handheld engine status. If {name} was revoked, join"
        return Finding(
            Severity.PROBLEM, role, str(problem), f"{fix} again: handheld {role} --join CODE"
        )
    return ok(role, f"The engine lets this computer in as the {role} {name} ({wire.id}).")


async def _check_node(address: str, authority: str, clock: Clock) -> Finding:
    subject = "engine"
    try:
        found = await check_node(address, authority, clock)
    except EngineError as problem:
        fix = "Where it should run: handheld engine run. Its port must be open for this computer"
        return Finding(Severity.PROBLEM, subject, f"{address}: {problem}", fix)
    version = ".".join(map(str, found.version))
    if found.version[:2] < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        sentence = f"{address} is nats-server {version}; the engine needs {oldest} or newer."
        fix = "Replace nats-server there, and start it again: handheld engine run"
        return Finding(Severity.PROBLEM, subject, sentence, fix)
    if not found.jetstream:
        sentence = f"{address} runs without its store."
        fix = "Start it with its own configuration: handheld engine run"
        return Finding(Severity.PROBLEM, subject, sentence, fix)
    days = int((found.expires - clock.time()) / 86_400)
    if found.expires - clock.time() < _EXPIRES_SOON:
        sentence = f"The certificate of {address} expires in {days} days."
        fix = "Make a new engine before, and let all members join it: handheld engine init"
        return Finding(Severity.WARNING, subject, sentence, fix)
    return ok(
        subject, f"{address} is nats-server {version}; its certificate is good for {days} days."
    )


async def _check_clocks_of_nodes(administration: Administration) -> Finding:
    try:
        status = await administration.status()
    except EngineError as problem:
        return Finding(Severity.PROBLEM, "nodes", str(problem), "handheld engine status")
    wrong = {
        name: node.ahead for name, node in status.nodes.items() if abs(node.ahead) > _CLOCKS_DIFFER
    }
    if wrong:
        return Finding(Severity.WARNING, "nodes", _describe(wrong, "this computer"), _SET_CLOCK)
    return ok("nodes", "The clocks of all nodes that answer are right.")


async def _check_store(membership: Membership, clock: Clock) -> Sequence[Finding]:
    """What a gateway sees: tables, followers, hosts."""
    findings: list[Finding] = []
    try:
        async with EngineWire(membership, clock) as wire:
            await wire.ready(_DIAL_WITHIN)
            directory = Directory(wire, clock)
            with suppress(KvError):  # a table that is missing is told below
                await directory.read()
            hosts = [row for _, row, fresh in directory.hosts() if fresh]
            store = JetStream(wire, clock=clock)
            looks = {name: await store.look(name) for name in STREAMS}
    except NotAllowed:
        sentence = "The engine has the rights of an older Handheld."
        return [Finding(Severity.WARNING, "tables", sentence, _UPDATE)]
    except (WireFault, KvError) as problem:
        fix = "handheld engine status, where the engine's keys are"
        return [Finding(Severity.PROBLEM, "tables", str(problem), fix)]
    now = clock.time()
    if missing := [name for name, look in looks.items() if look is None]:
        sentence = f"The engine lacks {', '.join(missing)}."
        findings.append(Finding(Severity.PROBLEM, "tables", sentence, _UPDATE))
    else:
        findings.append(ok("tables", f"The engine has all its tables: {', '.join(looks)}."))
    for name, look in looks.items():
        if look is not None and look.consumers > _MOST_CONSUMERS + len(hosts):
            sentence = f"{name} has {look.consumers} consumers, more than members could need."
            fix = "Look who is connected: handheld engine status; then start gateways again"
            findings.append(Finding(Severity.WARNING, "consumers", sentence, fix))
    ahead = {f"The host {tidy(row.name)}": row.offset for row in hosts}
    if told := [look.at for look in looks.values() if look is not None]:
        ahead["This computer"] = now - told[-1]
    if wrong := {who: by for who, by in ahead.items() if abs(by) > _CLOCKS_DIFFER}:
        sentence = _describe(wrong, "the engine")
        findings.append(Finding(Severity.WARNING, "clocks", sentence, _SET_CLOCK))
    else:
        findings.append(ok("clocks", "This computer and the hosts have the engine's time."))
    names = ", ".join(f"{tidy(row.name)} ({tidy(row.version)})" for row in hosts)
    if any(row.version != __version__ for row in hosts):
        sentence = f"This is Handheld {__version__}, and hosts differ: {names}."
        fix = "Upgrade first where the engine's keys are, then gateways, then hosts"
        findings.append(Finding(Severity.WARNING, "hosts", sentence, fix))
    else:
        findings.append(ok("hosts", f"Connected: {names}." if hosts else "No host is connected."))
    return findings


def _describe(ahead: dict[str, float], of: str) -> str:
    parts = [
        f"{who} is {abs(by):.1f} s {'ahead of' if by > 0 else 'behind'} {of}"
        for who, by in ahead.items()
    ]
    return f"{'; '.join(parts)}. Leases and records show wrong times."
