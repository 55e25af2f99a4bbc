"""Notifications: reading them, acting on them, waiting for one."""

from ..toolkit.tool import Toolset

notifications = Toolset("notifications")
