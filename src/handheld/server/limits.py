"""The limits that a client cannot exceed, whatever it sends."""

BODY_LIMIT = 16 * 1024 * 1024
"""Bytes in one HTTP request, unless the option `body_limit` is set."""
BODY_SECONDS = 60.0
"""How long the body of a request may take to arrive."""
LINE_LIMIT = 16 * 1024 * 1024
"""Bytes in one line over stdio."""

MAX_DEPTH = 100
"""Levels of nesting in one message. The SDK's own parser gives up at 200, with its own message."""
MAX_VALUES = 100_000
"""Values in one message. Each costs a hundred times its bytes, in time and in memory."""

MAX_REQUESTS = 1000
"""Requests that run at the same time."""
MAX_SESSIONS = 1000
"""Sessions that are remembered; the oldest are forgotten first."""
MAX_CONNECTIONS = 500
"""Open connections of one server. Above that, the one that has waited longest for a request is
closed."""
REQUEST_SECONDS = 15.0
"""How long a connection may take to send the head of its first request. After a response, the
keep-alive time is added."""
