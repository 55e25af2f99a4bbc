"""Tools that an Android app declares through a content provider: both sides of the protocol.

A bundle is a mapping here: strings, booleans, numbers, lists of strings, and mappings.
"""

from .host import BadTool, ProviderResult, ProviderTool, execute_extras, read_result, read_tools
from .provider import ToolFailed, ToolProvider

__all__ = [
    "ACTION",
    "EXECUTE_TOOL",
    "GET_TOOL_INFO",
    "MIME_TYPE",
    "BadTool",
    "ProviderResult",
    "ProviderTool",
    "ToolFailed",
    "ToolProvider",
    "execute_extras",
    "read_result",
    "read_tools",
]

from .words import ACTION, EXECUTE_TOOL, GET_TOOL_INFO, MIME_TYPE
