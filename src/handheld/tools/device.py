"""The device: what it is, and its settings."""

from ..toolkit.tool import Toolset

device = Toolset("device")
