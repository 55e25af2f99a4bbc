"""A stage with a storage location and a web server, for calls of every tool."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from handheld.phone.files.download import DownloadRules
from handheld.phone.files.files import Files
from handheld.phone.files.storage import StorageFile
from harness.phones import link_to
from phone.web import Web, open_web

from .stage import Stage, Switch, open_stage

DOWNLOADS = "com.android.providers.downloads.documents/downloads"
"""The storage location, with all rights."""
FOLDER = "/storage/emulated/0/Download"


@dataclass
class Scenery:
    stage: Stage
    storage: StorageFile
    web: Web


@asynccontextmanager
async def open_scenery(
    switch: Switch, http: httpx.AsyncClient, folder: Path
) -> AsyncGenerator[Scenery]:
    storage = StorageFile(folder / "storage.toml")
    storage.put(DOWNLOADS, allow_write=True, allow_delete=True)
    async with open_stage(switch, http) as stage, open_web() as web, link_to(stage.device) as link:
        rules = DownloadRules(1, allow_http=True, allow_private_addresses=True)
        stage.phone.files = Files(stage.phone.driver, link.clock, storage, ["virtual"], rules)
        yield Scenery(stage, storage, web)
