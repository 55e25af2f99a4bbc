"""Intents to any component of an app. The toolset is off unless the owner switches it on."""

from ..toolkit.tool import Toolset

intents = Toolset("intents")
