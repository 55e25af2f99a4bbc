"""Mobile MCP 1.0: Android apps declare capabilities in a service and an XML descriptor.

Both sides are here: the agent's (reading descriptors, requests, replies) and, in `service`, the
tool's. Nothing here touches Android.
"""

from .descriptor import (
    BadDescriptor,
    Capability,
    CapabilityParameter,
    Descriptor,
    DescriptorProblem,
    parse_descriptor,
    read_descriptor,
)
from .message import BadMessage, CapabilityRequest, Response, read_request, read_response
from .service import CapabilityFailed, CapabilityService, Outcome

__all__ = [
    "BadDescriptor",
    "BadMessage",
    "Capability",
    "CapabilityFailed",
    "CapabilityParameter",
    "CapabilityRequest",
    "CapabilityService",
    "Descriptor",
    "DescriptorProblem",
    "Outcome",
    "Response",
    "parse_descriptor",
    "read_descriptor",
    "read_request",
    "read_response",
]

ACTION = "mobile.mcp.SERVICE"
"""The action in the intent filter by which a tool's service is found."""
NAME_KEY = "mobile.mcp.tool.name"
DESCRIPTION_KEY = "mobile.mcp.tool.description"
CAPABILITIES_KEY = "mobile.mcp.tool.capabilities"
"""The service's meta-data."""
