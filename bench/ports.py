"""Ports for programs that cannot choose one themselves and say which."""

import socket

_KEPT: list[socket.socket] = []


def keep_port(port: int = 0) -> int:
    """A port on loopback, or this one, kept to the end of this process. Raises OSError if it is in
    use.

    The socket stays bound and does not listen: a program may listen on the port if it is told to
    (with SO_REUSEADDR, which servers set), and the system gives it to nobody who asks for any.
    """
    kept = socket.socket()
    try:
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        kept.bind(("127.0.0.1", port))
    except OSError:
        kept.close()
        raise
    _KEPT.append(kept)
    return kept.getsockname()[1]
