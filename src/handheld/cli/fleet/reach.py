"""How commands with --fleet reach the engine: as the gateway that this computer is or, where the
engine's keys are, as one for a few minutes."""

import argparse
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path

from ...fleet.nats.administration import Administration
from ...fleet.nats.jetstream import KvError
from ...fleet.nats.joining import Joined
from ...fleet.nats.plan import FIRST_TENANT, EngineError, EngineFolder
from ...fleet.nats.wire import EngineWire, Membership, WireFault
from ...settings import Settings

_DIAL_WITHIN = 10.0


@asynccontextmanager
async def open_engine(given: argparse.Namespace, settings: Settings) -> AsyncGenerator[EngineWire]:
    """Raises EngineError."""
    if find_spec("nats") is None:
        raise EngineError(
            "--fleet needs the NATS library. Install it: pip install 'handheld[fleet]'"
        )
    try:
        async with EngineWire(_membership(given, settings)) as wire:
            await wire.ready(_DIAL_WITHIN)
            yield wire
    except (WireFault, KvError) as problem:
        raise EngineError(str(problem)) from problem


def _membership(given: argparse.Namespace, settings: Settings) -> Membership:
    """Raises EngineError."""
    gateway = settings.folders.joined("gateway")
    folder = EngineFolder(Path(given.folder or settings.folders.engine))
    if not given.tenant and not given.folder and gateway.exists():
        return Joined.load(gateway).membership
    if not given.folder and not (folder.path / "engine.json").exists():
        raise EngineError(
            "This computer is no gateway of an engine, and has no engine's keys. Run this command"
            " where one of them is: hosts do not see each other."
        )
    return Administration(folder).visitor(given.tenant or FIRST_TENANT)
