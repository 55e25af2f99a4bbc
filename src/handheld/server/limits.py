"""The limits that a client cannot exceed, whatever it sends."""

BODY_LIMIT = 16 * 1024 * 1024
"""Bytes in one HTTP request, unless the option `body_limit` is set."""
BODY_SECONDS = 60.0
"""How long the body of a request may take to arrive."""
PARSED_AT_ONCE = 1024 * 1024
"""Bytes. A longer body is parsed in a thread: 8 MB take a tenth of a second, in which others are
answered."""
HEAD_LIMIT = 32 * 1024
"""Bytes of the head of an HTTP request: anybody may send one."""
FREE_CHUNKS, LEAST_CHUNK = 1000, 64
"""A body may come in so many chunks of any size, and in more if they have so many bytes each."""
LINE_LIMIT = 16 * 1024 * 1024
"""Bytes in one line over stdio."""

MAX_DEPTH = 100
"""Levels of nesting in one message."""
MAX_VALUES = 100_000
"""Values in one message. Each costs a hundred times its bytes, in time and in memory."""

BODIES = 4
"""So many of the largest bodies are held at a time; one of a named token, two of all of them."""
STRANGERS_BODIES = 256 * 1024
"""Bytes of bodies that are held of requests without a token, such as logins."""

MAX_REQUESTS = 350
"""Requests that run at the same time; of named tokens fewer (`phone/leases/shares.py`)."""
MAX_SESSIONS = 1000
"""Sessions that are remembered; the oldest are forgotten first."""
MAX_CONNECTIONS = 450
"""Open connections of one server; above that, an old one is closed (`acceptor.py`). Two servers
stay below the 1024 files that a process may usually open. Of named tokens fewer
(`phone/leases/shares.py`); with all the strangers they leave room for the owner."""
MAX_STRANGERS = 128
"""Those of them that have not shown a token."""
HANDSHAKE_SECONDS = 5.0
"""How long a TLS handshake may take."""
REQUEST_SECONDS = 15.0
"""How long a connection may take to send the head of its first request. After a response,
`IDLE_SECONDS` are added."""
IDLE_SECONDS = 120.0
"""How long a connection may stay open after a response. Long, because a connection that is closed
just as its client sends the next call loses that call. Most clients close unused connections
themselves after 4 to 90 s."""
UNREAD_SECONDS = 60.0
"""How long a client may read nothing of a response."""
