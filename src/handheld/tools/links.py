"""Links and other URIs: opening them, and which apps do."""

from ..toolkit.tool import Toolset

links = Toolset("links")
