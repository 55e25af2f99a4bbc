"""Make the bundle that MCP clients such as Claude Desktop install with a double click: a zip file
of this package, a project file for uv, and a manifest. Prints where it is.

The bundle has no dependencies in it: the client runs it with uv, which fetches them. The same
sources give the same bytes.
"""

import asyncio
import json
import sys
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from handheld import __version__
from handheld.access.request_scope import AGENT, RequestScope
from handheld.cli.parts import Parts
from handheld.settings import Settings
from handheld.settings.toml_text import written

ROOT = Path(__file__).resolve().parent.parent
FIRST_DAY = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip file can have."""
PROJECT = """\
[build-system]
requires = {requires}
build-backend = "hatchling.build"

[project]
name = "handheld"
version = "{version}"
description = {description}
requires-python = "{python}"
dependencies = {dependencies}

[project.scripts]
handheld = "handheld.cli:main"

[tool.hatch.build.targets.wheel]
packages = ["src/handheld", "src/handheld_virtual"]
"""


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def make_project() -> str:
    """What uv needs of pyproject.toml: it would install the groups for developers, too."""
    declared = project()
    return PROJECT.format(
        requires=written(declared["build-system"]["requires"]),
        version=__version__,
        description=written(declared["project"]["description"]),
        python=declared["project"]["requires-python"],
        dependencies=written(declared["project"]["dependencies"]),
    )


def make_manifest() -> dict[str, Any]:
    declared = project()["project"]
    surface = Parts(Settings()).surface
    tools = asyncio.run(surface.tools(RequestScope(surface=AGENT)))
    return {
        "manifest_version": "0.4",
        "name": "handheld",
        "display_name": "Handheld: Android phones",
        "version": __version__,
        "description": declared["description"],
        "long_description": "Lets Claude use an Android phone: it reads the screen as text, taps,"
        " types, opens apps, and reads notifications, files and logs. Nothing is installed on the"
        " phone; USB or wireless debugging is enough. `virtual` as the phone starts a virtual one.",
        "author": {"name": declared["authors"][0]["name"]},
        "license": declared["license"],
        "keywords": declared["keywords"],
        "server": {
            "type": "uv",
            "entry_point": "src/handheld/__main__.py",
            "mcp_config": {
                "command": "uv",
                "args": ["run", "--directory", "${__dirname}", "handheld", "stdio"],
                "env": {
                    "HANDHELD_PHONE": "${user_config.phone}",
                    "HANDHELD_TOOLSETS_ON": "${user_config.toolsets}",
                },
            },
        },
        "tools": [
            {"name": tool.name, "description": " ".join(tool.description.split())} for tool in tools
        ],
        # Those of apps on the phone, and of steps that were kept.
        "tools_generated": True,
        "compatibility": {
            "platforms": ["darwin", "linux"],
            "runtimes": {"python": declared["requires-python"]},
        },
        "user_config": {
            "phone": {
                "type": "string",
                "title": "Phone",
                "description": "A serial as `adb devices` lists it, HOST:PORT, or virtual for a"
                " virtual phone. Several are separated by commas; empty means every phone of adb.",
                "default": "",
            },
            "toolsets": {
                "type": "string",
                "title": "Further toolsets",
                "description": "Toolsets that are off by default, separated by commas: recording,"
                " personal, camera, intents, web_scripts. Empty for none.",
                "default": "",
            },
        },
    }


def contents() -> dict[str, bytes]:
    """What is in the bundle, by name."""
    files = {
        "manifest.json": (json.dumps(make_manifest(), indent=2) + "\n").encode(),
        "pyproject.toml": make_project().encode(),
        "LICENSE": (ROOT / "LICENSE").read_bytes(),
    }
    for path in (ROOT / "src").rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            files[path.relative_to(ROOT).as_posix()] = path.read_bytes()
    return files


def write_bundle(path: Path, files: Mapping[str, bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as bundle:
        for name, data in sorted(files.items()):
            info = zipfile.ZipInfo(name, FIRST_DAY)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3  # Unix, wherever it is made
            info.external_attr = 0o644 << 16
            bundle.writestr(info, data)


def main(arguments: list[str]) -> int:
    path = Path(arguments[0]) if arguments else ROOT / "dist" / f"handheld-{__version__}.mcpb"
    write_bundle(path, contents())
    print(f"{path} ({path.stat().st_size:,} bytes)")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
