"""Installed apps: what they are, installing, removing, their data and permissions."""

from ..toolkit.tool import Toolset

packages = Toolset("packages")
